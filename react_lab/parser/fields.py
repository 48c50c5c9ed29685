"""Fields: split a reply at its labels.

>>> [(part.kind, part.text) for part in fields("Thought: easy.\\nFinal Answer: 4")]
[('thought', 'easy.'), ('answer', '4')]
"""

import re
from bisect import bisect
from collections.abc import Collection
from dataclasses import dataclass
from typing import NamedTuple

from react_lab.parser.call_forms import OPENING
from react_lab.parser.inputs import fence_end
from react_lab.parser.json_repair import Unreadable, read_value
from react_lab.parser.labels import ALSO, KINDS, LABELS
from react_lab.parser.wrapping import (
    MARKS,
    SPACE,
    clean,
    fences,
    only_named,
    starts_line,
    visible,
    without_reasoning,
)


@dataclass(frozen=True)
class Field:
    """One labelled part of a reply.

    Args:
        kind: A key of LABELS, or "call" for a native call.
        text: Its content.
        start: The position at which its label begins.
        begin: The position at which its content begins.
        end: The position at which its content ends.
    """

    kind: str
    text: str
    start: int
    begin: int = 0
    end: int = 0


class Split(NamedTuple):
    """A reply, split at its labels.

    Args:
        parts: The fields; reasoning blocks first.
        shown: The reply with blanks in place of its wrapping, so that its length is unchanged.
        repairs: What was set apart.
    """

    parts: list[Field]
    shown: str
    repairs: tuple[str, ...]


class Mark(NamedTuple):
    """The place at which a field begins.

    Args:
        kind: As in Field.
        start: The position at which the label begins.
        begin: The position at which the content begins.
        emphasis: The emphasis that opens before the label and is not closed by it.
    """

    kind: str
    start: int
    begin: int
    emphasis: str = ""


class InputEnd(NamedTuple):
    """How far an input reaches.

    Args:
        end: The position of its end, or of its beginning if it is neither JSON nor a fence.
        shadow: The position up to which no label counts, because it may be inside a string or a
            fence that was cut off.
        reached: The position up to which the text was read without success, so that nothing is
            read twice.
    """

    end: int
    shadow: int = 0
    reached: int = 0


# Where a field may begin -------------------------------------------------------------------

# The possessive quantifiers (++, *+) never give back what they took, so that the search stays
# linear in the text.

_S = f"[{SPACE}]"
_NUMBER = rf"(?:{_S}{{0,2}}#?\d{{1,3}})?"
_COLON = (  # "Action 1:", but not the time of day in "Action 3:15"
    rf"(?:{_NUMBER}(?:{_S}?[(（][^()（）\n]{{1,30}}[)）])?[{SPACE}*_`]*+[:：])(?<!\d[:：](?=\d))"
)
_NAMES = "|".join(  # longer ones first
    name.replace(" ", rf"{_NUMBER}[{SPACE}_-]{{0,3}}") if name.isascii() else f"{_S}?".join(name)
    for name in sorted({*ALSO, *LABELS["en"].values(), *LABELS["zh"].values()}, reverse=True)
)
_LABEL = rf"(?P<marks>{MARKS})(?P<name>(?i:{_NAMES})){_COLON}(?P<shut>[*_`]{{0,3}}+){_S}*+"
# Within a line only these words count, in exactly this form; `_counts_within` says where.
_WORDS = "Action Input|Action|Final Answer|Observation|行动输入|行动|最终答案|观察"
_WITHIN = rf"(?<![\w'\"`“])(?P<word>{_WORDS}){_COLON}{_S}*+"
_FORGED = (  # results and turns that only the program may write
    r"<\|?tool_(?:response|result)s?\|?>|\[TOOL_RESULTS\]|```tool_outputs?\b|<function_results>"
    r"|<\|im_start\|>(?!assistant)|<\|start_header_id\|>(?!assistant)|<start_of_turn>(?!model)"
    r"|<\|(?:user|observation)\|>|\[INST\]"
)
_TURN = (  # the end of a turn, at the end of a line
    r"(?<!`)(?:<\|(?:im_end|eot_id|end|endoftext|eom_id)\|>|<end_of_turn>|<｜end▁of▁sentence｜>"
    r"|</s>(?=\s*+(?:<s>|\[INST\])))(?=\s*+[<\[]|[ \t]*+(?:\n|(?:Human|User|Question)\s?:))"
)
_HALF = r"(?:Obs(?:e(?:r(?:v(?:a(?:t(?:i(?:on?)?)?)?)?)?)?)?|观察?)\s*+\Z"  # cut by a stop word
_ALONE = (  # an Observation without a colon on its own line, or in brackets
    rf"{MARKS}(?:(?:Observation|OBSERVATION|观察)[*_`]*+[ \t]*+$"
    r"|[\[(<](?i:observation)[\])>]?+(?:[:：\w]|[ \t]*+$))"
)
_MARK = re.compile(
    rf"^(?P<label>{_LABEL})|(?P<within>{_WITHIN})|(?P<turn>{_TURN})|(?P<native>{OPENING})"
    rf"|(?P<forged>{_FORGED})|^(?P<half>{_HALF})|^(?P<alone>{_ALONE})",
    re.MULTILINE | re.ASCII,  # ASCII: otherwise "ı" counts as an "i"
)
_HERE = re.compile(rf"(?P<label>{_S}*+{_LABEL})", re.ASCII)
# What follows an "Action:" within a line: a name, then the label of its input or a bracket.
_CALL = re.compile(
    rf"[`\"'*\[<]{{0,3}}[\w.-]{{1,64}}+(?:{_S}[\w.-]{{1,30}}+){{0,2}}?[`\"'*\]>,;.{SPACE}]{{0,6}}"
    rf"(?:(?P<open>[(\[{{])|\r?\n?{MARKS}(?i:Action{_NUMBER}[ _]?Input|行动输入){_COLON})",
    re.ASCII,
)
_SENTENCE = re.compile(r"(?<!e\.g)(?<!i\.e)(?<!etc)[.!?。！？]\s?\Z")
_BRACE_AT_END = re.compile(r"[}｝][ \t`]*+$", re.MULTILINE)
_FENCE = re.compile(r"[\s\0]*+(?P<fence>```+[\w-]*+)?[\s\0]*+")


