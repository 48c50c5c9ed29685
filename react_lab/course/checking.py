"""Checking: what an exercise is, and how a check runs a learner's work and speaks of it.

A check is a function that gets the work, runs it, and raises `Wrong` at the first thing that is
not right. Whatever else breaks on the way, the work or the check itself, is no pass.

>>> def check(work):
...     expect("double(2)", yours=ask("double(2)", work, 2), wanted=4)
>>> double = Exercise("double", "Double a number", 1, 5, ("+", "x + x", "2 * x"), check)
>>> print(judged(double, lambda x: x * x * x))
wrong
  double(2)
  yours:    8
  expected: 4
>>> judged(double, lambda x: 2 * x).state
'right'
"""

import dis
import sys
import traceback
from collections.abc import Callable
from contextlib import redirect_stderr
from dataclasses import dataclass
from textwrap import indent
from types import CodeType
from typing import Any, TypeVar

from react_lab.course.time_limit import within

T = TypeVar("T")
STATES = ("not started", "wrong", "right")
SECONDS = 60  # for one check; the longest of them takes a few
LONGEST = 300  # characters of a value that are shown


@dataclass(frozen=True)
class Exercise:
    """One piece of code that a learner writes, with its check.

    Attributes:
        name: What `course.check` takes.
        title: What it is, in a few words.
        difficulty: From 1 to 5.
        minutes: What it takes a learner who did the notebooks before.
        hints: Three; each says more than the one before.
        check: Raises Wrong for work that is not right. A text that it returns is shown for work
            that is right.
        notebook: The notebook in which it is written, such as "04_parser".
        solution: One right version, for a piece of a chapter; None for the exercises of the last
            notebook, whose solutions are in `data/exercises.ipynb`.
        stub: The function that the learner starts from, where it is more than `...`.
    """

    name: str
    title: str
    difficulty: int
    minutes: int
    hints: tuple[str, str, str]
    check: Callable[[Callable[..., Any]], str | None]
    notebook: str = "13_exercises"
    solution: Callable[..., Any] | None = None
    stub: Callable[..., Any] | None = None


def untouched() -> None:
    """The stub of most pieces: nothing but `...`."""
    ...


@dataclass(frozen=True)
class Checked:
    """What a check found. state: one of STATES. text: what to say about it, "" if nothing."""

    state: str
    text: str = ""

    @property
    def right(self) -> bool:
        """Whether all of it is right."""
        return self.state == "right"

    def __repr__(self) -> str:
        return "\n".join(filter(None, (self.state, self.text)))


class Wrong(Exception):
    """Something is not right: what was looked at, what came of it, what was expected."""

    def __init__(self, what: str, yours: object, wanted: object):
        super().__init__(what)
        self.what, self.yours, self.wanted = what, shown(yours), shown(wanted)


class NotStarted(Exception):
    """There is nothing to check yet."""


def expect(what: str, yours: object, wanted: object) -> None:
    """Raises Wrong unless both are equal."""
    if yours != wanted:
        raise Wrong(what, repr(yours), repr(wanted))


def ask(what: str, work: Callable[..., T], *given: object) -> T:
    """What the learner's work gives. what: the call in words. Raises Wrong for what it raises."""
    try:
        return work(*given)
    except NotImplementedError as fault:  # a common form of a stub
        raise NotStarted from fault
    except (Exception, SystemExit) as fault:
        told = f"{type(fault).__name__}: {fault}{_line(fault, work)}"
        raise Wrong(what, told, "no exception") from fault


def compared(work: Callable[..., Any], *rows: tuple[tuple[Any, ...], object]) -> None:
    """Call work with the arguments of each row; raise Wrong at the first unexpected result."""
    for given, wanted in rows:
        text = ", ".join(map(repr, given))
        yours = ask(f"{work.__name__}({text})", work, *given)
        if yours != wanted:
            raise Wrong(f"{work.__name__}({text})", repr(yours), repr(wanted))


def _line(fault: BaseException, work: Callable[..., Any]) -> str:
    """Where in the learner's own code something was raised, if it was there."""
    file = getattr(getattr(work, "__code__", None), "co_filename", None)
    places = [
        one.lineno for one in traceback.extract_tb(fault.__traceback__) if one.filename == file
    ]
    return f" (in line {places[-1]} of your cell)" if places else ""


def judged(exercise: Exercise, work: object, stub: CodeType | None = None) -> Checked:
    """Check a piece of work. stub: the code that a learner starts from. Never raises for it."""
    if work is None or work is ... or (stub and same(getattr(work, "__code__", None), stub)):
        return Checked("not started")
    try:
        if not callable(work):
            raise Wrong("what you gave to check", repr(work), "your function, without brackets")
        with redirect_stderr(sys.stdout):  # nbgrader gives no point where stderr is not empty
            return Checked("right", within(SECONDS, lambda: exercise.check(work)) or "")
    except TimeoutError:
        told = f"  The check was stopped after {SECONDS:g} seconds: your function did not return."
        return Checked("wrong", f"{told}\n  Look for a loop that never ends, or a call of itself.")
    except NotStarted:
        return Checked("not started")
    except Wrong as wrong:
        told = f"{wrong.what}\nyours:    {wrong.yours}\nexpected: {wrong.wanted}"
        return Checked("wrong", indent(told, "  "))
    except Exception as fault:
        told = f"  The check could not go on with what it got: {type(fault).__name__}: {fault}."
        return Checked("wrong", f"{told}\n  Look at the types of what your function returns.")


def shown(value: object) -> str:
    """A value as text behind "yours:", cut where it gets too long."""
    text = str(value).strip() or "(empty)"
    text = text if len(text) <= LONGEST else text[:LONGEST] + " ..."
    return text.replace("\n", "\n" + " " * 10)


def same(code: CodeType | None, stub: CodeType) -> bool:
    """Whether two functions do the same: comments, docstrings and line numbers do not count."""
    return code is not None and _steps(code) == _steps(stub)


def _steps(code: CodeType) -> list[tuple[Any, ...]]:
    """The instructions of a function, those of functions inside it included."""
    found = []
    for one in dis.get_instructions(code):
        inner = _steps(one.argval) if isinstance(one.argval, CodeType) else repr(one.argval)
        found.append((one.opname, inner))
    return found
