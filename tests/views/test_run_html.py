"""A run in colour, on one page, beside another run: the HTML says what the text says."""

import re
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser

import pytest
from test_widgets import CALL, DONE, run

from react_lab import compare, save_page, show
from react_lab.loop import Agent
from react_lab.models import Reply
from react_lab.parser.cases import parser_cases
from react_lab.stops import StepLimit
from react_lab.toolkit import lab_tools
from react_lab.trace import Run, Step
from react_lab.views import run_html

EVIL = "<img src=x onerror=alert(1)></pre></div></details><script>alert(2)</script>&amp;"


class Page(HTMLParser):
    """What a browser makes of HTML: its words, its tags, and whether all tags are closed."""

    def __init__(self, html):
        super().__init__()
        self.words, self.tags, self.open, self.in_style = "", [], [], False
        self.feed(html)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.in_style = tag == "style"
        self.words += " " if tag in ("div", "pre", "details", "summary", "b") else ""
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag
        self.in_style = False

    def handle_data(self, data):
        self.words += "" if self.in_style else data


def plain(html):
    return " ".join(Page(html).words.split())


def told(seconds=1.0, **more):
    """A model that answers CALL, then DONE, with token counts and seconds as given."""

    def model(messages, tools=None):
        first = len(messages) == 2
        counts = {"tokens_in": 300 if first else 340, "tokens_out": 20 if first else 10}
        return Reply(CALL if first else DONE, seconds=seconds, **counts, **more)

    return Agent(model, lab_tools()).run("6*7?")


# show ------------------------------------------------------------------------------------------


def test_show_is_the_text_and_its_html_has_every_word_of_it():
    shown = show(run(CALL, DONE))
    assert repr(shown) == str(shown) == (
        "Question: 6*7?\n\nStep 1\n  Thought:      a sum.\n  Action:       calculator\n"
        '  Action Input: {"expression": "6*7"}\n  Observation:  42\n\n'
        "Step 2\n  Thought:      I know.\n  Final Answer: It is 42.\n\n"
        "Finished after 2 steps: It is 42."
    )  # fmt: skip
    words = plain(shown._repr_html_())
    for line in str(shown).splitlines():
        label, _, value = line.strip().partition(": ")
        assert (value or label).strip() in words
    assert "✓ Finished after 2 steps" in words


def test_each_field_has_its_name_on_its_colour():
    html = show(run(CALL, DONE))._repr_html_()
    marks = re.findall(r'background: (#\w+)">([^<]+)</span> <code>([^<]+)', html)
    assert [(name, colour, unescape(words)) for colour, name, words in marks[:4]] == [
        ("thought", run_html.COLOURS["thought"], "a sum."),
        ("action", run_html.COLOURS["action"], "calculator"),
        ("action input", run_html.COLOURS["input"], '{"expression": "6*7"}'),
        ("observation", run_html.COLOURS["observation"], "42"),
    ]


def test_a_long_field_is_folded_and_nothing_of_it_is_lost():
    long = "\n".join(f"line {number}" for number in range(80))
    html = show(run(f"Final Answer: {long}"))._repr_html_()
    assert f"({len(long)} characters)" in html
    assert f"<pre>{long}</pre></details>" in html
    assert "<details" not in show(run("Final Answer: short"))._repr_html_()


def test_an_error_is_named_and_has_the_colour_of_errors():
    html = show(run("Action: translate\nAction Input: {}", DONE))._repr_html_()
    colour = run_html.COLOURS["error"]
    assert f'<span style="background: {colour}">✗ unknown tool</span>' in html


@pytest.mark.parametrize("view", [lambda r: show(r)._repr_html_(), run_html.folds, run_html.page])
def test_markup_of_the_model_is_shown_and_not_obeyed(view):
    said = f'Thought: {EVIL}\nAction: calculator\nAction Input: {{"{EVIL}": 1}}'
    page = Page(view(run(said, f"Thought: \ud83d\nFinal Answer: {EVIL}")))
    assert not {"img", "script"} & set(page.tags)
    assert page.words.count(EVIL) >= 3


# Where time and tokens went --------------------------------------------------------------------


def test_the_bars_hold_the_tokens_of_each_round():
    assert run_html.tokens(told()) == ("tokens", [(300, 0, 20), (300, 40, 10)])
    words = plain(run_html.overview(told(), 2))
    assert "step 1: 320 tokens, 20 new prompt 300" in words
    assert "▸ step 2: 350 tokens, 10 new prompt 300 history 40" in words


def test_without_counts_the_bars_show_characters():
    unit, rows = run_html.tokens(run(CALL, DONE))
    assert unit == "characters" and rows[1][2] == len(DONE)
    assert rows[1][0] + rows[1][1] == sum(
        len(message["content"]) for message in run(CALL, DONE).steps[1].sent
    )


