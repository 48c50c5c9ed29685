"""Questions: 60 and 300 to develop on, 60 to be judged by, and what counts as solved.

>>> row = load("dev")[0]
>>> solved(row, Outcome(False, None, [], []))
False

README.md beside this file says what a row holds. The test set is only counted: nobody reads
its failures, or the training would be bent towards it.
"""

import functools
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

from training.questions import toolbox_300, toolbox_dev, toolbox_sealed

#: The clock of every question: get_current_time answers for this moment.
NOW = datetime(2026, 5, 19, 8, 40, tzinfo=UTC)

#: The tools that the training never sees, by set: functions with an example of their arguments.
UNSEEN = {
    "dev": toolbox_dev.TOOLS,
    "dev300": toolbox_300.TOOLS,
    "test": toolbox_sealed.TOOLS,
}


@dataclass(frozen=True)
class Outcome:
    """What is judged of a run: finished, its answer, and the tools called with what they gave."""

    finished: bool
    answer: str | None
    observations: list[str]
    tools: list[str]


def load(part: str) -> list[dict]:
    """The questions of "dev", "dev300" or "test", as the dictionaries that README.md describes."""
    text = (Path(__file__).parent / f"{part}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def tools_for(row: dict, now: datetime = NOW):
    """A fresh `Registry` with the tools that a question offers, in its order.

    In a row marked "flaky" the first call of every tool fails with a TimeoutError, and the
    program does not try again by itself: the model has to.
    """
    from react_lab.registry import Registry
    from react_lab.toolkit import lab_tools

    registry = Registry(tuple(lab_tools(now)))
    for toolbox in UNSEEN.values():
        for function, example in toolbox.items():
            if function.__name__ in row["tools"]:
                registry.register(function, example=example)
    offered = registry.subset(row["tools"])
    if row.get("flaky"):
        broken = (replace(tool, function=_fail_once(tool.function)) for tool in offered)
        return Registry(tuple(broken), retries=0)
    return offered


def outcome(run) -> Outcome:
    """The `Outcome` of a `react_lab.trace.Run`. Only what tools said counts as observed."""
    moves = [pair for step in run.steps for pair in step.moves]
    acts = [(move, seen) for move, seen in moves if hasattr(move, "tool")]
    observed = [seen.text for _, seen in acts if seen]
    return Outcome(run.finished, run.answer, observed, [move.tool for move, _ in acts])


def solved(row: dict, run: Outcome) -> bool:
    """Whether a run answers the question, from what it observed.

    run: an Outcome, or anything with its four fields. README.md gives the rules.
    """
    if not run.finished or not (run.answer or "").strip():
        return False
    if row["kind"] == "no tool":
        return not run.tools
    seen = "\n".join([row["question"], *run.observations])
    return bool(
        run.observations
        and all(_any_said(run.answer, right) and _any_said(seen, right) for right in row["right"])
        and not any(says(run.answer, rival) for rival in row["rival"])
        and all(_stands(value, seen) for value in values(run.answer))
        and (row["right"] or HONEST.search(_plain(run.answer)))
        and ("pick" not in row or _picks(run.answer, seen, **row["pick"]))
        and ("pairs" not in row or _in_pairs(run.answer, row["pairs"]))
    )


def call_figures(row: dict, made: Iterable[tuple[str, dict]]) -> tuple[bool, bool]:
    """(right tools, right arguments) of the (tool, arguments) pairs that a run called.

    Right tools: the expected ones, as often as expected, in any order, and no others.
    Right arguments: every expected call was made, by what it gives: the same text, or every
    value listed under "gives" (a search finds one passage with many queries).
    """
    made, names = list(made), [call["tool"] for call in row["calls"]]
    tools = tools_for({**row, "flaky": False})
    found = [(tool, tools.call(tool, arguments).text) for tool, arguments in made]

    def was_made(call: dict) -> bool:
        texts = [text for tool, text in found if tool == call["tool"]]
        if "gives" in call:
            return any(all(says(text, value) for value in call["gives"]) for text in texts)
        return tools.call(call["tool"], call["arguments"]).text in texts

    return sorted(names) == sorted(t for t, _ in made), all(map(was_made, row["calls"]))


def entities(part: str) -> set[str]:
    """What the training must not use, in lower case: unseen tools, cities and other names.

    These are the first arguments given to tools and the capital words within sentences.
    """
    rows = load(part)
    free_text = ("calculator", "search_docs", "allotment_bylaws", "hut_leaflet")
    calls = [c for row in rows for c in row["calls"] if c["tool"] not in free_text]
    names = {str(next(iter(call["arguments"].values()))) for call in calls}
    for row in rows:
        capitals = re.findall(r"(?<=[a-z0-9,] )[A-Z][a-z]+", row["question"])
        names |= set(capitals) - _COMMON - set(re.findall(r"\w+", " ".join(names)))
    unseen = {function.__name__ for function in UNSEEN[part]}
    return {name.lower() for name in names if not name.isdigit()} | unseen


def shape(question: str, names: Iterable[str] = ()) -> str:
    """A question as its template: numbers become #, the given names become @, in lower case."""
    text = " ".join(_plain(question).lower().split())
    for name in sorted(names, key=len, reverse=True):
        text = re.sub(rf"(?<!\w){re.escape(name.lower())}(?!\w)", "@", text)
    return _VALUE.sub("#", text)


def values(text: str) -> list[Decimal | str]:
    """The numbers and the times of day in a text, in order.

    "8,760" and "8760.0" are one value, "14:05" is a time, signs are kept and units are not.
    A digit behind a letter ("K4") belongs to a name and is no number.
    """
    return [_value(match.group()) for match in _VALUE.finditer(_plain(text))]


def says(text: str, wanted: str) -> bool:
    """Whether a text holds a value: as a number or time if it is one, else as whole words."""
    whole = _VALUE.fullmatch(_plain(wanted))
    if whole:
        return any(_is(known, _value(whole.group())) for known in values(text))
    pattern = rf"(?<!\w){re.escape(_plain(wanted).lower())}(?!\w)"
    return bool(re.search(pattern, " ".join(_plain(text).lower().split())))


#: An answer that says openly that there is no answer.
HONEST = re.compile(
    r"\b(no|any) (such |matching |relevant |further )?"
    r"(passages?|information|data|answer|entry|result|match|mention|record|weather|city|\w+ found)"
    r"|(\bnot|n't|\bnever) (be )?(find|found|know|available|sa(y|id)|state|mention|given|listed"
    r"|contain|defined|possible|have|exist|cover|answer|allowed|tell|told|there|in (the|my|its)\b)"
    r"|\b(has|have|is|are|gives|finds|found|know|knows|contains) no(thing|ne)?\b"
    r"|\bno [\w ]+ (called|named)\b"
    r"|\b(could not|couldn't|cannot|can not|can't|unable|unknown|unavailable|undefined|impossible"
    r"|nothing|failed|missing)\b",
    re.IGNORECASE,
)

_COMMON = {
    *("Monday", "Friday", "Saturday", "Saturdays", "Sunday", "Room", "Fahrenheit"),
    *("Summer", "Olympic", "Olympics", "Games", "Unix"),
}

_VALUE = re.compile(
    r"(?<![\w.])(?<!\d:)\d{1,2}:\d{2}(?::\d{2})?(?![\d:])"  # a time of day
    r"|(?<![\w.])(?:(?<![\d)])-)?(?:\d{1,3}(?:,\d{3})+(?![\d,]*\d)|\d+)(?:\.\d+)?"
)


def _plain(text: str) -> str:
    """One kind of minus and apostrophe; "minus 3" as -3; no odd spaces within numbers."""
    text = text.replace("−", "-").replace("’", "'")
    text = re.sub(r"(?<=\d)[\u00a0\u202f\u2009](?=\d{3}\b)", "", text)
    return re.sub(r"\b(?:minus|negative) (?=\d)", "-", text, flags=re.IGNORECASE)


def _value(text: str) -> Decimal | str:
    """One matched value: a time as "9:05", anything else as a Decimal."""
    if ":" in text:
        return text.removeprefix("0")
    return Decimal(text.replace(",", ""))


def _is(known: Decimal | str, value: Decimal | str) -> bool:
    """Whether two values are one: 14:05:33 is also 14:05."""
    if isinstance(known, str) and isinstance(value, str):
        return known == value or known.startswith(value + ":")
    return known == value


def _any_said(text: str, right: str | list[str]) -> bool:
    """Whether a text holds the right value, or one of its alternatives."""
    return any(says(text, value) for value in ([right] if isinstance(right, str) else right))


def _stands(value: Decimal | str, seen: str) -> bool:
    """Whether an answer's value was seen: as it is, as a time without its seconds, or rounded."""
    known = values(seen)
    if isinstance(value, str):
        return any(_is(k, value) for k in known)
    places = -value.as_tuple().exponent  # two or more digits behind the point may be rounded
    numbers = [k for k in known if isinstance(k, Decimal)]
    return value in numbers or (
        places >= 2 and any(abs(k - value) * 2 <= Decimal(10) ** -places for k in numbers)
    )


def _picks(answer: str, seen: str, words: list[str], this: str, others: list[str], of=()) -> bool:
    """Whether a comparison names the right one first, where it speaks of the comparison.

    words: such as "warmer". of: the values compared, all of which must have been seen.
    """
    clauses = re.split(r"[.;,!]\s|\bso\b|\bbecause\b", _plain(answer).lower())
    said = [c for c in clauses if any(says(c, w) for w in words) and _first(c, [this, *others])]
    first = _first(said[0] if said else _plain(answer).lower(), [this, *others])
    return first == this and all(says(seen, value) for value in of)


def _first(text: str, names: list[str]) -> str | None:
    """The name that a text mentions first."""
    places = {n: text.find(n.lower()) for n in names if n.lower() in text}
    return min(places, key=places.get) if places else None


def _in_pairs(answer: str, pairs: list[list[str]]) -> bool:
    """Whether the values come in the order of their names, so that none is swapped."""
    text = _plain(answer).lower()
    names = sorted(pairs, key=lambda pair: text.find(pair[0].lower()))
    if not all(pair[0].lower() in text for pair in pairs):
        return True  # told without names: nothing to be swapped
    places = [_place(text, value) for _, value in names]
    return places == sorted(places)


def _place(text: str, wanted: str) -> int:
    """Where a text says a value first, or -1."""
    if not _VALUE.fullmatch(_plain(wanted)):
        return text.find(_plain(wanted).lower())
    [value] = values(wanted)
    found = (m.start() for m in _VALUE.finditer(text) if _is(_value(m.group()), value))
    return next(found, -1)


def _fail_once(function):
    """The function with a first call that fails."""
    calls = []

    @functools.wraps(function)
    def flaky(*args, **kwargs):
        calls.append(1)
        if len(calls) == 1:
            raise TimeoutError("the service did not answer in time")
        return function(*args, **kwargs)

    return flaky
