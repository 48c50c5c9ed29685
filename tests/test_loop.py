"""Loop: from a question to a Run that always says how it ended."""

import asyncio
import gc
import sys
from dataclasses import replace

import pytest

from helpers.fake_endpoint import chat_model, field_cases, registry_of, serve
from react_lab.function_calling import native_step
from react_lab.loop import Agent, step, text_step
from react_lab.models import ModelError, Reply, ScriptedModel
from react_lab.parser import FinalAnswer, Malformed
from react_lab.registry import Registry
from react_lab.stops import (
    FailureLimit,
    FormatLimit,
    RepeatLimit,
    SameTool,
    SkipRepeats,
    StepLimit,
    TimeLimit,
    TokenLimit,
)
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
    """It is not returned as the answer (run-llama/llama_index#19392)."""
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
    result = run(call("6*7"), call("6*8"), DONE, max_steps=2)
    assert (result.stop, result.finished, len(result.steps)) == ("step limit", False, 2)
    assert result.answer == "done"
    assert result.last_word.sent[-1]["content"] == (
        "Observation: 48\nThis was the last step. Give the Final Answer now, from what you know."
    )
    assert "Not finished: step limit" in result.note


def test_an_answer_in_the_last_allowed_step_counts():
    assert run(call("6*7"), DONE, max_steps=2).finished


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

    result = Agent(model, lab_tools(), max_steps=1).run("?")
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

    result = Agent(model, lab_tools(), max_steps=1).run("?")
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
NO_LIMITS += [FormatLimit(0)]


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
        Agent(model, lab_tools(), max_steps=1).run("?")
    assert (caught.value.run.stop, len(caught.value.run.steps)) == ("step limit", 1)


def test_a_fault_in_your_own_model_passes_through_and_the_stream_has_every_step():
    def model(messages, tools=None):
        if len(messages) > 2:
            raise ZeroDivisionError
        return Reply(call("6*7"))

    agent, runs = Agent(model, lab_tools()), []
    with pytest.raises(ZeroDivisionError):
        agent.run("?")
    with pytest.raises(ZeroDivisionError):
        for run in agent.stream("?"):
            runs.append(run)
    assert [s.observation.text for s in runs[-1].steps] == ["42"]


def test_a_question_that_is_no_text_is_said():
    for question in (42, None, ["How warm is it?"]):
        with pytest.raises(ValueError, match="give a text, in quotes"):
            Agent(ScriptedModel([]), lab_tools()).run(question)


def test_one_brake_without_its_tuple_is_said():
    with pytest.raises(ValueError, match=r"stops=\(StepLimit\(n=3\),\)"):
        Agent(ScriptedModel([DONE]), lab_tools(), stops=StepLimit(3))


def test_a_script_starts_again_with_each_run_whatever_a_policy_drops():
    model = ScriptedModel([call("6*7"), call("6*8"), call("6*9"), DONE])
    agent = Agent(model, lab_tools(), fit=lambda messages: messages[:2])  # no reply goes back
    for _ in range(2):
        assert [s.observation and s.observation.text for s in agent.run("?").steps] == [
            "42", "48", "54", None,
        ]  # fmt: skip


def test_a_resumed_run_shows_its_new_answer():
    agent = Agent(ScriptedModel([call("6*7"), DONE]), lab_tools(), max_steps=1)
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

    result = Agent(model, lab_tools(), max_steps=1).run("?")
    assert not result.finished and result.stop == "step limit"
    assert result.answer == "It costs 12"  # the best there is, as the last word


def test_a_bare_input_that_was_cut_off_does_not_run():
    def model(messages, tools=None):
        return Reply("Action: calculator\nAction Input: 365*2", finish_reason="length")

    result = Agent(model, lab_tools(), max_steps=1).run("?")
    assert isinstance(result.steps[0].move, Malformed)


def test_a_name_that_may_have_been_cut_off_does_not_run():
    def model(messages, tools=None):
        return Reply("Action: status", finish_reason="length")  # or status_of_everything?

    tools = Registry()
    tools.register(lambda: pytest.fail("it ran"), name="status", description="The state.")
    result = Agent(model, tools, max_steps=1).run("?")
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


# Going round in circles -------------------------------------------------------------------


def test_a_closing_mark_does_not_hide_a_repeat():
    cities = ["Oslo", "Oslo.", "oslo!", "Oslo。"]
    tools = Registry()
    tools.register(lambda city: "no such city", name="look", description="Look a city up.")
    said = [f'Action: look\nAction Input: {{"city": "{city}"}}' for city in cities]
    assert run(*said, DONE, tools=tools).stop == "repeats"


