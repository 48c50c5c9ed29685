"""Chinese runs: nothing that is sent to the model or shown to a person is an English sentence."""

import json
import re
from dataclasses import replace
from html import unescape

import pytest

from react_lab import debug
from react_lab.context import (
    Conclusions,
    InBlocks,
    KeepRounds,
    ModelSummary,
    RepeatRules,
    RuleSummary,
)
from react_lab.evaluation import evaluate, figures, lab_agent
from react_lab.evaluation.judge import CHINESE_CASES, evaluation_cases
from react_lab.function_calling import hybrid_step, native_step
from react_lab.loop import TOO_LONG, Agent, step, text_step
from react_lab.memory import Earlier, Notes, Recall, note_of, summary, whole
from react_lab.models import ModelError, Reply, ScriptedModel
from react_lab.models.api_errors import KINDS
from react_lab.models.embedded import EmbeddedModel
from react_lab.models.grammar import grammar
from react_lab.models.notes_zh import in_chinese
from react_lab.models.payload import notes
from react_lab.models.reply import ENDINGS
from react_lab.patterns import (
    accepted,
    plan_and_execute,
    reflect,
    reflexion,
    route,
    route_by_difficulty,
)
from react_lab.registry import Registry
from react_lab.stops import SameTool, SkipRepeats
from react_lab.toolkit import lab_tools
from react_lab.trace import Run
from react_lab.views import pages, run_html
from react_lab.views.microscope import microscope
from react_lab.views.text import markdown, rounds, show, show_page
from react_lab.views.widgets import stepper

# Three English words in a row are a sentence; names of tools in an API and JSON are not.
ENGLISH = re.compile(r"\b[A-Za-z]{2,}(?:['’]\w+)?(?:[ ,:;.]+[A-Za-z]+(?:['’]\w+)?){2,}")
LETTERS = re.compile(r"(?:sqrt|abs|round|floor|ceil|min|max|pow|exp|log|sin|cos|tan|factorial)\b.*")


def call(tool: str, **given) -> str:
    text = json.dumps(given, ensure_ascii=False)
    return f"思考：我需要查一下。\n行动：{tool}\n行动输入：{text}"


def native(tool: str, **given) -> Reply:
    text = json.dumps(given, ensure_ascii=False)
    function = {"name": tool, "arguments": text}
    return Reply("", tool_calls=({"id": "", "function": function},), finish_reason="tool_calls")


DONE = "思考：我知道了。\n最终答案：完成。"


def speaks(*replies):
    """A model that gives its replies in order and keeps what it was sent."""
    left, sent = list(replies), []

    def model(messages, tools=None):
        sent.append((messages, tools))
        one = left.pop(0) if left else DONE
        if isinstance(one, Exception):
            raise one
        return one if isinstance(one, Reply) else Reply(one, finish_reason="stop")

    model.sent = sent
    return model


def words(messages, tools) -> list[str]:
    """Everything in a request that is language."""
    found = [str(one["content"] or "") for one in messages if one["role"] != "assistant"]
    for schema in tools or ():
        function = schema["function"]
        found.append(function["description"])
        found += [
            str(p.get("description", "")) for p in function["parameters"]["properties"].values()
        ]
    return found


def check(text: str) -> None:
    found = ENGLISH.search(LETTERS.sub("", text))
    assert not found, f"{found[0]!r} in: {text}"


def test_the_check_finds_english():
    for text in ("观察：You already called it.", "已停止。Not finished: step limit."):
        with pytest.raises(AssertionError):
            check(text)


# What may be Latin in a view: names of tools in an API, JSON, and the units of the lab's tools.
LATIN = re.compile(
    r"<br>|Error|JSON|UTC|Unix|Europe|Asia|America|Lima|mm|km|get_\w+|search_docs|calculator|true|fal\w*"
)


def page_words(html: str) -> str:
    """The words of a page: its text and its labels, without style and tags."""
    html = re.sub(r"<style>.*?</style>", "", html, flags=re.S)
    labels = re.findall(r'(?:title|aria-label)="([^"]*)"', html)
    return unescape("\n".join([re.sub("<[^>]*>", " ", html), *labels]))


