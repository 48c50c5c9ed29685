"""Microscope: watch a run step by step, let it continue, and answer for it.

The controls are on top and stay there. Below them, all within one screen: the steps to choose
from, where time and tokens went, and one step in three columns (reads, writes, runs). Models and
tools run in a thread, so that the buttons work meanwhile.
"""

import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from typing import Any

from react_lab.loop import Agent
from react_lab.loop import step as one_round
from react_lab.models.progress import Progress, watch
from react_lab.registry.results import sendable
from react_lab.trace import Run
from react_lab.views import run_html, text
from react_lab.views.pages import COLOURS, FOCUS, escaped, ipywidgets, progress
from react_lab.views.words import Say, language_of

QUICK = 1.0  # seconds: a second click within them does not answer the next call, unseen
OFTEN = 0.1  # seconds between two updates while the model writes

STYLE = f"""{run_html.LOOK}{FOCUS}<style>
.react-lab-strip {{ flex-wrap: wrap; overflow: auto; max-height: 144px; }}
.react-lab-strip .jupyter-button {{ white-space: pre; text-align: left; line-height: 1.35;
  height: 44px; flex: 1 1 0; min-width: 92px; max-width: 320px; overflow: hidden;
  text-overflow: ellipsis; padding: 3px 8px; border-radius: 6px; font-size: 12px;
  border: 1px solid var(--jp-border-color1, #888); background: transparent;
  color: var(--jp-ui-font-color1, inherit); }}
.react-lab-strip .jupyter-button::first-line {{ font-weight: bold; }}
.react-lab-strip .react-lab-here {{ border: 2px solid {COLOURS["action"]};
  padding: 2px 7px; background: var(--jp-layout-color2, #8883); }}
.react-lab-waits {{ border: 2px solid {COLOURS["observation"]}; border-radius: 6px;
  padding: 4px 8px; align-items: center; gap: 6px; }}
.react-lab-waits > .widget-html {{ flex: 1 1 0; max-height: 60px; overflow: auto; }}
.react-lab-waits .jupyter-button {{ color: #fff; font-weight: bold; flex: none; }}
.react-lab-waits .widget-text .widget-label {{ width: auto; }}
.react-lab-allow {{ background: {COLOURS["answer"]}; }}
.react-lab-deny {{ background: {COLOURS["error"]}; }}
.react-lab-columns {{ display: grid; grid-template-columns: repeat(3, minmax(0, 1fr)); gap: 8px;
  height: 290px; }}
.react-lab-columns > * {{ height: 100%; overflow: hidden; }}
.react-lab-columns > *, .react-lab-columns .widget-html {{ margin: 0; }}
.react-lab-editor .widget-textarea {{ flex-direction: column; align-items: stretch; width: auto;
  height: auto; margin: 2px 0; }}
.react-lab-editor .widget-label {{ width: auto; text-align: left; }}
.react-lab-editor textarea {{ height: 58px; }}
.react-lab-controls {{ align-items: center; }}
.react-lab-controls > .jupyter-button {{ flex: none; }}
.react-lab-columns .widget-html-content, .react-lab-columns .widget-html-content > div {{
  height: 100%; box-sizing: border-box; }}
.react-lab-columns .column {{ height: 100%; overflow: auto; box-sizing: border-box; }}
.react-lab-columns .column > div, .react-lab-columns .column > details {{ line-height: 1.4; }}
</style>"""


def microscope(
    run: Run | str,
    agent: Agent | None = None,
    step: int | None = None,
    limits: dict[str, float] | None = None,
) -> "Microscope":
    """Return a widget to look into a run and, with an agent, to let it continue.

    Args:
        run: A Run, or a question to begin with.
        agent: Who continues the run. A call that waits for a person is asked about in the widget.
        step: Where to open it, from 1; the first step if None.
        limits: What to show progress against, such as {"steps": 8, "seconds": 60}.

    Returns:
        The widget. Later cells find the run in its `.run`.

    Raises:
        ValueError: There is no such step or limit.
    """
    run = Run(run) if isinstance(run, str) else run
    total = len(text.rounds(run))
    number = min(1, total) if step is None else step
    if not min(1, total) <= number <= total:
        raise ValueError(f"There is no step {step}. Use a number from 1 to {total}.")
    if strange := set(limits or {}) - set(text.used(run)):
        raise ValueError(f"There is no limit {strange.pop()!r}. Use steps, tokens or seconds.")
    return Microscope(run, number, agent, limits or {})


