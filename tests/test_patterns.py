"""Patterns on top of the loop: what each one asks, does and keeps, with the lab's real tools."""

import ast
import inspect
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from react_lab import patterns
from react_lab.function_calling import native_step
from react_lab.loop import Agent
from react_lab.models import ModelError, Reply, ScriptedModel
from react_lab.patterns import (
    TEXTS,
    Outcome,
    accepted,
    plan_and_execute,
    reflect,
    reflexion,
    route,
)
from react_lab.toolkit import lab_tools
from react_lab.trace import Run, load, save

TOOLS = lab_tools(datetime(2026, 6, 1, 12, 0, tzinfo=UTC))
QUESTION = "Multiply the temperature in Copenhagen by 12."
RIGHT = "Thought: I know it.\nFinal Answer: It is 204."
WRONG = "Thought: I know it.\nFinal Answer: It is 200."


def call(tool, key, value):
    return f'Thought: I need this.\nAction: {tool}\nAction Input: {{"{key}": "{value}"}}'


LOOK = call("get_weather", "city", "Copenhagen")  # 17 °C
TIMES = call("calculator", "expression", "17*12")


def plays(*lines):
    """A model that says its lines in order, whatever it is sent. An exception is raised.

    `.sent` keeps what it was sent.
    """
    left, sent = list(lines), []

    def model(messages, tools=None):
        sent.append(messages)
        line = left.pop(0)
        if isinstance(line, BaseException):
            raise line
        return line if isinstance(line, Reply) else Reply(line, tokens_in=100, tokens_out=10)

    model.sent = sent
    return model


def agent(*lines, **more):
    return Agent(plays(*lines), TOOLS, **more)


def asked(model):
    """What the model was asked, the last message of each request."""
    return [messages[-1]["content"] for messages in model.sent]


GONE = ModelError("The endpoint is gone. Start it.")
PLAN = "1. How warm is it in Copenhagen?\n2. What is that times 12?"


# Plan and execute -----------------------------------------------------------------------------


def test_each_step_of_a_plan_is_a_run_that_knows_what_was_found_before():
    worker = agent(LOOK, "Final Answer: It is 17 °C.", TIMES, "Final Answer: 204", RIGHT)
    planner = plays(PLAN)
    done = plan_and_execute(QUESTION, worker, planner)

    assert (done.answer, done.stop) == ("It is 204.", "answered")
    assert [run.question for run in done.runs] == [
        "How warm is it in Copenhagen?",
        "What is that times 12?\nKnown already:\n- How warm is it in Copenhagen? It is 17 °C.",
        f"{QUESTION}\nKnown already:\n- How warm is it in Copenhagen? It is 17 °C.\n"
        "- What is that times 12? 204",
    ]
    assert [past.observation.text for past in done.runs[1].steps[:1]] == ["204"]
    assert [reply.text for reply in done.asked] == [PLAN]


def test_the_planner_is_told_the_question_and_every_tool():
    planner = plays(PLAN)
    plan_and_execute(QUESTION, agent(*["Final Answer: 17"] * 3), planner)
    (request,) = asked(planner)
    assert f"Question: {QUESTION}" in request
    assert all(f"- {tool.name}: {tool.description}" in request for tool in TOOLS)


def test_at_a_fork_plain_react_does_the_rest_with_what_is_known():
    fork = "1. How warm is it in Copenhagen?\n2. FORK: it depends on the temperature.\n3. Never."
    worker = agent(LOOK, "Final Answer: 17 °C", TIMES, RIGHT)
    done = plan_and_execute(QUESTION, worker, plays(fork))
    assert done.answer == "It is 204."
    assert len(done.runs) == 2
    assert done.runs[1].question.startswith(QUESTION + "\nKnown already:")
    assert done.runs[1].steps[0].observation.text == "204"