def test_two_calls_that_take_turns_are_warned_and_stopped():
    result = run(*[call("6*7"), call("6*8")] * 8, max_steps=16)
    assert (result.stop, len(result.steps)) == ("repeats", 8)
    assert [bool(past.observation.notice) for past in result.steps] == [False] * 5 + [True] * 3


def test_the_same_call_again_after_something_new_is_no_repeat():
    said = [call(f"{n}*7" if n % 2 else "1+1") for n in range(10)]
    result = run(*said, DONE, max_steps=12)
    assert result.finished and len(result.steps) == 11


def test_a_poll_that_swings_between_two_results_goes_on():
    tools, states = Registry(), iter(["open", "shut"] * 5)
    tools.register(lambda: next(states), name="door", description="Whether it is open.")
    result = run(*["Action: door"] * 7, DONE, tools=tools)
    assert result.finished and not any(s.observation.notice for s in result.steps[:-1])


def test_waiting_and_looking_in_turn_goes_on_while_the_look_changes():
    tools, states = Registry(), iter(range(9))
    tools.register(lambda: "waited", name="wait", description="Wait a minute.")
    tools.register(lambda: f"{next(states)} %", name="look", description="How far it is.")
    result = run(*["Action: wait", "Action: look"] * 5, DONE, tools=tools, max_steps=20)
    assert result.finished and not any(s.observation.notice for s in result.steps[:-1])


def test_tools_that_do_not_exist_are_one_failure_whatever_their_names():
    result = run(*[call("1", tool=name) for name in ("sum", "add", "plus", "total")], DONE)
    assert (result.stop, len(result.steps)) == ("failures", 4)


def test_four_unreadable_replies_in_a_row_end_the_run():
    result = run("hm", "well", call("6*7"), "so", "then", "now", "oh", DONE)
    assert (result.stop, len(result.steps)) == ("format faults", 7)
    assert result.answer == "done"


# A tool that writes -----------------------------------------------------------------------

SEND = "Thought: ask.\nAction: send\nAction Input: hello"


def writing(**settings) -> tuple[Agent, list[str]]:
    """An agent with a tool that writes, and what it has written."""
    tools, sent = Registry(), []
    tools.register(
        lambda text: sent.append(text), name="send", description="Send a text.", effect="write"
    )
    return Agent(ScriptedModel([SEND, DONE]), tools, **settings), sent


def test_a_tool_that_writes_waits_for_a_person():
    agent, sent = writing()
    waiting = agent.run("?")
    assert (waiting.stop, waiting.finished, sent) == ("needs approval", False, [])
    assert (waiting.pending.tool, waiting.pending.arguments) == ("send", {"text": "hello"})
    assert waiting.last_word is None, "nobody is asked for a last word while it waits"
    assert step(waiting, agent) is waiting


def test_yes_runs_it_and_the_run_goes_on():
    agent, sent = writing()
    run = step(agent.run("?"), agent, approve=True)
    assert (sent, run.stop, len(run.steps)) == (["hello"], None, 1)
    assert run.pending is None
    assert agent.run(run).answer == "done"


def test_yes_with_a_note_tells_the_model_both():
    agent, _ = writing()
    run = agent.run(step(agent.run("?"), agent, approve=True, note="This once."))
    assert run.steps[1].sent[-1]["content"] == (
        "Observation: Done. The tool returned nothing.\nThis once."
    )


def test_no_is_an_observation():
    agent, sent = writing()
    run = step(agent.run("?"), agent, approve=False, note="Ask Ada first.")
    seen = run.steps[0].observation
    assert (sent, run.stop, seen.error) == ([], None, "refused")
    assert seen.text == "A person did not allow this call of send. Ask Ada first."
    assert agent.run(run).steps[1].sent[-1]["content"].startswith("Observation: A person did not")


def test_a_callback_answers_at_once():
    asked = []
    agent, sent = writing(approve=lambda action, run: asked.append((action, run)) or True)
    result = agent.run("Send hello.")
    assert result.answer == "done" and sent == ["hello"]
    assert [(a.tool, r.question) for a, r in asked] == [("send", "Send hello.")]


@pytest.mark.parametrize("no", [False, None, 0])
def test_a_callback_can_say_no(no):
    agent, sent = writing(approve=lambda action, run: no)
    result = agent.run("?")
    assert (result.answer, sent) == ("done", [])
    assert result.steps[0].observation.text == "A person did not allow this call of send."


