"""Grid: show results as a small table of marks and colours, and shares as stacked bars.

>>> grid({"25 + 38": [True, False], "Lima's time": [False, True]}, columns=["at once", "ReAct"])
             at once  ReAct
25 + 38         +       -
Lima's time     -       +
of 2            1       1
>>> bars({"v1": {"right": 3, "missed": 1}, "v2": {"right": 4}})
v1  right 3, missed 1
v2  right 4
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from react_lab.views.pages import STYLE, escaped

# Okabe and Ito (2008), from good to harmful; a mark or a number always comes with the colour.
SHADES = ("#009e73", "#999999", "#e69f00", "#d55e00")

TABLE = """<style>
.react-lab table.grid td, .react-lab table.grid th { padding: 2px 10px; text-align: center; }
.react-lab table.grid th[scope=row] { text-align: left; font-weight: normal; }
.react-lab table.grid td.yes { background: #008060; color: #fff; }
.react-lab .bar { display: flex; height: 22px; min-width: 320px; border-radius: 3px;
  overflow: hidden; }
.react-lab .bar > span { color: #000; font-size: 12px; line-height: 22px; text-align: center;
  overflow: hidden; white-space: nowrap; }
.react-lab .key { margin-right: 14px; white-space: nowrap; }
.react-lab .key > i { display: inline-block; width: 10px; height: 10px; margin-right: 4px; }
</style>"""


@dataclass(frozen=True)
class Grid:
    """Rows of yes and no, with a count below each column."""

    rows: tuple[tuple[str, tuple[bool, ...]], ...]
    columns: tuple[str, ...]

    @property
    def counts(self) -> tuple[int, ...]:
        """The number of rows that say yes, by column."""
        return tuple(sum(row[place] for _, row in self.rows) for place in range(len(self.columns)))

    def __repr__(self) -> str:
        head = f"of {len(self.rows)}"
        wide = max(len(name) for name in [head, *(name for name, _ in self.rows)])
        lines = [" " * wide + "".join(f"  {name}" for name in self.columns)]
        for name, row in self.rows:
            cells = "".join(
                "  " + ("+" if y else "-").center(len(c)) for y, c in zip(row, self.columns)
            )
            lines.append(f"{name.ljust(wide)}{cells}".rstrip())
        counts = "".join("  " + str(n).center(len(c)) for n, c in zip(self.counts, self.columns))
        return "\n".join([*lines, f"{head.ljust(wide)}{counts}".rstrip()])

    def _repr_html_(self) -> str:
        head = "".join(f'<th scope="col">{escaped(name)}</th>' for name in self.columns)
        body = ""
        for name, row in self.rows:
            cells = "".join('<td class="yes">✓</td>' if yes else "<td>–</td>" for yes in row)
            body += f'<tr><th scope="row">{escaped(name)}</th>{cells}</tr>'
        counts = "".join(f"<td><b>{count}</b></td>" for count in self.counts)
        body += f'<tr><th scope="row"><b>of {len(self.rows)}</b></th>{counts}</tr>'
        table = f'<table class="grid"><tr><td></td>{head}</tr>{body}</table>'
        return f'{STYLE}{TABLE}<div class="react-lab">{table}</div>'


def grid(rows: Mapping[str, Sequence[bool]], columns: Sequence[str]) -> Grid:
    """Return a grid of results.

    Args:
        rows: Yes or no for each column, by the name of the row.
        columns: The names of the columns.

    Raises:
        ValueError: The number of results in a row differs from the number of columns.
    """
    for name, row in rows.items():
        if len(row) != len(columns):
            raise ValueError(f"Row {name!r} has {len(row)} results for {len(columns)} columns.")
    return Grid(tuple((n, tuple(map(bool, r))) for n, r in rows.items()), tuple(columns))


@dataclass(frozen=True)
class Bars:
    """Shares of a whole, one stacked bar per row."""

    rows: tuple[tuple[str, tuple[tuple[str, int], ...]], ...]

    @property
    def parts(self) -> tuple[str, ...]:
        """The names of all parts, in the order of their first appearance."""
        return tuple(dict.fromkeys(part for _, row in self.rows for part, _ in row))

    def __repr__(self) -> str:
        wide = max((len(name) for name, _ in self.rows), default=0)
        return "\n".join(
            f"{name.ljust(wide)}  {', '.join(f'{part} {count}' for part, count in row if count)}"
            for name, row in self.rows
        )

    def _repr_html_(self) -> str:
        shade = {part: SHADES[place % len(SHADES)] for place, part in enumerate(self.parts)}
        keys = "".join(
            f'<span class="key"><i style="background: {shade[part]}"></i>{escaped(part)}</span>'
            for part in self.parts
        )
        body = ""
        for name, row in self.rows:
            cells = "".join(
                f'<span style="flex: {count}; background: {shade[part]}" title="{escaped(part)}">'
                f"{count}</span>"
                for part, count in row
                if count
            )
            bar = f'<td><div class="bar">{cells}</div></td>'
            body += f'<tr><th scope="row">{escaped(name)}</th>{bar}</tr>'
        return (
            f'{STYLE}{TABLE}<div class="react-lab">{keys}<table class="grid">{body}</table></div>'
        )


def bars(rows: Mapping[str, Mapping[str, int]]) -> Bars:
    """Return one stacked bar per row.

    Args:
        rows: For the name of each row, the count of each part by its name. The first part is the
            good one.
    """
    return Bars(tuple((name, tuple(row.items())) for name, row in rows.items()))
