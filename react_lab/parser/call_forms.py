"""Calls: read the name of a tool and its input, in each form in which models write them.

>>> read_input('{"city": "Oslo"}', ["city"])
({'city': 'Oslo'}, (), '')
>>> read_call('get_weather(city="Oslo")', None, {"get_weather": ["city"]})
('get_weather', {'city': 'Oslo'}, ('name and input on one line',), '')
"""

import json
import re

from react_lab.parser.json_repair import CLOSING, Unreadable, read_keywords, read_value

Input = tuple[dict | None, tuple[str, ...], str]  # arguments, repairs, reason
Call = tuple[str, dict | None, tuple[str, ...], str]  # name, and the same

EMPTY = "Action Input is empty"
BROKEN = "Action Input is not valid JSON on one line"
NOT_NAMED = "Action Input must be a JSON object with the parameter names"
NAMELESS = "the Action has no name"

NOTHING = ("none", "null", "n/a", "无")  # as an input: there is none; as a name: no tool
NO_INPUT = (*NOTHING, "na", "nil", "-", "()", "[]", "empty", '""', "''", "no input")
NAME_KEYS = ("name", "action", "tool", "tool_name", "function")
INPUT_KEYS = ("arguments", "args", "parameters", "input", "action_input", "tool_input", "params")
AROUND = " \t\r\n\"'`“”‘’「」『』«»<>[](){}*_~.,;:!?。，；：！、|-–—\u200b\ufeff"
LANGUAGES = "json|python|py|sql|text|plaintext|bash|sh|javascript|js"

_STRICT = json.JSONDecoder(strict=False)
_OPENING = re.compile(
    rf"```+(?:[\w+-]*+[ \t]*+\r?\n|(?:{LANGUAGES})(?=\s*[{{\[])|(?:{LANGUAGES})[ \t])?+\s*+", re.I
)
_RULE_AT_END = re.compile(r"\n[ \t]*+(?:-{3,}+|\*{3,}+|_{3,}+|={3,}+|`{3,}+)\s*+\Z")
_SAYS_JSON = re.compile(r"\Ajson\b[\s:]*+(?=\{)", re.I)
NATIVE = re.compile(
    r"<\|?(?:tool_call|function_call)\|?>|\[TOOL_CALLS\]|<\|python_tag\|>|```tool_code\b"
)
_BRACKETED_NAME = re.compile(r"[\[{\"'`]++[\w .-]++[\]}\"'`]++(?:\n|\Z)")
_HEAD = re.compile(r"[^\w\n]*+(?P<name>[^\n(\[{]*+)(?P<sign>[(\[{])?")
_PIECE = re.compile(r"""\\.|"(?:[^"\\\n]|\\.)*+"|'(?:[^'\\\n]|\\.)*+'|[()\[\]]""", re.S)
_FIRST_OF_SEVERAL = re.compile(r"""(?:"(?:[^"\\]|\\.)*+"|'(?:[^'\\]|\\.)*+')\s*+,""", re.S)
_PAIR = re.compile(r"""["'“](\w+)["'”]\s*+[:：]""")
_LISTED = re.compile(r"([\w.-]++)\s*+(?:\[CALL_ID\]\w*+)?(?:\[ARGS\])?\s*+(?=\{)")


# Inputs ------------------------------------------------------------------------------------


def read_input(raw: str, parameters: list[str]) -> Input:
    """Read what stands behind Action Input.

    raw: the text. parameters: the tool's parameter names. Returns (arguments, repairs, reason);
    arguments is None when it cannot be read, and then reason says why.
    """
    text, repairs, whole = _unfenced(raw)
    word = text.rstrip(".。").lower()
    if word in NOTHING or (not parameters and word in NO_INPUT):
        return {}, (*repairs, "no input read"), ""
    if not text:
        return ({}, repairs, "") if not parameters else (None, repairs, EMPTY)
    if text[0] in "{｛":
        arguments, mended = _object(text, parameters)
        return arguments, repairs + mended, "" if arguments is not None else BROKEN
    if not whole:
        return None, repairs, BROKEN
    value, mended = _list(text) if text[0] in "[［" else _bare(text, parameters)
    if isinstance(value, dict):
        return value, repairs + mended, ""
    if value is None or len(parameters) != 1:
        return None, repairs, BROKEN if value is None else NOT_NAMED
    return {parameters[0]: value}, (*repairs, *mended, "bare input read"), ""


