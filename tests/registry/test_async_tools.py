"""Async tools: whatever a tool keeps between two calls works in the second one.

Each tool here failed with an event loop of its own for every call.
"""

import asyncio
import json
import sqlite3
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar

import pytest

from helpers.reports import report
from react_lab.registry import Registry

PATIENCE = 30  # seconds after which a test gives up; none waits so long


def tools(*functions: Callable, **settings: float) -> Registry:
    registry = Registry()
    for function in functions:
        registry.register(function, description="Use it.", **settings)
    return registry


@pytest.fixture(params=["script", "notebook"])
def place(request):
    """Run a function as a script does, or inside a running event loop as a notebook cell does."""
    if request.param == "script":
        return lambda work: work()

    async def cell(work):
        return work()

    return lambda work: asyncio.run(cell(work))


def twice(registry: Registry, name: str) -> list[str]:
    return [registry.call(name, {}).text for _ in range(2)]


def test_a_connection_is_kept(place):
    assert report("async-connection")["expect"].startswith("works in every call")
    kept: list = []

    async def echo(reader, writer):
        while line := await reader.readline():
            writer.write(line.upper())
            await writer.drain()

    async def ask() -> str:
        if not kept:
            server = await asyncio.start_server(echo, "127.0.0.1")
            port = server.sockets[0].getsockname()[1]
            kept.extend([server, *await asyncio.open_connection("127.0.0.1", port)])
        _, reader, writer = kept
        writer.write(b"tea\n")
        await writer.drain()
        return (await reader.readline()).decode()

    assert place(lambda: twice(tools(ask), "ask")) == ["TEA\n", "TEA\n"]


def test_a_background_task_ends_its_work(place):
    assert report("async-task")["expect"].startswith("works in every call")
    kept, done = [], threading.Event()

    async def later():
        await asyncio.sleep(0.05)
        done.set()

    async def begin() -> str:
        kept.append(asyncio.create_task(later()))
        return "begun"

    assert place(lambda: tools(begin).call("begin", {}).text) == "begun"
    assert done.wait(PATIENCE)


def test_a_database_opened_elsewhere_says_what_is_wrong(place):
    """An async tool runs in the thread of the event loop, so it is decided against the row.

    An object that belongs to one thread is opened in the tool, or for all threads.
    """
    assert report("sqlite-async")["verdict"] == "arguable"
    here = sqlite3.connect(":memory:")
    shared = sqlite3.connect(":memory:", check_same_thread=False)

    async def wrong() -> list:
        return here.execute("select 1").fetchall()

    async def right() -> list:
        return shared.execute("select 1").fetchall()

    async def own() -> list:
        return sqlite3.connect(":memory:").execute("select 1").fetchall()

    registry = tools(wrong, right, own)
    seen = place(lambda: registry.call("wrong", {}))
    assert seen.error == "tool error" and "created in a thread" in seen.text
    assert place(lambda: registry.call("right", {}).text) == "[1]"
    assert place(lambda: registry.call("own", {}).text) == "[1]"
    here.close()
    shared.close()


@pytest.mark.parametrize("settings", [{}, {"seconds": PATIENCE}])
def test_a_database_opened_in_one_call_is_used_in_the_next(settings, place):
    """sqlite3 refuses another thread than the one in which a connection was opened."""
    kept: list = []

    async def count() -> int:
        if not kept:
            kept.append(sqlite3.connect(":memory:"))
            kept[0].execute("create table calls (n)")
        kept[0].execute("insert into calls values (1)")
        return kept[0].execute("select count(*) from calls").fetchone()[0]

    assert place(lambda: twice(tools(count, **settings), "count")) == ["1", "2"]


@pytest.mark.parametrize("make", [asyncio.Event, lambda: asyncio.Barrier(2)])
def test_what_was_waited_for_can_be_waited_for_again(make, place):
    kept: list = []

    async def wait() -> str:
        if not kept:
            kept.append(make())
        try:
            await asyncio.wait_for(kept[0].wait(), 0.01)
        except TimeoutError:
            return "nothing yet"
        return "something"

    assert place(lambda: twice(tools(wait), "wait")) == ["nothing yet", "nothing yet"]


