"""The exercises: what their checks say about right, wrong and missing work; hints; progress."""

import ast
import inspect
import json
import re
import runpy
import sys
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from datetime import date
from html import unescape
from multiprocessing import get_context
from pathlib import Path

import pytest

from helpers import submissions
from react_lab import course
from react_lab.course import (
    context_policy,
    exercise_notebook,
    parser_fault,
    progress_file,
    search_api,
)
from react_lab.course.checking import Exercise, Wrong, judged
from react_lab.course.exercises import ALL, EXERCISES, find
from react_lab.parser.cases import as_result, read

ROOT = Path(__file__).parents[2]
STORED = ROOT / "notebooks" / "13_exercises.ipynb"
NAMES = [one.name for one in EXERCISES]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Progress is kept beside the notebook, so each test has a folder of its own."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def called(value):
    return value if isinstance(value, str) else getattr(value, "__name__", "")


# What learners hand in -----------------------------------------------------------------------


@pytest.mark.parametrize("name, work", submissions.RIGHT, ids=lambda value: called(value)[:60])
def test_a_right_solution_passes(name, work):
    found = course.check(name, work)
    assert found.state == "right", found


@pytest.mark.parametrize("name, work, words", submissions.WRONG, ids=lambda it: called(it)[:60])
def test_a_wrong_solution_is_shown_beside_what_was_expected(name, work, words):
    found = course.check(name, work)
    assert found.state == "wrong"
    assert words in found.text
    assert re.search(r"^  yours:    \S.*^  expected: \S", found.text, re.M | re.S)
    assert found.text.endswith(f'\n  next:     course.hint("{name}", 1)')


def test_every_exercise_is_tried_with_two_right_solutions_and_four_wrong_ones():
    right = Counter(name for name, *_ in submissions.RIGHT)
    wrong = Counter(name for name, *_ in submissions.WRONG)
    assert len(NAMES) == 6 and right.keys() == wrong.keys() == set(NAMES)
    assert min(right.values()) >= 2 and min(wrong.values()) >= 4


# A check and what it may not do ----------------------------------------------------------------


def exercise(check):
    return Exercise("sum", "A sum", 1, 5, ("", "", ""), check)


@pytest.mark.parametrize(
    "fault", [AssertionError(), TypeError("None"), KeyError(1), Wrong("", 1, 2)]
)
def test_a_check_that_breaks_is_no_pass(fault):
    def check(work):
        raise fault

    assert judged(exercise(check), len).state == "wrong"


def test_a_note_on_stderr_is_shown_as_any_other(capsys):
    """nbgrader gives no point for a cell with anything on stderr, however right."""
    found = judged(exercise(lambda work: work()), lambda: print("a note", file=sys.stderr))
    assert found.state == "right" and capsys.readouterr() == ("a note\n", "")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("nothing", [None, ..., NotImplementedError])
def test_what_was_not_started_is_neither_right_nor_wrong(name, nothing):
    def stub(query, *given):
        raise NotImplementedError

    work = stub if nothing is NotImplementedError else nothing
    assert course.check(name, work).state == "not started"
    assert not (Path("lab_data") / "progress.json").exists()


def test_a_stub_is_not_started_whatever_stands_in_its_comments():
    def time_tool(tools, now):
        """My own words."""
        # I shall begin tomorrow.
        ...

    assert repr(course.check("time_tool", time_tool)) == "not started"


def test_a_function_that_was_called_instead_of_given_is_told_so():
    found = course.check("time_tool", "a prompt")
    assert found.state == "wrong" and "your function, without brackets" in found.text


def test_an_error_in_the_work_is_shown_with_its_line():
    def time_tool(tools, now):
        return tools["clock"]

    line = time_tool.__code__.co_firstlineno + 1
    found = course.check("time_tool", time_tool)
    assert f"yours:    KeyError: 'clock' (in line {line} of your cell)" in found.text


def test_an_unknown_exercise_names_those_that_exist():
    for ask in (course.hint, course.check):
        with pytest.raises(ValueError, match="no exercise 'clock'. Use one of: .*time_tool, "):
            ask("clock", 1)
    with pytest.raises(ValueError, match="no exercise 'clock'"):
        course.solution("clock")


