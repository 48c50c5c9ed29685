"""Hermes: native calls for a model that only knows text, in the form that it was trained on.

The tools stand in the system message, a call is written `<tool_call>{...}</tool_call>`, and its
result comes back in `<tool_response>`. Models of the Hermes and Qwen families use this form.

>>> words, calls = read('I look. <tool_call>{"name": "now", "arguments": {}}</tool_call>')
>>> words, calls[0]["function"]
('I look.', {'name': 'now', 'arguments': '{}'})
"""

import json
import re
from dataclasses import replace

from react_lab.models.reply import Message, Model, Reply
from react_lab.prompt import native_prompt
from react_lab.registry.registry import Tool

_JSON = {"ensure_ascii": False}  # as in the training
_CALL = re.compile(r"<tool_call>(.*?)(?:</tool_call>|\Z)", re.S)


def needed(messages: list[Message], tools: list[dict] | None) -> bool:
    """Whether a request is native: it offers tools, or there are calls in its messages."""
    return bool(tools) or any(m.get("tool_calls") or m["role"] == "tool" for m in messages)


def ask(model: Model, messages: list[Message], tools: list[dict] | None) -> Reply:
    """A native request to a model that only knows text."""
    reply = model(write(messages, tools))
    text, calls = read(reply.text) if tools else (reply.text, ())
    return replace(reply, text=text, tool_calls=calls)


def write(messages: list[Message], tools: list[dict] | None = None) -> list[Message]:
    """Messages with native calls as the text that the model was trained on.

    tools: JSON Schemas as the API has them; they go into the system message.
    """
    told, system = [dict(one) for one in messages], ""
    if told and told[0]["role"] == "system":
        system = str(told.pop(0)["content"])
    if tools:
        first, rest = native_prompt(_tool(one) for one in tools).split("\n", 1)
        system = f"{system or first}\n{rest}"
    written = [{"role": "system", "content": system}] if system else []
    for one in told:
        content = _content(one)
        if one["role"] == "tool" and written and written[-1].get("results"):
            written[-1]["content"] += f"\n{content}"
        elif one["role"] == "tool":
            written.append({"role": "user", "content": content, "results": True})
        else:
            written.append({"role": one["role"], "content": content})
    return [{"role": one["role"], "content": one["content"]} for one in written]


def read(text: str) -> tuple[str, tuple[dict, ...]]:
    """What a reply says, and its calls as the API has them. A call that is no JSON stays text."""
    calls = []

    def take(found: re.Match) -> str:
        try:
            call = json.loads(found[1])
            name, arguments = call["name"], call.get("arguments", {})
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            return found[0]
        given = arguments if isinstance(arguments, str) else json.dumps(arguments, **_JSON)
        function = {"name": str(name), "arguments": given}
        calls.append({"id": "", "type": "function", "function": function})
        return ""

    return _CALL.sub(take, text).strip(), tuple(calls)


def _tool(schema: dict) -> Tool:
    """The tool that a schema describes; nothing calls it."""
    return Tool(**{"description": "", "parameters": {}} | schema["function"], function=str)


def _content(message: Message) -> str:
    """The text of one message: its words, its calls, or the result that it brings."""
    if message["role"] == "tool":
        return f"<tool_response>{message['content']}</tool_response>"
    parts = [message["content"]] if message["content"] else []
    for call in message.get("tool_calls") or ():
        function = call["function"]
        given = {"name": function["name"], "arguments": json.loads(function["arguments"])}
        parts.append(f"<tool_call>{json.dumps(given, **_JSON)}</tool_call>")
    return "\n".join(parts)
