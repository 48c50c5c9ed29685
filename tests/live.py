"""Run the notebooks with the live embedded model, and say which cells differ from what is stored.

    python tests/live.py [05 ...]

Nothing is rewritten. The exit code is how many cells differ, 100 at most; above 100 something else
went wrong. Cells that draw at a temperature above 0, or print seconds, differ each time. Behind a
cell that raised, the rest of its notebook is not compared.
"""

import os
import sys
from pathlib import Path

import pytest

from react_lab.models.engine import engine_problem

ROOT = Path(__file__).parents[1]
OPTIONS = (
    *("-q", "-p", "no:cacheprovider", "--color=no"),
    *("--nbval", "--nbval-current-env", "--nbval-cell-timeout=600"),
    *("--nbval-sanitize-with", str(ROOT / "tests" / "nbval_sanitize.cfg")),
)


class Count:
    """How many cells differed in a session of pytest."""

    cells = 0

    def pytest_sessionfinish(self, session):
        self.cells = session.testsfailed


def main(names: list[str], folder: Path = ROOT / "notebooks") -> int:
    """Compare the notebooks whose names begin so, without names all; returns the exit code."""
    found = [p for p in sorted(folder.glob("*.ipynb")) if p.name.startswith(tuple(names) or "")]
    if not found or (problem := engine_problem()):
        print(problem if found else "There is no such notebook. Give its number, such as 05.")
        return 101
    os.environ["REACT_LAB_RECORDING"] = "off"
    os.environ |= dict.fromkeys(("LLM_BASE_URL", "LLM_API_KEY", "LLM_MODEL"), "")  # nor from .env
    count = Count()
    options = [*OPTIONS, f"--rootdir={folder.parent}", *map(str, found)]
    code = pytest.main(options, plugins=[count])
    print(f"{count.cells} cells differ from what is stored.")
    return 100 + code if code > 1 else min(count.cells, 100)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
