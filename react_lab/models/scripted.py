"""Scripted: a model that returns the replies it was given.

>>> model = ScriptedModel(["Thought: easy.\\nFinal Answer: 4"])
>>> model([{"role": "user", "content": "Question: What is 2+2?"}]).text
'Thought: easy.\\nFinal Answer: 4'
"""

from collections.abc import Iterable
from typing import Any

from react_lab.models.reply import Message, ModelError, Reply


class ScriptedModel:
    """A model that returns its first reply on the first call, its second on the second, and so on.

    Each run of an agent starts the script again: the loop calls `rewind` with the number of
    steps that the run has so far. It is for tests and for scripted lessons.

    Args:
        replies: the texts, in order.

    Raises:
        ValueError: a reply that is not a string.
        ModelError: when called after the last reply.
    """

    def __init__(self, replies: Iterable[str]):
        if isinstance(replies, str):
            raise ValueError("A script is a list of replies: ScriptedModel([...]).")
        self.replies = tuple(replies)
        self.position = 0  # of the next reply
        for place, reply in enumerate(self.replies, 1):
            if not isinstance(reply, str):
                raise ValueError(f"Reply {place} of the script is {reply!r}; write a text.")

    def __call__(self, messages: list[Message], tools: list[dict[str, Any]] | None = None) -> Reply:
        """Return the model's reply to these messages."""
        if self.position >= len(self.replies):
            raise ModelError(f"The script has {len(self.replies)} replies; add one for this step.")
        self.position += 1
        return Reply(text=self.replies[self.position - 1], finish_reason="stop")

    def rewind(self, position: int = 0) -> None:
        """Continue with the reply at this position, counted from 0."""
        self.position = position

    def __repr__(self) -> str:
        return f"ScriptedModel(replies={self.replies!r})"
