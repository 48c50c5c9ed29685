"""Pieces of notebook 06: a tool for the API, the moves in a reply, the messages of one round."""

import json
from collections.abc import Callable
from typing import Any

from react_lab.course.checking import Exercise, Wrong, ask
from react_lab.models.reply import Reply
from react_lab.parser import Action, FinalAnswer, Malformed, Move
from react_lab.registry import Registry, Tool

NOTEBOOK = "06_function_calling"

# What the checks use ------------------------------------------------------------------------


def water(plant: str, litres: float = 1.0) -> str:
    """Water a plant. Use it when the soil is dry."""
    return f"{plant}: {litres} litres"


def garden() -> Registry:
    """A registry with one tool."""
    tools = Registry()
    tools.register(water, example={"plant": "fern", "litres": 0.5})
    return tools


ENTRY = {
    "type": "function",
    "function": {
        "name": "water",
        "description": "Water a plant. Use it when the soil is dry.",
        "parameters": {
            "type": "object",
            "properties": {
                "plant": {"type": "string"},
                "litres": {"type": "number", "default": 1.0},
            },
            "required": ["plant"],
        },
    },
}


def asks(*calls: tuple[str, str], text: str = "", finish: str = "tool_calls") -> Reply:
    """A reply with calls: pairs of a name and its arguments as text. The ids are c0, c1, ..."""
    made = tuple(
        {"id": f"c{n}", "type": "function", "function": {"name": name, "arguments": given}}
        for n, (name, given) in enumerate(calls)
    )
    return Reply(text, made, finish_reason=finish)


# 1 ------------------------------------------------------------------------------------------


def tool_entry(tool: Tool) -> dict[str, Any]:
    """Return a tool as an entry of the list `tools` in a request."""
    function = {
        "name": tool.name,
        "description": tool.description,
        "parameters": tool.parameters,
    }
    return {"type": "function", "function": function}


def check_entry(work: Callable[..., Any]) -> None:
    """Both levels of the entry, with the names that the API has for them."""
    yours = ask("tool_entry(tools['water'])", work, garden()["water"])
    if isinstance(yours, dict) and set(yours) == set(ENTRY["function"]):
        told = "the same in two levels: type and function outside, name and the rest inside"
        raise Wrong("tool_entry(tools['water'])", repr(yours), told)
    if yours != ENTRY:
        raise Wrong("tool_entry(tools['water'])", repr(yours), repr(ENTRY))


# 2 ------------------------------------------------------------------------------------------


def read_moves(reply: Reply) -> list[Move]:
    """Return the moves in a reply: one for each call, or the one in its words."""
    moves: list[Move] = []
    for call in reply.tool_calls:
        name = call["function"]["name"]
        try:
            arguments = json.loads(call["function"]["arguments"])
        except ValueError:
            arguments = None
        if isinstance(arguments, dict):
            moves.append(Action("", name, arguments))
        else:
            moves.append(Malformed("", f"the arguments of {name} are not a JSON object"))
    if moves:
        return moves
    if reply.finish_reason == "length":
        return [Malformed("", "it was cut off at the token limit")]
    if reply.finish_reason == "tool_calls":
        return [Malformed("", "a call was announced, but there is none")]
    if not reply.text.strip():
        return [Malformed("", "the reply is empty")]
    return [FinalAnswer("", reply.text)]


OSLO = '{"city": "Oslo"}'
# What came, and the moves in it: the tool with its arguments, "answer", or "unreadable".
REPLIES: tuple[tuple[str, Reply, tuple[object, ...]], ...] = (
    ("one call", asks(("weather", OSLO)), (("weather", {"city": "Oslo"}),)),
    (
        "two calls",
        asks(("weather", OSLO), ("clock", OSLO)),
        (("weather", {"city": "Oslo"}), ("clock", {"city": "Oslo"})),
    ),
    (
        "a call with words beside it",
        asks(("list_rooms", "{}"), text="I look."),
        (("list_rooms", {}),),
    ),
    ("a call whose JSON is cut off", asks(("weather", '{"city": "Os')), ("unreadable",)),
    ("a call whose arguments are a list", asks(("weather", '["Oslo"]')), ("unreadable",)),
    (
        "a good call, and one that is cut off",
        asks(("weather", OSLO), ("clock", '{"ci')),
        (("weather", {"city": "Oslo"}), "unreadable"),
    ),
    ("words", Reply("It is 16 °C.", finish_reason="stop"), ("answer",)),
    ("nothing", Reply("", finish_reason="stop"), ("unreadable",)),
    ("only spaces", Reply(" \n", finish_reason="stop"), ("unreadable",)),
    ("words that were cut off", Reply("It is 16 °C, and", finish_reason="length"), ("unreadable",)),
    (
        "words that announce a call, without one",
        Reply("Let me look.", finish_reason="tool_calls"),
        ("unreadable",),
    ),
)


def _kind(move: object) -> object:
    """A move in the form of REPLIES."""
    if isinstance(move, Action):
        return move.tool, move.arguments
    if isinstance(move, FinalAnswer):
        return "answer"
    return "unreadable" if isinstance(move, Malformed) else repr(move)


