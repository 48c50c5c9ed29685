"""CPU of the imports, each in a fresh Python.

python -m benchmarks.imports
"""

import subprocess
import sys
from statistics import median

from benchmarks.contenders import PEERS, installed
from benchmarks.table import markdown

RUNS = 7
IMPORTS = {
    "openai": "openai",
    "react_lab": "react_lab",
    "react_lab, all that a notebook needs": (
        "react_lab.models.settings, react_lab.loop, react_lab.toolkit, react_lab.views.text"
    ),
}
CHILD = """
import sys, time
begin = time.process_time()
import {}
print(time.process_time() - begin, "openai" in sys.modules)
"""


def measure(runs: int = RUNS) -> list[dict]:
    """One row for each import, openai first: median CPU in ms, its share of openai's, and
    whether it loaded openai. The imports take turns; the first round is not counted."""
    peers = {name: ", ".join(needs) for name, (_, needs) in PEERS.items() if installed(needs)}
    imports = IMPORTS | peers
    found = {name: [] for name in imports}
    for _ in range(runs + 1):
        for name, modules in imports.items():
            found[name].append(_child(modules))
    cpu = {name: median(seconds for seconds, _ in some[1:]) for name, some in found.items()}
    return [
        {
            "import": name,
            "CPU ms": 1000 * cpu[name],
            "of openai": f"{cpu[name] / cpu['openai']:.1%}",
            "loads openai": "yes" if found[name][0][1] else "no",
        }
        for name in imports
    ]


def _child(modules: str) -> tuple[float, bool]:
    """Seconds of CPU for `import modules`, and whether openai was loaded then."""
    command = [sys.executable, "-c", CHILD.format(modules)]
    seconds, loaded = subprocess.check_output(command, text=True).split()
    return float(seconds), loaded == "True"


if __name__ == "__main__":
    print(markdown(measure()))
