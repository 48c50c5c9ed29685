"""Loop: from a question to a Run that always says how it ended."""

from dataclasses import replace

import pytest

from react_lab.loop import Agent, FailureLimit, RepeatLimit, StepLimit, TimeLimit, TokenLimit, step
from react_lab.models import ModelError, Reply, ScriptedModel
from react_lab.parser import Malformed
from react_lab.registry import Registry
from react_lab.toolkit import lab_tools
from react_lab.trace import Run


def call(expression: str, tool: str = "calculator") -> str:
    return f'Thought: a sum.\nAction: {tool}\nAction Input: {{"expression": "{expression}"}}'


DONE = "Thought: I know.\nFinal Answer: done"


def run(*replies: str, tools: Registry | None = None, **settings) -> Run:
    agent = Agent(ScriptedModel(replies), lab_tools() if tools is None else tools, **settings)
    return agent.run("What is it?")


def test_a_whole_run():
    result = run(call("30*24"), "Thought: I know.\nFinal Answer: It is 720 hours.")
    assert (result.answer, result.stop, result.finished) == ("It is 720 hours.", "answered", True)
    first, last = result.steps
    assert first.observation.text == "720"
    assert last.observation is None


def test_what_is_sent_grows_by_the_reply_and_its_observation():
    first, second = run(call("6*7"), DONE).steps
    assert [m["role"] for m in first.sent] == ["system", "user"]
    assert first.sent[1]["content"] == "Question: What is it?"
    assert second.sent[:2] == first.sent
    assert second.sent[2:] == (
        {"role": "assistant", "content": call("6*7")},
        {"role": "user", "content": "Observation: 42"},
    )


def test_an_invented_observation_does_not_go_back_to_the_model():
    result = run(call("6*7") + "\nObservation: 41\nFinal Answer: 41", DONE)
    assert result.steps[1].sent[2]["content"] == call("6*7")
    assert result.steps[1].sent[3]["content"] == "Observation: 42"
    assert "Observation: 41" in result.steps[0].reply.text, "the trace keeps the reply whole"


def test_an_unreadable_reply_is_answered_with_what_to_write():
    result = run("I would use the calculator.", call("1+1"), DONE)
    assert result.finished
    assert isinstance(result.steps[0].move, Malformed)
    assert result.steps[1].sent[-1]["content"] == (
        "Observation: I could not read your reply: there is no Action and no Final Answer. "
        "Write Thought, Action and Action Input, or Thought and Final Answer."
    )


def test_an_unknown_tool_is_answered_with_the_names_nearest_first():
    seen = run(call("1+1", tool="calculate"), DONE).steps[0].observation
    assert seen.error == "unknown tool"
    assert seen.text.startswith("There is no tool named calculate. Use one of: calculator, ")


def test_a_tools_error_is_an_observation_that_helps():
    seen = run(call("1/0"), DONE).steps[0].observation
    assert seen.error == "tool error"
    assert seen.text == "Error: ValueError: Division by zero has no result."


def test_a_cut_result_says_so():
    tools = Registry(limit=5)
    tools.register(lambda: "123456789", name="long", description="A long text.")
    result = run("Action: long", DONE, tools=tools)
    assert result.steps[1].sent[-1]["content"] == (
        "Observation: 12345\n[cut: 4 more characters. Ask for less to see the rest.]"
    )


def test_the_third_same_call_is_warned_and_the_fourth_stops_the_run():
    result = run(*[call("6*7")] * 4, DONE)
    notices = [past.observation.notice for past in result.steps]
    assert notices[:2] == ["", ""]
    assert notices[2].startswith("You already called calculator with this input")
    assert (result.stop, len(result.steps)) == ("repeats", 4)
    assert result.answer == "done" and not result.finished


def test_spaces_and_case_do_not_hide_a_repeat():
    cities = ["oslo", "Oslo", " OSLO", "oslo "]
    said = [f'Action: get_weather\nAction Input: {{"city": "{city}"}}' for city in cities]
    assert run(*said, DONE).stop == "repeats"


