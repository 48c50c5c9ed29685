"""Quiz: a few questions to answer by a click, with a reason for every choice.

>>> first = read("05_loop")[0]
>>> first.question
'A run was stopped at its limit, and has an answer. What may you tell the person who asked?'
>>> feedback(first, 0)[:10]
'(a) Right.'
"""

import json
import re
from dataclasses import dataclass
from importlib import resources

from react_lab.views.pages import FOCUS, STYLE, escaped

FOLDER = resources.files("react_lab") / "data" / "quiz"
LETTERS = "abcd"

# A label of ipywidgets is one line high; a long choice would lie over the next one.
WRAP = """<style>
.jupyter-widgets.react-lab-choices label { height: auto; line-height: 1.4; padding: 3px 0;
  white-space: normal; }
</style>"""


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


class Quiz:
    """The widget that `quiz` makes. Its parts, one for each question and in their order:

    choices: the radio buttons. checks: the buttons "Check". results: what a check said.
    """

    def __init__(self, questions: tuple[Question, ...]):
        import ipywidgets as w

        self.questions, self.choices, self.checks, self.results = questions, [], [], []
        rows = [w.HTML(STYLE + FOCUS + WRAP)]
        for number, question in enumerate(questions, 1):
            options = [(label, place) for place, label in enumerate(labels(question))]
            choice = w.RadioButtons(options=options, value=None, layout={"width": "95%"})
            choice.add_class("react-lab-choices")
            check = w.Button(description="Check", tooltip=f"Check question {number}")
            check.on_click(lambda _, place=number - 1: self._check(place))
            self.choices.append(choice)
            self.checks.append(check)
            self.results.append(w.HTML(html("", "status")))
            asked = w.HTML(html(f"{number}. {question.question}"))
            rows.append(w.VBox([asked, choice, check, self.results[-1]]))
        self.box = w.VBox(rows)

    def _check(self, place: int) -> None:
        words = feedback(self.questions[place], self.choices[place].value)
        self.results[place].value = html(words, "status")

    @property
    def text(self) -> str:
        """The whole quiz as plain text, with the answers at its end."""
        return show(self.questions)

    def _repr_mimebundle_(self, **kwargs) -> dict:
        views = {"text/plain": self.text, "text/markdown": markdown(self.questions)}
        return {**self.box._repr_mimebundle_(**kwargs), **views}


def quiz(name: str) -> Quiz:
    """A widget with the questions of a notebook, such as `quiz("05_loop")`.

    Where no kernel runs, its twins show: Markdown with folded answers, and plain text. Raises
    ValueError for an unknown name, with those that exist.
    """
    return Quiz(read(name))
