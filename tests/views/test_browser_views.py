"""The new views in a real browser: by keyboard, in both themes, within one screen.

What a click changes must be visible at 1366 by 768 without scrolling.
"""

import re

import pytest
from test_browser import COLOURS, EMPTY, hit, page, press, status, tab_to, write
from test_browser import lab as _lab
from test_widgets import contrast

from helpers.browser import expect, open_notebook, run_aside, run_cell, set_theme
from react_lab.views.quiz import read

pytestmark = pytest.mark.more
lab = _lab  # fixtures of test_browser
__all__ = ["lab", "page"]

CAREFUL = """
from react_lab import Agent, Registry, ScriptedModel, microscope

notes = Registry()

@notes.register(effect="write")
def save(text: str) -> str:
    '''Save a text. Use it when something has to be kept.'''
    return "It is saved."

call = 'Thought: I keep it.\\nAction: save\\nAction Input: {"text": "a note"}'
agent = Agent(ScriptedModel([call, call, "Final Answer: done"]), notes)
view = microscope("Save it.", agent, limits={"steps": 8})
view
"""
LONG = """
from react_lab import Agent, ScriptedModel, lab_tools, microscope

calls = ['Thought: a sum.\\nAction: calculator\\n'
         f'Action Input: {{"expression": "6*{number}"}}' for number in range(11)]
agent = Agent(ScriptedModel([*calls, "Final Answer: done"]), lab_tools(), max_steps=12)
microscope(agent.run("6*7?"), agent)
"""
SLOW = """
import threading
from react_lab import Agent, Reply, lab_tools, microscope
from react_lab.models.progress import Progress, report

go = threading.Semaphore(0)

def slow(messages, tools=None):
    report(Progress("reading", 350))
    go.acquire()
    report(Progress("writing", 6, "Thought: I am think"))
    go.acquire()
    return Reply("Thought: I am thinking.\\nFinal Answer: 42", tokens_in=350, tokens_out=9)

view = microscope("6*7?", Agent(slow, lab_tools()))
view
"""
BUILDER = """
from react_lab.prompt import RULES, system_prompt
from react_lab.toolkit import lab_tools
from react_lab.views.prompt_builder import PromptBuilder

def build(names):
    return system_prompt(lab_tools(), rules=[RULES["en"][name] for name in names])

PromptBuilder(RULES["en"], build, lambda text: len(text.split()), ask=lambda prompt: "Thought: Hm.")
"""
QUIZ = "from react_lab.views.quiz import quiz\n\nquiz('05_loop')"
RUNS = """
from react_lab import Agent, ScriptedModel, compare, lab_tools, save_page, show

call = 'Thought: a sum.\\nAction: calculator\\nAction Input: {"expression": "6*7"}'
one, other = (Agent(ScriptedModel([call, f"Final Answer: {n}"]), lab_tools()).run("6*7?")
              for n in (42, 43))
"""


@pytest.fixture
def notebook(lab, page):
    """Open one of the notebooks by its name, on the screen of a small laptop."""
    page.set_viewport_size({"width": 1366, "height": 768})
    return lambda name: open_notebook(page, lab[1], name)


def column(cell, name):
    return cell.get_by_role("group", name=name)


def on_one_screen(page, cell):
    """Whether all of a widget fits between the notebook's toolbar and the status bar."""
    box = cell.locator(".jp-OutputArea-output").first
    box.evaluate("element => element.scrollIntoView({block: 'start'})")
    place, around = box.bounding_box(), page.locator(".jp-WindowedPanel-outer").bounding_box()
    return place["y"] + place["height"] <= around["y"] + around["height"]


# The microscope --------------------------------------------------------------------------------

CONTROLS = ["Back", "Next", "To the end", "Stop", "Again"]


