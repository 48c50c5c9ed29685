"""The text view: what a person reads of a run."""

from react_lab.function_calling import native_step
from react_lab.loop import Agent
from react_lab.models import Reply, ScriptedModel
from react_lab.registry import Registry
from react_lab.toolkit import lab_tools
from react_lab.trace import Run
from react_lab.views.text import markdown, show, show_page

CALL = 'Thought: a sum.\nAction: calculator\nAction Input: {"expression": "6*7"}'
DONE = "Thought: I know.\nFinal Answer: It is 42."


def test_a_finished_run():
    run = Agent(ScriptedModel([CALL + "\nObservation: 41", DONE]), lab_tools()).run("6*7?")
    assert (
        show(run)
        == """\
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
    )


def test_a_run_that_stopped_early_says_so():
    agent = Agent(ScriptedModel([CALL, DONE]), lab_tools(), max_steps=1)
    assert show(agent.run("6*7?")).endswith(
        "Stopped (step limit) after 1 step. Not finished: step limit.\n"
        "Best answer so far: It is 42."
    )


def test_an_unreadable_reply_is_shown_as_it_was_written():
    text = show(Agent(ScriptedModel(["Well,\nmaybe.", DONE]), lab_tools()).run("?"))
    assert "  Unreadable:   there is no Action and no Final Answer\n" in text
    assert "  It wrote:     Well,\n                maybe.\n" in text


def test_a_page_names_what_was_sent_again_only_by_its_length():
    run = Agent(ScriptedModel([CALL, DONE]), lab_tools(), system="Use tools.").run("6*7?")
    assert (
        show_page(run, 2)
        == """\
Question: 6*7?

Sent: 4 messages, 109 characters
  system:       as before, 10 characters
  user:         as before, 14 characters
  assistant:    Thought: a sum.
                Action: calculator
                Action Input: {"expression": "6*7"}
  user:         Observation: 42

Step 2
  Thought:      I know.
  Final Answer: It is 42.

Tokens: in not told, out not told. Seconds: 0.0 model, 0.0 tools.

Finished after 2 steps: It is 42."""
    )


def test_a_page_names_what_a_policy_left_out():
    agent = Agent(ScriptedModel([CALL, CALL, DONE]), lab_tools(), fit=lambda all: all[:3])
    page = show_page(agent.run("6*7?"), 2)
    assert "  Not whole:    observation of step 1 (2 characters)\n" in page


def test_the_question_alone_is_a_page_too():
    assert show_page(Run("6*7?"), 0) == "Question: 6*7?\n\nThe run can go on."


def test_markdown_is_a_table_in_which_the_models_signs_are_only_signs():
    said = "Thought: a | b\nand <b>*c*</b>\nFinal Answer: $4"
    assert (
        markdown(Agent(ScriptedModel([said]), lab_tools()).run("2+2?"))
        == """\
**Question:** 2+2?

| step | thought | action | observation |
| ---: | --- | --- | --- |
| 1 | a \\| b<br>and \\<b\\>\\*c\\*\\</b\\> | Final Answer: \\$4 |  |

Finished after 1 step: \\$4"""
    )


def test_what_happened_on_the_way_is_noted():
    def model(messages, tools=None):
        return Reply(DONE, notes=("waited 3 s: the endpoint was busy",))

    assert "\n  Note:         waited 3 s: the endpoint was busy" in show(
        Agent(model, lab_tools()).run("?")
    )


def test_native_calls_read_like_those_of_the_text_loop():
    def call(name: str, arguments: str) -> dict:
        return {"id": "1", "function": {"name": name, "arguments": arguments}}

    replies = [
        Reply("I need both.", (call("calculator", '{"expression": "6*7"}'), call("nope", "{}"))),
        Reply("", (call("calculator", '{"expr'),)),
        Reply("It is 42."),
    ]
    agent = Agent(lambda m, tools=None: replies.pop(0), lab_tools(), protocol=native_step)
    text = show(agent.run("6*7?"))
    assert text.startswith("""\
Question: 6*7?

Step 1
  Thought:      I need both.
  Action:       calculator
  Action Input: {"expression": "6*7"}
  Observation:  42
  Also:         nope {}
  Observation:  There is no tool named nope. Use one of: """)
    assert '"arguments": "{\\"expr"' in text, "what could not be read is shown as it came"
    assert text.endswith("Finished after 3 steps: It is 42.")


def test_a_reply_without_words_and_calls_is_said_to_be_nothing():
    run = Agent(ScriptedModel(["", DONE]), lab_tools()).run("6*7?")
    assert "  It wrote:     (nothing)\n" in show(run)


def test_a_run_that_waits_for_a_person_says_what_for():
    tools = Registry()
    tools.register(lambda: "sent", name="send", description="Send it.", effect="write")
    text = show(Agent(ScriptedModel(["Action: send"]), tools).run("?"))
    assert text.endswith(
        "  Action:       send\n  Action Input: {}\n\nStopped (needs approval) after 1 step. "
        "send waits for a yes or no: step(run, agent, approve=True)."
    )
