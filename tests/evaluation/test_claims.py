"""Claims: their four lines, and the ledger in docs/claims.md made from them."""

import json
import runpy
from pathlib import Path
from types import SimpleNamespace

import pytest

from react_lab.evaluation.claim import Claim

ROOT = Path(__file__).parents[2]
ledger = SimpleNamespace(**runpy.run_path(str(ROOT / "docs" / "claims.py")))


def test_a_claim_prints_as_four_lines():
    claim = Claim(
        "twenty tools halve the choice", n=24, figure="12/24 against 20/24", verdict="worse"
    )
    assert str(claim).split("\n") == [
        "Claim: twenty tools halve the choice",
        "n: 24",
        "Figure: 12/24 against 20/24",
        "Verdict: worse",
    ]


@pytest.mark.parametrize(
    "claim, n", [("two\nlines", 20), ("", 20), ("a space behind ", 20), ("a", 0)]
)
def test_a_claim_that_could_not_be_read_back_is_refused(claim, n):
    with pytest.raises(ValueError, match="one line of text|at least 1"):
        Claim(claim, n, "1/20 against 2/20", "cannot tell")


# The ledger ------------------------------------------------------------------------------------


def notebook(path, source, text):
    """A stored notebook of one cell that printed this."""
    output = {"output_type": "stream", "name": "stdout", "text": text.splitlines(keepends=True)}
    cell = {"cell_type": "code", "id": "a", "source": [source], "outputs": [output]}
    path.write_text(json.dumps({"cells": [cell]}), encoding="utf-8")
    return path


PRINTED = """\
4 tools:  18/20
Claim: the user role lowers forging
n: 20
Figure: a|b 2/20, other 3/20
Verdict: cannot tell
Claim: a plan saves tokens, with a small model
n: 24
Figure: 900 against 1,200 tokens
Verdict: fewer
more text
"""


def test_the_ledger_is_what_the_stored_outputs_make_now():
    made = ledger.page(sorted(ledger.NOTEBOOKS.glob("*.ipynb")))
    assert ledger.PAGE.read_text(encoding="utf-8") == made, "run: python docs/claims.py"


def test_no_stored_claim_rests_on_less_than_20_questions():
    for path in ledger.NOTEBOOKS.glob("*.ipynb"):
        assert [one for one in ledger.claims(path) if one.n < 20] == [], "call it an example"


def test_every_printed_claim_is_a_row(tmp_path):
    path = notebook(tmp_path / "01_a.ipynb", "print(Claim(...))", PRINTED)
    text = ledger.page([path])
    link = "[01_a](../notebooks/01_a.ipynb)"
    first = f"| the user role lowers forging | 20 | a\\|b 2/20, other 3/20 | cannot tell | {link} |"
    second = (
        "| a plan saves tokens, with a small model | 24 | 900 against 1,200 tokens "
        f"| fewer | {link} |"
    )
    assert f"{first}\n{second}\n" in text
    rest = text.partition("## Not measured yet")[2]
    assert "forging" not in rest and "a plan" not in rest and "routing halves the cost" in rest


@pytest.mark.parametrize(
    "text",
    [
        "Claim: a\nn: 20\nFigure: b\n",
        "Claim: a\nFigure: b\nn: 20\nVerdict: c\n",
        "Claim: a\nn: about 20\nFigure: b\nVerdict: c\n",
        "Claim: a\nn: 20\nFigure: \nVerdict: c\n",
        "Claim(claim='a', n=20, figure='b', verdict='c')\n",
    ],
)
def test_a_claim_that_is_not_its_four_lines_is_an_error(tmp_path, text):
    path = notebook(tmp_path / "01_a.ipynb", "print(Claim(...))", text)
    with pytest.raises(ValueError, match="01_a.ipynb, cell a: "):
        ledger.claims(path)


def test_the_readme_links_the_ledger():
    assert "](docs/claims.md)" in (ROOT / "README.md").read_text(encoding="utf-8")
