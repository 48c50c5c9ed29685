"""Function calling: the same agent, its tools called by the API's structured calls.

    agent = Agent(model, tools, step=native_step)

`native_step` leaves the words to the model; `hybrid_step` asks for the thought as text, so that
the trace reads like that of the text loop. Run, trace, brakes and evaluation are the same.

>>> read_arguments('{"city": "Oslo"}{"city": "Oslo"}', ["city"])
({'city': 'Oslo'}, ('glued arguments read',), '')
"""

import json
import re
from dataclasses import replace

from react_lab.loop import CUT, Agent, add, cut_off, ready, said, send, sendable, whole_text
from react_lab.models.reply import Message, Reply
from react_lab.parser.call_forms import INPUT_KEYS, NAME_KEYS, read_input, tool_name
from react_lab.parser.fields import before_observation, fields
from react_lab.parser.moves import Action, FinalAnswer, Malformed, Move
from react_lab.parser.parse import parse
from react_lab.parser.wrapping import clean, visible
from react_lab.prompt import in_language, message, native_system
from react_lab.registry.registry import Observation, Registry
from react_lab.trace import Run, Step

INVALID = "the arguments are not valid JSON"
# What the names of calls look like in every API; a history with another one is refused.
_NO_NAME = re.compile(r"[^a-zA-Z0-9_-]")
_MARKUP = re.compile(r"^[ \t]*+(?:<tool_call>|<function=|<\|[\w ]++\|>|\[TOOL_CALLS\])", re.M)
_TAGGED = re.compile(r"^[ \t]*+(?:<tool_call>\s{0,9}+)?<function=([\w.-]++)>", re.M)
_JSON = re.compile(  # where a call begins that is nothing but JSON
    rf"""(?:```\w*+)?[\s\[]*+\{{\s*+["'](?:{"|".join(NAME_KEYS)})["']\s*+:\s*+"""
    rf"""["']([^"'\n]++)["']\s*+,\s*+["'](?:{"|".join(INPUT_KEYS)})["']"""
)
_HALF = re.compile(  # of an emoji, escaped
    r"\\u[dD][89abAB]\w\w(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89abAB]\w\w)\\u[dD][c-fC-F]"
)
_PYTHON = re.compile(r"\[?([\w.-]++)\(\s*+(?:\w++\s*+=(?!=).*)?\)\]?", re.S)


def native_step(run: Run, agent: Agent) -> Run:
    """One round by native calls. Raises ModelError when no reply came."""
    return _step(run, agent, thoughts=False)


def hybrid_step(run: Run, agent: Agent) -> Run:
    """One round by native calls, with the thought as text. Raises ModelError as `native_step`."""
    return _step(run, agent, thoughts=True)


def _step(run: Run, agent: Agent, thoughts: bool) -> Run:
    tools = None if run.stop else agent.tools.schemas()  # no tools for the last word
    sent, reply = send(write_messages(run, agent, thoughts), run, agent, tools)
    moves = read_reply(reply, agent.tools)
    seen = [unusable(move, reply, agent.language) for move in moves]
    further = tuple(zip(moves[1:], seen[1:], strict=True))
    return add(Step(sent, reply, moves[0], seen[0], further), run, agent)


# From a reply to moves --------------------------------------------------------------------


def read_reply(reply: Reply, tools: Registry) -> list[Move]:
    """The moves in a reply: one for each call, in their order, or the one that the words make."""
    calls = [read_call(call, reply, tools) for call in reply.tool_calls]
    return calls or [read_words(reply, tools)]


def read_call(call: dict, reply: Reply, tools: Registry) -> Action | Malformed:
    """One native call. Its thought is what the reply says beside it, on the first call only."""
    first = call is reply.tool_calls[0]
    parts = before_observation(fields(reply.text))
    words = "\n".join(part.text for part in parts if part.kind == "thought")
    thought = (words or reply.reasoning or "") if first else ""
    function = call.get("function") or {}
    name = read_name(function.get("name"), tools)
    known = tools.parameters().get(name, [])
    arguments, repairs, reason = read_arguments(function.get("arguments"), known)
    cut = reply.finish_reason == "length" and call is reply.tool_calls[-1]
    if arguments is None or (cut and (not arguments or "bare input read" in repairs)):
        return Malformed(thought, CUT if cut else reason, repairs)
    return Action(thought, name, arguments, repairs)


