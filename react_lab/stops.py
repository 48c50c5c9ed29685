"""Stops: the rules that end a run, and how they count repeats, failures and format faults.

>>> from react_lab.registry import Observation
>>> look = Step((), None, Action("", "find", {"q": "tea"}), Observation("nothing"))
>>> again = Step((), None, Action("", "find", {"q": " Tea."}), Observation("nothing"))
>>> repeats((look, again))
2
"""

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import partial
from typing import Any

from react_lab.models.reply import Reply
from react_lab.parser.fields import fields
from react_lab.parser.moves import Action, Malformed
from react_lab.ranking import words
from react_lab.registry.registry import Observation
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
    """Stop at the n-th unreadable reply in a row, or when two answers in a row were cut off."""

    n: int = 4

    def __call__(self, run: Run) -> str | None:
        if cut_answers(run.steps) >= 2:
            return "cut off"
        return "format faults" if format_faults(run.steps) >= self.n else None


# Two rules that an agent has only if you give them: `Agent(model, tools, stops=(SameTool(),))`.


@dataclass(frozen=True)
class SameTool:
    """Remind the model when it uses one tool round after round, whatever it asks.

    This is a common rule for hand-written agents. It also fires for three honest questions, such
    as the weather in three cities, so by default it only reminds.

    Args:
        remind: the round in a row from which the model is reminded.
        stop: the round in a row at which the run stops, None for never.
    """

    remind: int = 3
    stop: int | None = None

    def __post_init__(self) -> None:
        for name in ("remind", "stop"):
            value = getattr(self, name)
            if value is not None and value < 2:
                raise ValueError(f"{name} is {value}; give at least 2 rounds in a row: {name}=3.")

    def __call__(self, run: Run) -> str | None:
        return "same tool" if self.stop and same_tool(run.steps) >= self.stop else None


@dataclass(frozen=True)
class SkipRepeats:
    """Do not run the n-th identical call: the model reads that it was not run again.

    Identical means the same tool and input, and the same result each time before. Without this
    rule the lab runs the third such call, warns, and stops the run at the fourth. The rule never
    stops a run itself.
    """

    n: int = 3

    def __post_init__(self) -> None:
        if self.n < 2:
            raise ValueError(f"n is {self.n}; give at least 2, so that a call runs once: n=3.")

    def __call__(self, run: Run) -> str | None:
        return None

    def skips(self, move: Action, steps: tuple[Step, ...]) -> bool:
        """Return whether a call is the n-th identical one after these steps."""
        unrun = Step((), Reply(""), move, Observation("", error=NOT_REPEATED))
        return repeats((*steps, unrun)) >= self.n


# The rules that an agent has unless you say otherwise.
STOPS = (StepLimit(8), TimeLimit(300), RepeatLimit(4), FailureLimit(4), FormatLimit(4))
# The rules that can be switched off by name; each limit has its own argument.
BY_NAME: dict[str, StopRule] = {
    "repeats": RepeatLimit(4),
    "failures": FailureLimit(4),
    "format faults": FormatLimit(4),
}


def rules_of(
    max_steps: int | None,
    max_seconds: float | None,
    max_tokens: int | None,
    more: Iterable[StopRule] = (),
    without: Iterable[str] = (),
) -> tuple[StopRule, ...]:
    """Return the stop rules of an agent, in the order in which they are asked.

    Args:
        max_steps: rounds, None for no limit.
        max_seconds: seconds in the model and the tools, None for no limit.
        max_tokens: tokens sent and received in the whole run, None for no limit.
        more: rules that come after the built-in ones.
        without: names of built-in rules to leave out: keys of BY_NAME.

    Raises:
        ValueError: a limit that stops before the first step, or an unknown name.
    """
    if unknown := [name for name in without if name not in BY_NAME]:
        names = ", ".join(map(repr, BY_NAME))
        raise ValueError(f"There is no stop rule {unknown[0]!r}; without takes {names}.")
    rules: list[StopRule] = []
    if max_steps is not None:
        rules.append(StepLimit(max_steps))
    if max_seconds is not None:
        rules.append(TimeLimit(max_seconds))
    if max_tokens is not None:
        rules.append(TokenLimit(max_tokens))
    rules += [rule for name, rule in BY_NAME.items() if name not in without]
    rules += more
    for rule in rules:
        limit = getattr(rule, "n", getattr(rule, "seconds", 1))
        if limit <= 0:
            raise ValueError(f"{rule} stops before the first step; give a limit above 0.")
    return tuple(rules)