def test_a_queue_is_kept(place):
    queue: list = []

    async def take() -> str:
        if not queue:
            queue.append(asyncio.Queue())
        try:
            return await asyncio.wait_for(queue[0].get(), 0.01)
        except TimeoutError:
            return "empty"

    async def put() -> str:
        await queue[0].put("tea")
        return "put"

    registry = tools(take, put)
    calls = ["take", "take", "put", "take"]
    found = place(lambda: [registry.call(name, {}).text for name in calls])
    assert found == ["empty", "empty", "put", "tea"]


def test_a_lock_that_a_task_holds_is_kept(place):
    kept: dict = {}

    async def hold() -> str:
        kept["lock"] = asyncio.Lock()
        await kept["lock"].acquire()
        kept["task"] = asyncio.create_task(asyncio.sleep(0.01))
        kept["task"].add_done_callback(lambda _: kept["lock"].release())
        return "held"

    async def wait() -> str:
        async with kept["lock"]:
            return "free again"

    registry = tools(hold, wait)
    assert place(lambda: [registry.call(n, {}).text for n in ("hold", "wait")])[1] == "free again"


def test_a_client_of_httpx_is_kept(place):
    httpx = pytest.importorskip("httpx")
    from helpers.fake_endpoint import serve

    kept: list = []
    with serve({"replies": [{"json": {"tea": 1}}], "then": "repeat"}) as endpoint:

        async def fetch() -> str:
            if not kept:
                kept.append(httpx.AsyncClient(trust_env=False))
            return json.dumps((await kept[0].get(endpoint.url)).json())

        assert place(lambda: twice(tools(fetch), "fetch")) == ['{"tea": 1}'] * 2


@pytest.mark.filterwarnings("ignore:coroutine .* was never awaited:RuntimeWarning")
@pytest.mark.parametrize("seconds", [None, PATIENCE])
def test_a_tool_that_calls_asyncio_run_works_in_a_notebook_too(seconds, place):
    """As many tools do that wrap an async client; in a cell a loop is running already."""

    async def answer() -> str:
        await asyncio.sleep(0)
        return "tea"

    def by_run() -> str:
        return asyncio.run(answer())

    def by_loop() -> str:
        loop = asyncio.new_event_loop()
        try:
            return loop.run_until_complete(answer())
        finally:
            loop.close()

    settings = {} if seconds is None else {"seconds": seconds}
    registry = tools(by_run, by_loop, **settings)
    found = place(lambda: [registry.call(name, {}) for name in ("by_run", "by_loop")])
    assert [(seen.text, seen.error, seen.tries) for seen in found] == [("tea", None, 1)] * 2


@pytest.mark.filterwarnings("ignore:coroutine .* was never awaited:RuntimeWarning")
def test_a_write_tool_is_not_begun_twice_for_a_loop():
    begun: list = []

    def store() -> str:
        begun.append(1)
        return asyncio.run(asyncio.sleep(0, "stored"))

    async def cell() -> object:
        return tools(store, effect="write").call("store", {})

    seen = asyncio.run(cell())
    assert (len(begun), seen.error) == (1, "tool error")


def test_all_registries_share_the_loop(place):
    """A subset of a registry, or a second one, can use what a tool has kept."""

    async def loop() -> int:
        return id(asyncio.get_running_loop())

    registry = tools(loop)
    others = [registry, registry.subset(["loop"]), registry.select("loop", 1), tools(loop)]
    assert len(place(lambda: {one.call("loop", {}).text for one in others})) == 1