@pytest.mark.parametrize("nothing", ["", "I would look up the weather.", "1.", "FORK", "1. FORK"])
def test_without_a_plan_that_can_be_read_it_is_plain_react(nothing):
    worker, alone = agent(LOOK, TIMES, RIGHT), agent(LOOK, TIMES, RIGHT)
    done = plan_and_execute(QUESTION, worker, plays(nothing))
    assert (done.answer, len(done.runs), len(done.asked)) == ("It is 204.", 1, 1)
    assert alone.run(QUESTION).answer == "It is 204."
    assert worker.model.sent == alone.model.sent


def test_after_a_step_that_failed_the_rest_is_planned_anew():
    worker = agent(
        *[LOOK, LOOK, "I do not know."],  # the limit, and its last word
        *["Final Answer: 17 °C", RIGHT],
        max_steps=2,
    )
    planner = plays(PLAN, "1. Ask again how warm it is.")
    done = plan_and_execute(QUESTION, worker, planner)
    assert done.answer == "It is 204."
    assert [run.stop for run in done.runs] == ["step limit", "answered", "answered"]
    assert asked(planner)[1].endswith(
        "Known already:\n- How warm is it in Copenhagen? failed (step limit)"
    )


def test_it_plans_anew_only_so_often():
    worker = agent(*[LOOK, "?"] * 3, LOOK, RIGHT, max_steps=1)
    done = plan_and_execute(QUESTION, worker, plays(PLAN, PLAN))
    assert len(done.asked) == 1 + patterns.REPLANS == 2
    assert [run.stop for run in done.runs] == ["step limit"] * 4
    assert (done.answer, done.stop) == ("It is 204.", "step limit")
    assert not done.finished


def test_a_plan_without_end_is_cut():
    endless = "\n".join(f"{n}. How warm is it in Copenhagen?" for n in range(1, 100))
    done = plan_and_execute(QUESTION, agent(*["Final Answer: 17"] * 9), plays(endless))
    assert len(done.runs) == patterns.LONGEST + 1


# Reflection -----------------------------------------------------------------------------------


def test_an_accepted_draft_goes_out_as_it_is():
    reviewer = plays("OK, all of it was looked up.")
    done = reflect(QUESTION, Agent(ScriptedModel([LOOK, TIMES, RIGHT]), TOOLS), reviewer)
    assert (done.answer, done.stop) == ("It is 204.", "answered")
    assert len(done.runs[0].steps) == 3
    (request,) = asked(reviewer)
    assert "Answer: It is 204." in request
    assert '- calculator {"expression": "17*12"}: 204' in request


def test_after_an_objection_the_same_run_goes_on_and_may_call_tools():
    script = ScriptedModel([LOOK, WRONG, TIMES, RIGHT])
    done = reflect(QUESTION, Agent(script, TOOLS), plays("Nobody worked out the product."))
    (run,) = done.runs
    assert (done.answer, done.stop) == ("It is 204.", "answered")
    assert [past.reply.text for past in run.steps] == [LOOK, WRONG, TIMES, RIGHT]
    assert "Nobody worked out the product." in run.steps[1].observation.text
    assert run.steps[2].observation.text == "204"
    assert run.steps[2].sent[-1]["content"].startswith("Observation: A reviewer does not accept")


def test_a_second_review_is_one_more_call_with_the_run_that_came_out():
    worker = Agent(ScriptedModel([LOOK, WRONG, WRONG, TIMES, RIGHT]), TOOLS)
    first = reflect(QUESTION, worker, plays("No."))
    second = reflect(first.runs[0], worker, plays("Still not."))
    assert (first.answer, second.answer) == ("It is 200.", "It is 204.")
    assert len(second.runs[0].steps) == 5


def test_the_brakes_count_the_drafts_as_well():
    script = ScriptedModel([LOOK, WRONG, TIMES, TIMES, TIMES])
    done = reflect(QUESTION, Agent(script, TOOLS, max_steps=3), plays("No."))
    assert (done.stop, done.finished) == ("step limit", False)
    assert done.answer == "It is 200.", "the draft is the best there is"


