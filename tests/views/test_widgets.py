"""Widgets: a run to step through, to go on with, to answer for; and its pages."""

import json
import re
import threading
from html import unescape
from html.parser import HTMLParser

import nbformat
import pytest
from nbclient import NotebookClient

from react_lab.function_calling import native_step
from react_lab.loop import Agent, step
from react_lab.models import Reply, ScriptedModel
from react_lab.parser import Action, parse
from react_lab.parser.cases import parser_cases
from react_lab.registry import Registry
from react_lab.toolkit import lab_tools
from react_lab.trace import Run, Step
from react_lab.views import pages
from react_lab.views.widgets import PromptBuilder, stepper

CALL = 'Thought: a sum.\nAction: calculator\nAction Input: {"expression": "6*7"}'
DONE = "Thought: I know.\nFinal Answer: It is 42."


def agent(*replies, **settings) -> Agent:
    return Agent(ScriptedModel(replies), lab_tools(), **settings)


def run(*replies, **settings) -> Run:
    return agent(*replies, **settings).run("6*7?")


class Page(HTMLParser):
    """What a browser makes of a page: its words, and the tags that stand in it."""

    def __init__(self, html: str):
        super().__init__()
        self.words, self.tags = "", []
        self.feed(html.partition("</style>")[2] or html)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.words += "\n"

    def handle_data(self, data):
        self.words += data


def words(html: str) -> str:
    return Page(html).words


# Pages ---------------------------------------------------------------------------------------


def test_a_page_shows_everything_about_a_round():
    shown = words(pages.page(run(CALL, DONE), 1))
    for part in (
        "6*7?",
        "system (new)",
        "Question: 6*7?",
        CALL.splitlines()[0],
        "Read as: a call",
        'calculator {"expression": "6*7"}',
        "result",
        "42",
        "Seconds: 0.0 model",
    ):
        assert part in shown  # fmt: skip
    assert "Finished after 2 steps: It is 42." in words(pages.page(run(CALL, DONE), 2))


def test_each_field_of_the_reply_stands_under_its_name_in_its_colour():
    html = pages.reply_panel(run(CALL, DONE), 1)
    named = re.findall(r'border-left-color: (#\w+)"><b>([^<]+)</b><pre>([^<]+)</pre>', html)
    assert [(name, colour, unescape(text)) for colour, name, text in named] == [
        ("thought", pages.COLOURS["thought"], "Thought: a sum."),
        ("action", pages.COLOURS["action"], "Action: calculator"),
        ("action input", pages.COLOURS["input"], 'Action Input: {"expression": "6*7"}'),
    ]


def test_what_the_model_invented_is_named_as_dropped():
    forged = run(CALL + "\nObservation: 41\nFinal Answer: 41", DONE)
    shown = words(pages.reply_panel(forged, 1))
    assert "invented observation: dropped\nObservation: 41" in shown
    assert "final answer: dropped, behind an invented observation\nFinal Answer: 41" in shown
    assert "Repaired or dropped: invented Observation dropped" in words(pages.page(forged, 1))


def test_markup_from_the_model_is_shown_as_text():
    evil = "<img src=x onerror=alert(1)></pre></div><script>alert(2)</script>&amp;"
    said = f'Thought: {evil}\nAction: calculator\nAction Input: {{"{evil}": 1}}'
    html = pages.page(run(said, f"Final Answer: {evil}"), 2)
    assert set(Page(html).tags) == {"div", "section", "b", "pre", "details", "summary"}
    assert words(html).count(evil) >= 4, "in what was sent, in the reply and in the answer"


def test_nothing_of_a_reply_is_lost_on_its_page_however_it_looks():
    texts = [case["text"] for case in parser_cases()]
    assert len(texts) > 200
    for text in texts:
        said = Run("?", (Step((), Reply(text), parse(text, {})),))
        shown = iter("".join(words(pages.reply_panel(said, 1)).split()))
        assert all(sign in shown for sign in "".join(text.split())), text  # in this order


def test_native_calls_of_one_reply_are_all_shown_with_their_results():
    def call(place, expression):
        arguments = json.dumps({"expression": expression})
        function = {"name": "calculator", "arguments": arguments}
        return {"id": f"call_{place}", "type": "function", "function": function}

    def model(messages, tools=None):
        calls = (call(0, "6*7"), call(1, "1/0")) if len(messages) == 2 else ()
        return Reply("" if calls else "It is 42.", tool_calls=calls)

    native = Agent(model, lab_tools(), protocol=native_step).run("6*7?")
    shown = words(pages.page(native, 1))
    for part in (
        "native call",
        'calculator {"expression": "6*7"}',
        "result\n42",
        'calculator {"expression": "1/0"}',
        "result: tool error",
    ):
        assert part in shown  # fmt: skip
    sent = words(pages.sent_panel(native, 2))
    assert "tool (new)\n42" in sent and "Everything was sent whole." in sent


