"""Debug: each round is printed as it happens."""

import pytest

from react_lab.loop import Agent, step
from react_lab.models import ModelError, Reply, ScriptedModel
from react_lab.toolkit import lab_tools
from react_lab.trace import Run

CALL = 'Thought: a product.\nAction: calculator\nAction Input: {"expression": "6*7"}'
DONE = "Thought: I know.\nFinal Answer: 42"


def agent(*replies, **settings) -> Agent:
    return Agent(ScriptedModel(replies), lab_tools(), **settings)


def test_nothing_is_printed_unless_asked_for(capsys, monkeypatch):
    for value in (None, "", "0"):
        if value is not None:
            monkeypatch.setenv("REACT_LAB_DEBUG", value)
        agent(CALL, DONE).run("?")
    assert capsys.readouterr().out == ""


def test_each_round_is_printed_when_it_happens(capsys):
    printed = []
    runs = []
    for run in agent(CALL, "no format", DONE, debug=True).stream("?"):
        runs.append(run)
        printed.append(capsys.readouterr().out)
    assert printed[0] == "", "nothing has happened yet"
    first, second, third = printed[1:]
    assert first.startswith("--- round 1, ") and "2 messages" in first
    assert "    Thought: a product." in first, "the raw output"
    assert 'parsed: call calculator {"expression": "6*7"}\nresult:\n    42\n' in first
    assert "parsed: unreadable, there is no Action and no Final Answer" in second
    assert "4 messages" in second and "parsed: final answer 42" in third
    assert runs[-1].finished


def test_the_environment_variable_does_the_same(capsys, monkeypatch):
    monkeypatch.setenv("REACT_LAB_DEBUG", "1")
    step(Run("?"), agent(CALL, DONE))
    assert "--- round 1, " in capsys.readouterr().out


def test_the_last_word_and_the_reason_of_a_stop_are_printed(capsys):
    agent(CALL, DONE, max_steps=1, debug=True).run("?")
    out = capsys.readouterr().out
    assert out.index("stopped: step limit Not finished: step limit.") < out.index("--- last word")


def test_a_model_error_is_printed(capsys):
    def model(messages, tools=None):
        raise ModelError("The server is down. Start it.")

    Agent(model, lab_tools(), debug=True).run("?")
    assert capsys.readouterr().out == "stopped: model error The server is down. Start it.\n"


def test_tokens_and_native_calls_are_printed(capsys):
    call = {"id": "a", "function": {"name": "calculator", "arguments": '{"expression": "6*7"}'}}

    def model(messages, tools=None):
        return Reply("", tool_calls=(call,), tokens_in=70, tokens_out=9)

    from react_lab.function_calling import native_step

    step(Run("?"), Agent(model, lab_tools(), protocol=native_step, debug=True))
    out = capsys.readouterr().out
    assert ", 70 + 9 tokens" in out and 'native call: {"id": "a"' in out


@pytest.mark.parametrize("debug", [True, False])
def test_debugging_changes_nothing_in_the_run(debug):
    one, other = (agent(CALL, DONE, debug=on).run("?") for on in (debug, False))
    assert [past.sent for past in one.steps] == [past.sent for past in other.steps]
    assert (one.stop, one.answer) == (other.stop, other.answer)
