"""The table of questions on which the loop is measured (notebook 05).

Each row: the question; the right values, each with its other spellings behind a |; the calls that
lead to them; in a comparison the rival, which is not right.
"""

import json
import re
from datetime import UTC, datetime
from pathlib import Path

import pytest

from helpers.training_texts import texts
from react_lab.toolkit import lab_tools

ROOT = Path(__file__).parents[1]
TABLE = ROOT / "react_lab" / "data" / "loop_cases.jsonl"
CASES = [json.loads(line) for line in TABLE.read_text("utf-8").splitlines()]
NOON = datetime(2026, 6, 1, 12, 0, tzinfo=UTC)


def name(case):
    return case["question"][:40]


each_case = pytest.mark.parametrize("case", CASES, ids=name)

# What is compared: the figure in the weather, and whether more of it wins.
COMPARED = {"colder": ("°C", min), "more rain": ("mm", max), "wind stronger": ("m/s", max)}


def results(case):
    """What the tools give for the calls of a case. None of them may be an error."""
    tools = lab_tools(NOON)
    seen = [tools.call(call["tool"], call["arguments"]) for call in case["calls"]]
    assert [one.error for one in seen] == [None] * len(seen)
    return [one.text for one in seen]


def numbers(text):
    return [n.replace(",", "") for n in re.findall(r"\d+(?:[.,]\d+)*", text)]


def stands(value, text):
    return re.search(rf"(?<![\w.,:]){re.escape(value)}(?![.,]?\d|[a-z])", text, re.I)


def test_twenty_different_questions_use_all_four_tools_one_or_two_at_a_time():
    assert len({case["question"] for case in CASES}) == len(CASES) == 20
    used = [call["tool"] for case in CASES for call in case["calls"]]
    assert set(used) == {tool.name for tool in lab_tools(NOON)}
    assert [len(case["calls"]) for case in CASES] == [1] * 10 + [2] * 10


@each_case
def test_the_tools_give_every_right_value(case):
    """The first spelling or another one: "twice" is what the handbook says for 2."""
    text = "\n".join(results(case))
    for right in case["right"]:
        assert any(stands(spelling, text) for spelling in right.split("|"))


@pytest.mark.parametrize("case", [case for case in CASES if "rival" not in case], ids=name)
def test_no_right_value_stands_in_the_question_already(case):
    for right in case["right"]:
        assert not any(stands(spelling, case["question"]) for spelling in right.split("|"))


@each_case
def test_a_call_needs_only_what_the_question_or_a_result_says(case):
    known, seen = case["question"], results(case)
    for call, text in zip(case["calls"], seen, strict=True):
        (value,) = call["arguments"].values()
        if call["tool"] == "calculator":
            assert set(map(float, numbers(value))) <= set(map(float, numbers(known)))
        elif call["tool"] != "search_docs":
            assert value in known
        known += "\n" + text


@pytest.mark.parametrize("case", [case for case in CASES if "rival" in case], ids=name)
def test_a_comparison_has_the_right_winner(case):
    (unit, best) = next(how for words, how in COMPARED.items() if words in case["question"])
    figures = {text.split(":")[0]: int(re.search(rf"(\d+) {unit}", text)[1])
               for text in results(case)}  # fmt: skip
    assert case["right"] == [best(figures, key=figures.get)]
    assert set(figures) == {*case["right"], case["rival"]} and len({*figures.values()}) == 2


def test_no_name_in_it_was_seen_in_training():
    trained = "\n".join(texts())
    inner = [re.findall(r"(?<=[\w,] )[A-Z]\w+", case["question"]) for case in CASES]
    names = {name for found in inner for name in found} - {"Room"}
    assert {"Mumbai", "Otter", "Foxglove", "Copenhagen"} <= names
    assert [name for name in names if re.search(rf"\b{name}\b", trained, re.I)] == []
