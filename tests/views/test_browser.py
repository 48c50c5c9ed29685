"""The lab as a learner meets it: real notebooks in a real browser, in JupyterLab and Notebook 7.

They need Chromium; `browser.py` installs Playwright and Notebook 7 beside the lab. Cells that a
learner might add are added at the end of a copy; where the models in them are scripted, the
replies stand in the cell.
"""

import io
import re
import shutil
from importlib.metadata import Distribution, version
from urllib.parse import urlsplit

import nbformat
import pytest
from packaging.requirements import Requirement
from PIL import Image
from test_widgets import contrast

from helpers import browser
from helpers.browser import (
    ROOT,
    code_cells,
    expect,
    open_notebook,
    run_above,
    run_all,
    run_aside,
    run_cell,
    set_theme,
)
from helpers.extra_packages import beside
from react_lab.views.quiz import read

pytestmark = pytest.mark.more

NUMBERS = ("00", "05", "07")
NOTEBOOKS = [p for p in sorted((ROOT / "notebooks").glob("*.ipynb")) if p.name[:2] in NUMBERS]
KERNEL = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
EMPTY = "empty.ipynb"
# Notebook 7.6.5 says this when it opens, also from a usual installation without the lab.
NOT_OURS = "Cannot read properties of undefined (reading 'schema')"


@pytest.fixture(scope="module", params=["jupyterlab", "notebook7"])
def lab(request, tmp_path_factory):
    """(browser, address, folder) of JupyterLab, then of Notebook 7, with all notebooks."""
    folder = tmp_path_factory.mktemp("lab")
    for notebook in NOTEBOOKS:
        shutil.copy(notebook, folder)
    nbformat.write(nbformat.v4.new_notebook(metadata=KERNEL), folder / EMPTY)
    serve = getattr(browser, request.param)
    with browser.chromium() as chromium, serve(folder) as address:
        yield chromium, address, folder


@pytest.fixture
def page(lab):
    """A page of the browser, and no answers kept from another test: a quiz restores those.

    At the end: nothing went wrong, and nothing left this machine.
    """
    shutil.rmtree(lab[2] / "lab_data", ignore_errors=True)
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
    assert ([e for e in errors if e != NOT_OURS], dialogs, complaints) == ([], [], [])
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

agent = Agent(slow, lab_tools(), max_steps=None, without=("repeats",))
view = stepper("6*7?", go_on=agent.stream, limits={"steps": 8})
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
from react_lab.models.embedded import EmbeddedModel
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


# By keyboard alone ---------------------------------------------------------------------------

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

# The name of the control that has the focus; empty outside of a cell's output.
FOCUSED = """() => {
    const { labels, ariaLabel, innerText } = document.activeElement;
    if (!document.activeElement.closest('.jp-OutputArea-output')) return '';
    return labels?.length ? labels[0].innerText : ariaLabel || innerText;
}"""


def tab_to(page, name):
    """Walk to a control with Tab, and back with Shift+Tab from the widget's end; the names met."""
    met, key = [page.evaluate(FOCUSED)], "Tab"
    while met[-1] != name:
        assert len(met) < 60, f"{name} is not reached: {met}"
        page.keyboard.press(key)
        met.append(page.evaluate(FOCUSED))
        if met[-2] and not met[-1]:
            key = "Shift+Tab"
    return met


def hit(page, name, key, place, says):
    """Walk to a control, press a key there, and read what comes of it. The focus stays."""
    tab_to(page, name)
    page.keyboard.press(key)
    expect(place).to_contain_text(says)
    assert page.evaluate(FOCUSED) == name


def write(page, name, words):
    """Walk to a field, and put words in the place of those that stand in it."""
    tab_to(page, name)
    page.keyboard.press("Control+A")
    page.keyboard.type(words)


def scroll(page, name):
    """Walk to a long part, and scroll it: PageDown, because Jupyter uses the arrows itself."""
    tab_to(page, name)
    page.keyboard.press("PageDown")
    page.wait_for_function("document.activeElement.scrollTop > 0")
    assert page.evaluate(FOCUSED) == name