class Microscope:
    """The widget that `microscope` makes.

    Attributes:
        run: The run as it is now.
        number: The step in view, from 1; 0 before the first one.
        earlier: The runs that were left when an observation was edited or the run begun again.
    """

    def __init__(
        self, run: Run, number: int, agent: Agent | None, limits: dict[str, float]
    ) -> None:
        self.run, self.number, self.agent = run, number, agent
        self._say_for = Say(agent.language if agent else language_of(run))
        self.earlier: list[Run] = []
        self.edited: frozenset[int] = frozenset()
        self.message, self.busy = "", False
        self._limits = limits
        self._answered_at = -QUICK
        self._offered: str | None = None  # the observation in the editor
        self._shown_at = 0.0
        self._stopping, self._lock = threading.Event(), threading.RLock()
        self._thread: threading.Thread | None = None
        self._build()
        self._draw()

    # The widgets ----------------------------------------------------------------------------

    def _button(self, name: str, act: Callable[[], None], **more: Any) -> Any:
        w = ipywidgets()

        def click(_: object) -> None:
            with self._lock:  # else a run that draws just now would mix old and new
                act()

        made = w.Button(description=self._say_for(name), **{"layout": {"width": "auto"}, **more})
        made.on_click(click)
        return made

    def _build(self) -> None:
        """Make the controls. They stay enabled, because a disabled button loses the keyboard."""
        w = ipywidgets()

        self.back = self._button("Back", lambda: self._move(self.number - 1))
        self.next = self._button("Next", self._forward)
        self.end = self._button("To the end", self._to_the_end)
        self.stop = self._button("Stop", self._stop)
        self.again = self._button("Again", self._again)
        self.status = w.HTML(layout={"margin": "0 0 0 8px", "flex": "1 1 0"})
        mine = [self.stop, self.again] if self.agent else []
        controls = w.HBox([self.back, self.next, self.end, *mine, self.status])
        controls.add_class("react-lab-controls")
        # A text is sent when its field is left: else a click could overtake the last letters.
        whole = {"continuous_update": False}
        self.waiting = w.HTML()
        self.allow = self._button("✓ Allow", lambda: self._answered(True))
        self.deny = self._button("✗ Deny", lambda: self._answered(False))
        self.allow.add_class("react-lab-allow")
        self.deny.add_class("react-lab-deny")
        self.reason = w.Text(
            description=self._say_for("Reason"), layout={"width": "260px"}, **whole
        )
        self.banner = w.HBox([self.waiting, self.allow, self.deny, self.reason])
        self.banner.add_class("react-lab-waits")
        self.strip = w.HBox([])
        self.strip.add_class("react-lab-strip")
        self.lanes, self.reads, self.writes, self.runs = w.HTML(), w.HTML(), w.HTML(), w.HTML()
        self.observation = w.Textarea(description=self._say_for("Observation"), **whole)
        self.edit = self._button("✎ Continue from this observation", self._edit)
        third: Any = self.runs
        if self.agent:
            self.editor = w.VBox([self.observation, self.edit], layout={"flex": "none"})
            self.editor.add_class("react-lab-editor")
            self.runs.layout.flex = "1 1 0"
            third = w.VBox([self.runs, self.editor])
        columns = w.Box([self.reads, self.writes, third])
        columns.add_class("react-lab-columns")
        head = w.HTML(STYLE, layout={"display": "none"})
        self.box = w.VBox([head, controls, self.banner, self.strip, self.lanes, columns])

    def _draw(self) -> None:
        """Put the state into the widgets; the status comes last, when all else is there."""
        with self._lock:
            if self._result() != self._offered:  # not while a person types
                self._offered = self._result()
                self.observation.value = sendable(self._offered)
            if self.agent:
                self.editor.layout.display = None if self._offered else "none"
            pending = self.run.pending
            self.banner.layout.display = None if pending and self.agent else "none"
            asks = (
                f"<b>{self._say_for('? Waits for you:')}</b> {escaped(run_html.call(pending))}"
                if pending
                else ""
            )
            self.waiting.value = _div(asks)
            self._draw_strip()
            self.lanes.value = _div(run_html.overview(self.run, self.number))
            for panel, column in zip((self.reads, self.writes, self.runs), self._columns()):
                panel.value = _div(column)
            self._draw_status()

    def _draw_strip(self) -> None:
        """One button for each step; those that are there stay, so that none loses the focus."""
        total, made = len(text.rounds(self.run)), list(self.strip.children)
        while len(made) < total:
            place = len(made) + 1
            made.append(self._button("", partial(self._move, place), layout={}))
        for place, button in enumerate(made[:total], 1):
            title, below = run_html.headline(self.run, place)
            button.description = sendable(f"{place} {title}\n{below}")
            button.tooltip = self._say_for("Open step {number}", number=place)
            (button.add_class if place == self.number else button.remove_class)("react-lab-here")
        if len(self.strip.children) != total:
            self.strip.children = made[:total]

    def _draw_status(self) -> None:
        total = len(self.run.steps)
        say = self._say_for
        place = say("Step {number} of {total}", number=self.number, total=total)
        says = [place if self.number <= total else say("Last word")]
        if not self.number:
            says = [say("No step yet")]
        if self.number and (mark := run_html.origin(text.rounds(self.run)[self.number - 1])):
            says[0] += f" ({mark})"
        says += [say(self.message)] + ([say("Running")] if self.busy else [])
        last = self.number == len(text.rounds(self.run))
        if last and self.run.stop and not self.run.pending and not self.busy and not self.message:
            says.append(text.show_end(self.run))
        words = escaped(("。" if say.language == "zh" else ". ").join(filter(None, says)))
        used = f"<br>{progress(self.run, self._limits)}" if self._limits else ""
        self.status.value = _div(f'<div role="status">{words}{used}</div>')

    def _columns(self) -> tuple[str, str, str]:
        """The three columns of the step in view; before the first step, what is to come."""
        if self.number:
            given = self.run, self.number
            return (
                run_html.reads(*given),
                run_html.writes(*given),
                run_html.runs(*given, self.edited),
            )
        say = self._say_for
        question = run_html.field("thought", say("question"), self.run.question, say)
        hint = f"<div>{say('Press Next for one step.')}</div>" if self.agent else ""
        return (
            run_html.column(say("1 · Model reads"), "", question),
            run_html.column(say("2 · Model writes"), "", hint),
            run_html.column(say("3 · Program runs"), "", ""),
        )

    def _result(self) -> str:
        """The observation in view, as the model reads it."""
        steps = self.run.steps[self.number - 1 : self.number] if self.number else ()
        return steps[0].observation.full_text if steps and steps[0].observation else ""

    # What the buttons do --------------------------------------------------------------------

    def _say(self, message: str) -> None:
        self.message = message
        self._draw()

    def _move(self, number: int) -> None:
        """Show another step, as far as there is one."""
        total = len(text.rounds(self.run))
        self.number = max(min(1, total), min(number, total))
        edge = {min(1, total) - 1: "This is the first step", total + 1: "This is the end"}
        self._say("" if self.busy else edge.get(number, ""))

    def _forward(self) -> None:
        """Show the next step: the one that is there, or a new one."""
        if self.number == len(text.rounds(self.run)) and self._can_continue():
            self._start(self._stream, one=True)
        else:
            self._move(self.number + 1)

    def _to_the_end(self) -> None:
        self._move(len(text.rounds(self.run)))
        if self._can_continue():
            self._start(self._stream)

    def _can_continue(self) -> bool:
        return self.agent is not None and self.run.stop in (None, "model error") and not self.busy

    def _stop(self) -> None:
        self._stopping.set()
        self._say("It stops after this step" if self.busy else "Nothing runs")

    def _again(self) -> None:
        """Begin again from the question; the run so far is kept in `earlier`."""
        if self.busy:
            return
        self.earlier.append(self.run)
        self.run, self.number, self.edited = Run(self.run.question), 0, frozenset()
        self._say("Begun again")

    def _edit(self) -> None:
        """Set the observation in view to the person's text, and take one step from there."""
        old = self.run.steps[self.number - 1].observation if self._result() else None
        if self.busy or old is None:
            self._say("" if self.busy else "This step has no observation to continue from")
            return
        if self.observation.value != self._offered:
            old = replace(old, text=self.observation.value, error=None, truncated=0, notice="")
            self.edited |= {self.number}
        self.edited = frozenset(n for n in self.edited if n <= self.number)
        self.earlier.append(self.run)
        *before, here = self.run.steps[: self.number]
        steps = (*before, replace(here, observation=old))
        self.run = replace(self.run, steps=steps, stop=None, note="", last_word=None)
        self._start(self._stream, one=True)

    def _answered(self, yes: bool) -> None:
        """Pass on a person's yes or no, once."""
        run, why, before, agent = self.run, self.reason.value, self._answered_at, self.agent
        self._answered_at = time.monotonic()
        if self._answered_at - before < QUICK:
            self._say("The second of two quick clicks was not taken as an answer")
        elif run.pending is None or self.busy or agent is None:
            self._say("" if self.busy else "No call waits for an answer")
        else:
            self.reason.value = ""  # it is for this call, not for the next
            self._start(lambda: [one_round(run, agent, approve=yes, note=why)])

    # Running --------------------------------------------------------------------------------

    def _stream(self) -> Iterable[Run]:
        assert self.agent is not None
        return self.agent.stream(self.run)

    def _start(self, runs: Callable[[], Iterable[Run]], one: bool = False) -> None:
        """Follow growing runs in a thread. one: only until there is one step more."""
        if self.busy:
            return
        self.busy, self.message = True, ""
        self._stopping.clear()
        self._draw()
        self._thread = threading.Thread(target=self._follow, args=(runs, one), daemon=True)
        self._thread.start()

    def _follow(self, runs: Callable[[], Iterable[Run]], one: bool) -> None:
        """Take in each new run until the end, Stop or an error. All that was done is kept."""
        before, growing, message = len(self.run.steps), None, ""
        try:
            with watch(self._watch):
                growing = iter(runs())
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
                close()  # here, because a generator may hold a lock of this thread
            with self._lock:
                self.message, self.busy = message, False
                self._draw()

    def _take(self, run: Run) -> None:
        """Take in a new run. If its last step was in view, the new last one is."""
        with self._lock:
            last = self.number == len(text.rounds(self.run))
            self.run = run
            total = len(text.rounds(run))
            self.number = total if last else min(self.number, total)
            self._draw()

    def _watch(self, now: Progress) -> None:
        """Show what the model is doing, if the last step is in view: reading, then its words."""
        moment = time.monotonic()
        if now.state == "writing" and moment - self._shown_at < OFTEN:
            return
        with self._lock:
            if not self.busy or self.number < len(text.rounds(self.run)):
                return
            self._shown_at = moment
            number = len(self.run.steps) + 1
            if now.state == "writing":
                size = self._say_for("{count:,} tokens so far", count=now.tokens)
                said = run_html.written(now.text, self._say_for)
            else:
                size, said = "", f"<div>… {escaped(str(now))}</div>"
            name = self._say_for("Step {number}: model writes", number=number)
            self.writes.value = _div(run_html.column(name, size, said))

    def wait(self) -> Run:
        """For scripts and tests: wait until nothing runs, and return the run.

        In a notebook a cell that waits keeps the buttons from working.
        """
        if self._thread:
            self._thread.join()
        return self.run

    @property
    def text(self) -> str:
        """The whole run as plain text."""
        words = "You edited the observation of step {number}."
        marks = [self._say_for(words, number=number) for number in sorted(self.edited)]
        end = [] if self.run.stop else [self._say_for("The run can continue.")]
        return sendable("\n\n".join([text.show(self.run), *end, *marks]))

    def _repr_mimebundle_(self, **kwargs: object) -> dict[str, object]:
        twins = {"text/plain": self.text, "text/html": run_html.folds(self.run)}
        return {**self.box._repr_mimebundle_(**kwargs), **twins}


def _div(body: str) -> str:
    return f'<div class="react-lab">{body}</div>'
