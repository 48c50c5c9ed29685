"""Exercise 2: repeat detection for the loop of notebook 05."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from react_lab.course.checking import Exercise, Wrong, ask
from react_lab.models.reply import Message, Reply
from react_lab.registry.registry import Registry
from react_lab.toolkit.calculator import calculator
from react_lab.toolkit.cities import get_weather

MANY = 30  # replies; no right loop asks for so many


@dataclass(frozen=True)
class Case:
    """Replies of a model, and what must come of them. ran: how many calls of tools were made.

    stops: whether the run must end as repeats; otherwise the last reply is its answer. why: what
    usually goes wrong in a case that must stop and does not.
    """

    title: str
    replies: tuple[str, ...]
    stops: bool
    ran: int
    why: str = ""


def call(tool: str, name: str, value: str) -> str:
    """A call as a model writes it."""
    return f'Thought: I need this.\nAction: {tool}\nAction Input: {{"{name}": "{value}"}}'


OSLO, ROME, LIMA = (call("get_weather", "city", city) for city in ("Oslo", "Rome", "Lima"))
SUM, JOB = call("calculator", "expression", "16*2"), call("job_state", "job", "7")
NO_TOOL = call("weather_now", "city", "Oslo")
NEAR = tuple(call("get_weather", "city", city) for city in ("Oslo", " oslo", "OSLO."))
END = "Thought: I know enough.\nFinal Answer: Done."
PLAIN = (
    "\nplain() takes one value. Given all arguments at once, it does not find the full stop in "
    "'OSLO.': use it on each value."
)

CASES = (
    Case("two calls and an answer", (OSLO, SUM, END), False, 2),
    Case("a reply that cannot be read, then an answer", ("Let me see.", OSLO, END), False, 1),
    Case("the same call three times in a row", (OSLO, OSLO, OSLO, END), True, 2),
    Case("three cities, so one tool with three inputs", (OSLO, ROME, LIMA, END), False, 3),
    Case("a job that is polled, with a new state each time", (JOB, JOB, JOB, JOB, END), False, 4),
    Case("three times the same, but not in a row", (OSLO, SUM, OSLO, SUM, OSLO, END), False, 5),
    Case("something else first, then the same three times", (SUM, OSLO, OSLO, OSLO, END), True, 3),
    Case("a tool that does not exist, three times", (NO_TOOL, NO_TOOL, NO_TOOL, END), True, 0),
    Case("near repeats: Oslo, then ' oslo', then 'OSLO.'", (*NEAR, END), True, 2, PLAIN),
)


class Endless(BaseException):
    """The loop asked for too many replies. No `except Exception` of a learner holds it up."""


def check(work: Callable[..., Any]) -> None:
    """Raises Wrong unless work(question, model, tools) ends as each of the cases must."""
    for case in CASES:
        ran: list[str] = []
        told = f"{case.title}:\n{calls_of(case)}"
        try:
            ended = ask(told, work, "What now?", plays(case.replies), counted(ran))
        except Endless:
            raise Wrong(told, f"it asked for more than {MANY} replies", "an end") from None
        if not (isinstance(ended, tuple) and len(ended) == 2 and isinstance(ended[1], str)):
            raise Wrong(told, repr(ended), "a pair: the answer or None, and the reason")
        look_at(case, told, *ended, len(ran))


def look_at(case: Case, told: str, answer: object, reason: str, ran: int) -> None:
    """Raises Wrong unless the end of a run is that of its case."""
    yours = f"({answer!r}, {reason!r}) after {ran} calls of tools"
    if not case.stops:
        if (answer, reason) != ("Done.", "answered") or ran != case.ran:
            raise Wrong(told, yours, f"('Done.', 'answered') after {case.ran}: this is no circle")
        return
    if (answer, reason) == ("Done.", "answered"):
        raise Wrong(
            told, yours, f"(None, 'repeats') after {case.ran}: here it goes in a circle{case.why}"
        )
    if answer is not None:
        raise Wrong(told, yours, "None for the answer: only what the model answers is one")
    if "repeat" not in reason:
        raise Wrong(told, yours, "(None, 'repeats'): the run must end here, with this reason")
    if ran != case.ran:
        wanted = f"{case.ran} calls: the third of its kind is not run any more"
        raise Wrong(told, yours, wanted)


def calls_of(case: Case) -> str:
    """What the model of a case asks for, in short."""
    lines = (reply.split("\n") for reply in case.replies[:-1])
    return "; ".join(" ".join(x.partition(": ")[2] or x for x in one[-2:]) for one in lines)


def plays(replies: tuple[str, ...]) -> Callable[..., Any]:
    """A model that says its lines in order, and the last one for ever."""
    asked = 0

    def model(messages: list[Message], tools: list[dict[str, Any]] | None = None) -> Reply:
        nonlocal asked
        asked += 1
        if asked > MANY:
            raise Endless
        return Reply(replies[min(asked, len(replies)) - 1], finish_reason="stop")

    return model


def counted(ran: list[str]) -> Registry:
    """Three tools that note each call of theirs; job_state gives another state each time."""
    tools, states = Registry(), states_of_a_job()

    @tools.register(name="get_weather", description="Weather in a city.")
    def weather(city: str) -> str:
        ran.append("get_weather")
        return get_weather(city)

    @tools.register(name="calculator", description="Work out an expression.")
    def work_out(expression: str) -> str:
        ran.append("calculator")
        return calculator(expression)

    @tools.register(description="How far a job is.")
    def job_state(job: str) -> str:
        ran.append("job_state")
        return next(states)

    return tools


def states_of_a_job() -> Iterator[str]:
    """10% done, then 20% done, and so on."""
    return (f"{percent}% done" for percent in range(10, 1000, 10))


EXERCISE = Exercise(
    name="repeat_detection",
    title="Repeat detection",
    difficulty=2,
    minutes=20,
    hints=(
        "The list `calls` holds what was asked and what came back. Look at its last two entries "
        "before the next call is made: is it the same a third time, with the same result twice?",
        "Tool, input and result must be equal: the name alone stops three honest questions, and "
        "without the result you stop a poll. Do it for every call, also of a tool that does not "
        "exist. And return None as the answer: 'I stopped' is no answer of the model.",
        "For near repeats compare {name: plain(value) for name, value in move.arguments.items()}, "
        "with plain from react_lab.stops. Then: if len(calls) > 1 and both of calls[-2:] have "
        'this tool, this input and one result, return None, "repeats".',
    ),
    check=check,
)
