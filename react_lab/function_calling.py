"""Function calling: the same agent, its tools called by the API's structured calls.

    agent = Agent(model, tools, protocol=native_step)

`native_step` lets the model write any text beside its calls. `hybrid_step` asks for the thought as
text, so that the trace reads like a trace of the text loop. Run, trace, stop rules and evaluation
are the same.

>>> read_arguments('{"city": "Oslo"}{"city": "Oslo"}', ["city"])
Input(arguments={'city': 'Oslo'}, repairs=('glued arguments read',), reason='')
"""

import json
import re
from dataclasses import replace
from functools import partial
from typing import Any

from react_lab.loop import CUT, ENGLISH, Agent, add, doubted, ready, said, send, taken
from react_lab.models.reply import UNREAD, Message, Reply
from react_lab.parser.backslashes import CONTROL
from react_lab.parser.calls import tool_name
from react_lab.parser.fields import before_observation, fields
from react_lab.parser.inputs import WHY, Input, once, read_input
from react_lab.parser.json_repair import end_of
from react_lab.parser.markup import read_markup
from react_lab.parser.moves import BARE_INPUT, LEFT_UNRUN, Action, Malformed, Move
from react_lab.parser.plain import parse_plain
from react_lab.prompt import Phrases, in_language, message, native_system
from react_lab.registry.registry import Observation, Registry
from react_lab.registry.results import sendable
from react_lab.trace import Run, Step

INVALID = "the arguments are not valid JSON"
# A tool name that every API accepts; a history that contains any other name is refused.
_NO_NAME = re.compile(r"[^a-zA-Z0-9_-]")
_HALF = re.compile(  # of an emoji, escaped
    r"\\u[dD][89abAB]\w\w(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89abAB]\w\w)\\u[dD][c-fC-F]"
)


def native_step(run: Run, agent: Agent) -> Run:
    """Do one round by native calls. Raises ModelError if no reply came."""
    return _step(run, agent, thoughts=False)


def hybrid_step(run: Run, agent: Agent) -> Run:
    """Do one round by native calls, with the thought as text. Raises ModelError if none came."""
    return _step(run, agent, thoughts=True)


def _step(run: Run, agent: Agent, thoughts: bool) -> Run:
    tools = None if run.stop else agent.tools.schemas()  # no tools for the last word
    sent, reply = send(write_messages(run, agent, thoughts), run, agent, tools)
    moves = read_reply(taken(reply, run), agent.tools)
    seen = [unusable(move, reply, agent.language) for move in moves]
    further = tuple(zip(moves[1:], seen[1:], strict=True))
    return add(Step(sent, reply, moves[0], seen[0], further), run, agent)


# From a reply to moves --------------------------------------------------------------------


def read_reply(reply: Reply, tools: Registry) -> list[Move]:
    """Return the moves in a reply: one for each call in order, or the move in its text."""
    calls: list[Move] = [read_call(call, reply, tools) for call in reply.tool_calls]
    return calls or [read_words(reply, tools)]


def read_call(call: dict[str, Any], reply: Reply, tools: Registry) -> Action | Malformed:
    """Read one native call. The text beside the calls is the thought of the first call."""
    first = call is reply.tool_calls[0]
    parts = before_observation(fields(reply.text))
    words = "\n".join(part.text for part in parts if part.kind == "thought")
    thought = (words or reply.reasoning or "") if first else ""
    function = call.get("function") or {}
    name, given = name_of(function, tools)
    known = tools.parameters().get(name, [])
    arguments, repairs, reason = read_arguments(given, known)
    cut = reply.finish_reason == "length" and call is reply.tool_calls[-1]
    if arguments is None or (cut and (not arguments or BARE_INPUT in repairs)):
        return Malformed(thought, CUT if cut else reason, repairs)
    return Action(thought, name, arguments, repairs)


def own_names(tools: Registry) -> dict[str, str]:
    """Return the tools' own names by the names under which an API knows them."""
    return {sent: name for name, sent in tools.api_names().items()}


def name_of(function: dict[str, Any], tools: Registry) -> tuple[str, object]:
    """Return the tool that a call means and its arguments, which may be part of the name."""
    raw, given = str(function.get("name") or "(no name)"), function.get("arguments")
    spelled, mark, rest = raw.partition("<")
    inside = read_markup(mark + rest, None) if mark and given in (None, "", "{}", {}) else None
    name = own_names(tools).get(raw) or tool_name(spelled if inside else raw, tools.parameters())
    return name, inside.arguments if inside else given


