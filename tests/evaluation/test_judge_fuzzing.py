"""Fuzzing of the judges: no answer raises, and a number is found however it is written."""

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.scripted_agents import script
from react_lab import Agent, FinalAnswer, ScriptedModel
from react_lab.evaluation.judge import asserted, case_tools, evaluation_cases, picked, place, solved
from react_lab.evaluation.not_known import says_not_known

unhurried = settings(deadline=None, max_examples=100)  # a busy machine is not a fault

pieces = st.sampled_from(
    [
        "27.80",
        "111.2",
        "111,20 euros",
        "1 234",
        "-5",
        "−5",
        "5–7",
        "5pm",
        "not ",
        "n't ",
        "and that is ",
    ]
    + [
        "It is ",
        "no ",
        "zero",
        " | ",
        "|",
        ".",
        ",",
        ":",
        "。",
        "，",
        "（",
        "无法",
        "零下",
        "1e999",
        "0x1F",
    ]
    + ["٣", "Ⅻ", "½", "²", "\u202f", "\ud83d", "\x00", "Error 503", " times", "=", " instead of "]
    + ["9" * 400, "NaN", "inf", "1.2.3", "1,2,3", "--", "’", "İ", "ß", "ẞ", "\u0301"]
)
texts = st.lists(pieces | st.text(max_size=4), max_size=8).map("".join)
CASES = {case.id: case for case in evaluation_cases()}
NAMES = ("four-shears", "no-such-city", "weather-down", "by-zero", "not-in-handbook")


def finished(case):
    """The run of a case that makes the calls it expects."""
    return Agent(ScriptedModel(script(case)), case_tools(case)).run(case.question)


RUNS = {name: finished(CASES[name]) for name in NAMES}


@unhurried
@given(st.sampled_from(NAMES), texts)
def test_any_answer_is_judged(name, answer):
    run = RUNS[name]
    last = replace(run.steps[-1], move=FinalAnswer("", answer))
    assert solved(CASES[name], replace(run, steps=(*run.steps[:-1], last))) in (True, False)


@unhurried
@given(texts, texts)
def test_the_parts_of_the_judges_take_any_text(value, answer):
    found = place(value, answer)
    assert found is None or found >= 0
    assert asserted(value, answer) in (True, False)
    assert says_not_known(answer, value) in (True, False)
    assert picked(answer, value, "Lima", "Rome") in ("Lima", "Rome", None)


def grouped(number: int, mark: str) -> str:
    return f"{number:,}".replace(",", mark)


@unhurried
@given(
    st.integers(0, 10**9),
    st.sampled_from(["", ",", "\u202f", "\u00a0", "\u2009", "'", "’"]),
    st.sampled_from(["", "-", "−", "–", "minus "]),
    st.sampled_from(["It is {}.", "{} km", "about {}, I think", "**{}**", "It is ({}).", "= {}"]),
)
def test_a_number_is_found_however_it_is_written(number, mark, minus, around):
    """As Python writes it and as people do; with other digits or another sign it is not there."""
    answer = around.format(minus + grouped(number, mark))
    value = f"-{number}" if minus and number else str(number)
    assert place(value, answer) is not None
    assert place(f"{number + 1}", answer) is None
    assert place(f"{number}7", answer) is None
    if number:
        assert place(value.removeprefix("-") if minus else f"-{number}", answer) is None