def fence_end(text: str, begin: int) -> int:
    """Where the closing ``` of a fence is whose content begins at `begin`; -1: nowhere.

    It stands on the same line or at the start of one; a few others are skipped.
    """
    first = place = text.find("```", begin)
    for _ in range(5):
        line = text[max(begin, place - 80) : place].rpartition("\n")
        if place < 0 or (not line[2].strip() and line[1]) or (place == first and not line[1]):
            return place if place >= 0 else first
        place = text.find("```", place + 3)
    return first


def _unfenced(raw: str) -> tuple[str, tuple[str, ...], bool]:
    """What stands in a fence or in backticks; the repairs; False when a fence is not closed.

    Prose behind a fence is dropped.
    """
    raw = raw.strip()
    if opening := raw.startswith("```") and _OPENING.match(raw):
        begin, end = opening.end(), fence_end(raw, opening.end())
        if raw[begin : begin + 1] in ("{", "["):  # a fence may stand inside its strings
            try:
                end = max(end, read_value(raw, begin)[1])
            except Unreadable:
                pass
        body = raw[begin:] if end < 0 else raw[begin:end]
        return body.strip(), ("code fence removed",), end >= 0
    if raw[:1] == "`" and (raw[1:2] == "{" or (raw[-1] == "`" and "`" not in raw[1:-1])):
        return raw.strip("` "), ("code fence removed",), True
    return _RULE_AT_END.sub("", _SAYS_JSON.sub("", raw)), (), True


def _object(text: str, parameters: list[str]) -> tuple[dict | None, tuple[str, ...]]:
    """The object at the start of the text, and what was mended; None when it has no one reading.

    One that is cut off counts when only its brace is missing and every parameter is there.
    """
    try:
        value, end = _STRICT.raw_decode(text)
        mended = ()
    except (ValueError, RecursionError):
        try:
            value, end, mended = read_value(text)
        except Unreadable as error:
            if error.so_far and parameters and set(parameters) <= set(error.so_far):
                return error.so_far, ("missing brace added",)
            return (None, ()) if '\\"' not in text[:80] else _escaped(text, parameters)
    line = text[end:].partition("\n")[0].rstrip()
    if not isinstance(value, dict) or (line.endswith("}") and line.count('"') % 2):
        return None, ()  # such as {"code": "d = {"}"}, where a quote is not escaped
    return value, (*mended, "text after the input dropped") if text[end:].strip() else mended


def _escaped(text: str, parameters: list[str]) -> tuple[dict | None, tuple[str, ...]]:
    r"""An object whose quotes are all escaped: {\"city\": \"Oslo\"}."""
    try:
        inner = json.loads(f'"{text}"')
        value = json.loads(inner)
    except (ValueError, RecursionError):
        return None, ()
    return (value, ("JSON string unpacked",)) if isinstance(value, dict) else (None, ())


def _list(text: str) -> tuple[object, tuple[str, ...]]:
    """A list when the whole text is one, else the text; None when it is a list cut off."""
    try:
        value, end, mended = read_value(text)
    except Unreadable as error:
        return (None if error.cut else text), ()
    return (text, ()) if text[end:].strip() else (value, mended)


