"""Pieces of notebooks 02 and 05: right versions pass, wrong ones get the message they deserve."""

import inspect
import typing

import pytest

from react_lab import course
from react_lab.course.exercises import find
from react_lab.course.pieces import loop, tools
from react_lab.parser import Action, FinalAnswer, Malformed, believed, parse


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


NAMES = {str: "string", int: "integer", float: "number", bool: "boolean"}


# schema_of ------------------------------------------------------------------------------


def schema_by_hints(function):
    hints = typing.get_type_hints(function)
    hints.pop("return", None)
    defaults = dict(zip(reversed(list(hints)), reversed(function.__defaults__ or ())))
    properties = {
        name: {"type": NAMES[kind]} | ({"default": defaults[name]} if name in defaults else {})
        for name, kind in hints.items()
    }
    required = [name for name in hints if name not in defaults]
    return {"type": "object", "properties": properties, "required": required}


def schema_by_parameters(function):
    given = inspect.signature(function).parameters.values()
    empty = inspect.Parameter.empty
    properties = {}
    for one in given:
        properties[one.name] = {"type": NAMES[one.annotation]}
        if one.default is not empty:
            properties[one.name]["default"] = one.default
    needed = [one.name for one in given if one.default is empty]
    return dict(type="object", properties=properties, required=needed)


def schema_all_required(function):
    found = schema_by_parameters(function)
    return found | {"required": list(found["properties"])}


def schema_all_text(function):
    found = schema_by_parameters(function)
    for entry in found["properties"].values():
        entry["type"] = "string"
    return found


def schema_no_default(function):
    found = schema_by_parameters(function)
    for entry in found["properties"].values():
        entry.pop("default", None)
    return found


# call_tool ------------------------------------------------------------------------------


def call_by_bind(tools, name, arguments):
    tool = tools.get(name)
    if tool is None:
        return f"No tool {name!r}. There are: " + ", ".join(sorted(tools))
    try:
        bound = inspect.signature(tool).bind(**arguments)
    except TypeError as wrong:
        return f"Wrong input: {wrong}"
    try:
        return tool(*bound.args, **bound.kwargs)
    except Exception as fault:
        return f"{type(fault).__name__}: {fault}"


def call_by_names(tools, name, arguments):
    if name not in tools:
        return "Unknown tool. Use " + " or ".join(tools)
    takes = inspect.signature(tools[name]).parameters
    missing = [n for n, p in takes.items() if p.default is p.empty and n not in arguments]
    unknown = [n for n in arguments if n not in takes]
    if missing or unknown:
        return f"missing: {missing}, unknown: {unknown}"
    try:
        return tools[name](**arguments)
    except Exception as fault:
        return repr(fault)


def call_unguarded(tools, name, arguments):
    if name not in tools:
        return "Use one of: " + ", ".join(tools)
    return tools[name](**arguments)


def call_silent(tools, name, arguments):
    try:
        return tools[name](**arguments)
    except Exception:
        return "Something went wrong."


def call_again(tools, name, arguments):
    if name not in tools:
        return "Use one of: " + ", ".join(tools)
    try:
        return tools[name](**arguments)
    except TypeError as fault:
        try:
            return tools[name](next(iter(arguments.values()), ""))
        except Exception as second:
            return f"TypeError: {fault}, {second!r}"
    except Exception as fault:
        return repr(fault)


def call_twice(tools, name, arguments):
    found = call_by_names(tools, name, arguments)
    if "TypeError" in found:
        found = call_by_names(tools, name, arguments)
    return found


# cut ------------------------------------------------------------------------------------


def cut_with_if(text, limit):
    if len(text) > limit:
        return text[:limit] + f" ... ({len(text) - limit} characters are missing)"
    return text


def cut_in_lines(text, limit):
    kept, rest = text[:limit], text[limit:]
    return "\n".join([kept, f"[cut: {len(rest)}]"] if rest else [kept])


# react ----------------------------------------------------------------------------------


def react_while(question, model, tools, limit=8):
    messages, rounds = [{"role": "user", "content": question}], 0
    while rounds < limit:
        rounds += 1
        reply = model(messages)
        move = parse(reply.text, tools.parameters())
        match move:
            case FinalAnswer():
                return move.answer
            case Action():
                text = tools.call(move.tool, move.arguments).text
            case Malformed():
                text = f"Unreadable: {move.reason}"
        messages = [
            *messages,
            {"role": "assistant", "content": believed(reply.text)},
            {"role": "user", "content": "Observation: " + text},
        ]
    return None


