"""Files: written whole or not at all. A full disk or an interrupt leaves what was there."""

import os
from contextlib import suppress
from errno import EEXIST
from pathlib import Path
from uuid import uuid4

ADVICE = "What was there is unchanged. Make room, or name a place that can be written to"


def write(path: Path, content: bytes) -> None:
    """Put a file in its place in one go; of two programs that do so at once, one wins whole.

    A missing folder is made. Raises OSError, which says what to do; nothing is changed then.
    """
    part = path.with_name(f".{uuid4().hex}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists() and not path.is_file():  # else a device would be replaced
            raise OSError(EEXIST, "It is no file")
        part.write_bytes(content)
        os.replace(part, path)
    except OSError as error:
        raise OSError(error.errno, f"{error.strerror}. {ADVICE}", str(path)) from None
    finally:
        with suppress(OSError):
            part.unlink()


def append(path: Path, content: bytes) -> None:
    """Put something behind what a file holds, all of it or nothing. Raises OSError."""
    with open(path, "ab", buffering=0) as file:
        size = file.tell()
        try:
            while content:
                content = content[file.write(content) :]
        except BaseException:
            with suppress(OSError):
                file.truncate(size)
            raise
