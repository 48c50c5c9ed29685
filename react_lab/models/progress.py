"""Progress: what a model is doing while you wait for its reply.

>>> from react_lab.models.progress import Progress, report, watch
>>> with watch(print):
...     report(Progress("reading", 350))
The model is reading the prompt (350 tokens).
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass


@dataclass(frozen=True)
class Progress:
    """What a model is doing now.

    Attributes:
        state: "starting" while the engine loads, "reading" the prompt, or "writing" the reply.
        tokens: How many tokens the model has to read before its first word, without those that
            it has computed before; while it writes, how many it has written; 0 if not known.
        text: The reply so far.
    """

    state: str
    tokens: int = 0
    text: str = ""

    def __str__(self) -> str:
        if self.state == "starting":
            return "The engine is starting."
        if self.state == "reading":
            return (
                f"The model is reading the prompt{f' ({self.tokens} tokens)' * (self.tokens > 0)}."
            )
        return self.text


_watcher: ContextVar[Callable[[Progress], object] | None] = ContextVar("watcher", default=None)


@contextmanager
def watch(callback: Callable[[Progress], object]) -> Iterator[None]:
    """Call `callback` with each `Progress` of the models that are asked inside this block.

    It holds for this thread. An exception from the callback ends the request, as Ctrl-C does.
    """
    token = _watcher.set(callback)
    try:
        yield
    finally:
        _watcher.reset(token)


def report(progress: Progress) -> None:
    """Pass the progress of a model to the callback of `watch`, if there is one."""
    if callback := _watcher.get():
        callback(progress)
