"""The working copy: what the learner wrote is kept for ever, updates arrive beside it."""

import json
import os
from pathlib import Path

import pytest

from react_lab.course.working_copies import copy

ROOT = Path(__file__).parents[2]
LOOP = "05_loop.ipynb"


@pytest.fixture
def course(tmp_path):
    """A course of two notebooks and one picture, in a folder with a space in its name."""
    folder = tmp_path / "the course"
    (folder / "pictures").mkdir(parents=True)
    (folder / "00_start_here.ipynb").write_text("hello")
    (folder / LOOP).write_text("the loop, first edition")
    (folder / "pictures" / "loop.svg").write_text("<svg/>")
    return folder


@pytest.fixture
def mine(tmp_path, course):
    """The learner's folder after the first start."""
    folder = tmp_path / "mein Heft für ReAct"
    copy(folder, course)
    return folder


def names(paths):
    return [path.name for path in paths]


def files(folder):
    """What the learner sees in the folder, by its name."""
    seen = [path for path in folder.rglob("*") if path.is_file() and ".lab" not in path.parts]
    return {path.relative_to(folder).as_posix(): path.read_text() for path in seen}


def test_the_copy_holds_everything_and_a_second_one_changes_nothing(course, tmp_path):
    first = copy(tmp_path / "mine", course)
    assert names(first.new) == ["00_start_here.ipynb", LOOP, "loop.svg"]
    assert files(tmp_path / "mine") == files(course)
    second = copy(tmp_path / "mine", course)
    assert (second.new, second.renewed, second.beside, second.old) == ((), (), (), None)


def test_what_was_left_among_the_notebooks_of_the_course_is_not_copied(course, tmp_path):
    for folder in ("lab_data", ".lab", ".ipynb_checkpoints"):
        (course / folder).mkdir()
        (course / folder / "progress.json").write_text("{}")
    copy(tmp_path / "mine", course)
    assert not list((tmp_path / "mine").rglob("progress.json"))


def test_what_the_learner_wrote_is_kept_and_a_new_lesson_arrives(course, mine):
    (mine / LOOP).write_text("my own words")
    (course / "06_new.ipynb").write_text("a new lesson")
    assert names(copy(mine, course).new) == ["06_new.ipynb"]
    assert (mine / LOOP).read_text() == "my own words"


def test_a_copy_that_nobody_touched_is_renewed(course, mine):
    (course / LOOP).write_text("the loop, second edition")
    assert names(copy(mine, course).renewed) == [LOOP]
    assert files(mine) == files(course)


def test_an_update_of_a_changed_copy_is_put_beside_it_once(course, mine):
    (mine / LOOP).write_text("my own words")
    (course / LOOP).write_text("the loop, second edition")
    done = copy(mine, course)
    assert names(done.beside) == ["05_loop.new.ipynb"] and done.renewed == ()
    assert "05_loop.new.ipynb" in str(done)
    assert copy(mine, course).beside == ()
    assert (mine / LOOP).read_text() == "my own words"
    assert (mine / "05_loop.new.ipynb").read_text() == "the loop, second edition"


def test_the_next_update_overwrites_no_earlier_one(course, mine):
    (mine / LOOP).write_text("my own words")
    (course / LOOP).write_text("the loop, second edition")
    copy(mine, course)
    (mine / "05_loop.new.ipynb").write_text("my notes on the second edition")
    (course / LOOP).write_text("the loop, third edition")
    assert names(copy(mine, course).beside) == ["05_loop.new2.ipynb"]
    assert (mine / "05_loop.new.ipynb").read_text() == "my notes on the second edition"
    assert (mine / "05_loop.new2.ipynb").read_text() == "the loop, third edition"


def test_an_update_that_was_taken_over_is_renewed_by_the_next(course, mine):
    (mine / LOOP).write_text("my own words")
    (course / LOOP).write_text("the loop, second edition")
    copy(mine, course)
    os.replace(mine / "05_loop.new.ipynb", mine / LOOP)
    (course / LOOP).write_text("the loop, third edition")
    assert names(copy(mine, course).renewed) == [LOOP]


