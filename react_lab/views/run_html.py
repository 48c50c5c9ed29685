"""Run as HTML: its fields in colour, where its time and tokens went, each step in three columns.

Pure functions. What they return needs no kernel and no script, follows the theme, and reads well
without its style too, because every colour has its name beside it. Each text of the model is
escaped.
"""

from react_lab.parser.fields import fields
from react_lab.parser.moves import Action, FinalAnswer, Malformed
from react_lab.registry.registry import Observation
from react_lab.registry.results import sendable
from react_lab.trace import Run, Step
from react_lab.views import text
from react_lab.views.marked import MARK, mark, marked
from react_lab.views.pages import COLOURS, NAMES, PARTS, STYLE, escaped

LONG = 240  # characters of a field that are shown before it is folded
ROWS = 5  # token bars shown at once

LOOK = f"""{STYLE}{MARK}<style>
.react-lab .step {{ border-top: 1px solid var(--jp-border-color1, #8888); padding: 4px 0 6px; }}
.react-lab small, .react-lab .small {{ font-size: 12px; font-weight: normal; }}
.react-lab summary {{ cursor: pointer; overflow-wrap: anywhere; }}
.react-lab details > pre {{ margin: 4px 0 8px 16px; padding-left: 8px;
  border-left: 2px solid var(--jp-border-color1, #8888); }}
.react-lab .columns {{ display: grid; grid-template-columns: repeat(3, minmax(0, 1fr)); gap: 8px;
  margin: 6px 0; }}
.react-lab .column {{ border: 1px solid var(--jp-border-color1, #8888); border-radius: 6px;
  padding: 6px 8px; overflow-wrap: anywhere; }}
.react-lab .column > b:first-child {{ display: block; }}
.react-lab .lanes {{ display: grid; grid-template-columns: max-content 1fr; gap: 3px 10px;
  align-items: center; font-size: 12px; }}
.react-lab .lane {{ position: relative; height: 16px; overflow: hidden; border-radius: 3px;
  background: var(--jp-layout-color2, #8883); display: flex; }}
.react-lab .lane > span {{ color: #fff; font-size: 11px; line-height: 16px; padding: 0 4px;
  box-sizing: border-box; overflow: hidden; white-space: nowrap; min-width: 3px; flex: none;
  border-right: 1px solid var(--jp-layout-color0, Canvas); }}
.react-lab .lane > span.none {{ background: transparent; border: 0; min-width: 0; padding: 0; }}
.react-lab .column .mark {{ display: block; }}
.react-lab .first {{ outline: 2px solid currentcolor; outline-offset: 1px; border-radius: 3px; }}
@media (max-width: 700px) {{ .react-lab .columns {{ grid-template-columns: 1fr; }} }}
</style>"""

PAGE = """<style>
:root { color-scheme: light dark; }
body { background: Canvas; color: CanvasText; font-family: system-ui, sans-serif; font-size: 15px;
  max-width: 72rem; margin: 0 auto; padding: 1rem; }
h1 { font-size: 1.3rem; }
</style>"""


# Fields -------------------------------------------------------------------------------------


def field(kind: str, name: str, words: str) -> str:
    """Return a field as HTML: its name on its colour, and its text, folded if it is long."""
    if len(words) <= LONG and words.count("\n") < 5:
        return mark(kind, name, words)
    start = " ".join(words[:LONG].split())[:90]
    colour = COLOURS.get(kind, "#666666")
    return (
        f'<details class="mark-fold"><summary><span class="badge" style="background: {colour}">'
        f"{escaped(name)}</span> {escaped(start)} … <small>({len(words):,} characters)</small>"
        f"</summary><pre>{escaped(words)}</pre></details>"
    )


def result(seen: Observation, edited: bool = False) -> str:
    """Return an observation as HTML. One that reports an error says so in word and colour."""
    name = f"✗ {seen.error}" if seen.error else "observation"
    name += ", edited by you" if edited else ""
    name += f", {seen.truncated:,} characters cut" if seen.truncated else ""
    return field("error" if seen.error else "observation", name, seen.full_text)