def test_an_error_in_the_callback_counts_as_no():
    agent, sent = writing(approve=lambda action: True)
    result = agent.run("?")
    assert (result.answer, sent) == ("done", [])
    assert "Nobody could be asked (TypeError" in result.steps[0].observation.text


async def ask_later(action, run):
    return False


@pytest.mark.parametrize("answer", [lambda action, run: "no", ask_later])
@pytest.mark.filterwarnings("ignore:coroutine")
def test_only_true_is_a_yes(answer):
    agent, sent = writing(approve=answer)
    result = agent.run("?")
    assert (result.answer, sent) == ("done", [])
    assert "not True or False" in result.steps[0].observation.text


def test_a_word_is_no_yes_to_a_call_that_waits():
    agent, sent = writing()
    with pytest.raises(ValueError, match="approve is 'no'; give True or False"):
        step(agent.run("?"), agent, approve="no")
    assert sent == []


@pytest.mark.parametrize("answer", [1, 0, 1.0, "yes", None, [True], b"1"])
def test_only_true_and_false_answer_a_call_that_waits(answer):
    agent, sent = writing()
    run = agent.run("?")
    with pytest.raises(ValueError, match="give True or False"):
        agent.resume(run, approve=answer)
    assert sent == []


def test_an_interrupt_while_a_person_is_asked_leaves_the_call_unmade():
    def interrupted(action, run):
        raise KeyboardInterrupt

    agent, sent = writing(approve=interrupted)
    with pytest.raises(KeyboardInterrupt) as caught:
        agent.run("?")
    seen = caught.value.run.steps[0].observation
    assert (sent, seen.error) == ([], "interrupted")
    assert seen.text == "A person interrupted the run. This call was not made."


def test_nobody_is_asked_for_a_call_that_cannot_run():
    agent, sent = writing(approve=lambda action, run: pytest.fail("asked"))
    agent = replace(agent, model=ScriptedModel(["Action: send\nAction Input: {}", DONE]))
    assert agent.run("?").steps[0].observation.error == "bad arguments"


def test_four_refusals_end_the_run():
    agent, _ = writing(approve=lambda action, run: False)
    agent = replace(agent, model=ScriptedModel([SEND] * 4 + [DONE]))
    assert agent.run("?").stop == "repeats"


# What comes from outside ------------------------------------------------------------------


def test_an_interrupt_in_a_tool_closes_the_call_and_the_run_can_go_on():
    tools = Registry()
    ticks = iter([KeyboardInterrupt, None])

    def slow() -> str:
        if fault := next(ticks):
            raise fault
        return "two"

    tools.register(slow, description="Is interrupted once.")
    agent = Agent(ScriptedModel(["Action: slow", "Action: slow", DONE]), tools)
    with pytest.raises(KeyboardInterrupt) as caught:
        agent.run("?")
    so_far = caught.value.run
    assert (so_far.stop, so_far.note, len(so_far.steps)) == (None, "Interrupted.", 1)
    assert so_far.steps[0].observation.error == "interrupted"
    result = agent.run(so_far)
    assert (result.answer, result.note) == ("done", "")
    assert [m["role"] for m in result.steps[1].sent] == ["system", "user", "assistant", "user"]
    assert result.steps[1].observation.text == "two"


@pytest.mark.parametrize(
    "reply", [Reply(None), Reply(b"x"), Reply(["a"]), Reply("", None), Reply("", ("x",))]
)
@pytest.mark.parametrize("protocol", [text_step, native_step])
def test_a_reply_of_another_shape_is_named(reply, protocol):
    with pytest.raises(TypeError, match="The model gave"):
        Agent(lambda messages, tools=None: reply, [now], protocol=protocol).run("?")


@pytest.mark.parametrize(
    "setting",
    [
        {"max_steps": "3"},
        {"max_steps": True},
        {"max_seconds": "x"},
        {"max_tokens": [9]},
        {"fit": "x"},
        {"fit": 4},
        {"approve": "yes"},
        {"approve": True},
        {"protocol": "native"},
        {"protocol": None},
        {"stops": (5,)},
        {"stops": ("step limit",)},
        {"model": "gpt"},
    ],
)
def test_a_setting_that_cannot_work_is_named_before_the_run(setting):
    """approve=True would have refused every call, without a word before the first one."""
    (name,) = setting
    with pytest.raises(ValueError, match=rf"^{name}.* is .*; give a (function|number)"):
        Agent(**{"model": lambda messages: Reply("Final Answer: 4"), "tools": [now], **setting})


