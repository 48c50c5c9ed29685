"""`make live`: a notebook that gives something else now is named, counted and left alone."""

import os
import subprocess
import sys
from pathlib import Path

import nbformat
from nbformat.v4 import new_code_cell, new_notebook, new_output

LIVE = Path(__file__).parents[1] / "live.py"


def cell(source, stored):
    output = new_output("stream", name="stdout", text=stored)
    return new_code_cell(source, execution_count=1, outputs=[output])


def test_cells_that_differ_are_named_and_counted(tmp_path):
    asks = (
        "from react_lab.models.settings import connect, describe\n"
        "print(describe(connect()), '|', connect(adapter=False))"
    )
    stored = (
        "recorded replies of the embedded model SmolLM2-135M with the lab's adapter | "
        "Recording(EmbeddedModel(adapter=False))\n"
    )
    cells = [cell("print(1)", "1\n"), cell("print(2)", "3\n"), cell(asks, stored)]
    path = tmp_path / "notebooks" / "01_a.ipynb"
    path.parent.mkdir()
    nbformat.write(new_notebook(cells=[*cells, cell("print(4)", "5\n")]), path)
    before = path.read_bytes()
    code = (
        f"import runpy, sys, pathlib; live = runpy.run_path({str(LIVE)!r}); "
        f"sys.exit(live['main'](['01'], pathlib.Path({str(path.parent)!r})))"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, env=os.environ
    )
    assert ran.returncode == 2, ran.stdout + ran.stderr
    failed = [line.partition(" - ")[0] for line in ran.stdout.splitlines() if line[:6] == "FAILED"]
    assert failed == [f"FAILED notebooks/01_a.ipynb::Cell {n}" for n in (1, 3)]
    assert "2 cells differ" in ran.stdout
    assert path.read_bytes() == before