def step_fields(step: Step) -> list[tuple[str, str, str]]:
    """Return (kind, name, text) for each field of a step that has a text, in reading order."""
    found = [("thought", "thought", step.move.thought)]
    for move, seen in step.moves:
        if isinstance(move, Action):
            found += [("action", "action", move.tool)]
            found += [("input", "action input", text.as_json(move.arguments))]
        elif isinstance(move, FinalAnswer):
            found.append(("answer", "final answer", move.answer))
        else:
            found.append(("error", "✗ unreadable", f"{move.reason}\n{text.wrote(step)}"))
        if seen:
            name = f"✗ {seen.error}" if seen.error else "observation"
            found.append(("error" if seen.error else "observation", name, seen.full_text))
    return [(kind, name, words) for kind, name, words in found if words]


def trace(run: Run) -> str:
    """Return a whole run as HTML: the question, the fields of each step, and how it ended."""
    steps = ""
    for number, step in enumerate(text.rounds(run), 1):
        parts = "".join(field(*one) for one in step_fields(step))
        parts += "".join(f'<div class="small">Note: {escaped(n)}</div>' for n in step.reply.notes)
        name = f"<b>{step_name(run, number)}</b> <small>{escaped(cost(step))}</small>"
        steps += f'<div class="step">{name}{parts}</div>'
    question = f"<div><b>Question:</b> {escaped(run.question)}</div>"
    return f'{LOOK}<div class="react-lab">{question}{steps}{end(run)}</div>'


def end(run: Run) -> str:
    """Return how a run ended, or that it can continue, as a line of HTML."""
    words = text.show_end(run) if run.stop else "The run can continue."
    sign = "✓ " if run.finished else "■ " if run.stop else ""
    return f'<div class="step">{sign}{escaped(words)}</div>'


def step_name(run: Run, number: int) -> str:
    """Return "Step 2", or "Last word" for the round after a limit."""
    return f"Step {number}" if number <= len(run.steps) else "Last word"


def origin(step: Step) -> str:
    """Return "recorded", "live", or "" for a reply that no model has counted, such as a script."""
    if step.reply.recorded:
        return "recorded"
    return "live" if step.reply.tokens_out is not None else ""


def cost(step: Step) -> str:
    """Return tokens, seconds and origin of a reply in a few words."""
    reply = step.reply
    tokens = f"{reply.tokens_out:,} tokens" if reply.tokens_out is not None else ""
    seconds = f"{reply.seconds:.1f} s" if reply.seconds >= 0.05 else ""
    return ", ".join(filter(None, (tokens, seconds, origin(step))))


def call(move: Action) -> str:
    """Return a call as Python would write it: `get_weather(city="Lima")`."""
    given = ", ".join(f"{name}={text.as_json(value)}" for name, value in move.arguments.items())
    return f"{move.tool}({given})"


def headline(run: Run, number: int) -> tuple[str, str]:
    """Return what a step did, in two short lines: the tool or the answer, and what came of it."""
    step = text.rounds(run)[number - 1]
    move, seen = step.moves[-1] if step.waiting is None else (step.waiting, None)
    if isinstance(move, FinalAnswer):
        return "✓ Final Answer", _short(move.answer)
    if isinstance(move, Malformed):
        return "✗ unreadable", _short(move.reason)
    more = f" +{len(step.also)}" if step.also else ""
    given = ", ".join(map(str, move.arguments.values()))
    if seen is None:
        return f"? {move.tool}{more}", "waits for you" if run.pending else "not run"
    sign = "✗ " if seen.error else ""
    return f"{sign}{move.tool}{more}", _short(f"{_short(given, 16)} → {seen.text}")


def _short(words: str, most: int = 40) -> str:
    line = " ".join(words.split())
    return sendable(line if len(line) <= most else f"{line[: most - 1]}…")


# Time and tokens ----------------------------------------------------------------------------


def overview(run: Run, number: int = 0) -> str:
    """Return where time and tokens of a run went: two lanes, and a bar of tokens for each step.

    Args:
        run: The run.
        number: The step in view, from 1. Of a long run the bars around it are shown.
    """
    if not text.rounds(run):
        return ""
    return f'<div class="lanes">{_lanes(run)}{_token_bars(run, number)}</div>'