def check_shown(run: Run) -> None:
    """No English in any view of a run, nor a label of a view that is left in English."""
    views = [page_words(run_html.trace(run)), page_words(run_html.page(run)), markdown(run)]
    views += [microscope(run).text, show_page(run, len(rounds(run)))]
    for number in range(len(rounds(run)) + 1):
        views += [page_words(pages.page(run, number)), show_page(run, number)]
    for view in views:
        check(view)
        own = run.question + str([(p.sent, p.reply, p.move) for p in rounds(run)])
        own += str([seen.full_text for past in rounds(run) for _, seen in past.moves if seen])
        labels = set(re.findall("[A-Za-z]{2,}", LATIN.sub("", view))) - set(
            re.findall("[A-Za-z]{2,}", own)
        )
        assert not labels, f"{sorted(labels)} in: {view}"


def check_run(run: Run, model=None) -> None:
    """Nothing English in what was sent, and nothing in what is shown."""
    for past in (*run.steps, *([run.last_word] if run.last_word else [])):
        for one in past.sent:
            if one["role"] != "assistant":
                check(str(one["content"] or ""))
        for _, seen in past.moves:
            if seen:
                check(seen.full_text)
    for messages, tools in model.sent if model else ():
        for text in words(messages, tools):
            check(text)
    check(show(run))
    check_shown(run)
    check(run.note)
    check(debug.shown(run, "zh"))


def agent(*replies, **settings) -> tuple[Agent, object]:
    model, tools = speaks(*replies), settings.pop("tools", None)
    tools = lab_tools(language="zh") if tools is None else tools
    return Agent(model, tools, language="zh", **settings), model


# Everything that can go wrong in a run: what the model writes, by name of the fault.
FAULTS = {
    "prose": "我想用计算器。",
    "empty": "",
    "no tool": call("天气预报", 城市="北京"),
    "no name": "行动：\n行动输入：{}",
    "no input": "行动：计算器\n行动输入：",
    "broken input": '行动：计算器\n行动输入：{"算式": "1+1" "2"}',
    "list": "行动：查时间\n行动输入：[1, 2]",
    "twice": '行动：计算器\n行动输入：{"算式": "1", "算式": "2"}',
    "path": '行动：计算器\n行动输入：{"算式": "C:\\temp\\new"}',
    "wrong name": call("查天气", city="北京"),
    "missing": call("查天气"),
    "unknown city": call("查天气", 城市="火星"),
    "unknown zone": call("查时间", 城市="火星"),
    "division": call("计算器", 算式="1/0"),
    "word": call("计算器", 算式="foo+1"),
    "nothing found": call("查手册", 关键词="大象"),
    "both": call("计算器", 算式="1+1") + "\n最终答案：2",
    "empty answer": "最终答案：",
    "cut off": Reply("思考：我", finish_reason="length"),
}


@pytest.mark.parametrize("protocol", [text_step, native_step, hybrid_step])
@pytest.mark.parametrize("fault", FAULTS)
def test_every_fault_is_answered_in_chinese(fault, protocol):
    one, model = agent(FAULTS[fault], DONE, protocol=protocol)
    check_run(one.run("北京多少度？"), model)


@pytest.mark.parametrize(
    "given",
    [
        native("get_weather", 城市="北京市"),
        native("get_weather", parameter_1="北京"),
        native("查天气", 城市="巴黎"),
        native("get_wether", x=1),
        native("get_weather", city="Paris"),
        Reply("", tool_calls=({"id": "", "function": {"name": "calculator", "arguments": "{1"}},)),
        Reply("", finish_reason="tool_calls"),
        Reply("", finish_reason="stop"),
        Reply("", tool_calls=({"id": "", "function": {"name": "calculator",
              "arguments": '{"算式": "1"}{"算式": "2"}'}},)),
    ],
)  # fmt: skip
@pytest.mark.parametrize("protocol", [native_step, hybrid_step])
def test_native_calls_are_answered_in_chinese(given, protocol):
    one, model = agent(given, Reply("完成。"), protocol=protocol)
    run = one.run("北京多少度？")
    check_run(run, model)
    assert run.answer == "完成。"


TYPED = Registry()


@TYPED.register(description="订购商品。", name="订购")
def order(件数: int, 价格: float = 1.0, 加急: bool = False, 名单: list[str] = ()):  # noqa: B006
    return None


@TYPED.register(description="返回空列表。", name="空列表")
def nothing() -> list:
    return []


@TYPED.register(description="太慢。", name="太慢", seconds=0.01)
def slow() -> str:
    import time

    time.sleep(0.2)
    return ""


@TYPED.register(description="很长。", name="很长")
def long() -> list[int]:
    return iter(range(2000))


