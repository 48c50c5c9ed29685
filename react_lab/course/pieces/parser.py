"""Pieces of notebook 04: a parser in four steps."""

import json
import re
from collections.abc import Callable
from typing import Any

from react_lab.course.checking import Exercise, Wrong, ask, compared
from react_lab.parser import Action, FinalAnswer, Malformed, Move

NOTEBOOK = "04_parser"
TOOLS = {
    "calculator": ["expression"],
    "get_weather": ["city"],
    "send_mail": ["to", "text"],
    "list_rooms": [],
}


# 1 ------------------------------------------------------------------------------------------

ONE = 'Thought: I need the sum.\nAction: calculator\nAction Input: {"expression": "2+2"}'
LABEL = re.compile(r"^(Thought|Action Input|Action|Observation|Final Answer): *", re.MULTILINE)


def split_reply(text: str) -> list[tuple[str, str]]:
    """Return the (label, text) pairs of a reply, in order."""
    found = list(LABEL.finditer(text))
    ends = [one.start() for one in found[1:]] + [len(text)]
    return [(one[1], text[one.end() : end].strip()) for one, end in zip(found, ends)]


def check_split(work: Callable[..., Any]) -> None:
    """Labels at the start of a line, text over several lines, a label inside a sentence."""
    call = [
        ("Thought", "I need the sum."),
        ("Action", "calculator"),
        ("Action Input", '{"expression": "2+2"}'),
    ]
    compared(
        work,
        ((ONE,), call),
        ((ONE + "\n",), call),
        (
            ("Final Answer: Two rooms:\n- Hazel\n- Birch",),
            [("Final Answer", "Two rooms:\n- Hazel\n- Birch")],
        ),
        (
            ("Thought: no Final Answer: yet.\nAction: list_rooms",),
            [("Thought", "no Final Answer: yet."), ("Action", "list_rooms")],
        ),
        (("Just prose.",), []),
        (("Sure!\nThought: hm\n",), [("Thought", "hm")]),
    )


# 2 ------------------------------------------------------------------------------------------


