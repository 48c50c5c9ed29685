"""The table over all notebooks, the kept answers, and the page to print or hand in."""

import json
import re
from datetime import date
from pathlib import Path

import pytest

from helpers import submissions
from react_lab import course
from react_lab.course import progress_file
from react_lab.course.exercises import ALL
from react_lab.views import quiz
from react_lab.views.quiz import Quiz, read


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """A learner's folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def answered(name: str, number: int, right: bool) -> Quiz:
    """A quiz of which a person has checked one choice of a question, from 1."""
    asked = Quiz(read(name), name)
    choices = read(name)[number - 1].choices
    asked.choices[number - 1].value = [choice.right for choice in choices].index(right)
    asked.checks[number - 1].click()
    return asked


def test_the_table_has_every_piece_quiz_and_exercise_in_the_order_of_the_notebooks():
    rows = [line.split()[:2] for line in repr(course.progress()).splitlines()[1:]]
    assert rows == sorted(rows, key=lambda row: row[0])
    assert len(rows) == len(ALL) + len(quiz.names())
    assert ["05_loop", "quiz"] in rows and ["13_exercises", "approval"] in rows


def test_what_is_right_is_counted():
    course.check("approval", submissions.mail_by_a_loop)
    answered("05_loop", 1, True)
    answered("05_loop", 2, False)
    counts = course.progress().counts
    assert counts["exercises"] == (1, 6) and counts["pieces"][0] == 0
    assert counts["quiz questions"][0] == 1
    html = course.progress()._repr_html_()
    assert "<b>1 of 6</b> exercises" in html and ">1 of 3</span>" in html


# Answers survive -------------------------------------------------------------------------------


def test_a_quiz_is_there_again_after_a_restart():
    answered("05_loop", 1, False)
    answered("05_loop", 1, True)
    again = Quiz(read("05_loop"), "05_loop")
    right = [choice.right for choice in read("05_loop")[0].choices].index(True)
    assert again.choices[0].value == right and again.choices[1].value is None
    assert "✓ Right." in again.results[0].value and "Score: 1 of 3" in again.total.value
    kept = quiz.given("05_loop")[read("05_loop")[0].question]
    assert (kept.tries, kept.right, kept.at) == (2, True, date.today().isoformat())


def test_right_stays_right_whatever_is_checked_later():
    answered("05_loop", 1, True)
    later = answered("05_loop", 1, False)
    assert "✗ Not yet." in later.results[0].value and "Score: 1 of 3" in later.total.value


def test_an_update_that_moves_the_questions_and_drops_a_choice_loses_nothing_else():
    answered("05_loop", 1, True)
    answered("05_loop", 2, True)
    first, second, third = read("05_loop")
    left = second.__class__(second.question, tuple(c for c in second.choices if not c.right))
    again = Quiz((third, left, first), "05_loop")
    assert [choice.value is None for choice in again.choices] == [True, True, False]
    assert "Score: 2 of 3" in again.total.value


def test_a_quiz_file_that_is_damaged_is_set_aside(folder):
    (folder / "lab_data").mkdir()
    (folder / "lab_data" / "quizzes.json").write_text("[1")
    answered("05_loop", 1, True)
    assert quiz.given("05_loop") != {}
    assert (folder / "lab_data" / "quizzes.unreadable.json").read_text() == "[1"


def test_a_folder_that_cannot_be_written_to_spoils_no_answer(folder):
    (folder / "lab_data").write_text("a file in the way")
    asked = answered("05_loop", 1, True)
    assert "✓ Right." in asked.results[0].value
    assert "could not be kept in lab_data/quizzes.json" in asked.results[0].value


def test_the_work_that_was_right_is_kept_and_a_later_wrong_one_does_not_replace_it():
    course.check("approval", submissions.mail_without_a_tool)
    assert "def mail_without_a_tool" in course.answer("approval")
    course.check("approval", submissions.mail_by_a_loop)
    course.check("approval", submissions.mail_without_a_tool)
    assert "def mail_by_a_loop" in course.answer("approval")
    with pytest.raises(ValueError, match="no answer of yours to 'time_tool'"):
        course.answer("time_tool")


def test_a_file_of_an_older_and_of_a_newer_course_is_read(folder):
    (folder / "lab_data").mkdir()
    entry = {"state": "right", "tries": 2, "hints": 1, "solution": True}
    kept = {"approval": entry, "time_tool": {**entry, "mood": "fine"}, "odd": 3}
    (folder / "lab_data" / "progress.json").write_text(json.dumps(kept))
    expected = progress_file.Entry("right", 2, 1, True)
    assert progress_file.read() == {"approval": expected, "time_tool": expected}


# The page --------------------------------------------------------------------------------------


def page(saved) -> str:
    return saved.path.read_text("utf-8")


def test_the_page_names_the_learner_the_answers_and_the_days():
    course.check("approval", submissions.mail_by_a_loop)
    answered("05_loop", 1, True)
    saved = course.completion("Ada <b>")
    html = page(saved)
    assert saved.path == Path("completion.html") and saved.hash in repr(saved)
    assert "Ada &lt;b&gt;" in html and "<b>" not in html
    assert f"Hash over 2 answers: <code>{saved.hash}</code>" in html
    assert "def mail_by_a_loop" in html and html.count(date.today().isoformat()) == 3
    assert not re.search(r"<script|<link|url\(|https?:", html), "it is made and read offline"


def test_the_hash_changes_with_any_answer_and_with_nothing_else():
    answered("05_loop", 1, True)
    first = course.completion("Ada", "a.html").hash
    assert re.fullmatch("[0-9a-f]{16}", first)
    assert course.completion("Grace", "b.html").hash == first
    course.hint("approval", 1)
    assert course.completion("Ada", "a.html").hash == first
    answered("05_loop", 1, False)
    second = course.completion("Ada", "a.html").hash
    course.check("approval", submissions.mail_by_a_loop)
    assert len({first, second, course.completion("Ada", "a.html").hash}) == 3