@pytest.mark.parametrize(
    "given",
    [
        call("订购", 件数="很多"),
        call("订购", 件数=1.5),
        call("订购", 件数=1, 价格="贵"),
        call("订购", 件数=1, 加急="也许"),
        call("订购", 件数=1, 名单="甲"),
        call("订购", 件数=True),
        call("订购", 件数=None),
        call("订购", 件数=1),
        call("空列表"),
        call("太慢"),
        call("很长"),
    ],
)
def test_what_the_registry_says_is_chinese(given):
    one, model = agent(given, DONE, tools=TYPED)
    run = one.run("请订购。")
    check_run(run, model)
    assert run.finished


def test_limits_and_their_last_word_are_chinese():
    one, model = agent(call("计算器", 算式="1+1"), DONE, max_steps=1)
    run = one.run("一加一？")
    assert (run.stop, run.note) == ("step limit", "未完成：达到步数上限。")
    assert run.last_word.sent[-1]["content"].endswith("请根据已知内容现在给出最终答案。")
    assert "停止（达到步数上限），共 1 步。" in show(run)
    check_run(run, model)
    gone, model = agent(call("计算器", 算式="1+1"), ModelError("网络断了。"), max_steps=1)
    check_run(gone.run("一加一？"), model)


def test_warnings_are_chinese():
    for stops in ((), (SkipRepeats(),), (SameTool(stop=4),)):
        one, model = agent(
            *[call("查手册", 关键词=f"大象{' ' * n}") for n in range(5)], stops=stops
        )
        check_run(one.run("大象？"), model)
    near = ["停车 大象", "大象 停车", "大象停车"]
    one, model = agent(*[call("查手册", 关键词=f"猫{text}") for text in near], DONE)
    check_run(one.run("大象？"), model)
    fails = [call("计算器", 算式=f"{n}/0") for n in range(5)]
    one, model = agent(*fails, DONE)
    run = one.run("除以零？")
    assert "计算器 已失败 3 次" in run.steps[2].observation.notice
    check_run(run, model)


def writing(**settings):
    tools, outbox = lab_tools(language="zh"), []

    @tools.register(name="发邮件", effect="write", example={"收件人": "小明"})
    def send(收件人: str) -> str:
        """给一个人发邮件。"""
        outbox.append(收件人)
        return f"已发给{收件人}。"

    one, model = agent(call("发邮件", 收件人="小明"), DONE, tools=tools, **settings)
    return one, model, outbox


def test_an_approval_is_asked_for_and_answered_in_chinese():
    one, model, outbox = writing()
    run = one.run("给小明发邮件。")
    assert run.stop == "needs approval" and "等待您同意或拒绝" in run.note
    check(run.note.partition("：")[0])
    no = one.resume(run, approve=False, note="先别发。")
    assert no.steps[0].observation.text == "有人拒绝了对 发邮件 的这次调用。先别发。"
    check_run(no, model)
    yes = one.resume(run, approve=True)
    assert outbox == ["小明"]
    check_run(yes, model)


@pytest.mark.parametrize("answer", [lambda move, run: "yes", lambda move, run: 1 / 0])
def test_an_approval_that_fails_is_told_in_chinese(answer):
    one, model, outbox = writing(approve=answer)
    run = one.run("给小明发邮件。")
    assert "没有人可以询问" in run.steps[0].observation.text and outbox == []
    for messages, _ in model.sent:
        assert "Nobody" not in str(messages)


@pytest.mark.parametrize(
    "fit",
    [
        KeepRounds(n=1, cut=20),
        RuleSummary(n=1),
        Conclusions(n=1),
        ModelSummary(lambda messages: Reply("北京 28 度。"), n=1),
        RepeatRules(every=1),
        RepeatRules("用摄氏度。", every=1, role="system"),
        InBlocks(RuleSummary(n=1), n=2),
    ],
    ids=repr,
)
@pytest.mark.parametrize("protocol", [text_step, native_step, hybrid_step])
def test_context_policies_are_chinese(fit, protocol):
    calls = [call("查天气", 城市=city) for city in ("北京", "巴黎", "利马", "火星")]
    if protocol is not text_step:
        calls = [native("get_weather", 城市=city) for city in ("北京", "巴黎", "利马", "火星")]
    calls.insert(
        1, "我想一想。" if protocol is text_step else Reply("", finish_reason="tool_calls")
    )
    one, model = agent(*calls, DONE, fit=fit, protocol=protocol)
    check_run(one.run("哪里最暖和？"), model)


