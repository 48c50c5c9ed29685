"""Plots: every bar is a figure of the run, and every figure can be heard."""

import io

import nbformat
import pytest
from matplotlib.colors import to_hex
from nbclient import NotebookClient
from PIL import Image
from test_widgets import contrast

from react_lab.loop import Agent
from react_lab.models import Reply, ScriptedModel
from react_lab.toolkit import lab_tools
from react_lab.trace import Run
from react_lab.views import plots

CALL = 'Thought: a sum.\nAction: calculator\nAction Input: {"expression": "6*7"}'
FAIL = 'Action: calculator\nAction Input: {"expression": "1/0"}'
DONE = "Thought: I know.\nFinal Answer: It is 42."


def measured(*replies, tokens_in=(), seconds=(), **settings) -> Run:
    """A run of a model whose endpoint counts: 20 tokens a reply, and as many in as given."""

    def model(messages, tools=None):
        place = sum(message["role"] == "assistant" for message in messages)
        took = seconds[place] if seconds else 0.5
        return Reply(replies[place], tokens_in=tokens_in[place], tokens_out=20, seconds=took)

    return Agent(model, lab_tools(), **settings).run("6*7?")


def bars(figure) -> dict[str, list[tuple[float, float]]]:
    """By its name in the legend, where each part of each bar begins, and how long it is."""
    drawn = figure.axes[0].containers
    return {part.get_label(): [(p.get_x(), p.get_width()) for p in part] for part in drawn}


def test_the_tokens_of_each_step_are_prompt_history_and_new():
    run = measured(CALL, CALL, DONE, tokens_in=(300, 340, 380))
    figure = plots.tokens(run)
    assert bars(figure) == {
        "prompt": [(0, 300), (0, 300), (0, 300)],
        "history": [(300, 0), (300, 40), (300, 80)],
        "new": [(300, 20), (340, 20), (380, 20)],
    }
    assert plots.figure_alt(figure) == (
        "Tokens of each round, as stacked bars.\n"
        "1,080 tokens in 3 rounds: prompt 900, history 120, new 60.\n"
        "step 1: prompt 300, history 0, new 20 tokens.\n"
        "step 2: prompt 300, history 40, new 20 tokens.\n"
        "step 3: prompt 300, history 80, new 20 tokens."
    )


def test_the_last_word_costs_as_well():
    run = measured(CALL, DONE, tokens_in=(300, 360), max_steps=1)
    assert plots.figure_alt(plots.tokens(run)).endswith(
        "last word: prompt 300, history 60, new 20 tokens."
    )


def test_tokens_that_the_endpoint_did_not_tell_are_counted():
    run = Agent(ScriptedModel([DONE]), lab_tools()).run("6*7?")
    with pytest.raises(ValueError, match="pass count="):
        plots.tokens(run)
    figure = plots.tokens(run, count=lambda text: len(text.split()))
    assert bars(figure)["new"][0][1] == len(DONE.split())


def test_the_timeline_begins_each_step_where_the_last_one_ended():
    run = measured(CALL, DONE, tokens_in=(1, 1), seconds=(2.0, 3.0))
    figure = plots.timeline(run)
    tool = run.steps[0].observation.seconds
    assert bars(figure)["model"] == [(0, 2.0), (2.0 + tool, 3.0)]
    assert bars(figure)["tools"][0] == (2.0, pytest.approx(tool))
    assert "5.0 seconds: 5.0 in the model, 0.0 in tools." in plots.figure_alt(figure)


def test_tool_use_counts_calls_and_errors_over_many_runs():
    weather = 'Action: get_weather\nAction Input: {"city": "Oslo"}'
    one = Agent(ScriptedModel([CALL, FAIL, DONE]), lab_tools()).run("?")
    other = Agent(ScriptedModel([weather, CALL, "Hm.", DONE]), lab_tools()).run("?")
    assert plots.figure_alt(plots.tool_use([one, other])).splitlines()[1:] == [
        "4 calls, 1 of them errors. Most often: calculator.",
        "calculator: result 2, error 1 calls.",
        "get_weather: result 1, error 0 calls.",
    ]


def test_growth_adds_up_what_each_round_sent():
    figure = plots.growth({"whole": [100, 150, 200, 250], "short": [100, 110, 110, 110]})
    whole, short = figure.axes[0].lines
    assert (list(whole.get_xdata()), list(whole.get_ydata())) == (
        [1, 2, 3, 4],
        [100, 250, 450, 700],
    )
    assert list(short.get_ydata()) == [100, 210, 320, 430]
    assert whole.get_marker() != short.get_marker()
    assert plots.figure_alt(figure) == (
        "Tokens sent in all, up to each round, as lines.\n"
        "Most: whole.\n"
        "whole: 250 in 2 rounds, 700 in all.\n"
        "short: 210 in 2 rounds, 430 in all."
    )