def test_polling_with_changing_results_goes_on():
    tools, ticks = Registry(), iter(range(100))
    tools.register(lambda: f"{next(ticks)} %", name="progress", description="How far it is.")
    result = run(*["Action: progress"] * 6, DONE, tools=tools)
    assert result.finished and len(result.steps) == 7
    assert all(past.observation.notice == "" for past in result.steps[:-1])


def test_failures_of_one_tool_bring_a_hint_and_then_the_stop():
    result = run(call("1/0"), call("2/0"), call("3/0"), call("4/0"), DONE)
    assert result.steps[2].observation.notice.startswith("calculator failed 3 times.")
    assert result.stop == "failures"


def test_at_the_step_limit_the_model_is_asked_for_its_best_answer():
    result = run(call("6*7"), call("6*8"), DONE, stops=(StepLimit(2),))
    assert (result.stop, result.finished, len(result.steps)) == ("step limit", False, 2)
    assert result.answer == "done"
    assert result.last_word.sent[-1]["content"] == (
        "Observation: 48\nThis was the last step. Give the Final Answer now, from what you know."
    )
    assert "Not finished: step limit" in result.note


def test_an_answer_in_the_last_allowed_step_counts():
    assert run(call("6*7"), DONE, stops=(StepLimit(2),)).finished


def test_the_token_limit_counts_what_was_sent_and_received():
    def model(messages, tools=None):
        return Reply(call(f"1+{len(messages)}"), tokens_in=50, tokens_out=10)

    result = Agent(model, lab_tools(), stops=(TokenLimit(150),)).run("?")
    assert (result.stop, len(result.steps)) == ("token limit", 3)
    assert result.tokens == 4 * 60, "the last word is counted as well"
    assert result.answer is None, "the last word was no answer"


def test_the_time_limit_counts_model_and_tools():
    def model(messages, tools=None):
        return Reply(call(f"1+{len(messages)}"), seconds=4.0)

    result = Agent(model, lab_tools(), stops=(TimeLimit(10),)).run("?")
    assert (result.stop, len(result.steps)) == ("time limit", 3)


def test_when_the_model_cannot_be_asked_the_work_so_far_is_kept():
    result = run(call("6*7"))  # the script ends here
    assert (result.stop, len(result.steps)) == ("model error", 1)
    assert result.steps[0].observation.text == "42"
    assert "add one for this step" in result.note


def test_a_reply_cut_off_by_the_token_limit_is_told_so():
    def model(messages, tools=None):
        return Reply('Action: calculator\nAction Input: {"expr', finish_reason="length")

    result = Agent(model, lab_tools(), stops=(StepLimit(1),)).run("?")
    assert "it was cut off at the token limit" in result.steps[0].observation.text


def test_stream_yields_each_new_run_and_a_run_can_be_resumed():
    agent = Agent(ScriptedModel([call("6*7"), call("6*8"), DONE]), lab_tools())
    runs = list(agent.stream("What is it?"))
    assert [len(r.steps) for r in runs] == [0, 1, 2, 3]
    assert [r.stop for r in runs] == [None, None, None, "answered"]
    assert agent.run(runs[1]).answer == "done"
    assert step(runs[-1], agent) is runs[-1]


def test_an_interrupt_carries_the_run_so_far():
    def model(messages, tools=None):
        if len(messages) > 2:
            raise KeyboardInterrupt
        return Reply(call("6*7"))

    with pytest.raises(KeyboardInterrupt) as caught:
        Agent(model, lab_tools()).run("?")
    assert caught.value.run.steps[0].observation.text == "42"


def test_an_error_in_the_last_word_is_a_note():
    def model(messages, tools=None):
        if "last step" in messages[-1]["content"]:
            raise ModelError("The server is gone.")
        return Reply(call("6*7"))

    result = Agent(model, lab_tools(), stops=(StepLimit(1),)).run("?")
    assert result.stop == "step limit" and "The server is gone." in result.note


