"""Write docs/claims.md, the ledger of claims, from the stored outputs of the notebooks.

python docs/claims.py
"""

import json
import re
from pathlib import Path

from react_lab.evaluation.claim import Claim

ROOT = Path(__file__).parents[1]
NOTEBOOKS = ROOT / "notebooks"
PAGE = ROOT / "docs" / "claims.md"

# The claims that are often made and that the course sets out to measure, and where it does or
# will. One counts as measured when a printed claim begins with these words.
COMMON = {
    "twenty tools halve the choice accuracy": "90_claims",
    "splitting a wide tool gains 20 points": "90_claims",
    "nested JSON is wrong 8 times of 10, a delimited string never": "90_claims",
    "announcing a cut changes what the model does next": "90_claims",
    "one example brings format obedience near 100%": "03_prompt",
    '"only from the tools above" prevents invented names': "03_prompt",
    'adding "assume a plausible result if the tool is down" makes the model invent': "03_prompt",
    "the user role lowers forging": "05_loop",
    "more than half of unreadable replies are mended after a message": "07_debugging",
    "half change course after a repeat hint": "07_debugging",
    "a retry rule brings 70% recovery at 20% failures": "07_debugging",
    "keeping 4 rounds saves 40%": "08_context",
    "dropping thoughts saves 60%": "08_context",
    "routing halves the cost": "11_beyond_react",
    "a plan saves tokens": "11_beyond_react",
}

ABOUT = """\
# Claims

People who build agents claim many things. The notebooks measure some of them, on the embedded
model, which is very small. This page holds what they found. It says nothing about other models:
with your own endpoint the same cells measure yours. Notebook 04 needs no model: it compares parsers
on a table of replies, and the lab's parser was written with that table at hand.

It is made by `python docs/claims.py` from the outputs that are stored in the notebooks. A cell that
ends a comparison prints a `Claim`, and each printed claim is a row here. A test compares.

* **n** is how many questions (or replies) each arm of the comparison had, 20 at least. Less is an
  example, and no example stands here.
* **figure** is what each arm reached, with the 95% interval of each share: how far chance in the
  choice of questions may reach.
* **verdict** compares the arms question by question (a sign test, 5%). It says whether they
  differ, not whether the size in the claim is right; for that, read the figure. Where a claim
  names a share, it may also say on which side of it the whole interval lies.
* **cannot tell** is a verdict. So few questions do not show a difference. It does not mean that
  there is none.

A page with many rows will hold a few that chance alone has made: one comparison in twenty shows a
difference where none is.
"""


def read(text: str) -> list[Claim]:
    """The claims in a printed text. Raises ValueError for one that has not its four lines."""
    found = []
    for part in re.split(r"^(?=Claim\b)", text, flags=re.M)[1:]:
        lines = re.match(r"Claim: (.+)\nn: (\d+)\nFigure: (.+)\nVerdict: (.+)(\n|\Z)", part)
        if not lines:
            raise ValueError(f"Not the four lines of a claim (print a Claim): {part[:200]!r}")
        claim, n, figure, verdict = lines.groups()[:4]
        found.append(Claim(claim, int(n), figure, verdict))
    return found


def printed(cell: dict) -> str:
    """What a stored cell has written, its value included."""
    texts = []
    for output in cell.get("outputs", ()):
        plain = output.get("data", {}).get("text/plain", "")
        texts.append("".join(output.get("text", plain)))
    return "\n".join(texts)


def claims(notebook: Path) -> list[Claim]:
    """The claims that a notebook printed, in order; ValueError names a cell with a broken one."""
    found = []
    for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"]:
        try:
            found += read(printed(cell))
        except ValueError as fault:
            raise ValueError(f"{notebook.name}, cell {cell.get('id')}: {fault}") from None
    return found


def row(*texts: object) -> str:
    """One row of a Markdown table."""
    return "| " + " | ".join(str(text).replace("|", r"\|") for text in texts) + " |"


def page(notebooks: list[Path]) -> str:
    """The whole of docs/claims.md."""
    measured = [(claim, path) for path in notebooks for claim in claims(path)]
    lines = [ABOUT, row("claim", "n an arm", "figure", "verdict", "notebook")]
    lines.append(row("---", "---:", "---", "---", "---"))
    for one, path in measured:
        link = f"[{path.stem}](../notebooks/{path.name})"
        lines.append(row(one.claim, one.n, one.figure, one.verdict, link))
    rest = {
        claim: where
        for claim, where in COMMON.items()
        if not any(one.claim.startswith(claim) for one, _ in measured)
    }
    if rest:
        lines += ["\n## Not measured yet\n", row("claim", "will be measured in")]
        lines += [row("---", "---"), *(row(claim, where) for claim, where in rest.items())]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(sorted(NOTEBOOKS.glob("*.ipynb"))), encoding="utf-8", newline="\n")
