"""The cases in Chinese, what the judge finds in Chinese text, and the order of calls."""

import json
import re

import pytest

from react_lab.evaluation import compare, evaluate, figures, judged
from react_lab.evaluation.evaluation import lab_agent
from react_lab.evaluation.judge import (
    CHINESE_CASES,
    NOT_KNOWN,
    Case,
    case_tools,
    evaluation_cases,
    picked,
    place,
    right_calls,
    solved,
)
from react_lab.loop import Agent
from react_lab.models import ScriptedModel

CASES = evaluation_cases(CHINESE_CASES)
ENGLISH = re.compile(r"[A-Za-z]+(?: [A-Za-z]+){2,}")


def call(tool: str, arguments: dict) -> str:
    given = json.dumps(arguments, ensure_ascii=False)
    return f"思考：我需要查一下。\n行动：{tool}\n行动输入：{given}"


def script(case: Case) -> list[str]:
    """What a model writes that makes the expected calls and says what it saw."""
    replies = []
    for one in case.calls:
        again = 2 if case.fails.get(one["tool"]) == "once" else 1
        replies += [call(one["tool"], one["arguments"])] * again
    answer = "和".join(value.split("|")[0] for value in case.right) or "抱歉，查不到。"
    return [*replies, f"思考：我知道了。\n最终答案：{answer}"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_the_expected_run_solves_a_case_in_chinese(case):
    run = lab_agent(ScriptedModel(script(case)), case).run(case.question)
    assert solved(case, run) and right_calls(case, run), (run.answer, run.stop)
    for step in run.steps:
        for message in step.sent:
            assert not ENGLISH.search(message["content"]), message["content"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_the_tools_give_what_the_table_says(case):
    tools = case_tools(case)
    for one in case.calls:
        for _ in range(2 if case.fails.get(one["tool"]) == "once" else 1):
            seen = tools.call(one["tool"], one["arguments"])
        assert place(one["gives"], seen.text) is not None, seen.text


@pytest.mark.parametrize(
    ("value", "text", "found"),
    [
        ("巴黎", "2024年奥运会在法国巴黎举办。", True),
        ("28", "员工每年有28天年假", True),
        ("28", "员工每年有二十八天年假", True),
        ("28", "2028年有28.5天", False),
        ("15%", "折扣是百分之十五", True),
        ("12000", "大约1.2万人", True),
        ("3530", "共3，530元", True),
        ("8760", "结果是８７６０小时", True),
        ("16:00", "周六到16:00营业", True),
        ("Oslo", "首都奥斯陆（Oslo）的天气", True),
        ("Oslo", "Oslofjord的天气", False),
        ("1", "我们一起去", False),
        ("-2", "气温零下，是-2度", True),
    ],
)
def test_a_value_is_found_inside_chinese_text(value, text, found):
    assert (place(value, text) is not None) == found


@pytest.mark.parametrize(
    "answer",
    [
        "抱歉，我无法回答。",
        "查不到雅典的风速。",
        "手册里没有关于大象的规定。",
        "不知道。",
        "服务暂时不可用。",
    ],
)
def test_a_refusal_in_chinese_is_understood(answer):
    case = next(one for one in CASES if one.id == "zh-always")
    assert NOT_KNOWN.search(answer)
    replies = [call("查天气", {"城市": "雅典"}), f"最终答案：{answer}"]
    assert solved(case, lab_agent(ScriptedModel(replies), case).run(case.question))
    invented = f"最终答案：{answer}大概十二米。"
    assert not solved(case, lab_agent(ScriptedModel([replies[0], invented]), case).run("?"))


@pytest.mark.parametrize(
    ("answer", "chosen"),
    [
        ("罗马比利马更暖和。", "罗马"),
        ("利马18度，罗马27度，所以罗马更暖和。", "罗马"),
        ("利马不如罗马暖和。", "罗马"),
        ("利马比罗马暖和。", "利马"),
        ("更暖和的是罗马，不是利马。", "罗马"),
    ],
)
def test_a_comparison_in_chinese_picks_its_winner(answer, chosen):
    assert picked(answer, "暖和", "罗马", "利马") == chosen


def test_an_ordered_case_requires_its_order():
    case = next(one for one in CASES if one.id == "zh-times")
    first, second, end = script(case)
    good = lab_agent(ScriptedModel([first, second, end]), case).run(case.question)
    wrong = lab_agent(ScriptedModel([second, first, end]), case).run(case.question)
    assert right_calls(case, good) and judged(case, good).passed
    assert not right_calls(case, wrong)
    free = Case(**{**vars(case), "ordered": False})
    assert right_calls(free, wrong), "without the word, any order will do"
    twice = lab_agent(ScriptedModel([first, first, second, end]), case).run(case.question)
    assert not right_calls(case, twice)


def scripted(case: Case) -> Agent:
    return lab_agent(ScriptedModel(script(case)), case)


def test_figures_and_comparisons_are_written_in_chinese():
    results = list(evaluate(CASES, scripted))
    shown = figures(results, "zh")
    assert shown["答案正确"] == "15/15 100%（80% 到 100%）"
    assert shown["词元数"] == "没有报告"
    both = compare(results, results, "zh")
    assert both["工具和参数都正确"] == (
        "15/15 100%（80% 到 100%） 对 15/15 100%（80% 到 100%）：无法判断"
    )
    text = "\n".join(f"{name} {text}" for one in (shown, both) for name, text in one.items())
    assert not re.search("[A-Za-z]{2}", text)
