"""The cases of the evaluation, and what counts as solved.

The right values were written by hand, from the handbook, the tables and arithmetic. Here they
are worked out again, with the tools.
"""

import itertools
import re
from collections import Counter
from pathlib import Path

import pytest

from helpers.scripted_agents import call, perfect, script
from helpers.training_texts import texts
from react_lab.evaluation.judge import (
    NUMBER,
    Case,
    case_tools,
    evaluation_cases,
    picked,
    place,
    right_calls,
    right_tools,
    solved,
)
from react_lab.loop import Agent
from react_lab.models import ScriptedModel
from training import episodes
from training.questions import entities, load, shape

ROOT = Path(__file__).parents[2]
CASES = evaluation_cases()
each_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)


# The table --------------------------------------------------------------------------------


def test_forty_eight_different_questions_of_four_kinds():
    kinds = {"one tool": 16, "several tools": 14, "no tool": 8, "tool failure": 10}
    assert Counter(case.kind for case in CASES) == kinds
    assert len({case.question for case in CASES}) == len({case.id for case in CASES}) == 48
    for case in CASES:
        least = {"one tool": 1, "several tools": 2, "no tool": 0, "tool failure": 1}[case.kind]
        most = {"one tool": 1, "no tool": 0}.get(case.kind, 3)
        assert least <= len(case.calls) <= most


def results(case, tools):
    """What the tools give for the calls of a case; a call that fails is made once more."""
    for one in case.calls:
        seen = tools.call(one["tool"], one["arguments"])
        if case.fails.get(one["tool"]) == "once" and seen.error:
            seen = tools.call(one["tool"], one["arguments"])
        yield seen


@each_case
def test_the_tools_give_what_the_table_says(case):
    seen = list(results(case, case_tools(case)))
    for one, result in zip(case.calls, seen, strict=True):
        assert place(one["gives"], result.text) is not None, result.text
        assert (result.error is None) == (bool(case.right) or one["tool"] == "search_docs")
    text = "\n".join(result.text for result in seen)
    for value in case.right if case.calls else ():
        assert place(value, text) is not None, (value, text)


def test_what_fails_once_fails_at_the_first_call_only():
    tools = case_tools(Case("x", "tool failure", "?", (), (), fails={"get_weather": "once"}))
    errors = [tools.call("get_weather", {"city": "Rome"}).error for _ in range(30)]
    assert errors == ["tool error"] + [None] * 29


@each_case
def test_no_right_value_stands_in_the_question_already(case):
    named = case.pick or case.kind == "no tool" or case.id == "busy-weather"
    shown = [value for value in case.right if place(value, case.question) is not None]
    assert shown == [] or named


@pytest.mark.parametrize("case", [case for case in CASES if case.pick], ids=lambda case: case.id)
def test_a_comparison_has_the_right_winner(case):
    """The larger figure wins in all of ours: warmer, windier, later."""
    given = [(one["gives"].replace(":", "."), *one["arguments"].values()) for one in case.calls]
    winner = max(given, key=lambda pair: float(pair[0]))[1]
    assert (winner,) == case.right
    assert {name for _, name in given} == {winner, case.pick[1]}


@pytest.mark.parametrize(
    "name, start, rate, times",
    [("savings", 2500, 0.04, 6), ("debt", 900, 0.015, 12), ("training-grows", 800, 0.05, 3)],
)
def test_compound_interest_adds_up_year_by_year(name, start, rate, times):
    (case,) = (case for case in CASES if case.id == name)
    amount = start
    for _ in range(times):
        amount += amount * rate
    assert case.right[0].split("|")[0] == f"{amount:.2f}"
    assert case.rivals == (f"{start + start * rate * times:.0f}",)  # simple interest


@each_case
def test_the_expected_run_solves_a_case(case):
    run = perfect(case).run(case.question)
    assert solved(case, run), (run.answer, run.stop)
    assert right_tools(case, run) and right_calls(case, run)


# Nothing of it was trained ----------------------------------------------------------------


