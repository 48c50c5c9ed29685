"""Markup: arguments that a model wrote in tags instead of JSON.

>>> read_markup("<parameter=city>Oslo</parameter>", ["city"]).arguments
{'city': 'Oslo'}
>>> read_markup("<arg_key>city</arg_key><arg_value>Oslo</arg_value>", ["city"]).arguments
{'city': 'Oslo'}
>>> read_markup("<p>Oslo</p>", ["city"]) is None
True
"""

import json
import re
from typing import Any, NamedTuple

from react_lab.parser.json_repair import end_of

# DeepSeek's mark, with the bars that servers make of it.
DSML = r"[｜‖|]{1,2}DSML[｜‖|]{1,2}"
_PREFIX = rf"(?:[\w-]{{1,20}}+:|{DSML}|longcat_)?"
# <parameter=NAME>, <param = NAME>, <parameter name="NAME" ...>
_NAMED = re.compile(
    rf"""<(?P<tag>{_PREFIX}(?:parameter|param|argument|arg))\s*+
    (?:=\s*+["']?(?P<bare>[\w.-]++)["']?|name\s*+=\s*+["'](?P<name>[^"'<>\n]++)["'])
    (?P<more>[^<>\n]{{0,80}})>(?P<value>.*?)</(?P=tag)\s*+>""",
    re.S | re.I | re.X,
)
_PAIR = re.compile(
    rf"<{_PREFIX}arg_key>(?P<name>[^<>\n]{{1,80}})</{_PREFIX}arg_key>\s*+"
    rf"<{_PREFIX}arg_value>(?P<value>.*?)</{_PREFIX}arg_value>",
    re.S | re.I,
)
_TAG = re.compile(r"<(?P<name>[^\W\d][\w.-]*+)>(?P<value>.*?)</(?P=name)>", re.S)
_NOT_TEXT = re.compile(r'\sstring\s*+=\s*+["\']false["\']', re.I)
_SPACE = re.compile(r"[\s,]*+")
_FOREIGN = re.compile(
    rf"</?{_PREFIX}(?:parameter|param|arg_key|arg_value|argument|arg|function|invoke|tool_calls?"
    rf"|function_calls?|toolcall|tools?|tool_use)\b\s*+(?:[=>]|name\s*+=)|<\|tool|\[TOOL_CALLS\]"
    rf"|<｜tool|<{DSML}|<\|\"\|>",
    re.I,
)


class Markup(NamedTuple):
    """Arguments that were read from tags, and where the last tag ends."""

    arguments: dict[str, Any]
    end: int


def read_markup(text: str, parameters: list[str] | None, begin: int = 0) -> Markup | None:
    """Read the arguments that are written in tags from `begin` on.

    Args:
        text: A text whose part at `begin` should be such tags.
        parameters: The tool's parameter names; only these are taken as `<NAME>` tags. None if
            the tool is unknown: then any name is taken.
        begin: Where to start reading.

    Returns:
        None if the text does not begin with a parameter, or names one twice with two values.
    """
    found: dict[str, Any] = {}
    place = end_of(_SPACE, text, begin)
    end = begin
    while one := _parameter(text, place, parameters):
        name, value, end = one
        if name in found and found[name] != value:
            return None
        found[name] = value
        place = end_of(_SPACE, text, end)
    return Markup(found, end) if found else None


def is_foreign(text: str) -> bool:
    """Return whether a text begins with the markup of a call form, so that it is not a value."""
    return _FOREIGN.match(text.lstrip()) is not None


def _parameter(
    text: str, place: int, parameters: list[str] | None
) -> tuple[str, object, int] | None:
    """Return the name, the value and the end of the parameter at `place`."""
    if (one := _NAMED.match(text, place)) or (one := _PAIR.match(text, place)):
        name = one["name"] if one.re is _PAIR else one["bare"] or one["name"]
        return name.strip(), _value(one), one.end()
    one = _TAG.match(text, place)
    if one and (parameters is None or one["name"] in parameters):
        return one["name"], _value(one), one.end()
    return None


def _value(one: re.Match[str]) -> object:
    """Return the value between two tags, without the line breaks around it."""
    text = one["value"].strip("\r\n") if "\n" in one["value"] else one["value"]
    if one.re is _NAMED and _NOT_TEXT.search(one["more"]):
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            pass
    return text
