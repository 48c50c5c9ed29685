"""Agent: what it accepts, which stop rules it has, and how a waiting run continues."""

import warnings
from dataclasses import replace

import pytest

from react_lab import Agent, Registry, Reply, ScriptedModel, Tool, step
from react_lab.models import EmbeddedModel, ModelError
from react_lab.stops import StepLimit
from react_lab.trace import Interrupted, Run

TWICE = 'Thought: twice.\nAction: double\nAction Input: {"number": 21}'
DONE = "Final Answer: It is 42."


def double(number: int) -> int:
    """Double a whole number."""
    return 2 * number


def same(n: int) -> ScriptedModel:
    """A model that makes one and the same call n times."""
    return ScriptedModel([TWICE] * n)


# Tools ------------------------------------------------------------------------------------


def test_a_plain_function_is_a_tool():
    run = Agent(ScriptedModel([TWICE, DONE]), [double]).run("What is twice 21?")
    assert (run.steps[0].observation.text, run.answer) == ("42", "It is 42.")


def test_tools_and_functions_may_be_mixed():
    tool = Tool("half", "Halve a number.", {}, lambda number: number / 2)
    agent = Agent(ScriptedModel([]), (double, tool))
    assert [one.name for one in agent.tools] == ["double", "half"]


def test_a_registry_is_used_itself():
    tools = Registry()
    agent = Agent(ScriptedModel([]), tools)
    tools.register(double)
    assert "double" in agent.tools


@pytest.mark.parametrize("tools", [double, "double", None, {"double": double}])
def test_anything_else_is_refused_with_what_to_write(tools):
    with pytest.raises(ValueError, match="give a Registry, or a list of functions"):
        Agent(ScriptedModel([]), tools)


# Stop rules -------------------------------------------------------------------------------


def test_a_rule_of_your_own_does_not_remove_the_built_in_ones():
    """Named `stops=(StepLimit(20),)`, an agent once made twenty identical calls."""
    run = Agent(same(21), [double], stops=(StepLimit(20),)).run("?")
    assert (run.stop, len(run.steps)) == ("repeats", 4)


def test_a_built_in_rule_is_switched_off_by_name():
    run = Agent(same(6), [double], max_steps=6, without=("repeats",)).run("?")
    assert (run.stop, len(run.steps)) == ("step limit", 6)


@pytest.mark.parametrize(
    "limit, reason",
    [
        ({"max_steps": 2}, "step limit"),
        ({"max_tokens": 25}, "token limit"),
        ({"max_seconds": 5}, "time limit"),
    ],
)
def test_each_limit_is_an_argument(limit, reason):
    numbers = iter(range(9))

    def model(messages, tools=None):
        text = TWICE.replace("21", str(next(numbers)))
        return Reply(text, tokens_in=10, tokens_out=3, seconds=3)

    run = Agent(model, [double], **limit).run("?")
    assert (run.stop, len(run.steps)) == (reason, 2)


def test_without_takes_known_names_only():
    with pytest.raises(ValueError, match="without takes 'repeats', 'failures', 'format faults'"):
        Agent(same(1), [double], without=("step limit",))
    with pytest.raises(ValueError, match=r"without is 'repeats'; give a tuple"):
        Agent(same(1), [double], without="repeats")


@pytest.mark.parametrize("name", ["max_steps", "max_seconds", "max_tokens"])
def test_a_limit_below_one_is_refused(name):
    with pytest.raises(ValueError, match="give a limit above 0"):
        Agent(same(1), [double], **{name: 0})


def test_a_changed_agent_has_the_changed_rules():
    agent = replace(Agent(same(4), [double]), max_steps=3)
    assert agent.run("?").stop == "step limit"


# A run that waits -------------------------------------------------------------------------


def writing(*replies: str) -> Agent:
    tools = Registry()
    tools.register(double, effect="write")
    return Agent(ScriptedModel(replies), tools)


@pytest.mark.parametrize("approve, error", [(True, None), (False, "refused")])
def test_resume_answers_the_call_and_runs_on(approve, error):
    agent = writing(TWICE, DONE)
    waiting = agent.run("What is twice 21?")
    assert waiting.pending.tool == "double"
    run = agent.resume(waiting, approve=approve, note="Only this once.")
    assert run.answer == "It is 42." and run.finished
    assert run.steps[0].observation.error == error
    assert "Only this once." in run.steps[1].sent[-1]["content"]


def test_resume_refuses_a_run_that_does_not_wait_and_an_answer_that_is_neither():
    agent = writing(TWICE, DONE)
    with pytest.raises(ValueError, match=r"does not wait for an approval. Use agent.run"):
        agent.resume(Run("?"), approve=True)
    with pytest.raises(ValueError, match="approve is 'yes'; give True or False"):
        agent.resume(agent.run("?"), approve="yes")


# What goes wrong --------------------------------------------------------------------------


def test_a_protocol_of_your_own_that_raises_with_a_reply_ends_the_run_cleanly():
    def protocol(run, agent):
        raise ModelError("The filter stopped it.", "filtered", Reply("I", tokens_out=1))

    run = Agent(same(1), [double], protocol=protocol).run("?")
    assert (run.stop, run.note) == ("model error", "The filter stopped it.")
    assert [one.text for one in run.replies] == ["I"] and run.steps[0].sent == ()


def test_an_interrupt_is_an_exception_with_the_run():
    def slow(number: int) -> int:
        """Is interrupted."""
        raise KeyboardInterrupt

    agent = Agent(ScriptedModel([TWICE.replace("double", "slow"), DONE]), [slow])
    with pytest.raises(Interrupted) as caught:
        agent.run("?")
    assert caught.value.run.steps[0].observation.error == "interrupted"
    assert agent.run(caught.value.run).answer == "It is 42."
    with pytest.raises(Interrupted):
        step(Run("?"), agent)


def test_a_language_that_the_embedded_model_does_not_know_is_warned_of():
    with pytest.warns(UserWarning, match="en.*LLM_BASE_URL"):
        Agent(EmbeddedModel(), [double], language="zh")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Agent(EmbeddedModel(), [double])
        Agent(ScriptedModel([]), [double], language="zh")
