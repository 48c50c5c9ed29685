"""Parser: turn the text of a model into exactly one Move.

>>> parse('Thought: a sum.\\nAction: calculator\\nAction Input: {"expression": "2+2"}',
...       {"calculator": ["expression"]})
Action(thought='a sum.', tool='calculator', arguments={'expression': '2+2'}, repairs=())
"""

import json
import re
from dataclasses import dataclass

# The labels of the format, by language. Ours are written; all of them are read.
LABELS = {
    "en": {
        "question": "Question",
        "thought": "Thought",
        "action": "Action",
        "input": "Action Input",
        "observation": "Observation",
        "answer": "Final Answer",
    },
    "zh": {
        "question": "问题",
        "thought": "思考",
        "action": "行动",
        "input": "行动输入",
        "observation": "观察",
        "answer": "最终答案",
    },
}
KINDS = {
    "".join(label.split()).lower(): kind
    for labels in LABELS.values()
    for kind, label in labels.items()
    if kind != "question"
}


@dataclass(frozen=True)
class Action:
    """The model wants a tool to run. arguments: by parameter name, not checked yet."""

    thought: str
    tool: str
    arguments: dict
    repairs: tuple[str, ...] = ()


@dataclass(frozen=True)
class FinalAnswer:
    """The model has finished. answer: the text for the person who asked."""

    thought: str
    answer: str
    repairs: tuple[str, ...] = ()


@dataclass(frozen=True)
class Malformed:
    """The text is neither. reason: what is wrong, in words that help the model mend it."""

    thought: str
    reason: str
    repairs: tuple[str, ...] = ()


Move = Action | FinalAnswer | Malformed


@dataclass(frozen=True)
class Field:
    """One labelled part of a reply. start: where its label begins in the text."""

    kind: str
    text: str
    start: int


# A label stands at the start of a line, perhaps behind marks such as ** or ###. The possessive
# quantifiers (++, *+) never give back what they took, so that the search stays linear.
_MARKS = r"[ \t>#*_`-]*+"
_NAMES = "|".join(
    re.escape(label).replace(r"\ ", "[ _]?")
    for labels in LABELS.values()
    for label in sorted(labels.values(), key=len, reverse=True)
    if label not in ("Question", "问题")
)
_LABEL = re.compile(
    rf"^{_MARKS}({_NAMES})[ \t*_`]*+[:：](?:\*\*|__)?[ \t]*+",
    re.IGNORECASE | re.MULTILINE | re.ASCII,  # ASCII: else "ı" counts as an "i"
)
_FENCE = re.compile(r"\A```[\w-]*+[ \t]*+\n?(.*?)```\Z", re.S)
_OPENING = re.compile(r"\s{0,20}+(?:```[\w-]*+\s{0,20}+)?")


def parse(text: str, tools: dict[str, list[str]]) -> Move:
    """Read one reply of a model.

    text: as the model wrote it. tools: the parameter names of each registered tool. Returns an
    Action, a FinalAnswer or a Malformed; never raises. What had to be mended or dropped on the
    way stands in `repairs`. An Observation written by the model is never read, nor anything
    behind it; an Action before it is the move. Otherwise the last of Action and Final Answer is.
    """
    parts = fields(text)
    kept = before_observation(parts)
    repairs = () if len(kept) == len(parts) else ("invented Observation dropped",)
    thought = "\n".join(part.text for part in kept if part.kind == "thought")
    answers = [part for part in kept if part.kind == "answer" and part.text]
    actions = [place for place, part in enumerate(kept) if part.kind == "action"]
    forged = bool(repairs)
    if answers and (not actions or kept[actions[-1]].start < answers[-1].start):
        if not (actions and forged):
            repairs += ("an action was left unrun",) if actions else ()
            return FinalAnswer(thought, _closed(answers[-1].text), repairs)
    if actions:
        repairs += ("an action was left unrun",) if len(actions) > 1 else ()
        repairs += ("a Final Answer beside an action dropped",) if answers else ()
        return _action(kept, actions[0], thought, repairs, tools)
    if any(part.kind == "answer" for part in kept):
        return Malformed(thought, "the Final Answer is empty", repairs)
    return Malformed(thought, "there is no Action and no Final Answer", repairs)


