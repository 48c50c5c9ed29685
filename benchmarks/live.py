"""Seconds of the first and of later steps with the embedded model, in the old and the new mode.

    python -m benchmarks.live [--questions 10]

A warm notebook: the engine runs, and one question was asked before. Both modes take turns, question
by question, each in a process of its own, so that a busy moment hits both. The old mode reuses the
last prompt only where the next one extends it; the new one also computes the start that all prompts
share only once (`SHARED_START` in react_lab/models/engine.py).
"""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from statistics import median

from benchmarks.table import markdown

QUESTIONS = [
    "What is 37 * 18?",
    "What is the weather in Oslo?",
    "What time is it in Lima?",
    "How many days of parental leave are there?",
    "What is 15% of 2480?",
    "Is it warmer in Rome or in Oslo?",
    "What does parking cost?",
    "What is 365 * 24?",
    "Is it raining in Bergen?",
    "When does the canteen open?",
]
MODES = {"old": "0", "new": "1"}
CHILD = """
import json, sys
from react_lab.loop import Agent
from react_lab.models import EmbeddedModel
from react_lab.toolkit import lab_tools
agent = Agent(EmbeddedModel(max_tokens=160), lab_tools())
for line in sys.stdin:
    run = agent.run(json.loads(line))
    replies = [[reply.seconds, reply.tokens_in, reply.tokens_cached] for reply in run.replies]
    print(json.dumps(replies), flush=True)
"""


class Learner:
    """A process in which questions are asked one after another. It ends with `close`."""

    def __init__(self, shared_start: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", CHILD],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=Path(__file__).parents[1],
            env=os.environ | {"REACT_LAB_SHARED_START": shared_start},
        )

    def ask(self, question: str) -> list[list[float]]:
        """Return seconds, tokens read and tokens reused of each reply."""
        self.process.stdin.write(json.dumps(question) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def close(self) -> None:
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


def measure(questions: list[str] = QUESTIONS) -> list[dict]:
    """Return a row for each mode: median seconds of first and later steps, and tokens reused."""
    learners = {name: Learner(value) for name, value in MODES.items()}
    found = {name: [] for name in MODES}
    try:
        for learner in learners.values():
            learner.ask("What is 2 * 2?")  # starts the engine; not counted
        for question in questions:
            for name, learner in learners.items():
                found[name].append(learner.ask(question))
    finally:
        for learner in learners.values():
            learner.close()
    rows = []
    for name, runs in found.items():
        first, later = [run[0] for run in runs], [step for run in runs for step in run[1:]]
        rows.append(
            {
                "mode": name,
                "first step, s": median(step[0] for step in first),
                "to the old": 0.0,
                "later steps, s": median(step[0] for step in later),
                "tokens read, first": median(step[1] - step[2] for step in first),
                "tokens read, later": median(step[1] - step[2] for step in later),
                "steps": len(first) + len(later),
            }
        )
        rows[-1]["to the old"] = rows[-1]["first step, s"] / rows[0]["first step, s"]
    return rows


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.live")
    parser.add_argument("--questions", type=int, default=len(QUESTIONS))
    print(markdown(measure(QUESTIONS[: parser.parse_args().questions])))


if __name__ == "__main__":
    main()
