"""The lab as a learner meets it: real notebooks in a real JupyterLab in a real browser.

They need Chromium, and Playwright, which `browser.py` installs beside the lab. Cells that a
learner might add are added at the end of a copy; where the models in them are scripted, the
replies stand in the cell.
"""

import re
import shutil
from urllib.parse import urlsplit

import browser
import nbformat
import pytest
from browser import (
    ROOT,
    code_cells,
    expect,
    open_notebook,
    run_above,
    run_all,
    run_cell,
    set_theme,
)
from test_widgets import contrast

pytestmark = pytest.mark.more

NUMBERS = ("00", "05", "07")
NOTEBOOKS = [p for p in sorted((ROOT / "notebooks").glob("*.ipynb")) if p.name[:2] in NUMBERS]
KERNEL = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
EMPTY = "empty.ipynb"


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """(browser, address) of a JupyterLab over a copy of the notebooks."""
    folder = tmp_path_factory.mktemp("lab")
    for notebook in NOTEBOOKS:
        shutil.copy(notebook, folder)
    nbformat.write(nbformat.v4.new_notebook(metadata=KERNEL), folder / EMPTY)
    with browser.chromium() as chromium, browser.jupyterlab(folder) as address:
        yield chromium, address


@pytest.fixture
def page(lab):
    """A page of the browser. At the end: nothing went wrong, and nothing left this machine."""
    page = lab[0].new_page()
    errors, asked = [], []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    page.on("websocket", lambda socket: asked.append(socket.url))
    yield page
    dialogs = page.locator(".jp-Dialog").all_inner_texts()
    outputs = [output for cell in code_cells(page) for output in cell["outputs"]]
    complaints = [output["text"] for output in outputs if output.get("name") == "stderr"]
    page.close()
    assert (errors, dialogs, complaints) == ([], [], [])
    addresses = [urlsplit(url) for url in asked]
    strangers = {at.hostname for at in addresses if at.scheme not in ("data", "blob")}
    assert strangers == {"127.0.0.1"}


@pytest.fixture
def notebook(lab, page):
    """Open one of the notebooks by its name."""
    return lambda name: open_notebook(page, lab[1], name)


def press(cell, name):
    cell.get_by_role("button", name=name, exact=True).click()


def status(cell):
    return cell.get_by_role("status")


def part(cell, name):
    """A long part of the page that a stepper shows, by the start of its title."""
    return cell.get_by_role("group", name=re.compile(f"^{name}"))


def the_end(cell):
    """The part that says how the run ended."""
    return cell.locator("section", has_text=re.compile("^End"))


# Whole notebooks -----------------------------------------------------------------------------

LAST_RUN = """
from react_lab.trace import Run
from react_lab.views.widgets import stepper

made = [value for value in globals().values() if isinstance(value, Run)]
ended = [run for run in made if run.stop and not run.last_word]
longest = max(ended, key=lambda run: len(run.steps))
print([len(step.sent) for step in longest.steps])
stepper(longest)
"""


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_and_a_run_of_it_is_stepped_through(notebook, page, path):
    notebook(path.name)
    run_all(page)
    cells = code_cells(page)
    for cell in cells:
        errors = [output for output in cell["outputs"] if output["output_type"] == "error"]
        may_fail = "raises-exception" in cell["metadata"].get("tags", ())
        assert bool(errors) == may_fail, errors
    assert [cell["execution_count"] for cell in cells] == list(range(1, len(cells) + 1))

    cell = run_cell(page, LAST_RUN)
    sent = [int(n) for n in re.findall(r"\d+", cell.locator("pre").first.inner_text())]
    total = len(sent)
    assert total > 1
    for number, messages in enumerate(sent, 1):
        expect(status(cell)).to_contain_text(f"Step {number} of {total}")
        expect(part(cell, f"Sent: {messages} messages")).to_have_count(1)
        press(cell, "Next")
    expect(status(cell)).to_contain_text("This is the end")
    press(cell, "Back")
    expect(status(cell)).to_have_text(f"Step {total - 1} of {total}")
    press(cell, "To the end")
    expect(status(cell)).to_have_text(f"Step {total} of {total}")
    expect(the_end(cell)).to_contain_text(f"after {total} steps")


# A stepper by hand ---------------------------------------------------------------------------

EVIL = "<img src=x onerror='window.obeyed = 1'></pre><script>window.obeyed = 1</script>"