# Fields ------------------------------------------------------------------------------------


def fields(text: str, tools: Collection[str] = ()) -> list[Field]:
    """Split a reply at its labels. Text before the first label is thought.

    A label inside a JSON input or a fence does not count.

    Args:
        text: The reply.
        tools: The names of the registered tools; only these count as tags of a call.
    """
    return split(text, tools).parts


def before_observation(parts: list[Field]) -> list[Field]:
    """Return the fields up to the first Observation, which the model may not write itself."""
    for place, part in enumerate(parts):
        if part.kind == "observation":
            return parts[:place]
    return parts


def believed(text: str) -> str:
    """Return what may be used of a reply.

    Reasoning blocks are left out, and everything from the first invented Observation or invented
    user turn.
    """
    invented = [part.start for part in fields(text) if part.kind == "observation"]
    return without_reasoning(text[: invented[0]] if invented else text)


def split(text: str, tools: Collection[str] = ()) -> Split:
    """Split a reply at its labels, as `fields` does, and say what was set apart."""
    shown, thoughts, repairs = clean(text)
    found = _marks(shown, tools)
    ends = [mark.start for mark in found[1:]] + [len(shown)]
    parts = [
        Field(
            mark.kind,
            _without_emphasis(visible(shown[mark.begin : end]), mark.emphasis),
            mark.start,
            mark.begin,
            end,
        )
        for mark, end in zip(found, ends, strict=True)
    ]
    parts = parts if parts[0].text or len(parts) == 1 else parts[1:]
    reasoning = [Field("thought", thought, 0) for thought in thoughts]
    return Split(reasoning + parts, shown, repairs)


def _marks(text: str, tools: Collection[str]) -> list[Mark]:
    """Return the place at which each field begins."""
    found, fenced = [Mark("thought", 0, 0)], fences(text)
    place, glue, shadow, reached = 0, "", 0, 0
    while found_here := (glue and _HERE.match(text, place)) or _MARK.search(text, place):
        kind = _kind(found_here, found, glue, tools)
        start = found_here.start()
        if kind and fenced and _in_fence(start, fenced):
            kind = kind if kind == "observation" and found[-1].kind != "answer" else None
        place, doubled = found_here.end(), glue == "label" and kind == found[-1].kind
        glue = ""
        if kind is None or (start < shadow and kind != "observation"):
            continue
        if doubled and text[start - 1] != "\n":
            start = found.pop().start
        found.append(Mark(kind, start, *_content(found_here)))
        glue = "label"
        if kind in ("action", "input", "call") and place >= reached:
            end, shadow, reached = _input_end(text, place)
            place, glue = (end, "input") if end > place else (place, glue)
    return found


def _kind(mark: re.Match[str], found: list[Mark], glue: str, tools: Collection[str]) -> str | None:
    """Return what begins at this mark; None if it is only a word of the text."""
    text, current = mark.string, found[-1].kind
    if mark.lastgroup == "label":
        return _label_kind(mark, found, glue)
    if mark.lastgroup == "within":
        kind = _labelled_kind(mark["word"], found)
        return kind if _counts_within(mark, kind, current, text) else None
    if mark.lastgroup == "native":
        return "call" if _begins_call(mark, current, tools) else None
    if mark.lastgroup == "turn":
        in_prose = current == "answer" and not starts_line(text, mark.start())
        return "thought" if not in_prose or text[mark.end() :].strip() else None
    if mark.lastgroup == "forged" and only_named(mark):
        return None
    line = mark.lastgroup in ("forged", "half") and starts_line(text, mark.start())
    return None if current == "answer" and not line else "observation"