def test_half_an_emoji_does_not_break_a_message():
    half = stepper(run("Final Answer: \ud83d"))
    half.panel.value.encode()
    half.text.encode()


def test_what_is_sent_again_is_told_from_what_is_new():
    shown = words(pages.sent_panel(run(CALL, DONE), 2))
    assert "system (as before)" in shown and "user (as before)" in shown
    assert "user (new)\nObservation: 42" in shown
    assert "Everything was sent whole." in shown


def test_what_a_policy_left_out_or_cut_is_named():
    def short(messages):
        return messages[:2] + [{**m, "content": m["content"][:30]} for m in messages[3:]]

    long = 'Action: search_docs\nAction Input: {"query": "refund"}'
    past = run(long, CALL, DONE, fit=short)
    length = len(past.steps[0].observation.text)
    assert length > 30
    missing = f"Not sent whole: reply of step 1 (53 characters), observation of step 1 ({length}"
    assert missing in words(pages.sent_panel(past, 2))


def test_of_the_same_result_twice_the_older_one_is_missed():
    past = run(CALL, CALL, DONE, fit=lambda messages: messages[:2] + messages[4:])
    shown = words(pages.sent_panel(past, 3))
    assert "Not sent whole: reply of step 1 (70 characters), observation of step 1 (2" in shown
    assert "step 2" not in shown


def test_the_reply_to_the_last_call_is_a_page_of_its_own():
    stopped = run(CALL, DONE, max_steps=1)
    shown = words(pages.page(stopped, 2))
    assert "This was the last step." in shown and "Best answer so far: It is 42." in shown