# Hints, solutions, progress ---------------------------------------------------------------------


def test_a_failing_check_names_the_next_hint_and_at_last_the_solution():
    def nexts():
        return course.check("approval", submissions.mail_without_a_tool).text.split()[-1]

    assert nexts() == "1)"
    for number in (1, 2):
        course.hint("approval", number)
        assert nexts() == f"{number + 1})"
    course.hint("approval", 3)
    assert nexts() == 'course.solution("approval")'


@pytest.mark.parametrize("name", NAMES)
def test_three_hints_each_of_them_its_own(name):
    hints = [course.hint(name, number) for number in (1, 2, 3)]
    assert len(set(hints)) == 3 and all(30 < len(hint) for hint in hints)
    assert repr(hints[0]) == str(hints[0]), "a cell shows it without quotes"
    assert all(len(line) <= 90 for hint in hints for line in hint.splitlines())
    with pytest.raises(ValueError, match="no hint 0. Use a number from 1 to 3"):
        course.hint(name, 0)
    with pytest.raises(ValueError, match="no hint '1'. Use a number from 1 to 3"):
        course.hint(name, "1")


def test_a_solution_takes_a_deliberate_step():
    first = course.solution("time_tool")
    assert "def " not in first and 'course.solution("time_tool", show=True)' in first
    assert "First try hints 1 to 3" in first and progress_file.read() == {}
    course.hint("time_tool", 3)
    assert "First try" not in course.solution("time_tool"), "all hints are read"
    assert course.solution("time_tool", show=True).startswith("def time_tool(")
    assert progress_file.read()["time_tool"].solution


def test_progress_keeps_the_best_state_and_counts_tries_and_hints():
    course.check("approval", submissions.mail_without_a_tool)
    course.check("approval", submissions.mail_by_a_loop)
    course.check("approval", submissions.mail_without_a_tool)
    course.check("time_tool", ...)
    course.hint("parser_fault", 2)
    lines = repr(course.progress()).splitlines()
    assert lines[0].split()[:4] == ["notebook", "part", "difficulty", "minutes"]
    rows = {line.split()[1]: line.split()[1:] for line in lines}
    assert rows["approval"] == "approval 2 of 5 20 right 3 0 not seen".split()
    assert rows["parser_fault"] == "parser_fault 3 of 5 25 not started 0 2 not seen".split()
    assert rows["time_tool"] == "time_tool 1 of 5 15 not started 0 0 not seen".split()


def test_the_table_says_the_same_in_html():
    course.check("approval", submissions.mail_by_a_loop)
    html = course.progress()._repr_html_()
    details = html[html.index("<details>") :]
    rows = re.findall(r"<tr>(.*?)</tr>", details)
    cells = [[c for c in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row)[:-1] if c] for row in rows]
    text = [re.split(r" {2,}", line) for line in repr(course.progress()).splitlines()]
    assert [list(map(unescape, row)) for row in cells] == text
    assert "✓ approval" in html and "– time_tool" in html and len(rows) > len(ALL) > 6


def test_progress_outlives_the_kernel_and_stands_beside_the_notebook(folder):
    course.check("approval", submissions.mail_by_a_loop)
    kept = json.loads((folder / "lab_data" / "progress.json").read_text("utf-8"))
    today, source = date.today().isoformat(), inspect.getsource(submissions.mail_by_a_loop)
    known = {"state": "right", "tries": 1, "hints": 0, "solution": False}
    assert kept == {"approval": {**known, "at": today, "work": source}}
    assert [path.name for path in (folder / "lab_data").iterdir()] == ["progress.json"]


def test_a_damaged_file_is_set_aside_and_not_lost(folder):
    (folder / "lab_data").mkdir()
    (folder / "lab_data" / "progress.json").write_text("{half", encoding="utf-8")
    course.check("approval", submissions.mail_by_a_loop)
    assert list(progress_file.read()) == ["approval"]
    assert (folder / "lab_data" / "progress.unreadable.json").read_text("utf-8") == "{half"


