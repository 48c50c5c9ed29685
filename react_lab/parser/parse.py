"""Parse: turn the text of a model into exactly one Move.

>>> parse("Thought: I know this.\\nFinal Answer: 4", {})
FinalAnswer(thought='I know this.', answer='4', repairs=())

Three steps: `split` (in fields.py) divides the reply at its labels, `read_call` and `read_native`
read the calls, and `choose` decides which of several calls and answers is the move.
"""

import re

from react_lab.parser.call_forms import read_native
from react_lab.parser.calls import NAMELESS, Call, Tools, read_call
from react_lab.parser.fields import Field, before_observation, split
from react_lab.parser.inputs import EMPTY, NOTHING
from react_lab.parser.moves import LEFT_UNRUN, Action, FinalAnswer, Malformed, Move
from react_lab.parser.wrapping import visible

# The end of a line that announces what follows, and words that announce an example.
_ANNOUNCES = re.compile(r"\w[^\w\n]*[:：][*_`\s]*\Z")
_EXAMPLE = re.compile(
    r"\b(?:example|e\.g\.|instance|like this|looks? like|format|syntax|rounds?|ReAct|trace"
    r"|transcript|template)\b|^\W*(?:type|write)\b|\b(?:model|you|agent) (?:types?|writes?)\b"
    r"|例|如下|格式|轮",
    re.I,
)
ANSWERS = 3  # how many answers of one reply are checked for an example
# The heading of the prompt's next example, which small models write after their answer.
_HEADING = re.compile(r"\n\s*(?:Examples?|示例)\s*[:：]\s*\Z")
# A heading without a colon, which counts only in a reply without labels.
_TITLE = re.compile(
    r"^[ \t]*+(?:#{1,6}[ \t]++[*_]*+|\*\*|__)(?:Final Answer|最终答案)[*_]*+[ \t]*+$(?!\s*+[:：])",
    re.I | re.M,
)
_LISTED = re.compile(r"\s*+(?:[-*•+]|\d{1,2}[.)])[ \t]")


def shows_example(intro: str) -> bool:
    """Return whether a text ends by announcing an example: `A round looks like this:`."""
    line = intro.rstrip().rpartition("\n")[2][-300:]
    return bool(_ANNOUNCES.search(line) and _EXAMPLE.search(line))


def join_examples(parts: list[Field], shown: str, tools: Tools) -> list[Field]:
    """Return the fields, with the labels that an answer only talks about as part of that answer.

    Such an answer announces what it shows ("A round looks like this:"), lists the labels, or has
    an Action that describes one. A call of a registered tool needs the announcement.
    """
    answers = [place for place, part in enumerate(parts[:-1]) if part.kind == "answer"]
    for place in answers[:ANSWERS]:
        part, rest = parts[place], parts[place + 1 :]
        if part.text and _is_shown(part, rest, shown, tools):
            text = visible(shown[part.begin : rest[-1].end])
            return [*parts[:place], Field("answer", text, part.start, part.begin, rest[-1].end)]
    return parts


def _is_shown(part: Field, rest: list[Field], shown: str, tools: Tools) -> bool:
    """Return whether the fields after an answer are part of its text."""
    if _HEADING.search(part.text):
        return False
    calls = read_calls(rest, shown, tools).values()
    if any(call.name in tools and call.reason not in (EMPTY, NAMELESS) for call in calls):
        return shows_example(part.text)
    kinds = [one.kind for one in rest]
    if "answer" in kinds and not {"action", "observation"} & {*kinds[: kinds.index("answer")]}:
        return False
    if _ANNOUNCES.search(part.text):
        return True
    if len(rest) > 1 and not _LISTED.match(shown, part.start):
        if all(_LISTED.match(shown, one.start) for one in rest):
            return True
    described = [one.text for one in rest if one.kind == "action"][:1]
    return bool(
        described and " " in described[0].strip() and set(kinds) & {"thought", "observation"}
    )


def read_calls(kept: list[Field], shown: str, tools: Tools) -> dict[int, Call]:
    """Return what each Action asks for, by its place among the fields.

    If the first input comes before the first Action, and the last Action has none, each input
    belongs to the Action after it. In an answer an Action that names no tool or has no input is
    prose, and left out.
    """
    spoken = [(place, part) for place, part in enumerate(kept) if part.kind != "thought"]
    order = [part.kind for _, part in spoken if part.kind in ("action", "input")]
    side = -1 if order[:1] == ["input"] and order[-1] == "action" else 1
    calls: dict[int, Call] = {}
    prose = False
    for number, (place, part) in enumerate(spoken):
        if place and kept[place - 1].kind == "thought":
            prose = False
        if part.kind == "call":
            calls[place] = read_native(part.text, tools) or Call("", None, (), NAMELESS)
            prose = False
        elif part.kind == "action":
            beside = spoken[number + side][1] if 0 <= number + side < len(spoken) else part
            call = _labelled_call(part, beside if beside.kind == "input" else None, shown, tools)
            complete = call.arguments is not None or call.reason != EMPTY
            if not prose or (call.name in tools and complete):
                calls[place], prose = call, False
        elif part.kind == "answer":
            prose = True
    return calls


