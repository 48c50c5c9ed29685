"""Sheet: the exercises as a notebook, from one source for instructors and learners.

The source, `data/exercises.ipynb`, holds the solutions between the markers of nbgrader. The
learners' notebook is made from it by docs/exercises.py, with `...` where a solution was.

Source of the format: https://nbgrader.readthedocs.io, its ClearSolutions and ClearHiddenTests,
with ClearSolutions.code_stub = {"python": "..."}.

>>> print(without_solutions("a = 1\\n### BEGIN SOLUTION\\nb = 2\\n### END SOLUTION"))
a = 1
...
"""

import copy
import json
from functools import cache
from importlib import resources
from types import CodeType
from typing import Any

SOURCE = resources.files("react_lab") / "data" / "exercises.ipynb"
STUB = "..."
BEGIN, END = "### BEGIN SOLUTION", "### END SOLUTION"
BEGIN_TESTS, END_TESTS = "### BEGIN HIDDEN TESTS", "### END HIDDEN TESTS"


@cache
def instructors() -> dict[str, Any]:
    """The notebook with all solutions, as its JSON."""
    notebook: dict[str, Any] = json.loads(SOURCE.read_text("utf-8"))
    return notebook


def learners() -> dict[str, Any]:
    """The notebook that learners start from: stubs, no hidden tests, nothing has run."""
    notebook = copy.deepcopy(instructors())
    for cell in notebook["cells"]:
        text = without_solutions(without_tests("".join(cell["source"])))
        cell["source"] = text.splitlines(keepends=True)
        if cell["cell_type"] == "code":
            cell["outputs"], cell["execution_count"] = [], None
    return notebook


def without_solutions(text: str) -> str:
    """The text of a cell with a stub, as far indented, in the place of each solution."""
    lines, inside = [], False
    for line in text.split("\n"):
        if line.strip() == BEGIN:
            lines.append(line.replace(BEGIN, STUB))
        inside = (inside or line.strip() == BEGIN) and line.strip() != END
        if not inside and line.strip() != END:
            lines.append(line)
    return "\n".join(lines)


def without_tests(text: str) -> str:
    """The text of a cell without its hidden tests."""
    before, begin, rest = text.partition(BEGIN_TESTS)
    return (before + rest.partition(END_TESTS)[2]).rstrip() if begin else text


def solution(name: str) -> str:
    """The solved cell of an exercise, without markers."""
    return "\n".join(line for line in _cell(name).split("\n") if line.strip() not in (BEGIN, END))


def stub(name: str) -> CodeType:
    """The code of the function that a learner of an exercise starts from."""
    parts = compile(without_solutions(_cell(name)), name, "exec").co_consts
    return next(one for one in parts if isinstance(one, CodeType) and one.co_name == name)


def _cell(name: str) -> str:
    """The source of the cell that nbgrader knows by this name."""
    for cell in instructors()["cells"]:
        if cell["metadata"].get("nbgrader", {}).get("grade_id") == name:
            return "".join(cell["source"])
    raise KeyError(name)
