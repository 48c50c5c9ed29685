"""Call forms: the native calls that models write as text, one row for each form.

A model that was trained on native calls sometimes writes its own markup into the text, or the
server in front of it does not recognise the markup. Text loop and native loop read the same rows.
To add a form, add a row to FORMS; CONTRIBUTING.md has the recipe.

>>> read_native('<tool_call>{"name": "now", "arguments": {}}</tool_call>', {"now": []}).name
'now'
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from react_lab.parser.calls import (
    INPUT_KEYS,
    NAME_KEYS,
    NAMELESS,
    Call,
    Tools,
    json_call,
    known_name,
    named,
    one_line_call,
    tool_name,
)
from react_lab.parser.inputs import BROKEN, MARKUP, fence_end, read_input, unfenced, with_quotes
from react_lab.parser.json_repair import Unreadable, read_value
from react_lab.parser.markup import DSML, read_markup

# The content of a form -----------------------------------------------------------------------

_END = re.compile(  # a mark that closes a form
    r"\s*+(?:</|<\|[\w▁ /]*+\|?>|<[\w ]++\|>|<｜|\[/|```|<function>|\Z)"
)
_CLOSED = re.compile(  # a mark that closes a whole call, so that no argument can follow
    r"\s*+(?:</[\w:-]++>|<\|\w*_end\|>|<\|(?:call|END_ACTION|tools_suffix)\|>|<\w++\|>"
    r"|<[｜|]tool[▁_]calls?[▁_]end[｜|]>)"
)
_NAMED_JSON = re.compile(  # a name, marks, then an object or a list
    r"(?:function(?:<[｜|]tool[▁_]sep[｜|]>|\s))?\s*+(?P<name>[\w./:-]++)"
    r"(?:\s|\[ARGS\]|\[CALL_ID\]\w*+|<\|[\w▁ ]++\|>|<｜[\w▁]++｜>|json\b|```\w*+)*+(?=[{\[])"
)
_FUNCTION_WORD = re.compile(r"function<[｜|]tool[▁_]sep[｜|]>\s*+(?=<)")  # before another form
_GEMMA = re.compile(r"call:(?P<name>[\w.-]++)\s*+(?=\{)")
_NAME = re.compile(r"\s*+(?P<name>[\w./:-]++)\s*+")
_FUNCTION = re.compile(
    r"<[\w:｜‖|-]*?(?:function|invoke|tool)\s*+(?:=\s*+|name\s*+=\s*+|\(\s*+)[\"']?"
    r"(?P<name>[\w.-]++)[\"')]*+(?P<close>/?>|\s*+(?=[{(]))?",
    re.I,
)
_FUNCTION_END = re.compile(r"\s*+(?:</[\w:｜‖|-]*?(?:function|invoke|tool)>?|<function>|/>)", re.I)


def _content(text: str, tools: Tools) -> Call:
    """Read the call in the content of a form, in any of its spellings."""
    text = with_quotes(unfenced(text)[0] if text.lstrip()[:3] == "```" else text.strip())
    text = _FUNCTION_WORD.sub("", text, count=1) if text[:8] == "function" else text
    if text[:1] == "<" and (opening := _FUNCTION.search(text)) and _is_wrapped(text, opening):
        return _function(text[opening.start() :], tools)
    if text[:1] == "{" or re.match(r"\[\s*+\{", text):
        return _keyed(text, tools) or json_call(text, None, tools)
    if gemma := _GEMMA.match(text):
        return _with_input(gemma["name"], text[gemma.end() :], tools)
    if (named := _NAMED_JSON.match(text)) and not text[named.end() :].startswith("[]"):
        return _with_input(named["name"], text[named.end() :], tools)
    if call := _python(text, tools):
        return call
    return _name_and_tags(text, tools)


def _is_wrapped(text: str, opening: re.Match[str]) -> bool:
    """Return whether only wrapping tags come before the tag that names the tool."""
    return re.fullmatch(r"(?:\s|<[^<>]{0,60}>)*+", text[: opening.start()]) is not None


def _with_input(spelled: str, text: str, tools: Tools) -> Call:
    """Read the rest of a call after its name; the text begins with the input."""
    name, renamed = known_name(spelled, tools)
    read = read_input(text, tools.get(name, ["input"]))
    return Call(name, read.arguments, renamed + read.repairs, read.reason)


def _keyed(text: str, tools: Tools) -> Call | None:
    """Read a call that has the tool's name as its key: {"get_weather": {"city": "Oslo"}}."""
    try:
        value, _, mended = read_value(text)
    except Unreadable:
        return None
    value = value[0] if isinstance(value, list) and value else value
    if not isinstance(value, dict) or len(value) != 1:
        return None
    ((key, given),) = value.items()
    name = tool_name(key, tools)
    return Call(name, given, mended) if name in tools and isinstance(given, dict) else None