def test_a_run_that_a_limit_stopped_is_not_reviewed():
    stopped = Agent(ScriptedModel([LOOK, RIGHT]), TOOLS, max_steps=1)
    done = reflect(QUESTION, stopped, plays())
    assert (done.answer, done.stop, done.asked) == ("It is 204.", "step limit", ())


def test_a_run_made_before_is_not_made_again():
    before = Agent(ScriptedModel([LOOK, TIMES, RIGHT]), TOOLS).run(QUESTION)
    done = reflect(before, agent(), plays("OK"))
    assert done.runs == (before,)
    assert done.question == QUESTION


def test_a_review_works_for_native_calls_as_well():
    function = {"name": "calculator", "arguments": '{"expression": "17*12"}'}
    native = Reply("", tool_calls=({"id": "a", "type": "function", "function": function},))
    worker = agent("It is 200.", native, "It is 204.", protocol=native_step)
    done = reflect(QUESTION, worker, plays("Work it out."))
    assert (done.answer, done.stop) == ("It is 204.", "answered")
    assert worker.model.sent[1][-1]["content"].startswith("A reviewer does not accept")


def test_a_reviewed_run_can_be_saved_and_read_back(tmp_path):
    script = ScriptedModel([LOOK, WRONG, TIMES, RIGHT])
    (run,) = reflect(QUESTION, Agent(script, TOOLS), plays("Work it out.")).runs
    save(run, tmp_path / "run.jsonl")
    assert load(tmp_path / "run.jsonl") == run


@pytest.mark.parametrize(
    "review, yes",
    [
        ("OK", True),
        ("**OK.** Fine.", True),
        ("ok", True),
        ("Okra is no city.", False),
        ("It is not OK.", False),
        ("", False),
    ],
)
def test_only_a_review_that_begins_with_ok_accepts(review, yes):
    assert accepted(review) is yes


# Reflexion ------------------------------------------------------------------------------------


def is_204(run):
    return run.finished and "204" in run.answer


def test_a_try_that_passes_needs_no_lesson():
    done = reflexion(QUESTION, agent(LOOK, TIMES, RIGHT), is_204, coach=plays())
    assert (done.answer, done.stop, done.asked) == ("It is 204.", "answered", ())


def test_each_next_try_knows_the_lessons_so_far():
    worker = agent(WRONG, LOOK, WRONG, LOOK, TIMES, RIGHT)
    coach = plays("Look it up.", "Work it out.")
    done = reflexion(QUESTION, worker, is_204, coach)
    assert (done.answer, done.stop) == ("It is 204.", "answered")
    assert [run.question for run in done.runs] == [
        QUESTION,
        f"{QUESTION}\nLessons from earlier tries:\n- Look it up.",
        f"{QUESTION}\nLessons from earlier tries:\n- Look it up.\n- Work it out.",
    ]
    assert "What was" not in asked(coach)[0] and "- nothing" in asked(coach)[0]
    assert '- get_weather {"city": "Copenhagen"}: Copenhagen: 17 °C' in asked(coach)[1]


def test_when_no_try_passes_the_outcome_says_so_and_keeps_the_last_answer():
    done = reflexion(QUESTION, agent(WRONG, WRONG), is_204, plays("Look it up."), tries=2)
    assert (done.answer, done.stop, done.finished) == ("It is 200.", "check failed", False)
    assert len(done.runs) == 2


def test_a_limit_is_one_try_and_its_reason_is_told_to_the_coach():
    coach = plays("Answer sooner.")
    done = reflexion(QUESTION, agent(LOOK, "?", RIGHT, max_steps=1), is_204, coach)
    assert done.finished
    assert "Not finished: step limit." in asked(coach)[0]


# Routing --------------------------------------------------------------------------------------