def _lanes(run: Run) -> str:
    """Return the time of model and tools as two lanes on one scale of seconds."""
    spent = []
    for step in text.rounds(run):
        spent.append(("model", round(step.reply.seconds, 1)))
        tools = sum(seen.seconds for _, seen in step.moves if seen)
        spent.append(("tools", round(tools, 1)))
    total = sum(seconds for _, seconds in spent)
    if not total:
        return ""
    lanes = ""
    for lane in ("model", "tools"):
        cells, said = "", []
        for part, seconds in spent:
            width = f"width: {100 * seconds / total:.1f}%"
            if part != lane:
                cells += f'<span class="none" style="{width}"></span>'
                continue
            said.append(f"{seconds:.1f}")
            cells += (
                f'<span style="{width}; background: {PARTS[part]}" '
                f'title="{part} {seconds:.1f} s">{_fitting(f"{seconds:.1f} s", seconds / total)}'
                "</span> "
            )
        name = f"{lane} {sum(map(float, said)):.1f} s"
        lanes += f'<span>{name}</span> <div class="lane">{cells}</div>'
    return lanes


def _fitting(words: str, share: float) -> str:
    """Return as many whole words, from the end, as fit into a share of a lane."""
    room = 100 * share - 1  # a lane is about 100 characters wide
    while words and len(words) > room:
        words = words.partition(" ")[2]
    return words


def tokens(run: Run) -> tuple[str, list[tuple[int, int, int]]]:
    """Return the unit, and (prompt, history, new) of each round in it.

    The unit is "tokens", or "characters" where a reply has no token counts. The prompt is what
    the first round sent; the history is what later rounds sent beyond it.
    """
    steps = text.rounds(run)
    counted = all(None not in (one.reply.tokens_in, one.reply.tokens_out) for one in steps)
    rows, first = [], None
    for step in steps:
        if counted:
            sent, new = step.reply.tokens_in or 0, step.reply.tokens_out or 0
        else:
            sent = sum(len(text.content(message)) for message in step.sent)
            new = len(text.wrote(step))
        first = sent if first is None else min(first, sent)
        rows.append((first, sent - first, new))
    return "tokens" if counted else "characters", rows


