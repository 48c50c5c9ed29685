"""Exercises: the six of the course, in their order."""

from react_lab.course import (
    approval,
    context_policy,
    parser_fault,
    repeat_detection,
    search_api,
    time_tool,
)
from react_lab.course.checking import Exercise

EXERCISES: tuple[Exercise, ...] = (
    time_tool.EXERCISE,
    repeat_detection.EXERCISE,
    search_api.EXERCISE,
    parser_fault.EXERCISE,
    context_policy.EXERCISE,
    approval.EXERCISE,
)


def find(name: str) -> Exercise:
    """The exercise of this name. Raises ValueError for an unknown one, with those that exist."""
    for exercise in EXERCISES:
        if exercise.name == name:
            return exercise
    names = ", ".join(one.name for one in EXERCISES)
    raise ValueError(f"There is no exercise {name!r}; give one of: {names}.")