def test_the_lanes_are_on_one_scale():
    steps = [replace(step, reply=replace(step.reply, seconds=3.0)) for step in told().steps]
    steps[0] = replace(steps[0], observation=replace(steps[0].observation, seconds=2.0))
    html = run_html.overview(Run("6*7?", tuple(steps), "answered"))
    assert "model 6.0 s" in plain(html) and "tools 2.0 s" in plain(html)
    assert html.count("width: 37.5%") == 4, "3 of 8 seconds, twice, and the gaps above the tools"
    assert html.count("width: 25.0%") == 2
    assert "model" not in run_html.overview(run(CALL, DONE)), "a script takes no time"


def test_of_a_long_run_the_bar_in_view_is_among_those_shown():
    calls = [CALL.replace("7", str(number)) for number in range(11)]
    long = run(*calls, DONE, max_steps=12)
    assert len(long.steps) == 12
    for number in range(1, 13):
        names = re.findall(r"step (\d+):", plain(run_html.overview(long, number)))
        assert len(names) == 5 and str(number) in names


# Three columns ---------------------------------------------------------------------------------


def test_the_three_columns_of_a_step():
    past = told(recorded=True)
    assert "4 messages, 340 tokens" in plain(run_html.reads(past, 2))
    assert "2 messages as before" in plain(run_html.reads(past, 2))
    assert "user, new Observation: 42" in plain(run_html.reads(past, 2))
    assert "20 tokens, 1.0 s, recorded" in plain(run_html.writes(past, 1))
    assert "live" in plain(run_html.writes(told(), 1)), "a model that counts, not recorded"
    assert 'calculator(expression="6*7") observation 42' in plain(run_html.runs(past, 1))
    assert "Nothing to run" in plain(run_html.runs(past, 2))


def test_what_a_model_invented_is_struck_out_and_named():
    forged = run(CALL + "\nObservation: 41\nFinal Answer: 41", DONE)
    html = run_html.writes(forged, 1)
    assert html.count('class="mark lost"') == 2
    assert "observation, invented 41 final answer, not believed 41" in plain(html)


def test_nothing_of_a_reply_is_lost_however_it_looks():
    texts = [case["text"] for case in parser_cases() if case["text"]]
    assert len(texts) > 200
    for text in texts:
        said = Run("?", (Step((), Reply(text), run("Final Answer: 1").steps[0].move),))
        raw = re.findall(r"as it came</summary><pre>(.*?)</pre>", run_html.writes(said, 1), re.S)
        assert [unescape(one) for one in raw] == [text.encode("utf-8", "replace").decode()]


def test_the_reply_to_the_last_call_is_a_step_of_its_own():
    page = plain(run_html.folds(run(CALL, DONE, stops=(StepLimit(1),))))
    assert "Last word: ✓ Final Answer It is 42." in page and "Best answer so far" in page


# One file --------------------------------------------------------------------------------------


def test_a_saved_page_is_whole_and_asks_for_nothing(tmp_path):
    path = save_page(told(), tmp_path / "run.html")
    html = path.read_text("utf-8")
    page = Page(html)
    assert page.tags[:2] == ["html", "head"] and page.tags.count("details") >= 2
    assert not {"script", "link", "img", "iframe"} & set(page.tags)
    assert "url(" not in html and "color-scheme: light dark" in html
    for words in ("6*7?", 'calculator(expression="6*7")', "system", "Finished after 2 steps"):
        assert words in page.words


# Two runs --------------------------------------------------------------------------------------


def test_the_first_difference_is_found_and_marked():
    one, other = run(CALL, DONE), run(CALL, DONE.replace("42", "43"))
    found = compare(one, other, ("with", "without"))
    assert found.first_difference == (2, "final answer")
    assert "Step 1: the same in both" in repr(found)
    assert "  with     Final Answer: It is 42.\n  without  Final Answer: It is 43." in repr(found)
    html = found._repr_html_()
    assert "≠ first difference, in the final answer" in plain(html)
    marked = re.findall(r'<div class="first">.*?<code>(.*?)</code>', html)
    assert marked == ["It is 42.", "It is 43."]


def test_the_same_input_with_another_result_differs_in_the_observation():
    one = run(CALL, DONE)
    (first, last) = one.steps
    other = replace(one, steps=(replace(first, observation=replace(first.observation, text="41")), last))  # fmt: skip # noqa: E501
    assert compare(one, other).first_difference == (1, "observation")


def test_a_run_that_goes_on_longer_and_two_equal_ones():
    longer = compare(run(DONE), run(CALL, CALL, DONE))
    assert longer.first_difference == (1, "thought")
    assert "After that, first:\n  (ended)" in repr(longer) and "Step 3" in repr(longer)
    Page(longer._repr_html_())
    same = compare(run(CALL, DONE), run(CALL, DONE))
    assert same.first_difference is None
    assert repr(same).count("the same in both") == 2 and "≠" not in same._repr_html_()


def test_a_comparison_cannot_be_broken_by_words_of_the_model():
    page = Page(compare(run(f"Final Answer: {EVIL}"), run(DONE))._repr_html_())
    assert not {"img", "script"} & set(page.tags) and EVIL in page.words
