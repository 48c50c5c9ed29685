"""Plots: where the tokens and the seconds of a run went, and which tools were used.

Each function returns a matplotlib Figure that carries its own summary and alt text; `show`
displays all three. Bars differ by pattern as well as by colour.
"""

from base64 import b64encode
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from html import escape
from io import BytesIO
from itertools import accumulate, cycle
from typing import TYPE_CHECKING, Any

from react_lab.models.reply import Reply
from react_lab.parser.moves import Action
from react_lab.registry.results import sendable
from react_lab.trace import Run
from react_lab.views import text
from react_lab.views.pages import COLOURS, PARTS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# The colour and the pattern of each part; the pattern is for print and for colour-blind people.
LOOKS = {
    "prompt": (PARTS["prompt"], ""),
    "history": (PARTS["history"], "//"),
    "new": (PARTS["new"], ".."),
    "model": (PARTS["model"], ""),
    "tools": (PARTS["tools"], "//"),
    "result": (PARTS["new"], ""),
    "error": (COLOURS["error"], "//"),
    "from the cache": (PARTS["prompt"], "//"),
    "computed": (PARTS["model"], ""),
}
# Words and lines of a plot: legible on white and on the dark theme, because nothing is behind them.
INK = "#767676"
HIGHEST = 5.0  # inches; 500 px at the 100 dots per inch of `show`


def tokens(run: Run, count: Callable[[str], int] | None = None) -> "Figure":
    """Return a Figure: the tokens of each round, stacked: prompt, history, new.

    prompt: system message and question. history: the rounds so far, sent again. new: what the
    model wrote. count: from a text to its tokens, used where the endpoint told none. The prompt
    is what the first round was sent, so a policy that shortens it makes the history look
    smaller. Raises ValueError for a run without counts when there is no `count`.
    """
    names: list[str] = []
    parts: dict[str, list[float]] = {"prompt": [], "history": [], "new": []}
    first: int | None = None
    for number, step in enumerate(text.rounds(run), 1):
        reply, sent = step.reply, "\n".join(text.content(message) for message in step.sent)
        got, new = reply.tokens_in, reply.tokens_out
        if got is None or new is None:
            if count is None:
                raise ValueError("The endpoint told no tokens; pass count=, such as count_tokens.")
            got, new = count(sent), count(reply.text)
        first = min(got, got if first is None else first)
        names.append(f"step {number}" if number <= len(run.steps) else "last word")
        for part, value in zip(parts.values(), (first, got - first, new), strict=True):
            part.append(value)
    sums = {part: sum(values) for part, values in parts.items()}
    told = ", ".join(f"{part} {value:,}" for part, value in sums.items())
    summary = f"{sum(sums.values()):,} tokens in {len(names)} rounds: {told}."
    return _bars(names, parts, "tokens", "Tokens of each round", summary)


def timeline(run: Run) -> "Figure":
    """Return a Figure: when the model and the tools were at work, round by round, in seconds."""
    names, models, tools, starts, now = [], [], [], [], 0.0
    for number, step in enumerate(text.rounds(run), 1):
        names.append(f"step {number}" if number <= len(run.steps) else "last word")
        models.append(step.reply.seconds)
        tools.append(sum(result.seconds for _, result in step.moves if result))
        starts.append(now)
        now += models[-1] + tools[-1]
    summary = f"{now:.1f} seconds: {sum(models):.1f} in the model, {sum(tools):.1f} in tools."
    parts = {"model": models, "tools": tools}
    return _bars(names, parts, "seconds", "Time of model and tools", summary, starts)


def tool_use(runs: Run | Iterable[Run]) -> "Figure":
    """Return a Figure: how often each tool was called in one or many runs, and with an error."""
    good: Counter[str] = Counter()
    bad: Counter[str] = Counter()
    for run in [runs] if isinstance(runs, Run) else runs:
        for step in run.steps:
            for move, result in step.moves:
                if isinstance(move, Action) and result:
                    (bad if result.error else good)[label(move.tool)] += 1
    names = sorted(good + bad, key=lambda name: (-good[name] - bad[name], name))
    parts = {"result": [good[n] for n in names], "error": [bad[n] for n in names]}
    most = f" Most often: {names[0]}." if names else ""
    summary = f"{good.total() + bad.total()} calls, {bad.total()} of them errors.{most}"
    return _bars(names, parts, "calls", "Calls of each tool", summary)


def growth(sizes: dict[str, list[int]]) -> "Figure":
    """Return a Figure: all tokens sent up to each round, as a line for each name.

    sizes: by name, the tokens that each round sent. Lines differ by their marks.
    """
    title = "Tokens sent in all, up to each round"
    figure, axes = canvas(4.2)
    words = []
    looks = zip(cycle("os^DvPX*"), cycle(COLOURS.values()))
    for (mark, colour), (name, rounds) in zip(looks, sizes.items()):
        sums = list(accumulate(rounds))
        places = range(1, len(sums) + 1)
        axes.plot(places, sums, f"{mark}-", color=colour, markersize=6, label=name)
        half = len(sums) // 2
        words.append(f"{name}: {sum(rounds[:half]):,} in {half} rounds, {sum(rounds):,} in all.")
    axes.set(xlabel="round", ylabel="tokens", title=title, ylim=(0, None))
    axes.locator_params("x", integer=True)
    legend(figure, 2)
    most = max(sizes, key=lambda name: sum(sizes[name]))
    figure.set_label("\n".join([f"{title}, as lines.", f"Most: {most}.", *words]))
    return figure