def now() -> str:
    """Tell the time."""
    return "noon"


def test_a_model_that_gives_a_text_is_told_to_give_a_reply():
    with pytest.raises(TypeError, match=r"The model gave str; let it return Reply\(text=...\)"):
        Agent(lambda messages: DONE, Registry()).run("?")


def test_a_reply_that_came_with_an_error_is_kept():
    def model(messages, tools=None):
        raise ModelError("All of it was spent on reasoning.", "empty", Reply("", reasoning="hm"))

    result = Agent(model, Registry()).run("?")
    assert (result.stop, len(result.steps)) == ("model error", 1)
    assert result.steps[0].reply.reasoning == "hm"
    assert [m["role"] for m in result.steps[0].sent] == ["system", "user"]


def test_it_works_inside_a_running_event_loop():
    async def cell():
        return run(call("6*7"), DONE).answer

    assert asyncio.run(cell()) == "done"


def test_fewer_prompt_tokens_for_a_longer_history_are_noted():
    counts = [900, 1000, 400, 100]

    def model(messages, tools=None):
        return Reply(call(f"1+{len(messages)}"), tokens_in=counts.pop(0))

    result = Agent(model, lab_tools(), max_steps=3).run("?")
    assert [len(past.reply.notes) for past in result.steps] == [0, 0, 1]
    assert "1000" in result.steps[2].reply.notes[0] and "400" in result.steps[2].reply.notes[0]
    assert result.last_word.reply.notes == (), "asked without tools, it may well be shorter"


# Situations met in public, from data/field_cases.jsonl --------------------------------------

CASES = field_cases()


def play(name: str) -> tuple[Run, list[list[dict]], dict]:
    """A case of the text format: its run, the messages of each request, the names it defines."""
    given = CASES[name]["input"]
    tools, names = registry_of(given["tools"])
    steps = given["settings"].get("max_steps", 8)
    with serve(given["server"]) as endpoint:
        model = chat_model(given["settings"], endpoint.port)
        result = Agent(model, tools, max_steps=steps).run(given["question"])
    return result, [request.messages for request in endpoint.requests], names


def calls(result: Run) -> list[dict]:
    return [p.move.arguments for p in result.steps if p.observation and not p.observation.error]


@pytest.mark.parametrize(
    "name, requests",
    [
        ("req-three-refusals-in-a-row", 4),
        ("req-stop-refused-text-mode", 2),
        ("rep-think-block-with-action-inside", 2),
        ("loop-forged-whole-game", 2),
        ("loop-format-fault-is-asked-again", 3),
    ],
)
def test_one_call_then_the_answer(name, requests):
    result, sent, _ = play(name)
    assert (result.answer, result.finished) == ("1.9 m", True)
    assert calls(result) == [{"port": "Ribe"}]
    assert sent[-1][-1]["content"] == "Observation: 1.9"
    assert len(sent) == requests


def test_the_correction_shows_what_to_write():
    _, sent, _ = play("loop-format-fault-is-asked-again")
    assert "Write Thought, Action and Action Input" in sent[1][-1]["content"]


def test_a_format_fault_for_ever_ends():
    result, sent, _ = play("loop-format-fault-for-ever")
    assert (result.stop, result.finished) == ("format faults", False)
    assert len(sent) <= 6


@pytest.mark.parametrize(
    "name",
    [
        "req-one-system-message-first",
        "req-strict-alternation-after-correction",
        "rep-content-blank-text-mode",
    ],
)
def test_a_server_that_is_strict_about_turns_is_content(name):
    result, sent, _ = play(name)
    assert (result.answer, result.finished) == ("1.9 m", True)
    assert all(message["content"].strip() for messages in sent for message in messages)
    assert all([m["role"] for m in messages].count("system") == 1 for messages in sent)


def test_a_server_without_a_system_role_gets_its_text_from_the_user():
    result, sent, _ = play("req-system-role-refused")
    assert result.answer == "4"
    assert [m["role"] for m in sent[1]] == ["user"]
    assert "Final Answer" in sent[1][0]["content"] and "2+2?" in sent[1][0]["content"]


def test_a_refused_order_of_messages_is_not_asked_for_again_and_again():
    result, sent, _ = play("req-template-500-is-not-a-hiccup")
    assert result.stop == "model error" and len(sent) <= 2
    assert "roles out of order" in result.note and "order of the messages" in result.note


