"""Widgets: step through a run, let it go on, answer for it; put a prompt together.

Each has a twin of plain text (`views/text.py`), which is what shows where no kernel runs. Models
and tools run in a thread, so that the buttons work meanwhile; no cell waits for a click.
"""

import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from react_lab.registry.results import sendable
from react_lab.trace import Run
from react_lab.views import text
from react_lab.views.pages import (
    FOCUS,
    STYLE,
    escaped,
    ipywidgets,
    page,
    pre,
    progress,
    section,
    twins,
)
from react_lab.views.words import say_for

GoOn = Callable[[Run], Iterable[Run]]  # from a run the growing runs, such as `agent.stream`
Answer = Callable[[Run, bool, str], Run]  # what a yes or no, and a reason, makes of a run


def stepper(
    run: Run | str,
    step: int | None = None,
    go_on: GoOn | None = None,
    answer: Answer | None = None,
    limits: dict[str, float] | None = None,
) -> "Stepper":
    """A widget to walk through a run and, with `go_on`, to let it go on.

    run: a Run, or a question to begin with. step: where to open it, from 1. go_on: from a Run
    the growing Runs, such as `agent.stream`; it runs in a thread. answer: what a yes or no (and
    a reason) makes of a Run that waits, such as
    `lambda run, yes, why: loop.step(run, agent, approve=yes, note=why)`. limits: what to show
    progress against, such as {"steps": 8, "seconds": 60}. Raises ValueError for a step or limit
    that there is not. Later cells find what came of it in `.run`.
    """
    run = Run(run) if isinstance(run, str) else run
    total = len(text.rounds(run))
    number = min(1, total) if step is None else step
    if not min(1, total) <= number <= total:
        raise ValueError(f"There is no step {step}; give a number from 1 to {total}.")
    if strange := set(limits or {}) - set(text.used(run)):
        raise ValueError(f"No limit is named {strange.pop()}; write steps, tokens or seconds.")
    return Stepper(run, number, go_on, answer, limits or {})


