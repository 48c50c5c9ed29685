"""Pages: a round of a Run as HTML, for the widgets and for reports.

Pure functions. Every word of the model is escaped, every colour has its name beside it, and
text takes the colour of the theme.
"""

import sys
from html import escape
from types import ModuleType

from react_lab.parser.fields import fields
from react_lab.parser.moves import Action, Malformed
from react_lab.prompt import in_language
from react_lab.registry.results import sendable
from react_lab.trace import Run
from react_lab.views import text
from react_lab.views.words import say_for

# One colour for each kind of field, in every view, picture and document. The hues are those of
# Okabe and Ito (2008), which colour-blind people can tell apart. Each is dark enough for white
# words on it (contrast 4.5) and bright enough for the dark theme's background (contrast 3).
COLOURS = {
    "thought": "#707070",
    "action": "#0072b2",
    "input": "#a64d8c",
    "observation": "#b85600",
    "answer": "#008060",
    "error": "#cc2f3f",
}
# What a round's time and tokens consist of, in the same colours.
PARTS = {
    "model": COLOURS["action"],
    "tools": COLOURS["observation"],
    "prompt": COLOURS["thought"],
    "history": COLOURS["observation"],
    "new": COLOURS["answer"],
}
NAMES = {"input": "action input", "answer": "final answer"}

STYLE = """<style>
.react-lab { color: var(--jp-content-font-color1, inherit); line-height: 1.4; }
.react-lab section { border-top: 1px solid var(--jp-border-color1, #888); padding: 4px 0; }
.react-lab section > b { display: block; }
.react-lab .field { border-left: 5px solid var(--jp-border-color1, #888); padding-left: 8px;
  margin: 4px 0; }
.react-lab pre { color: inherit; background: transparent; margin: 0; line-height: 1.4;
  font-family: var(--jp-code-font-family, monospace); font-size: var(--jp-code-font-size, 13px);
  white-space: pre-wrap; word-break: normal; overflow-wrap: anywhere; unicode-bidi: plaintext; }
.react-lab .long { max-height: 24em; overflow: auto; }
</style>"""

# Jupyter marks the field that has the focus so faintly that in the light theme nobody sees it.
FOCUS = """<style>
.jupyter-widgets:focus-visible, .jupyter-widgets :focus-visible { outline-offset: 1px;
  outline: 2px solid var(--jp-content-font-color1, currentcolor) !important; }
</style>"""


def page(run: Run, number: int, edited: frozenset[int] = frozenset()) -> str:
    """Everything about one round as HTML.

    number: from 1; len(steps) + 1 is the last word; 0 shows the question alone. edited: the
    steps whose observation a person has changed.
    """
    say = say_for(run)
    parts = [section(say("Question"), pre(run.question))]
    if number:
        parts += [sent_panel(run, number), reply_panel(run, number), read_panel(run, number)]
        parts += [call_panel(run, number, edited)]
        parts += [section(say("Cost"), pre(text.show_cost(text.rounds(run)[number - 1])))]
    if number == len(text.rounds(run)):
        end = text.show_end(run) if run.stop else say("The run can go on.")
        parts.append(section(say("End"), pre(end)))
    return f'{STYLE}<div class="react-lab">{"".join(parts)}</div>'


def sent_panel(run: Run, number: int) -> str:
    """The messages that the model really got in this round, and what was not sent whole."""
    sent, parts, say = text.rounds(run)[number - 1].sent, [], say_for(run)
    for message, new in zip(sent, text.new_messages(run, number), strict=True):
        role, words = say(str(message["role"])), text.content(message)
        if new:
            parts.append(_field(say("{role} (new)", role=role), words))
        else:
            parts.append(_folded(say("{role} (as before)", role=role), words))
    missing = text.unsent(run, number)
    whole = say("Everything was sent whole.")
    if missing:
        whole = say("Not sent whole: {text}", text=say.comma.join(missing))
    name = say("Sent: {messages} messages", messages=len(sent))
    return section(name, "".join(parts), long=True) + _note(whole)


