"""Models: anything that turns messages into a Reply.

A model is a plain callable, `model(messages, tools=None) -> Reply`. Messages are the
dictionaries of the chat API: `{"role": "system" | "user" | "assistant", "content": text}`.

The names below are loaded at their first use.
"""

import importlib

# From a public name to the module that defines it.
_HOME = {
    "ChatModel": "chat",
    "EmbeddedModel": "embedded",
    "ENDINGS": "reply",
    "Message": "reply",
    "Model": "reply",
    "ModelError": "reply",
    "Recording": "recording",
    "Reply": "reply",
    "ScriptedModel": "scripted",
    "connect": "settings",
    "count_tokens": "embedded",
    "describe": "settings",
    "lost_prompt": "reply",
    "reply_from": "reply",
}
__all__ = list(_HOME)


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME})
