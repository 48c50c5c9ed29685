"""Results: write what a tool returned as the text that a model reads.

>>> print(as_text([{"city": "Köln", "rain": None}, "Oslo"]))
{"city": "Köln", "rain": null}
Oslo
"""

import json
import math
import re
from collections import abc
from dataclasses import fields, is_dataclass
from enum import Enum
from itertools import islice
from typing import Any

from react_lab.chinese import is_chinese
from react_lab.keys import masked

MANY = 1000  # items read from an iterator that may never end, and numbers shown of an array
AT_A_GLANCE = 20  # rows of a table that are shown
DEEP = 20  # levels of lists in lists
LARGEST = 10**1000  # Python refuses to write a whole number of more than 4300 digits


def as_text(value: object) -> str:
    """Return a tool's result as text, never empty: lists as lines, structures as JSON, tables.

    At most MANY items of a generator or other iterator are read.

    Args:
        value: anything.

    Raises:
        Exception: what an iterator raises while it is read, and nothing else.
    """
    if value is None:
        return "Done. The tool returned nothing."
    value = plain(value)
    if value == []:
        return "The tool returned an empty list."
    text = "\n".join(map(_line, value)) if isinstance(value, list) else _line(value)
    return text if text.strip() else "The tool returned an empty text."


def sendable(text: str, keys: tuple[str, ...] | None = None) -> str:
    """Return a text that can be sent, shown and written: without half an emoji and without keys.

    Half an emoji ("\\ud83d" in a model's JSON) becomes a question mark, a key becomes ***.

    Args:
        text: any text.
        keys: the keys to mask, as in `masked`.
    """
    return masked(text if text.isascii() else text.encode("utf-8", "replace").decode(), keys)


def plain(value: object, inside: tuple[int, ...] = ()) -> object:
    """Return the value in JSON's own types; a value that JSON cannot express becomes text.

    Args:
        value: anything.
        inside: the ids of the values around this one, so that a value inside itself becomes "...".
    """
    if isinstance(value, Enum):
        return plain(value.value, inside)
    if value is None or isinstance(value, str | bool):
        return value
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else str(float(value))  # JSON has no NaN
    if isinstance(value, int):
        return value if abs(value) < LARGEST else f"a whole number of {value.bit_length()} bits"
    if id(value) in inside or len(inside) >= DEEP:
        return "..."
    inside = (*inside, id(value))
    opened = _opened(value)
    if isinstance(opened, dict):
        found = {str(plain(k, inside)): plain(v, inside) for k, v in opened.items()}
        if len(found) == len(opened):
            return found
        return {repr(k): plain(v, inside) for k, v in opened.items()}  # both 1 and "1" are keys
    if isinstance(opened, list):
        return [plain(item, inside) for item in opened]
    return _shown(value) if type(opened) is type(value) else plain(opened, inside)


def head(text: str, limit: int) -> str:
    """Return the first `limit` characters of a text."""
    return text[:limit]


# Lines with the totals of a table, which a cut must not lose.
_TOTAL = re.compile(
    r"\b(?:total|sum|count|rows?|mean|average|median|min|max)\b|[合总小]计|总共|平均|共", re.I
)