def read_arguments(raw: object, known: list[str]) -> Input:
    """Read the arguments of a call. Valid arguments stay unchanged.

    Args:
        raw: JSON text, as the API sends it. Servers also send nothing, an object, JSON inside a
            JSON string, or several objects in a row.
        known: The tool's parameter names.
    """
    if raw is None:
        return Input({})
    if isinstance(raw, dict):
        return Input(raw)
    text = str(raw).strip("\ufeff \t\r\n")
    if text in ("", "null", "undefined", '""'):
        return Input({})
    try:
        value = json.loads(text, object_pairs_hook=once)
    except (ValueError, RecursionError) as error:
        return _repaired(text, known, error)
    if isinstance(value, str) and value.lstrip()[:1] == "{":
        inner = read_arguments(value, known)
        return inner._replace(repairs=(*inner.repairs, "arguments encoded twice"))
    if isinstance(value, dict) and not CONTROL.search(text):
        return Input(value)
    return read_input(text, known)


def _repaired(raw: str, known: list[str], error: Exception) -> Input:
    """Read arguments that are not one JSON value: several objects, or damaged JSON."""
    found = _objects(raw)
    full = [one for one in found if one] or [{}]
    if len(found) > 1 and all(one == full[0] for one in full):
        return Input(full[0], ("glued arguments read",))
    if len(found) > 1:
        return Input(None, (), "several JSON objects in one call; make one call for each")
    read = read_input(raw, known)
    if read.arguments is not None and not (BARE_INPUT in read.repairs and raw[:1] in "{["):
        return read  # a broken object is not a text
    reason = read.reason if read.reason in WHY.values() else f"{INVALID} ({error}): {raw[:80]}"
    return Input(None, read.repairs, reason)


def _objects(raw: str) -> list[dict[str, Any]]:
    """Return the JSON objects that make up a text; none if it contains anything else."""
    found, place, gap = [], 0, re.compile(r"[\s,]*+")
    while (place := end_of(gap, raw, place)) < len(raw):
        try:
            value, place = json.JSONDecoder().raw_decode(raw, place)
        except (ValueError, RecursionError):
            return []
        if not isinstance(value, dict):
            return []
        found.append(value)
    return found


def read_words(reply: Reply, tools: Registry) -> Move:
    """Return the move in a reply without native calls: the answer, unless the text is a call."""
    known, own = tools.parameters(), own_names(tools)
    known |= {sent: known[name] for sent, name in own.items()}
    move = doubted(parse_plain(reply.text, known), reply)
    move = replace(move, thought=move.thought or reply.reasoning or "")
    if isinstance(move, Action):
        move = replace(move, tool=own.get(move.tool, move.tool))
    if isinstance(move, Action) and move.tool in tools:
        return move
    if reply.finish_reason == "length":
        return Malformed(move.thought, CUT)
    if reply.finish_reason == UNREAD:
        return Malformed(move.thought, reply.notes[-1] if reply.notes else UNREAD)
    if reply.finish_reason in ("tool_calls", "function_call"):
        return Malformed(move.thought, "you announced a call but made none")
    return move


def unusable(move: Move, reply: Reply, language: str) -> Observation | None:
    """Return the message about a move that cannot be used; None for a usable move."""
    if not isinstance(move, Malformed):
        return None
    kind, error = ("bad_arguments", "bad arguments") if reply.tool_calls else ("unusable",) * 2
    kind = "not_run" if move.reason == LEFT_UNRUN else kind
    reason = in_language(move.reason, language)
    return Observation(message(kind, language, reason=reason), error=error)


# From the run to messages -----------------------------------------------------------------


def write_messages(run: Run, agent: Agent, thoughts: bool = False) -> list[Message]:
    """Write everything that the model has to know, with calls and results as the API has them.

    Every call is followed by its result, paired by position.

    Args:
        run: the run so far.
        agent: whose prompt and tools are described.
        thoughts: whether this is the hybrid protocol, which asks for the thought as text.
    """
    system = agent.system
    if system is None:
        system = native_system(agent.language, thoughts)
    messages: list[Message] = [
        {"role": "system", "content": system},
        {"role": "user", "content": run.question},
    ]
    taken: set[str] = set()
    phrases = agent.phrases
    for number, past in enumerate(run.steps):
        ids = call_ids(past, number, taken)
        taken.update(ids)
        key = ("native", phrases, *ids)
        messages += past.once(key, partial(turn, past, ids, phrases))
    return ready(with_api_names(messages, agent.tools), run, agent)


