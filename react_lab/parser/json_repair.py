r"""JSON repair: read JSON that a model has damaged, if it has exactly one reading.

The reader accepts trailing commas, comments, Python's quotes and words, escapes that JSON does
not know, bare keys, typographic quotes and full-width punctuation as delimiters, doubled braces,
and a written-out \\n between two tokens. It refuses what it would have to guess: a missing comma
or colon, a bare value, a stray quote, a key with two values, a path with single backslashes.

>>> read_value("{'city': 'Oslo', sunny: True}")
({'city': 'Oslo', 'sunny': True}, 29, ('Python literal read', 'bare key read'))
"""

import json
import re
from typing import Any

from react_lab.parser.backslashes import Ambiguous, literal

Repairs = dict[str, None]  # a dict keeps the order and each entry once
DEPTH = 100  # deeper than the arguments of any tool
CLOSING = {'"': '"', "'": "'", "“": "”", "”": "”", "„": "“", "‘": "’", "「": "」"}
CLOSING |= {"『": "』", "«": "»", "＂": "＂"}
WORDS = {"true": True, "false": False, "null": None, "True": True, "False": False, "None": None}
OPENING_BRACE, OPENING_BRACKET = "{｛", "[［("
PAIRS = {"{": "}", "｛": "}", "[": "]", "［": "]", "(": ")"}
WIDE = {"｝": "}", "］": "]", "：": ":", "，": ","}

# Possessive quantifiers (*+) never give back what they took, so that no search is repeated.
_SPACE = re.compile(r"(?:\s|\\[nrt])*+")
_WRITTEN_BREAK = re.compile(r"\s*+\\[nrt]")
_COMMENT = re.compile(r"(?://[^\n]*+|#[^\n]*+|/\*(?:[^*]|\*(?!/)){0,500}+\*/)\s*+")
_KEY = re.compile(r"[^\W\d][\w$-]*+")
_WORD = re.compile(r"[\w.+$-]++")
_NUMBER = re.compile(r"[-+]?(?:(?:0|[1-9](?:_?\d)*+)(?:\.\d*+)?|\.\d++)(?:[eE][-+]?\d++)?\Z", re.A)
_ESCAPE = re.compile(r'\\(u[0-9a-fA-F]{4}|.)|"', re.S)
_BODY = {
    end: re.compile(rf"[^{end}\\]*+(?:\\.[^{end}\\]*+)*+{end}", re.S)
    for end in set(CLOSING.values())
}


class Unreadable(ValueError):
    """The text has no single reading.

    Attributes:
        place: The position where reading failed.
        cut: Whether the text ended too early.
        in_string: Whether it ended inside a string.
        stray: Whether reading failed directly after a string, on the same line, as it does after
            a quote that was not escaped.
        so_far: The members of a cut object, if only its closing brace is missing.
        why: "backslash" or "twice" if the text is complete but means two things, else "".
    """

    def __init__(
        self,
        place: int,
        cut: bool = False,
        in_string: bool = False,
        stray: bool = False,
        so_far: dict[str, Any] | None = None,
        why: str = "",
    ):
        super().__init__(f"cannot be read from character {place} on")
        self.place, self.cut, self.so_far = place, cut, so_far
        self.in_string, self.stray, self.why = in_string, stray, why


def read_value(text: str, begin: int = 0) -> tuple[object, int, tuple[str, ...]]:
    """Read the JSON value that begins at `begin`; the text after it does not matter.

    Returns:
        The value, the position of its end, and the repairs.

    Raises:
        Unreadable: If it has no single reading.
    """
    repairs: Repairs = {}
    value, end = _value(text, begin, repairs, 0)
    return value, end, tuple(repairs)


