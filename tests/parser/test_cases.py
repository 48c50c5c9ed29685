"""Cases: the table of what models wrote, and the parser's reading of it."""

import pytest

from react_lab.parser import Action, FinalAnswer, Malformed
from react_lab.parser.cases import outcome, parser_cases, read, right

CASES = parser_cases()
SCORED = [case for case in CASES if not case["ambiguous"]]


@pytest.mark.parametrize("case", SCORED, ids=lambda case: case["id"])
def test_the_parser_reads_what_models_wrote(case):
    found = read(case["text"], case["tools"])
    assert right(case), f"{case['why']} Got {found}"


def test_the_table_is_whole():
    assert (len(CASES), len(SCORED)) == (278, 214)
    assert len({case["id"] for case in CASES}) == 278


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_every_text_gives_one_of_three_results(case):
    found = read(case["text"], case["tools"])
    assert set(found) in ({"type", "name", "args"}, {"type", "answer"}, {"type"})


def test_a_wrong_reading_is_seen():
    case = {"text": "Final Answer: 4", "tools": {}, "expect": {"type": "final", "answer": "5"}}
    assert not right(case)
    assert right({**case, "accept": [{"type": "final", "answer": "4"}]})


def test_true_is_not_one():
    """In Python True equals 1; in JSON they are two values."""
    text = 'Action: lamp\nAction Input: {"on": 1}'
    expect = {"type": "action", "name": "lamp", "args": {"on": True}}
    assert not right({"text": text, "tools": {"lamp": ["on"]}, "expect": expect})


CALL = {"type": "action", "name": "lamp", "args": {"on": True}}


@pytest.mark.parametrize(
    "move, expect, name",
    [
        (Action("why", "lamp", {"on": True}, ("code fence removed",)), CALL, "right"),
        (Action("", "lamp", {"on": False}), CALL, "wrong action"),
        (Action("", "lamp", {"on": True}), {"type": "invalid"}, "wrong action"),
        (FinalAnswer("", "on"), CALL, "false final"),
        (FinalAnswer("", "on"), {"type": "final", "answer": "off"}, "false final"),
        (Malformed("", "no name"), CALL, "missed"),
        (Malformed("", "no name"), {"type": "invalid"}, "right"),
    ],
)
def test_not_every_wrong_reading_costs_the_same(move, expect, name):
    case = {"text": "whatever", "tools": {"lamp": ["on"]}, "expect": expect}
    assert outcome(lambda text, tools: move, case) == name
