"""Desk: what a learner asks for while working on an exercise.

>>> hint("time_tool", 4)
Traceback (most recent call last):
    ...
ValueError: There is no hint 4; give a number from 1 to 3.
"""

from textwrap import fill

from react_lab.course import exercise_notebook, progress_file
from react_lab.course.checking import Checked, judged
from react_lab.course.exercises import EXERCISES, find

HINTS = 3
WIDE = 90  # characters of a line


class Words(str):
    """A text that a cell shows as it is, without quotes."""

    def __repr__(self) -> str:
        return str(self)


def check(name: str, work: object) -> Checked:
    """Run the check of an exercise on your function, at once and offline.

    The state is "not started", "wrong" or "right". If it is wrong, the text shows yours, what
    was expected, and what to ask for next. Raises ValueError for an unknown exercise only.
    """
    exercise = find(name)
    found = judged(exercise, work, exercise_notebook.stub(name))
    trouble = progress_file.checked(name, found.state)
    lines = [found.text, f"  next:     {_next(name)}" if found.state == "wrong" else "", trouble]
    return Checked(found.state, "\n".join(filter(None, lines)))


def _next(name: str) -> str:
    """The call for the first hint that was not read yet, or for the solution."""
    read = progress_file.read().get(name, progress_file.Entry()).hints
    return f'course.hint("{name}", {read + 1})' if read < HINTS else f'course.solution("{name}")'


def hint(name: str, number: int) -> Words:
    """A hint, from 1, which tells least, to 3. Raises ValueError for an unknown one."""
    exercise = find(name)
    if number not in range(1, HINTS + 1):
        raise ValueError(f"There is no hint {number!r}; give a number from 1 to {HINTS}.")
    trouble = progress_file.helped(name, hint=number)
    text = fill(exercise.hints[number - 1], WIDE, break_long_words=False, break_on_hyphens=False)
    return Words("\n".join(filter(None, (text, trouble))))


def solution(name: str, show: bool = False) -> Words:
    """One way to solve an exercise, but only with show=True. Raises ValueError for an unknown one.

    There are others: whatever passes the check is right.
    """
    find(name)
    if not show:
        read = progress_file.read().get(name, progress_file.Entry()).hints
        first = f"First try hints 1 to {HINTS}. " if read < HINTS else ""
        return Words(
            f"{first}A solution that you find yourself stays with you. "
            f'To read one all the same: course.solution("{name}", show=True)'
        )
    trouble = progress_file.helped(name, solution=True)
    return Words("\n".join(filter(None, (exercise_notebook.solution(name), trouble))))


def progress() -> progress_file.Progress:
    """The table of all exercises, and how far you are."""
    kept = progress_file.read()
    return progress_file.Progress(
        tuple(
            (one.name, one.difficulty, one.minutes, kept.get(one.name, progress_file.Entry()))
            for one in EXERCISES
        )
    )
