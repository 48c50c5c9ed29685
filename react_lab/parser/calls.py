"""Calls: read the name of a tool together with its input.

>>> read_call('get_weather(city="Oslo")', None, {"get_weather": ["city"]}).arguments
{'city': 'Oslo'}
"""

import re
from typing import Any, NamedTuple

from react_lab.parser.inputs import (
    BROKEN,
    NOT_NAMED,
    NOTHING,
    WHY,
    Input,
    read_input,
    unfenced,
)
from react_lab.parser.json_repair import Unreadable, read_keywords, read_value

Tools = dict[str, list[str]]  # the parameter names of each registered tool


class Call(NamedTuple):
    """One call as far as it could be read.

    Args:
        name: The tool, "" if no name could be read.
        arguments: Values by parameter name, None if the input cannot be read.
        repairs: What had to be corrected or dropped.
        reason: Why the call cannot be used, "" if it can.
    """

    name: str
    arguments: dict[str, Any] | None
    repairs: tuple[str, ...] = ()
    reason: str = ""


NAMELESS = "the Action has no name"
NAME_KEYS = ("name", "action", "tool", "tool_name", "function")
INPUT_KEYS = ("arguments", "args", "parameters", "input", "action_input", "tool_input", "params")
AROUND = (
    " \t\r\n\"'`“”‘’「」『』«»‹›《》〈〉【】〔〕（）<>[](){}*_~.,;:!?。，；：！、|-–—\u200b\ufeff"
)
# What servers and models leave before a name, and after it.
BEFORE_NAME = re.compile(r"(?:to=)?(?:(?:functions?|default_api|tools?)(?:\.|::|/))?|call:", re.I)
AFTER_NAME = re.compile(
    r"\s*+(?:</?[\w:]{1,20}>|<\|[\w ]{1,20}\|>\w*+|\[ARGS\]|\[CALL_ID\]\w*+"
    r"|json\b|:\w{1,20}|\(\)|\s)++\Z"
)
_NO_ACTION = re.compile(r"(?:none|no|not|nothing|n/?a|null|nil|无|不需要)\b(?!\w*[(_])", re.I)
_BRACKETED_NAME = re.compile(r"[\[{(\"'`]++[\w .-]++[\]})\"'`]++[.:]?[ \t]*+(?:\n|\Z)")
_HEAD = re.compile(r"[^\w\n]*+(?P<name>[^\n(\[{]*+)(?P<sign>[(\[{])?")
_PIECE = re.compile(r"""\\.|"(?:[^"\\\n]|\\.)*+"|'(?:[^'\\\n]|\\.)*+'|[()\[\]]""", re.S)
_FIRST_OF_SEVERAL = re.compile(r"""(?:"(?:[^"\\]|\\.)*+"|'(?:[^'\\]|\\.)*+')\s*+,""", re.S)


def tool_name(raw: str, tools: dict[str, list[str]]) -> str:
    """Return the registered name that `raw` spells, whatever its case, quotes or spaces; else raw.

    Marks that a server left on the name, such as `functions.` or `[ARGS]`, are ignored too.
    """
    if raw in tools:
        return raw
    for spelled in (raw, AFTER_NAME.sub("", BEFORE_NAME.sub("", raw.strip(), count=1))):
        plain = spelled.replace("\\_", "_").strip(AROUND).lower()
        spellings = (re.sub(r"\s+", "_", plain), re.sub(r"\s+", "", plain))
        same = [name for name in tools if name.strip("_").lower() in spellings]
        if len(same) == 1:
            return same[0]
    return raw


def read_call(head: str, given: str | None, tools: Tools, ended: bool = False) -> Call:
    """Read the text after Action.

    Args:
        head: The text.
        given: The text after Action Input, None if there is no such label.
        tools: The parameter names of each registered tool.
        ended: Whether the line of an empty input is complete. An empty line is then an input
            without arguments, and the registry says which one is missing.
    """
    head, repairs, _ = unfenced(head)
    if head[:1] in ("{", "[", "｛") and not _BRACKETED_NAME.match(head):
        call = json_call(head, given, tools)
        return call._replace(repairs=repairs + call.repairs)
    line, _, rest = head.partition("\n")
    if not _BRACKETED_NAME.match(head) and (whole := one_line_call(head, given or None, tools)):
        return whole._replace(repairs=repairs + whole.repairs)
    name, renamed = known_name(line, tools)
    if not name or (name not in tools and _NO_ACTION.match(name)):
        return Call("", None, repairs, NAMELESS)
    repairs += renamed
    if given is not None and not given.strip() and ended:
        return Call(name, {}, repairs)
    if given is None:  # after the name only what cannot be prose counts as an input
        given = rest if rest.lstrip()[:1] in ("{", "`") else ""
    read = read_input(given.strip(), tools.get(name, ["input"]))
    if read.arguments and len(read.arguments) == 1 and name in tools:
        read = _repeated(name, read, given, tools)
    return Call(name, read.arguments, repairs + read.repairs, read.reason)