def test_you_are_the_model_and_an_edited_observation_is_what_you_read_next(notebook, page):
    """Notebook 05: the form, the stepper, and its text twin in the next cell."""
    notebook("05_loop.ipynb")
    run_above(page, "print(by_you.text)")
    cell = page.locator(".jp-CodeCell", has=page.get_by_role("button", name="To the end"))
    you = cell.get_by_label("You write")
    expect(status(cell)).to_contain_text("No step yet")

    you.fill(f'Thought: {EVIL}\nAction: get_weather\nAction Input: {{"city": "Berlin"}}')
    press(cell, "Next")
    expect(status(cell)).to_contain_text("Step 1 of 1")
    expect(part(cell, "Reply")).to_contain_text(f"Thought: {EVIL}")
    assert cell.locator("img, script").count() == 0
    assert page.evaluate("window.obeyed") is None

    observation = cell.get_by_label("Observation")
    expect(observation).to_have_value(re.compile("Berlin"))
    observation.fill("Berlin: -40 °C")
    you.fill('Action: calculator\nAction Input: {"expression": "-40*1.8+32"}')
    press(cell, "Go on from this observation")
    expect(status(cell)).to_contain_text("Step 2 of 2")
    expect(part(cell, "Sent")).to_contain_text("user (new)Observation: Berlin: -40 °C")
    press(cell, "Back")
    expect(part(cell, "Call and result")).to_contain_text("result, edited by you")
    press(cell, "Next")

    you.fill("Final Answer: -40 degrees Fahrenheit.")
    press(cell, "Next")
    expect(status(cell)).to_contain_text("Step 3 of 3")
    twin = run_cell(page, "print(by_you.text)")
    expect(twin).to_contain_text("Finished after 3 steps: -40 degrees Fahrenheit.")


GATED = """
import threading
from react_lab.loop import Agent
from react_lab.models import Reply
from react_lab.toolkit import lab_tools
from react_lab.views.widgets import stepper

gate = threading.Event()

def slow(messages, tools=None):  # scripted: the same call at every step
    if len(messages) > 2:
        gate.wait()
    return Reply('Action: calculator\\nAction Input: {"expression": "6*7"}')

view = stepper("6*7?", go_on=Agent(slow, lab_tools(), stops=()).stream, limits={"steps": 8})
view
"""


def test_other_clicks_do_no_harm_while_it_runs_and_stop_keeps_the_steps(notebook, page):
    notebook(EMPTY)
    cell = run_cell(page, GATED)
    cell.get_by_role("button", name="To the end").dblclick()
    expect(status(cell)).to_contain_text("Step 1 of 1. Running")
    for name in ("Next", "To the end", "Go on from this observation", "Back", "Next"):
        press(cell, name)
    press(cell, "Stop")
    expect(status(cell)).to_contain_text("It stops after this step. Running")
    run_cell(page, "gate.set()")
    expect(status(cell)).to_contain_text("Step 2 of 2. Stopped by you; the run is kept")
    kept = run_cell(page, "len(view.run.steps), view.run.stop, view.earlier")
    expect(kept).to_contain_text("(2, None, [])")
    press(cell, "Next")
    expect(status(cell)).to_contain_text("Step 3 of 3")


LIVE = """
from react_lab.embedded import EmbeddedModel
from react_lab.loop import Agent
from react_lab.toolkit import lab_tools
from react_lab.views.text import show_end
from react_lab.views.widgets import stepper

live = Agent(EmbeddedModel(), lab_tools())
view = stepper("Is it raining in Helsinki?", go_on=live.stream, limits={"steps": 8})
view
"""


def test_the_live_model_answers_while_the_page_is_open(notebook, page):
    notebook(EMPTY)
    cell = run_cell(page, LIVE)
    press(cell, "To the end")
    expect(the_end(cell)).to_contain_text(re.compile("(Finished|Stopped).* after"))
    twin = run_cell(page, "print(show_end(view.run))").locator("pre").last
    assert twin.inner_text().strip() in the_end(cell).inner_text()


# For everybody -------------------------------------------------------------------------------

CAREFUL = """
from react_lab import loop
from react_lab.models import ScriptedModel
from react_lab.registry import Registry
from react_lab.views.widgets import stepper

notes = Registry()

@notes.register(effect="write")
def save(text: str) -> str:
    '''Save a text. Use it when something has to be kept.'''
    return "It is saved."

call = 'Thought: I keep it.\\nAction: save\\nAction Input: {"text": "a note"}'
agent = loop.Agent(ScriptedModel([call, call, "Final Answer: done"]), notes)

def answer(run, yes, why):
    return loop.step(run, agent, approve=yes, note=why)

view = stepper("Save it.", go_on=agent.stream, answer=answer, limits={"steps": 8})
view
"""
CONTROLS = ["Back", "Next", "To the end", "Stop", "Allow", "Deny", "Reason", "Observation",
            "Go on from this observation"]  # fmt: skip
FOCUSED = """() => {
    const { labels, innerText } = document.activeElement;
    return labels?.length ? labels[0].innerText : document.activeElement.ariaLabel || innerText;
}"""