def test_the_grammar_of_the_text_format_can_be_chinese():
    text = grammar(lab_tools(language="zh").text_schemas(), "zh")
    assert text.splitlines()[0].startswith('root ::= "思考：" line "\\n" ( "最终答案：" line | ')
    assert '"行动：查天气\\n行动输入："' in text
    assert "Action" not in text and "Thought" not in text


def test_the_embedded_model_says_at_once_that_it_knows_english_only():
    with pytest.warns(UserWarning) as told:
        Agent(EmbeddedModel(), lab_tools(language="zh"), language="zh")
    (text,) = (str(one.message) for one in told)
    assert "内置模型只会英文" in text
    for way in ("LLM_BASE_URL", "DeepSeek", 'language="en"'):
        assert way in text, "a way out"
    check(text)


def test_a_scripted_model_is_not_warned_of(recwarn):
    Agent(ScriptedModel([DONE]), lab_tools(language="zh"), language="zh").run("？")
    assert [str(one.message) for one in recwarn] == []


def test_a_run_that_is_taken_up_again_stays_chinese():
    one, model = agent(call("查天气", 城市="北京"), DONE)
    run = step(Run("北京多少度？"), one)
    other = replace(one, protocol=native_step)
    check_run(other.run(run), model)


# Patterns, memory and evaluation ----------------------------------------------------------


def chinese(*replies) -> tuple[Agent, object]:
    return agent(*replies)


def check_outcome(done, *models) -> None:
    for run in done.runs:
        check_run(run)
    for model in models:
        for messages, tools in model.sent:
            for text in words(messages, tools):
                check(text)
    check(done.note)


LOOK, TIMES = call("查天气", 城市="北京"), call("计算器", 算式="28*3")
WRONG, RIGHT = "思考：好了。\n最终答案：是 80。", "思考：好了。\n最终答案：是 84。"
ASKED = "北京的气温乘以三是多少？"


@pytest.mark.parametrize(
    "plan",
    [
        "1. 北京多少度？\n2. 乘以三是多少？",
        "1、北京多少度？\n2、乘以三是多少？",
        "第一步：北京多少度？\n第二步：乘以三是多少？",
        "一、北京多少度？\n二、乘以三是多少？",
    ],
)
def test_plan_and_execute_is_chinese(plan):
    one, model = chinese(LOOK, "最终答案：28 度", TIMES, "最终答案：84", RIGHT)
    planner = speaks(plan)
    done = plan_and_execute(ASKED, one, planner)
    assert done.answer == "是 84。" and len(done.runs) == 3
    assert "已经知道：\n- 北京多少度？ 28 度" in done.runs[1].question
    check_outcome(done, model, planner)


def test_a_fork_and_a_step_that_failed_are_chinese():
    one, model = chinese(LOOK, "最终答案：28 度", TIMES, RIGHT)
    planner = speaks("1. 北京多少度？\n2. 分叉")
    done = plan_and_execute(ASKED, one, planner)
    assert len(done.runs) == 2 and done.answer == "是 84。"
    check_outcome(done, model, planner)
    one, model = chinese(*["我想一想。"] * 5, RIGHT)
    planner = speaks("1. 北京多少度？", "分叉")
    done = plan_and_execute(ASKED, one, planner)
    assert "失败（连续无法读取回复）" in planner.sent[1][0][0]["content"]
    check_outcome(done, model, planner)


def test_reflection_is_chinese():
    one, model = chinese(LOOK, WRONG, TIMES, RIGHT)
    reviewer = speaks("没有计算乘积。")
    done = reflect(ASKED, one, reviewer, thoughts=True)
    assert done.answer == "是 84。"
    assert "思考：我需要查一下。" in reviewer.sent[0][0][0]["content"]
    check_outcome(done, model, reviewer)
    good = speaks("通过。")
    assert reflect(ASKED, chinese(LOOK, TIMES, RIGHT)[0], good).finished
    assert not accepted("通过检查发现缺少单位。") and accepted("通过")


