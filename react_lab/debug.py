"""Debug: print each round as it happens.

    Agent(model, tools, debug=True)     # or the environment variable REACT_LAB_DEBUG=1

Each round shows how much was sent, what the model wrote, what the parser read in it, and
what came of it. `show(run)` and the stepper show the same afterwards.
"""

import json
import os
import time

from react_lab.parser.moves import Action, FinalAnswer, Move
from react_lab.prompt import in_language, why
from react_lab.trace import Run, Step

WORDS = {
    "en": {
        "round": "--- round {number}, {clock}, {messages} messages, {seconds:.1f} s{tokens}",
        "last": "--- last word, {clock}, {messages} messages, {seconds:.1f} s{tokens}",
        "tokens": ", {sent} + {received} tokens",
        "wrote": "wrote:",
        "calls": "native call:",
        "action": "parsed: call",
        "answer": "parsed: final answer",
        "unreadable": "parsed: unreadable,",
        "result": "result:",
        "stop": "stopped:",
    },
    "zh": {
        "round": "--- 第 {number} 轮，{clock}，{messages} 条消息，{seconds:.1f} 秒{tokens}",
        "last": "--- 最后一问，{clock}，{messages} 条消息，{seconds:.1f} 秒{tokens}",
        "tokens": "，{sent} + {received} 个词元",
        "wrote": "模型写道：",
        "calls": "结构化调用：",
        "action": "读作：调用",
        "answer": "读作：最终答案",
        "unreadable": "读作：无法读取，",
        "result": "结果：",
        "stop": "停止：",
    },
}


def wanted(debug: bool) -> bool:
    """Return whether rounds are printed: if an agent asks for it, or REACT_LAB_DEBUG is set."""
    return debug or os.environ.get("REACT_LAB_DEBUG", "") not in ("", "0")


def show(run: Run, language: str = "en") -> None:
    """Print the latest round of a run at once."""
    print(shown(run, language), flush=True)


def shown(run: Run, language: str = "en") -> str:
    """Return the latest round of a run as text: its last word, or else its last step."""
    words = WORDS[language]
    if latest := run.last_word or (run.steps[-1] if run.steps else None):
        lines = _lines(latest, len(run.steps), run.last_word is not None, language)
    else:
        lines = []
    if run.stop and run.stop != "answered":
        lines.append(f"{words['stop']} {why(run.stop, language)} {run.note}".rstrip())
    return "\n".join(lines)


def _lines(latest: Step, number: int, last: bool, language: str) -> list[str]:
    words, reply = WORDS[language], latest.reply
    clock = time.strftime("%H:%M:%S", time.localtime(latest.at)) if latest.at else "--:--:--"
    tokens = ""
    if reply.tokens_in is not None:
        tokens = words["tokens"].format(sent=reply.tokens_in, received=reply.tokens_out or 0)
    values = {"number": number, "clock": clock, "messages": len(latest.sent), "tokens": tokens}
    lines = [words["last" if last else "round"].format(seconds=reply.seconds, **values)]
    lines += _block(words["wrote"], reply.text)
    for call in reply.tool_calls:
        lines.append(f"{words['calls']} {json.dumps(call, ensure_ascii=False, default=str)}")
    for move, seen in latest.moves:
        lines.append(_read(move, language))
        if seen:
            lines += _block(words["result"], seen.full_text)
    return lines


def _read(move: Move, language: str) -> str:
    """Return what the parser read, in one line."""
    words = WORDS[language]
    if isinstance(move, Action):
        given = json.dumps(move.arguments, ensure_ascii=False, default=str)
        return f"{words['action']} {move.tool} {given}"
    if isinstance(move, FinalAnswer):
        return f"{words['answer']} {move.answer}"
    return f"{words['unreadable']} {in_language(move.reason, language)}"


def _block(title: str, text: str) -> list[str]:
    """Return a title and, below it, each line of a text with an indent."""
    return [title, *(f"    {line}" for line in text.splitlines())] if text else []
