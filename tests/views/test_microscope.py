"""The microscope: step through a run, let it continue, edit, allow and deny; its three twins."""

import threading

import nbformat
import pytest
from nbclient import NotebookClient
from test_run_html import plain, told
from test_widgets import CALL, DONE, Gate, agent, run

from react_lab import microscope
from react_lab.loop import Agent
from react_lab.models import Reply, ScriptedModel
from react_lab.models.progress import Progress, report
from react_lab.parser import Action
from react_lab.registry import Registry
from react_lab.stops import StepLimit
from react_lab.toolkit import lab_tools
from react_lab.trace import Run, Step
from react_lab.views import run_html


def seen(view) -> str:
    """All that a person sees of the panels."""
    panels = (view.waiting, view.lanes, view.reads, view.writes, view.runs, view.status)
    return " ".join(plain(panel.value) for panel in panels)


def strip(view) -> list[str]:
    return [button.description for button in view.strip.children]


# Stepping --------------------------------------------------------------------------------------


def test_back_next_to_the_end_and_a_click_on_a_step():
    view = microscope(run(CALL, CALL, DONE))
    places = [view.number]
    for button in (view.next, view.end, view.next, view.back, view.back, view.back):
        button.click()
        places.append(view.number)
    assert places == [1, 2, 3, 3, 2, 1, 1]
    assert "This is the first step" in seen(view)
    view.strip.children[2].click()
    assert view.number == 3 and "It is 42." in plain(view.writes.value)
    assert [("react-lab-here" in b._dom_classes) for b in view.strip.children] == [0, 0, 1]


def test_each_step_has_a_button_that_says_what_it_did():
    view = microscope(run("Action: translate\nAction Input: {}", CALL, "Hm.", DONE))
    first, second, third, fourth = strip(view)
    assert first.startswith("1 ✗ translate\n") and second == "2 calculator\n6*7 → 42"
    assert third.startswith("3 ✗ unreadable\n") and fourth == "4 ✓ Final Answer\nIt is 42."


def test_it_opens_where_it_is_asked_to_and_refuses_what_does_not_exist():
    assert "It is 42." in seen(microscope(run(CALL, DONE), step=2))
    with pytest.raises(ValueError, match="no step 3. Use a number from 1 to 2"):
        microscope(run(CALL, DONE), step=3)
    with pytest.raises(ValueError, match="no limit 'rounds'. Use steps, tokens or seconds"):
        microscope("?", limits={"rounds": 3})


def test_whether_a_reply_is_recorded_or_live_is_in_the_status():
    assert "Step 1 of 2 (recorded)" in seen(microscope(told(recorded=True)))
    assert "Step 1 of 2 (live)" in seen(microscope(told()))
    assert "(" not in plain(microscope(run(CALL, DONE)).status.value), "a script is neither"


def test_next_at_the_end_takes_one_step_more():
    view = microscope("6*7?", agent(CALL, DONE))
    assert view.number == 0 and "No step yet" in seen(view) and strip(view) == []
    view.next.click()
    view.wait()
    assert (view.number, len(view.run.steps), view.run.stop) == (1, 1, None)
    view.next.click()
    assert view.wait().answer == "It is 42."
    assert "Finished after 2 steps: It is 42." in plain(view.status.value)


def test_to_the_end_runs_until_the_run_stops_and_shows_its_progress():
    view = microscope("6*7?", agent(CALL, CALL, DONE, stops=(StepLimit(2),)),
                      limits={"steps": 2, "seconds": 60})  # fmt: skip
    view.end.click()
    stopped = view.wait()
    assert (stopped.stop, stopped.answer, view.number) == ("step limit", "It is 42.", 3)
    assert "Last word" in seen(view)
    assert "steps 2 of 2, tokens 0, seconds 0.0 of 60" in seen(view)


def test_again_begins_anew_and_keeps_the_run_before():
    view = microscope("6*7?", agent(CALL, DONE))
    view.end.click()
    done = view.wait()
    view.again.click()
    assert (view.run, view.number, view.earlier) == (Run("6*7?"), 0, [done])
    assert strip(view) == []
    view.end.click()
    assert view.wait().answer == done.answer == "It is 42."


def test_without_an_agent_there_is_nothing_to_run():
    view = microscope(Run("?", run(CALL, DONE).steps[:1]))
    view.end.click()
    assert len(view.wait().steps) == 1
    names = [button.description for button in view.box.children[1].children[:-1]]
    assert names == ["Back", "Next", "To the end"]


# While it runs ---------------------------------------------------------------------------------


def test_stop_ends_the_run_after_the_step_and_keeps_it():
    gate = Gate()
    view = microscope("6*7?", Agent(gate, lab_tools()))
    view.end.click()
    assert gate.waits.wait(20)
    assert len(view.run.steps) == 1, "the first step can be read while the second one runs"
    view.stop.click()
    assert "It stops after this step. Running" in seen(view)
    for button in (view.next, view.end, view.edit, view.again, view.next):
        button.click()
    gate.open.set()
    kept = view.wait()
    assert (len(kept.steps), kept.stop, gate.asked, view.earlier) == (2, None, 2, [])
    assert "Stopped by you; the run is kept" in seen(view)
    view.next.click()
    assert len(view.wait().steps) == 3, "it can continue"


class Slow:
    """A model that reports what it does, and waits after each report until it is let go on."""

    def __init__(self, *reports):
        self.reports, self.said, self.go = reports, threading.Semaphore(0), threading.Semaphore(0)

    def __call__(self, messages, tools=None):
        for one in self.reports:
            report(one)
            self.said.release()
            assert self.go.acquire(timeout=20)
        return Reply(DONE)