def _labelled_call(action: Field, given: Field | None, shown: str, tools: Tools) -> Call:
    """Read the call of an Action and its input; each may be in the form of a native call."""
    if native := read_native(action.text, tools):
        return native
    call = read_call(action.text, given.text if given else None, tools, _is_ended(given, shown))
    inner = read_native(given.text, tools) if given else None
    if inner and call.name in tools:
        if inner.name == call.name:
            return inner
        reason = (
            inner.reason or f"the Action is {call.name}, but its input is a call of {inner.name}"
        )
        return Call(call.name, None, inner.repairs, reason)
    return call


def _is_ended(given: Field | None, shown: str) -> bool:
    """Return whether the line of an input is complete, so that an empty input was not cut off."""
    return given is not None and "\n" in shown[given.begin : given.end]


def read_answers(kept: list[Field], calls: dict[int, Call], shown: str) -> dict[int, str]:
    """Return the text of each Final Answer, by its place, with the labels in its prose."""
    answers = {}
    for place, part in enumerate(kept):
        if part.kind != "answer":
            continue
        last, text = place, part.text
        for further in range(place + 1, len(kept)):
            other = kept[further]
            prose = other.kind in ("action", "input", "call") and further not in calls
            if not prose or other.text.lower() in NOTHING:
                break
            last = further
        if last > place:
            text = visible(shown[part.begin : kept[last].end])
        answers[place] = _without_stray_fence(text)
    return answers


def _without_stray_fence(text: str) -> str:
    """Return an answer without a closing fence mark that nothing opened."""
    body = text.rstrip()
    return body[:-3].rstrip() if body.endswith("\n```") and body.count("```") % 2 else text


def choose(
    thought: str,
    calls: dict[int, Call],
    answers: dict[int, str],
    forged: bool,
    repairs: tuple[str, ...],
) -> Move:
    """Return which of the calls and answers in a reply is the move. `parse` has the rules.

    Args:
        thought: the thought of the reply.
        calls: the calls by their place in the reply, as `read_calls` returns them.
        answers: the answers by their place, as `read_answers` returns them.
        forged: whether an invented Observation came after them.
        repairs: what was corrected in the reply so far.
    """
    given = [place for place, text in answers.items() if text]
    whole = [place for place, call in calls.items() if call.arguments is not None]
    if given and not (whole and (forged or whole[-1] > given[-1])):
        meant = any(call.reason not in (EMPTY, NAMELESS) for call in calls.values())
        repairs += (LEFT_UNRUN,) if meant else ()
        return FinalAnswer(thought, answers[given[-1]], repairs)
    if whole:
        call = calls[whole[0]]
        repairs += (LEFT_UNRUN,) if len(whole) > 1 else ()
        repairs += ("a Final Answer beside an action dropped",) if given else ()
        return Action(thought, call.name, call.arguments or {}, repairs + call.repairs)
    if calls:
        call = calls[min(calls)]
        return Malformed(thought, call.reason, repairs + call.repairs)
    reason = "the Final Answer is empty" if answers else "there is no Action and no Final Answer"
    return Malformed(thought, reason, repairs)


def parse(text: str, tools: dict[str, list[str]]) -> Move:
    """Read one reply of a model. Never raises.

    An Observation that the model wrote, and everything after it, is ignored; an Action before it
    is the move. Otherwise the last of Action and Final Answer is the move, and of several Actions
    the first that has a name and an input.

    Args:
        text: The reply as the model wrote it.
        tools: The parameter names of each registered tool.

    Returns:
        An Action, a FinalAnswer or a Malformed. Its `repairs` list what had to be corrected or
        dropped.
    """
    parts, shown, repairs = split(text, tools)
    parts = join_examples(parts, shown, tools)
    kept = before_observation(parts)
    forged = len(kept) < len(parts)
    repairs += ("invented Observation dropped",) if forged else ()
    thought = "\n".join(part.text for part in kept if part.kind == "thought" and part.text)
    calls = read_calls(kept, shown, tools)
    answers = read_answers(kept, calls, shown)
    if not (calls or answers or forged) and (title := _TITLE.search(shown)):
        if answer := visible(shown[title.end() :]):
            return FinalAnswer(visible(shown[: title.start()]), answer, repairs)
    return _as_answer(choose(thought, calls, answers, forged, repairs), tools)


def _as_answer(move: Move, tools: Tools) -> Move:
    """Return the Final Answer that a model wrote as a call: `Action: Final Answer`."""
    if not isinstance(move, Action) or move.tool in tools or len(move.arguments) != 1:
        return move
    (answer,) = move.arguments.values()
    named = re.fullmatch(r"final[ _]?answer|最终答案", move.tool, re.I)
    if not named or not isinstance(answer, str) or not answer.strip():
        return move
    return FinalAnswer(move.thought, answer.strip(), move.repairs)
