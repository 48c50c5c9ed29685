"""Report: an evaluation as a page of HTML with plots, and as plain text.

Pure functions from results to a string; `by_kind` gives a Figure that carries its own words, as
those of `plots` do. The text holds all that the page does.

>>> bar(9, 12)
'[##################......] 9 of 12 cases'
"""

import re
from base64 import b64encode
from collections.abc import Sequence
from io import BytesIO
from typing import TYPE_CHECKING

from react_lab.evaluation.evaluation import Regression, Result, figures, unfinished
from react_lab.evaluation.intervals import interval, share
from react_lab.parser.moves import Action
from react_lab.registry.results import sendable
from react_lab.views import plots
from react_lab.views.pages import COLOURS, STYLE, escaped
from react_lab.views.text import show_end, show_move

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# On the tags themselves: a cell that shows the page drops them, so they cannot reach Jupyter.
ROOT = "color-scheme: light dark"
BODY = (
    "background: Canvas; color: CanvasText; font: 15px/1.4 system-ui, sans-serif; "
    "max-width: 64rem; margin: 0 auto; padding: 1rem"
)
LOOK = f"""{STYLE}<style>
.react-lab.report table {{ border-collapse: collapse; margin: 8px 0; }}
.react-lab.report caption {{ text-align: left; font-weight: bold; white-space: nowrap; }}
.react-lab.report th, .react-lab.report td {{ padding: 3px 10px; text-align: left;
  vertical-align: top; border-bottom: 1px solid var(--jp-border-color1, #8888); }}
.react-lab.report img {{ max-width: 100%; }}
.react-lab .tile {{ display: inline-block; border: 1px solid var(--jp-border-color1, #8888);
  border-radius: 6px; padding: 4px 14px; margin: 0 8px 8px 0; vertical-align: top; }}
.react-lab .tile b {{ font-size: 20px; display: block; }}
.react-lab .tile > i {{ display: block; height: 6px; border-radius: 3px; margin-top: 3px;
  background: var(--jp-layout-color3, #8886); overflow: hidden; }}
.react-lab .tile > i > i {{ display: block; height: 6px; background: {COLOURS["answer"]}; }}
.react-lab .mark-yes, .react-lab .mark-no {{ color: #fff; border-radius: 3px; padding: 0 6px;
  white-space: nowrap; }}
.react-lab .mark-yes {{ background: {COLOURS["answer"]}; }}
.react-lab .mark-no {{ background: {COLOURS["error"]}; }}
.react-lab.report fieldset {{ border: 1px solid var(--jp-border-color1, #8888);
  border-radius: 6px; margin: 6px 0; padding: 2px 10px; }}
.react-lab.report label {{ margin-right: 14px; white-space: nowrap; }}
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
    """Return the report as a page of HTML, its plots inside. It follows the reader's theme.

    Args:
        results: What came of the cases.
        of: How many cases there are, also those not reached.
    """
    parts = ["<h1>Evaluation</h1>", f"<p>{escaped(reached(results, of))}</p>", _tiles(results)]
    *short, cases = _tables(results)
    parts += map(_table, short)
    if results:
        parts += [_picture(by_kind(results)), _picture(plots.tool_use(r.run for r in results))]
    parts += [_filters(results), _cases(cases, results)]
    for result in _not_passed(results):
        lines = "<br>".join(map(escaped, _lines(result)))
        head = escaped(f"{result.case.id}: {result.case.question}")
        kind = _classes(result, results)
        parts.append(
            f'<details class="{kind}"><summary>✗ {head}</summary><div>{lines}</div></details>'
        )
    return (
        f'<!doctype html><html lang="en" style="{ROOT}"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        f'<title>Evaluation</title>{LOOK}</head><body style="{BODY}">'
        f'<div class="react-lab report"><form>{"".join(parts)}'
        "</form></div></body></html>"
    )


def _tiles(results: Sequence[Result]) -> str:
    """Return the shares of an evaluation as tiles: the percentage large, the rest small."""
    tiles = f'<span class="tile"><b>{len(results)}</b> cases run</span> '
    for name, figure in figures(results).items():
        if found := re.fullmatch(r"(\d+/\d+) (\d+)%.*", figure):
            tiles += f'<span class="tile"><b>{found[2]}%</b> {escaped(name)} '
            tiles += f'<small>{found[1]}</small><i><i style="width: {found[2]}%"></i></i></span> '
    return tiles


def _filters(results: Sequence[Result]) -> str:
    """Return two rows of radio buttons that choose which cases show, without any script."""
    outcomes = {"all": "", "passed": ".passed", "not passed": ".failed"}
    kinds = {"all": "", **{kind: f".k{n}" for n, kind in enumerate(_kinds(results))}}
    keys = 'data-lm-suppress-shortcuts="true"'  # Jupyter leaves the arrow keys to the choice
    rules, rows = "", ""
    for title, choices in (("Result", outcomes), ("Kind of case", kinds)):
        group, labels = title.split()[0].lower(), ""
        for number, (name, only) in enumerate(choices.items()):
            checked = "" if number else " checked"
            value = f"{group}{number}"
            labels += f'<label><input type="radio" name="{group}" value="{value}" {keys}{checked}> '
            labels += f"{escaped(name)}</label> "
            if only:
                chosen = f".react-lab.report:has(input[value={value}]:checked)"
                rules += f"{chosen} .case:not({only}) {{ display: none; }}\n"
        rows += f"<fieldset><legend>{title}</legend>{labels}</fieldset>"
    return f"<style>{rules}</style>{rows}"


def _classes(result: Result, results: Sequence[Result]) -> str:
    """Return what the filters know a case by."""
    passed = "passed" if result.passed else "failed"
    return f"case {passed} k{list(_kinds(results)).index(result.case.kind)}"


def _cases(table: tuple[str, list[str], list[list[str]]], results: Sequence[Result]) -> str:
    """Return the table of cases; whether one passed has a sign and a colour."""
    title, head, rows = table
    lines = _row(head, "th")
    for row, result in zip(rows, results):
        name, answer, calls, *rest = row
        cells = f"<td>{escaped(name)}</td><td>{_mark(answer, result.right)}</td>"
        cells += f"<td>{_mark(calls, result.calls)}</td>"
        cells += "".join(f"<td>{escaped(cell)}</td>" for cell in rest)
        lines += f'<tr class="{_classes(result, results)}">{cells}</tr>'
    return f"<table><caption>{escaped(title)}</caption>{lines}</table>"


def _mark(words: str, good: bool) -> str:
    sign, kind = ("✓", "yes") if good else ("✗", "no")
    return f'<span class="mark-{kind}">{sign} {escaped(words)}</span>'


def by_kind(results: Sequence[Result]) -> "Figure":
    """Return a Figure: the share of right answers for each kind of case, with its 95% interval."""
    kinds = _kinds(results)
    counts = [(sum(found), len(found)) for found in kinds.values()]
    shares = [right / n for right, n in counts]
    bounds = [interval(right, n) for right, n in counts]
    below = [max(0, here - low) for here, (low, _) in zip(shares, bounds)]
    above = [max(0, high - here) for here, (_, high) in zip(shares, bounds)]
    title = "Answers right, with 95% intervals"
    figure, axes = plots.canvas(1.2 + 0.4 * len(kinds))
    axes.errorbar(
        shares, range(len(kinds)), xerr=[below, above], fmt="o", color=plots.INK, capsize=4
    )
    axes.set(xlabel="share of the cases", title=title, xlim=(-0.02, 1.02))
    axes.set_yticks(range(len(kinds)), map(plots.label, kinds), parse_math=False)
    axes.set_ylim(len(kinds) - 0.5, -0.5)  # the first one above
    lines = [f"{kind}: {share(found)}." for kind, found in kinds.items()]
    summary = f"{share(result.right for result in results)} of all cases."
    figure.set_label("\n".join([f"{title}, as points.", summary, *lines]))
    return figure


def _kinds(results: Sequence[Result]) -> dict[str, list[bool]]:
    """What was right, by the kind of case."""
    kinds: dict[str, list[bool]] = {}
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


def _picture(figure: "Figure") -> str:
    """A Figure as an image inside the page, with its words as alt text."""
    image = BytesIO()
    figure.savefig(image, format="png", dpi=90, metadata={"Software": None})
    alt = escaped(" ".join(plots.figure_alt(figure).split("\n")))
    data = b64encode(image.getvalue()).decode()
    return f'<p><img alt="{alt}" src="data:image/png;base64,{data}"></p>'