@pytest.mark.parametrize("record", [None, "", "{half", "[1]", '"words"'])
def test_without_its_checksums_every_difference_counts_as_work(course, mine, record):
    path = mine / ".lab" / "copied.json"
    path.unlink() if record is None else path.write_text(record)
    (course / LOOP).write_text("the loop, second edition")
    assert names(copy(mine, course).beside) == ["05_loop.new.ipynb"]
    assert (mine / LOOP).read_text() == "the loop, first edition"
    assert len(json.loads(path.read_text())) == 3


def test_a_deleted_notebook_comes_back_as_it_is_now(course, mine):
    (mine / LOOP).unlink()
    (course / LOOP).write_text("the loop, second edition")
    assert names(copy(mine, course).new) == [LOOP]
    assert (mine / LOOP).read_text() == "the loop, second edition"


@pytest.mark.parametrize("number", ["05", "5"])
def test_a_fresh_notebook_keeps_every_old_one(course, mine, number):
    for words, kept in (("try one", "05_loop.old.ipynb"), ("try two", "05_loop.old2.ipynb")):
        (mine / LOOP).write_text(words)
        done = copy(mine, course, fresh=number)
        assert (done.old.name, names(done.new)) == (kept, [LOOP])
        assert kept in str(done)
        assert (mine / kept).read_text() == words
        assert (mine / LOOP).read_text() == "the loop, first edition"


def test_a_full_disk_is_told_also_when_nothing_is_new(course, mine, little_room):
    little_room(10)
    with pytest.raises(OSError, match="Free some space"):
        copy(mine, course)


def test_on_a_full_disk_the_own_notebook_stays_where_it_was(course, mine, little_room):
    (mine / LOOP).write_text("mine")
    little_room(10)  # enough for the old one, not for the clean one
    with pytest.raises(OSError, match="The old file is unchanged"):
        copy(mine, course, fresh="05")
    assert (mine / LOOP).read_text() == "mine"


def test_a_fresh_notebook_in_a_new_folder_is_simply_copied(course, tmp_path):
    done = copy(tmp_path / "mine", course, fresh="05")
    assert done.old is None and files(tmp_path / "mine") == files(course)


@pytest.mark.parametrize("number", ["99", "loop", "../05"])
def test_an_unknown_number_names_the_notebooks_and_changes_nothing(course, mine, number):
    (mine / LOOP).write_text("my own words")
    before = files(mine)
    with pytest.raises(ValueError) as error:
        copy(mine, course, fresh=number)
    assert f"There is no notebook {number}." in str(error.value)
    assert "\n  00_start_here.ipynb\n  05_loop.ipynb" in str(error.value)
    assert files(mine) == before


def test_a_full_disk_is_told_and_leaves_no_half_notebook(course, mine, little_room):
    (course / LOOP).write_text("the loop, second and much longer edition")
    little_room(20)
    with pytest.raises(OSError, match="unchanged. Free some space.*05_loop.ipynb"):
        copy(mine, course)
    assert (mine / LOOP).read_text() == "the loop, first edition"
    little_room(10**6)
    assert names(copy(mine, course).renewed) == [LOOP]
    assert files(mine) == files(course)


@pytest.mark.parametrize("inside", ["", "pictures", "mine"])
def test_the_notebooks_of_the_course_are_no_working_copy(course, inside):
    before = files(course)
    with pytest.raises(ValueError, match="belongs to the course. Name another folder"):
        copy(course / inside, course, fresh="05")
    assert files(course) == before


def test_git_sees_neither_the_copies_nor_what_the_lab_writes():
    ignored = (ROOT / ".gitignore").read_text().splitlines()
    assert {"my_lab/", "lab_data/"} <= set(ignored)
