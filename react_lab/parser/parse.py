"""Parse: decide which of the calls and answers in a reply is its move.

Three steps: `fields` splits the reply at its labels, `read_call` (in call_forms.py) reads what
stands behind an Action, and `parse` decides.
"""

from react_lab.parser.call_forms import EMPTY, NOTHING, Call, native_call, read_call
from react_lab.parser.fields import Field, _split, before_observation
from react_lab.parser.moves import Action, FinalAnswer, Malformed, Move
from react_lab.parser.wrapping import visible


def _calls(kept: list[Field], tools: dict[str, list[str]]) -> dict[int, Call]:
    """What each Action asks for, by its place among the fields.

    When the first input stands before the first Action, and the last Action has none, inputs
    belong to the Action behind them. In an answer an Action that names no tool or has no input
    is prose, and left out.
    """
    spoken = [(place, part) for place, part in enumerate(kept) if part.kind != "thought"]
    order = [part.kind for _, part in spoken if part.kind in ("action", "input")]
    side = -1 if order[:1] == ["input"] and order[-1] == "action" else 1
    calls, prose = {}, False
    for number, (place, part) in enumerate(spoken):
        if place and kept[place - 1].kind == "thought":
            prose = False
        if part.kind == "call":
            calls[place], prose = native_call(part.text, tools), False
        elif part.kind == "action":
            beside = spoken[number + side][1] if 0 <= number + side < len(spoken) else part
            given = beside.text if beside.kind == "input" else None
            call = name, arguments, _, reason = read_call(part.text, given, tools)
            if not prose or (name in tools and (arguments is not None or reason != EMPTY)):
                calls[place], prose = call, False
        elif part.kind == "answer":
            prose = True
    return calls


def _answers(kept: list[Field], calls: dict[int, Call], shown: str) -> dict[int, str]:
    """The text of each Final Answer, by its place, with the labels in its prose."""
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
        answers[place] = text
    return answers


def choose(
    thought: str, calls: dict[int, Call], answers: dict[int, str], forged: bool, repairs: tuple
) -> Move:
    """Which of the calls and answers in a reply is the move. `parse` says what counts.

    calls, answers: by their place in the reply, as `_calls` and `_answers` give them. forged:
    whether an Observation of the model's own stood behind them.
    """
    given = [place for place, text in answers.items() if text]
    whole = [place for place, call in calls.items() if call[1] is not None]
    if given and not (whole and (forged or whole[-1] > given[-1])):
        repairs += ("an action was left unrun",) if whole else ()
        return FinalAnswer(thought, answers[given[-1]], repairs)
    if whole:
        name, arguments, mended, _ = calls[whole[0]]
        repairs += ("an action was left unrun",) if len(whole) > 1 else ()
        repairs += ("a Final Answer beside an action dropped",) if given else ()
        return Action(thought, name, arguments, repairs + mended)
    if calls:
        *_, mended, reason = calls[min(calls)]
        return Malformed(thought, reason, repairs + mended)
    reason = "the Final Answer is empty" if answers else "there is no Action and no Final Answer"
    return Malformed(thought, reason, repairs)


def parse(text: str, tools: dict[str, list[str]]) -> Move:
    """Read one reply of a model.

    text: as the model wrote it. tools: the parameter names of each registered tool. Returns an
    Action, a FinalAnswer or a Malformed; never raises. What had to be mended or dropped on the
    way stands in `repairs`. An Observation written by the model is never read, nor anything
    behind it; an Action before it is the move. Otherwise the last of Action and Final Answer is,
    and of several Actions the first that has a name and an input.
    """
    parts, shown, repairs = _split(text)
    kept = before_observation(parts)
    forged = len(kept) < len(parts)
    repairs += ("invented Observation dropped",) if forged else ()
    thought = "\n".join(part.text for part in kept if part.kind == "thought" and part.text)
    calls = _calls(kept, tools)
    return choose(thought, calls, _answers(kept, calls, shown), forged, repairs)