def test_calls_from_two_threads_run_side_by_side():
    """Each waits for the other one, so neither would end alone."""
    met: dict = {}

    async def meet() -> str:
        barrier = met.setdefault("barrier", asyncio.Barrier(2))
        await asyncio.wait_for(barrier.wait(), PATIENCE)
        return "met"

    registry = tools(meet)
    with ThreadPoolExecutor(2) as pool:
        calls = [pool.submit(registry.call, "meet", {}) for _ in range(2)]
        assert [call.result().text for call in calls] == ["met", "met"]


def test_an_async_tool_may_call_another_one(place):
    async def inner() -> str:
        await asyncio.sleep(0)
        return "inside"

    registry = tools(inner)

    @registry.register(description="Calls it.")
    async def outer() -> str:
        await asyncio.sleep(0)
        return registry.call("inner", {}).text

    assert place(lambda: twice(registry, "outer")) == ["inside", "inside"]


@pytest.mark.parametrize("fault", [SystemExit(3), asyncio.CancelledError("c"), GeneratorExit()])
def test_the_loop_outlives_whatever_a_tool_raises(fault, place):
    async def leave() -> str:
        await asyncio.sleep(0)
        raise fault

    async def stay() -> str:
        return "still here"

    registry = tools(leave, stay)
    seen = place(lambda: registry.call("leave", {}))
    assert seen.error == "tool error" and seen.text.startswith(type(fault).__name__)
    assert place(lambda: registry.call("stay", {}).text) == "still here"


def test_an_interrupt_passes_and_the_loop_outlives_it(place):
    async def stop() -> str:
        raise KeyboardInterrupt

    async def stay() -> str:
        return "still here"

    registry = tools(stop, stay)
    with pytest.raises(KeyboardInterrupt):
        place(lambda: registry.call("stop", {}))
    assert place(lambda: registry.call("stay", {}).text) == "still here"


def test_a_call_that_ran_out_of_time_is_cancelled(place):
    cancelled = threading.Event()

    async def hang() -> str:
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.set()
        return "never"

    seen = place(lambda: tools(hang, seconds=0.05).call("hang", {}))
    assert seen.text == "TimeoutError: hang ran out of time (0.05 s)."
    assert cancelled.wait(PATIENCE)


def test_a_tool_that_blocks_the_loop_does_not_block_the_next_call(place):
    free = threading.Event()

    async def block() -> str:
        free.wait(PATIENCE)  # as time.sleep or requests.get in a coroutine
        return "at last"

    async def stay() -> str:
        return "still here"

    registry = tools(block, stay, seconds=0.2)
    assert place(lambda: registry.call("block", {})).error == "tool error"
    assert place(lambda: registry.call("stay", {}).text) == "still here"
    free.set()


def test_an_async_generator_ends_its_own_work(place):
    closed = threading.Event()

    async def count() -> AsyncIterator[int]:
        try:
            for number in range(2000):
                yield number
        finally:
            closed.set()

    registry = Registry(limit=100_000)
    registry.register(count, description="Use it.")
    assert place(lambda: registry.call("count", {}).text).endswith("[only the first 1000 items]")
    assert closed.wait(PATIENCE)


def test_context_variables_reach_the_tool(place):
    user: ContextVar[str] = ContextVar("user", default="nobody")

    async def who() -> str:
        return user.get()

    registry = tools(who)

    def work() -> str:
        token = user.set("Ada")
        try:
            return registry.call("who", {}).text
        finally:
            user.reset(token)

    assert place(work) == "Ada"


def test_python_ends_while_a_task_still_waits():
    source = (
        "import asyncio\n"
        "from react_lab.registry import Registry\n"
        "tools, kept = Registry(), []\n"
        "@tools.register(description='Use it.')\n"
        "async def begin():\n"
        "    kept.append(asyncio.create_task(asyncio.sleep(3600)))\n"
        "print(tools.call('begin', {}).text)\n"
    )
    child = subprocess.run(
        [sys.executable, "-c", source], capture_output=True, text=True, timeout=PATIENCE * 4
    )
    assert (child.returncode, child.stderr) == (0, "")
    assert child.stdout == "Done. The tool returned nothing.\n"
