"""A Run as plain text: the twin of every other view."""

import json
import re
from typing import Any

from react_lab.parser.fields import believed
from react_lab.parser.moves import Action, FinalAnswer, Move
from react_lab.prompt import in_language, why
from react_lab.registry.results import sendable
from react_lab.trace import Run, Step
from react_lab.views.words import Say, language_of, say_for

# The words of the views in Chinese. The language is that of the system message.
_CHINESE = {
    "Question": "问题",
    "Thought": "思考",
    "Action": "行动",
    "Action Input": "行动输入",
    "Final Answer": "最终答案",
    "Unreadable": "无法读取",
    "It wrote": "模型写道",
    "Repaired": "已修复",
    "Observation": "观察",
    "Also": "同时",
    "Note": "说明",
}


def _line(name: str, text: str, language: str) -> str:
    """Return a line of a step: a label and its text."""
    if language == "zh":
        return f"  {_CHINESE[name]}：{_indent(text)}"
    return f"  {name + ':':<13} {_indent(text)}"


def show(run: Run) -> str:
    """Return the whole run as text: question, steps, and how it ended."""
    language = language_of(run)
    parts = [f"问题：{run.question}" if language == "zh" else f"Question: {run.question}"]
    parts += [show_step(step, number) for number, step in enumerate(run.steps, 1)]
    if run.stop:
        parts.append(show_end(run))
    return sendable("\n\n".join(parts))


def show_step(step: Step, number: int | str) -> str:
    """Return one step as text: what the parser read, and what the program answered."""
    move, language = step.move, language_of(Run("", (step,)))
    found: list[tuple[str, str]] = [("Thought", move.thought)] if move.thought else []
    if isinstance(move, Action):
        found += [("Action", move.tool), ("Action Input", as_json(move.arguments))]
    elif isinstance(move, FinalAnswer):
        found.append(("Final Answer", move.answer))
    else:
        found += [("Unreadable", in_language(move.reason, language)), ("It wrote", wrote(step))]
    if move.repairs:  # their names are English
        count = f"{len(move.repairs)} 处"
        found.append(("Repaired", count if language == "zh" else ", ".join(move.repairs)))
    if step.observation:
        found.append(("Observation", step.observation.full_text))
    for also, observation in step.also:
        found.append(("Also", show_move(also, language)))
        if observation:
            found.append(("Observation", observation.full_text))
    found += [("Note", note) for note in step.reply.notes]
    title = f"第 {number} 步" if language == "zh" else f"Step {number}"
    return sendable("\n".join([title, *(_line(name, text, language) for name, text in found)]))


def wrote(step: Step) -> str:
    """Return what the model wrote: its text, its native calls if there is none, or "(nothing)"."""
    reply = step.reply
    empty = "（无）" if language_of(Run("", (step,))) == "zh" else "(nothing)"
    return reply.text or (as_json(reply.tool_calls) if reply.tool_calls else empty)


def show_move(move: Move, language: str = "en") -> str:
    """Return a move in a line: the call with its arguments, the answer, or why it is unreadable."""
    chinese = language == "zh"
    if isinstance(move, Action):
        return f"{move.tool} {as_json(move.arguments)}"
    if isinstance(move, FinalAnswer):
        return f"最终答案：{move.answer}" if chinese else f"Final Answer: {move.answer}"
    reason = in_language(move.reason, language)
    return f"无法读取：{reason}" if chinese else f"unreadable: {reason}"


def show_end(run: Run) -> str:
    """Return how the run ended: the answer, or what it has when it is not finished."""
    if language_of(run) == "zh":
        count = f"共 {len(run.steps)} 步"
        if run.finished:
            return sendable(f"完成，{count}：{run.answer}")
        best = f"\n目前最好的答案：{run.answer}" if run.answer else ""
        return sendable(f"停止（{why(run.stop or '', 'zh')}），{count}。{run.note}{best}")
    count = f"{len(run.steps)} step{'' if len(run.steps) == 1 else 's'}"
    if run.finished:
        return sendable(f"Finished after {count}: {run.answer}")
    best = f"\nBest answer so far: {run.answer}" if run.answer else ""
    return sendable(f"Stopped ({run.stop}) after {count}. {run.note}{best}")


def show_page(run: Run, number: int) -> str:
    """One round as the stepper shows it. number: from 1; len(steps) + 1 is the last word."""
    say = say_for(run)
    parts = [say("question").capitalize() + say.colon + run.question]
    if number:
        step = rounds(run)[number - 1]
        title = number if number <= len(run.steps) else say("after the last: the last word")
        parts += [show_sent(run, number), show_step(step, title), show_cost(step)]
    if number == len(rounds(run)):
        parts += [show_end(run) if run.stop else say("The run can go on.")]
    return sendable("\n\n".join(parts))


def rounds(run: Run) -> tuple[Step, ...]:
    """The steps, and behind them the last word if one was asked for."""
    return run.steps + ((run.last_word,) if run.last_word else ())


def show_sent(run: Run, number: int) -> str:
    """What the model got in one round; what it had got the round before only as a length."""
    sent = rounds(run)[number - 1].sent
    length = sum(len(content(message)) for message in sent)
    say = say_for(run)
    head = "Sent: {messages} messages, {characters:,} characters"
    lines = [say(head, messages=len(sent), characters=length)]
    for message, new in zip(sent, new_messages(run, number), strict=True):
        text, role = content(message), f"{say(str(message['role']))}:"
        before = say("as before, {count:,} characters", count=len(text))
        shown = _indent(text) if new else before
        lines.append(f"  {role:<13} {shown}")
    return "\n".join(
        lines + [f"  {say('Not whole') + ':':<13} {piece}" for piece in unsent(run, number)]
    )