def fields(text: str) -> list[Field]:
    """Split a reply at its labels. What stands before the first label is thought.

    A label inside a JSON input or a fence does not count.
    """
    found, skip = [], 0
    for match in _LABEL.finditer(text):
        if match.start() < skip:
            continue
        kind = KINDS["".join(match[1].replace("_", " ").split()).lower()]
        if kind == "input":
            skip = _end_of_input(text, match.end())
        found.append((kind, match.start(), match.end()))
    if not found or text[: found[0][1]].strip():
        found.insert(0, ("thought", 0, 0))
    ends = [start for _, start, _ in found[1:]] + [len(text)]
    return [
        Field(kind, text[begin:end].strip(), start)
        for (kind, start, begin), end in zip(found, ends, strict=True)
    ]


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


def read_input(raw: str, parameters: list[str]) -> tuple[dict | None, tuple[str, ...], str]:
    """Read what stands behind Action Input.

    raw: the text. parameters: the tool's parameter names. Returns (arguments, repairs, reason);
    arguments is None when it cannot be read, and then reason says why.
    """
    fence = _FENCE.match(raw)
    text = fence[1].strip() if fence else raw.strip("` ")
    repairs = ("code fence removed",) if text != raw else ()
    if not text:
        return ({}, repairs, "") if not parameters else (None, repairs, "Action Input is empty")
    if text[0] in "{[":
        try:
            value, end = json.JSONDecoder(strict=False).raw_decode(text)
        except (ValueError, RecursionError):
            return None, repairs, "Action Input is not valid JSON on one line"
        if text[end:].strip():
            repairs += ("text after the input dropped",)
        if isinstance(value, dict):
            return value, repairs, ""
    else:
        value = _plain(text)
    if len(parameters) != 1:
        return None, repairs, "Action Input must be a JSON object with the parameter names"
    return {parameters[0]: value}, (*repairs, "bare input read"), ""


def tool_name(raw: str, tools: dict[str, list[str]]) -> str:
    """The registered name that `raw` spells, whatever its case, quotes or spaces; else raw."""

    def bare(name: str) -> str:
        return re.sub(r"[\s\"'`*\[\]().]", "", name.replace("_", "")).lower()

    same = [name for name in tools if bare(name) == bare(raw)]
    return same[0] if len(same) == 1 and raw not in tools else raw


def _action(kept: list[Field], place: int, thought: str, repairs: tuple, tools: dict) -> Move:
    """The Action at `place` with its input, or why it cannot be read."""
    head = kept[place].text
    behind = kept[place + 1 :]
    line, _, rest = head.partition("\n")
    cut = min((line.find(sign) for sign in "{(" if sign in line), default=-1)
    if cut > 0:  # name and input on one line
        line, rest = line[:cut], head[cut:]
        if rest[0] == "(" and rest[-1] == ")":
            rest = rest[1:-1]
        repairs += ("name and input on one line",)
    name = tool_name(line.strip(" \t*_`\"'[]:"), tools)
    if behind and behind[0].kind == "input":
        rest = behind[0].text
    if not name:
        return Malformed(thought, "the Action has no name", repairs)
    arguments, mended, reason = read_input(rest.strip(), tools.get(name, ["input"]))
    if arguments is None:
        return Malformed(thought, reason, repairs + mended)
    return Action(thought, name, arguments, repairs + mended)


def _end_of_input(text: str, begin: int) -> int:
    """Where a JSON input that starts at `begin` ends; `begin` itself when there is none."""
    begin = _OPENING.match(text, begin).end()
    if text[begin : begin + 1] != "{":
        return begin
    try:
        # A window: the decoder's error counts lines from the start, 70,000 times over 1 MB.
        return begin + json.JSONDecoder(strict=False).raw_decode(text[begin : begin + 10_000])[1]
    except (ValueError, RecursionError):
        return begin


def _closed(text: str) -> str:
    """Without a closing mark whose opening stood before the label: `**Final Answer: 4**`."""
    for mark in ("```", "**"):
        if text.count(mark) % 2:
            text = text.removesuffix(mark).rstrip()
    return text


def _plain(text: str) -> object:
    """A bare input: a JSON number or string as its value, anything else as the text it is."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return value if isinstance(value, str) else text