# Counting ---------------------------------------------------------------------------------

NOT_REPEATED = "not repeated"  # the error of a call that SkipRepeats did not run
NEAR = 0.8  # share of equal characters from which two inputs are nearly the same
LONGEST = 200  # characters of an argument that are compared with a result


@dataclass(frozen=True)
class Call:
    """What a call asked, and what was learnt from it.

    Attributes:
        tool: the name of the tool.
        arguments: without small differences, see `plain`.
        words: all words of the arguments, sorted.
        numbers: the numbers among these words.
        learnt: the result without the input that it echoes.
        text: the unchanged result.
    """

    tool: str
    arguments: dict[str, str]
    words: str
    numbers: list[str]
    learnt: str
    text: str

    def like(self, other: "Call") -> bool:
        """Return whether both calls ask the same. Omitted default arguments count as equal."""
        if self.tool != other.tool:
            return False
        mine, theirs = self.arguments.items(), other.arguments.items()
        return mine <= theirs if len(mine) <= len(theirs) else theirs <= mine

    def near(self, other: "Call") -> bool:
        """Return whether both calls ask nearly the same: almost the same words, in any order.

        Inputs with different numbers are never nearly the same.
        """
        if self.like(other):
            return True
        if self.tool != other.tool or self.arguments.keys() != other.arguments.keys():
            return False
        if self.numbers != other.numbers or not self.words:
            return False
        matcher = SequenceMatcher(None, self.words, other.words)
        bounds = matcher.real_quick_ratio, matcher.quick_ratio, matcher.ratio  # fastest first
        return all(bound() >= NEAR for bound in bounds)


def repeats(steps: tuple[Step, ...]) -> int:
    """Count how often the latest call gave this same result since the run last learnt anything.

    Two calls that take turns are counted as well. A poll is not: its result changes. A result
    that only echoes another spelling of the input counts as the same result.
    """
    return len(_alike(_history(steps), Call.like))


def near_repeats(steps: tuple[Step, ...]) -> int:
    """Count as `repeats` does, but also calls whose input is nearly the same (`Call.near`)."""
    return len(_alike(_history(steps), Call.near))


def same_tool(steps: tuple[Step, ...]) -> int:
    """Count the rounds at the end that called one and the same tool and no other."""
    count, tool = 0, None
    for past in reversed(steps):
        names = {move.tool for move, _ in past.moves if isinstance(move, Action)}
        tool = tool or names
        if len(names) != 1 or names != tool:
            break
        count += 1
    return count


def warning(
    steps: tuple[Step, ...], rules: Iterable[StopRule] = ()
) -> tuple[str, dict[str, Any]] | None:
    """Return the warning that belongs after the last step: a key of the messages, and its values.

    Args:
        steps: the steps so far; the last one has one call and its observation.
        rules: the agent's stop rules; a SameTool among them may remind.

    Returns:
        None if there is no reason for a warning.
    """
    move, seen = steps[-1].move, steps[-1].observation
    if not isinstance(move, Action) or (seen and seen.error == NOT_REPEATED):
        return None
    if (count := failures(steps)) >= 3:
        return "failures", {"tool": move.tool, "count": count}
    history = _history(steps)
    alike = _alike(history, Call.like)
    if len(alike) >= 3 and len({one.text for one in alike}) == 1:
        return "repeat", {"tool": move.tool}
    if (count := len(_alike(history, Call.near))) >= 3:
        return "near_repeat", {"tool": move.tool, "count": count}
    limits = [rule.remind for rule in rules if isinstance(rule, SameTool)]
    if limits and (count := same_tool(steps)) >= min(limits):
        return "same_tool", {"tool": move.tool, "count": count}
    return None