def json_call(text: str, given: str | None, tools: Tools) -> Call:
    """Read a call that is one JSON object with name and arguments, or a list of such objects."""
    try:
        value, _, further = read_value(text)
        whole = True
    except Unreadable as error:
        value, further, whole = error.so_far, ("missing brace added",), False
    name, raw = named(value)
    if not name:
        return Call("", None, (), NAMELESS if whole else BROKEN)
    name, renamed = known_name(name, tools)
    parameters, further = tools.get(name, ["input"]), further + renamed
    if raw is ...:
        raw = given or ""
    if isinstance(raw, dict):
        if not whole and not set(parameters) <= set(raw):
            return Call(name, None, (), BROKEN)
        return Call(name, raw, further)
    if raw is None:
        return Call(name, {}, further)
    if isinstance(raw, str):
        read = read_input(raw, parameters)
        return Call(name, read.arguments, further + read.repairs, read.reason)
    return Call(name, {parameters[0]: raw} if len(parameters) == 1 else None, further, NOT_NAMED)


def one_line_call(head: str, given: str | None, tools: Tools) -> Call | None:
    """Read a call such as `name(...)`, `name[...]` or `name {...}`.

    Args:
        head: The text.
        given: The text after Action Input, None if there is none.
        tools: The parameter names of each registered tool.

    Returns:
        None if the text is not such a call.
    """
    parts = _HEAD.match(head)
    if parts is None or not parts["sign"]:
        return None
    spelled, body = parts["name"], head[parts.start("sign") :]
    name, renamed = known_name(spelled, tools)
    if name not in tools and not re.fullmatch(r"[\w.-]+", name):
        return None
    if name.lower() in NOTHING:
        return None
    parameters, repairs = tools.get(name, ["input"]), (*renamed, "name and input on one line")
    inside, closed = body, True
    if body[0] != "{":
        inside, closed, after = _bracketed(body)
        after = after.partition("\n")[0].strip(" \t\r.;*_`'\")]>")
        if after and not after.startswith(("#", "//")):
            return None
        if given is not None and inside and (name not in tools or spelled[-1:] == " "):
            return None  # a remark in brackets, not a call
    if given is not None or body[0] == "{":
        read = read_input(body if given is None else given, parameters)
    else:
        read = _inside(inside.strip(), parameters, closed)
    return Call(name, read.arguments, repairs + read.repairs, read.reason)


def known_name(spelled: str, tools: Tools) -> tuple[str, tuple[str, ...]]:
    """Return the name of the tool, and the repair that it took."""
    spelled = spelled.strip(" \t\r*_`\"'[]:")
    name = tool_name(spelled, tools)
    return name, ("tool name put right",) if name != spelled else ()


def _repeated(name: str, read: Input, given: str, tools: Tools) -> Input:
    """Read the arguments of an input that repeats the call: `get_weather(city="Oslo")`."""
    (value,) = (read.arguments or {"": None}).values()
    text = given.strip().strip("`")
    if not isinstance(value, str) or not re.match(rf"{re.escape(name)}\s*[(\[{{]", text):
        return read
    call = one_line_call(text, None, tools)
    if call is None or call.name != name:
        return read
    return Input(call.arguments, (*call.repairs, "call in the input read"), call.reason)


def named(value: object) -> tuple[str, object]:
    """Return the name in a decoded call and its input; "" for no name, ... for no input."""
    if isinstance(value, list) and value:
        value = value[0]
    if not isinstance(value, dict):
        return "", ...
    wrapped = value.get("function") or (len(value) == 1 and [*value.values()][0])
    if isinstance(wrapped, dict | list):  # {"tool_call": {...}}, {"tool_calls": [...]}
        if isinstance(wrapped, dict) and "function" in value:  # the arguments may be beside it
            wrapped = {key: value[key] for key in INPUT_KEYS if key in value} | wrapped
        return named(wrapped)
    name = next((value[key] for key in NAME_KEYS if isinstance(value.get(key), str)), "")
    return name.strip(), next((value[key] for key in INPUT_KEYS if key in value), ...)


def _bracketed(body: str) -> tuple[str, bool, str]:
    """Return the content of the bracket that opens a text, whether it is closed, and the rest."""
    depth, pair = 0, ("(", ")") if body[0] == "(" else ("[", "]")
    for piece in _PIECE.finditer(body):
        depth += (piece[0] == pair[0]) - (piece[0] == pair[1])
        if depth == 0:
            return body[1 : piece.start()], True, body[piece.end() :]
    return body[1:], False, ""


def _inside(text: str, parameters: list[str], closed: bool) -> Input:
    """Read the content of the brackets of a call."""
    if not text and closed:
        return Input({})
    try:
        keywords, further = read_keywords(text)
        if keywords and (closed or (set(parameters) <= set(keywords) and text[-1] in "\"'")):
            return Input(keywords, further)
    except Unreadable as error:
        if error.why:
            return Input(None, (), WHY[error.why])
    key = re.match(r"(\w+)\s*(?:=(?!=)|:)", text)
    if (key and key[1] in parameters) or not (closed or text[:1] == "{"):
        return Input(None, (), BROKEN)
    if text[:1] in ("'", '"') and _FIRST_OF_SEVERAL.match(text):
        return Input(None, (), NOT_NAMED)
    return read_input(text, parameters)