def _python(text: str, tools: Tools) -> Call | None:
    """Read a call as Python writes it, alone, in a list or in print()."""
    inside = text
    if printed := re.match(r"print\((.*)\)\s*+(?:```)?\s*\Z", text, re.S):
        inside = printed[1].strip()
    if listed := re.match(r"\[\s*+(?=[\w.]++\()", inside):
        inside = inside[listed.end() :]
    opening = re.match(r"([\w.]+?)(?:\.call)?\(", inside)
    if not opening:
        return None
    inside = opening[1] + inside[opening.end() - 1 :]
    end = _python_end(inside)
    if end is None or re.match(r"\s*+,\s*+[\w.]++\(", inside[end:]):
        return Call(opening[1], None, (), BROKEN)
    return one_line_call(inside[:end], None, tools)


def _python_end(text: str) -> int | None:
    """Return where the bracket of a call ends; None if it is not closed."""
    depth = 0
    for piece in re.finditer(r"""\\.|"(?:[^"\\]|\\.)*+"|'(?:[^'\\]|\\.)*+'|[()]""", text, re.S):
        depth += (piece[0] == "(") - (piece[0] == ")")
        if depth == 0 and piece[0] == ")":
            return piece.end()
    return None


def _name_and_tags(text: str, tools: Tools) -> Call:
    """Read a bare name, with arguments in tags or without any. A closing mark must follow."""
    named = _NAME.match(text)
    name, renamed = known_name(named["name"], tools) if named else ("", ())
    if not named or name not in tools:
        return Call("", None, (), NAMELESS)
    if markup := read_markup(text, tools[name], named.end()):
        closed = _CLOSED.match(text, markup.end) or set(tools[name]) <= set(markup.arguments)
        if closed and _END.match(text, markup.end):
            return Call(name, markup.arguments, renamed)
        return Call(name, None, (), MARKUP)
    if _CLOSED.match(text, named.end()):
        return Call(name, {}, renamed)
    return Call(name, None, (), MARKUP if text[named.end() :] else BROKEN)


def _function(text: str, tools: Tools) -> Call:
    """Read a call in a tag with the name: <function=NAME>...</function>, <invoke name="NAME">."""
    opening = _FUNCTION.match(text)
    if opening is None:
        return Call("", None, (), NAMELESS)
    name, renamed = known_name(opening["name"], tools)
    if opening["close"] == "/>":
        return Call(name, {}, renamed)
    begin = opening.end()
    if _FUNCTION_END.match(text, begin):
        return Call(name, {}, renamed)
    rest = text[begin:].lstrip()
    if rest[:1] in ("{", "["):
        return _with_input(name, rest, tools)
    if rest[:1] == "(" and (call := one_line_call(name + rest, None, tools)):
        return call
    if rest[:3] == "```":
        return _with_input(name, unfenced(rest)[0], tools)
    markup = read_markup(text, tools.get(name), begin)
    if markup and _FUNCTION_END.match(text, markup.end):
        return Call(name, markup.arguments, renamed)
    return Call(name, None, (), MARKUP)


def _tagged(mark: re.Match[str], text: str, tools: Tools) -> Call:
    """Read a row in which the tag is the tool: <get_weather><city>Oslo</city></get_weather>."""
    name = mark["named"]
    closing = f"</{name}>"
    if text.startswith(closing, mark.end()):
        return Call(name, {})
    rest = text[mark.end() :].lstrip()
    if rest[:1] == "{":
        return _with_input(name, rest.partition(closing)[0], tools)
    markup = read_markup(text, tools.get(name, []), mark.end())
    if markup and text[markup.end :].lstrip().startswith(closing):
        return Call(name, markup.arguments)
    return Call(name, None, (), MARKUP)


def _after(mark: re.Match[str], text: str, tools: Tools) -> Call:
    """Read the usual row: the content begins after the opening mark."""
    return _content(text[mark.end() :], tools)


