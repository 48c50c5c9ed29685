"""Progress file: what a learner has done, kept in `lab_data/` beside the notebook.

It survives restarts and updates of the course: nothing there is ever overwritten by a copy.
"""

import hashlib
import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import Any

from react_lab.course.checking import STATES
from react_lab.files import change_json, read_json

FILE = Path("lab_data", "progress.json")  # the current folder is the notebook's


@dataclass(frozen=True)
class Entry:
    """What is known about one piece or exercise.

    Attributes:
        state: The best that a check has said.
        tries: Checks of work that was started.
        hints: The highest hint that was read.
        solution: Whether the solution was read.
        at: The day on which a check first said "right", as "2026-12-01"; "" before.
        work: The source of the work that was checked last, or that is right.
    """

    state: str = STATES[0]
    tries: int = 0
    hints: int = 0
    solution: bool = False
    at: str = field(default="", compare=False)
    work: str = field(default="", compare=False)


def read() -> dict[str, Entry]:
    """Return the entries by the names of their exercises; {} if there is no readable file."""
    found = {name: _entry(entry) for name, entry in read_json(FILE).items()}
    return {name: entry for name, entry in found.items() if entry}


def _entry(found: Any) -> Entry | None:
    """Return one entry of the file. Fields that a newer version added are ignored."""
    if not isinstance(found, dict) or found.get("state") not in STATES:
        return None
    return Entry(**{key: found[key] for key in Entry.__dataclass_fields__ if key in found})


def checked(name: str, state: str, work: str = "") -> str:
    """Store the result of a check.

    Args:
        name: The name of the piece or exercise.
        state: One of STATES.
        work: The source of the work.

    Returns:
        "", or why it could not be stored.
    """

    def more(before: Entry) -> Entry:
        best = max(before.state, state, key=STATES.index)
        done = state == "right"
        at = date.today().isoformat() if done and before.state != "right" else before.at
        kept = work if done or before.state != "right" else before.work
        return replace(before, state=best, tries=before.tries + 1, at=at, work=kept)

    return "" if state == STATES[0] else _change(name, more)


def helped(name: str, hint: int = 0, solution: bool = False) -> str:
    """Store that a hint or the solution was read. Return "", or why this was not possible."""

    def more(before: Entry) -> Entry:
        hints, seen = max(before.hints, hint), before.solution or solution
        return replace(before, hints=hints, solution=seen)

    return _change(name, more)


def _change(name: str, more: Callable[[Entry], Entry]) -> str:
    """Change an entry of the file. Return "", or why this was not possible."""

    def change(kept: dict[str, Any]) -> None:
        kept[name] = asdict(more(_entry(kept.get(name)) or Entry()))

    try:
        change_json(FILE, change)
    except OSError as error:
        return f"Your progress could not be kept in {FILE.as_posix()}: {error.strerror}."
    return ""


def answers_hash(answers: dict[str, str]) -> str:
    """Return 16 characters that change when any answer does.

    Args:
        answers: The source of each work, and the choice in each question, by name.
    """
    text = json.dumps(answers, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]