def test_a_stepper_by_keyboard(notebook, page):
    """All its controls, long and folded parts, and a yes and a no for a call that waits."""
    notebook(EMPTY)
    cell = run_cell(page, CAREFUL)
    says, result = status(cell), part(cell, "Call and result")
    expect(cell.get_by_role("button", name=CONTROLS[-1])).to_be_visible()
    met = tab_to(page, CONTROLS[-1])
    assert [name for name in met if name] == CONTROLS, "in this order, and nothing else"

    hit(page, "Next", "Enter", says, "Step 1 of 1")
    expect(cell).to_contain_text('Waits for you: save {"text": "a note"}')
    scroll(page, "Sent: 2 messages")
    write(page, "Reason", "Not on a Sunday.")
    hit(page, "Deny", "Space", result, "Not on a Sunday.")
    expect(cell.get_by_label("Reason")).to_have_value("")
    hit(page, "To the end", "Enter", says, "Step 2 of 2")
    tab_to(page, "system (as before)")
    page.keyboard.press("Enter")
    expect(part(cell, "Sent").locator("details[open]")).to_have_count(1)
    page.wait_for_timeout(1100)  # a second answer within a second counts as a double click
    hit(page, "Allow", "Enter", result, "It is saved.")
    expect(result).not_to_contain_text("Sunday")
    hit(page, "To the end", "Space", says, "Step 3 of 3")
    hit(page, "Back", "Space", says, "Step 2 of 3")
    write(page, "Observation", "The disk is full.")
    edited = "user (new)Observation: The disk is full."
    hit(page, "Go on from this observation", "Enter", part(cell, "Sent"), edited)
    hit(page, "Stop", "Space", says, "Nothing runs")


def test_a_run_is_stopped_by_keyboard_while_it_goes_on(notebook, page):
    notebook(EMPTY)
    cell = run_cell(page, GATED)
    expect(cell.get_by_role("button", name="Stop")).to_be_visible()
    hit(page, "To the end", "Enter", status(cell), "Step 1 of 1. Running")
    hit(page, "Stop", "Space", status(cell), "It stops after this step. Running")
    run_aside(page, "gate.set()")
    expect(status(cell)).to_contain_text("Step 2 of 2. Stopped by you; the run is kept")
    assert page.evaluate(FOCUSED) == "Stop", "what a run brings in does not take the focus"
    hit(page, "Back", "Enter", status(cell), "Step 1 of 2")
    expect(run_cell(page, "len(view.run.steps), view.run.stop")).to_contain_text("(2, None)")


def test_the_form_of_notebook_05_by_keyboard(notebook, page):
    notebook("05_loop.ipynb")
    run_above(page, "print(by_you.text)")
    cell = page.locator(".jp-CodeCell", has=page.get_by_role("button", name="To the end"))
    expect(status(cell)).to_contain_text("No step yet")
    page.keyboard.press("ArrowUp")  # from the cell that is next to the one with the form
    write(page, "You write", 'Action: get_weather\nAction Input: {"city": "Berlin"}')
    hit(page, "Next", "Enter", status(cell), "Step 1 of 1")
    expect(cell.get_by_label("Observation")).to_have_value(re.compile("Berlin"))
    write(page, "Observation", "Berlin: -40 °C")
    write(page, "You write", 'Action: calculator\nAction Input: {"expression": "-40*1.8+32"}')
    edited = "user (new)Observation: Berlin: -40 °C"
    hit(page, "Go on from this observation", "Space", part(cell, "Sent"), edited)
    write(page, "You write", "Final Answer: -40 degrees Fahrenheit.")
    hit(page, "Next", "Space", the_end(cell), "after 3 steps: -40 degrees Fahrenheit.")


QUIZ = """
from react_lab.views.quiz import quiz

quiz("05_loop")
"""


def test_a_quiz_by_keyboard(notebook, page):
    """Tab reaches the choices of a question, and the arrow keys move between them."""
    notebook(EMPTY)
    cell = run_cell(page, QUIZ)
    expect(cell.get_by_role("button", name="Check")).to_have_count(3)
    said = cell.get_by_role("status")
    key, chosen = "Space", None
    for letter, choice in zip("abc", read("05_loop")[0].choices):
        name = f"({letter}) {choice.text}"
        tab_to(page, chosen or name)
        page.keyboard.press(key)
        key, chosen = "ArrowDown", name
        expect(cell.get_by_role("radio", checked=True)).to_have_count(1)
        verdict = "✓ Right" if choice.right else "✗ Not yet"
        hit(page, "Check", "Enter", said.nth(0), f"{verdict}. ({letter}) {choice.why}")
    expect(said.nth(1)).to_be_empty()