def tab_to(page, name):
    """Walk to a control with the Tab key, backwards where that is shorter; the names met."""
    met = [page.evaluate(FOCUSED)]
    here = met[0] if met[0] in CONTROLS else CONTROLS[0]
    key = "Tab" if CONTROLS.index(here) <= CONTROLS.index(name) else "Shift+Tab"
    while met[-1] != name:
        assert len(met) < 30, f"{name} is not reached: {met}"
        page.keyboard.press(key)
        met.append(page.evaluate(FOCUSED))
    return met


def test_everything_can_be_done_by_keyboard(notebook, page):
    """From one control to the next with Tab, and each button pressed with Enter or Space."""
    notebook(EMPTY)
    cell = run_cell(page, CAREFUL)
    expect(cell.get_by_role("button", name=CONTROLS[-1])).to_be_visible()
    met = tab_to(page, CONTROLS[-1])
    assert [name for name in met if name in CONTROLS] == CONTROLS

    def hit(name, key, says):
        tab_to(page, name)
        page.keyboard.press(key)
        expect(status(cell)).to_contain_text(says)

    hit("Next", "Enter", "Step 1 of 1")
    expect(cell).to_contain_text('Waits for you: save {"text": "a note"}')
    tab_to(page, "Reason")
    page.keyboard.type("Not on a Sunday.")
    hit("Deny", "Space", "Step 1 of 1")
    expect(part(cell, "Call and result")).to_contain_text("Not on a Sunday.")
    hit("To the end", "Enter", "Step 2 of 2")
    page.wait_for_timeout(1100)  # a second answer within a second counts as a double click
    hit("Allow", "Enter", "Step 2 of 2")
    expect(part(cell, "Call and result")).to_contain_text("It is saved.")
    hit("To the end", "Space", "Step 3 of 3")
    assert "Sent: 6 messages" in tab_to(page, "Allow"), "long parts are scrolled by keyboard"
    hit("Back", "Space", "Step 2 of 3")
    tab_to(page, "Observation")
    page.keyboard.press("Control+A")
    page.keyboard.type("The disk is full.")
    hit("Go on from this observation", "Enter", "Step 3 of 3")
    expect(part(cell, "Sent")).to_contain_text("user (new)Observation: The disk is full.")
    hit("Stop", "Space", "Nothing runs")


# Every element with words of its own: the words, their colour, and the colour behind them.
COLOURS = r"""(cell) => {
    const numbers = (colour) => {
        if (!colour.startsWith('rgb')) throw new Error(colour);
        const [red, green, blue, alpha = 1] = colour.match(/[\d.]+/g).map(Number);
        return [[red, green, blue], alpha];
    };
    const over = ([top, alpha], below) => top.map((n, i) => n * alpha + below[i] * (1 - alpha));
    const behind = (element) => element
        ? over(numbers(getComputedStyle(element).backgroundColor), behind(element.parentElement))
        : [255, 255, 255];
    const hex = (colour) => '#' + colour.map(
        (n) => Math.round(n).toString(16).padStart(2, '0')).join('');
    const own = (element) => element.value || [...element.childNodes]
        .filter((node) => node.nodeType === Node.TEXT_NODE).map((node) => node.data).join('');
    return [...cell.querySelectorAll('.jp-OutputArea-output .widget-vbox *')]
        .filter((e) => e.tagName !== 'STYLE' && e.checkVisibility() && `${own(e)}`.trim())
        .map((e) => {
            const ground = behind(e);
            const colour = over(numbers(getComputedStyle(e).color), ground);
            return [`${own(e)}`, hex(colour), hex(ground)];
        });
}"""


@pytest.mark.parametrize("theme", ["JupyterLab Light", "JupyterLab Dark"])
def test_a_stepper_is_legible_in_both_themes(notebook, page, theme):
    notebook(EMPTY)
    set_theme(page, theme)
    cell = run_cell(page, CAREFUL)
    press(cell, "Next")
    expect(cell).to_contain_text('Waits for you: save {"text": "a note"}')
    seen = cell.evaluate(COLOURS)
    words = " ".join(found for found, _, _ in seen)
    for shown in (*CONTROLS, "Step 1 of 1", "steps 1 of 8", "user (new)", "Thought: I keep it."):
        assert shown in words
    faint = [(words, contrast(colour, ground)) for words, colour, ground in seen]
    assert [pair for pair in faint if pair[1] < 4.5] == []  # WCAG 1.4.3
    light = {contrast("#ffffff", ground) < 2 for _, _, ground in seen}
    assert light == {theme == "JupyterLab Light"}
    breaks = cell.locator(".react-lab pre").first.evaluate("e => getComputedStyle(e).wordBreak")
    assert breaks == "normal", "JupyterLab's own style would cut words in two"


def test_a_system_without_chromium_is_told_the_command(monkeypatch):
    monkeypatch.setenv("PATH", "")
    with pytest.raises(RuntimeError, match="apt-get install .* chromium"):
        browser.chromium_path()