class Stepper:
    """The widget that `stepper` makes. run: the Run as it is now. number: the round in view.

    earlier: the runs that were left when an observation was edited. A click while something
    runs changes nothing but the place in view, and Stop.
    """

    def __init__(
        self,
        run: Run,
        number: int,
        go_on: GoOn | None,
        answer: Answer | None,
        limits: dict[str, float],
    ) -> None:
        self.run, self.number = run, number
        self._say_for = say_for(run)
        self.earlier: list[Run] = []
        self.edited: frozenset[int] = frozenset()
        self.message, self.busy = "", False
        self._go_on: GoOn = go_on or (lambda run: ())
        self._answer: Answer = answer or (lambda run, yes, why: run)
        self._grows, self._answers, self._limits = bool(go_on), bool(answer), limits
        self._answered_at = -1.0  # a double click must not answer the next call, unseen
        self._offered: str | None = None  # the observation that stands in the editor
        self._stopping, self._lock = threading.Event(), threading.RLock()
        self._thread: threading.Thread | None = None
        self._build()
        self._draw()

    def _build(self) -> None:
        """The controls. They stay enabled, because a disabled button loses the keyboard."""
        w = ipywidgets()

        def button(name: str, act: Callable[[], None]) -> Any:
            def click(_: object) -> None:
                with self._lock:  # else what a run draws just now would mix old and new
                    act()

            made = w.Button(description=self._say_for(name), layout={"width": "auto"})
            made.on_click(click)
            return made

        self.back = button("Back", lambda: self._move(self.number - 1))
        self.next = button("Next", self._forward)
        self.end = button("To the end", self._to_the_end)
        self.stop = button("Stop", self._stop)
        # Sent when the field is left, all at once: else a click could overtake the last letters.
        whole = {"continuous_update": False}
        self.observation = w.Textarea(
            description=self._say_for("Observation"), layout={"width": "95%"}, **whole
        )
        self.edit = button("Go on from this observation", self._edit)
        self.reason = w.Text(description=self._say_for("Reason"), layout={"width": "50%"}, **whole)
        self.allow = button("Allow", lambda: self._answered(True))
        self.deny = button("Deny", lambda: self._answered(False))
        self.status, self.panel, self.waiting = w.HTML(), w.HTML(), w.HTML()
        stop = [self.stop] if self._grows or self._answers else []
        rows = [w.HBox([self.back, self.next, self.end, *stop]), self.status, self.panel]
        if self._answers:
            rows += [self.waiting, w.HBox([self.allow, self.deny, self.reason])]
        if self._grows:
            rows += [self.observation, w.HBox([self.edit])]
        self.box = w.VBox(rows)

    def _draw(self) -> None:
        """Put the state into the widgets; the status last, as a sign that all stands there."""
        with self._lock:
            if self._result() != self._offered:  # not while a person types
                self._offered = self._result()
                self.observation.value = sendable(self._offered)
            self.panel.value = page(self.run, self.number, self.edited)
            pending = self.run.pending
            asks = self._say_for("No call waits.")
            if pending:
                asks = self._say_for("Waits for you: {text}", text=text.show_move(pending))
            self.waiting.value = f'<div class="react-lab">{pre(asks)}</div>'
            total = len(self.run.steps)
            say = self._say_for
            place = say("Step {number} of {total}", number=self.number, total=total)
            place = place if self.number <= total else say("Last word")
            parts = [place if self.number else say("No step yet"), say(self.message)]
            parts += [say("Running")] if self.busy else []
            says = escaped(("。" if say.language == "zh" else ". ").join(filter(None, parts)))
            used = progress(self.run, self._limits) if self._limits else ""
            status = f'<div role="status" class="react-lab">{says}<br>{used}</div>'
            self.status.value = FOCUS + status

    def _result(self) -> str:
        """The observation in view, as the model reads it."""
        steps = self.run.steps[self.number - 1 : self.number] if self.number else ()
        return steps[0].observation.full_text if steps and steps[0].observation else ""

    def _say(self, message: str) -> None:
        self.message = message
        self._draw()

    def _move(self, number: int) -> None:
        """Show another round, as far as there is one."""
        total = len(text.rounds(self.run))
        self.number = max(min(1, total), min(number, total))
        edge = {min(1, total) - 1: "This is the first step", total + 1: "This is the end"}
        self._say("" if self.busy else edge.get(number, ""))

    def _forward(self) -> None:
        """The next round: the one that is there, or a new one."""
        if self.number == len(text.rounds(self.run)) and self._can_go_on():
            self._start(lambda: self._go_on(self.run), one=True)
        else:
            self._move(self.number + 1)

    def _to_the_end(self) -> None:
        self._move(len(text.rounds(self.run)))
        if self._can_go_on():
            self._start(lambda: self._go_on(self.run))

    def _can_go_on(self) -> bool:
        return self._grows and self.run.stop in (None, "model error") and not self.busy

    def _stop(self) -> None:
        self._stopping.set()
        self._say("It stops after this step" if self.busy else "Nothing runs")

    def _edit(self) -> None:
        """Set the observation in view to the text of the person, and take one step from there."""
        old = self.run.steps[self.number - 1].observation if self._result() else None
        if self.busy or old is None:
            self._say("" if self.busy else "This step has no observation to go on from")
            return
        if self.observation.value != self._offered:
            old = replace(old, text=self.observation.value, error=None, truncated=0, notice="")
            self.edited |= {self.number}
        self.edited = frozenset(n for n in self.edited if n <= self.number)
        self.earlier.append(self.run)
        *before, here = self.run.steps[: self.number]
        steps = (*before, replace(here, observation=old))
        self.run = replace(self.run, steps=steps, stop=None, note="", last_word=None)
        self._start(lambda: self._go_on(self.run), one=True)

    def _answered(self, yes: bool) -> None:
        """Hand a person's answer on, once."""
        run, why, before = self.run, self.reason.value, self._answered_at
        self._answered_at = time.monotonic()
        if self._answered_at - before < 1:
            self._say("The second of two quick clicks was not taken as an answer")
        elif run.pending is None or self.busy:
            self._say("" if self.busy else "No call waits for an answer")
        else:
            self.reason.value = ""  # it is for this call, not for the next
            self._start(lambda: [self._answer(run, yes, why)])

    def _start(self, runs: Callable[[], Iterable[Run]], one: bool = False) -> None:
        """Follow growing runs in a thread; one: only until there is one step more."""
        if self.busy:
            return
        self.busy, self.message = True, ""
        self._stopping.clear()
        self._draw()
        self._thread = threading.Thread(target=self._follow, args=(runs, one), daemon=True)
        self._thread.start()

    def _follow(self, runs: Callable[[], Iterable[Run]], one: bool) -> None:
        """Take each new run in, until the end, the Stop button or an error; all work is kept."""
        before, growing, message = len(self.run.steps), None, ""
        try:
            growing = runs()
            for run in growing:
                self._take(run)
                enough = one and run.stop is None and len(run.steps) > before
                if enough or self._stopping.is_set():
                    break
            if self._stopping.is_set() and self.run.stop is None:
                message = "Stopped by you; the run is kept"
        except Exception as error:
            message = f"{type(error).__name__}: {error}"
        finally:
            if close := getattr(growing, "close", None):
                close()  # here: a generator may hold a lock of this thread
            with self._lock:
                self.message, self.busy = message, False
                self._draw()

    def _take(self, run: Run) -> None:
        """A new run; who looked at its last round sees the new last one."""
        with self._lock:
            last = self.number == len(text.rounds(self.run))
            self.run = run
            total = len(text.rounds(run))
            self.number = total if last else min(self.number, total)
            self._draw()

    def wait(self) -> Run:
        """For scripts and tests: wait until nothing runs, and return the run.

        In a notebook a cell that waits keeps the buttons from working.
        """
        if self._thread:
            self._thread.join()
        return self.run

    @property
    def text(self) -> str:
        """The page in view as plain text."""
        mark = "\n\n" + self._say_for("You edited this observation.")
        mark = mark if self.number in self.edited else ""
        return text.show_page(self.run, self.number) + mark

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        return {**self.box._repr_mimebundle_(**kwargs), **twins(self.text)}


