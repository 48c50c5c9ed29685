"""Time limit: run something that may never return, and stop it.

A thread cannot be ended from outside, so the work runs where it is called, and after the limit it
is interrupted as a person would interrupt it.

>>> within(5, lambda: 42)
42
"""

import _thread
import os
import signal
import threading
from collections.abc import Callable
from typing import TypeVar

from react_lab.registry.threads import in_thread

T = TypeVar("T")


def within(seconds: float, work: Callable[[], T]) -> T:
    """Return what work() returns, or raise what it raises.

    Outside of the main thread, which alone can be interrupted, the work is left behind.

    Raises:
        TimeoutError: work() did not return within so many seconds.
    """
    if threading.current_thread() is not threading.main_thread():
        return in_thread(work, seconds)
    late, over, turn = threading.Event(), threading.Event(), threading.Lock()

    def interrupt() -> None:
        with turn:
            if over.is_set():
                return
            late.set()
            if os.name == "nt":
                _thread.interrupt_main()
            else:  # a real signal ends a time.sleep, too
                signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)

    timer = threading.Timer(seconds, interrupt)
    timer.daemon = True
    before = signal.getsignal(signal.SIGINT)
    try:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        timer.start()
        found = work()
        with turn:
            over.set()
        return found
    except KeyboardInterrupt:
        if late.is_set():
            raise TimeoutError(f"no result within {seconds:g} seconds") from None
        raise
    finally:
        with turn:
            over.set()
        timer.cancel()
        signal.signal(signal.SIGINT, before)
