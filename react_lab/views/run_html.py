"""Run as HTML: fields in colour, where time and tokens went, each step in three columns.

These functions are pure. Their HTML needs no kernel and no script, follows the theme, and is
readable without style, because every colour has its name beside it. All text of the model is
escaped.
"""

from react_lab.parser.fields import fields
from react_lab.parser.moves import Action, FinalAnswer, Malformed
from react_lab.prompt import in_language
from react_lab.registry.registry import Observation
from react_lab.registry.results import sendable
from react_lab.trace import Run, Step
from react_lab.views import text
from react_lab.views.marked import MARK, mark, marked
from react_lab.views.pages import COLOURS, NAMES, PARTS, STYLE, escaped
from react_lab.views.words import Say, say_for

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


ENGLISH = Say()

# Fields -------------------------------------------------------------------------------------


def field(kind: str, name: str, words: str, say: Say = ENGLISH) -> str:
    """Return a field as HTML: its name on its colour, and its text, folded if it is long."""
    if len(words) <= LONG and words.count("\n") < 5:
        return mark(kind, name, words)
    start = " ".join(words[:LONG].split())[:90]
    colour = COLOURS.get(kind, "#666666")
    size = say("({count:,} characters)", count=len(words))
    return (
        f'<details class="mark-fold"><summary><span class="badge" style="background: {colour}">'
        f"{escaped(name)}</span> {escaped(start)} … <small>{size}</small>"
        f"</summary><pre>{escaped(words)}</pre></details>"
    )


def result(seen: Observation, edited: bool = False, say: Say = ENGLISH) -> str:
    """Return an observation as HTML. An error is shown by a word and a colour."""
    name = f"✗ {say(seen.error)}" if seen.error else say("observation")
    name += say(", edited by you") if edited else ""
    if seen.truncated:
        name += say(", {count:,} characters cut", count=seen.truncated)
    return field("error" if seen.error else "observation", name, seen.full_text, say)


def step_fields(step: Step) -> list[tuple[str, str, str]]:
    """Return (kind, name, text) for each field of a step that has a text, in reading order."""
    say = say_for(step)
    found = [("thought", say("thought"), step.move.thought)]
    for move, seen in step.moves:
        if isinstance(move, Action):
            found += [("action", say("action"), move.tool)]
            found += [("input", say("action input"), text.as_json(move.arguments))]
        elif isinstance(move, FinalAnswer):
            found.append(("answer", say("final answer"), move.answer))
        else:
            why = in_language(move.reason, say.language)
            found.append(("error", say("✗ unreadable"), f"{why}\n{text.wrote(step)}"))
        if seen:
            name = f"✗ {say(seen.error)}" if seen.error else say("observation")
            found.append(("error" if seen.error else "observation", name, seen.full_text))
    return [(kind, name, words) for kind, name, words in found if words]


def trace(run: Run) -> str:
    """Return a whole run as HTML: the question, the fields of each step, and how it ended."""
    steps, say = "", say_for(run)
    for number, step in enumerate(text.rounds(run), 1):
        parts = "".join(field(*one, say) for one in step_fields(step))
        notes = [escaped(say("Note: {text}", text=note)) for note in step.reply.notes]
        parts += "".join(f'<div class="small">{note}</div>' for note in notes)
        name = f"<b>{step_name(run, number)}</b> <small>{escaped(cost(step))}</small>"
        steps += f'<div class="step">{name}{parts}</div>'
    question = f"<div><b>{say('Question:')}</b> {escaped(run.question)}</div>"
    return f'{LOOK}<div class="react-lab">{question}{steps}{end(run)}</div>'


def end(run: Run) -> str:
    """Return how a run ended, or that it can continue, as a line of HTML."""
    words = text.show_end(run) if run.stop else say_for(run)("The run can continue.")
    sign = "✓ " if run.finished else "■ " if run.stop else ""
    return f'<div class="step">{sign}{escaped(words)}</div>'


def step_name(run: Run, number: int) -> str:
    """Return "Step 2", or "Last word" for the round after a limit."""
    say = say_for(run)
    return say("Step {number}", number=number) if number <= len(run.steps) else say("Last word")


