"""Quiz: a few questions to answer by a click, with a reason for every choice.

>>> first = read("05_loop")[0]
>>> first.question
'A run was stopped at its limit, and has an answer. What may you tell the person who asked?'
>>> feedback(first, 0)[:10]
'(a) Right.'
"""

import json
import re
from dataclasses import asdict, dataclass
from datetime import date
from importlib import resources
from pathlib import Path
from typing import Any

from react_lab.files import change_json, read_json
from react_lab.views.pages import COLOURS, FOCUS, STYLE, escaped, ipywidgets, twins

FOLDER = resources.files("react_lab") / "data" / "quiz"
FILE = Path("lab_data", "quizzes.json")  # the current folder is the notebook's
LETTERS = "abcd"

# A label of ipywidgets is one line high; a long choice would cover the next one.
# Jupyter uses the arrow keys to leave a cell, and ipywidgets gives the choices of a question no
# common name; the handler gives them one, and asks Jupyter to leave their keys alone.
WRAP = f"""<style>
.jupyter-widgets.react-lab-choices label {{ height: auto; line-height: 1.4; padding: 3px 0;
  white-space: normal; }}
.react-lab .said {{ border-left: 5px solid transparent; padding: 2px 8px; }}
.react-lab .said.right {{ border-color: {COLOURS["answer"]}; }}
.react-lab .said.wrong {{ border-color: {COLOURS["error"]}; }}
.react-lab .said > b {{ color: #fff; border-radius: 3px; padding: 0 6px; margin-right: 4px; }}
.react-lab .said.right > b {{ background: {COLOURS["answer"]}; }}
.react-lab .said.wrong > b {{ background: {COLOURS["error"]}; }}
@keyframes react-lab-there {{ from {{ opacity: 0; }} to {{ opacity: 0; }} }}
.react-lab-keys {{ animation: react-lab-there 1ms; }}
</style>"""
KEYS = """<span class="react-lab-keys" onanimationstart="
const name = 'react-lab-' + Math.random().toString(36).slice(2);
this.closest('.react-lab-question').querySelectorAll('input').forEach((one) => {
  one.name = name;
  one.setAttribute('data-lm-suppress-shortcuts', 'true');
});
"></span>"""


@dataclass(frozen=True)
class Choice:
    """One choice: its text, whether it is right, and why or why not."""

    text: str
    right: bool
    why: str


@dataclass(frozen=True)
class Question:
    """A question with three or four choices, of which one is right."""

    question: str
    choices: tuple[Choice, ...]


def read(name: str) -> tuple[Question, ...]:
    """The questions of one quiz. Raises ValueError for an unknown name, with those that exist."""
    if name not in names():
        raise ValueError(f"There is no quiz {name!r}; give one of: {', '.join(names())}.")
    found = json.loads((FOLDER / f"{name}.json").read_text("utf-8"))
    return tuple(
        Question(one["question"], tuple(Choice(**choice) for choice in one["choices"]))
        for one in found
    )


def names() -> list[str]:
    """The names of all quizzes, in the order of the notebooks."""
    files = [file.name for file in FOLDER.iterdir()]
    return sorted(name.removesuffix(".json") for name in files if name.endswith(".json"))


def feedback(question: Question, place: int | None) -> str:
    """What a check says: "Right" or "Not yet", and why. place: of the chosen choice, or None."""
    if place is None:
        return "Choose an answer first."
    choice = question.choices[place]
    return f"({LETTERS[place]}) {'Right' if choice.right else 'Not yet'}. {choice.why}"


@dataclass(frozen=True)
class Given:
    """What a person answered to one question.

    Attributes:
        choice: The text of the choice that was checked last.
        right: Whether the right one was checked at some time.
        tries: How often a choice was checked.
        at: The day on which the right one was first checked, as "2026-12-01"; "" before.
    """

    choice: str
    right: bool = False
    tries: int = 0
    at: str = ""


def given(name: str) -> dict[str, Given]:
    """Return what was answered in a quiz so far, by the text of the question.

    It is kept in `lab_data/quizzes.json` beside the notebook, and survives restarts and updates
    of the course, because texts are compared and not places.
    """
    found = {}
    for question, entry in _entries(read_json(FILE).get(name)).items():
        known = {key: entry[key] for key in Given.__dataclass_fields__ if key in entry}
        found[question] = Given(**known)
    return found


def _entries(found: Any) -> dict[str, dict[str, Any]]:
    entries = found.items() if isinstance(found, dict) else ()
    return {k: v for k, v in entries if isinstance(v, dict) and isinstance(v.get("choice"), str)}


def keep(name: str, question: Question, place: int) -> str:
    """Keep that a choice was checked. Returns "", or why it could not be kept."""
    choice = question.choices[place]
    before = given(name).get(question.question, Given(""))
    today = date.today().isoformat() if choice.right and not before.right else before.at
    right = before.right or choice.right
    now = Given(choice.text, right, before.tries + 1, today)

    def change(kept: dict[str, Any]) -> None:
        kept[name] = {**_entries(kept.get(name)), question.question: asdict(now)}

    try:
        change_json(FILE, change)
    except OSError as error:
        return f"Your answer could not be kept in {FILE.as_posix()}: {error.strerror}."
    return ""


def score(questions: tuple[Question, ...], answers: dict[str, Given]) -> tuple[int, int]:
    """Return how many of a quiz's questions were answered right so far, and how many there are."""
    found = [answers.get(one.question, Given("")).right for one in questions]
    return sum(found), len(found)


