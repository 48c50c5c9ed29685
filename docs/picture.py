"""Draw the picture in the README: the first question of notebook 00, asked once more.

python docs/picture.py docs/run.svg
"""

import html
import sys
import textwrap
from pathlib import Path

from react_lab.loop import Agent
from react_lab.models.settings import connect
from react_lab.toolkit import lab_tools
from react_lab.views.pages import COLOURS
from react_lab.views.text import show

QUESTION = "How many days do customers have to ask for a refund, and how many hours is that?"

WIDTH, LINE, CHAR = 92, 20, 8.4  # characters; pixels
FIELDS = {  # the label of a line and its kind: the label is there too, so colour is not alone
    "Thought": "thought",
    "Action": "action",
    "Action Input": "input",
    "Observation": "observation",
    "Final Answer": "answer",
}


def lines(text: str) -> list[tuple[str, str]]:
    """(label, line) of every line of a run, wrapped."""
    found, label = [], ""
    for line in text.splitlines():
        head = line.strip().split(":")[0]
        label = head if head in FIELDS else (label if line.startswith(" " * 16) else "")
        indent = " " * 16 if line.startswith("  ") else ""
        for piece in textwrap.wrap(line, WIDTH, subsequent_indent=indent) or [""]:
            found.append((label, piece))
    return found


def picture(text: str) -> str:
    """The text of a run as SVG."""
    rows = lines(text)
    width, height = int(WIDTH * CHAR + 40), len(rows) * LINE + 40
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" role="img" '
        'font-family="ui-monospace, Menlo, Consolas, monospace" font-size="14">',
        f"<title>{html.escape(rows[0][1])}</title>",
        f'<rect width="{width}" height="{height}" rx="8" fill="#f6f8fa" stroke="#d0d7de"/>',
    ]
    for number, (label, line) in enumerate(rows):
        bold = ' font-weight="bold"' if line.startswith(("Step", "Question", "Finished")) else ""
        colour = COLOURS.get(FIELDS.get(label, ""), "#1f2328")
        parts.append(
            f'<text x="20" y="{number * LINE + 34}" fill="{colour}"{bold} '
            f'xml:space="preserve">{html.escape(line)}</text>'
        )
    return "\n".join([*parts, "</svg>"]) + "\n"


if __name__ == "__main__":
    run = Agent(connect(), lab_tools()).run(QUESTION)
    Path(sys.argv[1]).write_text(picture(show(run)), encoding="utf-8")
