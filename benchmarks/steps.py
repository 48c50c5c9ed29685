"""CPU, time, characters and tokens per run of the loop, for 3, 8 and 20 steps.

    python -m benchmarks.steps

The server is another process, so its CPU does not count. The contenders take turns, run by run,
so that a busy moment of the machine hits all of them.
"""

import gc
import json
import time
from collections.abc import Callable
from statistics import median

from benchmarks.contenders import contenders
from benchmarks.server import ANSWER, Endpoint
from benchmarks.table import markdown

LENGTHS = (3, 8, 20)
RUNS = 30


def measure(
    lengths: tuple[int, ...] = LENGTHS,
    runs: int = RUNS,
    count: Callable[[str], int] | None = None,
) -> list[dict]:
    """One row for each length and contender, in this order; floor is the first of a length.

    lengths: steps of a run. runs: how often each is measured. count: text to tokens, None to
    leave them out. CPU (process_time) and time are medians in ms per step; requests, characters
    and tokens are those of one whole run. Raises RuntimeError when a contender did not finish.
    """
    rows = []
    with Endpoint() as endpoint:
        for steps in lengths:
            asks = {name: make(endpoint.url, steps) for name, make in contenders().items()}
            sent = {name: _warm_up(ask, endpoint, steps, name) for name, ask in asks.items()}
            gc.collect()
            gc.freeze()  # what one contender has loaded does not slow the others' collections
            spent = {name: [] for name in asks}
            for _ in range(runs):
                for name, ask in asks.items():
                    endpoint.reset(steps)
                    spent[name].append(_clock(ask))
            for name in asks:
                rows.append(_row(steps, name, spent, sent[name], count))
            gc.unfreeze()
    return rows


def text_sent(body: dict) -> str:
    """All that the model has to read in a request: contents, calls, and the tools' JSON."""
    parts = []
    for message in body["messages"]:
        content = message.get("content") or ""
        parts += [content] if isinstance(content, str) else [part["text"] for part in content]
        calls = [call["function"] for call in message.get("tool_calls") or []]
        parts += [text for call in calls for text in (call["name"], call["arguments"])]
    if tools := body.get("tools"):
        parts.append(json.dumps(tools, ensure_ascii=False))
    return "".join(parts)


def _warm_up(ask: Callable, endpoint: Endpoint, steps: int, name: str) -> list[str]:
    """One run that is not measured, and the text of each of its requests."""
    endpoint.reset(steps)
    answer = ask()
    bodies = endpoint.requests()
    if answer != ANSWER or len(bodies) != steps:
        raise RuntimeError(f"{name}: {len(bodies)} requests for {steps} steps, answer {answer!r}.")
    return [text_sent(body) for body in bodies]


def _clock(ask: Callable) -> tuple[float, float]:
    """Seconds of CPU and of time."""
    gc.collect()
    begin, cpu = time.perf_counter(), time.process_time()
    ask()
    return time.process_time() - cpu, time.perf_counter() - begin


def _row(steps: int, name: str, spent: dict, texts: list[str], count: Callable | None) -> dict:
    cpu, passed = (median(values) for values in zip(*spent[name]))
    least = median(cpu for cpu, _ in spent["floor"])
    return {
        "loop": name,
        "steps": steps,
        "CPU ms a step": 1000 * cpu / steps,
        "to the floor": f"{cpu / least - 1:+.0%}",
        "time ms a step": 1000 * passed / steps,
        "requests": len(texts),
        "characters": sum(map(len, texts)),
        "tokens": sum(map(count, texts)) if count else None,
    }


if __name__ == "__main__":
    print(markdown(measure()))
