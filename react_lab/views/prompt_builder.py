"""Prompt builder: choose the rules of a prompt, and see what that changes.

On the left are the rules with their tokens, on the right the prompt with what was left out struck
out and, if a model is given, its reply.

>>> lines("Rules:\\nWrite JSON.", "Rules:")
[('Rules:', True), ('Write JSON.', False)]
"""

import difflib
import threading
from collections.abc import Callable
from itertools import takewhile

from react_lab.models.progress import Progress, watch
from react_lab.registry.results import sendable
from react_lab.views.pages import COLOURS, FOCUS, escaped, ipywidgets, twins
from react_lab.views.run_html import LOOK, written

STYLE = f"""{LOOK}{FOCUS}<style>
.react-lab-builder {{ display: grid; grid-template-columns: minmax(0, 2fr) minmax(0, 3fr);
  gap: 14px; }}
.react-lab-builder .widget-checkbox {{ width: auto; height: auto; margin: 0 0 4px; }}
.react-lab-builder .widget-checkbox label {{ white-space: normal; line-height: 1.35;
  height: auto; display: flex; align-items: baseline; gap: 4px; }}
.react-lab .prompt pre {{ font-size: 12px; line-height: 1.3; }}
.react-lab .prompt {{ height: 520px; box-sizing: border-box; overflow: auto; padding: 6px 8px;
  border-radius: 6px;
  border: 1px solid var(--jp-border-color1, #8888); }}
.react-lab .prompt.short {{ height: 410px; }}
.react-lab .reply {{ height: 110px; overflow: auto; margin-top: 8px; padding: 4px 8px;
  border-radius: 6px; border: 1px solid var(--jp-border-color1, #8888); }}
.react-lab .out {{ text-decoration: line-through; border-left: 4px solid {COLOURS["error"]};
  padding-left: 6px; display: block; }}
</style>"""


WIDE = 74  # characters of a line of the prompt
SHORT, TALL = 25, 32  # lines that are seen at once, with and without a reply below


def lines(whole: str, prompt: str) -> list[tuple[str, bool]]:
    """Return the lines of a prompt, and between them those that were left out.

    Args:
        whole: The prompt with all its parts.
        prompt: The current prompt.

    Returns:
        (line, whether it is in the prompt), in order.
    """
    found = difflib.ndiff(whole.splitlines(), prompt.splitlines())
    return [(one[2:], one[0] != "-") for one in found if one[0] != "?"]