def origin(step: Step) -> str:
    """Return "recorded", "live", or "" for a reply that no model has counted, such as a script."""
    say = say_for(step)
    if step.reply.recorded:
        return say("recorded")
    return say("live") if step.reply.tokens_out is not None else ""


def cost(step: Step) -> str:
    """Return tokens, seconds and origin of a reply in a few words."""
    reply, say, count = step.reply, say_for(step), step.reply.tokens_out
    tokens = say("{count:,} tokens", count=count) if count is not None else ""
    seconds = say("{seconds:.1f} s", seconds=reply.seconds) if reply.seconds >= 0.05 else ""
    return say.comma.join(filter(None, (tokens, seconds, origin(step))))


def call(move: Action) -> str:
    """Return a call as Python would write it: `get_weather(city="Lima")`."""
    given = ", ".join(f"{name}={text.as_json(value)}" for name, value in move.arguments.items())
    return f"{move.tool}({given})"


def headline(run: Run, number: int) -> tuple[str, str]:
    """Return what a step did, in two short lines: the tool or the answer, and the result."""
    step, say = text.rounds(run)[number - 1], say_for(run)
    move, seen = step.moves[-1] if step.waiting is None else (step.waiting, None)
    if isinstance(move, FinalAnswer):
        return say("✓ Final Answer"), _short(move.answer)
    if isinstance(move, Malformed):
        return say("✗ unreadable"), _short(in_language(move.reason, say.language))
    more = f" +{len(step.also)}" if step.also else ""
    given = ", ".join(map(str, move.arguments.values()))
    if seen is None:
        return f"? {move.tool}{more}", say("waits for you" if run.pending else "not run")
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
    spent, say = [], say_for(run)
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
            took = say("{seconds:.1f} s", seconds=seconds)
            cells += (
                f'<span style="{width}; background: {PARTS[part]}" '
                f'title="{say(part)} {took}">{_fitting(took, seconds / total)}</span> '
            )
        name = f"{say(lane)} {say('{seconds:.1f} s', seconds=sum(map(float, said)))}"
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
    (unit, rows), say = tokens(run), say_for(run)
    most = max(1, max(map(sum, rows)))
    begin = max(0, min(number - ROWS // 2 - 1, len(rows) - ROWS))
    bars = ""
    for place in range(begin, min(begin + ROWS, len(rows))):
        cells = ""
        for part, value in zip(("prompt", "history", "new"), rows[place]):
            if value:
                width = f"width: {97 * value / most:.1f}%"
                said = f"{say(part)} {value:,}"
                cells += f'<span style="{width}; background: {PARTS[part]}" title="{said}">'
                cells += f"{_fitting(said, value / most)}</span> "
        name = step_name(run, place + 1).lower()
        here = "▸ " if place + 1 == number else ""
        values = {"total": sum(rows[place]), "unit": say(unit), "new": rows[place][2]}
        total = say("{total:,} {unit}, {new:,} new", **values)
        bars += f'<span>{here}{name}{say.colon}{total}</span> <div class="lane">{cells}</div>'
    return bars


# One step in three columns ------------------------------------------------------------------


def reads(run: Run, number: int) -> str:
    """Return what the model reads in a round: new messages, and earlier messages folded."""
    sent, say = text.rounds(run)[number - 1].sent, say_for(run)
    unit, rows = tokens(run)
    prompt, history, _ = rows[number - 1]
    values = {"messages": len(sent), "count": prompt + history, "unit": say(unit)}
    size = say("{messages} messages, {count:,} {unit}", **values)
    before, new = [], ""
    for message, fresh in zip(sent, text.new_messages(run, number), strict=True):
        words, role = text.content(message), str(message["role"])
        named = say(role)
        if fresh:
            name = say("{role}, new", role=named) if number > 1 else named
            new += field(_kind(role, number), name, words, say)
        else:
            before.append(f"{named}{say.colon}{words}")
    past = ""
    if before:
        words = escaped("\n\n".join(before))
        same = say("{count} messages as before", count=len(before))
        past = f"<details><summary>{same}</summary><pre>{words}</pre></details>"
    if missing := text.unsent(run, number):
        said = say("Not sent whole: {text}", text=say.comma.join(missing))
        past += f'<div class="small">{escaped(said)}</div>'
    return column(say("1 · Model reads"), size, past + new)


def _kind(role: str, number: int) -> str:
    """Return the field whose colour a message takes."""
    if role == "assistant":
        return "action"
    return "observation" if number > 1 and role != "system" else "thought"


def writes(run: Run, number: int) -> str:
    """Return what the model writes in a round, its fields in colour, and how it was read."""
    step = text.rounds(run)[number - 1]
    reply, parts, say = step.reply, "", say_for(run)
    if reply.reasoning:
        parts += field("thought", say("reasoning"), reply.reasoning, say)
    parts += written(reply.text, say)
    for one in reply.tool_calls:
        parts += field("action", say("native call"), text.content({"content": one}), say)
    said = say.repairs(tuple(what for move, _ in step.moves for what in move.repairs))
    said += [say("Note: {text}", text=note) for note in reply.notes]
    if isinstance(step.move, Malformed):
        why = in_language(step.move.reason, say.language)
        said.insert(0, say("✗ Unreadable: {text}", text=why))
    if reply.finish_reason not in (None, "stop", "tool_calls"):
        said.append(say("The reply ended with: {text}", text=say(reply.finish_reason)))
    parts += "".join(f'<div class="small">{escaped(one)}</div>' for one in said)
    if reply.text:
        parts += f"<details><summary>{say('as it came')}</summary>"
        parts += f"<pre>{escaped(reply.text)}</pre></details>"
    return column(say("2 · Model writes"), cost(step), parts or say("(nothing)"))


def written(words: str, say: Say = ENGLISH) -> str:
    """Return a reply, or as much of it as there is, with its fields in colour."""
    if not fields(words):
        return mark("thought", say(NAMES.get("", "text")), words) if words.strip() else ""
    return "".join(
        mark(one.kind, one.named(say), one.text, bool(one.doubt)) for one in marked(words).parts
    )


def runs(run: Run, number: int, edited: frozenset[int] = frozenset()) -> str:
    """Return what the program does in a round: each call with its result.

    Args:
        run: The run.
        number: The round, from 1.
        edited: The steps whose observation a person has changed.
    """
    step, parts, say = text.rounds(run)[number - 1], "", say_for(run)
    for move, seen in step.moves:
        if isinstance(move, Action):
            parts += f"<pre>{escaped(call(move))}</pre>"
        if isinstance(move, FinalAnswer):
            parts += f"<div>{say('✓ Nothing to run: this is the answer.')}</div>"
        if seen:
            parts += result(seen, number in edited, say)
        elif isinstance(move, Action):
            waits = run.pending is move
            parts += f"<div>{say('? It waits for your yes or no.' if waits else 'Not run.')}</div>"
    seconds = sum(seen.seconds for _, seen in step.moves if seen)
    failed = any(seen and seen.error for _, seen in step.moves)
    ran = any(seen and isinstance(move, Action) for move, seen in step.moves)
    took = say("{seconds:.1f} s", seconds=seconds)
    size = f"{say('✗ error' if failed else 'ok')}{say.comma}{took}" if ran else ""
    return column(say("3 · Program runs"), size, parts)


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
    say = say_for(run)
    parts = f"<div><b>{say('Question:')}</b> {escaped(run.question)}</div>{overview(run)}"
    for number in range(1, len(text.rounds(run)) + 1):
        title, below = headline(run, number)
        name = f"<b>{step_name(run, number)}{say.colon}{escaped(title)}</b> {escaped(below)}"
        opened = " open" if number == len(text.rounds(run)) else ""
        parts += f'<details class="step"{opened}><summary>{name}</summary>'
        parts += f"{columns(run, number)}</details>"
    return f'{LOOK}<div class="react-lab">{parts}{end(run)}</div>'


def page(run: Run) -> str:
    """Return a run as a whole page of HTML, in the colours that the reader's system prefers."""
    say = say_for(run)
    return (
        f'<!doctype html><html lang="{say.language}"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>{escaped(_short(run.question, 70))}</title>{PAGE}</head>"
        f"<body><h1>{say('A run of an agent')}</h1>{folds(run)}</body></html>\n"
    )
