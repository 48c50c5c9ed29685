"""Run the agents against the scripted endpoint of benchmarks/server.py, and write what they print.

python -m benchmarks.frameworks             # writes output/NAME.txt
python -m benchmarks.frameworks --compare   # writes nothing; the exit code is how many differ
"""

import os
import re
import subprocess
import sys
from pathlib import Path

from benchmarks.server import Endpoint

NAMES = ("react_lab_agent", "langgraph_agent", "pydantic_ai_agent")
HERE = Path(__file__).parent
TASKS = {  # what is shown: after how many replies the endpoint would answer
    "An answer at the third reply": 3,
    "No answer within the limit of eight replies": 20,
}


def printed(name: str, endpoint: Endpoint) -> str:
    """What one of the scripts prints for each of TASKS. Raises RuntimeError when it fails."""
    parts = []
    for title, steps in TASKS.items():
        endpoint.reset(steps)
        parts.append(f"# {title}\n\n{one_run(name, endpoint)}")
    return "\n".join(parts)


def one_run(name: str, endpoint: Endpoint) -> str:
    """What one of the scripts prints once."""
    child = subprocess.run(
        [sys.executable, "-m", f"benchmarks.frameworks.{name}"],
        env=os.environ | {"LLM_BASE_URL": endpoint.url, "LLM_API_KEY": "none"},
        cwd=HERE.parents[1],
        capture_output=True,
        text=True,
    )
    if child.returncode:
        raise RuntimeError(f"{name} ended with an error:\n{child.stderr}")
    return child.stdout


def comparable(text: str) -> str:
    """A text without the number of packages, which depends on the system."""
    return re.sub(r"^Packages: .*\n", "", text, flags=re.M)


def main(compare: bool) -> int:
    """Run all; returns how many differ from what is stored, 0 when they are written."""
    differ = 0
    with Endpoint() as endpoint:
        for name in NAMES:
            path, text = HERE / "output" / f"{name}.txt", printed(name, endpoint)
            if not compare:
                path.parent.mkdir(exist_ok=True)
                path.write_text(text, encoding="utf-8", newline="\n")
            elif not path.is_file() or comparable(path.read_text("utf-8")) != comparable(text):
                print(f"{name} differs. It prints now:\n{text}")
                differ += 1
    return differ


if __name__ == "__main__":
    sys.exit(main("--compare" in sys.argv[1:]))