def reply_panel(run: Run, number: int) -> str:
    """The reply as it came, each field in its colour and under its name."""
    reply, parts, say = text.rounds(run)[number - 1].reply, [], say_for(run)
    if reply.reasoning:
        parts.append(_field(say("reasoning"), reply.reasoning))
    found = fields(reply.text)
    begins = [0, *(part.start for part in found[1:])][: len(found)]
    ends = [*begins[1:], len(reply.text)]
    forged = next((part.start for part in found if part.kind == "observation"), len(reply.text))
    for part, begin, end in zip(found, begins, ends):
        name = say(NAMES.get(part.kind, part.kind))
        if part.kind == "observation":
            name = say("invented observation: dropped")
        elif begin > forged:
            name += say(": dropped, behind an invented observation")
        colour = COLOURS.get(part.kind, COLOURS["action"])
        parts.append(_field(name, reply.text[begin:end].strip(), colour))
    for call in reply.tool_calls:
        parts.append(_field(say("native call"), text.content({"content": call}), COLOURS["action"]))
    whole = "".join(parts) or pre(reply.text or say("(empty)"))
    return section(say("Reply"), whole, long=True)


def read_panel(run: Run, number: int) -> str:
    """What the program read in the reply, what it mended or dropped, and what came up."""
    step = text.rounds(run)[number - 1]
    move, say = step.move, say_for(run)
    read = say("a call") if isinstance(move, Action) else say("the final answer")
    if isinstance(move, Malformed):
        read = say("unreadable: {text}", text=in_language(move.reason, say.language))
    lines = [say("Read as: {text}", text=read)]
    lines += say.repairs(tuple(what for move, _ in step.moves for what in move.repairs))
    lines += [say("Note: {text}", text=note) for note in step.reply.notes]
    if step.reply.finish_reason:
        lines.append(say("The reply ended with: {text}", text=say(step.reply.finish_reason)))
    return section(say("Read"), pre("\n".join(lines)))


def call_panel(run: Run, number: int, edited: frozenset[int] = frozenset()) -> str:
    """Every call of a round with its result; or that it waits for a person."""
    parts, say = [], say_for(run)
    for move, result in text.rounds(run)[number - 1].moves:
        if isinstance(move, Action):
            parts.append(_field(say("call"), text.show_move(move), COLOURS["action"]))
        if result:
            name = say("result")
            if result.error:
                name = say("result: {text}", text=say(result.error))
            if result.truncated:
                name += say(", {count:,} characters cut", count=result.truncated)
            name += say(", edited by you") if number in edited else ""
            parts.append(_field(name, result.full_text))
        elif isinstance(move, Action):
            parts.append(_note(say("Not run." if run.pending is not move else "It waits for you.")))
    return section(say("Call and result"), "".join(parts), long=True) if parts else ""


def progress(run: Run, limits: dict[str, float]) -> str:
    """How much of its limits a run has used: bars, and the same in words."""
    bars = ""
    for name, value in text.used(run).items():
        if most := limits.get(name):
            named = say_for(run)(name)
            bars += f'<progress aria-label="{named}" value="{min(value, most)}" max="{most}">'
            bars += "</progress> "
    return f"{bars}{escaped(text.show_progress(run, limits))}"


def section(name: str, body: str, long: bool = False) -> str:
    """A named part of a page. long: it scrolls, also by keyboard."""
    scroll = f' class="long" tabindex="0" role="group" aria-label="{escaped(name)}"'
    return f"<section><b>{escaped(name)}</b><div{scroll if long else ''}>{body}</div></section>"


def _field(name: str, words: str, colour: str = "") -> str:
    style = f' style="border-left-color: {colour}"' if colour else ""
    return f'<div class="field"{style}><b>{escaped(name)}</b>{pre(words)}</div>'


def _folded(name: str, words: str) -> str:
    return f'<details class="field"><summary>{escaped(name)}</summary>{pre(words)}</details>'


def pre(words: str) -> str:
    """Words as they stand, line ends and all."""
    return f"<pre>{escaped(words)}</pre>"


def twins(words: str) -> dict[str, str]:
    """Return a text in the two forms that show where no widget can: plain and as HTML."""
    return {"text/plain": words, "text/html": pre(words)}


def ipywidgets() -> ModuleType:
    """Return the package ipywidgets.

    Raises:
        ImportError: it is not installed; the message says how to install it.
    """
    try:
        import ipywidgets as found
    except ImportError:
        raise ImportError(
            "This view needs the package ipywidgets, which is not installed here. In a notebook "
            f"cell run: %pip install ipywidgets, elsewhere: {sys.executable} -m pip install "
            "ipywidgets. show(run) works without it."
        ) from None
    module: ModuleType = found
    return module


def _note(words: str) -> str:
    return f"<div>{escaped(words)}</div>"


def escaped(words: str) -> str:
    """Text as HTML: markup in it is shown, not obeyed."""
    return escape(sendable(words))