def _whole(mark: re.Match[str], text: str, tools: Tools) -> Call:
    """Read a row whose opening mark is already part of the call."""
    return _function(text[mark.start("tag") :], tools)


def _fenced(mark: re.Match[str], text: str, tools: Tools) -> Call:
    """Read a row that is a code fence."""
    end = fence_end(text, mark.end())
    return _content(text[mark.end() : end if end >= 0 else None], tools)


# The table -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Form:
    """One form of native calls.

    Args:
        name: The models or servers that write it.
        opening: A regular expression for the mark that begins it.
        example: The call get_weather(city="Lima") in this form; a test reads each example.
        read: Reads the call from (the match of the mark, the text, the tools).
    """

    name: str
    opening: str
    example: str
    read: Callable[[re.Match[str], str, Tools], Call] = _after


# The marks of the first form, in which the embedded model was trained to write its calls.
TRAINED = ("<tool_call>", "</tool_call>")
_TAGS = "tool_call|function_call|toolcall|tool_use|longcat_tool_call|seed:tool_call|tools|tool"
_LISTS = "tool_calls|function_calls|toolcalls|minimax:tool_call|calls"
_LISTS += rf"|{DSML}(?:function|tool)_calls"
_JSON = '{"name": "get_weather", "arguments": {"city": "Lima"}}'
_TAG = "<parameter=city>Lima</parameter>"

FORMS = (
    Form("Hermes, Qwen, GLM", rf"(?i:<(?:{_TAGS})>)", f"{TRAINED[0]}{_JSON}{TRAINED[1]}"),
    Form("lists of calls", rf"(?i:<(?:{_LISTS})>)", f"<tool_calls>[{_JSON}]</tool_calls>"),
    Form("Granite", r"<\|(?:tool_call|function_call|tool_calls)\|>", f"<|tool_call|>[{_JSON}]"),
    Form(
        "Llama 3, Qwen Coder",
        r"(?P<tag><function\s*+[=(])",
        f"<function=get_weather>{_TAG}</function>",
        _whole,
    ),
    Form(
        "Claude, MiniMax, DeepSeek DSML",
        rf"(?P<tag><(?:{DSML}|[\w-]{{1,20}}+:)?(?:invoke|function|tool)\s++name\s*+=)",
        '<invoke name="get_weather"><parameter name="city">Lima</parameter></invoke>',
        _whole,
    ),
    Form("Mistral", r"\[TOOL_CALLS\]", '[TOOL_CALLS]get_weather[ARGS]{"city": "Lima"}'),
    Form("Llama 3", r"<\|python_tag\|>", '<|python_tag|>get_weather.call(city="Lima")'),
    Form(
        "Gemini, Gemma 3",
        r"```tool_(?:code|call)(?=\W|print\(|\Z)",
        '```tool_code\nget_weather(city="Lima")\n```',
        _fenced,
    ),
    Form(
        "Gemma 4", r"<\|tool_call>", '<|tool_call>call:get_weather{city:<|"|>Lima<|"|>}<tool_call|>'
    ),
    Form(
        "DeepSeek",
        r"(?:<[｜|]tool[▁_]calls[▁_]begin[｜|]>\s*+)?<[｜|]tool▁call▁begin[｜|]>"
        r"|<｜tool_calls_begin｜>\s*+<｜tool_call_begin｜>|<[｜|]tool▁calls▁begin[｜|]>",
        "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather\n```json\n"
        '{"city": "Lima"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
    ),
    Form(
        "Kimi K2",
        r"(?:<\|tool_calls_section_begin\|>\s*+)?<\|tool_call_begin\|>|<\|tool_calls_section_begin\|>",
        "<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0"
        '<|tool_call_argument_begin|>{"city": "Lima"}<|tool_call_end|>',
    ),
    Form(
        "gpt-oss (harmony)",
        r"(?:<\|start\|>assistant)?"
        r"(?:<\|channel\|>\s*+(?:commentary|analysis)\s++to=(?=\w)"
        r"|(?:assistant)?(?:commentary|analysis)\s++to=(?=functions)|to=(?=functions\.))",
        "<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>"
        '{"city": "Lima"}<|call|>',
    ),
    Form("Cohere", r"<\|START_ACTION\|>", f"<|START_ACTION|>[{_JSON}]<|END_ACTION|>"),
    Form(
        "LFM2",
        r"<\|tool_call_start\|>",
        "<|tool_call_start|>[get_weather(city='Lima')]<|tool_call_end|>",
    ),
    Form(
        "InternLM",
        r"<\|action_start\|>\s*+<\|plugin\|>",
        f"<|action_start|><|plugin|>{_JSON}<|action_end|>",
    ),
    Form(
        "Apertus",
        r"<\|tools_prefix\|>",
        '<|tools_prefix|>[{"get_weather": {"city": "Lima"}}]<|tools_suffix|>',
    ),
    Form("Functionary", r">>>(?=[\w.-]{1,64}+\s*+\{)", '>>>get_weather\n{"city": "Lima"}'),
    Form("Phi 4, Firefunction", r"functools\s?(?=\[)", f"functools[{_JSON}]"),
    Form(
        "the tool as a tag",
        r"(?P<tool><(?P<named>[^\s<>/|=｜!?]{1,64}+)>(?=\s*+[<{]))",
        "<get_weather><city>Lima</city></get_weather>",
        _tagged,
    ),
)
_ROWS = tuple((re.compile(form.opening), form) for form in FORMS)
# For a pattern that looks for the opening mark of any form; without the rows' own group names.
OPENING = "|".join(re.sub(r"\(\?P<(?!named)\w+>", "(?:", form.opening) for form in FORMS)
_ANY = re.compile(OPENING)
NATIVE = "native call markup read"


