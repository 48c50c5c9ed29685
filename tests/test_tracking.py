"""Track: what a loop over cases shows, and that nothing of it is left."""

import io
import os
from types import SimpleNamespace

import nbclient
import nbformat
import pytest

from react_lab import tracking
from react_lab.evaluation import track


class Clock:
    """A clock that moves when it is told to."""

    now = 100.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(tracking.time, "monotonic", clock)
    return clock


class Screen(io.StringIO):
    """A terminal of one line: what a person sees of the characters written to it."""

    def isatty(self):
        return True

    def seen(self):
        line = ""
        for part in self.getvalue().split("\r"):
            line = part + line[len(part) :]
        return line.rstrip()


@pytest.fixture
def screen(monkeypatch):
    monkeypatch.delenv("REACT_LAB_RECORDING", raising=False)
    screen = Screen()
    monkeypatch.setattr(tracking, "sys", SimpleNamespace(stderr=screen, modules={}))
    return screen


def test_it_yields_the_cases_and_shows_count_time_left_and_the_last_result(clock, screen):
    seen = []
    for case in (bar := track(["oslo", "rome", "lima", "bern"])):
        seen.append(screen.seen())
        clock.now += 10
        bar.note(f"{case}:\nright")
    assert seen == [
        "",
        "[#####...............] 1 of 4, about 30 s left, oslo: right",
        "[##########..........] 2 of 4, about 20 s left, rome: right",
        "[###############.....] 3 of 4, about 10 s left, lima: right",
    ]
    assert screen.seen() == ""


def test_a_shorter_line_leaves_nothing_of_a_longer_one(clock, screen):
    bar = track(range(3))
    for note in ("a very long result", "short"):
        clock.now += 10
        bar.advance(note)
    assert screen.seen() == "[#############.......] 2 of 3, about 10 s left, short"


def test_minutes_are_shown_as_minutes(clock, screen):
    bar = track(range(11))
    clock.now += 60
    bar.advance()
    assert "about 10 min left" in screen.seen()


def test_a_fast_loop_shows_nothing(clock, screen):
    for _ in track(range(100)):
        clock.now += 0.009
    assert screen.getvalue() == ""


def test_it_is_taken_away_when_the_loop_ends_early(clock, screen):
    with pytest.raises(KeyboardInterrupt):
        for number in track(range(9)):
            clock.now += 10
            if number == 2:
                assert screen.seen()
                raise KeyboardInterrupt
    assert screen.seen() == ""


def test_a_log_gets_a_line_now_and_then(clock, monkeypatch):
    monkeypatch.delenv("REACT_LAB_RECORDING", raising=False)
    log = io.StringIO()
    monkeypatch.setattr(tracking, "sys", SimpleNamespace(stderr=log, modules={}))
    for _ in track(range(6)):
        clock.now += 12
    assert log.getvalue().splitlines() == [
        "3 of 6, about 36 s left",
        "6 of 6, about 0 s left",
    ]


CELL = """
import time
from react_lab.evaluation import track
for number in (bar := track(range(4))):
    time.sleep(0.4)
    bar.note("<b>")
print("done")
"""


def outputs(**environment):
    content = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(CELL)])
    client = nbclient.NotebookClient(content, kernel_name="python3")
    messages = []
    handle = client.process_message

    def watched(message, cell, index):
        messages.append(message)
        return handle(message, cell, index)

    client.process_message = watched
    client.execute(env=environment)
    shown = [m["content"]["data"] for m in messages if "display_data" in m["msg_type"]]
    return [data.get("text/html", "") for data in shown], content.cells[0].outputs


def test_in_a_notebook_it_is_a_bar_that_is_empty_at_the_end(monkeypatch):
    shown, stored = outputs(**os.environ | {"REACT_LAB_RECORDING": "off"})
    assert '<progress value="3" max="4"' in shown[0] and "&lt;b&gt;" in shown[0]
    assert shown[-1] == ""
    assert [dict(one.get("data", {})) for one in stored] == [{"text/plain": ""}, {}]
    shown, stored = outputs(**os.environ | {"REACT_LAB_RECORDING": "replay"})
    assert shown == [] and [one.text for one in stored] == ["done\n"]
