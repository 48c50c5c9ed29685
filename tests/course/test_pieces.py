"""Pieces: right versions of different form pass, plausible wrong ones get the message they need."""

import json
import re

import pytest

from react_lab import course
from react_lab.course.exercises import ALL, find
from react_lab.course.pieces import parser
from react_lab.parser import Action, FinalAnswer, Malformed


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


LABELS = ("Thought", "Action Input", "Action", "Observation", "Final Answer")


def split_by_lines(text):
    fields = []
    for line in text.splitlines():
        label = next((one for one in LABELS if line.startswith(one + ":")), None)
        if label:
            fields.append([label, line.removeprefix(label + ":").strip()])
        elif fields:
            fields[-1][1] += "\n" + line
    return [(label, value.strip()) for label, value in fields]


def split_by_re(text):
    parts = re.split(r"(?m)^(Thought|Action Input|Action|Observation|Final Answer):", text)
    return [(label, value.strip()) for label, value in zip(parts[1::2], parts[2::2])]


def split_one_line(text):
    return [
        (label, value.strip())
        for label, value in re.findall(
            r"(?m)^(Thought|Action Input|Action|Observation|Final Answer): *(.*)$", text
        )
    ]


def split_anywhere(text):
    parts = re.split(r"(Thought|Action Input|Action|Observation|Final Answer):", text)
    return [(label, value.strip()) for label, value in zip(parts[1::2], parts[2::2])]


def split_unstripped(text):
    parts = re.split(r"(?m)^(Thought|Action Input|Action|Observation|Final Answer): *", text)
    return list(zip(parts[1::2], parts[2::2]))


def drop_by_loop(fields):
    kept = []
    for field in fields:
        if field[0] == "Observation":
            break
        kept.append(field)
    return kept


def drop_with_takewhile(fields):
    from itertools import takewhile

    return list(takewhile(lambda field: field[0] != "Observation", fields))


def drop_only_observations(fields):
    return [field for field in fields if field[0] != "Observation"]


def drop_from_last(fields):
    places = [n for n, (label, _) in enumerate(fields) if label == "Observation"]
    return fields[: places[-1]] if places else fields


def drop_index(fields):
    return fields[: [label for label, _ in fields].index("Observation")]


def read_by_decoder(raw, parameters):
    raw = re.sub(r"^```\w*|```$", "", raw.strip()).strip()
    if raw == "":
        return {} if not parameters else None
    if raw.startswith(("{", "[")):
        try:
            value = json.JSONDecoder().raw_decode(raw)[0]
        except json.JSONDecodeError:
            return None
        return value if type(value) is dict else None
    if len(parameters) != 1:
        return None
    return dict.fromkeys(parameters, raw.strip('"'))


def read_by_shrinking(raw, parameters):
    raw = raw.strip().removeprefix("```json").removesuffix("```").strip()
    if not raw and not parameters:
        return {}
    if raw.startswith("{"):
        for end in range(len(raw), 0, -1):
            try:
                return json.loads(raw[:end])
            except ValueError:
                continue
        return None
    if len(parameters) == 1 and raw and raw[0] != "[":
        return {parameters[0]: raw.strip('"')}
    return None


def read_loads(raw, parameters):
    try:
        return json.loads(raw)
    except ValueError:
        return None


def read_braces(raw, parameters):
    found = re.search(r"\{.*?\}", raw, re.S)
    try:
        return json.loads(found[0]) if found else {parameters[0]: raw}
    except ValueError:
        return None


def read_raw_when_broken(raw, parameters):
    try:
        return json.JSONDecoder().raw_decode(raw)[0]
    except ValueError:
        return {parameters[0]: raw}


def choose_by_loop(fields, tools):
    thought, move = "", None
    for place, (label, text) in enumerate(fields):
        if label == "Thought" and not thought:
            thought = text
        elif label == "Final Answer":
            move = FinalAnswer(thought, text) if text else Malformed(thought, "empty answer")
        elif label == "Action":
            name = text.strip("`")
            following = dict(fields[place + 1 : place + 2])
            given = read_by_decoder(following.get("Action Input", ""), tools.get(name, ["input"]))
            move = Malformed("", "bad input") if given is None else Action("", name, given)
    if move is None:
        return Malformed(thought, "write an Action or a Final Answer")
    return type(move)(
        thought,
        *[getattr(move, f) for f in ("tool", "arguments", "answer", "reason") if hasattr(move, f)],
    )


