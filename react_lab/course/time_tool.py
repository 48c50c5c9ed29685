"""Exercise 1: a time tool, first without a parameter, then with a city."""

import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from react_lab.course.checking import Exercise, Wrong, ask
from react_lab.loop import Agent
from react_lab.models.scripted import ScriptedModel
from react_lab.registry.registry import Observation, Registry
from react_lab.toolkit.lab import lab_tools

SUMMER = datetime(2026, 6, 1, 12, 0, tzinfo=UTC)
WINTER = datetime(2027, 1, 15, 9, 30, tzinfo=UTC)
OTHERS = ("calculator", "get_weather")

# Moment, what the model writes, and what its observation must hold.
CALLS = (
    (SUMMER, "Action: utc_time\nAction Input: {}", "12:00"),
    (SUMMER, "Action: utc_time\nAction Input:", "12:00"),
    (SUMMER, "Action: utc_time", "12:00"),
    (WINTER, "Action: utc_time\nAction Input: {}", "09:30"),
    (SUMMER, 'Action: time_in\nAction Input: {"city": "Oslo"}', "14:00"),
    (SUMMER, 'Action: time_in\nAction Input: {"city": "Lima"}', "07:00"),
    (WINTER, 'Action: time_in\nAction Input: {"city": "Oslo"}', "10:30"),
    (WINTER, 'Action: time_in\nAction Input: {"city": "Lima"}', "04:30"),
)
UNKNOWN = 'Action: time_in\nAction Input: {"city": "Atlantis"}'


def without_clock() -> Registry:
    """Two of the lab's tools; none of them tells the time."""
    return lab_tools(SUMMER).subset(OTHERS)


def check(work: Callable[..., Any]) -> None:
    """Raises Wrong unless work(tools, now) adds both tools, and returns a prompt that lists all.

    An agent calls the tools, with a clock that the check moves.
    """
    tools, moment = without_clock(), [SUMMER]
    prompt = ask("time_tool(tools, now)", work, tools, lambda: moment[0])
    names = [tool.name for tool in tools]
    for name in ("utc_time", "time_in"):
        if name not in tools:
            raise Wrong("the registry", f"it holds {', '.join(names)}", f"a tool named {name} too")
    if not isinstance(prompt, str):
        raise Wrong("what your function returns", repr(prompt), "the system prompt, a text")
    for name in names:
        if not re.search(rf"\b{name}\b", prompt):
            wanted = f"a line for {name}: a model calls only what its prompt lists"
            raise Wrong("the prompt that you return", f"it does not name {name}", wanted)
    for moment[0], reply, wanted in CALLS:
        seen, what = observed(reply, tools, prompt), f"{reply}\nat {moment[0]:%d %B, %H:%M} UTC"
        if seen.error or wanted not in seen.text:
            raise Wrong(what, seen.text, f"{wanted} in the observation")
    seen = observed(UNKNOWN, tools, prompt)
    what = f"{UNKNOWN}\n(there is no such city)"
    if re.search(r"\d:\d\d", seen.text):
        wanted = "that the city is not known: a clock that answers for any city lies"
        raise Wrong(what, seen.text, wanted)
    if not explains(seen.text):
        wanted = "a sentence or a ValueError that says that the city is not known"
        raise Wrong(what, seen.text, wanted)


def explains(text: str) -> bool:
    """Return whether a text says more than the name of an exception and the city."""
    words = re.findall(r"[^\W\d_]+", text)
    return any(
        not word.endswith("Error") and word not in ("Atlantis", "None", "False") for word in words
    )


def observed(reply: str, tools: Registry, prompt: str) -> Observation:
    """What an agent gets to see when its model writes this reply."""
    model = ScriptedModel([f"Thought: I need the time.\n{reply}", "Final Answer: I know it."])
    seen = Agent(model, tools, system=prompt).run("What time is it?").steps[0].observation
    return seen or Observation("")


EXERCISE = Exercise(
    name="time_tool",
    title="A time tool",
    difficulty=1,
    minutes=15,
    hints=(
        "A tool is a function with a docstring that was given to tools.register. Write both "
        "inside time_tool: there they can see `now`. Write the prompt last: it can list only what "
        "is registered already.",
        "A function without parameters becomes a tool without parameters, and the parser then "
        "takes {}, an empty input and a missing line for the same. Call now() inside the tools, "
        "not before. moment.astimezone(ZoneInfo(zone)) knows summer time; an hour added by hand "
        "does not.",
        'def utc_time(): return f"{now():%H:%M} UTC". In time_in: if city is not in CITIES, raise '
        "ValueError with the cities that are known, else return "
        'f"{now().astimezone(ZoneInfo(CITIES[city])):%H:%M}". At the end: '
        "return system_prompt(tools).",
    ),
    check=check,
)
