"""Models: anything that turns messages into a Reply.

A model is a plain callable, `model(messages, tools=None) -> Reply`. Messages are the
dictionaries of the chat API: `{"role": "system" | "user" | "assistant", "content": text}`.

>>> model = ScriptedModel(["Thought: easy.\\nFinal Answer: 4"])
>>> model([{"role": "user", "content": "Question: What is 2+2?"}]).text
'Thought: easy.\\nFinal Answer: 4'
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

Message = dict[str, object]


class ModelError(Exception):
    """The model could not be asked: the world's fault. The message says what to do next."""


@dataclass(frozen=True)
class Reply:
    """What came back from one call of a model.

    text: the words of the reply. tool_calls: native calls, as the API's dictionaries.
    finish_reason: why it ended ("stop", "length", ...). tokens_in, tokens_out, tokens_cached:
    counts, None when the endpoint does not tell. seconds: how long the call took.
    notes: what happened on the way (a wait, a dropped setting).
    """

    text: str
    tool_calls: tuple[dict, ...] = ()
    reasoning: str | None = None
    finish_reason: str | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None
    tokens_cached: int | None = None
    seconds: float = 0.0
    notes: tuple[str, ...] = ()


Model = Callable[..., Reply]


@dataclass(frozen=True)
class ScriptedModel:
    """A model that says what it was given, in order. For tests and for lessons that say so.

    The n-th reply answers a conversation that holds n replies already, so that the same
    object can be asked again from the start. Raises ModelError when the script has ended.
    """

    replies: tuple[str, ...]

    def __init__(self, replies: list[str] | tuple[str, ...]):
        if isinstance(replies, str):
            raise ValueError("A script is a list of replies: ScriptedModel([...]).")
        object.__setattr__(self, "replies", tuple(replies))

    def __call__(self, messages: list[Message], tools: list[dict] | None = None) -> Reply:
        said = sum(message["role"] == "assistant" for message in messages)
        if said >= len(self.replies):
            raise ModelError(f"The script has {len(self.replies)} replies; add one for this step.")
        return Reply(text=self.replies[said], finish_reason="stop")


@dataclass(frozen=True)
class ChatModel:
    """A model behind any OpenAI-compatible endpoint.

    model: the name the endpoint knows it by. base_url: such as `http://localhost:11434/v1`;
    None means OpenAI's own. api_key: never printed. timeout: seconds for one call.
    options: sent as they are with each request (temperature=0, max_tokens=512, stop=[...]);
    nothing is sent that you did not set. Calling it raises ModelError when no reply came.
    """

    model: str
    base_url: str | None = None
    api_key: str | None = field(default=None, repr=False)
    timeout: float = 60.0
    options: dict = field(default_factory=dict)

    def __call__(self, messages: list[Message], tools: list[dict] | None = None) -> Reply:
        import openai

        settings = {
            "base_url": self.base_url,
            "api_key": self.api_key or "none",  # the client insists on one; local servers need none
            "timeout": self.timeout,
            "max_retries": 0,
        }
        extra = dict(self.options, **({"tools": tools} if tools else {}))
        begin = time.perf_counter()
        try:
            with openai.OpenAI(**settings) as client:
                completion = client.chat.completions.create(
                    model=self.model, messages=messages, extra_body=extra
                )
        # ValueError: no JSON came, or a key or proxy that httpx cannot use; ImportError: SOCKS
        except (openai.OpenAIError, ValueError, ImportError) as error:
            raise ModelError(f"{self.model}: {_cause(error, self.api_key)}") from None
        return reply_from(completion, time.perf_counter() - begin)


def reply_from(completion, seconds: float, notes: tuple[str, ...] = ()) -> Reply:
    """Read a chat completion of the openai client into a Reply.

    seconds: how long the call took. Raises ModelError when the endpoint sent no choice.
    """
    choices = getattr(completion, "choices", None)
    if not choices or getattr(choices[0], "message", None) is None:
        raise ModelError("The endpoint sent a reply without any choice. Ask it again.")
    choice, usage = completion.choices[0], completion.usage
    details = getattr(usage, "prompt_tokens_details", None)
    return Reply(
        text=choice.message.content or "",
        tool_calls=tuple(call.model_dump() for call in choice.message.tool_calls or ()),
        reasoning=getattr(choice.message, "reasoning_content", None),
        finish_reason=choice.finish_reason,
        tokens_in=getattr(usage, "prompt_tokens", None),
        tokens_out=getattr(usage, "completion_tokens", None),
        tokens_cached=getattr(details, "cached_tokens", None),
        seconds=seconds,
        notes=notes,
    )


def _cause(error: Exception, secret: str | None) -> str:
    """Name the first true cause, for a person, without the key."""
    import openai

    advice = {
        openai.AuthenticationError: "The key was refused. Check LLM_API_KEY.",
        openai.NotFoundError: "Not found. Check LLM_MODEL and LLM_BASE_URL.",
        openai.RateLimitError: "Too many requests, or no quota left. Wait, then run again.",
        openai.APITimeoutError: "No reply in time. Run again, or set a longer timeout.",
        openai.APIConnectionError: "No connection. Is the server running at LLM_BASE_URL?",
    }
    text = next((say for kind, say in advice.items() if isinstance(error, kind)), "")
    # A timeout is also a connection error: the order of the table decides.
    text = f"{text} ({type(error).__name__}: {error})".strip()
    return text.replace(secret, "***") if secret else text
