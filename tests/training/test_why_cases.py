"""The table of questions that are asked four ways (notebook 01).

Each row: the question; the right values, each with its other spellings behind a |; the calls that
lead to them; in a comparison the rival, which is not right. The right values were read by hand in
the handbook and the tables; here the tools give them.
"""

import json
import re
from datetime import UTC, datetime
from pathlib import Path

import pytest

from helpers.training_texts import texts
from react_lab.toolkit import lab_tools
from training.questions import entities, load, shape

ROOT = Path(__file__).parents[2]
DATA = ROOT / "react_lab" / "data"
NOON = datetime(2026, 6, 1, 12, 0, tzinfo=UTC)


def rows(name):
    return [json.loads(line) for line in (DATA / name).read_text("utf-8").splitlines()]


CASES = rows("why_cases.jsonl")
ONE_CALL = [case for case in CASES if len(case["calls"]) == 1]
COMPARED = {"warmer": "°C", "stronger wind": "m/s"}  # of two cities the larger figure wins


def name(case):
    return case["question"][:40]


each_case = pytest.mark.parametrize("case", CASES, ids=name)


def results(case):
    """What the tools give for the calls of a case. None of them may be an error."""
    tools = lab_tools(NOON)
    seen = [tools.call(call["tool"], call["arguments"]) for call in case["calls"]]
    assert [one.error for one in seen] == [None] * len(seen)
    return [one.text for one in seen]


def stands(value, text):
    """Whether one of the spellings of a value (7|seven) is a whole word or number of a text."""
    names = "|".join(map(re.escape, value.split("|")))
    return re.search(rf"(?<![\w.,:])({names})(?![.,]?\d|[a-z])", text, re.I)


def mentioned():
    """Every city, product and other name in the table: inside a question, or given to a tool."""
    given = [call["arguments"] for case in CASES for call in case["calls"]]
    cities = {values["city"] for values in given if "city" in values}
    return cities | {n for c in CASES for n in re.findall(r"(?<=[\w,] )[A-Z]\w+", c["question"])}


def test_twenty_different_questions_use_all_four_tools():
    assert len({case["question"] for case in CASES}) == len(CASES) == 20
    used = {call["tool"] for case in CASES for call in case["calls"]}
    assert used == {tool.name for tool in lab_tools(NOON)}
    assert [len(case["calls"]) for case in CASES] == [1] * 14 + [2] * 6


@each_case
def test_the_tools_give_every_right_value(case):
    text = "\n".join(results(case))
    assert [value for value in case["right"] if not stands(value, text)] == []


@pytest.mark.parametrize("case", [c for c in CASES if "rival" not in c], ids=name)
def test_no_right_value_stands_in_the_question_already(case):
    assert [value for value in case["right"] if stands(value, case["question"])] == []


@pytest.mark.parametrize("case", [c for c in CASES if len(c["calls"]) == 2], ids=name)
def test_of_two_calls_both_are_needed(case):
    """Neither result alone holds all that the answer must say, or decides the comparison."""
    first, second = results(case)
    wanted = case["right"] + ([case["rival"]] if "rival" in case else [])
    assert not all(stands(value, first) for value in wanted)
    if case["calls"][1]["tool"] == "calculator":
        factors = case["calls"][1]["arguments"]["expression"].split("*")
        assert {bool(stands(one, case["question"])) for one in factors} == {True, False}
        assert any(stands(one, first) for one in factors)
    else:
        assert not all(stands(value, second) for value in wanted)


@pytest.mark.parametrize("case", [c for c in CASES if "rival" in c], ids=name)
def test_a_comparison_has_the_right_winner(case):
    (unit,) = [unit for words, unit in COMPARED.items() if words in case["question"]]
    figures = {text.split(":")[0]: int(re.search(rf"(\d+) {unit}", text)[1])
               for text in results(case)}  # fmt: skip
    assert case["right"] == [max(figures, key=figures.get)]
    assert set(figures) == {*case["right"], case["rival"]} and len({*figures.values()}) == 2


# Nothing of it is known to the model ------------------------------------------------------


def test_no_name_in_it_was_seen_in_training():
    trained = "\n".join(texts())
    assert {"Auckland", "Hornet", "Magpie", "France", "Lima"} <= mentioned()
    assert [n for n in mentioned() if re.search(rf"\b{n}\b", trained, re.I)] == []


def test_no_template_of_the_training_asks_one_of_its_questions():
    """A template such as "What time is it in {e}" would match the question whole."""
    pieces = {piece for text in texts() for piece in re.split(r'[|"\n]', text)}
    templates = [one for one in pieces if len(re.sub(r"\{\w+\}|[^a-z]", "", one)) >= 8]
    assert {"What time is it in {e}", "How strong is the wind in {place}"} <= set(templates)
    asked = "\n".join(case["question"].rstrip("?.") for case in CASES)
    for template in templates:
        pattern = re.sub(r"\\\{\w+\\\}", ".+", re.escape(template.strip(" ?.")))
        assert not re.search(rf"^{pattern}$", asked, re.I | re.M), template


def test_it_shares_no_name_and_no_template_with_the_questions_that_measure_the_adapter():
    names = entities("dev") | entities("test")
    assert [one for one in mentioned() if one.lower() in names] == []
    known = names | {one.lower() for one in mentioned()}
    theirs = {shape(row["question"], known) for part in ("dev", "test") for row in load(part)}
    assert [c["question"] for c in CASES if shape(c["question"], known) in theirs] == []


def test_it_shares_no_question_with_the_other_tables():
    others = {
        row["question"] for table in ("loop", "choice") for row in rows(f"{table}_cases.jsonl")
    }
    assert others and not others & {case["question"] for case in CASES}
