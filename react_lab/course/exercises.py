"""Exercises: everything that a learner writes, in the order of the notebooks."""

from react_lab.course import (
    approval,
    context_policy,
    parser_fault,
    repeat_detection,
    search_api,
    time_tool,
)
from react_lab.course.checking import Exercise
from react_lab.course.pieces import PIECES

EXERCISES: tuple[Exercise, ...] = (
    time_tool.EXERCISE,
    repeat_detection.EXERCISE,
    search_api.EXERCISE,
    parser_fault.EXERCISE,
    context_policy.EXERCISE,
    approval.EXERCISE,
)


ALL: tuple[Exercise, ...] = (*PIECES, *EXERCISES)


def find(name: str) -> Exercise:
    """Return the exercise or piece of this name.

    Raises:
        ValueError: No exercise has this name; the message lists the names that exist.
    """
    for exercise in ALL:
        if exercise.name == name:
            return exercise
    names = ", ".join(one.name for one in ALL)
    raise ValueError(f"There is no exercise {name!r}. Use one of: {names}.")
