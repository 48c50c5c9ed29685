"""Inputs: read the arguments of a call, in each form in which models write them.

>>> read_input('{"city": "Oslo"}', ["city"])
Input(arguments={'city': 'Oslo'}, repairs=(), reason='')
>>> read_input("Oslo", ["city"]).arguments
{'city': 'Oslo'}
"""

import json
import re
from typing import Any, NamedTuple

from react_lab.parser.backslashes import ADVICE, CONTROL
from react_lab.parser.json_repair import CLOSING, Unreadable, read_keywords, read_value
from react_lab.parser.markup import is_foreign, read_markup
from react_lab.parser.moves import BARE_INPUT


class Input(NamedTuple):
    """Arguments as far as they could be read.

    Args:
        arguments: Values by parameter name, None if the input cannot be read.
        repairs: What had to be corrected or dropped.
        reason: Why it cannot be read, "" if it can.
    """

    arguments: dict[str, Any] | None
    repairs: tuple[str, ...] = ()
    reason: str = ""


EMPTY = "Action Input is empty"
BROKEN = "Action Input is not valid JSON on one line"
NOT_NAMED = "Action Input must be a JSON object with the parameter names"
TWICE = "Action Input gives one parameter twice, with two values"
MARKUP = "Action Input is in the markup of another format"

NOTHING = ("none", "null", "n/a", "无")  # as an input: no arguments; as a name: no tool
NO_INPUT = (*NOTHING, "na", "nil", "-", "()", "[]", "empty", '""', "''", "no input", "(none)")
LANGUAGES = "json|python|py|sql|text|plaintext|bash|sh|javascript|js|xml"

_OPENING = re.compile(
    rf"```+(?:[\w+-]*+[ \t]*+\r?\n|(?:{LANGUAGES})(?=\s*[{{\[])|(?:{LANGUAGES})[ \t])?+\s*+", re.I
)
_RULE_AT_END = re.compile(r"\n[ \t]*+(?:-{3,}+|\*{3,}+|_{3,}+|={3,}+|`{3,}+)\s*+\Z")
_SAYS_JSON = re.compile(r"\Ajson\b[\s:]*+(?=\{)", re.I)
_PAIR = re.compile(r"""["'“](\w+)["'”]\s*+[:：]""")
_LINE = re.compile(r"(?P<name>[^\W\d]\w*+)[ \t]*+(?:[:：]|=(?!=))[ \t]*+(?P<value>[^\n]*+)\Z")
_WRAPPED = re.compile(  # an object in a tag, in Python's long quotes, or in dict()
    r"""<(?P<tag>[A-Za-z_]{1,20})>\s*+(?P<a>\{.*\})\s*</(?P=tag)>"""
    r"""|(?P<quote>\"{3}|'{3})\s*+(?P<b>\{.*\})\s*(?P=quote)|dict\((?P<c>.*)\)""",
    re.S,
)
_QUOTED = re.compile(r'<\|"\|>(.*?)<\|"\|>', re.S)
WHY = {"backslash": ADVICE, "twice": TWICE}
_WITHOUT_DUPLICATES = json.JSONDecoder(strict=False, object_pairs_hook=lambda pairs: once(pairs))


def read_input(raw: str, parameters: list[str]) -> Input:
    """Read the text after Action Input.

    Args:
        raw: The text.
        parameters: The tool's parameter names.
    """
    text, repairs, whole = unfenced(raw)
    word = text.rstrip(".。").lower()
    if word in NOTHING or (not parameters and word in NO_INPUT):
        return Input({}, (*repairs, "no input read"))
    if not text:
        return Input({}, repairs) if not parameters else Input(None, repairs, EMPTY)
    if '<|"|>' in text:  # Gemma's quotes
        text = with_quotes(text)
    if text[0] in "{｛":
        found = _object(text, parameters)
        return found._replace(repairs=repairs + found.repairs)
    if not whole:
        return Input(None, repairs, BROKEN)
    if (wrapped := _WRAPPED.fullmatch(text)) and (inside := _unwrapped(wrapped, parameters)):
        return Input(inside, (*repairs, "wrapping removed"))
    if text[0] == "<":
        if (markup := read_markup(text, parameters)) and not text[markup.end :].strip():
            return Input(markup.arguments, (*repairs, "markup read"))
        if is_foreign(text):
            return Input(None, repairs, MARKUP)
    value, further = _list(text) if text[0] in "[［" else _bare(text, parameters)
    if isinstance(value, dict):
        return Input(value, repairs + further)
    if value is None or len(parameters) != 1:
        return Input(None, repairs, BROKEN if value is None else NOT_NAMED)
    return Input({parameters[0]: value}, (*repairs, *further, BARE_INPUT))


def fence_end(text: str, begin: int) -> int:
    """Find the closing ``` of a fence whose content begins at `begin`; -1 if there is none.

    The closing mark is on the same line or at the start of a line; a few others are skipped.
    """
    first = place = text.find("```", begin)
    for _ in range(5):
        line = text[max(begin, place - 80) : place].rpartition("\n")
        if place < 0 or (not line[2].strip() and line[1]) or (place == first and not line[1]):
            return place if place >= 0 else first
        place = text.find("```", place + 3)
    return first


