"""Comparison: two runs side by side, with their first difference marked.

>>> from react_lab import Agent, Registry, ScriptedModel
>>> def ask(answer):
...     return Agent(ScriptedModel([f"Thought: easy.\\nFinal Answer: {answer}"]), Registry())
>>> compare(ask("4").run("2+2?"), ask("5").run("2+2?"))
first   Finished after 1 step: 4
second  Finished after 1 step: 5
<BLANKLINE>
Step 1: first difference, in the final answer
  first   Final Answer: 4
  second  Final Answer: 5
"""

from dataclasses import dataclass
from itertools import zip_longest
from textwrap import indent

from react_lab.registry.results import sendable
from react_lab.trace import Run, Step
from react_lab.views import run_html, text
from react_lab.views.pages import escaped

SIDES = """<style>
.react-lab .sides { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 10px;
  margin: 6px 0; }
.react-lab .sides > div { border: 1px solid var(--jp-border-color1, #8888); border-radius: 6px;
  padding: 6px 8px; }
</style>"""


@dataclass(frozen=True)
class Comparison:
    """Two runs, and where they first differ.

    Attributes:
        runs: The two runs.
        names: What to call them.
    """

    runs: tuple[Run, Run]
    names: tuple[str, str]

    @property
    def first_difference(self) -> tuple[int, str] | None:
        """The number of the step and the name of the field in which they differ; None if equal."""
        for number, pair in enumerate(self._pairs(), 1):
            place = _differs(*pair)
            if place is not None:
                found = [_fields(step)[place : place + 1] for step in pair]
                return number, (found[0] or found[1])[0][1]
        return None

    def _pairs(self) -> list[tuple[Step | None, Step | None]]:
        one, other = (text.rounds(run) for run in self.runs)
        return list(zip_longest(one, other))

    def __repr__(self) -> str:
        wide = max(map(len, self.names))
        ends = [text.show_end(run) if run.stop else "It can continue." for run in self.runs]
        head = [f"{name:{wide}}  {end}" for name, end in zip(self.names, ends)]
        parts = ["\n".join(head)]
        at = self.first_difference
        for number, pair in enumerate(self._pairs(), 1):
            if at is None or number < at[0]:
                parts.append(f"Step {number}: the same in both")
            elif number == at[0]:
                lines = [f"Step {number}: first difference, in the {at[1].strip('✗ ')}"]
                for name, step in zip(self.names, pair):
                    found = _fields(step)[_differs(*pair) :][:1]
                    said = (
                        f"{found[0][1].strip('✗ ').title()}: {found[0][2]}" if found else "(ended)"
                    )
                    lines.append(f"  {name:{wide}}  {said}".replace("\n", "\n" + " " * (wide + 4)))
                parts.append("\n".join(lines))
        if at and len(self._pairs()) > at[0]:
            for name, run in zip(self.names, self.runs):
                rest = list(enumerate(text.rounds(run), 1))[at[0] :]
                steps = "\n\n".join(text.show_step(step, number) for number, step in rest)
                parts.append(f"After that, {name}:\n{indent(steps or '(ended)', '  ')}")
        return sendable("\n\n".join(parts))

    def _repr_html_(self) -> str:
        at = self.first_difference
        heads = "".join(
            f"<div><b>{escaped(name)}</b>: {escaped(run.question)}{run_html.end(run)}</div>"
            for name, run in zip(self.names, self.runs)
        )
        parts = f'<div class="sides">{heads}</div>'
        for number, pair in enumerate(self._pairs(), 1):
            if at is None or number < at[0]:
                same = "".join(run_html.field(*one) for one in _fields(pair[0]))
                parts += f'<details class="step"><summary><b>Step {number}</b>: the same in both'
                parts += f"</summary>{same}</details>"
                continue
            place = _differs(*pair) if number == at[0] else None
            mark = (
                f" <b>≠ first difference, in the {escaped(at[1])}</b>" if place is not None else ""
            )
            sides = "".join(f"<div>{_side(step, place)}</div>" for step in pair)
            parts += f'<div class="step"><b>Step {number}</b>{mark}<div class="sides">{sides}'
            parts += "</div></div>"
        return f'{run_html.LOOK}{SIDES}<div class="react-lab">{parts}</div>'


def _side(step: Step | None, place: int | None) -> str:
    """Return one run's side of a step. place: the field to mark, or None."""
    if step is None:
        return "(ended)"
    lines = [run_html.field(*one) for one in _fields(step)]
    if place is not None and place < len(lines):
        lines[place] = f'<div class="first">{lines[place]}</div>'
    return "".join(lines)


def _fields(step: Step | None) -> list[tuple[str, str, str]]:
    return run_html.step_fields(step) if step else []


def _differs(one: Step | None, other: Step | None) -> int | None:
    """Return the place of the first field in which two steps differ, or None."""
    pairs = zip_longest(_fields(one), _fields(other))
    return next((place for place, (a, b) in enumerate(pairs) if a != b), None)


def compare(run_a: Run, run_b: Run, names: tuple[str, str] = ("first", "second")) -> Comparison:
    """Return two runs side by side: what is the same folded, the first difference marked.

    Args:
        run_a: One run.
        run_b: The other run.
        names: What to call them, such as ("with the rule", "without it").
    """
    return Comparison((run_a, run_b), (names[0], names[1]))