def test_one_model_makes_the_tool_steps_and_another_the_answer():
    worker, answerer = agent(LOOK, TIMES, RIGHT), plays("Twelve times 17 makes 204.")
    done = route(QUESTION, worker, answerer)
    assert (done.answer, done.stop) == ("Twelve times 17 makes 204.", "answered")
    assert (len(worker.model.sent), len(answerer.sent)) == (3, 1)
    assert '- calculator {"expression": "17*12"}: 204' in asked(answerer)[0]
    assert done.runs[0].answer == "It is 204.", "the first model's own answer stays in the record"


def test_an_answer_behind_the_label_is_read():
    done = route(QUESTION, agent(LOOK, TIMES, RIGHT), plays("Thought: so.\nFinal Answer: 204."))
    assert done.answer == "204."


@pytest.mark.parametrize(
    "reply", ["", "  ", LOOK, Reply("Twelve times", finish_reason="length")], ids=repr
)
def test_what_is_no_whole_answer_is_not_returned_as_one(reply):
    done = route(QUESTION, agent(LOOK, TIMES, RIGHT), plays(reply))
    assert (done.answer, done.stop) == ("It is 204.", "no answer")


def test_a_run_that_did_not_finish_is_not_routed():
    stopped = agent(LOOK, RIGHT, max_steps=1)
    done = route(QUESTION, stopped, plays())
    assert (done.answer, done.stop) == ("It is 204.", "step limit")


# Nothing is lost ------------------------------------------------------------------------------


def test_tokens_seconds_and_replies_are_those_of_all_models():
    worker = agent(LOOK, TIMES, RIGHT)
    done = route(QUESTION, worker, plays(Reply("204", tokens_in=7, tokens_out=1, seconds=0.5)))
    assert [reply.text for reply in done.replies] == [LOOK, TIMES, RIGHT, "204"]
    assert done.tokens == 3 * 110 + 8
    assert done.seconds == pytest.approx(done.runs[0].seconds + 0.5)


def test_an_endpoint_that_tells_no_tokens_counts_as_nothing():
    assert Outcome(QUESTION, asked=(Reply("x"),)).tokens == 0


ALL = {
    "plan": lambda worker, other: plan_and_execute(QUESTION, worker, other),
    "reflect": lambda worker, other: reflect(QUESTION, worker, other),
    "reflexion": lambda worker, other: reflexion(QUESTION, worker, lambda run: False, other),
    "route": lambda worker, other: route(QUESTION, worker, other),
}
each_pattern = pytest.mark.parametrize("pattern", ALL.values(), ids=ALL)


@each_pattern
def test_when_the_second_model_is_gone_the_rest_is_kept(pattern):
    done = pattern(agent(LOOK, TIMES, RIGHT), plays(GONE))
    assert (done.stop, done.note) == ("model error", str(GONE))
    assert done.asked == ()
    answers = [run.answer for run in done.runs]
    assert answers == ([] if pattern is ALL["plan"] else ["It is 204."])
    assert done.answer == (answers or [None])[0]


@each_pattern
def test_a_reply_that_came_with_an_error_was_paid_for_and_is_kept(pattern):
    paid = ModelError("A content filter stopped the reply.", "filtered", Reply("", tokens_in=50))
    done = pattern(agent(LOOK, TIMES, RIGHT), plays(paid))
    assert [reply.tokens_in for reply in done.asked] == [50]


@each_pattern
def test_when_the_agents_model_is_gone_the_outcome_says_why(pattern):
    done = pattern(agent(LOOK, GONE), plays(PLAN))
    assert (done.stop, done.note, done.answer) == ("model error", str(GONE), None)
    assert [past.reply.text for past in done.runs[-1].steps] == [LOOK]


@each_pattern
def test_a_write_that_waits_for_a_person_stops_the_pattern(pattern):
    tools = lab_tools()

    @tools.register(effect="write")
    def send_mail(to: str) -> str:
        """Sends a mail."""
        return "sent"

    worker = Agent(plays(call("send_mail", "to", "ada@tillybrook.example")), tools)
    done = pattern(worker, plays(PLAN))
    assert (done.stop, done.answer) == ("needs approval", None)
    assert done.runs[-1].pending.tool == "send_mail"


