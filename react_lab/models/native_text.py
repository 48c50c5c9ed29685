"""Native text: native calls for a model that only knows text, in the form of its training.

The system message contains the tools, a call is written `<tool_call>{...}</tool_call>`, and its
result comes back in `<tool_response>`. Models of the Hermes and Qwen families use this form.

>>> words, calls = read('I look. <tool_call>{"name": "now", "arguments": {}}</tool_call>')
>>> words, calls[0]["function"]
('I look.', {'name': 'now', 'arguments': '{}'})
"""

import json
import re
from dataclasses import replace
from typing import Any

from react_lab.models.reply import Message, Model, Reply
from react_lab.parser.call_forms import TRAINED
from react_lab.prompt import native_prompt
from react_lab.registry.registry import Tool

_OPEN, _CLOSE = TRAINED
_CALL = re.compile(rf"{_OPEN}(.*?)(?:{_CLOSE}|\Z)", re.S)


def needed(messages: list[Message], tools: list[dict[str, Any]] | None) -> bool:
    """Return whether a request is native: it offers tools, or its messages contain calls."""
    return bool(tools) or any(m.get("tool_calls") or m["role"] == "tool" for m in messages)


def ask(model: Model, messages: list[Message], tools: list[dict[str, Any]] | None) -> Reply:
    """Send a native request to a model that only knows text."""
    reply = model(write(messages, tools))
    text, calls = read(reply.text) if tools else (reply.text, ())
    return replace(reply, text=text, tool_calls=calls)


def write(messages: list[Message], tools: list[dict[str, Any]] | None = None) -> list[Message]:
    """Write messages with native calls as the text that the model was trained on.

    Args:
        messages: The messages of the chat API.
        tools: JSON Schemas as the API has them; they go into the system message.
    """
    left, system = list(messages), ""
    if left and left[0]["role"] == "system":
        system = str(left.pop(0)["content"])
    if tools:
        first, rest = native_prompt(_tool(one) for one in tools).split("\n", 1)
        system = f"{system or first}\n{rest}"
    written: list[Message] = [{"role": "system", "content": system}] if system else []
    before = ""
    for one in left:
        role = str(one["role"])
        if role == before == "tool":  # results that belong together are one message
            written[-1]["content"] = f"{written[-1]['content']}\n{_content(one)}"
        else:
            spoken = "user" if role == "tool" else role
            written.append({"role": spoken, "content": _content(one)})
        before = role
    return written


def read(text: str) -> tuple[str, tuple[dict[str, Any], ...]]:
    """Return the words of a reply, and its calls as the API has them.

    A call that is not a JSON object stays in the text, where `parse_plain` finds it.
    """
    calls: list[dict[str, Any]] = []

    def take(found: re.Match[str]) -> str:
        try:
            call = json.loads(found[1])
            name, arguments = call["name"], call.get("arguments", {})
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            return str(found[0])
        given = arguments if isinstance(arguments, str) else _as_json(arguments)
        function = {"name": str(name), "arguments": given}
        calls.append({"id": "", "type": "function", "function": function})
        return ""

    return _CALL.sub(take, text).strip(), tuple(calls)


def _as_json(value: object) -> str:
    """Write JSON without escaping letters, as in the training."""
    return json.dumps(value, ensure_ascii=False)


def _tool(schema: dict[str, Any]) -> Tool:
    """Return the tool that a schema describes; nothing calls it."""
    return Tool(**{"description": "", "parameters": {}} | schema["function"], function=str)


def _content(message: Message) -> str:
    """Return the text of one message: its words, its calls, or the result in it."""
    if message["role"] == "tool":
        return f"<tool_response>{message['content']}</tool_response>"
    parts = [str(message["content"])] if message["content"] else []
    calls: Any = message.get("tool_calls") or ()
    for call in calls:
        function = call["function"]
        given = {"name": function["name"], "arguments": json.loads(function["arguments"])}
        parts.append(f"{_OPEN}{_as_json(given)}{_CLOSE}")
    return "\n".join(parts)