def try_often(name):
    """Forty tries, as a notebook of its own."""
    for _ in range(40):
        progress_file.checked(name, "wrong")


def test_two_notebooks_at_once_lose_no_try(folder):
    with ProcessPoolExecutor(3, mp_context=get_context("spawn")) as three:
        list(three.map(try_often, ["approval", "time_tool", "approval"]))
    assert {name: one.tries for name, one in progress_file.read().items()} == {
        "approval": 80,
        "time_tool": 40,
    }


def test_what_a_killed_notebook_left_is_passed_over(folder):
    (folder / "lab_data" / "progress.lock").mkdir(parents=True)
    assert progress_file.checked("approval", "right") == ""
    assert progress_file.read()["approval"].state == "right"
    assert [path.name for path in (folder / "lab_data").iterdir()] == ["progress.json"]


def test_on_a_full_disk_what_was_known_is_kept(folder, little_room):
    course.check("approval", submissions.mail_by_a_loop)
    little_room(10)
    assert "Free some space" in course.hint("approval", 1)
    assert progress_file.read() == {"approval": progress_file.Entry("right", tries=1)}
    assert [path.name for path in (folder / "lab_data").iterdir()] == ["progress.json"]


def test_a_folder_that_cannot_be_written_to_spoils_no_check(folder):
    (folder / "lab_data").write_text("a file in the way")
    found = course.check("approval", submissions.mail_by_a_loop)
    assert found.right and "could not be kept in lab_data/progress.json" in found.text


# The exercises themselves -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "row", [*parser_fault.KEPT, *(row for _, rows in parser_fault.FAULTS.values() for row in rows)]
)
def test_the_labs_parser_reads_every_row_of_the_parser_exercise_as_it_asks(row):
    assert read(row.text, parser_fault.TOOLS) == row.wanted


def test_the_first_parser_has_all_five_faults_and_no_other_wrong_row():
    def right(row):
        found = parser_fault.parse_first(row.text, parser_fault.TOOLS)
        return as_result(found) == row.wanted

    assert len(parser_fault.FAULTS) == 5
    assert not [row for _, rows in parser_fault.FAULTS.values() for row in rows if right(row)]
    assert all(map(right, parser_fault.KEPT))


def test_the_check_says_which_faults_are_fixed():
    text = course.check("parser_fault", submissions.parser_without_all_five).text
    assert text == "  Fixed: emphasis, forged, braces, names, prose."
    text = course.check("parser_fault", submissions.parser_that_cuts_first).text
    assert text == "  Fixed: forged. Still there: emphasis, braces, names, prose."


def test_the_given_policy_loses_no_case_and_sends_less_than_everything():
    given, whole = context_policy.tried(context_policy.GIVEN), context_policy.tried(None)
    assert given.lost == whole.lost == ()
    assert given.tokens < whole.tokens


def test_the_reader_of_the_archive_knows_only_what_it_is_sent():
    def only_the_end(messages):
        return [*messages[:2], *messages[-2:]] if len(messages) > 2 else messages

    assert len(context_policy.tried(only_the_end).lost) == 8


def test_the_environment_is_after_a_check_what_it_was(monkeypatch):
    monkeypatch.setenv("SEARCH_URL", "https://search.example")
    monkeypatch.delenv("SEARCH_KEY", raising=False)
    with search_api.settings("http://lab.example"):
        assert search_api.os.environ["SEARCH_URL"] == "http://lab.example"
    assert search_api.os.environ["SEARCH_URL"] == "https://search.example"
    assert "SEARCH_KEY" not in search_api.os.environ


# The two notebooks -------------------------------------------------------------------------


def code(notebook):
    """The code cells of a notebook: (cell, source)."""
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    return [(cell, "".join(cell["source"])) for cell in cells]


def run(notebook):
    """Run a notebook from top to bottom; returns its names."""
    names = {}
    for cell, source in code(notebook):
        exec(compile(source, cell["id"], "exec", dont_inherit=True), names)
    return names


def states(names):
    return [names[f"checked_{number}"].state for number in range(1, 7)]