def unfenced(raw: str) -> tuple[str, tuple[str, ...], bool]:
    """Return the content of a fence or of backticks, the repairs, and whether the fence is closed.

    Text after the fence is dropped.
    """
    raw = raw.strip()
    if opening := raw.startswith("```") and _OPENING.match(raw):
        begin, end = opening.end(), fence_end(raw, opening.end())
        if raw[begin : begin + 1] in ("{", "["):  # its strings may contain a fence
            try:
                end = max(end, read_value(raw, begin)[1])
            except Unreadable:
                pass
        body = raw[begin:] if end < 0 else raw[begin:end]
        return body.strip(), ("code fence removed",), end >= 0
    if raw[:1] == "`" and (raw[1:2] == "{" or (raw[-1] == "`" and "`" not in raw[1:-1])):
        return raw.strip("` "), ("code fence removed",), True
    return _RULE_AT_END.sub("", _SAYS_JSON.sub("", raw)), (), True


def with_quotes(text: str) -> str:
    """Return the text with Gemma's string marks replaced by JSON's quotes."""
    return _QUOTED.sub(lambda found: json.dumps(found[1], ensure_ascii=False), text)


def decode(text: str, begin: int = 0) -> tuple[object, int, tuple[str, ...]]:
    """Decode the JSON value at `begin`, strictly if possible, else with repairs.

    Returns:
        The value, the position of its end, and the repairs.

    Raises:
        Unreadable: If it has no single reading.
    """
    if not CONTROL.search(text, begin):
        try:
            return *_WITHOUT_DUPLICATES.raw_decode(text, begin), ()
        except (ValueError, RecursionError):
            pass
    return read_value(text, begin)


def once(pairs: list[tuple[str, object]]) -> dict[str, Any]:
    """Return the object of these pairs; raise ValueError if a key has two values."""
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found and found[key] != value:
            raise ValueError(f"{key} has two values")
        found[key] = value
    return found


def _object(text: str, parameters: list[str]) -> Input:
    """Return the object at the start of the text.

    An object that is cut off counts if only its brace is missing and every parameter is there.
    """
    try:
        value, end, further = decode(text)
    except Unreadable as error:
        if error.so_far and parameters and set(parameters) <= set(error.so_far):
            return Input(error.so_far, ("missing brace added",))
        found = _escaped(text) if '\\"' in text[:80] else None
        if found is not None:
            return Input(found, ("JSON string unpacked",))
        return Input(None, (), WHY.get(error.why, BROKEN))
    line = text[end:].partition("\n")[0].rstrip()
    if not isinstance(value, dict) or (line.endswith("}") and line.count('"') % 2):
        return Input(None, (), BROKEN)  # such as {"code": "d = {"}"}, a quote without escape
    dropped = ("text after the input dropped",) if text[end:].strip() else ()
    return Input(value, further + dropped)


def _unwrapped(wrapped: re.Match[str], parameters: list[str]) -> dict[str, Any] | None:
    """Return the object inside a wrapping, if the tool has all of its keys."""
    if wrapped["c"] is not None:
        try:
            found: object = read_keywords(wrapped["c"])[0]
        except Unreadable:
            return None
    else:
        found = _object(wrapped["a"] or wrapped["b"], parameters).arguments
    return found if isinstance(found, dict) and found and set(found) <= set(parameters) else None


def _escaped(text: str) -> dict[str, Any] | None:
    r"""Read an object whose quotes are all escaped: {\"city\": \"Oslo\"}."""
    try:
        value = json.loads(json.loads(f'"{text}"'))
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _list(text: str) -> tuple[object, tuple[str, ...]]:
    """Return a list if the whole text is a list, else the text; None if a list was cut off."""
    try:
        value, end, further = read_value(text)
    except Unreadable as error:
        return (None if error.cut or error.why else text), ()
    return (text, ()) if text[end:].strip() else (value, further)


def _bare(text: str, parameters: list[str]) -> tuple[object, tuple[str, ...]]:
    """Read a text: without its quotes, as the object inside, or as keywords, `city="Oslo"`."""
    if (pair := _PAIR.match(text)) and pair[1] in parameters:
        return None, ()  # an object without its opening brace
    value, repairs = _unquoted(text)
    if value is not None:
        inner = _object(value, parameters) if value[:1] == "{" else Input(None)
        if inner.arguments and (len(parameters) != 1 or set(inner.arguments) <= set(parameters)):
            return inner.arguments, ("JSON string unpacked", *inner.repairs)
        return value, repairs
    try:
        if (place := text.find("{")) > 0:
            found, end, further = read_value(text, place)
            whole = isinstance(found, dict) and set(found) == set(parameters)
            if whole and not text[end:].strip(" )`.;"):
                return found, ("text before the input dropped", *further)
        keywords, further = read_keywords(text)
    except Unreadable:
        return _one_line(text, parameters)
    if keywords and set(keywords) <= set(parameters):
        return keywords, ("keyword arguments read", *further)
    return text, ()


def _one_line(text: str, parameters: list[str]) -> tuple[object, tuple[str, ...]]:
    """Return the value of `city: Oslo` if the tool's only parameter is city, else the text."""
    line = _LINE.match(text)
    if line and parameters == [line["name"]] and line["value"].strip():
        return {line["name"]: line["value"].strip()}, ("parameter name read", BARE_INPUT)
    return text, ()


def _unquoted(text: str) -> tuple[str | None, tuple[str, ...]]:
    """Return the text without the quotes around all of it; None if there are none."""
    try:
        value = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        value = None
    if isinstance(value, str):
        return value, ()
    inside, end = text[1:-1], text[-1]
    if len(text) < 2 or CLOSING.get(text[0]) != end:
        return None, ()
    if {text[0], end} & set(re.sub(r"\\.", "", inside, flags=re.S)):
        return None, ()
    return inside.replace("\\" + end, end), ("quotes removed",)
