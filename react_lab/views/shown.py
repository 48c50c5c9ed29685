"""Shown: show a run in colour in a notebook, and save it as a page to hand in or share.

>>> from react_lab import Agent, Registry, ScriptedModel, show
>>> show(Agent(ScriptedModel(["Thought: easy.\\nFinal Answer: 4"]), Registry()).run("2+2?"))
Question: 2+2?
<BLANKLINE>
Step 1
  Thought:      easy.
  Final Answer: 4
<BLANKLINE>
Finished after 1 step: 4
"""

import sys
from pathlib import Path

from react_lab.files import write
from react_lab.registry.results import sendable
from react_lab.trace import Run
from react_lab.views import run_html, text


class Shown(str):
    """The text of a run. A notebook shows it in colour, with long fields folded."""

    run: Run

    def __str__(self) -> str:
        """Return the text as far as the console can print it."""
        encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
        return self.encode(encoding, "replace").decode(encoding)

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return run_html.trace(self.run)


def show(run: Run) -> Shown:
    """Return a run to look at: in colour at the end of a notebook cell, as text elsewhere."""
    shown = Shown(sendable(text.show(run)))
    shown.run = run
    return shown


def save_page(run: Run, path: str | Path) -> Path:
    """Write a run as one page of HTML that any browser opens, without a kernel or a network.

    Returns:
        The path of the page.

    Raises:
        OSError: The file cannot be written; an older one is then unchanged.
    """
    write(Path(path), run_html.page(run).encode())
    return Path(path)