def _bare(text: str, parameters: list[str]) -> tuple[object, tuple[str, ...]]:
    """A text without its quotes; the object that it holds; or its keywords, `city="Oslo"`."""
    if (pair := _PAIR.match(text)) and pair[1] in parameters:
        return None, ()  # an object without its opening brace
    value, repairs = _unquoted(text)
    if value is not None:
        inner, mended = _object(value, parameters) if value[:1] == "{" else (None, ())
        if inner and (len(parameters) != 1 or set(inner) <= set(parameters)):
            return inner, ("JSON string unpacked", *mended)
        return value, repairs
    try:
        if (place := text.find("{")) > 0:
            inner, end, mended = read_value(text, place)
            if set(inner) == set(parameters) and not text[end:].strip(" )`.;"):
                return inner, ("text before the input dropped", *mended)
        keywords, mended = read_keywords(text)
    except Unreadable:
        return text, ()
    if keywords and set(keywords) <= set(parameters):
        return keywords, ("keyword arguments read", *mended)
    return text, ()


def _unquoted(text: str) -> tuple[str | None, tuple[str, ...]]:
    """The text without the quotes that wrap the whole of it; None when none do."""
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


# Names and calls -----------------------------------------------------------------------------


def tool_name(raw: str, tools: dict[str, list[str]]) -> str:
    """The registered name that `raw` spells, whatever its case, quotes or spaces; else raw."""
    if raw in tools:
        return raw
    plain = raw.replace("\\_", "_").strip(AROUND).lower()
    spellings = (re.sub(r"\s+", "_", plain), re.sub(r"\s+", "", plain))
    same = [name for name in tools if name.strip("_").lower() in spellings]
    return same[0] if len(same) == 1 else raw


def _tool(spelled: str, tools: dict[str, list[str]]) -> tuple[str, tuple[str, ...]]:
    """The name of the tool, and the repair that it took."""
    spelled = spelled.strip(" \t\r*_`\"'[]:")
    name = tool_name(spelled, tools)
    return name, ("tool name put right",) if name != spelled else ()


def read_call(head: str, given: str | None, tools: dict[str, list[str]]) -> Call:
    """Read what stands behind Action.

    head: the text. given: the text behind Action Input, None when there is no such label.
    Returns (name, arguments, repairs, reason); arguments is None when there is no name or no
    input that can be read, and then reason says why.
    """
    head, repairs, _ = _unfenced(head)
    if NATIVE.match(head):
        return native_call(head, tools)
    if head[:1] in ("{", "[", "｛") and not _BRACKETED_NAME.match(head):
        name, arguments, mended, reason = json_call(head, given, tools)
        return name, arguments, repairs + mended, reason
    line, _, rest = head.partition("\n")
    parts = _HEAD.match(head)
    if parts["sign"] and (call := _on_one_line(head, parts, given, tools)):
        return (*call[:2], repairs + call[2], call[3])
    name, renamed = _tool(line, tools)
    if not name or (name.lower() in NOTHING and name not in tools):
        return "", None, repairs, NAMELESS
    if given is None:  # behind the name only what cannot be prose counts as an input
        given = rest if rest.lstrip()[:1] in ("{", "`") else ""
    arguments, mended, reason = read_input(given.strip(), tools.get(name, ["input"]))
    return name, arguments, repairs + renamed + mended, reason


def json_call(text: str, given: str | None, tools: dict[str, list[str]]) -> Call:
    """Read a call that is one JSON object with name and arguments, or a list of such."""
    try:
        value, _, mended = read_value(text)
        whole = True
    except Unreadable as error:
        value, mended, whole = error.so_far, ("missing brace added",), False
    name, raw = _named(value)
    if not name:
        return "", None, (), NAMELESS if whole else BROKEN
    name, renamed = _tool(name, tools)
    parameters, mended = tools.get(name, ["input"]), mended + renamed
    if raw is ...:
        raw = given or ""
    if isinstance(raw, dict):
        if not whole and not set(parameters) <= set(raw):
            return name, None, (), BROKEN
        return name, raw, mended, ""
    if raw is None:
        return name, {}, mended, ""
    if isinstance(raw, str):
        arguments, more, reason = read_input(raw, parameters)
        return name, arguments, mended + more, reason
    return name, {parameters[0]: raw} if len(parameters) == 1 else None, mended, NOT_NAMED