def test_a_microscope_by_keyboard_with_a_no_and_a_yes(notebook, page):
    notebook(EMPTY)
    cell = run_cell(page, CAREFUL)
    says = status(cell)
    expect(says).to_contain_text("No step yet")
    banner = cell.get_by_role("button", name="✓ Allow")
    expect(banner).to_be_hidden()
    met = [name for name in tab_to(page, "3 · Program runs") if name]
    assert met[: len(CONTROLS)] == CONTROLS

    hit(page, "Next", "Enter", says, "Step 1 of 1")
    expect(cell).to_contain_text('? Waits for you: save(text="a note")')
    expect(banner).to_be_visible()
    assert on_one_screen(page, cell)
    next_one, allow = (cell.get_by_role("button", name=n, exact=True).bounding_box()
                       for n in ("Next", "✓ Allow"))  # fmt: skip
    assert allow["y"] - next_one["y"] - next_one["height"] < 40, "right below the controls"
    write(page, "Reason", "Not on a Sunday.")
    tab_to(page, "✗ Deny")
    page.keyboard.press("Space")
    expect(column(cell, "3 · Program runs")).to_contain_text("Not on a Sunday.")
    expect(banner).to_be_hidden()
    hit(page, "To the end", "Enter", says, "Step 2 of 2")
    page.wait_for_timeout(1100)  # a second answer within a second counts as a double click
    tab_to(page, "✓ Allow")
    page.keyboard.press("Enter")
    expect(column(cell, "3 · Program runs")).to_contain_text("It is saved.")
    hit(page, "To the end", "Space", says, "Step 3 of 3")

    button = cell.get_by_role("button", name=re.compile("^2 save"))
    button.focus()
    page.keyboard.press("Enter")
    expect(says).to_contain_text("Step 2 of 3")
    write(page, "Observation", "The disk is full.")
    tab_to(page, "✎ Continue from this observation")
    page.keyboard.press("Enter")
    expect(column(cell, "1 · Model reads")).to_contain_text("Observation: The disk is full.")
    assert on_one_screen(page, cell)


def test_every_step_of_a_long_run_is_within_one_screen(notebook, page):
    notebook(EMPTY)
    cell = run_cell(page, LONG)
    for number in (12, 1, 7):
        cell.get_by_role("button", name=re.compile(f"^{number} ")).click()
        expect(status(cell)).to_contain_text(f"Step {number} of 12")
        assert on_one_screen(page, cell)
    widths = cell.locator(".react-lab-strip").evaluate("e => [e.scrollWidth, e.clientWidth]")
    assert widths[0] <= widths[1]


def test_the_words_come_while_the_model_is_at_work(notebook, page):
    notebook(EMPTY)
    cell = run_cell(page, SLOW)
    press(cell, "Next")
    expect(cell).to_contain_text("The model is reading the prompt (350 tokens).")
    page.wait_for_timeout(200)
    run_aside(page, "go.release()")
    expect(cell).to_contain_text("I am think")
    run_aside(page, "go.release()")
    expect(status(cell)).to_contain_text("Step 1 of 1 (live). Finished after 1 step: 42")


@pytest.mark.parametrize("theme", ["JupyterLab Light", "JupyterLab Dark"])
def test_the_views_are_legible_in_both_themes(notebook, page, theme):
    notebook(EMPTY)
    set_theme(page, theme)
    for code in (CAREFUL, LONG, BUILDER, QUIZ):
        cell = run_cell(page, code)
        expect(cell.locator(".react-lab").first).to_be_attached()
        if code is CAREFUL:
            press(cell, "Next")
            expect(cell).to_contain_text("Waits for you")
        page.wait_for_timeout(500)
        seen = cell.evaluate(COLOURS)
        assert len(seen) > 10
        faint = [(words, contrast(colour, ground)) for words, colour, ground in seen]
        assert [pair for pair in faint if pair[1] < 4.5] == []  # WCAG 1.4.3


# Quiz and prompt builder -----------------------------------------------------------------------


