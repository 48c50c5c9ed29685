"""The report: the page and the text say the same, and every word of the model is harmless."""

import re
from base64 import b64decode
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from helpers.scripted_agents import forgetful, perfect
from react_lab.evaluation import Regression, evaluate
from react_lab.evaluation.judge import case_tools, evaluation_cases
from react_lab.loop import Agent
from react_lab.models import ScriptedModel
from react_lab.views import report

CASES = evaluation_cases()[::4]  # of each kind some


@pytest.fixture(scope="module")
def results():
    """One is not finished, those with several tools are not right."""

    def make(case):
        return replace(forgetful(case), max_steps=1 if case.id == "beijing" else 8)

    return list(evaluate(CASES, make))


class Page(HTMLParser):
    """What stands in a page: its words, its pictures, and the tags that are open at the end."""

    def __init__(self, html):
        super().__init__()
        self.words, self.pictures, self.open = "", [], []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        if tag == "img":
            self.pictures.append(dict(attrs))
        elif tag not in ("br", "meta", "input"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words += data + "\n"


def plain(text):
    return re.sub(r"\s+", " ", text)


def test_the_text_holds_the_figures_and_the_reasons(results):
    text = plain(report.as_text(results, 12))
    assert "12 of 12 cases were run." in text
    right = sum(result.right for result in results)
    assert f"answers right {right}/12" in text
    assert "several tools 0/4 0% (0% to 49%)" in text  # Wilson for none of n: z*z / (n + z*z)
    assert "step limit 1" in text
    for result in results:
        assert result.case.id in text


def test_every_line_of_the_text_stands_in_the_page(results):
    page = Page(report.as_html(results, 12))
    words = plain(page.words)
    cells = re.split(r"\s{2,}|\n", report.as_text(results, 12))
    assert len(cells) > 80
    assert [cell for cell in cells if plain(cell).strip() not in words] == []
    assert page.open == []


def test_a_case_that_did_not_pass_is_told_with_what_was_wanted(results):
    text = report.as_text(results, 12)
    failed = next(result for result in results if not result.passed and result.case.right)
    part = text[text.index(failed.case.question) :]
    assert failed.case.right[0] in part
    assert all(one["tool"] in part for one in failed.case.calls)
    assert "I have forgotten it." in text


def test_the_pictures_are_pictures_and_can_be_heard(results):
    pictures = Page(report.as_html(results, 12)).pictures
    assert len(pictures) == 2
    for picture in pictures:
        kind, _, data = picture["src"].partition(",")
        assert kind == "data:image/png;base64"
        assert b64decode(data).startswith(b"\x89PNG")
    kinds, tools = (picture["alt"] for picture in pictures)
    assert "several tools: 0/4 0% (0% to 49%)." in kinds
    assert "calculator: result" in tools


def test_the_points_lie_where_the_shares_are(results):
    axes = report.by_kind(results).axes[0]
    names = [label.get_text() for label in axes.get_yticklabels()]
    (points,) = axes.containers
    shares = dict(zip(names, points.lines[0].get_xdata(), strict=True))
    for kind, drawn in shares.items():
        found = [result.right for result in results if result.case.kind == kind]
        assert drawn == pytest.approx(sum(found) / len(found))
    assert list(shares) == ["one tool", "several tools", "no tool", "tool failure"]


def test_what_was_not_reached_is_said(results):
    for show in (report.as_text, report.as_html):
        assert "5 of 12 cases were run. 7 were not reached" in show(results[:5], 12)
        assert "0 of 12 cases were run. 12 were not reached" in show([], 12)


def test_every_case_has_its_result_as_sign_colour_and_word(results):
    html = report.as_html(results, 12)
    assert html.count('<span class="mark-no">✗ not right</span>') == sum(
        not result.right for result in results
    )
    rows = re.findall(r'<tr class="case (\w+) k(\d)"><td>(.*?)</td>', html)
    kinds = list(dict.fromkeys(result.case.kind for result in results))
    assert rows == [
        ("passed" if r.passed else "failed", str(kinds.index(r.case.kind)), r.case.id)
        for r in results
    ]


def test_the_filters_name_every_kind_and_need_no_script(results):
    html = report.as_html(results, 12)
    labels = re.findall(r'<input type="radio" name="(\w+)"[^>]*> (.*?)</label>', html)
    kinds = dict.fromkeys(result.case.kind for result in results)
    assert labels == [
        *(("result", name) for name in ("all", "passed", "not passed")),
        *(("kind", name) for name in ("all", *kinds)),
    ]
    assert "<script" not in html and html.count(" checked>") == 2


def test_the_tiles_hold_the_shares_of_the_table(results):
    html = report.as_html(results, 12)
    right = sum(result.right for result in results)
    assert f"<b>{100 * right / 12:.0f}%</b> answers right <small>{right}/12</small>" in html


def test_shown_in_a_cell_the_page_leaves_jupyter_alone(results):
    """A cell drops the tags html and body, and keeps what is in `style`."""
    rules = "".join(re.findall(r"<style>(.*?)</style>", report.as_html(results, 12), re.S))
    names = re.findall(r"(?:^|\})\s*([^{}]+?)\s*\{", rules)
    assert len(names) > 10
    assert all(one.strip().startswith(".react-lab") for n in names for one in n.split(",\n"))


def test_words_of_the_model_are_shown_and_not_obeyed():
    case = next(case for case in CASES if case.kind == "no tool")
    model = ScriptedModel(["Final Answer: <script>alert(1)</script> \ud83d"])
    results = list(evaluate([case], lambda case: Agent(model, case_tools(case))))
    html = report.as_html(results, 1)
    assert "<script>" not in html and "&lt;script&gt;" in html
    html.encode()


def test_a_kind_and_a_tool_with_half_an_emoji_stand_in_the_pictures_too():
    case = replace(CASES[0], kind="half \ud83d")
    model = ScriptedModel(["Action: half \ud83d\nAction Input: 1"])
    results = list(evaluate([case], lambda case: Agent(model, case_tools(case))))
    kinds, tools = (picture["alt"] for picture in Page(report.as_html(results, 1)).pictures)
    assert "half ?: 0/1 0%" in kinds and "half ?: result 0, error" in tools
    assert "\n  half ?        0/1 0%" in report.as_text(results, 1)


def test_a_report_of_passed_cases_tells_no_failures():
    results = list(evaluate(CASES, perfect))
    assert "Wanted" not in report.as_text(results, 12)
    assert "none" in report.as_text(results, 12)


def test_a_bar_is_as_long_as_what_is_done():
    assert report.bar(0, 12).count("#") == 0
    assert report.bar(6, 12).count("#") == report.bar(6, 12).count(".") == 12
    assert report.bar(12, 12) == f"[{'#' * 24}] 12 of 12 cases"
    assert report.bar(0, 0) == f"[{'.' * 24}] 0 of 0 cases"


def test_changes_name_the_cases():
    text = report.changes(Regression("worse", ("rome", "eggs"), (), ("tour",)))
    assert text.splitlines() == [
        "Pass rate, compared with the baseline: worse",
        "  lost: rome, eggs",
        "  gained: none",
        "  missing: tour",
    ]
