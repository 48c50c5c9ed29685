"""CPU of the parser by the length of the text: ten times the text, ten times the time.

python -m benchmarks.parsing
"""

import time
from statistics import median

from benchmarks.table import markdown
from react_lab.parser import Move, parse

LENGTHS = (1_000, 10_000, 100_000, 1_000_000)
RUNS = 7
TOOLS = {"calculator": ["expression"]}

ACTION = '\nAction: calculator\nAction Input: {"expression": "2+2"}'
KINDS = {  # head, what is repeated to fill the length, tail
    "long thought, then an action": ("Thought: ", "one word more. ", ACTION),
    "long input": ('Action: calculator\nAction Input: {"expression": "', "2+", '2"}'),
    "long final answer": ("Thought: I know.\nFinal Answer: ", "All\nof it. ", ""),
    "an action on every line": ("Thought: x\n", "Action: calculator\n", ""),
    "invented observations": ("Thought: x" + ACTION, "\nObservation: 4\nThought: y", ""),
    "braces that never close": ("Action: calculator\nAction Input: ", '{"a": ', ""),
    "fences that never close": ("Thought: x\n", "```json\n", ""),
}


def text_of(kind: str, length: int) -> str:
    """A text of one of KINDS, exactly so many characters long."""
    head, filler, tail = KINDS[kind]
    space = length - len(head) - len(tail)
    return head + (filler * (space // len(filler) + 1))[:space] + tail


def measure(lengths: tuple[int, ...] = LENGTHS, runs: int = RUNS) -> list[dict]:
    """One row for each kind: what it is read as, and for each length in characters the median
    CPU in ms."""
    rows = []
    for kind in KINDS:
        row = {"text": kind}
        for length in lengths:
            text = text_of(kind, length)
            seconds, move = zip(*(_clock(text) for _ in range(runs)))
            row |= {"read as": type(move[0]).__name__, f"{length:,}": 1000 * median(seconds)}
        rows.append(row)
    return rows


def _clock(text: str) -> tuple[float, Move]:
    begin = time.process_time()
    move = parse(text, TOOLS)
    return time.process_time() - begin, move


if __name__ == "__main__":
    print(markdown(measure()))