def test_fit_chooses_what_is_sent_and_the_record_stays_whole():
    agent = Agent(ScriptedModel([call("6*7")]), lab_tools(), fit=lambda messages: messages[-1:])
    result = agent.run("?")
    assert [m["role"] for m in result.steps[0].sent] == ["user"]
    assert result.steps[0].reply.text == call("6*7")


def test_a_chinese_agent_speaks_chinese():
    said = '思考：计算\n行动：calculator\n行动输入：{"expression": "6*7"}'
    result = run(said, "思考：知道了\n最终答案：42", language="zh")
    assert result.answer == "42"
    assert result.steps[0].sent[1]["content"] == "问题：What is it?"
    assert result.steps[1].sent[-1]["content"] == "观察：42"


NO_LIMITS = [StepLimit(0), TokenLimit(-1), TimeLimit(0), RepeatLimit(0), FailureLimit(0)]


@pytest.mark.parametrize("rule", NO_LIMITS)
def test_a_limit_that_no_run_can_keep_is_refused(rule):
    with pytest.raises(ValueError, match="give a limit above 0"):
        Agent(ScriptedModel([]), Registry(), stops=(rule,))


def test_the_last_step_is_kept_when_the_last_word_is_interrupted():
    def model(messages, tools=None):
        if "last step" in messages[-1]["content"]:
            raise KeyboardInterrupt
        return Reply(call("6*7"))

    with pytest.raises(KeyboardInterrupt) as caught:
        Agent(model, lab_tools(), stops=(StepLimit(1),)).run("?")
    assert (caught.value.run.stop, len(caught.value.run.steps)) == ("step limit", 1)


def test_a_resumed_run_shows_its_new_answer():
    agent = Agent(ScriptedModel([call("6*7"), DONE]), lab_tools(), stops=(StepLimit(1),))
    stopped = agent.run("?")
    assert stopped.answer == "done"
    later = Agent(ScriptedModel([call("6*7"), "Final Answer: new"]), lab_tools())
    resumed = later.run(replace(stopped, stop=None))
    assert (resumed.answer, resumed.stop, resumed.note) == ("new", "answered", "")


def test_what_is_kept_as_sent_is_what_was_sent():
    def greedy(messages, tools=None):
        messages.append({"role": "assistant", "content": "mine"})
        return Reply(DONE)

    agent = Agent(greedy, lab_tools(), fit=lambda messages: (m for m in messages))
    assert [m["role"] for m in agent.run("?").steps[0].sent] == ["system", "user"]


def test_an_answer_that_was_cut_off_is_not_finished():
    def model(messages, tools=None):
        return Reply("Final Answer: It costs 12", finish_reason="length")

    result = Agent(model, lab_tools(), stops=(StepLimit(1),)).run("?")
    assert not result.finished and result.answer is None


def test_a_bare_input_that_was_cut_off_does_not_run():
    def model(messages, tools=None):
        return Reply("Action: calculator\nAction Input: 365*2", finish_reason="length")

    result = Agent(model, lab_tools(), stops=(StepLimit(1),)).run("?")
    assert isinstance(result.steps[0].move, Malformed)


def test_reasons_are_said_in_chinese_too():
    result = run("嗯", "最终答案：好", language="zh")
    said = "无法读取你的回复：既没有行动，也没有最终答案。"
    assert result.steps[0].observation.text.startswith(said)
    said = "行动：calculator\n行动输入：{}"
    assert run(said, "最终答案：好", language="zh").steps[0].observation.text == (
        "输入有误。缺少：expression. calculator 的参数：expression."
    )


def test_an_unknown_language_is_refused():
    with pytest.raises(ValueError, match="give one of: en, zh"):
        Agent(ScriptedModel([]), Registry(), language="de")
