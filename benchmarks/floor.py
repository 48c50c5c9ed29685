"""The floor: the least code that is still a ReAct loop. No check, no brake but a count.

It sends the same messages as react_lab does, so that only the work around them is compared.
"""

import json
import re

ACTION = re.compile(r"Action: *(\w+)\s+Action Input: *(\{.*\})")
ANSWER = re.compile(r"Final Answer: *(.*)", re.S)


def loop(client, model: str, system: str, tools: dict, question: str, steps: int) -> str | None:
    """Ask until there is a final answer; None if `steps` replies hold none.

    client: an openai client. tools: functions by name.
    """
    messages = [
        {"role": "system", "content": system},
        {"role": "user", "content": f"Question: {question}"},
    ]
    for _ in range(steps):
        completion = client.chat.completions.create(model=model, messages=messages)
        text = completion.choices[0].message.content
        messages.append({"role": "assistant", "content": text})
        if action := ACTION.search(text):
            result = tools[action[1]](**json.loads(action[2]))
        elif answer := ANSWER.search(text):
            return answer[1]
        else:
            result = "Write Action and Action Input, or Final Answer."
        messages.append({"role": "user", "content": f"Observation: {result}"})
    return None