BUILDER = """
from react_lab.views.widgets import PromptBuilder

rules = {"json": "Write JSON.", "one step": "Write one Action."}

def build(chosen):  # 40 times, which is long enough to scroll
    return "\\n".join(["Rules:", *(rules[name] for name in chosen)] * 40)

builder = PromptBuilder(rules, build, count=lambda text: len(text.split()))
builder
"""


def test_a_prompt_builder_by_keyboard(notebook, page):
    notebook(EMPTY)
    cell = run_cell(page, BUILDER)
    expect(status(cell)).to_have_text("240 tokens")
    hit(page, "Write JSON.", "Space", status(cell), "160 tokens, 80 fewer than with all")
    hit(page, "Write one Action.", "Space", status(cell), "40 tokens, 200 fewer than with all")
    hit(page, "Write JSON.", "Space", status(cell), "120 tokens, 120 fewer than with all")
    scroll(page, "Prompt")
    expect(run_cell(page, "print(builder.text)")).to_contain_text("[x] Write JSON. [ ] Write one")


def pixels(page, element):
    """The colours of an element and of a rim around it, row by row, as "#rrggbb"."""
    element.scroll_into_view_if_needed()
    box = element.bounding_box()
    clip = {side: box[side] - 4 for side in "xy"}
    clip |= {side: box[side] + 8 for side in ("width", "height")}
    picture = Image.open(io.BytesIO(page.screenshot(clip=clip, animations="disabled")))
    data = picture.convert("RGB").tobytes().hex()
    return [f"#{data[at : at + 6]}" for at in range(0, len(data), 6)]


SHOWN = """
from react_lab.loop import Agent
from react_lab.models import ScriptedModel
from react_lab.toolkit import lab_tools
from react_lab.views.widgets import stepper

call = 'Action: calculator\\nAction Input: {"expression": "6*7"}'
agent = Agent(ScriptedModel([call, "Final Answer: 42"]), lab_tools())
stepper(agent.run("6*7?"), 2, go_on=agent.stream, answer=lambda run, yes, why: run)
"""
CHOICE = f"(a) {read('05_loop')[0].choices[0].text}"
KINDS = {
    QUIZ: [CHOICE, "Check"],
    BUILDER: ["Write JSON."],
    SHOWN: ["Next", "Sent: 4 messages", "system (as before)", "Reason", "Observation"],
}


@pytest.mark.parametrize("theme", ["JupyterLab Light", "JupyterLab Dark"])
def test_it_is_seen_which_control_has_the_focus(notebook, page, theme):
    """One control of each kind: what is drawn differs strongly when the focus is elsewhere."""
    notebook(EMPTY)
    set_theme(page, theme)
    for code, names in KINDS.items():
        cell = run_cell(page, code)
        expect(cell.get_by_role("status").first).to_be_attached()
        for name in names:
            tab_to(page, name)
            control = page.evaluate_handle("document.activeElement").as_element()
            with_focus = pixels(page, control)
            page.keyboard.press("Tab")
            changed = set(zip(with_focus, pixels(page, control)))
            page.keyboard.press("Shift+Tab")
            assert max(contrast(one, other) for one, other in changed) >= 3, name  # WCAG 1.4.11


# For everybody -------------------------------------------------------------------------------

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


def test_the_lab_has_what_notebook_7_needs():
    """Nothing that it names is installed with it, so that it runs on what the lab has."""
    (found,) = beside("notebook7", "--no-deps").glob("notebook-7.*.dist-info")
    needs = map(Requirement, Distribution.at(found).requires)
    always = [need for need in needs if not need.marker]
    assert always and all(version(need.name) in need.specifier for need in always)


def test_a_system_without_chromium_is_told_the_command(monkeypatch):
    monkeypatch.setenv("PATH", "")
    with pytest.raises(RuntimeError, match="apt-get install .* chromium"):
        browser.chromium_path()
