"""Request: what is asked of an endpoint, changed once where it says what it does not take.

No list of model names: what a server refuses is learnt from its refusal.

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

_FIXED = ("model", "messages", "tools")  # never left out: without them it is another question
_TOOL_OPTIONS = ("tool_choice", "parallel_tool_calls")
_RENAMED = {"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}

# What can be learnt beside the names of options: no option is spelled with a space.
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
    """The body of a request: what was asked for, as far as the server takes it.

    learned: what `learn` has found out. Options that are None are not sent, nor are those about
    tools without a tool. `extra_body` holds further options, as in the openai client. An
    assistant message may hold its `reasoning_content`: it is sent only to a server that has asked
    for it.
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
    """Note in `learned` what to change after a refusal. False if there is nothing new to change.

    body: the request that was refused. messages: before `request` changed them. Each change is
    made once: a server that goes on refusing is not asked for ever.
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
    """What was learnt, as sentences for the trace."""

    def note(name: str, change: object) -> str:
        if name in NOTES:
            return NOTES[name].format(change)
        return f"{name} is {f'sent as {change}' if change else 'not sent'}: the endpoint refuses it"

    return tuple(note(name, change) for name, change in learned.items())


def _messages(messages: list[dict[str, Any]], learned: dict[str, Any]) -> list[dict[str, Any]]:
    """The messages in the form that the server takes."""
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
    """The option that was refused, and its new name or None."""
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
    """Whether the server refuses roles, and was sent a system message after the first message."""
    later = any(message["role"] == "system" for message in body["messages"][1:])
    named = re.search(r"\bsystem\b|\broles?\b|alternat|template|jinja", str(refused), re.I)
    return ("later system", True) if later and named else None


def _system_role(
    refused: Refusal, body: dict[str, Any], messages: list[dict[str, Any]]
) -> tuple[Any, ...] | None:
    """Whether the server takes no system message."""
    pattern = r"\bsystem\b.{0,30}(?:role|message|prompt|instruct)|role.{0,30}\bsystem\b|developer"
    has_one = any(message["role"] == "system" for message in body["messages"])
    return ("system role", True) if has_one and re.search(pattern, str(refused), re.I) else None


def _blank_content(
    refused: Refusal, body: dict[str, Any], messages: list[dict[str, Any]]
) -> tuple[Any, ...] | None:
    """Whether a call without words was refused: some want null there, some an empty text."""
    calls = [message for message in body["messages"] if message.get("tool_calls")]
    blank = [call.get("content") for call in calls if not call.get("content")]
    if not blank or not re.search(r"\bcontent\b", str(refused), re.I):
        return None
    return "blank content", "" if blank[-1] is None else None


def _own_reasoning(
    refused: Refusal, body: dict[str, Any], messages: list[dict[str, Any]]
) -> tuple[Any, ...] | None:
    """Whether the server wants its reasoning back."""
    kept_back = any("reasoning_content" in message for message in messages)
    wanted = re.search(r"reasoning|thinking", str(refused), re.I)
    return ("own reasoning", True) if kept_back and wanted else None