def with_api_names(messages: list[Message], tools: Registry) -> list[Message]:
    """Write the names of tools in calls as an API takes them (`Registry.api_names`)."""
    other = {name: sent for name, sent in tools.api_names().items() if name != sent}
    if not other:
        return messages

    def renamed(call: dict[str, Any]) -> dict[str, Any]:
        name = call["function"]["name"]
        return {**call, "function": {**call["function"], "name": other.get(name, name)}}

    written = []
    for one in messages:
        calls: Any = one.get("tool_calls") or ()
        written.append({**one, "tool_calls": list(map(renamed, calls))} if calls else one)
    return written


def call_ids(past: Step, number: int, taken: set[str]) -> list[str]:
    """Return the ids of a step's calls: as they came, or our own if one is missing or taken."""
    ids: list[str] = []
    raw = past.reply.tool_calls
    for place in range(len(past.moves)):
        ours = f"{number:03}{place:02}"
        given = str(raw[place].get("id") or "").strip() if raw else ""
        names = (given, f"call{ours}", f"ours{ours}")
        ids.append(next(one for one in names if one and one not in taken and one not in ids))
    return ids


def turn(past: Step, ids: list[str], phrases: Phrases = ENGLISH) -> list[Message]:
    """Write one step as messages, its calls with these ids.

    A call that was written as text goes back as a native call, without that text.
    """
    raw = past.reply.tool_calls
    if not raw and not isinstance(past.move, Action):
        told = past.observation.full_text if past.observation else ""
        answer: list[Message] = [{"role": "user", "content": told}] if told else []
        return [{"role": "assistant", "content": said(past.reply.text, phrases)}, *answer]
    calls: list[dict[str, Any]] = []
    results: list[Message] = []
    for place, (move, seen) in enumerate(past.moves):
        call, name = raw[place] if raw else {}, ids[place]
        known = seen is not None and seen.error != "unknown tool"
        calls.append(wire(call, move, name, known))
        told = seen.full_text if seen else ""
        results.append({"role": "tool", "tool_call_id": name, "content": told})
    content = said(past.reply.text, phrases) if raw and past.reply.text.strip() else None
    spoken: Message = {"role": "assistant", "content": content, "tool_calls": calls}
    if past.reply.reasoning:  # ChatModel forwards it only to an endpoint that asks for it
        spoken["reasoning_content"] = past.reply.reasoning
    return [spoken, *results]


def wire(call: dict[str, Any], move: Move, name: str, known: bool) -> dict[str, Any]:
    """Write a call as it is sent back: unknown fields stay, the rest is made valid.

    Args:
        call: The call as it came, {} for a call that was written as text.
        move: What was read in it.
        name: Its id. Ids of our own have exactly nine letters and digits, because some endpoints
            take no others.
        known: Whether there is such a tool. Other names are spelled so that every endpoint takes
            them.
    """
    function = call.get("function") or {}
    tool = move.tool if isinstance(move, Action) else str(function.get("name"))
    tool = tool if known and isinstance(move, Action) else _NO_NAME.sub("_", tool)[:64]
    text = function.get("arguments")
    if not strict(text):
        given = move.arguments if isinstance(move, Action) else {}
        text = sendable(json.dumps(given, ensure_ascii=False, default=str))
        if not strict(text):
            text = json.dumps(json.loads(text, parse_constant=str), ensure_ascii=False)
    function = {**function, "name": tool or "unknown", "arguments": text}
    return {**call, "id": name, "type": "function", "function": function}


def strict(text: object) -> bool:
    """Return whether a text is a JSON object for every reader: without NaN and half an emoji."""
    if not isinstance(text, str):
        return False
    try:
        value = json.loads(text, parse_constant=int)  # which takes no NaN and no Infinity
        text.encode()
    except (ValueError, TypeError, RecursionError):
        return False
    return isinstance(value, dict) and not _HALF.search(text)
