"""Commands: what a learner calls while writing a piece or an exercise.

>>> hint("time_tool", 4)
Traceback (most recent call last):
    ...
ValueError: There is no hint 4. Use a number from 1 to 3.
"""

import inspect
from collections.abc import Callable
from pathlib import Path
from textwrap import fill
from types import CodeType
from typing import Any

from react_lab.course import exercise_notebook, progress_file, progress_table
from react_lab.course.checking import Checked, Exercise, judged, untouched
from react_lab.course.exercises import ALL, find
from react_lab.views import quiz

HINTS = 3
WIDE = 90  # characters of a line
OURS = "  Until yours passes, this notebook runs on the course's version."
YOURS = "  From here on, this notebook runs on your version."


class Words(str):
    """A text that a cell shows as it is, without quotes."""

    def __repr__(self) -> str:
        return str(self)


def check(name: str, work: object) -> Checked:
    """Run the check of a piece or an exercise on your function, at once and offline.

    Args:
        name: The name of the piece, such as "split_reply".
        work: Your function, without brackets after it.

    Returns:
        The state, "not started", "wrong" or "right". If it is wrong, the text shows yours, what was
        expected, and what to ask for next.

    Raises:
        ValueError: There is no exercise of this name.
    """
    exercise = find(name)
    found = judged(exercise, work, stub(exercise))
    trouble = progress_file.checked(name, found.state, source(work))
    lines = [found.text, f"  next:     {_next(name)}" if found.state == "wrong" else ""]
    if exercise.solution:
        lines += [YOURS if found.right else OURS]
    return Checked(found.state, "\n".join(filter(None, (*lines, trouble))))


def mine(name: str, work: Callable[..., Any]) -> Callable[..., Any]:
    """Return your version of a piece if its check passes, else the course's.

    So a notebook runs to its end before all of it is written.

    Args:
        name: The name of the piece.
        work: Your function.

    Raises:
        ValueError: There is no piece of this name.
    """
    piece = find(name)
    if piece.solution is None:
        raise ValueError(f"{name!r} is an exercise, not a piece of a chapter: use your function.")
    return work if judged(piece, work, stub(piece)).right else piece.solution


def stub(exercise: Exercise) -> CodeType:
    """Return the code of the function that a learner starts from."""
    if exercise.solution is None:
        return exercise_notebook.stub(exercise.name)
    return (exercise.stub or untouched).__code__


def _next(name: str) -> str:
    """Return the call for the first hint that was not read yet, or for the solution."""
    read = progress_file.read().get(name, progress_file.Entry()).hints
    return f'course.hint("{name}", {read + 1})' if read < HINTS else f'course.solution("{name}")'


def hint(name: str, number: int) -> Words:
    """Return a hint, from 1, which says least, to 3.

    Raises:
        ValueError: There is no such exercise or hint.
    """
    exercise = find(name)
    if number not in range(1, HINTS + 1):
        raise ValueError(f"There is no hint {number!r}. Use a number from 1 to {HINTS}.")
    trouble = progress_file.helped(name, hint=number)
    text = fill(exercise.hints[number - 1], WIDE, break_long_words=False, break_on_hyphens=False)
    return Words("\n".join(filter(None, (text, trouble))))


def solution(name: str, show: bool = False) -> Words:
    """Return one way to solve a piece or an exercise, but only with show=True.

    There are others: whatever passes the check is right.

    Raises:
        ValueError: There is no exercise of this name.
    """
    exercise = find(name)
    if not show:
        read = progress_file.read().get(name, progress_file.Entry()).hints
        first = f"First try hints 1 to {HINTS}. " if read < HINTS else ""
        return Words(
            f"{first}A solution that you find yourself stays with you. "
            f'To read one all the same: course.solution("{name}", show=True)'
        )
    trouble = progress_file.helped(name, solution=True)
    if exercise.solution:
        text = inspect.getsource(exercise.solution).rstrip()
    else:
        text = exercise_notebook.solution(name)
    return Words("\n".join(filter(None, (text, trouble))))


def source(work: object) -> str:
    """Return the source of a learner's function, or "" if Python does not have it."""
    try:
        return inspect.getsource(work) if callable(work) else ""
    except (OSError, TypeError):
        return ""


def answer(name: str) -> Words:
    """Return your kept answer to a piece or exercise: the version that passed, or the last one.

    Raises:
        ValueError: There is no exercise of this name, or no answer is kept.
    """
    find(name)
    kept = progress_file.read().get(name, progress_file.Entry()).work
    if not kept:
        raise ValueError(f"There is no answer of yours to {name!r} yet. Check one first.")
    return Words(kept.rstrip())


def progress() -> progress_table.Progress:
    """Return the table of all pieces, quizzes and exercises, and how far you are."""
    quizzes = {name: (quiz.read(name), quiz.given(name)) for name in quiz.names()}
    return progress_table.table(ALL, progress_file.read(), quizzes)


def completion(learner: str, path: str = "completion.html") -> progress_table.Saved:
    """Write a page to print or hand in: what you have done, when, and a hash over your answers.

    Args:
        learner: Your name, as it is to be on the page.
        path: Where to write the page.

    Raises:
        OSError: The page cannot be written.
    """
    return progress_table.save_completion(progress(), learner, Path(path))
