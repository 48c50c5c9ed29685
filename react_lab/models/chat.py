"""Chat: a model at any OpenAI-compatible endpoint."""

import json
import time
from dataclasses import dataclass, field
from typing import Any

from react_lab.keys import masked, remember
from react_lab.models.api_errors import Refusal, refusal
from react_lab.models.endpoint import Dropped, Response, base_urls, hide, problem, send, shown
from react_lab.models.payload import learn, notes, request
from react_lab.models.reply import UNREAD, Message, ModelError, Reply, checked, reply_from

BROKE = "the connection broke"
AGAIN = 1.0  # seconds before a request is sent again after the connection broke


@dataclass(frozen=True, repr=False)
class ChatModel:
    """A model at any OpenAI-compatible endpoint.

    A parameter that the endpoint refuses is renamed or left out once, and stays so; `Reply.notes`
    says so.

    Args:
        model: the name of the model at the endpoint.
        base_url: with or without /v1, such as `http://localhost:11434`; None for OpenAI's own.
        api_key: never shown; a server on this machine needs none.
        timeout: how many seconds to wait while the server sends nothing.
        options: sent unchanged with each request (temperature=0, max_tokens=512, stop=[...]).
            The lab sends only the options that you set.
        patience: how many seconds one call may wait for a busy endpoint in all.

    Raises:
        ModelError: at once if the address or the key cannot be used; when called, if no usable
            reply came. The message names the first cause and says what to do.
    """

    model: str
    base_url: str | None = None
    api_key: str | None = None
    timeout: float = 60.0
    options: dict[str, Any] = field(default_factory=dict)
    patience: float = 30.0
    learned: dict[str, Any] = field(default_factory=dict, init=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "api_key", (self.api_key or "").strip() or None)
        remember(self.api_key)
        if self.options.get("stream"):
            raise ValueError("ChatModel takes whole replies only; leave stream out.")
        if wrong := problem(self.base_url, self.api_key):
            raise ModelError(wrong, "bad key" if "key" in wrong else "no connection")

    def __call__(self, messages: list[Message], tools: list[dict[str, Any]] | None = None) -> Reply:
        """Return the model's reply to these messages."""
        begin = time.perf_counter()
        waits: list[float] = []
        broken: list[str] = []  # what went wrong before
        while True:
            body = request(self.model, messages, tools, self.options, self.learned)
            try:
                refused, text = self._ask(body)
            except Dropped as error:
                if any(BROKE in one for one in broken):
                    raise self._failed(error, "no connection", broken) from None
                broken.append(f"{BROKE} ({error})")
                time.sleep(AGAIN)
                continue
            if refused is None or refused.written is not None:
                break
            if learn(refused, body, messages, self.learned):
                continue
            if (pause := self._pause(refused, waits)) is None:
                raise self._error(refused, broken)
            waits.append(pause)
            broken.append(str(refused))
            time.sleep(pause)
        waited = tuple(f"waited {pause:g} s: the endpoint was busy" for pause in waits)
        again = [f"{BROKE}, so the request was sent again" for one in broken if BROKE in one]
        seconds = time.perf_counter() - begin
        said = (*notes(self.learned), *again, *waited)
        if refused:  # the endpoint could not read what the model wrote, so the model hears of it
            unread = f"{UNREAD}: {hide(refused.words, self.api_key, part=6)}".rstrip(".")
            return Reply(
                refused.written or "", finish_reason=UNREAD, seconds=seconds, notes=(*said, unread)
            )
        return checked(reply_from(json.loads(text), seconds, said), self.model)

    def _ask(self, body: dict[str, Any]) -> tuple[Refusal | None, str]:
        """Send the body to the address, with or without /v1: (None or the refusal, the text)."""
        known = self.learned.get("base url")
        addresses = [known] if known else base_urls(self.base_url)
        answers = []
        for address in addresses:
            status, headers, text = self._send(address, body)
            refused = refusal(status, headers, text)
            answers.append((refused, text))
            if refused is None or not refused.elsewhere:
                if address != addresses[0]:
                    self.learned["base url"] = address
                return refused, text
        return answers[0]

    def _send(self, address: str, body: dict[str, Any]) -> Response:
        """Send one request. Raises ModelError if no response came."""
        try:
            return send(address, self.api_key, self.timeout, body)
        except Dropped:
            raise
        except (ConnectionError, TimeoutError, ValueError) as error:
            kind = "error" if isinstance(error, ValueError) else "no connection"
            failure = self._failed(error, kind)
        raise failure

    def _pause(self, refused: Refusal, waits: list[float]) -> float | None:
        """Return the seconds to wait before the same request is sent again; None to give up."""
        pause = refused.wait or 2.0 ** len(waits)
        # most 500s are the same every time; a reply that broke off may come whole the next time
        often = 1 if refused.status == 500 or refused.half else 4
        passing = refused.half or refused.kind in ("rate limit", "error")
        passing = passing and len(waits) < often
        return pause if passing and sum(waits) + pause <= self.patience else None

    def _failed(
        self, error: Exception, kind: str, broken: list[str] | tuple[str, ...] = ()
    ) -> ModelError:
        """Return the error that a request without an answer ends in."""
        return self._told(f"{self.model}: {error}", kind, broken, str(error))

    def _told(
        self, words: str, kind: str, broken: list[str] | tuple[str, ...], last: str
    ) -> ModelError:
        """Return an error without any key, with the first cause of what came before it."""
        if broken and last not in broken[0]:
            words += f" Before that: {broken[0]}."
        return ModelError(masked(hide(words, self.api_key, part=6)), kind)

    def _error(self, refused: Refusal, broken: list[str]) -> ModelError:
        """Return the error that a refusal ends in. broken: what went wrong before."""
        words = f"{self.model}: {refused.advice} ({refused})"
        if refused.wait:
            words += f" It asks to wait {refused.wait:g} s."
        if refused.elsewhere or refused.kind == "unreadable":
            address = self.learned.get("base url") or base_urls(self.base_url)[0]
            words += f" It was asked at {shown(address)}/chat/completions."
        return self._told(words, refused.kind, broken, str(refused))

    def __repr__(self) -> str:
        address = [f"base_url={shown(self.base_url)!r}"] if self.base_url else []
        options = [f"options={self.options}"] if self.options else []
        return masked(f"ChatModel({', '.join([repr(self.model), *address, *options])})")
