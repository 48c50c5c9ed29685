"""The model that runs on this machine: SmolLM2-135M, with the lab's ReAct adapter or without.

`weights.py` finds its files, and `engine.py` runs it. The first request starts the engine, which
takes about a second; it ends with the process.

>>> EmbeddedModel(adapter=False, max_tokens=60)
EmbeddedModel(adapter=False, max_tokens=60)
"""

from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, fields
from typing import Any

from react_lab.models import native_text
from react_lab.models.engine import LOCK, running_engine
from react_lab.models.reply import Message, Reply


@dataclass(frozen=True, repr=False)
class EmbeddedModel:
    """The embedded model: `model(messages) -> Reply`, on this machine, without a network.

    Given tools (JSON Schemas), it makes native calls, in the form of `native_text`.

    All embedded models share one engine and one lock, so requests never overlap. Threads that
    take turns with different prompts make each other slower: `with model.alone():` around a run
    keeps the others waiting. Calling the model raises ModelError if the weights or the engine
    cannot be used, or the prompt is too long; the message says what to do.

    Attributes:
        adapter: True for the lab's ReAct model, False for the base model as it was published.
        max_tokens: The longest reply, in tokens.
        temperature: 0 always takes the likeliest token.
        stop: Texts that end a reply.
        grammar: A GBNF grammar that the reply must follow (see grammar.py).
        cache: Whether the engine may reuse what it has computed for an earlier prompt. "auto"
            does so only where the text cannot depend on what was asked before. "on" and "off"
            let you look at the difference.
    """

    adapter: bool = True
    max_tokens: int = 512
    temperature: float = 0.0
    stop: tuple[str, ...] = ()
    grammar: str | None = None
    cache: str = "auto"
    languages = ("en",)  # not a field: the only one it was trained on

    def __post_init__(self) -> None:
        if self.cache not in ("auto", "on", "off"):
            raise ValueError(f"cache is {self.cache!r}. Give 'auto', 'on' or 'off'.")
        if self.max_tokens < 1:
            raise ValueError(f"max_tokens is {self.max_tokens}. Give at least 1.")
        stop = (self.stop,) if isinstance(self.stop, str) else tuple(self.stop)
        object.__setattr__(self, "stop", stop)

    def __call__(self, messages: list[Message], tools: list[dict[str, Any]] | None = None) -> Reply:
        """Return the model's reply to these messages."""
        if native_text.needed(messages, tools):
            return native_text.ask(self, messages, tools)
        with LOCK:
            return running_engine(self.adapter).ask(messages, **asdict(self))

    def alone(self) -> AbstractContextManager[object]:
        """A context manager: until it ends, other threads wait for the engine."""
        return LOCK

    def __repr__(self) -> str:
        values = {f.name: getattr(self, f.name) for f in fields(self)}
        changed = [f.name for f in fields(self) if values[f.name] != f.default]
        shown = (f"{n}={'...' if n == 'grammar' else repr(values[n])}" for n in changed)
        return f"EmbeddedModel({', '.join(shown)})"


def count_tokens(text: str) -> int:
    """The number of tokens the embedded model sees in a text. Starts the engine if needed."""
    with LOCK:
        return len(running_engine().tokenize(text))
