"""Reply: what a model returns, how to read it, and the error if nothing came."""

import json
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

Message = dict[str, object]


class ModelError(Exception):
    """No usable reply came. The message says what to do next.

    Attributes:
        kind: "no connection", "bad key", "rate limit", "no credit", "context too long",
            "refused", "filtered", "empty", "unreadable" or "error".
        reply: the Reply that came, if there was one.
        sent: the messages that were sent; the loop fills them in.
    """

    def __init__(self, message: str, kind: str = "error", reply: "Reply | None" = None):
        super().__init__(message)
        self.kind, self.reply = kind, reply
        self.sent: tuple[Message, ...] = ()


@dataclass(frozen=True)
class Reply:
    """What one call of a model returned.

    Attributes:
        text: the text of the reply.
        tool_calls: native calls, as the API's dictionaries.
        reasoning: the model's reasoning, if the endpoint sends it apart from the text.
        finish_reason: why the reply ended ("stop", "length", ...).
        tokens_in, tokens_out, tokens_cached: counts, None if the endpoint reports none.
        seconds: how long the call took.
        notes: what happened during the call (a wait, a dropped setting).
        recorded: True if the reply comes from a recording, with the counts and seconds that were
            recorded.
    """

    text: str
    tool_calls: tuple[dict[str, Any], ...] = ()
    reasoning: str | None = None
    finish_reason: str | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None
    tokens_cached: int | None = None
    seconds: float = 0.0
    notes: tuple[str, ...] = ()
    recorded: bool = field(default=False, repr=False, compare=False)


# The finish_reason of a reply that the endpoint could not read; the last note has its words.
UNREAD = "the endpoint could not read the reply"

Model = Callable[..., Reply]
Fit = Callable[[list[Message]], list[Message]]  # chooses which messages are sent


def tokens_of(replies: Iterable[Reply]) -> int:
    """Add up the tokens that were sent and received; an endpoint that reports none counts as 0."""
    return sum((one.tokens_in or 0) + (one.tokens_out or 0) for one in replies)


# Reading a reply ----------------------------------------------------------------------------

# Four of the five bad endings; the fifth, a context that is too long, is a refusal.
ENDINGS = {
    "empty": "The reply is empty. Run again; if it stays empty, ask another model.",
    "cut off": "The reply was cut off at the length limit. Give a larger max_tokens.",
    "only reasoning": "The whole length limit was spent on reasoning, before any answer. Give a "
    "larger max_tokens, or ask for less reasoning.",
    "filtered": "A content filter stopped the reply. Put the question, or what a tool returned, "
    "in other words.",
}


def ending(reply: Reply) -> str:
    """Return how an unusable reply ended, as a key of ENDINGS; "" for a good reply."""
    blank = not reply.text.strip() and not reply.tool_calls
    if reply.finish_reason == "content_filter":
        return "filtered"
    if reply.finish_reason == "length":
        return "only reasoning" if blank and reply.reasoning else "cut off"
    return "empty" if blank else ""


def checked(reply: Reply, model: str) -> Reply:
    """Return the reply, with a note if it ended badly.

    Args:
        reply: the reply.
        model: the name of the model, for the error.

    Raises:
        ModelError: asking again cannot help, because a filter stopped the reply or it was cut off
            before the first word. The error contains the reply.
    """
    how = ending(reply)
    wordless = how == "cut off" and not (reply.text.strip() or reply.tool_calls)
    if how in ("filtered", "only reasoning") or wordless:
        kind = "filtered" if how == "filtered" else "empty"
        raise ModelError(f"{model}: {ENDINGS[how]}", kind, reply)
    return replace(reply, notes=(*reply.notes, ENDINGS[how])) if how else reply


def reply_from(completion: Any, seconds: float, notes: tuple[str, ...] = ()) -> Reply:
    """Read a chat completion into a Reply.

    Args:
        completion: the response's JSON as a dict, or the openai client's object.
        seconds: how long the call took.
        notes: what happened during the call.

    Raises:
        ModelError: the completion has no choice.
    """
    body = completion if isinstance(completion, dict) else completion.to_dict()
    if not body.get("choices") or not {"message", "finish_reason"} & set(body["choices"][0]):
        raise ModelError("The endpoint sent a reply without any choice. Ask it again.")
    choice, usage = body["choices"][0], _dict(body.get("usage"))
    message = _dict(choice.get("message"))
    text, inside = _words(message.get("content"))
    thinking = inside or message.get("reasoning_content") or message.get("reasoning")
    return Reply(
        text=text or _words(message.get("refusal"))[0],
        tool_calls=_calls(message),
        reasoning=thinking if thinking and isinstance(thinking, str) else None,
        finish_reason=_finish(choice.get("finish_reason")),
        tokens_in=_count(usage, "prompt_tokens"),
        tokens_out=_count(usage, "completion_tokens"),
        tokens_cached=_count(_dict(usage.get("prompt_tokens_details")), "cached_tokens"),
        seconds=seconds,
        notes=notes,
    )


