"""The table of questions on which a choice of tool is measured (notebook 02)."""

import json
from collections import Counter
from pathlib import Path

from helpers.training_texts import texts

ROOT = Path(__file__).parents[2]
TABLE = ROOT / "react_lab" / "data" / "choice_cases.jsonl"
CASES = [json.loads(line) for line in TABLE.read_text("utf-8").splitlines()]


def test_there_are_five_different_questions_for_each_of_four_tools():
    assert Counter(case["tool"] for case in CASES) == dict.fromkeys(
        ("catalogue", "desk", "house", "programme"), 5
    )
    assert len({case["question"] for case in CASES}) == 20
    assert len({case["result"] for case in CASES}) == 20


def test_a_question_says_all_that_its_call_needs():
    for case in CASES:
        assert all(str(value) in case["question"] for value in case["arguments"].values())
        assert all(str(value) in case["result"] for value in case["arguments"].values())


def test_no_name_in_it_was_seen_in_training():
    trained = "\n".join(texts()).lower()
    names = {case["arguments"][key] for case in CASES for key in ("title", "event", "room")
             if key in case["arguments"]}  # fmt: skip
    assert names
    assert [name for name in names if name.lower() in trained] == []