def names(case):
    """The names in a question, in its calls and after a small word: cities, products."""
    found = {value for one in case.calls for key, value in one["arguments"].items()
             if key == "city"}  # fmt: skip
    return found | set(re.findall(r"\b(?:Magpie|Hornet|Elmsworth|Tovi)\b", case.question))


def test_no_name_in_it_was_seen_in_training():
    trained = "\n".join(texts())
    ours = set().union(*map(names, CASES))
    assert {"Reykjavik", "Auckland", "Magpie", "Hornet"} <= ours and len(ours) > 15
    assert [name for name in ours if re.search(rf"\b{name}\b", trained, re.I)] == []
    measured = entities("dev") | entities("test")
    assert [name for name in ours if name.lower() in measured] == []


def test_no_template_of_it_was_trained_or_measured():
    ours = set().union(*map(names, CASES))
    known = {name.lower() for name in ours}
    shapes = {shape(case.question, known) for case in CASES}
    assert len(shapes) == 48
    groups = itertools.islice(episodes.groups(11), 400)
    asked = {messages[0]["content"].removeprefix("Question: ")
             for group in groups for messages in group["episodes"]}  # fmt: skip
    assert len(asked) > 400
    assert shapes & {shape(question) for question in asked} == set()
    measured = {shape(row["question"], entities(part)) for part in ("dev", "test")
                for row in load(part)}  # fmt: skip
    assert shapes & measured == set()


# The judge --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "value, text, there",
    [
        ("75", "They cost 75 euros.", True),
        ("75", "They cost 75.00 euros.", True),
        ("75", "That is 175, or 75.5.", False),
        ("75", "That is -75.", False),
        ("3530", "That is 3,530.", True),
        ("22", "at most 22mm", True),
        ("3163.30", "3163.29754624", True),
        ("3163.30", "3163.31", False),
        ("3163.30", "about 3163", False),
        ("6", "on 2026-06-01", False),
        ("16", "at 16:00", False),
        ("16:00|4 pm", "at 16:00:00", True),
        ("16:00|4 pm", "At 4 PM.", True),
        ("6:00|6 am", "at 16:00", False),
        ("dog|dogs", "A hotdog barks.", False),
        ("dog|dogs", "Dogs bark.", True),
        ("5|five", "Five degrees.", True),
    ],
)
def test_a_value_is_found_as_a_whole(value, text, there):
    assert (place(value, text) is not None) is there


@pytest.mark.parametrize(
    "text, wanted",
    [
        ("2 boxes, 1250.5 g", ["2", "1250.5"]),
        ("at 07:30 on 2026-06-01", []),
        ("It is -9 or 48.2.", ["-9", "48.2"]),
        ("K4 and B12", []),
    ],
)
def test_a_number_is_no_time_no_date_and_no_part_of_a_word(text, wanted):
    assert NUMBER.findall(text) == wanted


def case_of(name):
    return next(case for case in CASES if case.id == name)


def judge(name, answer, replies=None):
    """Whether a case is solved after these replies (None: the expected calls) and this answer."""
    case = case_of(name)
    replies = script(case)[:-1] if replies is None else replies
    script_ = [*replies, f"Final Answer: {answer}"]
    return solved(case, Agent(ScriptedModel(script_), case_tools(case)).run(case.question))


def test_the_answer_needs_the_right_value_and_no_rival():
    assert judge("savings", "There are 3,163.30 euros after 6 years.")
    assert not judge("savings", "There is a lot of money.")
    assert not judge("savings", "With simple interest 3100, else 3163.30 euros.")


def test_a_right_value_that_no_tool_has_shown_is_a_guess():
    assert not judge("rome", "27 °C.", replies=[])
    assert not judge("rome", "27 °C.", replies=[call("get_weather", {"city": "Paris"})])


def test_both_values_of_two_are_needed():
    assert judge("backups-and-cars", "45 days, and 62 places.")
    assert not judge("backups-and-cars", "45 days.")