def failures(steps: tuple[Step, ...]) -> int:
    """Count the steps at the end that were errors of one and the same tool.

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
    """Count the steps at the end that could not be read at all."""
    count = 0
    for past in reversed(steps):
        if not all(isinstance(move, Malformed) for move, _ in past.moves):
            break
        count += 1
    return count


def cut_answers(steps: tuple[Step, ...]) -> int:
    """Count the steps at the end whose reply broke off within a final answer."""
    count = 0
    for past in reversed(steps):
        reply, seen = past.reply, past.observation
        labels = [part.kind for part in fields(reply.text)]
        # in native calls the words of a reply are its answer
        native = seen is not None and seen.error == "unusable" and not reply.tool_calls
        ended = "answer" in labels or (native and reply.text.strip())
        if reply.finish_reason != "length" or not isinstance(past.move, Malformed) or not ended:
            break
        count += 1
    return count


def plain(value: object) -> str:
    """Return an argument without case, spaces and closing marks, so that near copies are equal."""
    text = value if isinstance(value, str) else json.dumps(value, sort_keys=True, default=str)
    return "".join(text.casefold().split()).rstrip(".!?。！？")


def learnt(result: str, arguments: dict[str, object]) -> str:
    """Return what a result says beyond its input: every argument that it echoes is left out.

    >>> learnt("No passage found for 'Oslo trams'.", {"query": "Oslo trams"})
    "No passage found for ''."
    """
    texts = [str(one).strip() for one in arguments.values() if isinstance(one, str | int | float)]
    echoes = [*texts, *(repr(one)[1:-1] for one in texts if repr(one)[1:-1] != one)]
    for text in (one[:LONGEST] for one in echoes):
        for end in range(len(text), min(len(text), 20) - 1, -1):  # an echo may be cut short
            left = r"(?<![0-9A-Za-z])" if text[:1].isalnum() else ""
            right = r"(?![0-9A-Za-z])" if end == len(text) and text[-1:].isalnum() else ""
            pattern = left + re.escape(text[:end]) + right
            result, found = re.subn(pattern, "", result, flags=re.I) if end else (result, 1)
            if found:
                break
    return result


def _history(steps: tuple[Step, ...]) -> list[list[Call]]:
    """Return the calls of each step that have a result.

    A call that was not run again counts as one with the result that it had before.
    """
    history: list[list[Call]] = []
    for past in steps:
        history.append(calls := [])
        for call, error in past.once("calls", partial(_calls, past)):
            calls.append(_ran_before(call, history) if error == NOT_REPEATED else call)
    return history


def _ran_before(call: Call, history: list[list[Call]]) -> Call:
    """Return the latest call of the history that asked the same, or this one."""
    same = (one for calls in reversed(history) for one in reversed(calls) if one.like(call))
    return next(same, call)


def _calls(past: Step) -> list[tuple[Call, str | None]]:
    """Return the calls of a step that have a result, each with the error in its result."""
    calls = []
    for move, seen in past.moves:
        if isinstance(move, Action) and seen:
            given = move.arguments
            asked = {name: plain(value) for name, value in given.items()}
            every = " ".join(sorted({*words(" ".join(map(str, given.values())))}))
            numbers = re.findall(r"\d+", every)
            call = Call(move.tool, asked, every, numbers, learnt(seen.text, given), seen.text)
            calls.append((call, seen.error))
    return calls


def _alike(history: list[list[Call]], same: Callable[[Call, Call], bool]) -> list[Call]:
    """Return a call for each step at the end that asked and learnt the same as the last one.

    It ends at the step where the run last learnt something.
    """
    if not history or not history[-1]:
        return []
    latest, found = history[-1][-1], []
    for place in reversed(range(len(history))):
        alike = [one for one in history[place] if same(one, latest)]
        if any(one.learnt != latest.learnt for one in alike):
            break
        found += alike[:1]
        if any(_is_new(one, history[:place], same) for one in history[place]):
            break
    return found


def _is_new(call: Call, before: list[list[Call]], same: Callable[[Call, Call], bool]) -> bool:
    """Return whether no step before had this call with this result."""
    return not any(
        call.learnt == old.learnt and same(call, old) for calls in before for old in calls
    )


def _failed(past: Step) -> set[str]:
    """Return the tools that gave errors in this step and nothing else."""
    good: set[str] = set()
    bad: set[str] = set()
    for move, seen in past.moves:
        if isinstance(move, Action) and seen:
            name = "no such tool" if seen.error == "unknown tool" else move.tool
            (bad if seen.error and seen.error != NOT_REPEATED else good).add(name)
    return bad - good
