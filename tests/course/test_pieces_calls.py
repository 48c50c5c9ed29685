"""Pieces of notebook 06: right versions pass, wrong ones get the message they deserve."""

import json
import uuid

import pytest

from react_lab import course
from react_lab.course.exercises import find
from react_lab.course.pieces import calls
from react_lab.parser import Action, FinalAnswer, Malformed
from react_lab.toolkit import lab_tools


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


# tool_entry -----------------------------------------------------------------------------


def entry_by_names(tool):
    keys = ("name", "description", "parameters")
    return dict(type="function", function={key: getattr(tool, key) for key in keys})


def entry_in_steps(tool):
    entry = {"type": "function", "function": {}}
    entry["function"]["parameters"] = tool.parameters
    entry["function"]["description"] = tool.description
    entry["function"]["name"] = tool.name
    return entry


def entry_flat(tool):
    return {"name": tool.name, "description": tool.description, "parameters": tool.parameters}


def entry_without_words(tool):
    return {"type": "function", "function": {"name": tool.name, "parameters": tool.parameters}}


def entry_of_properties(tool):
    entry = entry_in_steps(tool)
    entry["function"]["parameters"] = tool.parameters["properties"]
    return entry


# read_moves -----------------------------------------------------------------------------


def moves_with_match(reply):
    def one(call):
        try:
            match json.loads(call["function"]["arguments"]):
                case dict() as arguments:
                    return Action(reply.text, call["function"]["name"], arguments)
        except json.JSONDecodeError as fault:
            return Malformed(reply.text, str(fault))
        return Malformed(reply.text, "not an object")

    if reply.tool_calls:
        return [one(call) for call in reply.tool_calls]
    if reply.finish_reason in ("length", "tool_calls") or not reply.text.strip():
        return [Malformed("", f"no usable reply ({reply.finish_reason})")]
    return [FinalAnswer("", reply.text.strip())]


def moves_in_a_tuple(reply):
    reasons = {"length": "cut off", "tool_calls": "a call is missing"}
    if not reply.tool_calls:
        reason = reasons.get(reply.finish_reason) or ("" if reply.text.strip() else "empty")
        return (Malformed("", reason) if reason else FinalAnswer("", reply.text),)
    found = ()
    for call in reply.tool_calls:
        function = call["function"]
        try:
            given = json.loads(function["arguments"])
            assert isinstance(given, dict)
            found += (Action("", function["name"], given),)
        except (ValueError, AssertionError):
            found += (Malformed("", "Write the arguments as a JSON object."),)
    return found


def moves_variant(every=True, guarded=True, objects=True, ends=True, empty=True, reason="bad"):
    """read_moves with one of its parts left out."""

    def read_moves(reply):
        found = []
        for call in reply.tool_calls if every else reply.tool_calls[:1]:
            function = call["function"]
            try:
                given = json.loads(function["arguments"])
            except ValueError:
                if not guarded:
                    raise
                given = None
            fits = isinstance(given, dict) or (not objects and given is not None)
            found.append(Action("", function["name"], given) if fits else Malformed("", reason))
        if found:
            return found
        if ends and reply.finish_reason in ("length", "tool_calls"):
            return [Malformed("", reason)]
        if empty and not reply.text.strip():
            return [Malformed("", reason)]
        return [FinalAnswer("", reply.text)]

    return read_moves


# round_messages -------------------------------------------------------------------------


def round_with_new_ids(reply, results):
    made = [dict(call) for call in reply.tool_calls]
    for call in made:
        call["id"] = call["id"] or f"call_{uuid.uuid4().hex[:8]}"
    spoken = {"role": "assistant", "content": reply.text}
    if made:
        spoken |= {"tool_calls": made}
    return [spoken] + [
        {"role": "tool", "tool_call_id": call["id"], "content": result}
        for call, result in zip(made, results)
    ]


def round_by_place(reply, results):
    ids = [call["id"] or str(place) for place, call in enumerate(reply.tool_calls)]
    calls = [{**call, "id": ids[place]} for place, call in enumerate(reply.tool_calls)]
    messages = [{"role": "assistant", "content": reply.text or None, "tool_calls": calls}]
    for place, result in enumerate(results):
        messages.append({"role": "tool", "tool_call_id": ids[place], "content": result})
    return messages


def round_without_the_calls(reply, results):
    return [
        {k: v for k, v in one.items() if k != "tool_calls"}
        for one in round_by_place(reply, results)
    ]


def round_in_the_user_role(reply, results):
    said, *answers = round_by_place(reply, results)
    return [said, *({"role": "user", "content": one["content"]} for one in answers)]


def round_in_one_message(reply, results):
    said, first, *_ = round_by_place(reply, results)
    return [said, first | {"content": "\n".join(results)}]


def round_with_empty_ids(reply, results):
    said = {"role": "assistant", "content": reply.text, "tool_calls": list(reply.tool_calls)}
    pairs = zip(reply.tool_calls, results)
    return [
        said,
        *({"role": "tool", "tool_call_id": c["id"], "content": r} for c, r in pairs),
    ]


def round_with_one_id(reply, results):
    made = [call | {"id": call["id"] or "call"} for call in reply.tool_calls]
    return round_with_empty_ids(type(reply)(reply.text, tuple(made)), results)


def round_backwards(reply, results):
    return round_by_place(reply, results[::-1])


RIGHT = {
    "tool_entry": (entry_by_names, entry_in_steps),
    "read_moves": (moves_with_match, moves_in_a_tuple),
    "round_messages": (round_with_new_ids, round_by_place),
}
# (a wrong version, what the message about it has to show)
WRONG = {
    "tool_entry": (
        (entry_flat, "two levels"),
        (entry_without_words, "'description': 'Water a plant."),
        (entry_of_properties, "'required': ['plant']"),
    ),
    "read_moves": (
        (moves_variant(every=False), "two calls"),
        (moves_variant(guarded=False), "JSONDecodeError"),
        (moves_variant(objects=False), "a call whose arguments are a list"),
        (moves_variant(ends=False), "words that were cut off"),
        (moves_variant(empty=False), "nothing"),
        (moves_variant(reason=""), "what was wrong"),
        (lambda reply: moves_with_match(reply)[0], "a list of moves"),
    ),
    "round_messages": (
        (round_without_the_calls, "the calls of the reply, in order"),
        (round_in_the_user_role, "['assistant', 'tool']"),
        (round_in_one_message, "['assistant', 'tool', 'tool']"),
        (round_with_empty_ids, "an id for each, all different"),
        (round_with_one_id, "an id for each, all different"),
        (round_backwards, "the results in"),
    ),
}


def test_every_piece_is_tried_here():
    assert set(RIGHT) == set(WRONG) == {piece.name for piece in calls.PIECES}


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


def test_an_entry_is_what_the_lab_sends():
    tools = lab_tools()
    assert [calls.tool_entry(tool) for tool in tools] == tools.schemas()