def native_call(text: str, tools: dict[str, list[str]]) -> Call:
    """Read the markup of a native call that a model wrote as text, from its opening mark on."""
    opening = NATIVE.match(text)
    inside = text[opening.end() :].strip()
    repairs = ("native call markup read",)
    if opening[0] == "```tool_code":
        inside = inside[: end if (end := inside.find("```")) >= 0 else None].strip()
        if printed := re.match(r"print\((.*)\)\Z", inside, re.S):
            inside = printed[1].strip()
        parts = _HEAD.match(inside)
        call = _on_one_line(inside, parts, None, tools) if parts["sign"] == "(" else None
    elif listed := opening[0] == "[TOOL_CALLS]" and _LISTED.match(inside):
        name = tool_name(listed[1], tools)
        call = name, *read_input(inside[listed.end() :], tools.get(name, ["input"]))
    else:
        call = json_call(inside, None, tools) if inside[:1] in ("{", "[") else None
    name, arguments, mended, reason = call or ("", None, (), NAMELESS)
    return name, arguments, repairs + mended, reason


def _named(value: object) -> tuple[str, object]:
    """The name in a decoded call and its input; "" when there is none; ... for no input."""
    if isinstance(value, list) and value:
        value = value[0]
    if not isinstance(value, dict):
        return "", ...
    wrapped = value.get("function") or (len(value) == 1 and [*value.values()][0])
    if isinstance(wrapped, dict | list):  # {"tool_call": {...}}, {"tool_calls": [...]}
        return _named(wrapped)
    name = next((value[key] for key in NAME_KEYS if isinstance(value.get(key), str)), "")
    return name.strip(), next((value[key] for key in INPUT_KEYS if key in value), ...)


def _on_one_line(head: str, parts: re.Match, given: str | None, tools: dict) -> Call | None:
    """A call such as `name(...)`, `name[...]` or `name {...}`; None when it is not one."""
    spelled, body = parts["name"], head[parts.start("sign") :]
    name, renamed = _tool(spelled, tools)
    if name not in tools and not re.fullmatch(r"[\w.-]+", name) or name.lower() in NOTHING:
        return None
    parameters, repairs = tools.get(name, ["input"]), (*renamed, "name and input on one line")
    if body[0] != "{":
        inside, closed, behind = _bracketed(body)
        after = behind.partition("\n")[0].strip(" \t\r.;*_`'\"")
        if after and not after.startswith(("#", "//")):
            return None
        if given is not None and inside and (name not in tools or spelled[-1:] == " "):
            return None  # a remark in brackets, not a call
    if given is not None or body[0] == "{":
        arguments, mended, reason = read_input(body if given is None else given, parameters)
    else:
        arguments, mended, reason = _inside(inside.strip(), parameters, closed)
    return name, arguments, repairs + mended, reason


def _bracketed(body: str) -> tuple[str, bool, str]:
    """What stands in the bracket that opens the text; whether it is closed; what is behind."""
    depth, pair = 0, ("(", ")") if body[0] == "(" else ("[", "]")
    for piece in _PIECE.finditer(body):
        depth += (piece[0] == pair[0]) - (piece[0] == pair[1])
        if depth == 0:
            return body[1 : piece.start()], True, body[piece.end() :]
    return body[1:], False, ""


def _inside(text: str, parameters: list[str], closed: bool) -> Input:
    """Read what stands in the brackets of a call."""
    try:
        keywords, mended = read_keywords(text)
        if keywords and (closed or (set(parameters) <= set(keywords) and text[-1] in "\"'")):
            return keywords, mended, ""
    except Unreadable:
        pass
    key = re.match(r"(\w+)\s*(?:=(?!=)|:)", text)
    if (key and key[1] in parameters) or not (closed or text[:1] == "{"):
        return None, (), BROKEN
    if text[:1] in ("'", '"') and _FIRST_OF_SEVERAL.match(text):
        return None, (), NOT_NAMED
    return read_input(text, parameters)