def check_moves(work: Callable[..., Any]) -> None:
    """Every reply of the table; an answer keeps its words, a refusal gives a reason."""
    for what, reply, wanted in REPLIES:
        yours = ask(f"read_moves({what})", work, reply)
        if not isinstance(yours, list | tuple):
            raise Wrong(f"read_moves({what})", repr(yours), "a list of moves")
        kinds = tuple(map(_kind, yours))
        if kinds != wanted:
            raise Wrong(f"read_moves({what})", _said(kinds), _said(wanted))
        for move in yours:
            if isinstance(move, FinalAnswer) and move.answer.strip() != reply.text.strip():
                raise Wrong(f"the answer in {what}", repr(move.answer), repr(reply.text))
            if isinstance(move, Malformed) and not move.reason.strip():
                raise Wrong(f"the reason for {what}", repr(move.reason), "what was wrong")


def _said(kinds: tuple[object, ...]) -> str:
    return "; ".join(k if isinstance(k, str) else f"{k[0]} {k[1]}" for k in kinds) or "no move"  # type: ignore[index]


# 3 ------------------------------------------------------------------------------------------


def round_messages(reply: Reply, results: list[str]) -> list[dict[str, Any]]:
    """Return what a round adds to the messages: the reply, then one result for each call."""
    calls = [call | {"id": call["id"] or f"call{n}"} for n, call in enumerate(reply.tool_calls)]
    said: dict[str, Any] = {"role": "assistant", "content": reply.text or None}
    if calls:
        said["tool_calls"] = calls
    answers = [
        {"role": "tool", "tool_call_id": call["id"], "content": text}
        for call, text in zip(calls, results, strict=True)
    ]
    return [said, *answers]


def check_round(work: Callable[..., Any]) -> None:
    """One call, two calls in order, calls without ids, words beside a call."""
    one = asks(("weather", OSLO))
    two = asks(("weather", OSLO), ("clock", OSLO), text="I look at both.")
    without = Reply("", tuple(call | {"id": ""} for call in two.tool_calls))
    for what, reply, results in (
        ("one call", one, ["16 °C"]),
        ("two calls", two, ["16 °C", "14:00"]),
        ("two calls without ids", without, ["16 °C", "14:00"]),
    ):
        yours = ask(f"round_messages({what})", work, reply, list(results))
        _look(f"round_messages({what})", yours, reply, results)


def _look(what: str, yours: Any, reply: Reply, results: list[str]) -> None:
    """Raise Wrong for messages that an endpoint would refuse, or that pair what is not a pair."""
    if not isinstance(yours, list) or not all(isinstance(one, dict) for one in yours):
        raise Wrong(what, repr(yours), "a list of messages")
    roles, wanted = [one.get("role") for one in yours], ["assistant", *["tool"] * len(results)]
    if roles != wanted:
        raise Wrong(f"the roles in {what}", repr(roles), repr(wanted))
    said, *answers = yours
    if (said.get("content") or "") != reply.text:
        raise Wrong(f"the content of the reply in {what}", repr(said.get("content")), reply.text)
    calls = said.get("tool_calls") or []
    functions = [call.get("function") for call in calls]
    if functions != [call["function"] for call in reply.tool_calls]:
        raise Wrong(f"the calls in {what}", repr(functions), "the calls of the reply, in order")
    ids = [call.get("id") for call in calls]
    if not all(ids) or len(set(ids)) < len(ids):
        raise Wrong(f"the ids of the calls in {what}", repr(ids), "an id for each, all different")
    if [one.get("tool_call_id") for one in answers] != ids:
        told = [one.get("tool_call_id") for one in answers]
        raise Wrong(f"the ids of the results in {what}", repr(told), repr(ids))
    if [one.get("content") for one in answers] != results:
        raise Wrong(f"the results in {what}", [one.get("content") for one in answers], results)
    given = [call["id"] for call in reply.tool_calls]
    if all(given) and ids != given:
        raise Wrong(f"the ids of the calls in {what}", repr(ids), f"those of the reply: {given}")


PIECES = (
    Exercise(
        "tool_entry",
        "describe a tool to the API",
        1,
        4,
        (
            'The entry has two levels. Outside are "type" and "function".',
            'Inside "function" are "name", "description" and "parameters". A tool has an attribute '
            "for each of them.",
            '{"type": "function", "function": {"name": tool.name, ...}}',
        ),
        check_entry,
        NOTEBOOK,
        tool_entry,
    ),
    Exercise(
        "read_moves",
        "read the moves in a native reply",
        3,
        10,
        (
            "Go through reply.tool_calls first. Only a reply without calls is read by its words.",
            "json.loads raises a ValueError for half an object. It also reads lists and numbers, "
            "so look at the type of what it returns.",
            'Without calls: finish_reason "length" was cut off, "tool_calls" lost its call, and a '
            "text of nothing but spaces is empty. Everything else is FinalAnswer(thought, text).",
        ),
        check_moves,
        NOTEBOOK,
        read_moves,
    ),
    Exercise(
        "round_messages",
        "pair each result with its call",
        2,
        8,
        (
            "The first message is the model's own reply, with its calls in it. After it comes one "
            'message in the role "tool" for each call, in the same order.',
            'A result names its call by "tool_call_id". Some servers send calls without an id: '
            "make one, such as call0, and write it into the call too.",
            'calls = [call | {"id": call["id"] or f"call{n}"} for n, call in '
            "enumerate(reply.tool_calls)]; then zip(calls, results).",
        ),
        check_round,
        NOTEBOOK,
        round_messages,
    ),
)