# How servers spell an ending, in lower case, and its name in the API.
FINISHES = {
    "length": {"max_tokens", "model_length", "max_output_tokens", "max_length", "token_limit"},
    "content_filter": {"safety", "recitation", "sensitive", "prohibited_content", "blocklist"}
    | {"refusal", "spii", "image_safety"},
    "tool_calls": {"malformed_function_call", "unexpected_tool_call", "tool_use", "tool_call"},
}


def _finish(reason: object) -> str | None:
    """Return why a reply ended, by its name in the API; an unknown reason unchanged."""
    if not isinstance(reason, str):
        return None
    plain = reason.rpartition(":")[2].strip().lower()
    names = (name for name, others in FINISHES.items() if plain in {name, *others})
    return next(names, reason)


def _words(content: object) -> tuple[str, str]:
    """Return text and reasoning of a message's content: a text, a list of parts, or null."""
    if isinstance(content, str):
        return content, ""
    if isinstance(content, int | float):
        return json.dumps(content), ""
    text, thinking = "", ""
    for part in content if isinstance(content, list) else [content]:
        if isinstance(part, str):
            text += part
        elif _dict(part).get("type") in ("thinking", "reasoning"):
            thinking += "".join(_words(_dict(part).get("thinking") or _dict(part).get("text")))
        else:
            inner = _dict(part).get("text")
            text += inner if isinstance(inner, str) else ""
    return text, thinking


def _dict(value: object) -> dict[str, Any]:
    """Return the value if it is a dict, else an empty dict."""
    return value if isinstance(value, dict) else {}


def _count(usage: dict[str, Any], name: str) -> int | None:
    """Return a number of tokens; None if the endpoint reports none."""
    return usage[name] if isinstance(usage.get(name), int) else None


# Where servers put the arguments of a call; the first name is that of the API.
ARGUMENTS = ("arguments", "parameters", "input", "args", "params")


def _calls(message: dict[str, Any]) -> tuple[dict[str, Any], ...]:
    """Return the native calls unchanged, except that arguments become JSON text."""
    calls = message.get("tool_calls")
    if not calls and message.get("function_call"):  # the older form
        calls = [{"function": message["function_call"]}]
    if isinstance(calls, str):
        with suppress(ValueError, RecursionError):
            calls = json.loads(calls)
    if isinstance(calls, dict):  # one call, or calls by their number
        single = {"function", "name"} & set(calls)
        calls = [calls] if single else list(calls.values())
    read = []
    for call in filter(_dict, calls if isinstance(calls, list) else ()):
        function = dict(_dict(call.get("function"))) or {"name": call.get("name")}
        places = [part[key] for key in ARGUMENTS for part in (function, call) if key in part]
        given = next((one for one in places if one not in (None, "")), None)
        if not isinstance(given, str):
            given = "" if given is None else json.dumps(given, ensure_ascii=False)
        function = {key: value for key, value in function.items() if key not in ARGUMENTS}
        function |= {"name": str(function.get("name") or ""), "arguments": given}
        rest = {key: value for key, value in call.items() if key not in ("name", *ARGUMENTS)}
        read.append({"id": "", "type": "function"} | rest | {"function": function})
    return tuple(read)


def lost_prompt(
    earlier: Sequence[Message], before: Reply, later: Sequence[Message], after: Reply
) -> str:
    """Return a warning if more was sent than before but fewer tokens were read; else "".

    Some servers cut a long prompt without an error.

    Args:
        earlier: the messages that were sent before.
        before: the reply to them.
        later: the messages that were sent now.
        after: the reply to them.
    """
    old, new = before.tokens_in, after.tokens_in
    sizes = [sum(len(str(message.get("content"))) for message in sent) for sent in (earlier, later)]
    if old is None or new is None or sizes[1] <= sizes[0] or new >= old:
        return ""
    return (
        f"The endpoint read {new} tokens, after {old} for a shorter history: it has "
        "cut the messages. Give it a longer context, or send fewer of them."
    )