def test_the_prompt_is_read_and_then_the_words_come():
    begun = "Thought: I kn"
    model = Slow(Progress("reading", 350), Progress("writing", 4, begun))
    view = microscope("6*7?", Agent(model, lab_tools()))
    view._shown_at = 0.0
    view.next.click()
    assert model.said.acquire(timeout=20)
    assert "The model is reading the prompt (350 tokens)." in plain(view.writes.value)
    view._shown_at = 0.0  # as if some time had passed
    model.go.release()
    assert model.said.acquire(timeout=20)
    assert "Step 1: model writes 4 tokens so far thought I kn" in plain(view.writes.value)
    model.go.release()
    view.wait()
    assert "thought I know. final answer It is 42." in plain(view.writes.value)


def test_who_looks_at_an_earlier_step_is_not_disturbed():
    view = microscope(run(CALL, CALL, DONE), agent(DONE))
    view.busy = True
    before = view.writes.value
    view._watch(Progress("reading", 350))
    assert view.writes.value == before


def test_an_error_of_the_agent_is_shown_and_the_run_kept():
    def broken(messages):
        if len(messages) > 2:
            raise KeyError("role")
        return messages

    view = microscope("6*7?", agent(CALL, DONE, fit=broken))
    view.end.click()
    assert len(view.wait().steps) == 1
    assert "KeyError: 'role'" in seen(view)


# Editing and answering -------------------------------------------------------------------------


def test_an_edited_observation_is_what_the_model_reads_next():
    whole = run(CALL, CALL, DONE)
    view = microscope(whole, agent(CALL, "Final Answer: 43"))
    assert view.observation.value == "42"
    view.observation.value = "43"
    view.edit.click()
    edited = view.wait()
    assert edited.steps[1].sent[-1]["content"] == "Observation: 43"
    assert edited.answer == "43" and view.number == 2
    assert "user, new Observation: 43" in seen(view)
    view.back.click()
    assert "observation, edited by you 43" in seen(view)
    assert view.text.endswith("You edited the observation of step 1.")
    assert view.earlier == [whole], "nothing is lost"


def test_where_there_is_no_observation_there_is_no_editor():
    view = microscope(run(CALL, DONE), agent(DONE))
    assert view.editor.layout.display is None
    view.next.click()
    assert view.editor.layout.display == "none"
    view.edit.click()
    assert "This step has no observation to continue from" in seen(view) and view.run.finished


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


def test_the_banner_is_there_only_while_a_call_waits_and_allow_runs_it_once(careful):
    agent, written = careful
    view = microscope("Save a note.", agent)
    assert view.banner.layout.display == "none"
    view.end.click()
    assert view.wait().stop == "needs approval"
    assert view.banner.layout.display is None and written == []
    assert 'Waits for you: save(text="a note")' in seen(view)
    assert strip(view) == ["1 ? save\nwaits for you"]
    assert list(view.box.children).index(view.banner) == 2, "right below the controls"
    view.allow.click()
    view.allow.click()
    view.wait()
    assert view.run.steps[0].observation.text == "saved" and written == ["a note"]
    assert view.banner.layout.display == "none"
    view.next.click()
    assert view.wait().answer == "done"


def test_a_denied_call_does_not_run_and_the_model_reads_the_reason(careful):
    agent, written = careful
    view = microscope("Save a note.", agent)
    view.end.click()
    view.wait()
    view.reason.value = "Not on a Sunday."
    view.deny.click()
    view.wait()
    assert view.reason.value == "", "it is for this call only"
    view.next.click()
    assert written == []
    assert "Not on a Sunday." in view.wait().steps[1].sent[-1]["content"]


def test_a_double_click_does_not_answer_the_next_call_unseen(careful):
    agent, written = careful
    one, other = (Action("", "save", {"text": text}) for text in ("one", "other"))
    asks = Run("?", (Step((), Reply(""), one, also=((other, None),)),), "needs approval")
    view = microscope(asks, agent)
    view.allow.click()
    assert view.wait().pending == other
    view.allow.click()
    assert view.wait().pending == other and written == ["one"]


# In a kernel -----------------------------------------------------------------------------------

CELLS = [
    """
from react_lab import Agent, ScriptedModel, lab_tools, microscope

call = 'Action: calculator\\nAction Input: {"expression": "6*7"}'
view = microscope("6*7?", Agent(ScriptedModel([call, "Final Answer: It is 42."]), lab_tools()))
view
""",
    "view.next.click()\nview.wait().steps[0].observation.text",
    "view",
]


def test_in_a_kernel_each_output_has_a_page_and_a_text_beside_the_widget():
    cells = [nbformat.v4.new_code_cell(source) for source in CELLS]
    notebook = nbformat.v4.new_notebook(cells=cells)
    NotebookClient(notebook, kernel_name="python3", timeout=60).execute()
    first, later = notebook.cells[0].outputs[0].data, notebook.cells[2].outputs[0].data
    assert "application/vnd.jupyter.widget-view+json" in first
    assert first["text/plain"] == "Question: 6*7?\n\nThe run can continue."
    assert notebook.cells[1].outputs[0].data["text/plain"] == "'42'"
    assert later["text/plain"].startswith("Question: 6*7?\n\nStep 1\n")
    assert "Step 1: calculator 6*7 → 42" in plain(later["text/html"])
    state = notebook.metadata.widgets["application/vnd.jupyter.widget-state+json"]["state"]
    values = [str(model["state"].get("value", "")) for model in state.values()]
    assert any("Model writes" in value for value in values), "as the browser has it"


def test_no_number_of_the_page_changes_between_two_replays():
    assert run_html.folds(told(recorded=True)) == run_html.folds(told(recorded=True))