def head_and_tail(text: str, limit: int) -> str:
    """Return at most `limit` characters: the start, the lines with totals, and the end.

    Between them a line says how many lines and characters the text has in all. Use it where a
    table ends with its totals: `Registry(shorten=head_and_tail)`, `KeepRounds(shorten=...)`.

    >>> table = "\\n".join(["item,price", *(f"no. {n},{n}" for n in range(99)), "total,4851"])
    >>> print(head_and_tail(table, 80))
    item,price
    no. 0,0
    no
    [... 101 lines, 991 characters in all ...]
    8,98
    total,4851
    """
    if len(text) <= limit:
        return text
    lines, words = text.splitlines(), "[... {} lines, {} characters in all ...]"
    if is_chinese(text):
        words = "[……共 {} 行，{} 个字符……]"
    facts = words.format(len(lines), len(text))
    room = limit - len(facts) - 2
    if room < 4:
        return text[:limit]
    begin, end = text[: room * 3 // 5], text[len(text) - (room - room * 3 // 5) :]
    found = [line.strip() for line in lines if _TOTAL.search(line) and re.search(r"\d", line)]
    for line in found[-3:]:
        if line not in begin and line not in end and len(line) + 1 <= len(begin) // 2:
            facts += "\n" + line
            begin = begin[: len(begin) - len(line) - 1]
    return f"{begin}\n{facts}\n{end}"


def both_ends(text: str, limit: int) -> str:
    """Return the start and the end of a text, `limit` characters in all, and what is missing.

    >>> print(both_ends("0123456789" * 10, 12))
    012345678
    [88 characters left out. Ask for less to see them.]
    789
    """
    if len(text) <= limit:
        return text
    tail = limit // 4
    begin, end = text[: limit - tail], text[len(text) - tail :]
    words = "[{} characters left out. Ask for less to see them.]"
    if is_chinese(text):
        words = "[省略了 {} 个字符。想看到它们，请缩小查询范围。]"
    return f"{begin}\n{words.format(len(text) - limit)}\n{end}"


# How a registry cuts a long result by default. The recorded replies of the notebooks belong to
# results that `head` cut; with new recordings this becomes `both_ends`.
SHORTEN = head


def _opened(value: Any) -> object:
    """Take one layer off a value: return a dict, a list or something simpler, else the value."""

    def can(method: str) -> bool:  # on the type: a proxy object has every attribute
        return callable(getattr(type(value), method, None))

    if isinstance(value, bytes | bytearray | memoryview):
        return _bytes(bytes(value))
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in fields(value)}
    if can("model_dump"):  # pydantic
        return value.model_dump()
    if can("_asdict"):  # a named tuple
        return value._asdict()
    if can("to_string") and can("head"):  # pandas: a table or a column
        more = f"\n[only the first {MANY} rows of {len(value)}]" if len(value) > MANY else ""
        if len(value) > AT_A_GLANCE:  # first, because a long text is cut
            return f"[{len(value)} rows]\n{value.head(MANY).to_string()}{more}"
        return value.head(MANY).to_string() + more
    if can("tolist"):  # an array, or a number from an array
        return _array(value)
    if isinstance(value, abc.Mapping) or (can("keys") and can("__getitem__")):  # a sqlite3.Row
        return dict(value)
    if isinstance(value, abc.Set):
        return sorted(value, key=_shown)  # a set has another order in every process
    if isinstance(value, abc.Iterator | range):
        returned: list[object] = []
        items = list(islice(_items(iter(value), returned), MANY + 1))
        if len(items) > MANY:
            return [*items[:MANY], f"[only the first {MANY} items]"]
        return items + returned
    return list(value) if isinstance(value, abc.Sequence | abc.ValuesView) else value


def _items(values: abc.Iterator[object], returned: list[object]) -> abc.Iterator[object]:
    """Yield the items of an iterator; what a generator returns at its end goes to `returned`."""
    value: object = yield from values  # type: ignore[func-returns-value]
    if value is not None:
        returned.append(value)


def _array(value: Any) -> object:
    """Return a numpy array or number as lists and numbers; a large array as its summary."""
    if getattr(getattr(value, "dtype", None), "kind", "") in ("m", "M"):
        value = value.astype(str)  # dates: tolist() gives nanoseconds for some of them
    size = getattr(value, "size", 0)
    return str(value) if isinstance(size, int) and size > MANY else value.tolist()


def _bytes(value: bytes) -> str:
    """Return bytes as text if they are text, else say how many there are."""
    text = value.decode("utf-8", "replace")
    if all(sign.isprintable() or sign in "\n\r\t" for sign in text) and "\ufffd" not in text:
        return text
    return f"{len(value)} bytes that are no text"


def _shown(value: object) -> str:
    """Return str() without memory addresses, so that a repeated call gives the same text."""
    try:
        return re.sub(r" at 0x[0-9A-Fa-f]+", "", str(value))
    except Exception:
        return f"a {type(value).__name__} that cannot be shown"


def _line(value: object) -> str:
    """Write one plain value on one line; a text stays unchanged."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