def read_native(text: str, tools: Tools) -> Call | None:
    """Read a text that begins with the opening mark of a form.

    Returns:
        None if it does not begin with one.
    """
    if not _ANY.match(text):  # most texts
        return None
    for pattern, form in _ROWS:
        mark = pattern.match(text)
        if mark and ("named" not in mark.groupdict() or mark["named"] in tools):
            call = form.read(mark, text, tools)
            return call._replace(repairs=(NATIVE, *call.repairs))
    return None


# Calls without any mark, which count only if the prompt does not ask for labels ---------------

BARE_JSON = re.compile(  # where a call that is only JSON begins
    rf"""\{{\s*+["'](?:{"|".join(NAME_KEYS)})["']\s*+:\s*+"""
    rf"""["'](?P<name>[^"'\n]++)["']\s*+,\s*+["'](?:{"|".join(INPUT_KEYS)})["']"""
)
_WRAPPERS = ("tool_calls", "tool_call", "function_call", "function_calls", "calls", "function")
_KEYS = {*NAME_KEYS, *INPUT_KEYS, "id", "type", "index", "tool_call_id", "call_id", "thought"}
_BARE_NAME = re.compile(r"(?P<name>[\w.-]++)\s*+(?=\{)")
_BARE_PYTHON = re.compile(r"\[?(?P<name>[\w.-]++)\(\s*+(?:\w++\s*+=(?!=).*)?\)\]?", re.S)


def read_bare(text: str, tools: Tools) -> Call | None:
    """Read a text that is only a call of a registered tool, as JSON or as Python.

    Returns:
        None if the text is anything else.
    """
    text = text.strip()
    bare = _without_closing(unfenced(text)[0] if text.startswith("```") else text)
    if not bare or bare[-1] not in ")]}":
        return None
    written = (
        BARE_JSON.match(bare.lstrip("[ \t\r\n"))
        or _BARE_PYTHON.fullmatch(bare)
        or _BARE_NAME.match(bare)
    )
    if not (written and tool_name(written["name"], tools) in tools) and not _is_call(bare, tools):
        return None
    call = _content(bare, tools)
    return call._replace(repairs=(NATIVE, *call.repairs))


def _without_closing(text: str) -> str:
    """Return the text without closing tags at its end, which a server may leave there."""
    return re.sub(r"(?:\s*+</?(?:function|tool_call|tool_calls)>)++\s*+\Z", "", text)


def _is_call(text: str, tools: Tools) -> bool:
    """Return whether a text is JSON with the keys of a call, and names a registered tool."""
    try:
        value, end, _ = read_value(text)
    except Unreadable:
        return False
    if text[end:].strip():
        return False
    value = value[0] if isinstance(value, list) and value else value
    for key in _WRAPPERS:  # {"tool_calls": [{"function": {...}}]}
        inner = value.get(key) if isinstance(value, dict) and len(value) == 1 else None
        inner = inner[0] if isinstance(inner, list) and inner else inner
        value = inner if isinstance(inner, dict) else value
    if not isinstance(value, dict) or not set(value) <= _KEYS:
        return False
    name, given = named(value)
    return tool_name(name, tools) in tools and given is not ...