def test_a_run_that_a_limit_has_stopped_is_not_solved():
    again = [call("get_weather", {"city": "Rome"})] * 4
    assert not judge("rome", "27 °C.", replies=again)


def test_a_case_without_tools_is_solved_without_tools():
    assert judge("barks", "A dog.")
    assert not judge("barks", "A cat.")
    assert not judge("barks", "A dog.", replies=[call("search_docs", {"query": "barks"})])


@pytest.mark.parametrize(
    "answer",
    [
        "The wind in Lemuria is not known.",
        "I couldn't find it.",
        "No weather is available for Lemuria.",
        "Sorry, that is beyond me.",
    ],
)
def test_what_cannot_be_known_is_said_openly(answer):
    assert judge("no-such-city", answer)


@pytest.mark.parametrize("answer", ["It blows gently.", "I do not know, perhaps 4 m/s."])
def test_what_cannot_be_known_is_not_made_up(answer):
    assert not judge("no-such-city", answer)


def test_what_cannot_be_known_was_looked_for():
    assert not judge("no-such-city", "The wind in Lemuria is not known.", replies=[])


@pytest.mark.parametrize(
    "answer, chosen",
    [
        ("Rome.", "Rome"),
        ("Rome is warmer than Lima.", "Rome"),
        ("Lima has 18 °C and Rome 27 °C, so Rome is warmer.", "Rome"),
        ("It is warmer in Rome; Lima has only 18 °C.", "Rome"),
        ("The warmer one of the two is Rome, not Lima.", "Rome"),
        ("Lima is warmer than Rome.", "Lima"),
        ("Neither.", None),
    ],
)
def test_a_comparison_picks_a_name(answer, chosen):
    assert picked(answer, "warmer", "Lima", "Rome") == chosen


def test_a_comparison_is_solved_by_the_right_name():
    assert judge("warmer", "Beijing is warmer than Lima.")
    assert not judge("warmer", "Lima is warmer than Beijing.")
    one = [call("get_weather", {"city": "Lima"})]
    assert not judge("warmer", "Beijing is warmer than Lima.", replies=one)


# The calls --------------------------------------------------------------------------------


def calls(name, *replies):
    """Whether the tools are right, and whether their arguments are, too."""
    case = case_of(name)
    agent = Agent(ScriptedModel([*replies, "Final Answer: That is all."]), case_tools(case))
    run = agent.run(case.question)
    return right_tools(case, run), right_calls(case, run)


SHEARS = call("search_docs", {"query": "price of the pruning shears"})
TIMES = call("calculator", {"expression": "27.80*4"})


def test_a_call_is_judged_by_what_it_gives():
    """Other search words and another order of the factors are as good as the table's."""
    assert calls("four-shears", SHEARS, TIMES) == (True, True)
    assert calls("four-shears", SHEARS, call("calculator", {"expression": "27.80+4"})) == (
        True,
        False,
    )


def test_a_call_too_few_or_too_many_is_not_right():
    assert calls("four-shears", SHEARS) == (False, False)
    assert calls("four-shears", SHEARS, TIMES, call("calculator", {"expression": "1+1"})) == (
        False,
        False,
    )
    assert calls("barks") == (True, True)
    assert calls("barks", SHEARS) == (False, False)


def test_a_call_that_failed_and_was_made_again_counts_once():
    weather = call("get_weather", {"city": "Lima"})
    assert calls("busy-weather", weather, weather) == (True, True)
    assert calls("busy-weather", weather) == (True, False)  # it has seen the failure only


def test_an_id_names_a_file():
    with pytest.raises(ValueError, match="cannot name a file"):
        Case("../x", "one tool", "?", (), ())


def test_a_forgotten_comma_is_said():
    with pytest.raises(ValueError, match=r"right is 'four'; give a tuple: right=\('four',\)"):
        Case("cards", "one tool", "?", right=("four"), calls=())
    with pytest.raises(ValueError, match="calls is {'tool': 'clock'}; give a tuple"):
        Case("cards", "one tool", "?", right=("four",), calls=({"tool": "clock"}))
