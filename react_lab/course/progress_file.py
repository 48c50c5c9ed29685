"""Record: how far a learner has come, kept in `lab_data/` beside the notebook.

>>> print(Progress((("time_tool", 1, 15, Entry("wrong", tries=2, hints=1)),)))
exercise   difficulty  minutes  state  tries  hints  solution
time_tool  1 of 5           15  wrong      2      1  not seen
"""

import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from react_lab.course.checking import STATES
from react_lab.files import write
from react_lab.views.pages import STYLE, escaped

FILE = Path("lab_data", "progress.json")  # the current folder is the notebook's
COLUMNS = ("exercise", "difficulty", "minutes", "state", "tries", "hints", "solution")


@dataclass(frozen=True)
class Entry:
    """What is known of one exercise.

    state: the best that a check has said. tries: checks of work that was started. hints: the
    highest that was read. solution: whether it was read.
    """

    state: str = STATES[0]
    tries: int = 0
    hints: int = 0
    solution: bool = False


def read() -> dict[str, Entry]:
    """The entries by the names of their exercises; empty where there is no file that is one."""
    try:
        found = json.loads(FILE.read_text("utf-8"))
        return {name: Entry(**entry) for name, entry in found.items()}
    except (OSError, ValueError, TypeError, AttributeError):
        return {}


def checked(name: str, state: str) -> str:
    """Note what a check has said. Returns "", or why it could not be kept."""

    def more(before: Entry) -> Entry:
        best = max(before.state, state, key=STATES.index)
        return replace(before, state=best, tries=before.tries + 1)

    return "" if state == STATES[0] else _change(name, more)


def helped(name: str, hint: int = 0, solution: bool = False) -> str:
    """Note that a hint or the solution was read. Returns "", or why it could not be kept."""

    def more(before: Entry) -> Entry:
        hints, seen = max(before.hints, hint), before.solution or solution
        return replace(before, hints=hints, solution=seen)

    return _change(name, more)


def _change(name: str, more: Callable[[Entry], Entry]) -> str:
    """Change an entry of the file, whole or not at all; a file that is none is set aside."""
    try:
        FILE.parent.mkdir(exist_ok=True)
        with _alone():
            entries = read()
            if FILE.exists() and not entries:
                os.replace(FILE, FILE.with_suffix(".unreadable.json"))
            entries[name] = more(entries.get(name, Entry()))
            text = json.dumps({name: asdict(one) for name, one in entries.items()}, indent=1)
            write(FILE, f"{text}\n".encode())
    except OSError as error:
        return f"Your progress could not be kept in {FILE.as_posix()}: {error.strerror}."
    return ""


@contextmanager
def _alone() -> Iterator[None]:
    """Two notebooks change the file one after the other. What a killed one left is passed over."""
    lock, end = FILE.with_suffix(".lock"), time.monotonic() + 2
    while time.monotonic() < end:
        try:
            lock.mkdir()
            break
        except FileExistsError:
            time.sleep(0.01)
    try:
        yield
    finally:
        with suppress(OSError):
            lock.rmdir()


@dataclass(frozen=True)
class Progress:
    """The table of all exercises, as text and as HTML. rows: (name, difficulty, minutes, Entry)."""

    rows: tuple[tuple[str, int, int, Entry], ...]

    def __repr__(self) -> str:
        table = [COLUMNS, *map(_cells, self.rows)]
        widths = [max(len(row[place]) for row in table) for place in range(len(COLUMNS))]
        lines = []
        for row in table:
            right = (place in (2, 4, 5) for place in range(len(COLUMNS)))  # numbers
            cells = (
                cell.rjust(w) if r else cell.ljust(w) for cell, w, r in zip(row, widths, right)
            )
            lines.append("  ".join(cells).rstrip())
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        head = "".join(f'<th scope="col">{name}</th>' for name in COLUMNS)
        body = ""
        for first, *others in map(_cells, self.rows):
            cells = "".join(f"<td>{escaped(cell)}</td>" for cell in others)
            body += f'<tr><th scope="row">{escaped(first)}</th>{cells}</tr>'
        table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        return f'{STYLE}<div class="react-lab">{table}</div>'


def _cells(row: tuple[str, int, int, Entry]) -> tuple[str, ...]:
    """One row of the table as text."""
    name, difficulty, minutes, entry = row
    seen = "seen" if entry.solution else "not seen"
    numbers = (f"{difficulty} of 5", str(minutes), entry.state, str(entry.tries), str(entry.hints))
    return (name, *numbers, seen)
