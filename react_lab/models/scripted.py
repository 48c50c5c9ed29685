"""Scripted: a model that says what it was given.

>>> model = ScriptedModel(["Thought: easy.\\nFinal Answer: 4"])
>>> model([{"role": "user", "content": "Question: What is 2+2?"}]).text
'Thought: easy.\\nFinal Answer: 4'
"""

from dataclasses import dataclass

from react_lab.models.reply import Message, ModelError, Reply


@dataclass(frozen=True)
class ScriptedModel:
    """A model that says what it was given, in order. For tests and for lessons that say so.

    The n-th reply answers a conversation that holds n replies already, so that the same
    object can be asked again from the start. Raises ValueError for a reply that is no text, and
    ModelError when the script has ended.
    """

    replies: tuple[str, ...]

    def __init__(self, replies: list[str] | tuple[str, ...]):
        if isinstance(replies, str):
            raise ValueError("A script is a list of replies: ScriptedModel([...]).")
        object.__setattr__(self, "replies", tuple(replies))
        for place, reply in enumerate(self.replies, 1):
            if not isinstance(reply, str):
                raise ValueError(f"Reply {place} of the script is {reply!r}; write a text.")

    def __call__(self, messages: list[Message], tools: list[dict] | None = None) -> Reply:
        said = sum(message["role"] == "assistant" for message in messages)
        if said >= len(self.replies):
            raise ModelError(f"The script has {len(self.replies)} replies; add one for this step.")
        return Reply(text=self.replies[said], finish_reason="stop")
