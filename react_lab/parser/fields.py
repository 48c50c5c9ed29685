"""Fields: split a reply at its labels."""

import re
from bisect import bisect
from dataclasses import dataclass

from react_lab.parser.call_forms import NATIVE, fence_end
from react_lab.parser.json_repair import Unreadable, read_value
from react_lab.parser.labels import ALSO, KINDS, LABELS
from react_lab.parser.wrapping import MARKS, SPACE, clean, fences, starts_line, visible


@dataclass(frozen=True)
class Field:
    """One labelled part of a reply.

    kind: a kind of LABELS, or "call" for a native call. start: where its label begins in the
    text. begin, end: where its own text does.
    """

    kind: str
    text: str
    start: int
    begin: int = 0
    end: int = 0


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
    r"(?<!`)(?:<\|(?:im_end|eot_id|end|endoftext|eom_id)\|>|<end_of_turn>)(?=\s*+<|[ \t]*+\n)"
)
_HALF = r"(?:Obs(?:e(?:r(?:v(?:a(?:t(?:i(?:on?)?)?)?)?)?)?)?|观察?)\s*+\Z"  # cut by a stop word
_ALONE = (  # an Observation without a colon on a line of its own, or in brackets
    rf"{MARKS}(?:(?:Observation|OBSERVATION|观察)[*_`]*+[ \t]*+$"
    r"|[\[(<](?i:observation)[\])>]?+(?:[:：\w]|[ \t]*+$))"
)
_MARK = re.compile(
    rf"^(?P<label>{_LABEL})|(?P<within>{_WITHIN})|(?P<native>{NATIVE.pattern})"
    rf"|(?P<forged>{_FORGED})|(?P<turn>{_TURN})|^(?P<half>{_HALF})|^(?P<alone>{_ALONE})",
    re.MULTILINE | re.ASCII,  # ASCII: else "ı" counts as an "i"
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
_OPENING = re.compile(r"[\s\0]*+(?P<fence>```+[\w-]*+)?[\s\0]*+")


# Fields ------------------------------------------------------------------------------------


def fields(text: str) -> list[Field]:
    """Split a reply at its labels. What stands before the first label is thought.

    A label inside a JSON input or a fence does not count.
    """
    return _split(text)[0]


def before_observation(parts: list[Field]) -> list[Field]:
    """The fields up to the first Observation: what may be believed."""
    for place, part in enumerate(parts):
        if part.kind == "observation":
            return parts[:place]
    return parts


def believed(text: str) -> str:
    """The reply up to the first Observation it invented: what goes back to the model."""
    invented = [part.start for part in fields(text) if part.kind == "observation"]
    return text[: invented[0]].rstrip() if invented else text.strip()


def _split(text: str) -> tuple[list[Field], str, tuple[str, ...]]:
    """The fields; the text without its noise; the repairs."""
    shown, thoughts, repairs = clean(text)
    found = _marks(shown)
    ends = [start for _, start, _, _ in found[1:]] + [len(shown)]
    parts = [
        Field(kind, _unmarked(visible(shown[begin:end]), emphasis), start, begin, end)
        for (kind, start, begin, emphasis), end in zip(found, ends, strict=True)
    ]
    parts = parts if parts[0].text or len(parts) == 1 else parts[1:]
    return [Field("thought", thought, 0) for thought in thoughts] + parts, shown, repairs


def _marks(text: str) -> list[tuple[str, int, int, str]]:
    """Each field's kind, start, begin of its own text, and emphasis opened before its label."""
    found, fenced = [("thought", 0, 0, "")], fences(text)
    place, glue, shadow, reached = 0, "", 0, 0
    while mark := (glue and _HERE.match(text, place)) or _MARK.search(text, place):
        kind = _kind(mark, found, glue, text)
        if kind and fenced and _in_fence(mark.start(), fenced):
            kind = kind if kind == "observation" and found[-1][0] != "answer" else None
        place, doubled, glue = mark.end(), glue == "label" and kind == found[-1][0], ""
        if kind is None or (mark.start() < shadow and kind != "observation"):
            continue
        start = found.pop()[1] if doubled and text[mark.start() - 1] != "\n" else mark.start()
        found.append((kind, start, *_own_text(mark)))
        glue = "label"
        if kind in ("action", "input", "call") and place >= reached:
            end, shadow, reached = _input_end(text, place)
            place, glue = (end, "input") if end > place else (place, glue)
    return found


def _kind(mark: re.Match, found: list[tuple], glue: str, text: str) -> str | None:
    """What begins at this mark; None when it is only a word of the text."""
    group, current, start = mark.lastgroup, found[-1][0], mark.start()
    if group in ("label", "within"):
        word = mark["name"] if group == "label" else mark["word"]
        kind = KINDS[re.sub(r"[\W\d_]", "", word).lower()]
        if kind == "question":  # the model's own next question is as invented as a result
            asked = {past[0] for past in found[-4:]} & {"action", "answer", "call"}
            kind = "observation" if asked else "thought"
        if group == "within":
            return kind if _counts_within(mark, kind, current, text) else None
        if glue == "label" and text[start - 1] != "\n":
            follows = current in ("thought", "action") and kind in ("action", "input", "answer")
            exact = word.istitle() or not word.isascii()
            return kind if kind == current or (follows and exact) else None
        return kind
    if group == "native":
        counts = current == "thought" and _new_sentence(text, start) and _ends_line(text, start)
        return "call" if counts or starts_line(text, start) else None
    if current == "answer" and (
        group == "alone" or (group == "forged" and not starts_line(text, start))
    ):
        return None
    return "thought" if group == "turn" else "observation"


def _counts_within(mark: re.Match, kind: str, current: str, text: str) -> bool:
    """Whether a label within a line is one: it starts a sentence, or name and input follow."""
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
    """Whether the line ends as a call does, and not as a sentence about one."""
    end = text.find("\n", begin)
    line = text[max(begin, end - 40) : end] if end >= 0 else text[begin:][-40:]
    return line.rstrip("` \t\r").endswith((")", "]", "}", "_call>"))


def _in_fence(place: int, fenced: list[tuple[int, int]]) -> bool:
    nearest = bisect(fenced, (place,)) - 1
    return nearest >= 0 and fenced[nearest][0] < place < fenced[nearest][1]


def _own_text(mark: re.Match) -> tuple[int, str]:
    """Where a field's own text begins, and the emphasis that its label opens, not closes."""
    if mark.lastgroup != "label":
        return mark.start() if mark.lastgroup == "native" else mark.end(), ""
    marks, shut = mark["marks"], mark["shut"]
    emphasis = marks[-1:] if marks[-1:] in ("*", "_", "`") else ""
    if shut and shut[0] not in marks:
        return mark.start("shut"), emphasis
    closed = emphasis and emphasis in mark.string[mark.end("name") : mark.end("shut")]
    return mark.end(), "" if closed else emphasis


def _unmarked(text: str, emphasis: str) -> str:
    """Without the end of an emphasis that began before the label: `**Final Answer: 4**`."""
    line, rest = (text, "") if not emphasis else text.partition("\n")[::2]
    if not emphasis or not line.rstrip().endswith(emphasis):
        return text
    return (line.rstrip().rstrip(emphasis) + ("\n" + rest if rest else "")).strip()


def _input_end(text: str, begin: int) -> tuple[int, int, int]:
    """Where a JSON or fenced input ends that starts at `begin`; `begin` when it is neither.

    Also, up to where no label counts because it may stand within a string or a fence that was
    cut off; and how far the text was read in vain, so that nothing is read twice.
    """
    opening = _OPENING.match(text, begin)
    place, fence = opening.end(), opening["fence"]
    if text[place : place + 1] in ("{", "[", "｛"):
        try:
            end = read_value(text, place)[1]
            return (max(end, _OPENING.match(text, end).end("fence")) if fence else end), 0, 0
        except Unreadable as error:
            if error.in_string:
                return begin, len(text), 0
            if error.stray:
                closed = _BRACE_AT_END.search(text, error.place)
                return begin, closed.end() if closed else len(text), error.place
            if not fence:
                return begin, 0, error.place
    if not fence:
        return begin, 0, 0
    end = fence_end(text, place)
    return (begin, len(text), 0) if end < 0 else (end + 3, 0, 0)
