"""Track: a loop over cases that shows how far it is.

    for case in (bar := track(cases)):
        run = agent.run(case.question)
        bar.note(f"{case.id}: {run.answer}")

In a notebook it is a bar, in a terminal a line, in a log one line every half a minute. It appears
after a second, and nothing of it is left at the end, so what a loop stores does not change.

>>> [case for case in track(["a", "b"])]
['a', 'b']
"""

import os
import sys
import time
from collections.abc import Collection, Iterator
from html import escape
from typing import Any, Generic, Protocol, TypeVar

Case = TypeVar("Case")

QUIET = 1.0  # seconds until the first sign
PAUSE = 0.2  # seconds between two signs
LOG_PAUSE = 30.0  # the same in a log, where nothing can be taken back
WIDTH = 60  # characters of the last result


class Display(Protocol):
    """Where the progress is shown."""

    pause: float

    def show(self, done: int, total: int, text: str) -> None:
        """Show how far the loop is."""

    def clear(self) -> None:
        """Take away what is shown."""


class Track(Generic[Case]):
    """An iterable over cases that shows its progress; see `track`."""

    def __init__(self, cases: Collection[Case], display: Display | None) -> None:
        self._cases, self._display = cases, display
        self._quiet = LOG_PAUSE if isinstance(display, _Log) else QUIET
        self._done, self._note, self._begun = 0, "", time.monotonic()
        self._next = self._begun + self._quiet

    def __iter__(self) -> Iterator[Case]:
        self._done, self._begun = 0, time.monotonic()
        self._next = self._begun + self._quiet
        try:
            for case in self._cases:
                yield case
                self.advance()
        finally:
            self.close()

    def note(self, text: str) -> None:
        """Say what the last result is."""
        self._note = " ".join(text.split())[:WIDTH]

    def advance(self, note: str | None = None) -> None:
        """Count one more case as done; a loop over the object itself does this for you."""
        if note is not None:
            self.note(note)
        self._done += 1
        now = time.monotonic()
        if self._display and now >= self._next:
            self._next = now + self._display.pause
            self._display.show(self._done, len(self._cases), self.text(now - self._begun))

    def text(self, seconds: float) -> str:
        """The progress as a line, after so many seconds."""
        left = seconds / max(self._done, 1) * (len(self._cases) - self._done)
        parts = [f"{self._done} of {len(self._cases)}", f"about {_duration(left)} left", self._note]
        return ", ".join(filter(None, parts))

    def close(self) -> None:
        """Take away what is shown."""
        if self._display:
            self._display.clear()


def track(cases: Collection[Case]) -> Track[Case]:
    """Return the cases as something to loop over that shows count, time left and last result.

    Args:
        cases: Anything with a length. `note` of what is returned names the last result.
    """
    return Track(cases, _display())


def _duration(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"


def _display() -> Display | None:
    """Where to show progress: None while a notebook's outputs are recorded or compared."""
    if os.environ.get("REACT_LAB_RECORDING", "off") != "off":
        return None
    shell = sys.modules.get("IPython")
    if shell and hasattr(shell.get_ipython(), "kernel"):
        return _Notebook()
    return _Terminal() if sys.stderr.isatty() else _Log()


class _Notebook:
    """A bar in the cell's output, which is empty at the end."""

    pause = PAUSE

    def __init__(self) -> None:
        self._handle: Any = None

    def show(self, done: int, total: int, text: str) -> None:
        from IPython.display import HTML, DisplayHandle

        html: Any = HTML(  # type: ignore[no-untyped-call]
            f'<progress value="{done}" max="{total}" aria-label="cases done"></progress> '
            f"<span>{escape(text)}</span>"
        )
        if self._handle is None:
            self._handle = DisplayHandle()  # type: ignore[no-untyped-call]
            self._handle.display(html)
        else:
            self._handle.update(html)

    def clear(self) -> None:
        if self._handle is not None:
            self._handle.update({"text/plain": ""}, raw=True)
            self._handle = None


class _Terminal:
    """A line that is written again and again, and wiped at the end."""

    pause = PAUSE

    def __init__(self) -> None:
        self._length = 0

    def show(self, done: int, total: int, text: str) -> None:
        filled = round(20 * done / max(total, 1))
        line = f"[{'#' * filled}{'.' * (20 - filled)}] {text}"
        sys.stderr.write(f"\r{line}{' ' * (self._length - len(line))}")
        sys.stderr.flush()
        self._length = len(line)

    def clear(self) -> None:
        if self._length:
            sys.stderr.write(f"\r{' ' * self._length}\r")
            sys.stderr.flush()
            self._length = 0


class _Log:
    """A line now and then."""

    pause = LOG_PAUSE

    def show(self, done: int, total: int, text: str) -> None:
        sys.stderr.write(f"{text}\n")
        sys.stderr.flush()

    def clear(self) -> None:
        pass
