"""One model for the room: seconds per step for 1, 4, 8 and 30 learners who ask at once.

    python -m benchmarks.classroom [--slots 4]

It starts `python -m react_lab serve` on loopback. A learner is a thread with the lab's Agent and
questions of its own; all of them start together. Run it on a machine that does nothing else; it
takes some minutes. Memory is read on Linux only.
"""

import argparse
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from statistics import mean, median

from benchmarks.table import markdown
from react_lab.loop import Agent
from react_lab.models import ChatModel, ModelError
from react_lab.services.model_server import MODEL
from react_lab.toolkit import lab_tools

LEARNERS = (1, 4, 8, 30)
QUESTIONS = 2  # of each learner


@dataclass(frozen=True)
class Asked:
    """One request: whose, when it was sent and when it was answered, in seconds of one clock."""

    learner: int
    sent: float
    answered: float


@dataclass
class Log:
    """What the learners met: requests that were answered, and errors of others."""

    asked: list[Asked] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)


def measure(url: str, learners: int) -> dict:
    """One row: what so many learners meet who ask the endpoint at once."""
    log, begin = Log(), time.perf_counter()
    with ThreadPoolExecutor(learners) as pool:
        list(pool.map(partial(_learn, url, log), range(learners)))
    took = time.perf_counter() - begin
    steps = [one.answered - one.sent for one in log.asked]
    own = [[one for one in log.asked if one.learner == n] for n in range(learners)]
    means = [mean(one.answered - one.sent for one in mine) for mine in own if mine]
    return {
        "learners": learners,
        "steps": len(steps),
        "errors": len(log.errors),
        "s a step, median": median(steps) if steps else None,
        "slowest step": max(steps, default=None),
        "luckiest learner": min(means, default=None),
        "unluckiest": max(means, default=None),
        "overtaken by": most_overtaken(log.asked),
        "steps a minute": 60 * len(steps) / took,
    }


def _learn(url: str, log: Log, learner: int) -> None:
    """One learner's runs. What goes wrong in a request is noted, and ends that run only."""
    model = ChatModel(MODEL, url)

    def timed(messages, tools=None):
        sent = time.perf_counter()
        try:
            reply = model(messages, tools)
        except ModelError as error:
            log.errors.append(str(error))
            raise
        log.asked.append(Asked(learner, sent, time.perf_counter()))
        return reply

    for number in range(QUESTIONS):
        Agent(timed, lab_tools()).run(f"What is {37 + learner} * {18 + number}?")


def most_overtaken(asked: list[Asked]) -> int:
    """How many requests that were sent later were answered sooner, for the worst off of all.

    First come, first served with so many slots: others pass only while one is worked on.
    """
    return max(
        (
            sum(later.sent > one.sent and later.answered < one.answered for later in asked)
            for one in asked
        ),
        default=0,
    )


@contextmanager
def classroom(slots: int) -> Iterator[tuple[str, int]]:
    """The command as it runs: (address of the endpoint, id of the gate's process)."""
    command = [sys.executable, "-m", "react_lab", "serve", "--port", "0", "--slots", str(slots)]
    gate = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        lines = iter(gate.stdout.readline, "")
        found = next((m[1] for line in lines if (m := re.search(r"LLM_BASE_URL=(\S+)", line))), "")
        if not found:
            raise RuntimeError("The classroom did not start. Run: python -m react_lab doctor")
        yield found, gate.pid
    finally:
        gate.terminate()  # the engines end with it
        gate.wait()
        gate.stdout.close()


def memory(pid: int) -> dict:
    """MB of the gate and of its engines; None where the system does not tell.

    Peaks are those of one process, with the weights, which the engines share; `together` counts
    what is shared once, and is read at the end.
    """
    try:
        engines = _below(str(pid))  # each engine is two processes: the model, and llama.cpp
        peaks = {one: _kilobytes(one, "status", "VmHWM") / 1000 for one in (str(pid), *engines)}
        shared = sum(_kilobytes(one, "smaps_rollup", "Pss") for one in peaks) / 1000
    except OSError:
        return {"gate, peak": None, "largest engine, peak": None, "together": None}
    gate = peaks.pop(str(pid))
    largest = max(peaks.values(), default=None)
    return {"gate, peak": gate, "largest engine, peak": largest, "together": shared}


def _below(pid: str) -> list[str]:
    """The processes that a process has started, and those that these have started."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    threads = [task.name for task in Path(f"/proc/{pid}/task").iterdir() if task.name != pid]
    for thread in threads:  # a child belongs to the thread that started it
        children += Path(f"/proc/{pid}/task/{thread}/children").read_text().split()
    return [*children, *(one for child in children for one in _below(child))]


def _kilobytes(pid: str, file: str, name: str) -> int:
    text = Path(f"/proc/{pid}/{file}").read_text()
    return int(re.search(rf"^{name}:\s+(\d+) kB", text, re.M)[1])


def main() -> None:
    """Print both tables, the rows as they come."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.classroom")
    parser.add_argument("--slots", type=int, default=4)
    slots = parser.parse_args().slots
    with classroom(slots) as (url, pid):
        rows = []
        for learners in LEARNERS:
            rows.append(measure(url, learners))
            print(f"{learners} learners: {rows[-1]['s a step, median'] or 0:.1f} s", flush=True)
        used = memory(pid)
    print(f"\n{slots} slots, times in seconds.\n\n{markdown(rows)}")
    print(f"\nMemory in MB.\n\n{markdown([used])}")


if __name__ == "__main__":
    main()
