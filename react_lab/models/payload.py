"""Payload: the body of a request, and what to change after the endpoint refuses a part.

There is no list of models: the lab learns from the refusal what a server does not accept.

>>> learned = {}
>>> refused = Refusal(400, "'temperature' is not accepted here.", param="temperature")
>>> learn(refused, {"temperature": 0, "messages": []}, [], learned), learned
(True, {'temperature': None})
>>> request("m", [], None, {"temperature": 0}, learned)
{'model': 'm', 'messages': []}
"""

import re
from typing import Any

from react_lab.models.api_errors import Refusal

_FIXED = ("model", "messages", "tools")  # never left out, because a request needs them
_TOOL_OPTIONS = ("tool_choice", "parallel_tool_calls")
_RENAMED = {"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}

# Keys of `learned` that are not names of options; an option has no space in its name.
NOTES = {
    "later system": "a system message after the first is sent inside the message before it",
    "system role": "the system message is sent inside the first user message",
    "blank content": "the blank content beside a call is sent as {!r}",
    "own reasoning": "the model's own reasoning is sent back",
    "base url": "base_url is used with its other ending: with or without /v1",
}


def request(
    model: str,
    messages: list[dict[str, Any]],
    tools: list[dict[str, Any]] | None,
    options: dict[str, Any],
    learned: dict[str, Any],
) -> dict[str, Any]:
    """Return the body of a request, without what the server refused before.

    Options that are None are not sent, and options about tools only with tools. `extra_body`
    contains further options, as in the openai client. The `reasoning_content` of an assistant
    message is sent only to a server that has asked for it.

    Args:
        model: the name of the model.
        messages: the messages.
        tools: the schemas of the tools, or None.
        options: further parameters of the request.
        learned: what `learn` has found out.
    """
    body = {"model": model, "messages": _messages(messages, learned)}
    if tools:
        body["tools"] = tools
    for name, value in {**options, **(options.get("extra_body") or {})}.items():
        if name == "extra_body" or (name in _TOOL_OPTIONS and not tools):
            continue
        while name in learned:
            name = learned[name]
        if name is not None and value is not None:
            body[name] = value
    return body


def learn(
    refused: Refusal, body: dict[str, Any], messages: list[dict[str, Any]], learned: dict[str, Any]
) -> bool:
    """Note in `learned` what to change after a refusal. Return False if there is nothing new.

    Each change is made only once, so that a server that always refuses is not asked for ever.

    Args:
        refused: the refusal.
        body: the request that was refused.
        messages: the messages before `request` changed them.
        learned: what earlier refusals changed.
    """
    if refused.status not in (400, 422, 500, 501) or refused.kind not in ("refused", "error"):
        return False
    for find in (_option, _later_system, _system_role, _blank_content, _own_reasoning):
        name, change = find(refused, body, messages) or (None, None)
        if name and name not in learned:
            learned[name] = None if change in learned else change
            return True
    return False


def notes(learned: dict[str, Any]) -> tuple[str, ...]:
    """Write what was learnt as sentences for the trace."""

    def note(name: str, change: object) -> str:
        if name in NOTES:
            return NOTES[name].format(change)
        return f"{name} is {f'sent as {change}' if change else 'not sent'}: the endpoint refuses it"

    return tuple(note(name, change) for name, change in learned.items())


def _messages(messages: list[dict[str, Any]], learned: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the messages in the form that the server accepts."""
    sent = [dict(message) for message in messages]
    for message in sent:
        if "own reasoning" not in learned:
            message.pop("reasoning_content", None)
        if "blank content" in learned and message.get("tool_calls") and not message.get("content"):
            message["content"] = learned["blank content"]
    if "later system" in learned:
        sent = _one_system(sent)
    if "system role" in learned and sent and sent[0]["role"] == "system":
        text = sent.pop(0)["content"]
        if sent and sent[0]["role"] == "user" and isinstance(sent[0]["content"], str):
            text = f"{text}\n\n{sent.pop(0)['content']}"
        sent.insert(0, {"role": "user", "content": text})
    return sent


def _one_system(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Move each later system message to the end of the message before it."""
    sent: list[dict[str, Any]] = []
    for message in messages:
        if message["role"] != "system" or not sent:
            sent.append(message)
        elif sent[-1]["role"] == "assistant" or not isinstance(sent[-1]["content"], str):
            sent.append({**message, "role": "user"})
        else:
            sent[-1] = {**sent[-1], "content": f"{sent[-1]['content']}\n{message['content']}"}
    return sent


def _option(
    refused: Refusal, body: dict[str, Any], messages: list[dict[str, Any]]
) -> tuple[Any, ...] | None:
    """Return the option that was refused, and its new name or None."""
    names = [name for name in body if name not in _FIXED]
    where = refused.param or (refused.words if refused.status < 500 else "")
    places = {m.start(): n for n in names for m in re.finditer(rf"\b{re.escape(n)}\b", where)}
    if not places:
        return None
    name = places[min(places)]
    other = _RENAMED.get(name, "")
    known = other and (other in refused.words or refused.code == "unsupported_parameter")
    return name, other if known else None


def _later_system(
    refused: Refusal, body: dict[str, Any], messages: list[dict[str, Any]]
) -> tuple[Any, ...] | None:
    """Return whether roles were refused and a system message was not the first message."""
    later = any(message["role"] == "system" for message in body["messages"][1:])
    named = re.search(r"\bsystem\b|\broles?\b|alternat|template|jinja", str(refused), re.I)
    return ("later system", True) if later and named else None


def _system_role(
    refused: Refusal, body: dict[str, Any], messages: list[dict[str, Any]]
) -> tuple[Any, ...] | None:
    """Return whether the server refuses every system message."""
    pattern = r"\bsystem\b.{0,30}(?:role|message|prompt|instruct)|role.{0,30}\bsystem\b|developer"
    has_one = any(message["role"] == "system" for message in body["messages"])
    return ("system role", True) if has_one and re.search(pattern, str(refused), re.I) else None


def _blank_content(
    refused: Refusal, body: dict[str, Any], messages: list[dict[str, Any]]
) -> tuple[Any, ...] | None:
    """Return whether a call without text was refused: servers expect null or an empty text."""
    calls = [message for message in body["messages"] if message.get("tool_calls")]
    blank = [call.get("content") for call in calls if not call.get("content")]
    if not blank or not re.search(r"\bcontent\b", str(refused), re.I):
        return None
    return "blank content", "" if blank[-1] is None else None


def _own_reasoning(
    refused: Refusal, body: dict[str, Any], messages: list[dict[str, Any]]
) -> tuple[Any, ...] | None:
    """Return whether the server expects its reasoning back."""
    kept_back = any("reasoning_content" in message for message in messages)
    wanted = re.search(r"reasoning|thinking", str(refused), re.I)
    return ("own reasoning", True) if kept_back and wanted else None