class PromptBuilder:
    """A widget to choose the parts of a prompt and see it with its count of tokens.

    choices: what can be left out, name to label, such as a rule's name and its sentence. build:
    from the list of chosen names to the prompt. count: from a text to its tokens. `.prompt` is
    the prompt as it is now.
    """

    def __init__(
        self,
        choices: dict[str, str],
        build: Callable[[list[str]], str],
        count: Callable[[str], int],
    ):
        w = ipywidgets()

        self._build, self._count = build, count
        self._whole = count(build(list(choices)))
        layout = {"width": "95%"}
        self.boxes = {
            name: w.Checkbox(value=True, description=label, indent=False, layout=layout)
            for name, label in choices.items()
        }
        self.panel = w.HTML()
        for box in self.boxes.values():
            box.observe(lambda _: self._draw(), names="value")
        self.box = w.VBox([*self.boxes.values(), self.panel])
        self._draw()

    def _draw(self) -> None:
        self.prompt = self._build([name for name, box in self.boxes.items() if box.value])
        tokens = self._count(self.prompt)
        saved = self._whole - tokens
        self.cost = f"{tokens:,} tokens" + (f", {saved:,} fewer than with all" if saved else "")
        body = section("Prompt", pre(self.prompt), long=True)
        cost = f'<div role="status">{self.cost}</div>'
        self.panel.value = f'{STYLE}{FOCUS}<div class="react-lab">{cost}{body}</div>'

    @property
    def text(self) -> str:
        """The choices, the count and the prompt as plain text."""
        marks = [f"[{'x' if b.value else ' '}] {b.description}" for b in self.boxes.values()]
        return sendable("\n".join([*marks, "", self.cost, "", self.prompt]))

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        return {**self.box._repr_mimebundle_(**kwargs), **twins(self.text)}
