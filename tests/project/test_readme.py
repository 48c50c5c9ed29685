"""README: the run it shows is the recorded one, and its tables are those of the package."""

import re
import runpy
import subprocess
import sys
from pathlib import Path

from test_house import MODULES, imported, room

import react_lab
from react_lab.loop import Agent
from react_lab.models.settings import connect
from react_lab.toolkit import lab_tools
from react_lab.views.text import show

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_run_in_the_readme_is_the_recorded_one():
    docs = runpy.run_path(str(ROOT / "docs" / "picture.py"))
    text = show(Agent(connect(), lab_tools()).run(docs["QUESTION"]))
    assert text in README
    assert docs["picture"](text) == (ROOT / "docs" / "run.svg").read_text(encoding="utf-8")


def cells(title):
    """The first cells of the table whose head begins with this word."""
    table = README.partition(f"| {title} |")[2].partition("\n\n")[0]
    return [line.split(" | ")[0] for line in table.splitlines()[2:]]


def test_the_public_names_are_those_of_the_package():
    named = [name for cell in cells("names") for name in re.findall(r"`(\w+)`", cell)]
    assert sorted(named) == sorted(react_lab.__all__)
    for name in named:
        assert getattr(react_lab, name).__name__ == name


def test_an_unknown_name_is_an_attribute_error():
    assert not hasattr(react_lab, "LangChain")
    assert set(react_lab.__all__) <= set(dir(react_lab))


def test_the_root_loads_nothing():
    program = "import sys, react_lab; print(sorted(n for n in sys.modules if 'react_lab.' in n))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout == "[]\n", done.stderr


def test_the_modules_are_in_an_order_in_which_they_can_be_read():
    """Each file imports only from its own row and the rows above."""
    rows = [re.findall(r"`(\w+)(?:/|\.py)`", cell) for cell in cells("module")]
    place = {name: number for number, row in enumerate(rows) for name in row}
    tops = {room(path).split("/")[0]: path for path in MODULES}
    assert set(tops) - set(place) == {"__init__", "__main__"}
    wrong = {
        f"{room(path)} imports {other}"
        for path in MODULES
        if (mine := room(path).split("/")[0]) in place
        for other in imported(path)
        if (top := other.split("/")[0]) in place and place[top] > place[mine]
    }
    assert wrong == set()


def test_it_is_short():
    assert len(README.encode()) <= 7_000
