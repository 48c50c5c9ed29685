"""Files: write a file whole or not at all. A full disk or an interrupt changes nothing."""

import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from errno import EEXIST
from pathlib import Path
from typing import Any
from uuid import uuid4

ADVICE = "The old file is unchanged. Free some space, or name a place that can be written to"


def write(path: Path, content: bytes) -> None:
    """Write a file in one step; if two programs do so at once, one of them wins completely.

    A missing folder is made.

    Raises:
        OSError: the file cannot be written and is unchanged; the message says what to do.
    """
    part = path.with_name(f".{uuid4().hex}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists() and not path.is_file():  # otherwise a device would be replaced
            raise OSError(EEXIST, "It is not a file")
        part.write_bytes(content)
        os.replace(part, path)
    except OSError as error:
        raise OSError(error.errno, f"{error.strerror}. {ADVICE}", str(path)) from None
    finally:
        with suppress(OSError):
            part.unlink()


def append(path: Path, content: bytes) -> None:
    """Append to a file, all of it or nothing. Raises OSError."""
    with open(path, "ab", buffering=0) as file:
        size = file.tell()
        try:
            while content:
                content = content[file.write(content) :]
        except BaseException:
            with suppress(OSError):
                file.truncate(size)
            raise


def read_json(path: Path) -> dict[str, Any]:
    """Return the object in a JSON file, or {} if the file is missing or holds no object."""
    try:
        found = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def change_json(path: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Change the object in a JSON file, whole or not at all.

    Two programs that do so at once change it one after the other. A file that contains no object is
    renamed to `.unreadable.json`. A missing folder is made.

    Args:
        path: The file.
        change: Gets the object, {} if there is none, and changes it in place.

    Raises:
        OSError: The file cannot be written; it is then unchanged.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with _alone(path):
        found = read_json(path)
        if path.exists() and not found:
            os.replace(path, path.with_suffix(".unreadable.json"))
        change(found)
        write(path, f"{json.dumps(found, indent=1, ensure_ascii=False)}\n".encode())


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Hold a lock beside a file. The lock of a killed program is ignored after two seconds."""
    lock, end = path.with_suffix(".lock"), time.monotonic() + 2
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