def react_recursive(question, model, tools, limit=8, messages=None):
    messages = messages or [
        {"role": "system", "content": "Act."},
        {"role": "user", "content": question},
    ]
    if limit == 0:
        return None
    text = model(messages).text
    move = parse(text, tools.parameters())
    if isinstance(move, FinalAnswer):
        return move.answer
    seen = (
        move.reason if isinstance(move, Malformed) else tools.call(move.tool, move.arguments).text
    )
    messages += [
        {"role": "assistant", "content": believed(text)},
        {"role": "user", "content": seen},
    ]
    return react_recursive(question, model, tools, limit - 1, messages)


def react_variant(observed="user", keep=believed, unreadable=None, own=True, limited=True):
    def react(question, model, tools, limit=8):
        messages = [{"role": "user", "content": question}]
        for _ in range(limit if limited else 50):
            text = model(messages).text
            move = parse(text, tools.parameters())
            if isinstance(move, FinalAnswer):
                return move.answer
            if isinstance(move, Malformed):
                if unreadable == "answer":
                    return text
                seen = "Try again." if unreadable == "no reason" else move.reason
            else:
                seen = tools.call(move.tool, move.arguments).text
            if own:
                messages.append({"role": "assistant", "content": keep(text)})
            messages.append({"role": observed, "content": f"Observation: {seen}"})
        return None

    return react


# in_a_circle ----------------------------------------------------------------------------


def circle_by_count(calls, n=3):
    return len(calls) >= n and calls[-n:].count(calls[-1]) == n


def circle_backwards(calls, n=3):
    same = 0
    for call in reversed(calls):
        if call != calls[-1]:
            break
        same += 1
    return same >= n


RIGHT = {
    "schema_of": (schema_by_hints, schema_by_parameters),
    "call_tool": (call_by_bind, call_by_names),
    "cut": (cut_with_if, cut_in_lines),
    "react": (react_while, react_recursive),
    "in_a_circle": (circle_by_count, circle_backwards),
}
# (a wrong version, what the message about it has to show)
WRONG = {
    "schema_of": (
        (schema_all_required, "'required': ['item', 'days']"),
        (schema_all_text, "'type': 'string', 'default': 1"),
        (schema_no_default, "'default': 1"),
    ),
    "call_tool": (
        (call_unguarded, "TypeError"),
        (call_silent, "the names of all tools"),
        (call_again, "the name of the missing argument"),
        (call_twice, "how often a tool with a bug of its own was run"),
    ),
    "cut": (
        (lambda text, limit: text[:limit], "how much is missing: 70"),
        (lambda text, limit: text[: limit - 3] + "...", "short..."),
        (lambda text, limit: text if len(text) <= limit else f"{text}\n[cut: 70]", "a notice, not"),
        (lambda text, limit: f"{text}\n[cut: {len(text) - limit}]", "short"),
    ),
    "react": (
        (react_variant(observed="assistant"), "user: Observation: 42"),
        (react_variant(own=False), "assistant: the model's own call"),
        (react_variant(keep=str), "believed(text)"),
        (react_variant(unreadable="answer"), "tries again"),
        (react_variant(unreadable="no reason"), "move.reason"),
        (react_variant(limited=False), "None after 3 replies"),
    ),
    "in_a_circle": (
        (lambda calls, n=3: len({c[0] for c in calls[-n:]}) == 1, "two calls that are"),
        (lambda calls, n=3: any(calls.count(c) >= n for c in calls), "between them"),
        (
            lambda calls, n=3: len(calls) >= n and len({c[0] for c in calls[-n:]}) == 1,
            "three cities",
        ),
        (lambda calls, n=3: calls[-3:].count(("search", {"q": "tea"}, "nothing")) == 3, "n=2"),
    ),
}


def test_every_piece_is_tried_here():
    names = {piece.name for piece in (*tools.PIECES, *loop.PIECES)}
    assert set(RIGHT) == set(WRONG) == names


@pytest.mark.parametrize("name", RIGHT)
def test_right_versions_of_different_form_pass(name):
    for work in (*RIGHT[name], find(name).solution):
        found = course.check(name, work)
        assert found.right, f"{work.__name__}: {found}"
        assert course.mine(name, work) is work


@pytest.mark.parametrize(
    "name, work, shown", [(n, w, s) for n, rows in WRONG.items() for w, s in rows]
)
def test_a_wrong_version_is_shown_beside_what_was_expected(name, work, shown):
    found = course.check(name, work)
    assert found.state == "wrong"
    assert shown in found.text and "yours:" in found.text and "expected:" in found.text
    assert course.mine(name, work) is find(name).solution