def test_thinking_before_a_lone_closing_tag_is_no_answer():
    result, _, _ = play("rep-think-close-tag-only")
    assert result.answer == "5"


def test_nothing_runs_out_of_unfinished_thinking():
    result, _, _ = play("rep-think-never-closed")
    assert calls(result) == [] and result.answer == "unknown"


def test_json_in_an_answer_is_part_of_the_answer():
    result, _, _ = play("rep-json-after-final-answer")
    body = '{"action": "tide", "action_input": {"port": "Ribe"}}'
    assert result.steps[0].move == FinalAnswer("done", f"use this body: {body}")


def test_an_escaped_emoji_is_read_as_one_letter():
    result, _, names = play("loop-escaped-emoji-in-text-mode")
    assert names["NOTES"] == ["tea 🍵"] and result.answer == "done"


# Near repeats, one tool again and again, and a call that is not run again ------------------


def search(*queries: str, **settings) -> Run:
    said = [f'Action: search_docs\nAction Input: {{"query": "{query}"}}' for query in queries]
    return run(*said, DONE, **settings)


def test_a_result_that_only_echoes_the_input_is_no_news():
    spaced = ["Hangzhou weather", "Hangzhou  weather"] * 4
    result = search(*spaced)
    texts = {past.observation.text for past in result.steps}
    assert len(texts) == 2, "the tool echoes the query, so the results differ"
    assert result.steps[1].observation.notice == ""
    assert result.steps[2].observation.notice == (
        "You asked search_docs for nearly the same 3 times and learnt nothing new. "
        "Change the input or give the Final Answer."
    )
    assert (result.stop, len(result.steps)) == ("repeats", 4)


@pytest.mark.parametrize(
    ("queries", "warned"),
    [
        (["parking fee", "fee parking", "parking fees"], True),  # other order, other ending
        (["opening of the moon", "opening of the moons", "openings of the moon"], True),
        (["moon", "comet", "planet"], False),  # three questions
        (["bolt 12", "bolt 13", "bolt 14"], False),  # three articles
        (["refund", "refund window", "refund"], False),  # something was found
    ],
)
def test_nearly_the_same_input_is_warned_of_when_nothing_new_was_learnt(queries, warned):
    tools = Registry()

    @tools.register(name="search_docs", description="Search.")
    def found(query: str) -> str:
        known = {"refund": "30 days", "refund window": "from delivery"}
        return known.get(query, f"No passage found for {query!r}.")

    notices = [past.observation.notice for past in search(*queries, tools=tools).steps[:-1]]
    assert notices[:2] == ["", ""]
    assert ("for nearly the same 3 times" in notices[2]) == warned


def test_a_changing_result_is_news_even_when_the_input_stands_in_it():
    tools, ticks = Registry(), iter(range(1, 100))
    tools.register(lambda job: f"job {job}: {next(ticks)} of 7", name="state", description="A job.")
    result = run(*['Action: state\nAction Input: {"job": "7"}'] * 7, DONE, tools=tools)
    assert result.finished and {past.observation.notice for past in result.steps[:-1]} == {""}


def weather(*cities: str) -> list[str]:
    return [f'Action: get_weather\nAction Input: {{"city": "{city}"}}' for city in cities]


def test_one_tool_three_rounds_in_a_row_is_reminded_of_when_asked_for():
    said = [*weather("Oslo", "Rome", "Lima", "Cairo"), call("1+1"), DONE]
    quiet = run(*said)
    assert {past.observation.notice for past in quiet.steps[:-1]} == {""}, "three honest questions"
    notices = [past.observation.notice for past in run(*said, stops=(SameTool(),)).steps[:-1]]
    assert [bool(text) for text in notices] == [False, False, True, True, False]
    assert notices[2] == (
        "You have called get_weather 3 times in a row. If it does not help, use another tool or "
        "give the Final Answer."
    )


def test_one_tool_in_a_row_can_stop_the_run():
    said = [*weather("Oslo", "Rome", "Lima"), DONE]
    result = run(*said, stops=(SameTool(stop=3),))
    assert (result.stop, len(result.steps), result.answer) == ("same tool", 3, "done")
    assert run(*weather("Oslo", "Rome"), call("1+1"), DONE, stops=(SameTool(stop=3),)).finished
    with pytest.raises(ValueError, match="at least 2"):
        SameTool(stop=1)