def cache_use(replies: dict[str, list[Reply]]) -> "Figure":
    """Return a Figure: of the prompt tokens of each name's replies, how many came from a cache.

    replies: by name, in any order. An endpoint that tells no cached tokens counts as 0 of them.
    """
    cached = [sum(one.tokens_cached or 0 for one in group) for group in replies.values()]
    sent = [sum(one.tokens_in or 0 for one in group) for group in replies.values()]
    parts = {"from the cache": cached, "computed": [a - b for a, b in zip(sent, cached)]}
    summary = f"{sum(parts['computed']):,} of {sum(sent):,} prompt tokens were computed."
    return _bars(list(replies), parts, "tokens", "Prompt tokens and the cache", summary)


def canvas(height: float) -> "tuple[Figure, Axes]":
    """Return an empty figure and its axes for both themes: transparent, in grey, 700 px wide.

    Args:
        height: Its height in inches; at most 5 are used, so that it fits on a screen.
    """
    from matplotlib.figure import Figure  # not pyplot: nothing global, nothing shown twice

    size = (7, min(height, HIGHEST))
    figure = Figure(figsize=size, layout="constrained", facecolor="none")
    axes = figure.add_subplot(facecolor="none")
    axes.tick_params(color=INK, labelcolor=INK)
    axes.title.set_color(INK)
    axes.xaxis.label.set_color(INK)
    axes.yaxis.label.set_color(INK)
    axes.spines[:].set_color(INK)
    axes.spines[["top", "right"]].set_visible(False)
    return figure, axes


def legend(figure: "Figure", columns: int) -> None:
    """Add a legend below the axes, in the grey of both themes."""
    figure.legend(loc="outside lower center", ncols=columns, labelcolor=INK, frameon=False)


def label(name: str) -> str:
    """A name as a picture can hold it: a line of at most 40 characters, no half emoji."""
    line = " ".join(name.split())
    return sendable(line if len(line) <= 40 else f"{line[:39]}…")


def show(figure: "Figure") -> None:
    """Display a Figure of this module in a notebook: picture, summary, and the figures in words.

    The picture has its alt text in the output's metadata. JupyterLab does not read that aloud,
    so the same words stand below, to be opened.
    """
    from IPython.display import display

    title, *rest = figure_alt(figure).split("\n")
    image = small_png(figure)
    alt = " ".join([title, *rest])
    data = {"image/png": b64encode(image).decode(), "text/plain": alt}
    show_raw = partial(display, raw=True)  # IPython has no hints
    show_raw(data, metadata={"image/png": {"alt": alt}})
    words = "<br>".join(map(escape, rest[1:]))
    html = f"<details><summary>{escape(rest[0])}</summary>{words}</details>"
    show_raw({"text/html": html, "text/plain": "\n".join(rest)})


def small_png(figure: "Figure") -> bytes:
    """Return a Figure as a PNG of 128 colours: a third of the size in a stored notebook."""
    from PIL import Image  # comes with matplotlib

    whole, small = BytesIO(), BytesIO()
    figure.savefig(whole, format="png", dpi=100, metadata={"Software": None})
    picture = Image.open(whole).convert("RGBA")
    picture.quantize(128, method=Image.Quantize.FASTOCTREE).save(small, "png", optimize=True)
    return small.getvalue()


def figure_alt(figure: "Figure") -> str:
    """What a Figure of this module shows, in words: title, summary, then each bar in a line."""
    return str(figure.get_label())


def _bars(
    names: list[str],
    parts: Mapping[str, Sequence[float]],
    unit: str,
    title: str,
    summary: str,
    starts: list[float] | None = None,
) -> "Figure":
    """Stacked bars from left to right, a row for each name; starts: where each row begins."""
    figure, axes = canvas(1.4 + 0.35 * len(names))
    left = list(starts or [0.0] * len(names))
    for part, values in parts.items():
        colour, hatch = LOOKS[part]
        look: dict[str, Any] = {
            "facecolor": colour,
            "hatch": hatch,
            "edgecolor": "white",
            "linewidth": 0.8,
        }
        axes.barh(range(len(names)), values, left=left, label=part, **look)
        left = [a + b for a, b in zip(left, values)]
    for row, (end, *values) in enumerate(zip(left, *parts.values())):
        place: dict[str, Any] = {"xytext": (4, 0), "textcoords": "offset points", "va": "center"}
        axes.annotate(_number(sum(values)), (end, row), color=INK, **place)
    axes.set(xlabel=unit, title=title)
    size = 10 if len(names) <= 10 else 7
    axes.set_yticks(range(len(names)), names, parse_math=False, fontsize=size)  # may hold a $
    axes.invert_yaxis()
    axes.set_xlim(0, 1.12 * max([*left, 1e-9]))
    axes.locator_params("x", integer=unit != "seconds")
    legend(figure, len(parts))
    words = [f"{title}, as stacked bars.", summary, *_words(names, parts, unit)]
    figure.set_label("\n".join(words))
    return figure


def _words(names: list[str], parts: Mapping[str, Sequence[float]], unit: str) -> list[str]:
    """Each bar as a line of text."""
    lines = []
    for name, *values in zip(names, *parts.values()):
        told = ", ".join(f"{part} {_number(value)}" for part, value in zip(parts, values))
        lines.append(f"{name}: {told} {unit}.")
    return lines


def _number(value: float) -> str:
    return f"{value:.1f}" if isinstance(value, float) else f"{value:,}"
