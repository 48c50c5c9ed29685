"""Five: what five minutes of training are worth, on the 48 cases of the evaluation.

    python -m training.five training/runs/five

Takes a run folder that holds `log.jsonl` and `adapter.gguf`, and asks the base weights, that
adapter and the lab's own. Prints a table, and writes `react_lab/data/training/five.json`, which
notebook 12 shows. Needs the lab's environment, no torch. Takes about 20 minutes; finished cases
stay in `training/results/`, so it goes on where it stopped.
"""

import argparse
import json
import os
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

from react_lab.evaluation import Result, evaluate, lab_agent, share, verdict
from react_lab.evaluation.judge import evaluation_cases
from react_lab.models.embedded import EmbeddedModel
from react_lab.models.engine import identity
from react_lab.models.weights import DATA
from react_lab.parser import Malformed
from training.measure import RESULTS, TOKENS

PROCESSES = 2  # each with an engine of its own, on one thread


def plain(result: Result) -> dict[str, bool]:
    """What is kept of a case. Raises RuntimeError if the model could not be asked."""
    if result.run.stop == "model error":
        raise RuntimeError(f"{result.case.id}: {result.run.note}")
    readable = not any(isinstance(step.move, Malformed) for step in result.run.steps)
    return {"right": result.right, "calls": result.calls, "readable": readable}


def asked(adapter: Path | None) -> dict[str, dict[str, bool]]:
    """What each case gave, by its id, with an adapter or (None) with the base weights."""
    os.environ["REACT_LAB_ADAPTER"] = str(adapter or DATA / "react.gguf")
    model = EmbeddedModel(adapter=adapter is not None, max_tokens=TOKENS)
    folder = RESULTS / f"five-{(identity(model.adapter)['adapter'] or 'base')[:12]}"
    cases, found = evaluation_cases(), {}
    with ProcessPoolExecutor(PROCESSES) as pool:
        for result in evaluate(cases, partial(lab_agent, model), pool, folder):
            found[result.case.id] = plain(result)
            right = sum(one["right"] for one in found.values())
            print(f"\r{folder.name}: {len(found)} asked, {right} right ", end="", flush=True)
    print()
    return {case.id: found[case.id] for case in cases}


def table(found: dict[str, dict[str, dict[str, bool]]]) -> str:
    """The shares of each arm as lines of text, and how right answers compare with the arm above."""
    lines, above = [], None
    for name, results in found.items():
        lines.append(name)
        for key in ("right", "calls", "readable"):
            lines.append(f"  {key:9} {share(one[key] for one in results.values())}")
        right = [one["right"] for one in results.values()]
        if above:
            lines.append(f"  right answers, against the arm above: {verdict(right, above)}")
        above = right
    return "\n".join(lines)


def main() -> None:
    ask = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    ask.add_argument("run", type=Path, help="a run folder with log.jsonl and adapter.gguf")
    given = ask.parse_args()
    last = (given.run / "log.jsonl").read_text("utf-8").splitlines()[-1]
    arms = {
        "base weights": None,
        "five minutes": given.run / "adapter.gguf",
        "the adapter that ships": DATA / "react.gguf",
    }
    adapters, results = {}, {}
    for name, adapter in arms.items():
        results[name] = asked(adapter)
        adapters[name] = identity(adapter is not None)["adapter"]
    kept = {"training": json.loads(last), "adapters": adapters, "results": results}
    (DATA / "training").mkdir(exist_ok=True)
    text = json.dumps(kept, indent=1) + "\n"
    (DATA / "training" / "five.json").write_text(text, encoding="utf-8", newline="\n")
    print(table(results))


if __name__ == "__main__":
    main()
