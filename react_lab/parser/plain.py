"""Plain: read a reply that needs no labels, as in the native loop.

Its text is the answer, unless the text is a call that should not be in it.

>>> parse_plain("It is 20 degrees.", {"get_weather": ["city"]}).answer
'It is 20 degrees.'
>>> parse_plain('<tool_call>{"name": "now", "arguments": {}}</tool_call>', {"now": []}).tool
'now'
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

from react_lab.parser.call_forms import BARE_JSON, OPENING, read_bare
from react_lab.parser.calls import Call, Tools, tool_name
from react_lab.parser.fields import fields
from react_lab.parser.moves import Action, FinalAnswer, Malformed, Move
from react_lab.parser.parse import parse, shows_example
from react_lab.parser.wrapping import clean, fences, only_named, starts_line, visible

IN_WORDS = "the call stands in the text and cannot be read"
EMPTY_REPLY = "the reply is empty"
_MARK = re.compile(OPENING, re.M)
_PYTHON = re.compile(r"^\[?(?P<name>[\w.-]++)\(", re.M)
_INVENTED = re.compile(  # after the end of the model's turn, unless the model begins another turn
    r"(?<!`)(?:<\|(?:im_end|eot_id|endoftext|eom_id)\|>|<end_of_turn>|<｜end▁of▁sentence｜>"
    r"|</s>(?=\s*+(?:<s>|\[INST\])))"
    r"(?!\s*+(?:<\|(?:im_start|start_header_id|start)\|>assistant|<start_of_turn>model))"
)
_THOUGHT_FIRST = re.compile(r"\W*(?:Thought|思考)", re.I)
# Markup of an unknown form: the whole text is tags, but not those of a page.
_TAGGED = re.compile(
    r"<(?!/?(?:[abipqsu]|d[dlt]|div|h\d|html|[ou]l|li|table|tr|td|th|span|em|strong|pre|code|br"
    r"|details|section|article|svg|math)\b)[^<>\n]{1,60}>.*[>})\]]",
    re.S | re.I,
)
_TOKENS = ("<|", "<｜", "[TOOL_CALLS]")  # marks that no prose contains by chance
_TRIES = 5  # places at which a call without marks is looked for


def parse_plain(text: str, tools: Tools) -> Move:
    """Read one reply that needs no labels. Never raises.

    A call in the text runs if it can be read. A call that a line such as "A call looks like
    this:" announces is part of the answer, and so is a call in a code fence with text after it.
    Any other call is never the answer.

    Args:
        text: The reply as the model wrote it.
        tools: The parameter names of each registered tool.
    """
    found = clean(text)
    move = _move(_own_turn(visible(found.text)), tools)
    return replace(move, thought=move.thought or "\n".join(found.thoughts))


def _own_turn(text: str) -> str:
    """Return the text up to the mark that ends the model's turn, unless it is in quotes."""
    for mark in islice(_INVENTED.finditer(text), _TRIES):
        before = text[: mark.start()].rstrip()
        if before and before.count('"') % 2 == 0:
            return before
    return text


def _move(text: str, tools: Tools) -> Move:
    if not text:
        return Malformed("", EMPTY_REPLY)
    if call := read_bare(text, tools) or _call_after_words(text, tools):
        return _as_move(call)
    parts, move = fields(text, tools), parse(text, tools)
    if isinstance(move, Action) and move.tool in tools:
        shown = shows_example(parts[0].text) and _is_answer(text, tools)
        return FinalAnswer("", text) if shown else move
    if any(_is_leak(text, begin, end) for begin, end in _possible_calls(text, tools)):
        return Malformed("", IN_WORDS)
    if _names_in_markup(text, tools):
        return Malformed("", IN_WORDS)
    if [part.text for part in parts] == [text] or _is_answer(text, tools):
        return FinalAnswer("", text)
    if {part.kind for part in parts} == {"thought"} and not _THOUGHT_FIRST.match(text):
        return FinalAnswer("", text)  # such as a letter or a quiz with these words in it
    return move


def _names_in_markup(text: str, tools: Tools) -> bool:
    """Return whether a text is only markup of an unknown form that names a tool."""
    names = "|".join(map(re.escape, tools))
    if names and re.match(rf"(?:{names})\s*+<[|｜]\w", text):  # the name, then a control token
        return True
    if not _TAGGED.fullmatch(text):
        return False
    return bool(names and re.search(rf"[>:=\"'\n]\s*+(?:{names})\s*+[<>\"'\n({{]", text))


def _as_move(call: Call) -> Move:
    if call.arguments is None:
        return Malformed("", IN_WORDS, call.repairs)
    return Action("", call.name, call.arguments, call.repairs)


def _is_answer(text: str, tools: Tools) -> bool:
    """Return whether a text without a label at its start is an answer from start to end."""
    if fields(text, tools)[0].begin > 0:
        return False
    move = parse(f"Final Answer: {text}", tools)
    return isinstance(move, FinalAnswer) and move.answer == text


def _call_after_words(text: str, tools: Tools) -> Call | None:
    """Read an unmarked call at the end of a text, unless words before it announce an example."""
    fenced = fences(text)
    places = [*_bare_places(text, tools), *(found.start() for found in _PYTHON.finditer(text))]
    for place in sorted(places)[-_TRIES:]:
        if place and not any(begin < place < end for begin, end in fenced):
            call = read_bare(text[place:], tools)
            if call and not shows_example(text[:place]):
                return call
    return None


def _possible_calls(text: str, tools: Tools) -> Iterator[tuple[int, int]]:
    """Yield where a call may be: begin and end of its fence, or of the rest of the text."""
    fenced = fences(text)
    marks = [
        mark.start()
        for mark in _MARK.finditer(text)
        if (not mark["named"] or mark["named"] in tools)
        and (starts_line(text, mark.start()) or mark[0].startswith(_TOKENS))
        and not only_named(mark)
    ]
    for place in sorted([*marks, *_bare_places(text, tools)]):
        around = [(begin, end) for begin, end in fenced if begin <= place < end]
        yield around[0] if around else (place, len(text))


def _bare_places(text: str, tools: Tools) -> list[int]:
    """Return where a JSON object that names a registered tool starts a line."""
    found = (one for one in BARE_JSON.finditer(text) if tool_name(one["name"], tools) in tools)
    places = (len(text[: one.start()].rstrip("[ \t")) for one in islice(found, 100))
    return [place for place in places if starts_line(text, place)]


def _is_leak(text: str, begin: int, end: int) -> bool:
    """Return whether a possible call is not part of an answer."""
    return not (shows_example(text[:begin]) or text[end:].strip())