def test_cache_use_parts_what_was_computed_from_what_was_kept():
    kept = [Reply("", tokens_in=100, tokens_cached=0), Reply("", tokens_in=150, tokens_cached=90)]
    figure = plots.cache_use({"kept": kept, "not told": [Reply("", tokens_in=150)]})
    assert bars(figure) == {
        "from the cache": [(0, 90), (0, 0)],
        "computed": [(90, 160), (0, 150)],
    }
    assert "310 of 400 prompt tokens were computed." in plots.figure_alt(figure)


def test_a_name_that_the_model_made_up_is_drawn_as_it_stands(tmp_path):
    run = Agent(ScriptedModel(["Action: get_$\\frac$\nAction Input: {}", DONE]), lab_tools()).run(
        "?"
    )
    figure = plots.tool_use(run)
    figure.savefig(tmp_path / "figure.png")  # raises where a $ is read as mathematics
    assert [label.get_text() for label in figure.axes[0].get_yticklabels()] == [r"get_$\frac$"]


@pytest.mark.filterwarnings("error")
def test_a_name_that_no_picture_can_hold_is_cut_to_one_line(tmp_path):
    names = ["half \ud83d", "two\tparts", "x" * 99_999]
    run = measured(*(f"Action: {n}\nAction Input: 1" for n in names), DONE, tokens_in=[9] * 4)
    figure = plots.tool_use(run)
    figure.savefig(tmp_path / "picture.png")
    drawn = [tick.get_text() for tick in figure.axes[0].get_yticklabels()]
    assert drawn == ["half ?", "two parts", "x" * 39 + "…"]
    assert max(map(len, plots.figure_alt(figure).splitlines())) < 100


def test_a_run_without_a_step_can_be_drawn(tmp_path):
    for plot in (plots.tokens, plots.timeline, plots.tool_use):
        plot(Run("?")).savefig(tmp_path / "figure.png")


def test_parts_differ_by_their_pattern_too():
    figure = plots.tokens(measured(CALL, DONE, tokens_in=(300, 360)))
    patterns = {part.patches[0].get_hatch() for part in figure.axes[0].containers}
    assert len(patterns) == 3


def test_a_plot_suits_both_themes_and_fits_on_a_screen():
    tall = Run("?", measured(*[CALL] * 3, DONE, tokens_in=[9] * 4).steps * 10)
    for figure in (
        plots.tokens(tall, count=len),
        plots.timeline(tall),
        plots.growth({"a": [1, 2]}),
        plots.cache_use({"a": [Reply("", tokens_in=1)]}),
    ):
        assert figure.get_figheight() * 100 <= 500
        picture = io.BytesIO()
        figure.savefig(picture, format="png", dpi=20)
        pixels = Image.open(picture).convert("RGBA")
        assert pixels.getpixel((1, 1))[3] == 0, "transparent"
        words = [*figure.axes[0].get_yticklabels(), figure.axes[0].title]
        for ground in ("#ffffff", "#111111"):  # JupyterLab's themes
            assert all(contrast(to_hex(one.get_color()), ground) >= 4 for one in words)


SHOWN = """
from react_lab.loop import Agent
from react_lab.models import ScriptedModel
from react_lab.registry import Registry
from react_lab.views import plots

run = Agent(ScriptedModel(["Final Answer: 4"]), Registry()).run("<2+2>")
plots.show(plots.timeline(run))
"""


def test_in_a_notebook_the_picture_has_its_alt_text_and_its_summary_stands_below():
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(SHOWN)])
    NotebookClient(notebook, kernel_name="python3", timeout=60).execute()
    picture, words = notebook.cells[0].outputs
    assert picture.data["image/png"].startswith("iVBOR"), "a PNG, and not shown twice"
    alt = picture.metadata["image/png"]["alt"]
    assert alt.startswith("Time of model and tools, as stacked bars. 0.0 seconds")
    summary = "0.0 seconds: 0.0 in the model, 0.0 in tools."
    assert words.data["text/plain"].startswith(summary + "\nstep 1: model 0.0, tools 0")
    assert f"<summary>{summary}</summary>" in words.data["text/html"]
