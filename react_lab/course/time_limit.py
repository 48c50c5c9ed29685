"""Time limit: run something that may never return, and stop it.

A thread cannot be ended from outside, so the work runs in the calling thread. After the limit it is
interrupted as Ctrl-C would interrupt it: again and again, because an `except` in the work may
swallow the first interrupt.

>>> within(5, lambda: 42)
42
"""

import _thread
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any, TypeVar

from react_lab.registry.threads import in_thread

T = TypeVar("T")
AGAIN = 0.05  # seconds between two interrupts


def within(seconds: float, work: Callable[[], T]) -> T:
    """Return what work() returns, or raise what it raises.

    Only the main thread can be interrupted. In any other thread the work is left running.

    Raises:
        TimeoutError: work() did not return within this many seconds.
    """
    if threading.current_thread() is not threading.main_thread():
        return in_thread(work, seconds)
    here, before = sys._getframe(), (sys.gettrace(), signal.getsignal(signal.SIGINT))
    late: list[bool] = []  # lists, because a call of a Python function could be interrupted
    over: list[bool] = []
    ended, turn = threading.Event(), threading.Lock()

    def trace(frame: FrameType, event: str, value: Any) -> Any:
        """Interrupt the next line, wherever it is. Python then forgets this function."""
        if event == "line":
            raise KeyboardInterrupt
        return trace

    def interrupted(number: int, frame: FrameType | None) -> None:
        if over or frame is here and late:
            return
        if len(late) > 1:  # the first interrupt was swallowed
            sys.settrace(trace)
            while frame is not None and frame is not here:
                frame.f_trace = trace
                frame = frame.f_back
        late.extend(late[:1])
        raise KeyboardInterrupt

    def interrupt() -> None:
        if not ended.wait(seconds):
            late.append(True)
        while not ended.is_set():
            with turn:
                if over:
                    return
                if os.name == "nt":
                    _thread.interrupt_main()
                else:  # a real signal ends a time.sleep, too
                    signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
            ended.wait(AGAIN)

    timer = threading.Thread(target=interrupt, daemon=True)
    try:
        signal.signal(signal.SIGINT, interrupted)
        timer.start()
        found = next(_apart(work))
    except KeyboardInterrupt:
        over.append(True)
        if not late:
            raise
    finally:
        over.append(True)
        sys.settrace(before[0])
        ended.set()
        with turn:
            signal.signal(signal.SIGINT, before[1])
    if late:
        raise TimeoutError(f"no result within {seconds:g} seconds") from None
    return found


def _apart(work: Callable[[], T]) -> Iterator[T]:
    """Yield what work() returns.

    An exception that a trace function raises in an `except` or `finally` block stays the one
    being handled, for the rest of the process. A generator handles exceptions of its own, so that
    this ends with it.
    """
    yield work()
