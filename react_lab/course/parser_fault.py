"""Exercise 4: fix a fault of a parser, one of five."""

import json
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import Any

from react_lab.course.checking import Exercise, Wrong, ask
from react_lab.parser.cases import as_result
from react_lab.parser.moves import Action, FinalAnswer, Malformed, Move
from react_lab.parser.parse import parse

TOOLS = {
    "calculator": ["expression"],
    "get-weather": ["city"],
    "send_mail": ["to", "mail"],
    "list_rooms": [],
}


def parse_first(text: str, tools: dict[str, list[str]]) -> Move:
    """A parser as it is often written at first. It has five faults."""
    text = text.replace("**", "")
    if "Final Answer:" in text:
        return FinalAnswer("", text.split("Final Answer:")[-1].strip())
    name = re.search(r"^Action:\s*(\w+)", text, re.M)
    given = re.search(r"Action Input:\s*(\{.*?\})", text, re.S)
    if name is None:
        return FinalAnswer("", text.strip())
    try:
        return Action("", name[1], json.loads(given[1]) if given else {})
    except ValueError:
        return Malformed("", "Action Input is not valid JSON on one line")


@dataclass(frozen=True)
class Row:
    """What a model wrote, and how it must be read, as `cases.as_result` gives it."""

    text: str
    wanted: dict[str, Any]


def called(tool: str, **arguments: object) -> dict[str, Any]:
    """The wanted result of a call."""
    return {"type": "action", "name": tool, "args": arguments}


def final(answer: str) -> dict[str, Any]:
    """The wanted result of an answer."""
    return {"type": "final", "answer": answer}


SUM = 'Action: calculator\nAction Input: {"expression": "%s"}'
MAIL = 'Action: send_mail\nAction Input: {"to": "ada@example.org", "mail": %s}'
NESTED = {"subject": "Rooms", "more": {"seats": 8}}

# Each fault, what it does, and replies that show it.
FAULTS: dict[str, tuple[str, tuple[Row, ...]]] = {
    "emphasis": (
        "every ** is deleted, also that of a power",
        (
            Row("Thought: a power.\n" + SUM % "2**10", called("calculator", expression="2**10")),
            Row(SUM % "(3**2)+(4**2)", called("calculator", expression="(3**2)+(4**2)")),
        ),
    ),
    "forged": (
        "an answer after an Observation that the model invented is believed",
        (
            Row(
                SUM % "7*6" + "\nObservation: 41\nFinal Answer: 41",
                called("calculator", expression="7*6"),
            ),
            Row(
                "Action: list_rooms\nAction Input: {}\nObservation: Hazel\n"
                "Thought: one room.\nFinal Answer: Only Hazel.",
                called("list_rooms"),
            ),
        ),
    ),
    "braces": (
        "the input ends at the first closing brace",
        (
            Row(
                MAIL % json.dumps(NESTED),
                called("send_mail", to="ada@example.org", mail=NESTED),
            ),
            Row(
                MAIL % '"Use {name} here."',
                called("send_mail", to="ada@example.org", mail="Use {name} here."),
            ),
        ),
    ),
    "names": (
        "of a name with a hyphen only the first half is read",
        (
            Row(
                'Action: get-weather\nAction Input: {"city": "Faro"}',
                called("get-weather", city="Faro"),
            ),
            Row(
                'Thought: the sky.\nAction:  get-weather \nAction Input: {"city": "Bari"}',
                called("get-weather", city="Bari"),
            ),
        ),
    ),
    "prose": (
        "what cannot be read is returned as the answer",
        (
            Row("I think I should look at the rooms first.", {"type": "invalid"}),
            Row("Thought: Two rooms may do, but which?", {"type": "invalid"}),
        ),
    ),
}

# What parse_first reads right, and must be read right by every better parser.
KEPT = (
    Row("Thought: easy.\n" + SUM % "6*7", called("calculator", expression="6*7")),
    Row("Action: list_rooms\nAction Input: {}", called("list_rooms")),
    Row(
        '**Thought:** a sum.\n**Action:** calculator\n**Action Input:** {"expression": "1+1"}',
        called("calculator", expression="1+1"),
    ),
    Row(SUM % "9-4" + "\n(That is {minus}.)", called("calculator", expression="9-4")),
    Row("Thought: I know it.\nFinal Answer: It is 42.", final("It is 42.")),
    Row(
        "Thought: The Observation: 31 rows exist, says it.\nFinal Answer: 31 rows.",
        final("31 rows."),
    ),
)