def drop_invented(fields: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return the fields before the first Observation: the rest is the model's invention."""
    labels = [label for label, _ in fields]
    return fields[: labels.index("Observation")] if "Observation" in labels else fields


def check_drop(work: Callable[..., Any]) -> None:
    """Nothing to drop; an Observation and all after it; an Observation at the very start."""
    call = [("Thought", "sum"), ("Action", "calculator"), ("Action Input", '{"expression": "6*7"}')]
    invented = [("Observation", "41"), ("Thought", "I know it."), ("Final Answer", "41")]
    before = list(call)
    compared(
        work,
        ((call,), before),
        ((call + invented,), before),
        ((call + invented[:1] + call + invented,), before),
        ((invented,), []),
        (([],), []),
    )


# 3 ------------------------------------------------------------------------------------------


def read_input(raw: str, parameters: list[str]) -> dict[str, Any] | None:
    """Return the arguments in an Action Input, or None if they cannot be read."""
    raw = raw.strip().removeprefix("```json").strip("`").strip()
    if not raw:
        return None if parameters else {}
    if raw[0] not in "{[":
        return {parameters[0]: raw.strip('"')} if len(parameters) == 1 else None
    try:
        value, _ = json.JSONDecoder().raw_decode(raw)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def check_input(work: Callable[..., Any]) -> None:
    """JSON, JSON with text after it, braces in a string, fences, bare text, half an object."""
    one, two = ["city"], ["to", "text"]
    compared(
        work,
        (('{"city": "Oslo"}', one), {"city": "Oslo"}),
        (('{"city": "Oslo"} I will wait.', one), {"city": "Oslo"}),
        (('{"to": "ada", "text": "a } inside"}', two), {"to": "ada", "text": "a } inside"}),
        (
            ('{"to": "ada", "text": {"subject": "tea"}}', two),
            {"to": "ada", "text": {"subject": "tea"}},
        ),
        (('```json\n{"city": "Oslo"}\n```', one), {"city": "Oslo"}),
        (("Oslo", one), {"city": "Oslo"}),
        (('"Oslo"', one), {"city": "Oslo"}),
        (('{"city": "Os', one), None),
        (('["Oslo"]', one), None),
        (("ada, see you at ten", two), None),
        (("", []), {}),
        (("", one), None),
    )


# 4 ------------------------------------------------------------------------------------------


def choose_move(fields: list[tuple[str, str]], tools: dict[str, list[str]]) -> Move:
    """Return the one move in the fields of a reply; the last Action or Final Answer counts."""
    thought = next((text for label, text in fields if label == "Thought"), "")
    ends = [place for place, (label, _) in enumerate(fields) if label in ("Action", "Final Answer")]
    if not ends:
        return Malformed(thought, "there is no Action and no Final Answer")
    label, text = fields[ends[-1]]
    if label == "Final Answer":
        return (
            FinalAnswer(thought, text) if text else Malformed(thought, "the Final Answer is empty")
        )
    name = text.strip("`*\"'")
    following = fields[ends[-1] + 1 :]
    raw = following[0][1] if following and following[0][0] == "Action Input" else ""
    arguments = read_input(raw, tools.get(name, ["input"]))
    if arguments is None:
        return Malformed(thought, "Action Input is not valid JSON on one line")
    return Action(thought, name, arguments)


def check_choose(work: Callable[..., Any]) -> None:
    """A call, an answer, neither, an empty answer, a bad input, both in one reply."""
    call = [("Thought", "sum"), ("Action", "calculator"), ("Action Input", '{"expression": "6*7"}')]
    answer = [("Thought", "I know it."), ("Final Answer", "It is 42.")]
    summed = Action("sum", "calculator", {"expression": "6*7"})
    compared(
        work, ((call, TOOLS), summed), ((answer, TOOLS), FinalAnswer("I know it.", "It is 42."))
    )
    compared(
        work,
        (([("Action", "`list_rooms`")], TOOLS), Action("", "list_rooms", {})),
        ((answer + call, TOOLS), Action("I know it.", "calculator", {"expression": "6*7"})),
        ((call + answer, TOOLS), FinalAnswer("sum", "It is 42.")),
    )
    for fields, said in (
        ([("Thought", "hm")], "nothing to do: only a Thought"),
        ([], "nothing at all"),
        ([("Final Answer", "")], "an empty Final Answer"),
        ([*call[:2], ("Action Input", '{"expression": "6*')], "half a JSON object"),
        (call[:2], "an Action without its input"),
    ):
        yours = ask(f"choose_move for {said}", work, fields, TOOLS)
        if not isinstance(yours, Malformed) or not yours.reason:
            raise Wrong(f"choose_move for {said}: {fields}", repr(yours), "Malformed with a reason")


PIECES = (
    Exercise(
        "split_reply",
        "find the labels of a reply",
        2,
        8,
        (
            "A label counts only at the start of a line. In a pattern with re.MULTILINE, ^ is "
            "the start of every line.",
            'List the longer label first: in "Action|Action Input" the shorter one always wins, '
            "so write Action Input before Action. A field reaches from the end of its label to the "
            "start of the next label.",
            'list(re.finditer(r"^(Thought|Action Input|Action|Observation|Final Answer): *", text, '
            "re.M)) gives all labels. one[1] is the label; its text begins at one.end() and ends "
            "at the start() of the next one.",
        ),
        check_split,
        NOTEBOOK,
        split_reply,
    ),
    Exercise(
        "drop_invented",
        "cut where the model invents",
        1,
        3,
        (
            "An Observation comes from your program. If the model wrote one, everything from there "
            "on was written without the tool's result.",
            "Go through the fields in order and stop at the first one whose label is Observation.",
            "Collect the fields in a new list, and return it as soon as label == 'Observation'. "
            "After the loop return the list too: most replies invent nothing.",
        ),
        check_drop,
        NOTEBOOK,
        drop_invented,
    ),
    Exercise(
        "read_input",
        "read the arguments of a call",
        3,
        10,
        (
            "Do not count braces. The JSON decoder knows where an object ends: "
            "json.JSONDecoder().raw_decode(text) returns the value and the place where it stopped.",
            "First take off a code fence. Text that does not begin with { or [ is bare: it is the "
            "one argument of a tool with one parameter, and unreadable for any other tool.",
            "try: value, _ = json.JSONDecoder().raw_decode(raw) - except ValueError: return None. "
            "Return the value only if it is a dict: half an object must never run.",
        ),
        check_input,
        NOTEBOOK,
        read_input,
    ),
    Exercise(
        "choose_move",
        "choose the one move",
        3,
        10,
        (
            "Look at the labels Action and Final Answer only. Whichever comes last is what the "
            "model wants now.",
            "If neither is there, return Malformed with a reason that the model can act on. Do the "
            "same for an empty answer and for an input that read_input returns None for.",
            "The input of an Action is the next field, if its label is Action Input, else "
            'the empty text. arguments = read_input(raw, tools.get(name, ["input"])).',
        ),
        check_choose,
        NOTEBOOK,
        choose_move,
    ),
)