def _token_bars(run: Run, number: int) -> str:
    """Return a bar for each of the rounds around the one in view."""
    unit, rows = tokens(run)
    most = max(1, max(map(sum, rows)))
    begin = max(0, min(number - ROWS // 2 - 1, len(rows) - ROWS))
    bars = ""
    for place in range(begin, min(begin + ROWS, len(rows))):
        cells = ""
        for part, value in zip(("prompt", "history", "new"), rows[place]):
            if value:
                width = f"width: {97 * value / most:.1f}%"
                said = f"{part} {value:,}"
                cells += f'<span style="{width}; background: {PARTS[part]}" title="{said}">'
                cells += f"{_fitting(said, value / most)}</span> "
        name = step_name(run, place + 1).lower()
        here = "▸ " if place + 1 == number else ""
        total = f"{sum(rows[place]):,} {unit}, {rows[place][2]:,} new"
        bars += f'<span>{here}{name}: {total}</span> <div class="lane">{cells}</div>'
    return bars


# One step in three columns ------------------------------------------------------------------


def reads(run: Run, number: int) -> str:
    """Return what the model reads in a round: what is new, and folded what it had read before."""
    sent = text.rounds(run)[number - 1].sent
    unit, rows = tokens(run)
    prompt, history, _ = rows[number - 1]
    size = f"{len(sent)} messages, {prompt + history:,} {unit}"
    before, new = [], ""
    for message, fresh in zip(sent, text.new_messages(run, number), strict=True):
        words, role = text.content(message), str(message["role"])
        if fresh:
            new += field(_kind(role, number), f"{role}, new" if number > 1 else role, words)
        else:
            before.append(f"{role}: {words}")
    past = ""
    if before:
        words = escaped("\n\n".join(before))
        past = f"<details><summary>{len(before)} messages as before</summary><pre>{words}</pre>"
        past += "</details>"
    if missing := text.unsent(run, number):
        past += f'<div class="small">Not sent whole: {escaped(", ".join(missing))}</div>'
    return column("1 · Model reads", size, past + new)


def _kind(role: str, number: int) -> str:
    """Return the field whose colour a message takes."""
    if role == "assistant":
        return "action"
    return "observation" if number > 1 and role != "system" else "thought"


def writes(run: Run, number: int) -> str:
    """Return what the model writes in a round, its fields in colour, and how it was read."""
    step = text.rounds(run)[number - 1]
    reply, parts = step.reply, ""
    if reply.reasoning:
        parts += field("thought", "reasoning", reply.reasoning)
    parts += written(reply.text)
    for one in reply.tool_calls:
        parts += field("action", "native call", text.content({"content": one}))
    said = [f"Repaired or dropped: {what}" for move, _ in step.moves for what in move.repairs]
    said += [f"Note: {note}" for note in reply.notes]
    if isinstance(step.move, Malformed):
        said.insert(0, f"✗ Unreadable: {step.move.reason}")
    if reply.finish_reason not in (None, "stop", "tool_calls"):
        said.append(f"The reply ended with: {reply.finish_reason}")
    parts += "".join(f'<div class="small">{escaped(one)}</div>' for one in said)
    if reply.text:
        parts += f"<details><summary>as it came</summary><pre>{escaped(reply.text)}</pre></details>"
    return column("2 · Model writes", cost(step), parts or "(nothing)")


def written(words: str) -> str:
    """Return a reply, or as much of it as there is, with its fields in colour."""
    if not fields(words):
        return mark("thought", NAMES.get("", "text"), words) if words.strip() else ""
    return "".join(
        mark(one.kind, one.name, one.text, bool(one.doubt)) for one in marked(words).parts
    )


def runs(run: Run, number: int, edited: frozenset[int] = frozenset()) -> str:
    """Return what the program does in a round: each call with its result.

    Args:
        run: The run.
        number: The round, from 1.
        edited: The steps whose observation a person has changed.
    """
    step, parts = text.rounds(run)[number - 1], ""
    for move, seen in step.moves:
        if isinstance(move, Action):
            parts += f"<pre>{escaped(call(move))}</pre>"
        if isinstance(move, FinalAnswer):
            parts += "<div>✓ Nothing to run: this is the answer.</div>"
        if seen:
            parts += result(seen, number in edited)
        elif isinstance(move, Action):
            waits = run.pending is move
            parts += f"<div>{'? It waits for your yes or no.' if waits else 'Not run.'}</div>"
    seconds = sum(seen.seconds for _, seen in step.moves if seen)
    failed = any(seen and seen.error for _, seen in step.moves)
    ran = any(seen and isinstance(move, Action) for move, seen in step.moves)
    size = f"{'✗ error' if failed else 'ok'}, {seconds:.1f} s" if ran else ""
    return column("3 · Program runs", size, parts)


def column(name: str, size: str, body: str) -> str:
    """Return a column with its name and a few words on its size; it scrolls, also by keyboard."""
    scroll = f'class="column" tabindex="0" role="group" aria-label="{escaped(name)}"'
    return f"<div {scroll}><b>{escaped(name)} <small>{escaped(size)}</small></b> {body}</div>"


def columns(run: Run, number: int, edited: frozenset[int] = frozenset()) -> str:
    """Return one round in three columns: reads, writes, runs."""
    three = reads(run, number) + writes(run, number) + runs(run, number, edited)
    return f'<div class="columns">{three}</div>'


# A whole run without a kernel ---------------------------------------------------------------


def folds(run: Run) -> str:
    """Return a whole run: where its time and tokens went, and each step folded in a line."""
    parts = f"<div><b>Question:</b> {escaped(run.question)}</div>{overview(run)}"
    for number in range(1, len(text.rounds(run)) + 1):
        title, below = headline(run, number)
        name = f"<b>{step_name(run, number)}: {escaped(title)}</b> {escaped(below)}"
        opened = " open" if number == len(text.rounds(run)) else ""
        parts += f'<details class="step"{opened}><summary>{name}</summary>'
        parts += f"{columns(run, number)}</details>"
    return f'{LOOK}<div class="react-lab">{parts}{end(run)}</div>'


def page(run: Run) -> str:
    """Return a run as a whole page of HTML, in the colours that the reader's system prefers."""
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>{escaped(_short(run.question, 70))}</title>{PAGE}</head>"
        f"<body><h1>A run of an agent</h1>{folds(run)}</body></html>\n"
    )
