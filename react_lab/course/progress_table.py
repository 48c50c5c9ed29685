"""Progress table: how far a learner is in all notebooks, as text, as HTML and as a page to print.

>>> print(Progress((Row("13_exercises", "time_tool", "1 of 5", 15, Entry("wrong", 2, 1)),)))
notebook      part       difficulty  minutes  state  tries  hints  solution
13_exercises  time_tool  1 of 5           15  wrong      2      1  not seen
"""

from dataclasses import dataclass
from datetime import date
from pathlib import Path

from react_lab.course.checking import Exercise
from react_lab.course.progress_file import Entry, answers_hash
from react_lab.files import write
from react_lab.views.pages import COLOURS, STYLE, escaped
from react_lab.views.quiz import Given, Question

COLUMNS = ("notebook", "part", "difficulty", "minutes", "state", "tries", "hints", "solution")
NUMBERS = (3, 5, 6)  # the right-aligned columns

LOOK = f"""{STYLE}<style>
.react-lab table.progress td, .react-lab table.progress th {{ text-align: left; padding: 3px 10px;
  vertical-align: top; }}
.react-lab table.progress th[scope=row] {{ font-weight: normal; white-space: nowrap; }}
.react-lab .done {{ display: inline-block; border: 1px solid var(--jp-border-color1, #8888);
  border-radius: 3px; padding: 0 6px; margin: 1px 4px 1px 0; white-space: nowrap; }}
.react-lab .done.right {{ background: {COLOURS["answer"]}; color: #fff; }}
.react-lab .done.wrong {{ border-color: {COLOURS["error"]}; }}
.react-lab .tile {{ display: inline-block; border: 1px solid var(--jp-border-color1, #8888);
  border-radius: 6px; padding: 4px 14px; margin: 0 8px 8px 0; }}
.react-lab .tile b {{ font-size: 18px; display: block; }}
</style>"""

PRINT = """<style>
:root { color-scheme: light dark; }
body { background: Canvas; color: CanvasText; font-family: system-ui, sans-serif; font-size: 14px;
  max-width: 60rem; margin: 0 auto; padding: 1.5rem; }
table { border-collapse: collapse; width: 100%; margin: 1rem 0; }
th, td { border-bottom: 1px solid #8888; text-align: left; padding: 3px 8px; vertical-align: top; }
code { font-family: ui-monospace, monospace; }
pre { white-space: pre-wrap; font-size: 12px; }
@media print { :root { color-scheme: light; } body { padding: 0; }
  tr, pre { break-inside: avoid; } }
</style>"""


@dataclass(frozen=True)
class Row:
    """One piece or exercise in the table."""

    notebook: str
    name: str
    difficulty: str
    minutes: int
    entry: Entry

    @property
    def cells(self) -> tuple[str, ...]:
        """The row as text, one for each of COLUMNS."""
        seen = "seen" if self.entry.solution else "not seen"
        counts = (str(self.entry.tries), str(self.entry.hints))
        place = (self.notebook, self.name, self.difficulty, str(self.minutes))
        return (*place, self.entry.state, *counts, seen)


@dataclass(frozen=True)
class QuizRow:
    """One quiz in the table.

    Attributes:
        notebook: Its notebook, which is also its name.
        questions: Its questions.
        given: What was answered, by the text of the question.
    """

    notebook: str
    questions: tuple[Question, ...]
    given: dict[str, Given]

    @property
    def right(self) -> int:
        """The number of questions that were answered right so far."""
        return sum(self.given[q.question].right for q in self.questions if q.question in self.given)

    @property
    def cells(self) -> tuple[str, ...]:
        """The row as text, one for each of COLUMNS."""
        tries = sum(one.tries for one in self.given.values())
        state = f"{self.right} of {len(self.questions)}"
        return (self.notebook, "quiz", "", "", state, str(tries), "", "")


