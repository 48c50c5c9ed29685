"""Connect: from your settings to a model.

An endpoint is set with three variables, in the environment or in a file `.env` beside the
notebook: LLM_BASE_URL (such as https://api.openai.com/v1), LLM_API_KEY and LLM_MODEL. Without
them the model is the embedded one, and nothing leaves this machine. A fourth one, LLM_EXTRA_BODY,
holds further parameters for each request as a JSON object.

>>> describe(EmbeddedModel())
"the embedded model SmolLM2-135M with the lab's adapter, on this machine"
"""

import json
import os
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from react_lab.models.chat import ChatModel
from react_lab.models.embedded import EmbeddedModel
from react_lab.models.endpoint import OPENAI, on_this_machine, problem, shown
from react_lab.models.engine import start_engine
from react_lab.models.recording import REPLAY_OR_LIVE, Recording
from react_lab.models.reply import Model, ModelError

NAMES = ("LLM_BASE_URL", "LLM_API_KEY", "LLM_MODEL")
EXTRA = "LLM_EXTRA_BODY"  # further parameters of each request, as a JSON object
LOCAL_ONLY = ("adapter", "grammar", "cache")  # options of the embedded model only


def connect(
    *, recorded: bool = True, extra_body: dict[str, Any] | None = None, **options: Any
) -> Model:
    """Return the model that the settings name; `describe` says which one that is.

    With an endpoint (LLM_BASE_URL and so on) it is the endpoint's model. Otherwise it is the
    embedded model: a request that is recorded for exactly this model gets its recorded reply, and
    every other request a live one. `Reply.recorded` says which. The engine starts in the
    background, so this returns at once. No request is sent here.

    The variable REACT_LAB_RECORDING comes first: with "replay" nothing but the recording answers
    (for tests), "record:NAME" writes one, and with "off" every reply is live.

    Args:
        recorded: False asks the live model for every reply. Recorded and live replies have the
            same text; a live one takes longer.
        extra_body: Further parameters of each request to an endpoint, such as the switch for a
            model's thinking: {"chat_template_kwargs": {"enable_thinking": False}} for vLLM, SGLang
            and llama.cpp, {"reasoning_effort": "none"} for Ollama and OpenAI, {"reasoning":
            {"enabled": False}} for OpenRouter. The variable LLM_EXTRA_BODY holds the same as JSON
            for every model; a parameter given here wins.
        options: Fields of EmbeddedModel, such as adapter=False or max_tokens=60. For an endpoint
            `adapter`, `grammar` and `cache` are left out; the others are sent if you give them.

    Raises:
        ModelError: The settings of the endpoint are incomplete or wrong.
        TypeError: No option has this name.
    """
    embedded = EmbeddedModel(**options)
    mode = os.environ.get("REACT_LAB_RECORDING")
    if mode and mode != "off":
        return Recording(embedded, mode)
    if endpoint := settings():
        check(endpoint)
        sent = {name: value for name, value in options.items() if name not in LOCAL_ONLY}
        sent = {**extra(endpoint), **sent, **(extra_body or {})}
        return ChatModel(
            endpoint["LLM_MODEL"],
            base_url=endpoint["LLM_BASE_URL"],
            api_key=endpoint.get("LLM_API_KEY"),
            options=sent,
        )
    start_engine()
    return Recording(embedded, REPLAY_OR_LIVE) if recorded and mode != "off" else embedded


def describe(model: Model) -> str:
    """Return one line that says which model this is. It never contains a key."""
    if isinstance(model, ChatModel):
        host = urlsplit(shown(model.base_url or OPENAI)).netloc
        return f"{model.model} at {host} (your endpoint)"
    kept = model.model if isinstance(model, Recording) else model
    if not isinstance(kept, EmbeddedModel):
        return repr(model)
    name = f"SmolLM2-135M {'with' if kept.adapter else 'without'} the lab's adapter"
    if isinstance(model, Recording) and model.mode != REPLAY_OR_LIVE:
        return f"recorded replies of the embedded model {name}"
    return f"the embedded model {name}, on this machine"


def settings(folder: Path | None = None) -> dict[str, str]:
    """Return the endpoint's settings that have a value, by name. The environment wins over `.env`.

    Args:
        folder: where to look for `.env`, None for the current folder.

    Raises:
        ModelError: `.env` cannot be read.
    """
    found = _read_env((folder or Path()) / ".env")
    found |= {name: os.environ[name] for name in (*NAMES, EXTRA) if name in os.environ}
    found = {name: value.strip() for name, value in found.items() if value.strip()}
    return found if any(name in found for name in NAMES) else {}


def extra(endpoint: dict[str, str]) -> dict[str, Any]:
    """Return the further parameters in LLM_EXTRA_BODY.

    Raises:
        ModelError: it is not a JSON object.
    """
    try:
        found = json.loads(endpoint.get(EXTRA, "{}"))
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise ModelError(
            f"{EXTRA} is {endpoint[EXTRA]!r}, which is not a JSON object. Write it like this: "
            '{"chat_template_kwargs": {"enable_thinking": false}}'
        )
    return found


def check(endpoint: dict[str, str]) -> None:
    """Check what `settings` found. Raises ModelError, which says what is missing or wrong."""
    missing = [name for name in NAMES if name not in endpoint]
    if on_this_machine(endpoint.get("LLM_BASE_URL", "")):
        missing = [name for name in missing if name != "LLM_API_KEY"]
    if missing:
        present = ", ".join(name for name in NAMES if name in endpoint)
        raise ModelError(
            f"Your endpoint is only half set: {present} is there, {', '.join(missing)} is missing. "
            "Set it in the environment or in .env beside the notebook (a server without keys "
            "accepts any word), or unset all three for the embedded model."
        )
    if wrong := problem(endpoint["LLM_BASE_URL"], endpoint.get("LLM_API_KEY")):
        raise ModelError(wrong)


def _read_env(path: Path) -> dict[str, str]:
    """Read the lab's names from lines such as `LLM_MODEL="a name"  # comment`; ignore others."""
    try:
        lines = path.read_text("utf-8-sig").splitlines() if path.is_file() else []
    except (OSError, UnicodeDecodeError) as error:  # `echo ... > .env` of Windows writes UTF-16
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise ModelError(f"{path} cannot be read: {reason}. Save it again as UTF-8.") from None
    found = {}
    for line in lines:
        name, _, value = line.strip().removeprefix("export ").partition("=")
        value = value.strip()
        if value[:1] in ("'", '"'):
            value = value[1:].partition(value[0])[0]
        else:
            value = value.partition(" #")[0].strip()
        if name.strip() in (*NAMES, EXTRA):
            found[name.strip()] = value
    return found