def new_messages(run: Run, number: int) -> list[bool]:
    """For each message sent in a round, whether the round before was sent without it."""
    before = list(rounds(run)[number - 2].sent) if number > 1 else []
    found = []
    for message in rounds(run)[number - 1].sent:
        found.append(message not in before)
        if not found[-1]:
            before.remove(message)  # a message that stands there twice is met twice
    return found


def unsent(run: Run, number: int) -> list[str]:
    """What of the rounds before `number` was not sent whole: cut, compressed or left out.

    Found in the record alone, whatever the policy: each reply, up to an Observation it
    invented, and each observation is looked for in the messages, newest first.
    """
    known = [content(message) for message in rounds(run)[0].sent[:2]]
    texts = [content(message) for message in rounds(run)[number - 1].sent]
    left = "\n".join(text for text in texts if text not in known)
    missing = []
    for place in range(number - 1, 0, -1):
        past = run.steps[place - 1]
        pieces = [("observation", result.full_text) for _, result in reversed(past.moves) if result]
        for kind, text in [*pieces, ("reply", believed(past.reply.text))]:
            text = sendable(text)
            whole = rf"(?:^|[:：] ?){re.escape(text)}$"
            found = list(re.finditer(whole, left, re.M)) if text else []
            if found:  # taken out, so that the same result of an older step needs its own
                left = left[: found[-1].start()] + left[found[-1].end() :]
            elif text:
                words = kind + " of step {number} ({count:,} characters)"
                missing.append(say_for(run)(words, number=place, count=len(text)))
    return missing[::-1]


def content(message: dict[str, Any]) -> str:
    """The words of a message, and its native calls as JSON."""
    parts = [message.get("content"), message.get("tool_calls")]
    shown = (part if isinstance(part, str) else as_json(part) for part in parts if part)
    return "\n".join(shown)


def show_cost(step: Step) -> str:
    """Tokens and seconds of one round, in a line."""
    reply = step.reply
    say, sent, received = say_for(step), reply.tokens_in, reply.tokens_out
    told = say("{count:,} in", count=sent) if sent is not None else say("in not told")
    if sent is not None and reply.tokens_cached:
        told += " " + say("({count:,} cached)", count=reply.tokens_cached)
    out = say("{count:,} out", count=received) if received is not None else say("out not told")
    tools = sum(result.seconds for _, result in step.moves if result)
    tokens = say("Tokens: {sent}, {received}.", sent=told, received=out)
    words = "Seconds: {model:.1f} model, {tools:.1f} tools."
    return f"{tokens} {say(words, model=reply.seconds, tools=tools)}"


def show_progress(run: Run, limits: dict[str, float]) -> str:
    """Steps, tokens and seconds so far. limits: what each may reach, such as {"steps": 8}."""
    say, parts = say_for(run), []
    for name, value in used(run).items():
        amount = f"{value:,.1f}" if name == "seconds" else f"{value:,}"
        values = {"name": say(name), "amount": amount, "limit": limits.get(name, 0)}
        words = "{name} {amount} of {limit:,}" if name in limits else "{name} {amount}"
        parts.append(say(words, **values))
    return ", ".join(parts) if say.language == "en" else "；".join(parts)


def used(run: Run) -> dict[str, float]:
    """What a run has used so far of the three things that can have a limit."""
    return {"steps": len(run.steps), "tokens": run.tokens, "seconds": run.seconds}


def markdown(run: Run) -> str:
    """The run as a Markdown table, which GitHub shows. All words of the model are escaped."""
    language = language_of(run)
    head = "| step | thought | action | observation |"
    if language == "zh":
        head = "| 步 | 思考 | 行动 | 观察 |"
    lines = [f"**{Say(language)('Question:')}** {_escaped(run.question)}", ""]
    lines += [head, "| ---: | --- | --- | --- |"]
    for number, step in enumerate(run.steps, 1):
        acts = "\n".join(show_move(move, language) for move, _ in step.moves)
        answers = "\n".join(result.full_text for _, result in step.moves if result)
        cells = [str(number), *map(_escaped, (step.move.thought, acts, answers))]
        lines.append(f"| {' | '.join(cells)} |")
    return sendable("\n".join([*lines, "", _escaped(show_end(run)) if run.stop else ""]))


def register() -> None:
    """From now on a cell that ends with a Run shows it: as a table, and as text beside it.

    Outside a notebook it does nothing.
    """
    from IPython import get_ipython

    if (shell := get_ipython()) is None:
        return
    formatters = shell.display_formatter.formatters
    formatters["text/markdown"].for_type(Run, markdown)
    formatters["text/plain"].for_type(Run, lambda run, printer, cycle: printer.text(show(run)))


def _escaped(text: str) -> str:
    """Text that Markdown shows as it is: signs of its own escaped, line ends as <br>."""
    return re.sub(r"([\\`*_\[\]<>|~$&#])", r"\\\1", text.strip()).replace("\n", "<br>")


def _indent(text: str) -> str:
    return text.replace("\n", "\n" + " " * 16)


def as_json(arguments: object) -> str:
    """Return a value as one line of JSON."""
    return json.dumps(arguments, ensure_ascii=False, default=str)