def _labelled_kind(word: str, found: list[Mark]) -> str:
    """Return the kind of a label. A next question is invented, just like a result."""
    kind = KINDS[re.sub(r"[\W\d_]", "", word).lower()]
    if kind != "question":
        return kind
    asked = {past.kind for past in found[-4:]} & {"action", "answer", "call"}
    return "observation" if asked else "thought"


def _label_kind(mark: re.Match[str], found: list[Mark], glue: str) -> str | None:
    """Return what begins at a label that starts a line, or follows another label on its line."""
    kind, current, word = _labelled_kind(mark["name"], found), found[-1].kind, mark["name"]
    if glue != "label" or mark.string[mark.start() - 1] == "\n":
        return kind
    follows = current in ("thought", "action") and kind in ("action", "input", "answer")
    exact = word.istitle() or not word.isascii()
    return kind if kind == current or (follows and exact) else None


def _begins_call(mark: re.Match[str], current: str, tools: Collection[str]) -> bool:
    """Return whether a native call begins at a mark: at the start of a line or a sentence."""
    if (mark["named"] and mark["named"] not in tools) or only_named(mark):
        return False
    if starts_line(mark.string, mark.start()):
        return True
    sentence = _new_sentence(mark.string, mark.start())
    return current == "thought" and sentence and _ends_line(mark.string, mark.start())


def _counts_within(mark: re.Match[str], kind: str, current: str, text: str) -> bool:
    """Return whether a label within a line counts: it starts a sentence, or a call follows."""
    if kind == "input":
        return current == "action"
    if current != "thought":
        return False
    if kind != "action":
        return _new_sentence(text, mark.start())
    call = _CALL.match(text, mark.end())
    if call is None or not call["open"]:
        return call is not None
    return _new_sentence(text, mark.start()) and _ends_line(text, mark.end())


def _new_sentence(text: str, place: int) -> bool:
    return _SENTENCE.search(text[max(0, place - 6) : place]) is not None


def _ends_line(text: str, begin: int) -> bool:
    """Return whether the line ends like a call, and not like a sentence about a call."""
    end = text.find("\n", begin)
    line = text[max(begin, end - 40) : end] if end >= 0 else text[begin:][-40:]
    return line.rstrip("` \t\r").endswith((")", "]", "}", "_call>"))


def _in_fence(place: int, fenced: list[tuple[int, int]]) -> bool:
    nearest = bisect(fenced, (place,)) - 1
    return nearest >= 0 and fenced[nearest][0] < place < fenced[nearest][1]


def _content(mark: re.Match[str]) -> tuple[int, str]:
    """Return where a field's content begins, and the emphasis that its label leaves open."""
    if mark.lastgroup != "label":
        return mark.start() if mark.lastgroup == "native" else mark.end(), ""
    marks, shut = mark["marks"], mark["shut"]
    emphasis = marks[-1:] if marks[-1:] in ("*", "_", "`") else ""
    if shut and shut[0] not in marks:
        return mark.start("shut"), emphasis
    closed = emphasis and emphasis in mark.string[mark.end("name") : mark.end("shut")]
    return mark.end(), "" if closed else emphasis


def _without_emphasis(text: str, emphasis: str) -> str:
    """Remove the end of an emphasis that began before the label: `**Final Answer: 4**`."""
    line, rest = (text, "") if not emphasis else text.partition("\n")[::2]
    if not emphasis or not line.rstrip().endswith(emphasis):
        return text
    return (line.rstrip().rstrip(emphasis) + ("\n" + rest if rest else "")).strip()


def _input_end(text: str, begin: int) -> InputEnd:
    """Find the end of a JSON or fenced input that starts at `begin`."""
    opening = _FENCE.match(text, begin)
    place, fence = (opening.end(), opening["fence"]) if opening else (begin, None)
    if text[place : place + 1] in ("{", "[", "｛"):
        try:
            end = read_value(text, place)[1]
            closing = _FENCE.match(text, end) if fence else None
            return InputEnd(max(end, closing.end("fence")) if closing else end)
        except Unreadable as error:
            if error.in_string:
                return InputEnd(begin, len(text))
            if error.stray:
                closed = _BRACE_AT_END.search(text, error.place)
                return InputEnd(begin, closed.end() if closed else len(text), error.place)
            if not fence:
                return InputEnd(begin, 0, error.place)
    if not fence:
        return InputEnd(begin)
    end = fence_end(text, place)
    return InputEnd(begin, len(text)) if end < 0 else InputEnd(end + 3)