def contrast(one: str, other: str) -> float:
    """The contrast ratio of two colours, as WCAG 2 defines it."""

    def light(colour):
        parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
        r, g, b = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
        return 0.2126 * r + 0.7152 * g + 0.0722 * b

    low, high = sorted((light(one), light(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("background", ["#ffffff", "#111111", "#212121"])  # JupyterLab's themes
@pytest.mark.parametrize("kind", pages.COLOURS)
def test_the_marks_can_be_seen_in_both_themes(kind, background):
    assert contrast(pages.COLOURS[kind], background) >= 3  # WCAG 1.4.11
    assert contrast(pages.COLOURS[kind], "#ffffff") >= 4.5, "white words on it"  # WCAG 1.4.3
    assert not re.search(r"[^-]color: #", pages.STYLE), "words take the colour of the theme"


# Stepping ------------------------------------------------------------------------------------


def test_back_next_and_to_the_end():
    view = stepper(run(CALL, CALL, DONE))
    places = [view.number]
    for button in (view.next, view.end, view.next, view.back, view.back, view.back):
        button.click()
        places.append(view.number)
    assert places == [1, 2, 3, 3, 2, 1, 1]
    assert "This is the first step" in words(view.status.value)


def test_the_status_changes_last_so_that_all_it_speaks_of_stands_there():
    """Whoever waits for "Step 2" may then type into its observation: nothing overwrites it."""
    view, drawn = stepper(run(CALL, CALL.replace("7", "8"), DONE)), []
    for part in ("panel", "observation", "status"):
        getattr(view, part).observe(lambda _, part=part: drawn.append(part), names="value")
    view.next.click()
    assert (view.observation.value, drawn[-1]) == ("48", "status")
    assert set(drawn) == {"panel", "observation", "status"} and len(drawn) == 3


def test_it_opens_where_it_is_told_and_refuses_what_there_is_not():
    assert "It is 42." in stepper(run(CALL, DONE), step=2).panel.value
    with pytest.raises(ValueError, match="give a number from 1 to 2"):
        stepper(run(CALL, DONE), step=3)
    with pytest.raises(ValueError, match="write steps, tokens or seconds"):
        stepper("?", limits={"rounds": 3})


def test_every_control_has_a_name_and_stays_where_the_keyboard_is():
    view = stepper("?", go_on=agent(DONE).stream, answer=lambda run, yes, why: run)
    buttons = (view.back, view.next, view.end, view.stop, view.edit, view.allow, view.deny)
    view.back.click()
    assert not any(button.disabled for button in buttons)
    assert [button.description for button in buttons] == [
        "Back", "Next", "To the end", "Stop", "Go on from this observation", "Allow", "Deny",
    ]  # fmt: skip
    assert view.observation.description == "Observation" and view.reason.description == "Reason"


def test_next_at_the_end_takes_one_step_more():
    view = stepper("6*7?", go_on=agent(CALL, DONE).stream)
    assert view.number == 0 and "No step yet" in words(view.status.value)
    view.next.click()
    view.wait()
    assert (view.number, len(view.run.steps), view.run.stop) == (1, 1, None)
    view.next.click()
    assert view.wait().answer == "It is 42."


def test_to_the_end_runs_until_the_run_stops_and_shows_its_progress():
    limits = {"steps": 2, "seconds": 60}
    view = stepper("6*7?", go_on=agent(CALL, CALL, DONE, max_steps=2).stream,
                   limits=limits)  # fmt: skip
    view.end.click()
    stopped = view.wait()
    assert (stopped.stop, stopped.answer) == ("step limit", "It is 42.")
    assert view.number == 3, "the last word"
    assert "steps 2 of 2, tokens 0, seconds 0.0 of 60" in words(view.status.value)
    assert '<progress aria-label="steps" value="2" max="2">' in view.status.value


class Gate:
    """A model that says CALL at every step, and waits at the second one until it is let go."""

    def __init__(self):
        self.asked, self.waits, self.open = 0, threading.Event(), threading.Event()

    def __call__(self, messages, tools=None):
        self.asked += 1
        if self.asked == 2:
            self.waits.set()
            assert self.open.wait(20)
        return Reply(CALL)


def test_stop_ends_the_run_after_the_step_and_keeps_it():
    gate = Gate()
    view = stepper("6*7?", go_on=Agent(gate, lab_tools()).stream)
    view.end.click()
    assert gate.waits.wait(20)
    assert len(view.run.steps) == 1, "the first step can be read while the second one runs"
    view.stop.click()
    assert "It stops after this step. Running" in words(view.status.value)
    gate.open.set()
    kept = view.wait()
    assert (len(kept.steps), kept.stop, gate.asked) == (2, None, 2)
    assert "Stopped by you; the run is kept" in words(view.status.value)
    view.next.click()
    assert len(view.wait().steps) == 3, "it can go on"


def test_clicks_while_something_runs_do_no_harm():
    gate = Gate()
    view = stepper("6*7?", go_on=Agent(gate, lab_tools()).stream)
    view.next.click()
    view.wait()
    view.next.click()
    assert gate.waits.wait(20)
    view.observation.value = "43"
    for button in (view.next, view.end, view.edit, view.next):
        button.click()
    gate.open.set()
    assert (len(view.wait().steps), gate.asked) == (2, 2)
    assert view.run.steps[0].observation.text == "42" and view.earlier == []


def test_an_error_of_a_seam_is_shown_and_the_run_kept():
    def broken(messages):
        if len(messages) > 2:
            raise KeyError("role")
        return messages

    view = stepper("6*7?", go_on=agent(CALL, DONE, fit=broken).stream)
    view.end.click()
    assert len(view.wait().steps) == 1
    assert "KeyError: 'role'" in words(view.status.value)


# Editing and answering -----------------------------------------------------------------------


def test_an_edited_observation_is_what_the_model_reads_next():
    whole = run(CALL, CALL, DONE)
    view = stepper(whole, go_on=agent(CALL, "Final Answer: 43").stream)
    assert view.observation.value == "42"
    view.observation.value = "43"
    view.edit.click()
    edited = view.wait()
    assert edited.steps[1].sent[-1]["content"] == "Observation: 43"
    assert edited.answer == "43" and view.number == 2
    assert "Observation: 43" in words(pages.sent_panel(view.run, view.number))
    view.back.click()
    assert "result, edited by you" in words(view.panel.value)
    assert view.text.endswith("You edited this observation.")
    assert view.earlier == [whole], "nothing is lost"


def test_a_step_without_an_observation_cannot_be_gone_on_from():
    view = stepper(run(CALL, DONE), step=2, go_on=agent(DONE).stream)
    view.edit.click()
    assert "This step has no observation to go on from" in words(view.status.value)
    assert view.run.finished


@pytest.fixture
def careful():
    """An agent with a write tool that waits for a person; and what the tool has written."""
    tools, written = Registry(), []

    @tools.register(effect="write")
    def save(text: str) -> str:
        """Save a text. Use it when something has to be kept."""
        written.append(text)
        return "saved"

    said = ['Action: save\nAction Input: {"text": "a note"}', "Final Answer: done"]
    return Agent(ScriptedModel(said), tools), written


def waiting(agent: Agent):
    """A stepper over a run that has come to the call that waits."""
    view = stepper(
        "Save a note.",
        go_on=agent.stream,
        answer=lambda run, yes, why: step(run, agent, approve=yes, note=why),
    )
    view.end.click()
    assert view.wait().stop == "needs approval"
    return view


def test_a_pending_write_runs_once_it_is_allowed_and_only_once(careful):
    agent, written = careful
    view = waiting(agent)
    assert written == []
    assert 'Waits for you: save {"text": "a note"}' in words(view.waiting.value)
    assert "It waits for you." in words(view.panel.value)
    view.allow.click()
    view.allow.click()
    view.wait()
    assert view.run.steps[0].observation.text == "saved"
    assert written == ["a note"]
    assert "No call waits" in words(view.waiting.value)
    view.next.click()
    assert view.wait().answer == "done"


def test_a_double_click_does_not_answer_the_next_call_unseen(careful):
    agent, written = careful
    one, other = (Action("", "save", {"text": text}) for text in ("one", "other"))
    asks = Run("?", (Step((), Reply(""), one, also=((other, None),)),), "needs approval")
    view = stepper(asks, answer=lambda run, yes, why: step(run, agent, approve=yes, note=why))
    view.allow.click()
    assert view.wait().pending == other
    view.allow.click()
    assert view.wait().pending == other and written == ["one"]


def test_a_denied_write_does_not_run_and_the_model_reads_the_reason(careful):
    agent, written = careful
    view = waiting(agent)
    view.reason.value = "Not on a Sunday."
    view.deny.click()
    view.wait()
    view.next.click()
    assert written == []
    assert "Not on a Sunday." in view.wait().steps[1].sent[-1]["content"]


# The prompt builder --------------------------------------------------------------------------


def test_the_prompt_builder_shows_the_prompt_and_what_it_costs():
    rules = {"json": "Write <JSON>.", "one step": "Write one Action."}

    def build(chosen):
        return "\n".join(["Rules:", *(rules[name] for name in chosen)])

    view = PromptBuilder(rules, build, count=lambda text: len(text.split()))
    assert view.cost == "6 tokens" and "Write &lt;JSON&gt;." in view.panel.value
    view.boxes["json"].value = False
    assert view.prompt == "Rules:\nWrite one Action."
    assert view.text == (
        "[ ] Write <JSON>.\n[x] Write one Action.\n\n"
        "4 tokens, 2 fewer than with all\n\n"
        "Rules:\nWrite one Action."
    )


# In a kernel ---------------------------------------------------------------------------------

CELLS = [
    """
from react_lab.loop import Agent
from react_lab.models import ScriptedModel
from react_lab.toolkit import lab_tools
from react_lab.views.widgets import stepper

call = 'Action: calculator\\nAction Input: {"expression": "6*7"}'
agent = Agent(ScriptedModel([call, "Final Answer: It is 42."]), lab_tools())
view = stepper("6*7?", go_on=agent.stream)
view
""",
    "view.next.click()\nview.wait().steps[0].observation.text",
    "from react_lab.views import text\ntext.register()\nview.run",
]


def test_in_a_kernel_the_thread_reaches_the_browser_and_each_output_has_a_plain_twin():
    cells = [nbformat.v4.new_code_cell(source) for source in CELLS]
    notebook = nbformat.v4.new_notebook(cells=cells)
    NotebookClient(notebook, kernel_name="python3", timeout=60).execute()
    (shown,) = notebook.cells[0].outputs
    assert shown.data["text/plain"] == "Question: 6*7?\n\nThe run can go on."
    assert "application/vnd.jupyter.widget-view+json" in shown.data
    assert notebook.cells[1].outputs[0].data["text/plain"] == "'42'"
    as_run = notebook.cells[2].outputs[0].data
    assert as_run["text/plain"].startswith("Question: 6*7?\n\nStep 1\n")
    assert as_run["text/markdown"].startswith("**Question:** 6\\*7?\n\n| step |")
    state = notebook.metadata.widgets["application/vnd.jupyter.widget-state+json"]["state"]
    values = [model["state"].get("value", "") for model in state.values()]
    assert any("Read as: a call" in str(value) for value in values), "as the browser has it"


def test_what_a_person_types_is_sent_whole():
    """Sent letter by letter, the last ones were overtaken by a quick click (seen in a browser)."""
    view = stepper("6*7?", go_on=agent(CALL, DONE).stream, answer=lambda run, yes, why: run)
    assert not view.observation.continuous_update and not view.reason.continuous_update
