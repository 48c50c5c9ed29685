"""Pieces of notebook 02: a function becomes a tool, and a call cannot end the program."""

import inspect
from collections.abc import Callable
from typing import Any

from react_lab.course.checking import Exercise, Wrong, ask

NOTEBOOK = "02_tool_registry"
TYPES = {str: "string", int: "integer", float: "number", bool: "boolean"}

# What the checks call -----------------------------------------------------------------------


def fee(item: str, days: int = 1) -> str:
    """Work out the fee for an item that comes back late."""
    if item == "sofa":
        raise KeyError(item)
    return f"{item}, {days} days late: {30 * days} cents"


def weigh(grams: float, gift: bool) -> str:
    """Weigh a parcel. Use it when someone asks about postage."""
    return f"{grams} g{', as a gift' if gift else ''}"


def broken() -> str:
    """Fail, whatever happens."""
    return str(1 + "one")  # type: ignore[operator]


SHELF = {"fee": fee, "weigh": weigh, "broken": broken}

# 1 ------------------------------------------------------------------------------------------


def schema_of(function: Callable[..., Any]) -> dict[str, Any]:
    """Return the JSON Schema of a function's parameters."""
    properties, required = {}, []
    for name, parameter in inspect.signature(function).parameters.items():
        properties[name] = {"type": TYPES[parameter.annotation]}
        if parameter.default is inspect.Parameter.empty:
            required.append(name)
        else:
            properties[name]["default"] = parameter.default
    return {"type": "object", "properties": properties, "required": required}


def check_schema(work: Callable[..., Any]) -> None:
    """Types, a default, what is required, no parameter at all, text as the name of a type."""
    item, days = {"type": "string"}, {"type": "integer", "default": 1}
    grams, gift = {"type": "number"}, {"type": "boolean"}
    for function, properties, required in (
        (fee, {"item": item, "days": days}, ["item"]),
        (weigh, {"grams": grams, "gift": gift}, ["grams", "gift"]),
        (broken, {}, []),
    ):
        yours = ask(f"schema_of({function.__name__})", work, function)
        wanted = {"type": "object", "properties": properties, "required": required}
        if yours != wanted:
            raise Wrong(f"schema_of({function.__name__})", repr(yours), repr(wanted))


# 2 ------------------------------------------------------------------------------------------


def call_tool(tools: dict[str, Callable[..., Any]], name: str, arguments: dict[str, Any]) -> str:
    """Run a tool and return what came of it as text; never raise for the model's mistakes."""
    if name not in tools:
        return f"There is no tool named {name}. Use one of: {', '.join(tools)}."
    try:
        inspect.signature(tools[name]).bind(**arguments)
    except TypeError as fault:
        takes = ", ".join(inspect.signature(tools[name]).parameters)
        return f"Wrong input: {fault}. {name} takes: {takes}."
    try:
        return str(tools[name](**arguments))
    except Exception as fault:
        return f"Error: {type(fault).__name__}: {fault}"


def check_call(work: Callable[..., Any]) -> None:
    """A good call; an unknown tool, a missing and an unknown argument, two tools that raise."""
    good = ask("a call that is right", work, SHELF, "fee", {"item": "book", "days": 2})
    if good != "book, 2 days late: 60 cents":
        raise Wrong(
            "call_tool(tools, 'fee', {'item': 'book', 'days': 2})", repr(good), repr(fee("book", 2))
        )
    runs: list[int] = []

    def lend(title: str) -> str:
        runs.append(1)
        return str("Lent: " + len(runs))  # type: ignore[operator]  # a bug of the tool's own

    rows: tuple[tuple[dict[str, Any], str, dict[str, Any], tuple[str, ...], str], ...] = (
        (SHELF, "fees", {}, ("fee", "weigh", "broken"), "the names of all tools"),
        (SHELF, "fee", {"days": 2}, ("item",), "the name of the missing argument"),
        (
            SHELF,
            "fee",
            {"item": "book", "thing": 1},
            ("thing",),
            "the name of the unknown argument",
        ),
        (SHELF, "fee", {"item": "sofa"}, ("KeyError", "sofa"), "the kind of error and its text"),
        (SHELF, "broken", {}, ("TypeError",), "the kind of error"),
        ({"lend": lend}, "lend", {"title": "Winter Bees"}, ("TypeError",), "the kind of error"),
    )
    for tools, name, arguments, words, said in rows:
        call = f"call_tool(tools, {name!r}, {arguments})"
        yours = ask(call, work, tools, name, arguments)
        if not isinstance(yours, str) or not all(word in yours for word in words):
            raise Wrong(call, repr(yours), f"a text with {said}: {', '.join(words)}")
    if len(runs) != 1:
        raise Wrong("how often a tool with a bug of its own was run", len(runs), 1)


# 3 ------------------------------------------------------------------------------------------


def cut(text: str, limit: int) -> str:
    """Return a text of at most `limit` characters, with a last line that says what is missing."""
    missing = len(text) - limit
    if missing <= 0:
        return text
    return f"{text[:limit]}\n[{missing} more characters. Ask for less to see them.]"


def check_cut(work: Callable[..., Any]) -> None:
    """Shorter, exactly as long, longer; the beginning is kept and the notice has the number."""
    for text in ("short", "x" * 20):
        yours = ask(f"cut({text!r}, 20)", work, text, 20)
        if yours != text:
            raise Wrong(f"cut({text!r}, 20)", repr(yours), repr(text))
    text = "abcdefghij" * 10
    yours = ask("cut of 100 characters to 30", work, text, 30)
    if not isinstance(yours, str) or not yours.startswith(text[:30]):
        raise Wrong("the beginning of 100 characters cut to 30", repr(yours), f"{text[:30]!r} ...")
    rest = yours[30:]
    if text[30:40] in rest:
        raise Wrong("the text after the first 30 characters", repr(rest), "a notice, not the text")
    if "70" not in rest:
        raise Wrong("the notice", repr(rest), "how much is missing: 70")


PIECES = (
    Exercise(
        "schema_of",
        "read the parameters from the signature",
        2,
        8,
        (
            "inspect.signature(function).parameters is a dictionary: the name of each parameter, "
            "and an object with its annotation and its default.",
            "A parameter without a default is required: parameter.default is then "
            'inspect.Parameter.empty. One with a default gets an entry "default".',
            'For each: properties[name] = {"type": TYPES[parameter.annotation]}; then either '
            'required.append(name) or properties[name]["default"] = parameter.default.',
        ),
        check_schema,
        NOTEBOOK,
        schema_of,
    ),
    Exercise(
        "call_tool",
        "run a call without ending the program",
        3,
        10,
        (
            "Three things can be wrong: the name, the arguments, and what happens inside the tool. "
            "Look at them in this order, and return a text for each.",
            "inspect.signature(tool).bind(**arguments) raises a TypeError for wrong arguments "
            "before the tool runs. Without it, a TypeError from inside the tool looks the same.",
            "Two try blocks: one around bind, with the parameter names in its text, and one around "
            'the call, with f"{type(fault).__name__}: {fault}" in its text.',
        ),
        check_call,
        NOTEBOOK,
        call_tool,
    ),
    Exercise(
        "cut",
        "cut a long result, and say so",
        1,
        4,
        (
            "A text that is not longer than the limit is returned unchanged.",
            "text[:limit] is what stays, len(text) - limit is how much is missing.",
            'f"{text[:limit]}\\n[{missing} more characters. Ask for less to see them.]"',
        ),
        check_cut,
        NOTEBOOK,
        cut,
    ),
)