def test_the_arrow_keys_choose_and_stay_inside_the_quiz(notebook, page):
    notebook(EMPTY)
    cell = run_cell(page, QUIZ)
    first = cell.get_by_role("radio").first
    expect(first).to_be_visible()
    expect(cell.locator("[data-lm-suppress-shortcuts]")).to_have_count(9)
    first.focus()
    page.keyboard.press("Space")
    for place in (1, 2, 0, 1):  # round and round
        page.keyboard.press("ArrowDown")
        expect(cell.get_by_role("radio").nth(place)).to_be_checked()
        expect(cell.get_by_role("radio").nth(place)).to_be_focused()
    page.keyboard.press("ArrowUp")
    expect(first).to_be_checked()
    hit(page, "Check", "Enter", status(cell).first, read("05_loop")[0].choices[0].why)
    expect(cell).to_contain_text(re.compile("Score: [01] of 3"))
    again = run_cell(page, QUIZ)
    expect(again.get_by_role("radio").first).to_be_checked()
    expect(status(again).first).to_contain_text(read("05_loop")[0].choices[0].why)


def test_what_a_rule_changes_is_in_view_beside_it(notebook, page):
    notebook(EMPTY)
    cell = run_cell(page, BUILDER)
    expect(cell.get_by_role("checkbox")).to_have_count(8)
    assert on_one_screen(page, cell)
    for number in (0, 7):
        cell.get_by_role("checkbox").nth(number).uncheck()
        struck = column(cell, "Prompt").locator("s").nth(min(number, 1))
        expect(struck).to_be_visible()
        frame, line = column(cell, "Prompt").bounding_box(), struck.bounding_box()
        assert line["y"] + line["height"] <= frame["y"] + frame["height"], "without scrolling"
    press(cell, "Ask the model")
    expect(column(cell, "Reply")).to_contain_text("Hm.")


# Without a kernel ------------------------------------------------------------------------------


def test_show_and_compare_in_a_cell(notebook, page):
    notebook(EMPTY)
    cell = run_cell(page, RUNS + "show(one)")
    expect(cell.locator(".mark")).to_have_count(5)
    cell = run_cell(page, RUNS + "compare(one, other)")
    expect(cell).to_contain_text("≠ first difference, in the final answer")
    cell.locator("summary").first.click()
    expect(cell.locator("details[open]")).to_contain_text("calculator")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_saved_page_opens_alone_in_both_schemes(lab, tmp_path, scheme):
    from react_lab import Agent, ScriptedModel, lab_tools, save_page

    call = 'Thought: a sum.\nAction: calculator\nAction Input: {"expression": "6*7"}'
    run = Agent(ScriptedModel([call, "Final Answer: It is 42."]), lab_tools()).run("6*7?")
    page = lab[0].new_page()
    page.emulate_media(color_scheme=scheme)
    page.goto(save_page(run, tmp_path / "run.html").as_uri())
    page.locator("summary", has_text="Step 1").click()
    expect(page.locator("details[open]").first).to_contain_text('calculator(expression="6*7")')
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    light = sum(map(int, re.findall(r"\d+", ground)[:3])) > 380
    assert light == (scheme == "light")
    page.close()


def test_lines_of_prose_have_about_74_characters(notebook, page):
    notebook("05_loop.ipynb")
    page.set_viewport_size({"width": 1920, "height": 1080})
    widths = page.evaluate("""() => [...document.querySelectorAll('.jp-RenderedMarkdown > p')]
        .filter((e) => e.innerText.length > 300 && !e.querySelector('code'))
        .map((e) => {
            const style = getComputedStyle(e);
            return e.innerText.length / (e.clientHeight / parseFloat(style.lineHeight));
        })""")
    assert widths and all(55 <= width <= 90 for width in widths), widths
    cell = page.locator(".jp-Cell").first.bounding_box()
    panel = page.locator(".jp-WindowedPanel-outer").bounding_box()
    left, right = cell["x"] - panel["x"], panel["x"] + panel["width"] - cell["x"] - cell["width"]
    assert left > 50 and abs(left - right) < 40, "in the middle"
