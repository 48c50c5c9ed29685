"""The text view: what a person reads of a run."""

from react_lab.loop import Agent, StepLimit
from react_lab.models import ScriptedModel
from react_lab.toolkit import lab_tools
from react_lab.views.text import show

CALL = 'Thought: a sum.\nAction: calculator\nAction Input: {"expression": "6*7"}'
DONE = "Thought: I know.\nFinal Answer: It is 42."


def test_a_finished_run():
    run = Agent(ScriptedModel([CALL + "\nObservation: 41", DONE]), lab_tools()).run("6*7?")
    assert show(run) == """\
Question: 6*7?

Step 1
  Thought:      a sum.
  Action:       calculator
  Action Input: {"expression": "6*7"}
  Repaired:     invented Observation dropped
  Observation:  42

Step 2
  Thought:      I know.
  Final Answer: It is 42.

Finished after 2 steps: It is 42."""


def test_a_run_that_stopped_early_says_so():
    agent = Agent(ScriptedModel([CALL, DONE]), lab_tools(), stops=(StepLimit(1),))
    assert show(agent.run("6*7?")).endswith(
        "Stopped (step limit) after 1 steps. Not finished: step limit.\n"
        "Best answer so far: It is 42."
    )


def test_an_unreadable_reply_is_shown_as_it_was_written():
    text = show(Agent(ScriptedModel(["Well,\nmaybe.", DONE]), lab_tools()).run("?"))
    assert "  Unreadable:   there is no Action and no Final Answer\n" in text
    assert "  It wrote:     Well,\n                maybe.\n" in text
