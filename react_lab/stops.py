"""Stops: the rules that end a run, and how they count repeats, failures and format faults.

>>> from react_lab.registry import Observation
>>> look = Step((), None, Action("", "find", {"q": "tea"}), Observation("nothing"))
>>> again = Step((), None, Action("", "find", {"q": " Tea."}), Observation("nothing"))
>>> repeats((look, again))
2
"""

import json
from collections.abc import Callable
from dataclasses import dataclass

from react_lab.parser.moves import Action, Malformed
from react_lab.trace import Run, Step

StopRule = Callable[[Run], str | None]


@dataclass(frozen=True)
class StepLimit:
    """Stop after n steps."""

    n: int = 8

    def __call__(self, run: Run) -> str | None:
        return "step limit" if len(run.steps) >= self.n else None


@dataclass(frozen=True)
class TokenLimit:
    """Stop when the whole run has used n tokens, sent and received."""

    n: int

    def __call__(self, run: Run) -> str | None:
        return "token limit" if run.tokens >= self.n else None


@dataclass(frozen=True)
class TimeLimit:
    """Stop when model and tools have taken this many seconds."""

    seconds: float

    def __call__(self, run: Run) -> str | None:
        return "time limit" if run.seconds >= self.seconds else None


@dataclass(frozen=True)
class RepeatLimit:
    """Stop at the n-th call with the same tool, input and result, and nothing new between."""

    n: int = 4

    def __call__(self, run: Run) -> str | None:
        return "repeats" if repeats(run.steps) >= self.n else None


@dataclass(frozen=True)
class FailureLimit:
    """Stop at the n-th error in a row of one tool, or of tools that do not exist."""

    n: int = 4

    def __call__(self, run: Run) -> str | None:
        return "failures" if failures(run.steps) >= self.n else None


@dataclass(frozen=True)
class FormatLimit:
    """Stop at the n-th unreadable reply in a row."""

    n: int = 4

    def __call__(self, run: Run) -> str | None:
        return "format faults" if format_faults(run.steps) >= self.n else None


STOPS = (StepLimit(8), TimeLimit(300), RepeatLimit(4), FailureLimit(4), FormatLimit(4))

# Counting ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Call:
    """What a call asked and told. arguments: without small differences, see `plain`."""

    tool: str
    arguments: dict[str, str]
    result: str

    def like(self, other: "Call") -> bool:
        """Whether both ask the same. A default that only one of them spells out is no change."""
        less, more = sorted((self.arguments.items(), other.arguments.items()), key=len)
        return self.tool == other.tool and less <= more


def repeats(steps: tuple[Step, ...]) -> int:
    """How often the latest call gave this same result since the run last learnt anything.

    Two calls that take turns are counted as well. A poll is not: its result changes.
    """
    calls = [_calls(past) for past in steps]
    if not calls or not calls[-1]:
        return 0
    latest, count = calls[-1][-1], 0
    for place in reversed(range(len(calls))):
        results = {one.result for one in calls[place] if one.like(latest)}
        if results - {latest.result}:
            break
        count += bool(results)
        if any(_is_new(one, calls[:place]) for one in calls[place]):
            break
    return count


def failures(steps: tuple[Step, ...]) -> int:
    """How many steps at the end were errors of one and the same tool.

    All tools that do not exist count as one.
    """
    count, tools = 0, None
    for past in reversed(steps):
        tools = _failed(past) if tools is None else tools & _failed(past)
        if not tools:
            break
        count += 1
    return count


def format_faults(steps: tuple[Step, ...]) -> int:
    """How many steps at the end could not be read at all."""
    count = 0
    for past in reversed(steps):
        if not all(isinstance(move, Malformed) for move, _ in past.moves):
            break
        count += 1
    return count


def plain(value: object) -> str:
    """An argument without case, spaces and closing marks, so that near copies are the same."""
    text = value if isinstance(value, str) else json.dumps(value, sort_keys=True, default=str)
    return "".join(text.casefold().split()).rstrip(".!?。！？")


def _calls(past: Step) -> list[Call]:
    """The calls of a step that have a result."""
    return [
        Call(move.tool, {name: plain(value) for name, value in move.arguments.items()}, seen.text)
        for move, seen in past.moves
        if isinstance(move, Action) and seen
    ]


def _is_new(call: Call, before: list[list[Call]]) -> bool:
    """Whether no step before had this call with this result."""
    return not any(
        call.like(old) and call.result == old.result for calls in before for old in calls
    )


def _failed(past: Step) -> set[str]:
    """The tools that gave errors in this step and nothing else."""
    good, bad = set(), set()
    for move, seen in past.moves:
        if isinstance(move, Action) and seen:
            name = "no such tool" if seen.error == "unknown tool" else move.tool
            (bad if seen.error else good).add(name)
    return bad - good
