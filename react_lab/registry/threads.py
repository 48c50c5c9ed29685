"""Threads: run a tool with a time limit, and run async tools in one event loop.

A connection, a lock or a task of asyncio belongs to the event loop in which it was made. So all
async tools of this process share one loop, which runs in its own thread. What a tool keeps still
works in its next call, and its background tasks continue between calls. A notebook, which has a
running loop already, behaves the same.

>>> async def double(number: int) -> int:
...     return 2 * number
>>> awaited(double(21))
42
"""

import atexit
import contextvars
import inspect
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from react_lab.registry.results import MANY

if TYPE_CHECKING:  # large, so each function that needs it imports it
    import asyncio
    from concurrent.futures import Future

T = TypeVar("T")
GRACE = 1.0  # seconds within which the loop has to answer after a call that ran out of time


def in_thread(work: Callable[[], T], seconds: float | None = None) -> T:
    """Run work() in its own thread; return what it returns, or raise what it raises.

    A thread cannot be stopped, so a late thread is left running. It is a daemon, so it does not
    keep Python from ending.

    Raises:
        TimeoutError: work() has not ended after this many seconds.
    """
    done: list[T] = []
    faults: list[BaseException] = []

    def inside() -> None:
        try:
            done.append(work())
        except BaseException as fault:
            faults.append(fault)

    run = contextvars.copy_context().run
    thread = threading.Thread(target=run, args=(inside,), daemon=True)
    thread.start()
    thread.join(seconds)
    if faults:
        raise faults[0]
    if not done:
        raise TimeoutError
    return done[0]


def awaited(value: object, calls: "list[Future[Any]] | None" = None) -> object:
    """Return the value, the result of a coroutine, or the first items of an async generator.

    Args:
        value: what a tool returned.
        calls: a list to which a waiting call is added, so that `give_up` can end it.
    """
    if not inspect.isawaitable(value) and not hasattr(type(value), "__aiter__"):
        return value
    import asyncio

    loop, thread = _running()
    if thread is threading.current_thread():  # an async tool called this one
        return in_thread(lambda: _result(asyncio.run(_whole(value))))
    call = asyncio.run_coroutine_threadsafe(_whole(value), loop)
    if calls is not None:
        calls.append(call)
    try:
        return _result(call.result())
    except BaseException:  # an interrupt: the result is no longer needed
        call.cancel()
        raise


def give_up(calls: "list[Future[Any]]") -> None:
    """End calls that ran out of time. A loop that such a call blocks is left to itself."""
    if not calls:
        return
    for call in calls:
        call.cancel()
    loop, _ = _running()
    answered = threading.Event()
    loop.call_soon_threadsafe(answered.set)
    if not answered.wait(GRACE):
        _loops.clear()


Outcome = tuple[object, BaseException | None]


async def _whole(value: object) -> Outcome:
    """Wait for a tool: (its result, None), or (None, what it raised).

    The exception is returned, not raised, because a SystemExit would end the loop.
    """
    try:
        if inspect.isawaitable(value):
            return await value, None
        items: list[object] = []
        async for item in value:  # type: ignore[attr-defined]
            items.append(item)
            if len(items) > MANY:
                break
        if close := getattr(value, "aclose", None):
            await close()
        return iter(items), None
    except BaseException as fault:
        return None, fault


def _result(outcome: Outcome) -> object:
    """Return the result of an outcome, or raise its exception."""
    result, fault = outcome
    if fault is not None:
        raise fault
    return result


# The loop in use: at most one. It is empty before the first call.
_loops: list[tuple["asyncio.AbstractEventLoop", threading.Thread]] = []
_starting = threading.Lock()


def _running() -> tuple["asyncio.AbstractEventLoop", threading.Thread]:
    """Return the loop of all async tools and its thread; start both if necessary."""
    import asyncio

    with _starting:
        if not _loops or not _loops[0][1].is_alive():  # a forked child has no thread
            loop = asyncio.new_event_loop()
            thread = threading.Thread(target=_serve, args=(loop,), name="async tools", daemon=True)
            thread.start()
            _loops[:] = [(loop, thread)]
        return _loops[0]


def _serve(loop: "asyncio.AbstractEventLoop") -> None:
    """Run a loop until it is stopped, then cancel the tasks that are left."""
    import asyncio

    asyncio.set_event_loop(loop)
    loop.run_forever()
    waiting = asyncio.all_tasks(loop)
    for task in waiting:
        task.cancel()
    loop.run_until_complete(asyncio.gather(*waiting, return_exceptions=True))
    loop.close()


@atexit.register
def _stop() -> None:
    """Stop the loop before Python ends, so that no task is destroyed while it waits."""
    for loop, thread in _loops:
        if thread.is_alive():
            loop.call_soon_threadsafe(loop.stop)
            thread.join(GRACE)
