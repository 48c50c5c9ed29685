"""A check of a function that never returns ends with a clear message."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from react_lab import course
from react_lab.course import checking
from react_lab.course.time_limit import within


def for_ever(*given):
    while True:
        pass


def slow(*given):
    time.sleep(3600)


def swallowing(*given):
    while True:
        try:
            time.sleep(0.001)
        except Exception:
            continue


def waiting(*given):
    threading.Event().wait()


def bare(*given):
    while True:
        try:
            time.sleep(0.001)
        except:  # noqa: E722 (what learners write)
            pass


def bare_and_busy(*given):
    while True:
        try:
            sum(range(10))
        except BaseException:
            continue


def at_the_end(*given):
    try:
        time.sleep(3600)
    finally:
        while True:
            time.sleep(0.001)


NEVER = [for_ever, slow, swallowing, waiting, bare, bare_and_busy, at_the_end]


@pytest.fixture(autouse=True)
def soon(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(checking, "SECONDS", 0.3)


@pytest.mark.parametrize("work", NEVER, ids=lambda work: work.__name__)
@pytest.mark.parametrize("name", ["time_tool", "context_policy"])
def test_a_check_ends_where_the_function_does_not(name, work):
    found = course.check(name, work)
    assert found.state == "wrong"
    assert "stopped after 0.3 seconds: your function did not return" in found.text


def test_what_ends_in_time_is_not_touched():
    assert within(30, lambda: 42) == 42
    with pytest.raises(ZeroDivisionError):
        within(30, lambda: 1 / 0)


def test_nothing_is_left_of_the_limit():
    """Neither a handler, nor a trace function, nor an interrupt that comes later or is handled."""
    before = signal.getsignal(signal.SIGINT), sys.gettrace()
    for work in (lambda: 42, bare, at_the_end):
        with contextlib.suppress(TimeoutError):
            within(0.1, work)
        assert (signal.getsignal(signal.SIGINT), sys.gettrace()) == before
        assert sys.exc_info() == (None, None, None)
    assert sum(range(300_000)) == 44999850000


def test_an_interrupt_of_the_person_stays_one():
    def interrupted():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        within(30, interrupted)


def test_outside_of_the_main_thread_it_ends_too():
    found: list[object] = []

    def run() -> None:
        try:
            within(0.3, lambda: threading.Event().wait())
        except TimeoutError as error:
            found.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join(60)
    assert len(found) == 1


def test_it_ends_in_a_cell_and_the_kernel_lives_on(tmp_path):
    """nbgrader runs a notebook in the same way."""
    source = """
import nbformat, sys
from nbclient import NotebookClient
cells = [
    "from react_lab import course\\nfrom react_lab.course import checking\\nchecking.SECONDS = 1",
    "def now(*given):\\n    while True:\\n        pass\\ncourse.check('time_tool', now)",
    "6 * 7",
]
notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(one) for one in cells])
NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
print(nbformat.writes(notebook))
"""
    child = subprocess.run(
        [sys.executable, "-c", source],
        cwd=tmp_path,
        env=dict(os.environ),
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert child.returncode == 0, child.stderr[-2000:]
    cells = json.loads(child.stdout)["cells"]
    shown = ["".join(cell["outputs"][0]["data"]["text/plain"]) for cell in cells[1:]]
    assert "stopped after 1 seconds: your function did not return" in shown[0]
    assert shown[1] == "42"