def labels(question: Question) -> list[str]:
    """The choices of a question with their letters: "(a) ..."."""
    return [f"({letter}) {one.text}" for letter, one in zip(LETTERS, question.choices)]


def show(questions: tuple[Question, ...]) -> str:
    """A whole quiz as plain text: all questions, and behind them the answers."""
    asked, answers = [], ["Answers"]
    for number, question in enumerate(questions, 1):
        asked.append("\n   ".join([f"{number}. {question.question}", *labels(question)]))
        said = [feedback(question, place) for place in range(len(question.choices))]
        answers.append(f"{number}. " + "\n   ".join(said))
    return "\n\n".join([*asked, *answers])


def markdown(questions: tuple[Question, ...]) -> str:
    """A whole quiz as Markdown; each answer is folded until a click opens it."""
    parts = []
    for number, question in enumerate(questions, 1):
        said = [feedback(question, place) for place in range(len(question.choices))]
        parts += [f"**{number}. {_plain(question.question)}**"]
        parts += ["\n".join(f"* {_plain(label)}" for label in labels(question))]
        parts += ["<details><summary>Answer</summary>"]
        parts += ["\n".join(f"* {_plain(one)}" for one in said), "</details>"]
    return "\n\n".join(parts)


def _plain(words: str) -> str:
    """Words that Markdown shows as they are, but for `code`, which stays code."""
    signs = r"(`[^`]*`)|([\\*_\[\]<>~$&#|])"
    return re.sub(signs, lambda found: found[1] or "\\" + found[2], words)


def html(words: str, role: str = "note") -> str:
    """Words as HTML, `code` in a face of its own. role: "status" for what is to be read out."""
    coded = re.sub(r"`([^`]*)`", r"<code>\1</code>", escaped(words))
    return f'<div class="react-lab" role="{role}">{coded}</div>'


def said(question: Question, place: int | None, more: str = "") -> str:
    """Return what a check says as HTML: a sign, the verdict on its colour, and why."""
    if place is None:
        return html(feedback(question, place), "status")
    choice = question.choices[place]
    words = re.sub(r"`([^`]*)`", r"<code>\1</code>", escaped(choice.why))
    kind, sign = ("right", "✓ Right.") if choice.right else ("wrong", "✗ Not yet.")
    return (
        f'<div class="react-lab" role="status"><div class="said {kind}"><b>{sign}</b> '
        f"({LETTERS[place]}) {words}{f' {escaped(more)}' if more else ''}</div></div>"
    )


class Quiz:
    """The widget that `quiz` makes.

    Attributes:
        choices: The radio buttons of each question.
        checks: The button "Check" of each question.
        results: What a check said, for each question.
        total: The score.
    """

    def __init__(self, questions: tuple[Question, ...], name: str = ""):
        w = ipywidgets()

        self.questions, self.name = questions, name
        self.choices, self.checks, self.results = [], [], []
        self._given = given(name) if name else {}
        rows = [w.HTML(STYLE + FOCUS + WRAP)]
        for number, question in enumerate(questions, 1):
            options = [(label, place) for place, label in enumerate(labels(question))]
            place = self._chosen(question)
            choice = w.RadioButtons(options=options, value=place, layout={"width": "95%"})
            choice.add_class("react-lab-choices")
            check = w.Button(description="Check", tooltip=f"Check question {number}")
            check.on_click(lambda _, place=number - 1: self._check(place))
            self.choices.append(choice)
            self.checks.append(check)
            before = html("", "status") if place is None else said(question, place)
            self.results.append(w.HTML(before))
            asked = f"<b>{html(f'{number}. {question.question}')}</b>"
            box = w.VBox([w.HTML(asked + KEYS), choice, check, self.results[-1]])
            box.add_class("react-lab-question")
            rows.append(box)
        self.total = w.HTML()
        self._count()
        self.box = w.VBox([*rows, self.total])

    def _chosen(self, question: Question) -> int | None:
        """Return the place of the choice that was checked last, if there is still one like it."""
        texts = [choice.text for choice in question.choices]
        before = self._given.get(question.question)
        return texts.index(before.choice) if before and before.choice in texts else None

    def _check(self, place: int) -> None:
        question, chosen = self.questions[place], self.choices[place].value
        trouble = ""
        if chosen is not None:
            choice = question.choices[chosen]
            before = self._given.get(question.question, Given(""))
            right = before.right or choice.right
            self._given[question.question] = Given(choice.text, right, before.tries + 1)
            trouble = keep(self.name, question, chosen) if self.name else ""
        self.results[place].value = said(question, chosen, trouble)
        self._count()

    def _count(self) -> None:
        right, of = score(self.questions, self._given)
        self.total.value = (
            f'<div class="react-lab"><b>Score: {right} of {of} answered right so far</b></div>'
        )

    @property
    def text(self) -> str:
        """The whole quiz as plain text, with the answers at its end."""
        return show(self.questions)

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        views = {**twins(self.text), "text/markdown": markdown(self.questions)}
        return {**self.box._repr_mimebundle_(**kwargs), **views}


def quiz(name: str) -> Quiz:
    """Return a widget with the questions of a notebook, such as `quiz("05_loop")`.

    Answers and score are kept, and are there again when the notebook is opened next time. Where no
    kernel runs, Markdown with folded answers and plain text show instead.

    Raises:
        ValueError: There is no quiz of this name; the message lists those that exist.
    """
    return Quiz(read(name), name)
