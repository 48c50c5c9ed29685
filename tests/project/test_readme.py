"""README: the run it shows is the recorded one."""

import runpy
from pathlib import Path

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