def test_reflexion_and_routing_are_chinese():
    one, model = chinese(WRONG, WRONG, WRONG)
    coach = speaks("先查天气。", "再算乘积。")
    done = reflexion(ASKED, one, lambda run: run.answer == "是 84。", coach)
    assert (done.stop, done.note) == ("check failed", "3 次尝试都没有通过。")
    assert (
        "前几次尝试的教训：\n- 先查天气。\n- 再算乘积。" in done.runs[2].steps[0].sent[1]["content"]
    )
    check_outcome(done, model, coach)
    one, model = chinese(LOOK, TIMES, RIGHT)
    writer = speaks("84 度。")
    done = route(ASKED, one, writer)
    assert done.answer == "84 度。"
    check_outcome(done, model, writer)
    one, model = chinese("简单", RIGHT)
    done = route_by_difficulty(ASKED, one, speaks())
    assert done.answer == "是 84。"
    check_outcome(done, model)
    check_outcome(route(ASKED, chinese(RIGHT)[0], speaks("")))


def test_notes_of_earlier_questions_are_chinese(tmp_path):
    notes = Notes(tmp_path / "notes.sqlite")
    one, _ = chinese("最终答案：客户编号是 4711。")
    notes.add(note_of(one.run("我的客户编号是多少？"), "zh"))
    assert list(notes.all().values()) == ["我的客户编号是多少？客户编号是 4711。"]
    one, model = chinese(LOOK, "最终答案：是 4711。")
    run = replace(one, fit=Recall(notes)).run("客户编号是什么？")
    told = "\n以前问题的笔记：\n- 我的客户编号是多少？客户编号是 4711。"
    assert told in run.steps[0].sent[1]["content"]
    check_run(run, model)


def test_earlier_questions_of_a_conversation_are_chinese():
    one, _ = chinese(LOOK, "最终答案：28 度。")
    first = one.run("北京多少度？")
    for memory in (summary([first]), whole([first])):
        two, model = chinese("最终答案：22 度。")
        check_run(replace(two, fit=Earlier(memory)).run("巴黎呢？"), model)


def test_an_evaluation_is_chinese():
    results = list(evaluate(evaluation_cases(CHINESE_CASES), scripted_in_chinese))
    for result in results:
        check_run(result.run)
    for name, text in figures(results, "zh").items():
        assert not re.search("[A-Za-z]{2}", name + text)


def scripted_in_chinese(case) -> Agent:
    replies = [call(one["tool"], **one["arguments"]) for one in case.calls]
    return lab_agent(ScriptedModel([*replies, DONE]), case)


# Views and endpoint notes -----------------------------------------------------------------


def widget_words(box) -> str:
    """The descriptions and the HTML of a widget and of all inside it."""
    found = [str(getattr(box, "description", "")), str(getattr(box, "tooltip", "") or "")]
    found.append(page_words(str(getattr(box, "value", ""))))
    return "\n".join([*found, *map(widget_words, getattr(box, "children", ()))])


def test_the_controls_of_microscope_and_stepper_are_chinese():
    one, model, _ = writing()
    run = one.run("给小明发邮件。")
    for view in (
        microscope(run, one, limits={"steps": 8, "tokens": 900, "seconds": 60}),
        microscope("给小明发邮件。", one),
        stepper(run, go_on=one.stream, answer=lambda run, yes, why: run, limits={"steps": 8}),
    ):
        text = widget_words(view.box)
        check(text.replace("step(run, agent, approve=True)", ""))
        assert "同意" in text and "拒绝" in text and "下一步" in text
        for label in ("Back", "Next", "Stop", "Allow", "Deny", "Reason", "Observation", "Step"):
            assert label not in text
    view.next.click()
    assert "已到结尾" in view.status.value


def test_what_an_endpoint_refuses_is_told_in_chinese():
    learned = {"temperature": None, "max_tokens": "max_completion_tokens", "later system": True}
    learned |= {"system role": True, "own reasoning": True, "base url": "x", "blank content": None}
    said = [*notes(learned), *ENDINGS.values(), TOO_LONG, *(kind.advice for kind in KINDS)]
    said += ["waited 3 s: the endpoint was busy", "m: the connection broke (x). Before that: y."]
    for text in said:
        check(in_chinese(text))
    reply = Reply(DONE, finish_reason="stop", notes=notes(learned))
    one, model = agent(reply)
    run = one.run("？")
    assert "接口不接受 temperature，因此不再发送" in run.steps[0].reply.notes
    check_run(run, model)
    gone, _ = agent(ModelError(f"m: {KINDS[2].advice}", "rate limit"))
    assert gone.run("？").note == "m: 请求过于频繁。请稍后再试。"
