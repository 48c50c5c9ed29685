"""Report: an evaluation as a page of HTML with plots, and as plain text.

Pure functions from results to a string; `by_kind` gives a Figure that carries its own words, as
those of `plots` do. The text holds all that the page does.

>>> bar(9, 12)
'[##################......] 9 of 12 cases'
"""

from base64 import b64encode
from collections.abc import Sequence
from io import BytesIO

from react_lab.evaluation.evaluation import Regression, Result, figures, unfinished
from react_lab.evaluation.intervals import interval, share
from react_lab.parser.moves import Action
from react_lab.views import plots
from react_lab.views.pages import STYLE, escaped
from react_lab.views.text import sendable, show_end, show_move

TABLES = """<style>
.react-lab table { border-collapse: collapse; margin: 8px 0; }
.react-lab caption { text-align: left; font-weight: bold;
  white-space: nowrap; }
.react-lab th, .react-lab td { border: 1px solid var(--jp-border-color1, #888); padding: 2px 8px;
  text-align: left; vertical-align: top; }
.react-lab img { max-width: 100%; }
</style>"""


def bar(done: int, of: int) -> str:
    """How far an evaluation is, as a bar of text."""
    filled = 24 * done // max(of, 1)
    return f"[{'#' * filled}{'.' * (24 - filled)}] {done} of {of} cases"


def reached(results: Sequence[Result], of: int) -> str:
    """How many cases have been run, and how many have not. of: how many there are."""
    left = of - len(results)
    rest = f" {left} were not reached; run it again with the same folder." if left else ""
    return f"{len(results)} of {of} cases were run.{rest}"


def changes(found: Regression) -> str:
    """What a regression run has found, in lines of text."""
    lines = [f"Pass rate, compared with the baseline: {found.verdict}"]
    for name in ("lost", "gained", "missing"):
        lines.append(f"  {name}: {', '.join(getattr(found, name)) or 'none'}")
    return "\n".join(lines)


def as_text(results: Sequence[Result], of: int) -> str:
    """The report as plain text. of: how many cases there are, also those not reached."""
    parts = ["Evaluation", "", reached(results, of)]
    for title, head, rows in _tables(results):
        parts += ["", title]
        widths = [max(len(row[n]) for row in [head, *rows]) for n in range(len(head))]
        for row in [head, *rows]:
            cells = (cell.ljust(width) for cell, width in zip(row, widths))
            parts.append("  " + "  ".join(cells).rstrip())
    for result in _not_passed(results):
        parts += ["", f"{result.case.id}: {result.case.question}", *_lines(result)]
    return sendable("\n".join(parts))


def as_html(results: Sequence[Result], of: int) -> str:
    """The report as a page of HTML, its plots inside. of: as for `as_text`."""
    parts = ["<h1>Evaluation</h1>", f"<p>{escaped(reached(results, of))}</p>"]
    *short, cases = map(_table, _tables(results))
    parts += short
    if results:
        parts += [_picture(by_kind(results)), _picture(plots.tool_use(r.run for r in results))]
    parts.append(cases)
    for result in _not_passed(results):
        lines = "<br>".join(map(escaped, _lines(result)))
        head = escaped(f"{result.case.id}: {result.case.question}")
        parts.append(f"<details><summary>{head}</summary>{lines}</details>")
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Evaluation</title>'
        f'{STYLE}{TABLES}</head><body><div class="react-lab">{"".join(parts)}</div></body></html>'
    )