def choose_from_the_end(fields, tools):
    thought = dict(reversed(fields)).get("Thought", "")
    for place in range(len(fields) - 1, -1, -1):
        label, text = fields[place]
        if label == "Final Answer" and text:
            return FinalAnswer(thought, text)
        if label == "Final Answer":
            return Malformed(thought, "the answer is empty")
        if label == "Action":
            name, raw = (
                text.strip("` "),
                "".join(v for k, v in fields[place + 1 : place + 2] if k == "Action Input"),
            )
            given = read_by_shrinking(raw, tools.get(name, ["x"]))
            return (
                Malformed(thought, "unreadable input")
                if given is None
                else Action(thought, name, given)
            )
    return Malformed(thought, "no move")


def choose_answer_always(fields, tools):
    found = dict(fields)
    if found.get("Final Answer"):
        return FinalAnswer(found.get("Thought", ""), found["Final Answer"])
    return choose_from_the_end([f for f in fields if f[0] != "Final Answer"], tools)


def choose_text_as_answer(fields, tools):
    move = choose_from_the_end(fields, tools)
    return FinalAnswer("", str(fields)) if isinstance(move, Malformed) else move


def choose_no_backticks(fields, tools):
    found = dict(fields)
    if "Action" in found:
        return Action(
            found.get("Thought", ""), found["Action"], json.loads(found.get("Action Input", "{}"))
        )
    return FinalAnswer(found.get("Thought", ""), found.get("Final Answer", ""))


RIGHT = {
    "split_reply": (split_by_lines, split_by_re),
    "drop_invented": (drop_by_loop, drop_with_takewhile),
    "read_input": (read_by_decoder, read_by_shrinking),
    "choose_move": (choose_by_loop, choose_from_the_end),
}
# (a wrong version, what the message about it has to show)
WRONG = {
    "split_reply": (
        (split_one_line, "- Hazel"),
        (split_anywhere, "no Final Answer: yet."),
        (split_unstripped, "\\n"),
        (lambda text: dict(split_by_re(text)), "{'Thought'"),
    ),
    "drop_invented": (
        (drop_only_observations, "('Final Answer', '41')"),
        (drop_from_last, "('Observation', '41')"),
        (drop_index, "ValueError"),
    ),
    "read_input": (
        (read_loads, "I will wait."),
        (read_braces, "a } inside"),
        (read_raw_when_broken, '{"city": "Os'),
    ),
    "choose_move": (
        (choose_answer_always, "calculator"),
        (choose_text_as_answer, "Malformed with a reason"),
        (choose_no_backticks, "`list_rooms`"),
    ),
}


def test_every_piece_is_tried_here():
    assert set(RIGHT) == set(WRONG) == {piece.name for piece in parser.PIECES}
    assert len({one.name for one in ALL}) == len(ALL)


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


def test_a_stub_is_not_started_and_the_notebook_runs_on_ours():
    def split_reply(text: str) -> list[tuple[str, str]]:
        """Return the (label, text) pairs of a reply, in order."""
        ...

    found = course.check("split_reply", split_reply)
    assert found.state == "not started" and "course's version" in found.text
    assert course.mine("split_reply", split_reply) is find("split_reply").solution


def test_hints_and_solution_of_a_piece():
    texts = [course.hint("read_input", number) for number in (1, 2, 3)]
    assert len(set(texts)) == 3 and "raw_decode" in texts[0]
    assert "raw_decode" not in course.solution("read_input")
    assert "raw_decode" in course.solution("read_input", show=True)
    row = next(line for line in repr(course.progress()).splitlines() if "read_input" in line)
    assert re.search(r"not started +0 +3 +seen", row)


def test_an_exercise_has_no_version_to_go_on_with():
    with pytest.raises(ValueError, match="not a piece"):
        course.mine("time_tool", len)
