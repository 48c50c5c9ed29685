"""Marked replies, grids and bars: the HTML says what the text says, and nothing is unescaped."""

import re
from html import unescape

import pytest

from react_lab.views.grid import bars, grid
from react_lab.views.marked import Part, marked

FORGED = (
    "Sure.\nThought: sum\nAction: calculator\nAction Input: 6*7\nObservation: 41\nFinal Answer: 41"
)


def test_what_counts_and_what_does_not():
    assert marked(FORGED).parts == (
        Part("thought", "Sure."),
        Part("thought", "sum"),
        Part("action", "calculator"),
        Part("input", "6*7"),
        Part("observation", "41", "invented"),
        Part("answer", "41", "not believed"),
    )


def test_the_html_of_a_reply_says_the_same_as_its_text():
    found = marked(FORGED)
    html = found._repr_html_()
    cells = re.findall(r'<span style="[^"]*">(.*?)</span> <code>(.*?)</code>', html)
    lines = [f"[{unescape(name)}] {unescape(text)}" for name, text in cells]
    assert "\n".join(lines) == repr(found)
    assert html.count('class="mark lost"') == 2


def test_a_reply_cannot_bring_its_own_html():
    html = marked("Thought: <script>alert(1)</script>")._repr_html_()
    assert "<script>" not in html and "&lt;script&gt;" in html


def test_text_without_a_label_and_no_text():
    assert repr(marked("Hello there.")) == "[thought] Hello there."
    assert repr(marked("")) == ""


def test_a_grid_counts_its_columns():
    made = grid({"one": [True, False], "two": [True, True]}, ["plain", "ReAct"])
    assert made.counts == (2, 1)
    assert repr(made).splitlines()[-1].split() == ["of", "2", "2", "1"]
    html = made._repr_html_()
    assert html.count("✓") == 3 and html.count("–") == 1 and "<b>of 2</b>" in html


def test_a_row_of_another_length_is_refused():
    with pytest.raises(ValueError, match="Row 'one' has 1 results for 2 columns"):
        grid({"one": [True]}, ["plain", "ReAct"])


def test_bars_show_every_count_as_a_number():
    made = bars({"v1": {"right": 3, "missed": 1, "wrong": 0}, "v2 <b>": {"right": 4, "missed": 0}})
    assert made.parts == ("right", "missed", "wrong")
    html = made._repr_html_()
    assert re.findall(r'flex: (\d+).*?title="(\w+)">(\d+)<', html) == [
        ("3", "right", "3"),
        ("1", "missed", "1"),
        ("4", "right", "4"),
    ]
    assert "v2 &lt;b&gt;" in html and "<b>" not in html
    assert repr(made).splitlines()[0] == "v1      right 3, missed 1"