@dataclass(frozen=True)
class Progress:
    """The table of all pieces, quizzes and exercises, in the order of the notebooks."""

    rows: tuple[Row | QuizRow, ...]

    @property
    def counts(self) -> dict[str, tuple[int, int]]:
        """The numbers of right ones and of all, for pieces, quiz questions and exercises."""
        found = {"pieces": (0, 0), "quiz questions": (0, 0), "exercises": (0, 0)}
        for row in self.rows:
            if isinstance(row, QuizRow):
                kind, right, of = "quiz questions", row.right, len(row.questions)
            else:
                kind = "exercises" if row.notebook.startswith("13") else "pieces"
                right, of = int(row.entry.state == "right"), 1
            before = found[kind]
            found[kind] = (before[0] + right, before[1] + of)
        return found

    def __repr__(self) -> str:
        table = [COLUMNS, *(row.cells for row in self.rows)]
        widths = [max(len(cells[place]) for cells in table) for place in range(len(COLUMNS))]
        lines = []
        for cells in table:
            line = (
                cell.rjust(width) if place in NUMBERS else cell.ljust(width)
                for place, (cell, width) in enumerate(zip(cells, widths))
            )
            lines.append("  ".join(line).rstrip())
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        body = ""
        for notebook in dict.fromkeys(row.notebook for row in self.rows):
            rows = [row for row in self.rows if row.notebook == notebook]
            works = " ".join(_chip(row) for row in rows if isinstance(row, Row))
            asked = " ".join(_quiz_chip(row) for row in rows if isinstance(row, QuizRow))
            body += f'<tr><th scope="row">{escaped(notebook)}</th><td>{works}</td>'
            body += f"<td>{asked}</td></tr>"
        head = '<tr><th scope="col">notebook</th><th scope="col">what you write</th>'
        table = f'<table class="progress">{head}<th scope="col">quiz</th></tr>{body}</table>'
        key = "<div>✓ right, ✗ not right yet, – not started</div>"
        all_of_it = f"<details><summary>Tries, hints and dates</summary>{self._details()}</details>"
        return f'{LOOK}<div class="react-lab">{self._tiles()}{table}{key}{all_of_it}</div>'

    def _tiles(self) -> str:
        return "".join(
            f'<span class="tile"><b>{right} of {of}</b> {name}</span> '
            for name, (right, of) in self.counts.items()
        )

    def _details(self) -> str:
        """Return each row with all its columns and its date."""
        head = "".join(f'<th scope="col">{name}</th>' for name in (*COLUMNS, "date"))
        body = ""
        for row in self.rows:
            cells = "".join(f"<td>{escaped(cell)}</td>" for cell in (*row.cells, _date(row)))
            body += f"<tr>{cells}</tr>"
        return f'<table class="progress"><tr>{head}</tr>{body}</table>'


def _date(row: Row | QuizRow) -> str:
    """Return the day on which a row became right, or its last question did."""
    if isinstance(row, Row):
        return row.entry.at
    return max((one.at for one in row.given.values()), default="")


def _chip(row: Row) -> str:
    sign, kind = {"right": ("✓", "right"), "wrong": ("✗", "wrong")}.get(row.entry.state, ("–", ""))
    return f'<span class="done {kind}">{sign} {escaped(row.name)}</span>'


def _quiz_chip(row: QuizRow) -> str:
    whole = row.right == len(row.questions)
    sign = "✓ " if whole else ""
    return (
        f'<span class="done{" right" if whole else ""}">{sign}{row.right} of '
        f"{len(row.questions)}</span>"
    )


def table(
    exercises: tuple[Exercise, ...],
    entries: dict[str, Entry],
    quizzes: dict[str, tuple[tuple[Question, ...], dict[str, Given]]],
) -> Progress:
    """Return the table of everything there is to do, in the order of the notebooks.

    Args:
        exercises: All pieces and exercises.
        entries: What is known about them, by name.
        quizzes: Questions and answers of each quiz, by its name.
    """
    rows: list[Row | QuizRow] = []
    for notebook in sorted({*(one.notebook for one in exercises), *quizzes}):
        for one in exercises:
            if one.notebook == notebook:
                known = entries.get(one.name, Entry())
                rows.append(Row(notebook, one.name, f"{one.difficulty} of 5", one.minutes, known))
        if notebook in quizzes:
            rows.append(QuizRow(notebook, *quizzes[notebook]))
    return Progress(tuple(rows))


# The page to print --------------------------------------------------------------------------


def answers(progress: Progress) -> dict[str, str]:
    """Return the learner's answers: the source of each work, the choice in each question."""
    found = {}
    for row in progress.rows:
        if isinstance(row, Row):
            if row.entry.work:
                found[row.name] = row.entry.work
        else:
            for question, one in row.given.items():
                found[f"{row.notebook}: {question}"] = one.choice
    return found


def completion_page(progress: Progress, learner: str, today: str) -> str:
    """Return a page of HTML to print or hand in.

    Args:
        progress: The table.
        learner: The name to write on the page.
        today: The day, as "2026-12-01".
    """
    done = ", ".join(f"{right} of {of} {name}" for name, (right, of) in progress.counts.items())
    given = answers(progress)
    works = "".join(
        f"<h3>{escaped(row.name)}</h3><pre><code>{escaped(row.entry.work)}</code></pre>"
        for row in progress.rows
        if isinstance(row, Row) and row.entry.work
    )
    body = (
        f"<h1>React lab: what {escaped(learner)} has done</h1>"
        f"<p>{escaped(today)}: {escaped(done)} are right.</p>"
        f"<p>Hash over {len(given)} answers: <code>{answers_hash(given)}</code>. The hash changes "
        "when any answer does. This page was made on the learner's machine, without a server.</p>"
        f"{progress._details()}<h2>The answers in code</h2>{works or '<p>None yet.</p>'}"
    )
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>React lab: {escaped(learner)}</title>{PRINT}</head><body>{body}</body></html>\n"
    )


@dataclass(frozen=True)
class Saved:
    """Where a completion page is, and its hash."""

    path: Path
    hash: str

    def __repr__(self) -> str:
        return f"Saved as {self.path.as_posix()}. Hash over your answers: {self.hash}"


def save_completion(progress: Progress, learner: str, path: Path) -> Saved:
    """Write the completion page. Raises OSError if the file cannot be written."""
    page = completion_page(progress, learner, date.today().isoformat())
    write(path, page.encode("utf-8", "replace"))
    return Saved(path, answers_hash(answers(progress)))
