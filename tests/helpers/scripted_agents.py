"""A scripted agent for each case of the evaluation: it makes the expected calls and answers."""

import json
import os
import time
from dataclasses import replace

from react_lab.evaluation.judge import Case, case_tools
from react_lab.loop import Agent
from react_lab.models import ScriptedModel


def call(tool: str, arguments: dict) -> str:
    """A call as a model writes it."""
    return f"Thought: I need this.\nAction: {tool}\nAction Input: {json.dumps(arguments)}"


def answer(case: Case) -> str:
    """The right values in their first spelling, or that nothing is known."""
    return " and ".join(value.split("|")[0] for value in case.right) or "That is not known."


def script(case: Case) -> list[str]:
    """The replies of a model that does all as expected; a call that fails once is made again."""
    replies = []
    for one in case.calls:
        replies.append(call(one["tool"], one["arguments"]))
        if case.fails.get(one["tool"]) == "once" and replies.count(replies[-1]) == 1:
            replies.append(replies[-1])
    return [*replies, f"Thought: I know it.\nFinal Answer: {answer(case)}"]


def perfect(case: Case) -> Agent:
    """An agent that solves its case."""
    return Agent(ScriptedModel(script(case)), case_tools(case))


def forgetful(case: Case) -> Agent:
    """An agent that does the same, but forgets the answer after several calls."""
    replies = script(case)
    if case.kind == "several tools":
        replies[-1] = "Thought: I know it.\nFinal Answer: I have forgotten it."
    return Agent(ScriptedModel(replies), case_tools(case))


def slow(case: Case) -> Agent:
    """An agent that solves its case, takes a moment for it, and notes in which process."""
    agent = perfect(case)

    def model(messages, tools=None):
        time.sleep(0.1)
        return replace(agent.model(messages), notes=(str(os.getpid()),))

    return replace(agent, model=model)
