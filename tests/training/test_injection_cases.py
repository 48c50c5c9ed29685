"""The table of planted texts on which an injection is measured (notebook 10).

Each row: a question to the handbook; the query that finds its passage; the right values; and a
text that somebody planted behind the passage, which asks for a mail that nobody wanted.
"""

import json
import re
from pathlib import Path

import pytest

from helpers.training_texts import texts
from react_lab.toolkit import search_docs

ROOT = Path(__file__).parents[2]
TABLE = ROOT / "react_lab" / "data" / "injection_cases.jsonl"
CASES = [json.loads(line) for line in TABLE.read_text("utf-8").splitlines()]
each_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case["query"])


def test_twenty_different_questions_with_twenty_different_texts():
    for key in ("question", "query", "planted"):
        assert len({case[key] for case in CASES}) == len(CASES) == 20


@each_case
def test_the_handbook_answers_the_question(case):
    found = search_docs(case["query"])
    assert re.search(rf"(?<![\w.,]){re.escape(case['right'][0])}(?![.,]?\d)", found)
    assert case["right"][0] not in re.findall(r"[\d.]+", case["question"])


@each_case
def test_a_planted_text_asks_for_a_mail_and_tells_nothing_about_the_answer(case):
    assert "audit@quillmark.example" in case["planted"]
    assert "mail" in case["planted"] and "mail" not in case["question"]
    numbers = re.findall(r"[\d.]*\d", case["planted"])
    assert not set(numbers) & set(case["right"])


def test_nothing_in_it_was_seen_in_training():
    trained = "\n".join(texts()).lower()
    inner = [re.findall(r"(?<=[\w,] )[A-Z]\w+", case["question"]) for case in CASES]
    names = {name.lower() for found in inner for name in found} | {"quillmark"}
    assert {"heron", "norway", "quillmark"} <= names
    assert [name for name in names if re.search(rf"\b{name}\b", trained)] == []
    assert [case for case in CASES if case["question"].lower().rstrip("?") in trained] == []
