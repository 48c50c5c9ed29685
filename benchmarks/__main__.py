"""All tables of the benchmark, as Markdown: `python -m benchmarks`."""

import os
import platform
from importlib.metadata import version

from benchmarks import imports, parsing, steps
from benchmarks.table import markdown
from react_lab.models.embedded import count_tokens
from react_lab.models.engine import engine_problem
from react_lab.models.weights import find_weights


def report(runs: int | None = None) -> str:
    """The tables of steps, imports and parser. runs: how often each is measured, None for
    what each script says."""
    times = {} if runs is None else {"runs": runs}
    count = count_tokens if find_weights() and not engine_problem() else None
    versions = f"Python {platform.python_version()}, openai {version('openai')}"
    machine = f"{platform.system()}, {os.cpu_count()} cores"
    return "\n\n".join(
        [
            f"Made by `python -m benchmarks` with {versions}, on {machine}.",
            "The loop: CPU and time per step, and what one run sends.",
            markdown(steps.measure(count=count, **times)),
            "The imports, each in a fresh Python.",
            markdown(imports.measure(**times)),
            "The parser: CPU in ms for a text of so many characters.",
            markdown(parsing.measure(**times)),
        ]
    )


if __name__ == "__main__":
    print(report())