def read_name(raw: object, tools: Registry) -> str:
    """The registered name that a call means, without the marks some servers leave on it."""
    name = str(raw or "").partition("<|")[0].strip()
    short = tool_name(name.removeprefix("functions."), tools.parameters())
    return short if short in tools else str(raw or "(no name)")


def read_arguments(raw: object, known: list[str]) -> tuple[dict | None, tuple[str, ...], str]:
    """Read the arguments of a call: (arguments, repairs, reason), as `parser.read_input` does.

    raw: JSON text, as the API has it; also nothing, an object, JSON in a JSON string, or several
    objects in a row. known: the tool's parameter names. Valid arguments are left as they are.
    """
    raw = raw.strip("\ufeff \t\r\n") if isinstance(raw, str) else raw
    if raw is None or raw == {} or (isinstance(raw, str) and raw.strip() in ("", "null")):
        return {}, (), ""
    if isinstance(raw, dict):
        return raw, (), ""
    try:
        value = json.loads(raw)
    except (ValueError, TypeError, RecursionError) as error:
        return _mended(str(raw), known, error)
    if isinstance(value, str) and value.lstrip()[:1] == "{":
        arguments, repairs, reason = read_arguments(value, known)
        return arguments, (*repairs, "arguments encoded twice"), reason
    return (value, (), "") if isinstance(value, dict) else read_input(raw, known)


def _mended(raw: str, known: list[str], error: Exception) -> tuple:
    """Arguments that are not one JSON value: several objects, or JSON with slips."""
    found = _objects(raw)
    full = [one for one in found if one] or [{}]
    if len(found) > 1 and all(one == full[0] for one in full):
        return full[0], ("glued arguments read",), ""
    if len(found) > 1:
        return None, (), "several JSON objects in one call; make one call for each"
    arguments, repairs, _ = read_input(raw, known)
    if "bare input read" in repairs and raw.lstrip()[:1] in ("{", "["):
        arguments = None  # a broken object is not a text
    reason = "" if arguments is not None else f"{INVALID} ({error}): {raw[:80]}"
    return arguments, repairs, reason


def _objects(raw: str) -> list[dict]:
    """The JSON objects that a text consists of; none if there is anything else in it."""
    found, place, gap = [], 0, re.compile(r"[\s,]*+")
    while (place := gap.match(raw, place).end()) < len(raw):
        try:
            value, place = json.JSONDecoder().raw_decode(raw, place)
        except (ValueError, RecursionError):
            return []
        if not isinstance(value, dict):
            return []
        found.append(value)
    return found


def read_words(reply: Reply, tools: Registry) -> Move:
    """The move in a reply without native calls: the answer, unless the words are a call."""
    shown, thoughts, _ = clean(reply.text)
    text = visible(shown).rpartition("<|channel|>final<|message|>")[2]
    thought = "\n".join(thoughts) or reply.reasoning or ""
    move = parse(leaked(text, tools), tools.parameters())
    if isinstance(move, Action) and move.tool in tools and not cut_off(move, reply):
        return replace(move, thought=move.thought or thought)
    if reply.finish_reason == "length":
        return Malformed(thought, CUT)
    if reply.finish_reason in ("tool_calls", "function_call"):
        return Malformed(thought, "you announced a call but made none")
    if not text:
        return Malformed(thought, "the reply is empty")
    if _MARKUP.search(text) or is_call(text, tools):
        return Malformed(thought, "the call stands in the text and cannot be read")
    plain = [part.text for part in fields(text)] == [text]  # no label in it
    return FinalAnswer(thought, text) if plain else move


def leaked(text: str, tools: Registry) -> str:
    """The text, with a call in a form that `parse` does not read put into one that it does."""
    if opening := _TAGGED.search(text):
        body, ended, _ = text[opening.end() :].partition("</function>")
        pieces = [piece.partition(">") for piece in body.split("<parameter=")[1:]]
        if not ended or any("</parameter>" not in rest for *_, rest in pieces):
            return text  # cut off
        given = {name: rest.partition("</parameter>")[0].strip("\r\n") for name, _, rest in pieces}
        call = json.dumps({"name": opening[1], "arguments": given}, ensure_ascii=False)
        return f"{text[: opening.start()]}<tool_call>{call}</tool_call>"
    if _PYTHON.fullmatch(text) and is_call(text, tools):
        return f"```tool_code\n{text.removeprefix('[').removesuffix(']')}\n```"
    bare = text
    if text.startswith("```"):
        bare = text.removesuffix("```").lstrip("`").removeprefix("json").strip()
    whole = bare.startswith(("{", "[{")) and bare.endswith(("}", "]"))
    named = whole and any(f'"{key}"' in bare or f"'{key}'" in bare for key in INPUT_KEYS)
    return f"<tool_call>{bare}</tool_call>" if named else text