def prompt_html(whole: str, prompt: str, fixed: int = 0, short: bool = False) -> str:
    """Return a prompt as HTML that scrolls, with the lines that were left out struck out.

    Args:
        whole: The prompt with all its parts.
        prompt: The current prompt.
        fixed: How many lines at its start no choice changes. They are folded if the prompt is too
            long to be seen at once, so that what changes is in view.
        short: Whether to leave space for a reply below.
    """
    found, head = lines(whole, prompt), ""
    rows = sum(1 + len(line) // WIDE for line, _ in found)
    if rows > (SHORT if short else TALL):
        words = escaped("\n".join(line for line, _ in found[:fixed]))
        head = f"<details><summary>{fixed} lines that no choice changes</summary>"
        head, found = f"{head}<pre>{words}</pre></details>", found[fixed:]
    parts = ""
    for line, there in found:
        parts += f"{escaped(line)}\n" if there else f'<s class="out">− {escaped(line)}</s>'
    size = "prompt short" if short else "prompt"
    scroll = f'class="{size}" tabindex="0" role="group" aria-label="Prompt"'
    return f"<div {scroll}>{head}<pre>{parts}</pre></div>"


class PromptBuilder:
    """A widget to choose the rules of a prompt.

    Attributes:
        prompt: The current prompt.
        reply: What the model wrote to it; "" before it was asked.
    """

    def __init__(
        self,
        choices: dict[str, str],
        build: Callable[[list[str]], str],
        count: Callable[[str], int],
        ask: Callable[[str], str] | None = None,
    ) -> None:
        """Make the widget.

        Args:
            choices: What can be left out, name to label, such as a rule's name and its sentence.
            build: From the chosen names to the prompt.
            count: From a text to its tokens.
            ask: From the prompt to a model's reply, for a button "Ask the model".
        """
        w = ipywidgets()

        self._build, self._count, self._ask = build, count, ask
        self._whole = build(list(choices))
        self.whole = count(self._whole)
        self.sizes = {
            name: self.whole - count(build([one for one in choices if one != name]))
            for name in choices
        }
        least = build([]).splitlines()
        same = (one == other for one, other in zip(self._whole.splitlines(), least))
        self._fixed = sum(takewhile(bool, same))
        self.reply, self.busy = "", False
        self._thread: threading.Thread | None = None
        self.boxes = {
            name: w.Checkbox(
                value=True, description=self._label(name, label), indent=False, layout={}
            )
            for name, label in choices.items()
        }
        for box in self.boxes.values():
            box.observe(lambda _: self._draw(), names="value")
        self.status, self.panel, self.answer = w.HTML(), w.HTML(), w.HTML()
        right = [self.status, self.panel]
        if ask:
            self.button = w.Button(description="Ask the model", layout={"width": "auto"})
            self.button.on_click(lambda _: self._asked())
            right += [self.button, self.answer]
        columns = w.Box([w.VBox(list(self.boxes.values())), w.VBox(right)])
        columns.add_class("react-lab-builder")
        self.box = w.VBox([w.HTML(STYLE, layout={"display": "none"}), columns])
        self._draw()

    def _label(self, name: str, label: str) -> str:
        return f"{label} ({self.sizes[name]:,} tokens)"

    def _draw(self) -> None:
        """Show the prompt of the current choice, and remove a reply to another prompt."""
        before = getattr(self, "prompt", None)
        self.prompt = self._build([name for name, box in self.boxes.items() if box.value])
        tokens = self._count(self.prompt)
        saved = self.whole - tokens
        self.cost = f"{tokens:,} tokens" + (f", {saved:,} fewer than with all" if saved else "")
        self.status.value = _div(f'<div role="status"><b>{self.cost}</b></div>')
        shown = prompt_html(self._whole, self.prompt, self._fixed, short=bool(self._ask))
        self.panel.value = _div(shown)
        if before != self.prompt and not self.busy:
            self.reply = ""
            self._say("The reply to this prompt comes here.")

    def _say(self, words: str) -> None:
        self._show(f"<div>{escaped(words)}</div>")

    def _show(self, body: str) -> None:
        inside = 'class="reply" tabindex="0" role="group" aria-label="Reply"'
        self.answer.value = _div(f"<div {inside}>{body}</div>")

    def _asked(self) -> None:
        if not self.busy and self._ask:
            self.busy = True
            self._say("The model is asked.")
            self._thread = threading.Thread(target=self._run, args=(self._ask,), daemon=True)
            self._thread.start()

    def _run(self, ask: Callable[[str], str]) -> None:
        prompt = self.prompt
        try:
            with watch(self._watch):
                reply = ask(prompt)
            if prompt == self.prompt:
                self.reply = reply
                self._show(written(reply))
            else:
                self._say("The prompt has changed meanwhile. Ask again.")
        except Exception as error:
            self._say(f"{type(error).__name__}: {error}")
        finally:
            self.busy = False

    def _watch(self, now: Progress) -> None:
        if now.state == "writing":
            self._show(written(now.text))
        else:
            self._say(f"… {now}")

    def wait(self) -> str:
        """For scripts and tests: wait until the model has answered, and return its reply."""
        if self._thread:
            self._thread.join()
        return self.reply

    @property
    def text(self) -> str:
        """The choices, the count, the prompt and the reply as plain text."""
        marks = [f"[{'x' if b.value else ' '}] {b.description}" for b in self.boxes.values()]
        reply = ["", "Reply:", self.reply] if self.reply else []
        return sendable("\n".join([*marks, "", self.cost, "", self.prompt, *reply]))

    def _repr_mimebundle_(self, **kwargs: object) -> dict[str, object]:
        return {**self.box._repr_mimebundle_(**kwargs), **twins(self.text)}


def _div(body: str) -> str:
    return f'<div class="react-lab">{body}</div>'
