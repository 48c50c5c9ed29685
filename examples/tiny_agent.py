"""A whole ReAct agent in one file, without a framework and without react_lab's helpers.

    python examples/tiny_agent.py "Which city is warmer, Oslo or Rome?"

The model is any OpenAI-compatible endpoint: set LLM_BASE_URL, LLM_MODEL and LLM_API_KEY. Without
them it is the lab's embedded model, the only thing taken from react_lab. Read from the bottom up.
"""

import json
import os
import re
import sys

DEGREES = {"Oslo": 16, "Paris": 22, "Rome": 27, "Tokyo": 24}  # made up


def calculator(expression: str) -> float:
    """Work out an expression. Only digits, points, brackets and + - * / ever reach `eval`."""
    if re.search(r"[^\d.()+*/ -]|\*\*", expression):
        raise ValueError("use numbers, + - * / and brackets")
    return eval(expression)


def get_weather(city: str) -> str:
    return f"{city}: {DEGREES[city]} °C"


# What the model may call: the function, what it is for, and an input to imitate.
TOOLS = {
    "calculator": (
        calculator,
        "Evaluate an arithmetic expression. Use it for any calculation.",
        '{"expression": "(3+5)*2"}',
    ),
    "get_weather": (get_weather, "Weather in a city: temperature.", '{"city": "Oslo"}'),
}
TOOL_LINES = "\n".join(f"- {name}: {what} Input: {one}" for name, (_, what, one) in TOOLS.items())
SYSTEM = f"""You answer questions by using tools.
Tools:
{TOOL_LINES}

Reply with one step at a time:
Thought: what you need next
Action: one of [{", ".join(TOOLS)}]
Action Input: one line of JSON
The system answers with an Observation. When you know the answer:
Thought: why you can answer
Final Answer: the answer"""


def ask(messages: list[dict]) -> str:
    """Send the whole conversation and return the model's reply."""
    if "LLM_BASE_URL" not in os.environ:
        from react_lab import connect

        return connect()(messages).text
    from openai import OpenAI

    client = OpenAI(base_url=os.environ["LLM_BASE_URL"], api_key=os.getenv("LLM_API_KEY", "none"))
    reply = client.chat.completions.create(model=os.environ["LLM_MODEL"], messages=messages)
    return reply.choices[0].message.content or ""


def act(reply: str) -> str:
    """Run the tool that a reply asks for. A mistake becomes a text that the model can act on."""
    call = re.search(r"Action: *(\w+)\s+Action Input: *(\{.*\})", reply)
    if not call:
        return "Write Thought, Action and Action Input, or Thought and Final Answer."
    name, given = call.groups()
    if name not in TOOLS:
        return f"There is no tool named {name}. Use one of: {', '.join(TOOLS)}."
    try:
        return str(TOOLS[name][0](**json.loads(given)))
    except Exception as error:
        return f"Error: {type(error).__name__}: {error}"


def run(question: str, max_steps: int = 8) -> str | None:
    """Ask, act and ask again, until there is an answer. None if the limit came first."""
    messages = [{"role": "system", "content": SYSTEM}]
    messages.append({"role": "user", "content": f"Question: {question}"})
    for _ in range(max_steps):
        reply = ask(messages).partition("\nObservation:")[0]  # an invented result does not count
        print(reply)
        if "Final Answer:" in reply:
            return reply.partition("Final Answer:")[2].strip()
        observation = act(reply)
        print("Observation:", observation, "\n")
        messages.append({"role": "assistant", "content": reply})
        messages.append({"role": "user", "content": f"Observation: {observation}"})
    return None


if __name__ == "__main__":
    sys.exit(0 if run(" ".join(sys.argv[1:]) or "What is 6*7?") else 1)