def check(work: Callable[..., Any]) -> str:
    """Raises Wrong unless a fault is fixed and nothing else is lost. Returns which are fixed."""
    with uses_of(parse) as uses:
        fixed, missing = tried(work)
    if uses:
        wanted = "a parser of your own: copy the lines of parse_first, or call parse_first"
        raise Wrong("what your parser calls", "the parse of the lab", wanted)
    if not fixed:
        raise nearest(work, missing)
    others = f" Still there: {', '.join(missing)}." if missing else ""
    return f"  Fixed: {', '.join(fixed)}.{others}"


def tried(work: Callable[..., Any]) -> tuple[list[str], dict[str, Wrong]]:
    """The faults that a parser no longer has, and what is wrong with the others.

    Raises Wrong if it misreads a reply that parse_first reads right.
    """
    for row in KEPT:
        read(work, row, "a reply that parse_first reads right")
    fixed, missing = [], {}
    for name, (does, rows) in FAULTS.items():
        try:
            for row in rows:
                read(work, row, f"the fault {name!r}: {does}")
            fixed.append(name)
        except Wrong as wrong:
            missing[name] = wrong
    return fixed, missing


@contextmanager
def uses_of(function: Callable[..., Any]) -> Iterator[list[int]]:
    """A list that gets an entry for each call of a function, whoever makes it."""
    uses, before = [], sys.getprofile()

    def look(frame: FrameType, event: str, value: object) -> None:
        if event == "call" and frame.f_code is function.__code__:
            uses.append(1)

    sys.setprofile(look)
    try:
        yield uses
    finally:
        sys.setprofile(before)


def nearest(work: Callable[..., Any], missing: dict[str, Wrong]) -> Wrong:
    """Of the faults that are not fixed, the one in which most differs from parse_first."""

    def changed(name: str) -> int:
        first = [as_result(parse_first(row.text, TOOLS)) for row in FAULTS[name][1]]
        yours = [result(work, row) for row in FAULTS[name][1]]
        return sum(mine != old for mine, old in zip(yours, first))

    return missing[max(missing, key=changed)]


def read(work: Callable[..., Any], row: Row, about: str) -> None:
    """Raises Wrong unless a reply is read as it must be."""
    told = f"{about}\n{row.text}"
    move = ask(told, work, row.text, TOOLS)
    if not isinstance(move, Action | FinalAnswer | Malformed):
        raise Wrong(told, repr(move), "an Action, a FinalAnswer or a Malformed")
    if as_result(move) != row.wanted:
        raise Wrong(told, as_result(move), row.wanted)


def result(work: Callable[..., Any], row: Row) -> object:
    """How a reply is read, or the name of what was raised."""
    try:
        return as_result(work(row.text, TOOLS))
    except Exception as fault:
        return type(fault).__name__


EXERCISE = Exercise(
    name="parser_fault",
    title="A parser fault of your choice",
    difficulty=3,
    minutes=25,
    hints=(
        "Take one fault only. Copy the lines of parse_first, or do something before or after a "
        "call of it. `names` and `prose` are the shortest; `forged` is the most important.",
        "forged: cut the text at the first line that begins with Observation: before anything "
        "else. braces: json.JSONDecoder().raw_decode reads one object and stops after it. "
        "emphasis: delete ** around a label only. names: allow hyphens. prose: return "
        "Malformed with a reason.",
        'forged: text = re.split(r"^Observation:", text, flags=re.M)[0]. '
        'emphasis: re.sub(r"\\*\\*([A-Z][A-Za-z ]*:)\\*\\*", r"\\1", text). '
        'names: r"^Action:\\s*([\\w-]+)". '
        'prose: return Malformed("", "there is no Action and no Final Answer"). '
        'braces: start = text.index("{", text.index("Action Input:")), then '
        "json.JSONDecoder().raw_decode(text, start)[0].",
    ),
    check=check,
)
