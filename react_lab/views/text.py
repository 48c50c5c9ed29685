"""A Run as plain text: the twin of every other view."""

import json

from react_lab.parser import Action, FinalAnswer
from react_lab.trace import Run, Step


def show(run: Run) -> str:
    """The whole run: question, steps, and how it ended."""
    parts = [f"Question: {run.question}"]
    parts += [show_step(step, number) for number, step in enumerate(run.steps, 1)]
    if run.stop:
        parts.append(show_end(run))
    return "\n\n".join(parts)


def show_step(step: Step, number: int) -> str:
    """One step: what the parser read, and what the program answered."""
    move = step.move
    lines = [f"Step {number}"]
    if move.thought:
        lines.append(f"  Thought:      {_indent(move.thought)}")
    if isinstance(move, Action):
        lines.append(f"  Action:       {move.tool}")
        lines.append(f"  Action Input: {_indent(_plain(move.arguments))}")
    elif isinstance(move, FinalAnswer):
        lines.append(f"  Final Answer: {_indent(move.answer)}")
    else:
        lines.append(f"  Unreadable:   {_indent(move.reason)}")
        lines.append(f"  It wrote:     {_indent(step.reply.text)}")
    if move.repairs:
        lines.append(f"  Repaired:     {', '.join(move.repairs)}")
    if step.observation:
        seen = "\n".join(filter(None, (step.observation.text, step.observation.notice)))
        lines.append(f"  Observation:  {_indent(seen)}")
    return "\n".join(lines)


def show_end(run: Run) -> str:
    """How the run ended: the answer, or what it has when it is not finished."""
    if run.finished:
        return f"Finished after {len(run.steps)} steps: {run.answer}"
    best = f"\nBest answer so far: {run.answer}" if run.answer else ""
    return f"Stopped ({run.stop}) after {len(run.steps)} steps. {run.note}{best}"


def _indent(text: str) -> str:
    return text.replace("\n", "\n" + " " * 16)


def _plain(arguments: dict) -> str:
    return json.dumps(arguments, ensure_ascii=False, default=str)
