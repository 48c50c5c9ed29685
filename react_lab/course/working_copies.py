"""Copies: the learner's working copy of the notebooks, kept for ever and brought up to date.

Learners write into the copies; the notebooks of the course stay as they are.

>>> print(Copied(beside=(Path("05_loop.new.ipynb"),)))
0 new, 0 renewed.
The course has changed what you have changed too. Beside yours lies now:
    05_loop.new.ipynb
"""

import hashlib
import json
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from react_lab.files import write

RECORD = Path(".lab", "copied.json")  # the checksums of what was copied, by its name
# What running the notebooks of the course leaves among them.
LEFT_THERE = {".ipynb_checkpoints", ".lab", "lab_data"}


@dataclass(frozen=True)
class Copied:
    """The files that `copy` has written, and the one it has renamed. Prints as what to know.

    new: they were missing. renewed: the learner had not changed them. beside: new versions of
    what the learner has changed. old: the learner's own, which made way for a clean one.
    """

    new: tuple[Path, ...] = ()
    renewed: tuple[Path, ...] = ()
    beside: tuple[Path, ...] = ()
    old: Path | None = None

    def __str__(self) -> str:
        lines = [f"{len(self.new)} new, {len(self.renewed)} renewed."]
        if self.old:
            lines.append(f"Yours is kept as {self.old.name}.")
        if self.beside:
            lines.append("The course has changed what you have changed too. Beside yours lies now:")
            lines += [f"    {path.name}" for path in self.beside]
        return "\n".join(lines)


def copy(folder: Path, source: Path, fresh: str | None = None) -> Copied:
    """Bring the notebooks in source into the learner's folder. Nothing of theirs is overwritten.

    fresh: the number of a notebook, such as "05", that shall be clean again; the learner's own
    is kept under another name. Raises ValueError when there is no such notebook, or when the
    folder is one of the course; OSError when it cannot be written to.
    """
    if folder.resolve().is_relative_to(source.resolve()):
        raise ValueError(f"{folder} belongs to the course. Name another folder, or none.")
    clean = _numbered(source, fresh) if fresh else None
    old = _set_aside(folder / clean) if clean else None
    before = _read(folder / RECORD)
    after = dict(before)
    written: dict[str, tuple[Path, ...]] = {"new": (), "renewed": (), "beside": ()}
    for original in sorted(source.rglob("*")):
        name = original.relative_to(source)
        if original.is_dir() or LEFT_THERE.intersection(name.parts):
            continue
        kind, place = _place(original, folder / name, before.get(name.as_posix()))
        if name.as_posix() == clean:
            kind, place = "new", folder / name
        if kind:
            write(place, original.read_bytes())
            written[kind] += (place,)
        after[name.as_posix()] = _sum(original)
    # Also when it is the same: a full disk is told here, and not by Jupyter's traceback.
    write(folder / RECORD, json.dumps(after, indent=1).encode())
    return Copied(**written, old=old)


def _place(original: Path, mine: Path, copied: str | None) -> tuple[str, Path]:
    """Where one file goes, and which kind of `Copied` that is: "" if there is nothing to do.

    copied: the checksum that the original had last time.
    """
    now = _sum(original)
    if not mine.exists():
        return "new", mine
    if now in (copied, _sum(mine)):
        return "", mine
    if _sum(mine) == copied:
        return "renewed", mine
    return "beside", _free(mine, "new")


def _numbered(source: Path, number: str) -> str:
    """The name of the notebook of that number. Raises ValueError when there is none."""
    names = [path.name for path in sorted(source.glob("*.ipynb"))]
    found = [name for name in names if name.split("_")[0] == number.zfill(2)]
    if not found:
        raise ValueError(f"There is no notebook {number}. There are:\n  " + "\n  ".join(names))
    return found[0]


def _set_aside(mine: Path) -> Path | None:
    """Keep the learner's notebook under another name too; that one, or None if there is none."""
    if not mine.exists():
        return None
    write(old := _free(mine, "old"), mine.read_bytes())
    return old


def _free(mine: Path, word: str) -> Path:
    """`05_loop.old.ipynb`, or the first of `05_loop.old2.ipynb` and so on that is not there."""
    names = (f"{mine.stem}.{word}{n if n > 1 else ''}{mine.suffix}" for n in count(1))
    return next(path for path in map(mine.with_name, names) if not path.exists())


def _sum(path: Path) -> str:
    """The checksum of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _read(record: Path) -> dict[str, str]:
    """The checksums of last time. Without them every difference counts as the learner's work."""
    try:
        return dict(json.loads(record.read_text("utf-8")))
    except (OSError, ValueError, TypeError):
        return {}