@each_pattern
def test_an_interrupt_carries_all_that_was_done(pattern):
    with pytest.raises(KeyboardInterrupt) as interrupt:
        pattern(agent(LOOK, KeyboardInterrupt()), plays(PLAN))
    done = interrupt.value.outcome
    assert [past.reply.text for past in done.runs[-1].steps] == [LOOK]
    assert len(done.asked) == (pattern is ALL["plan"])


def test_a_check_that_raises_carries_the_runs():
    def broken(run):
        raise ZeroDivisionError

    with pytest.raises(patterns.PatternError) as error:
        reflexion(QUESTION, agent(RIGHT), broken)
    assert isinstance(error.value.__cause__, ZeroDivisionError)
    assert [run.answer for run in error.value.outcome.runs] == ["It is 204."]


@each_pattern
def test_an_outcome_is_a_value(pattern):
    done = pattern(agent(*[RIGHT] * 6), plays(PLAN, "No.", "No."))
    with pytest.raises(AttributeError):
        done.answer = "other"
    assert replace(done) == done and isinstance(done.runs[0], Run)


# How it is written ----------------------------------------------------------------------------


def test_each_pattern_is_at_most_40_lines_on_top_of_the_loop():
    for pattern in (plan_and_execute, reflect, reflexion, route):
        assert len(inspect.getsource(pattern).splitlines()) <= 40


def test_what_is_asked_stands_in_one_place():
    """No text that a model reads is written anywhere else in the module."""
    source = ast.parse(inspect.getsource(patterns))
    kinds = {
        node.args[2].value
        for node in ast.walk(source)
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "ask"
    }
    used = kinds | {"known", "reviewed", "retry"}
    assert used == set(TEXTS)


# A reviewer with the thoughts, and routing by difficulty -------------------------------------


def test_a_reviewer_sees_thoughts_and_observations_when_asked_to():
    lines = [LOOK.replace("I need this.", "First the temperature."), TIMES, RIGHT]
    plain, whole = plays("OK"), plays("OK")
    reflect(QUESTION, agent(*lines), plain)
    reflect(QUESTION, agent(*lines), whole, thoughts=True)
    seen = '- get_weather {"city": "Copenhagen"}: Copenhagen: 17 °C, windy'
    assert seen in asked(plain)[0] and seen in asked(whole)[0]
    assert "First the temperature." not in asked(plain)[0]
    assert f"Thought: First the temperature.\n{seen}" in asked(whole)[0]


@pytest.mark.parametrize(
    ("reply", "who"),
    [("EASY", "light"), ("easy.", "light"), ("HARD", "strong"), ("I cannot tell.", "strong")],
)
def test_a_question_is_routed_by_what_the_light_model_says(reply, who):
    light = plays(reply, "Final Answer: light")
    done = patterns.route_by_difficulty(
        QUESTION, Agent(light, TOOLS), plays("Final Answer: strong")
    )
    assert (done.answer, done.stop, len(done.asked)) == (who, "answered", 1)
    assert asked(light)[0] == (
        f"Question: {QUESTION}\nHow many tool calls does it take to answer this? Write EASY for "
        "one at most, HARD for more."
    )


@pytest.mark.parametrize(("hard", "who"), [(True, "strong"), (False, "light")])
def test_a_question_can_be_routed_by_a_rule_of_your_own(hard, who):
    done = patterns.route_by_difficulty(
        QUESTION, agent("Final Answer: light"), plays("Final Answer: strong"), lambda text: hard
    )
    assert (done.answer, len(done.asked)) == (who, 0)


def test_a_light_model_that_is_gone_ends_the_routing():
    done = patterns.route_by_difficulty(QUESTION, agent(GONE), plays())
    assert (done.stop, done.answer) == ("model error", None)