def test_the_instructors_notebook_passes_its_own_tests(capsys):
    assert states(run(exercise_notebook.instructors())) == ["right"] * 6
    shown = capsys.readouterr().out
    assert "Finished after 4 steps: I know Oslo and Lima." in shown
    assert shown.count("A person did not allow this call of send_mail.") == 1


def test_the_learners_notebook_runs_from_top_to_bottom_with_untouched_stubs():
    assert states(run(exercise_notebook.learners())) == ["not started"] * 6


def test_the_learners_notebook_is_made_from_the_instructors():
    def parts(notebook):
        keys = ("cell_type", "id", "metadata")
        return [
            ({key: cell[key] for key in keys}, "".join(cell["source"]))
            for cell in notebook["cells"]
        ]

    stored = json.loads(STORED.read_text("utf-8"))
    assert parts(stored) == parts(exercise_notebook.learners()), "python docs/exercises.py"


def test_a_learner_gets_stubs_and_no_trace_of_solutions_or_tests():
    text = json.dumps(exercise_notebook.learners())
    assert text.count('    ..."') + text.count('    ...\\n"') == 6
    assert "SOLUTION" not in text and "HIDDEN" not in text and "assert checked" not in text


def test_solutions_and_tests_are_cut_as_nbgrader_does():
    """By hand, after the examples in nbgrader's documentation."""
    solved = (
        "def f(x):\n    ### BEGIN SOLUTION\n    y = x\n\n    return y\n    ### END SOLUTION\n\nf(1)"
    )
    assert exercise_notebook.without_solutions(solved) == "def f(x):\n    ...\n\nf(1)"
    tested = "assert f(1) == 1\n### BEGIN HIDDEN TESTS\nassert f(2) == 2\n### END HIDDEN TESTS"
    assert exercise_notebook.without_tests(tested) == "assert f(1) == 1"


def test_the_metadata_is_what_nbgrader_asks_for():
    """Schema version 3: nbgrader/nbgraderformat/v3.py."""
    found = {}
    for cell in exercise_notebook.instructors()["cells"]:
        if meta := cell["metadata"].get("nbgrader"):
            assert meta["schema_version"] == 3 and meta["task"] is False
            assert re.fullmatch(r"[\w-]+", meta["grade_id"]) and meta["grade_id"] not in found
            assert ("points" in meta) == meta["grade"] == meta["locked"] != meta["solution"]
            found[meta["grade_id"]] = meta.get("points")
    assert list(found) == [part for name in NAMES for part in (name, f"{name}-check")]
    assert [found[f"{one.name}-check"] for one in EXERCISES] == [
        one.difficulty for one in EXERCISES
    ]


def test_markers_stand_only_where_nbgrader_allows_them():
    for cell, source in code(exercise_notebook.instructors()):
        meta = cell["metadata"].get("nbgrader", {})
        assert (exercise_notebook.BEGIN in source) == meta.get("solution", False)
        assert (exercise_notebook.BEGIN_TESTS in source) == meta.get("grade", False)


@pytest.mark.parametrize("name", NAMES)
def test_a_solution_is_printed_without_markers(name):
    text = exercise_notebook.solution(name)
    (function,) = ast.parse(text).body
    assert function.name == name and "###" not in text


@pytest.mark.parametrize("one", EXERCISES, ids=NAMES)
def test_the_notebook_says_of_each_exercise_what_the_table_says(one):
    prose = "".join("".join(cell["source"]) for cell in exercise_notebook.learners()["cells"])
    section = prose.partition(f". {one.title}\n")[2]
    told = f"\n**Difficulty:** {one.difficulty} of 5. **Minutes:** {one.minutes}."
    assert section.startswith(told)
    assert 1 <= one.difficulty <= 5 and find(one.name) is one


def test_the_script_writes_the_learners_notebook(folder):
    script = runpy.run_path(str(ROOT / "docs" / "exercises.py"))
    script["write"](folder / "13.ipynb")
    assert json.loads((folder / "13.ipynb").read_text("utf-8")) == exercise_notebook.learners()
    assert script["NOTEBOOK"] == STORED