def by_kind(results: Sequence[Result]):
    """A Figure: the share of right answers for each kind of case, with its 95% interval."""
    from matplotlib.figure import Figure

    kinds = _kinds(results)
    counts = [(sum(found), len(found)) for found in kinds.values()]
    shares = [right / n for right, n in counts]
    bounds = [interval(right, n) for right, n in counts]
    below = [max(0, here - low) for here, (low, _) in zip(shares, bounds)]
    above = [max(0, high - here) for here, (_, high) in zip(shares, bounds)]
    title = "Answers right, with 95% intervals"
    figure = Figure(figsize=(7, 1.2 + 0.4 * len(kinds)), layout="constrained", facecolor="white")
    axes = figure.add_subplot()
    axes.errorbar(shares, range(len(kinds)), xerr=[below, above], fmt="o", color="black", capsize=4)
    axes.set(xlabel="share of the cases", title=title, xlim=(-0.02, 1.02))
    axes.set_yticks(range(len(kinds)), map(plots.label, kinds), parse_math=False)
    axes.set_ylim(len(kinds) - 0.5, -0.5)  # the first one above
    lines = [f"{kind}: {share(found)}." for kind, found in kinds.items()]
    summary = f"{share(result.right for result in results)} of all cases."
    figure.set_label("\n".join([f"{title}, as points.", summary, *lines]))
    return figure


def _kinds(results: Sequence[Result]) -> dict[str, list[bool]]:
    """What was right, by the kind of case."""
    kinds = {}
    for result in results:
        kinds.setdefault(result.case.kind, []).append(result.right)
    return kinds


def _tables(results: Sequence[Result]) -> list[tuple[str, list[str], list[list[str]]]]:
    """The tables of a report: title, head and rows of each."""
    metrics = [[name, figure] for name, figure in figures(results).items()]
    kinds = [[kind, share(found)] for kind, found in _kinds(results).items()]
    reasons = [[str(reason), str(n)] for reason, n in unfinished(results).most_common()]
    head = ["case", "answer", "calls", "rounds", "tokens", "stop"]
    return [
        ("All cases, with 95% intervals", ["metric", "figure"], metrics),
        ("Answers right", ["kind of case", "figure"], kinds),
        ("Unfinished runs", ["reason", "runs"], reasons or [["none", "0"]]),
        ("Cases", head, [_case_row(result) for result in results]),
    ]


def _case_row(result: Result) -> list[str]:
    """A case as a row of the last table."""
    return [
        result.case.id,
        "right" if result.right else "not right",
        "as expected" if result.calls else "others",
        str(result.rounds),
        f"{result.tokens:,}" if result.tokens else "not told",
        str(result.run.stop),
    ]


def _table(table: tuple[str, list[str], list[list[str]]]) -> str:
    title, head, rows = table
    lines = [_row(head, "th"), *(_row(row, "td") for row in rows)]
    return f"<table><caption>{escaped(title)}</caption>{''.join(lines)}</table>"


def _not_passed(results: Sequence[Result]) -> list[Result]:
    return [result for result in results if not result.passed]


def _lines(result: Result) -> list[str]:
    """What was expected of a case, and what came."""
    case, moves = result.case, [move for step in result.run.steps for move, _ in step.moves]
    nothing = "that it cannot be known" if case.calls else "any answer"
    made = [show_move(move) for move in moves if isinstance(move, Action)]
    return [
        f"  Wanted: {' and '.join(case.right) or nothing}",
        f"  Calls expected: {', '.join(one['tool'] for one in case.calls) or 'none'}",
        f"  Calls made: {', '.join(made) or 'none'}",
        *(f"  {line}" for line in show_end(result.run).splitlines()),
    ]


def _row(cells: list[str], tag: str) -> str:
    scope = ' scope="col"' if tag == "th" else ""
    return "<tr>" + "".join(f"<{tag}{scope}>{escaped(c)}</{tag}>" for c in cells) + "</tr>"


def _picture(figure) -> str:
    """A Figure as an image inside the page, with its words as alt text."""
    image = BytesIO()
    figure.savefig(image, format="png", dpi=90, metadata={"Software": None})
    alt = escaped(" ".join(plots.figure_alt(figure).split("\n")))
    data = b64encode(image.getvalue()).decode()
    return f'<p><img alt="{alt}" src="data:image/png;base64,{data}"></p>'