def read_keywords(text: str) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Read a whole text such as `city="Oslo", days=2`, with equals signs or colons.

    Raises:
        Unreadable: If it has no single reading.
    """
    repairs: Repairs = {}
    found: dict[str, Any] = {}
    place = _skip(text, 0, {})
    while place < len(text):
        key = _KEY.match(text, place)
        place = _skip(text, key.end() if key else place, repairs)
        if not key or _sign(text, place, repairs) not in ("=", ":"):
            raise Unreadable(place)
        found[key[0]], place = _value(text, place + 1, repairs, 1)
        place = _skip(text, place, repairs)
        if place < len(text):
            if _sign(text, place, repairs) != ",":
                raise Unreadable(place)
            place = _skip(text, place + 1, repairs)
    return found, tuple(repairs)


def _value(text: str, place: int, repairs: Repairs, depth: int) -> tuple[object, int]:
    """Return the value at `place`, and where it ends."""
    place = _skip(text, place, repairs)
    first = text[place : place + 1]
    if not first:
        raise Unreadable(place, cut=True)
    if depth > DEPTH:
        raise Unreadable(place)
    if first in OPENING_BRACE:
        return _object(text, place, repairs, depth)
    if first in OPENING_BRACKET:
        return _array(text, place, repairs, depth)
    if first in CLOSING:
        return _string(text, place, repairs)
    return _word(text, place, repairs)


def _object(text: str, place: int, repairs: Repairs, depth: int) -> tuple[object, int]:
    begin, place = place, _skip(text, place + 1, repairs)
    if text[place : place + 1] == "{":  # {{...}}, copied from a template
        value, place = _value(text, place, repairs, depth + 1)
        repairs["doubled braces read"] = None
        return value, _close(text, _skip(text, place, repairs), begin, repairs)
    found: dict[str, Any] = {}
    firm = False
    while (sign := _sign(text, place, repairs)) != "}":
        if not sign:
            so_far = found if depth == 0 and firm else None
            raise Unreadable(place, cut=True, so_far=so_far)
        key, place = _key(text, place, repairs)
        place = _skip(text, place, repairs)
        if _sign(text, place, repairs) != ":":
            raise Unreadable(place, cut=place == len(text), stray=_stray(text, place))
        value, end = _value(text, place + 1, repairs, depth + 1)
        if key in found and found[key] != value:
            raise Unreadable(place, why="twice")
        found[key] = value
        firm = text[end - 1] not in "0123456789."  # a number may continue
        place = _comma(text, end, repairs, "}")
    return found, _close(text, place, begin, repairs)


def _array(text: str, place: int, repairs: Repairs, depth: int) -> tuple[object, int]:
    begin, found = place, []
    closing = PAIRS[text[begin]]
    place = _skip(text, begin + 1, repairs)
    while (sign := _sign(text, place, repairs)) != closing:
        if not sign:
            raise Unreadable(place, cut=True)
        value, end = _value(text, place, repairs, depth + 1)
        found.append(value)
        place = _comma(text, end, repairs, closing)
    if closing == ")":
        repairs["Python literal read"] = None
    return found, _close(text, place, begin, repairs)


def _key(text: str, place: int, repairs: Repairs) -> tuple[str, int]:
    if text[place] in CLOSING:
        return _string(text, place, repairs)
    bare = _KEY.match(text, place)
    if not bare:
        raise Unreadable(place)
    repairs["bare key read"] = None
    return bare[0], bare.end()


def _string(text: str, place: int, repairs: Repairs) -> tuple[str, int]:
    opening = text[place]
    if text.startswith(('"""', "'''"), place):
        end = text.find(text[place] * 3, place + 3)
        if end < 0:
            raise Unreadable(len(text), cut=True, in_string=True)
        body, end = text[place + 3 : end], end + 3
    else:
        match = _BODY[CLOSING[opening]].match(text, place + 1)
        if not match:
            raise Unreadable(len(text), cut=True, in_string=True)
        body, end = match[0][:-1], match.end()
    if opening != '"':
        kind = "Python literal read" if opening == "'" else "typographic quotes read"
        repairs[kind] = None
    try:
        return _unescaped(body, repairs), end
    except Ambiguous:
        raise Unreadable(place, why="backslash") from None


def _unescaped(body: str, repairs: Repairs) -> str:
    """Read the text between the quotes. An escape that JSON does not know stays unchanged."""
    if "\\" not in body:
        return body
    plain = literal(body)
    if plain != body:
        repairs["single backslashes kept"] = None

    def known(match: re.Match[str]) -> str:
        escape = match[1]
        if escape is None:
            return '\\"'
        if len(escape) == 5 or escape in '"\\/bfnrt':
            return match[0]
        if escape in CLOSING or escape in CLOSING.values():
            return escape
        repairs["unknown escape kept"] = None
        return "\\" + match[0]

    return str(json.loads(f'"{_ESCAPE.sub(known, plain)}"', strict=False))


def _word(text: str, place: int, repairs: Repairs) -> tuple[object, int]:
    """Read a number or one of WORDS."""
    match = _WORD.match(text, place)
    word, end = (match[0], match.end()) if match else ("", place)
    if word in WORDS:
        if word[0] in "TFN":
            repairs["Python literal read"] = None
        return WORDS[word], end
    if not _NUMBER.match(word) or len(word) > 400:
        raise Unreadable(place, cut=bool(word) and end == len(text))
    try:
        return json.loads(word), end
    except ValueError:  # 1_000, +5 and .5 are Python's
        repairs["Python literal read"] = None
        return (int if word.strip("+-").replace("_", "").isdigit() else float)(word), end


def _comma(text: str, place: int, repairs: Repairs, closing: str) -> int:
    """Return the position after a member's comma, or of the closing bracket, or the end."""
    place = _skip(text, place, repairs)
    sign = _sign(text, place, repairs)
    if sign == ",":
        place = _skip(text, place + 1, repairs)
        if _sign(text, place, repairs) == closing:
            repairs["trailing comma dropped"] = None
    elif sign and sign != closing:
        raise Unreadable(place, stray=_stray(text, place))
    return place


def _stray(text: str, place: int) -> bool:
    """Return whether a quote comes before `place`, with only a few spaces between."""
    return text[max(0, place - 20) : place].rstrip(" \t")[-1:] in CLOSING


def _close(text: str, place: int, begin: int, repairs: Repairs) -> int:
    """Return the position after the bracket that closes the one at `begin`."""
    if _sign(text, place, repairs) != PAIRS[text[begin]]:
        raise Unreadable(place, cut=place == len(text))
    return place + 1


def _sign(text: str, place: int, repairs: Repairs) -> str:
    """Return the punctuation at `place` in its ASCII form; "" at the end of the text."""
    sign = text[place : place + 1]
    if sign in WIDE:
        repairs["full-width punctuation read"] = None
    return WIDE.get(sign, sign)


def end_of(pattern: re.Pattern[str], text: str, place: int) -> int:
    """Return where a match at `place` ends; `place` if there is none."""
    found = pattern.match(text, place)
    return found.end() if found else place


def _skip(text: str, place: int, repairs: Repairs) -> int:
    """Return the position after white space and comments."""
    if _WRITTEN_BREAK.match(text, place):
        repairs["written-out line break read"] = None
    place = end_of(_SPACE, text, place)
    while comment := _COMMENT.match(text, place):
        repairs["comment dropped"] = None
        place = comment.end()
    return place