def test_the_third_identical_call_is_not_run_when_asked_for():
    tools, ran = Registry(), []

    @tools.register(name="count", description="Counts its calls.")
    def count(word: str) -> str:
        ran.append(word)
        return "5 letters"

    said = ['Action: count\nAction Input: {"word": "tiger"}'] * 5
    result = run(*said, DONE, tools=tools, stops=(SkipRepeats(),))
    assert ran == ["tiger", "tiger"]
    third = result.steps[2].observation
    assert (third.text, third.error) == (
        "You already called count with this input, so it was not run again. "
        "Change the input or give the Final Answer.",
        "not repeated",
    )
    assert result.steps[3].observation.error == "not repeated", "nor is the fourth"
    run(*said[:3], DONE, tools=tools)
    assert len(ran) == 5, "without the rule the third one runs"


def test_a_poll_is_run_again_with_every_rule():
    tools, ticks = Registry(), iter(range(100))
    tools.register(lambda: f"{next(ticks)} %", name="progress", description="How far it is.")
    result = run(*["Action: progress"] * 6, DONE, tools=tools, stops=(SkipRepeats(), SameTool(9)))
    assert result.finished and next(ticks) == 6


def test_nobody_is_asked_about_a_call_that_is_not_run_again():
    tools, asked = Registry(), []
    tools.register(lambda to: "sent", name="send", description="Sends.", effect="write")

    def approve(move, run):
        asked.append(move)
        return True

    said = ['Action: send\nAction Input: {"to": "Ann"}'] * 3
    run(*said, DONE, tools=tools, approve=approve, stops=(SkipRepeats(),))
    assert len(asked) == 2


# What a round costs: each thing is worked out once


def test_steps_share_the_messages_that_they_have_in_common():
    """Each step keeps what was sent: 600 steps would hold 600 copies of the first round."""
    first, second, third = run(call("6*7"), call("6*8"), DONE).steps
    assert second.sent[2:4] == third.sent[2:4]
    assert all(mine is theirs for mine, theirs in zip(second.sent[2:4], third.sent[2:4]))
    assert first.once("a", list) is first.once("a", list)


def test_a_model_that_changes_its_messages_changes_no_earlier_step():
    def vandal(messages):
        answers = len(messages) // 2
        for one in messages:
            one["content"] = "changed"
        return Reply(call(f"6*{answers}") if answers < 3 else DONE)

    steps = Agent(vandal, lab_tools()).run("What is it?").steps
    assert steps[2].sent[3]["content"] == "Observation: 6"
    assert steps[0].sent[1]["content"] == "Question: What is it?"


def test_a_tool_that_is_added_in_the_middle_of_a_run_is_described_and_found():
    tools = Registry()

    @tools.register
    def open_box() -> str:
        "Open the box. Use it first."
        tools.register(lambda: "gold", name="look_inside", description="Look inside.")
        return "It is open."

    first, second, _ = run(
        "Action: open_box\nAction Input: {}",
        "Action: look_inside\nAction Input: {}",
        DONE,
        tools=tools,
    ).steps
    assert "look_inside" not in first.sent[0]["content"]
    assert "look_inside" in second.sent[0]["content"]
    assert second.observation.text == "gold"


def test_a_signature_is_read_once(monkeypatch):
    from react_lab.registry import registry

    read, tools = [], lab_tools()
    parameters_of = registry.parameters_of
    monkeypatch.setattr(
        registry, "parameters_of", lambda function: read.append(1) or parameters_of(function)
    )
    run(call("6*7"), call("6*8"), call("6*9"), DONE, tools=tools)
    assert len(read) == 1


@pytest.mark.parametrize("step", [text_step, native_step])
def test_the_work_of_a_round_does_not_grow_with_the_square_of_the_steps(step):
    """Counted in calls of Python functions. Four times the steps: 4 is linear, 16 the square."""

    def cost(steps):
        replies = iter([call(f"6*{number}") for number in range(steps)] + [DONE])
        agent = Agent(
            lambda messages, tools=None: Reply(next(replies)),
            lab_tools(),
            max_steps=9999,
            protocol=step,
        )
        calls = 0

        def count(frame, event, arg):
            nonlocal calls
            calls += event == "call"

        gc.disable()  # a finalizer of another test's objects would be counted too
        sys.setprofile(count)
        try:
            assert len(agent.run("What is it?").steps) == steps + 1
        finally:
            sys.setprofile(None)
            gc.enable()
        return calls

    cost(2)  # fills what is kept from run to run, such as imports and compiled patterns
    short, long = cost(15), cost(60)
    assert long < 7 * short