def is_call(text: str, tools: Registry) -> bool:
    """Whether a text is in form a call of one of the tools, as JSON or as Python."""
    found = _JSON.match(text) or _PYTHON.fullmatch(text)
    return bool(found) and tool_name(found[1], tools.parameters()) in tools


def unusable(move: Move, reply: Reply, language: str) -> Observation | None:
    """What the model is told about a move that cannot be used; None for one that can."""
    if not isinstance(move, Malformed):
        return None
    kind, error = ("bad_arguments", "bad arguments") if reply.tool_calls else ("unusable",) * 2
    reason = in_language(move.reason, language)
    return Observation(message(kind, language, reason=reason), error=error)


# From the run to messages -----------------------------------------------------------------


def write_messages(run: Run, agent: Agent, thoughts: bool = False) -> list[Message]:
    """All that the model has to know, with calls and results as the API's messages.

    Every call is followed by its result, paired by position. thoughts: the hybrid form.
    """
    system = agent.system
    if system is None:
        system = native_system(agent.language, thoughts)
    messages = [
        {"role": "system", "content": system},
        {"role": "user", "content": run.question},
    ]
    taken: set[str] = set()
    for number, past in enumerate(run.steps):
        ids = call_ids(past, number, taken)
        taken.update(ids)
        messages += past.once(("native", *ids), lambda past=past, ids=ids: turn(past, ids))
    return ready(messages, run, agent)


def call_ids(past: Step, number: int, taken: set[str]) -> list[str]:
    """The ids of a step's calls: as they came, or our own where one is missing or taken."""
    ids: list[str] = []
    raw = past.reply.tool_calls
    for place in range(len(past.moves)):
        ours = f"{number:03}{place:02}"
        given = str(raw[place].get("id") or "").strip() if raw else ""
        names = (given, f"call{ours}", f"ours{ours}")
        ids.append(next(one for one in names if one and one not in taken and one not in ids))
    return ids


def turn(past: Step, ids: list[str]) -> list[Message]:
    """One step as messages, its calls with these ids.

    A call that stood in the text goes back as a native one, without that text.
    """
    raw = past.reply.tool_calls
    if not raw and not isinstance(past.move, Action):
        told = whole_text(past.observation) if past.observation else ""
        answer = [{"role": "user", "content": told}] if told else []
        return [{"role": "assistant", "content": said(past.reply.text)}, *answer]
    calls, results = [], []
    for place, (move, seen) in enumerate(past.moves):
        call, name = raw[place] if raw else {}, ids[place]
        known = seen is not None and seen.error != "unknown tool"
        calls.append(wire(call, move, name, known))
        told = whole_text(seen) if seen else ""
        results.append({"role": "tool", "tool_call_id": name, "content": told})
    content = said(past.reply.text) if raw and past.reply.text.strip() else None
    spoken = {"role": "assistant", "content": content, "tool_calls": calls}
    if past.reply.reasoning:  # ChatModel sends it on only to an endpoint that asks for it
        spoken["reasoning_content"] = past.reply.reasoning
    return [spoken, *results]


def wire(call: dict, move: Move, name: str, known: bool) -> dict:
    """A call as it is sent back: fields that we do not know stay, the rest is made valid.

    call: as it came, {} for one that stood in the text. name: its id, exactly nine letters and
    digits where it is ours, because some endpoints take no other. known: whether there is such
    a tool; other names are spelled so that every endpoint takes them.
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
    """Whether a text is a JSON object for every reader: without NaN and half an emoji."""
    try:
        value = json.loads(text, parse_constant=int)  # which takes no NaN and no Infinity
        text.encode()
    except (ValueError, TypeError, RecursionError):
        return False
    return isinstance(value, dict) and not _HALF.search(text)
