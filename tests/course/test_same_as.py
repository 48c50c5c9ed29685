"""What a notebook builds by hand is what the package runs.

A code cell tagged `same-as:react_lab.parser.parse.parse` holds exactly that function: the
same syntax tree, docstring included. A cell with several definitions has a tag for each, in order.
"""

import ast
import json
import textwrap
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))

# What the learner writes line by line, and the notebook after which some notebook must hold it.
BY_HAND = {
    "react_lab.loop.write_messages": "05_loop",
    "react_lab.stops.StepLimit": "05_loop",
    "react_lab.stops.TokenLimit": "05_loop",
    "react_lab.stops.TimeLimit": "05_loop",
    "react_lab.stops.RepeatLimit": "05_loop",
    "react_lab.evaluation.intervals.interval": "09_evaluation",
    "react_lab.evaluation.intervals.mean_interval": "09_evaluation",
    "react_lab.evaluation.intervals.verdict": "09_evaluation",
    "react_lab.evaluation.intervals.moved": "09_evaluation",
}


def tagged(path: Path) -> list[tuple[list[str], str]]:
    """(the names in a cell's tags, its source) for each cell that has such tags."""
    found = []
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        tags = cell["metadata"].get("tags", [])
        names = [tag.removeprefix("same-as:") for tag in tags if tag.startswith("same-as:")]
        if names:
            found.append((names, "".join(cell["source"])))
    return found


def in_package(name: str) -> ast.AST:
    """The definition with this dotted name, such as react_lab.registry.registry.Registry.call."""
    parts = name.split(".")
    length = next(n for n in range(len(parts), 0, -1) if file(parts[:n]).exists())
    found = ast.parse(file(parts[:length]).read_text(encoding="utf-8"))
    for part in parts[length:]:
        found = next(node for node in found.body if getattr(node, "name", None) == part)
    return found


def file(parts: list[str]) -> Path:
    return ROOT.joinpath(*parts).with_suffix(".py")


def tree(definition: ast.AST) -> str:
    """The syntax tree as text; how far a docstring is indented does not matter."""
    for node in ast.walk(definition):
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node):
            node.body[0].value.value = ast.get_docstring(node)
    return ast.dump(definition)


def same(names: list[str], source: str) -> bool:
    """Whether a cell holds these definitions of the package, and nothing else."""
    return list(map(tree, ast.parse(source).body)) == [tree(in_package(name)) for name in names]


CELLS = [(path.stem, names, source) for path in NOTEBOOKS for names, source in tagged(path)]


@pytest.mark.parametrize("notebook, names, source", CELLS, ids=lambda value: str(value)[:60])
def test_a_cell_is_what_the_package_runs(notebook, names, source):
    assert same(names, source), f"{notebook}: this cell is not {' and '.join(names)}"


@pytest.mark.parametrize("name, notebook", BY_HAND.items())
def test_the_heart_of_the_lab_is_built_by_hand(name, notebook):
    if notebook not in [path.stem for path in NOTEBOOKS]:
        pytest.skip(f"{notebook} is not written yet")
    assert name in [name for _, names, _ in CELLS for name in names]


@pytest.mark.parametrize(
    "change",
    [
        ("return parts\n", "return list(parts)\n"),
        ("up to the first Observation", "up to the first Thought"),
        ("def before_observation", "def before"),
        ("parts: list[Field]", "parts"),
    ],
)
def test_a_changed_cell_is_seen(change):
    name = "react_lab.parser.fields.before_observation"
    source = ast.unparse(in_package(name)) + "\n"
    assert same([name], source)
    assert change[0] in source
    assert not same([name], source.replace(*change))
    assert not same([name], source + "x = 1\n")


def test_a_comment_or_a_line_break_is_no_difference():
    name = "react_lab.parser.fields.before_observation"
    source = ast.unparse(in_package(name)).replace("return parts\n", "return parts  # all\n\n")
    assert same([name], source)


def test_a_method_may_stand_in_a_cell_of_its_own():
    name = "react_lab.registry.registry.Registry.call"
    source = (ROOT / "react_lab" / "registry" / "registry.py").read_text(encoding="utf-8")
    method = ast.get_source_segment(source, in_package(name), padded=True)
    assert same([name], textwrap.dedent(method))
