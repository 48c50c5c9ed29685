"""Marked: show the fields of a reply in colour, and strike out what the parser ignores.

>>> marked("Action: clock\\nAction Input: {}\\nObservation: noon\\nFinal Answer: It is noon.")
[action] clock
[action input] {}
[observation, invented] noon
[final answer, not believed] It is noon.
"""

from dataclasses import dataclass

from react_lab.parser.fields import fields
from react_lab.views.pages import COLOURS, NAMES, STYLE, escaped
from react_lab.views.words import Say

MARK = """<style>
.react-lab .mark { display: flex; gap: 8px; align-items: baseline; margin: 3px 0; }
.react-lab .mark > span, .react-lab .badge { color: #fff; border-radius: 3px; padding: 0 6px;
  flex: none; display: inline-block; font-size: 12px; line-height: 1.6; }
.react-lab .mark > span::first-letter, .react-lab .badge::first-letter {
  text-transform: uppercase; }
.react-lab div.mark > span + code { background: transparent; color: inherit; white-space: pre-wrap;
  word-break: normal; overflow-wrap: anywhere; padding: 0; font-size: 13px;
  font-family: var(--jp-code-font-family, monospace); }
.react-lab .mark.lost > code { text-decoration: line-through; opacity: 0.75; }
</style>"""


def mark(kind: str, name: str, text: str, lost: bool = False) -> str:
    """Return one field as a line of HTML: its name on its colour, and its text.

    Args:
        kind: A key of `COLOURS`.
        name: What to write on the colour.
        text: The text of the field.
        lost: Whether to strike the text out.
    """
    colour = COLOURS.get(kind, "#666666")
    return (
        f'<div class="mark{" lost" if lost else ""}">'
        f'<span style="background: {colour}">{escaped(name)}</span> '
        f"<code>{escaped(text)}</code></div>"
    )


@dataclass(frozen=True)
class Part:
    """One field of a reply.

    Attributes:
        kind: "thought", "action", "input", "observation" or "answer". Text before the first label
            counts as a thought.
        text: What follows the label.
        doubt: "" for what counts, "invented" for an Observation that the model wrote itself, "not
            believed" for all that comes after it.
    """

    kind: str
    text: str
    doubt: str = ""

    @property
    def name(self) -> str:
        """The label for people, with the doubt."""
        return self.named(Say())

    def named(self, say: Say) -> str:
        """Return the label with the doubt, in the language of a view."""
        name = say(NAMES.get(self.kind, self.kind))
        return f"{name}{say.comma}{say(self.doubt)}" if self.doubt else name


@dataclass(frozen=True)
class Marked:
    """A reply in its parts. A notebook shows it as coloured HTML, a console as text."""

    parts: tuple[Part, ...]

    def __repr__(self) -> str:
        return "\n".join(f"[{part.name}] {part.text}" for part in self.parts)

    def _repr_html_(self) -> str:
        lines = [mark(part.kind, part.name, part.text, bool(part.doubt)) for part in self.parts]
        return f'{STYLE}{MARK}<div class="react-lab">{"".join(lines)}</div>'


def marked(reply: str) -> Marked:
    """Return the fields of a reply, as the lab's parser finds them.

    Args:
        reply: What a model wrote.
    """
    parts, doubt = [], ""
    for field in fields(reply):
        if field.kind == "observation":
            parts.append(Part(field.kind, field.text.strip(), "invented"))
            doubt = "not believed"
        elif field.text.strip():
            parts.append(Part(field.kind, field.text.strip(), doubt))
    return Marked(tuple(parts))
