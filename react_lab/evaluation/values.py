"""Values: find a number or a word in a text, and decide whether the text asserts it.

>>> place("75", "It is 175, or 75.5."), place("75", "They cost 75.00 euros.")
(None, 10)
"""

import re
import unicodedata
from collections.abc import Iterator

from react_lab.chinese import HAN, NUMERIC, arabic

# A letter or digit of a script that separates words; Chinese characters are neighbours of anything.
_LETTER = f"[^\\W{HAN}]"
# Not part of a word, a time (16:00), a date (2026-06-01) or a longer number.
NUMBER = re.compile(rf"(?<!{_LETTER})(?<![.,:])(?<!\d-)-?\d+(?:\.\d+)?(?![:.,-]?\d)")


_SPACES = re.compile(r"[^\S\n]")  # including no-break and narrow spaces
_MINUS = re.compile(r"(?<![\d)%] )(?<!\d)\bminus (?=\d)|零下 ?(?=\d)", re.I)
_RANGE = re.compile(r"(?<=\d) ?[–—~～至到] ?(?=\d)")
_THOUSANDS = re.compile(r"(?<![\d.,'])\d{1,3}(?:([ ,'.])\d{3})(?:\1\d{3})*(?:,\d{1,2})?(?![\d'])")
_DECIMALS = re.compile(r"(?<![\d.,])(\d+),(\d{1,2})(?![\d,.]*\d)")


def plain(text: str) -> str:
    """Return a text with one spelling of numbers: 3530 for 3,530 and -5 for minus 5.

    Also read are 3 530, 3'530 and 3.530,25; 12,5 is a decimal number. A range such as 5–7 keeps
    a hyphen between its numbers, so that neither of them counts as a number.

    >>> plain("3,530 or –12,5 or 5–7")
    '3530 or -12.5 or 5-7'
    """
    text = unicodedata.normalize("NFC", text).translate(_ONE_SIGN)
    text = re.sub(r"(?<=\d)，(?=\d{3}(?!\d))", ",", text)
    text = _MINUS.sub("-", _RANGE.sub("-", _SPACES.sub(" ", text)))
    text = re.sub(r"[–—](?=\d)", "-", text)
    text = _THOUSANDS.sub(_without_groups, text)
    return arabic(_DECIMALS.sub(r"\1.\2", text))


_ONE_SIGN = NUMERIC | dict(zip(map(ord, "’‘−‑"), "''--"))


def _without_groups(found: re.Match[str]) -> str:
    """Return a number without the marks of its thousands."""
    whole, comma, decimals = found[0], "", ""
    if found[1] != ",":
        whole, comma, decimals = whole.partition(",")
    if found[1] == "." and (not comma and found[0].count(".") == 1):
        return found[0]  # 1.234 is a decimal number
    return whole.replace(found[1], "") + (f".{decimals}" if comma else "")


def place(value: str, text: str) -> int | None:
    """Return where a value is in a text, as a whole word or number; None if nowhere.

    Numbers are compared as numbers: 75 is found in "75.00", and 3163.30 in "3163.29754624",
    which is that when it is rounded. A single letter is found in its own case only.

    Args:
        value: a word or number; further spellings follow after a |.
        text: such as an answer. The place is the one in `plain(text)`.
    """
    return min((start for start, _ in _places(value, plain(text))), default=None)


def _places(value: str, text: str) -> Iterator[tuple[int, int]]:
    """Yield start and end of every place of a value in a plain text."""
    for spelling in map(plain, value.split("|")):
        if re.fullmatch(r"-?\d+(\.\d+)?", spelling):
            decimals = len(spelling.partition(".")[2])
            near = 0.5 * 10**-decimals if decimals else 0
            for match in NUMBER.finditer(text):
                if abs(float(match[0]) - float(spelling)) <= near:
                    yield match.span()
        else:
            yield from (match.span() for match in _word(spelling).finditer(text))


def _word(spelling: str) -> re.Pattern[str]:
    """Return what finds a spelling as a whole word."""
    if len(spelling) == 1 and spelling.isalpha():  # an answer to choose; "A cat" is an article
        article = r"(?! (?!(?:is|was|and|or|because|since|as|with)\b)[a-z])"
        return re.compile(rf"(?<![\w.,:]){spelling}(?!\w|[.,]\d)" + article * (spelling in "AI"))
    spelled = re.sub(r"(?<=\d)\\? (?=[a-z])", r"\\s?", re.escape(spelling))  # 5pm
    before = rf"(?<!{_LETTER})(?<![.,:])" if re.match(_LETTER, spelling) else ""
    after = rf"(?!{_LETTER}|[.,]\d)" if re.search(rf"{_LETTER}$", spelling) else ""
    return re.compile(before + spelled + after, re.I)


# Before a value: what takes it back.
_TAKEN_BACK = re.compile(
    r"(?:\b(?:not|never|rather than|instead of)|n't) (?:(?:the|a|about|exactly|equal to) )*$", re.I
)
_UNIT = r"(?: ?([^\W\d_]+|[€$£¥%°]+))?"
# One number said to be another one: "27.80 euros, and that is 111.2 euros", "5 or 7 days".
_EQUATED = re.compile(
    rf"(?P<before>[^.!?\n]*?)(?P<one>{NUMBER.pattern}){_UNIT}"
    r"(?P<link>,? (?:and )?(?:that|this|which|it) (?:is|are|makes|equals|means) | ?= ?| or )"
    rf"(?:about )?(?P<other>{NUMBER.pattern}){_UNIT}(?P<after>[^.!?\n,;]*)"
)


def asserted(value: str, text: str) -> bool:
    """Return whether a text gives a value as the right one.

    It does not where the value is in a false sentence: under a negation, as one of two values to
    choose from, or said to be another number of the same unit.

    >>> asserted("4", "It is 4 m."), asserted("4", "It is not 4 m."), asserted("4", "3 or 4 m")
    (True, False, False)
    """
    text = plain(text)
    return any(
        not _TAKEN_BACK.search(text[:start]) and not _equated(start, text)
        for start, _ in _places(value, text)
    )


def _equated(start: int, text: str) -> bool:
    """Return whether the number at a place is said to be another number."""
    for match in _EQUATED.finditer(text):
        if start not in (match.start("one"), match.start("other")):
            continue
        one, other = round(float(match["one"]), 2), round(float(match["other"]), 2)
        if one == other or len({match[3], match[6]} - {None}) > 1:
            continue
        worked_out = re.search(r"\d|[*×+/]|\b(?:each|per|times|one)\b", match["before"])
        further = re.search(r"\b(?:for|in all|each|per)\b", match["after"])
        if match["link"] == " or " or not (worked_out or further):
            return True
    return False
