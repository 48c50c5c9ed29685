"""The table of questions on which the retry after a failure is measured (notebook 07)."""

import json
import re
from pathlib import Path

from helpers.training_texts import texts

ROOT = Path(__file__).parents[2]
TABLE = ROOT / "react_lab" / "data" / "flaky_cases.jsonl"
CASES = [json.loads(line) for line in TABLE.read_text("utf-8").splitlines()]


def test_twenty_different_questions_with_twenty_different_results():
    assert len(CASES) == 20
    for part in ("question", "name", "result", "right"):
        assert len({case[part] for case in CASES}) == 20


def test_a_question_says_all_that_its_call_needs_and_not_its_answer():
    for case in CASES:
        assert case["name"] in case["question"]
        assert case["right"] not in case["question"]


def test_a_result_names_its_animal_and_the_right_value():
    for case in CASES:
        name, time, food = re.fullmatch(
            r"(\w+): (\d\d:\d\d), (\w+) \(feeding plan\)", case["result"]
        ).groups()
        assert name == case["name"]
        assert case["right"] in (time, food)


def test_no_answer_in_it_was_seen_in_training():
    """Octopus and sardines are words of everybody; together they would be the answer."""
    trained = [line for text in texts() for line in text.splitlines()]
    assert sum("octopus" in line for line in trained) > 0, "the words alone are there"
    for case in CASES:
        food = re.search(r", (\w+) \(", case["result"])[1]
        both = re.compile(rf"(?i)\b{case['name']}\b.*\b{food}\b|\b{food}\b.*\b{case['name']}\b")
        assert not [line for line in trained if both.search(line)], case["question"]


def test_no_question_has_the_words_of_one_in_training():
    trained = {plain(line) for text in texts() for line in re.split(r"[\n|]", text)}
    assert [case["question"] for case in CASES if plain(case["question"], case["name"])
            in trained] == []  # fmt: skip


def plain(text, name=None):
    """The words of a question, with * for its name or for a field such as {o}."""
    text = text.replace(name, "*") if name else re.sub(r"\{\w+\}", "*", text)
    return " ".join(re.findall(r"[\w*]+", text.lower()))
