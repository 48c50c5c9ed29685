"""One model for the room: the embedded model behind an OpenAI-compatible endpoint.

    python -m react_lab serve --host 0.0.0.0 --port 8000 --slots 4

A gate listens. Behind it stands one engine for each slot: the embedded model in a process of its
own, reached through pipes. So the cores work side by side, and an engine that dies takes one
request with it. Requests are served in the order in which they came; 64 may wait, and the next
one is refused with 429 and Retry-After. Who waits is sent "100 Continue" now and then, so that no
client gives up for silence.

An engine keeps what it computed of the last prompt, whoever sent it. The rules and tools at the
start are the same for all who do the same lesson, so this saves more than half of the time.

Learners set LLM_BASE_URL, LLM_API_KEY and LLM_MODEL as the command prints them. Requests, replies
and errors have the form of the chat completions of the OpenAI API; there is no streaming.

The HTTP is written by hand. Tornado, which comes with Jupyter, was tried: it sends the interim
responses too, but closes the connection without a word for headers that are too long, a body that
is too long or does not come, and a chunked body, where a client here reads which limit it met.

>>> order(b'{"model": "react-lab", "messages": [{"role": "user", "content": "Hi"}]}')["messages"]
[{'role': 'user', 'content': 'Hi'}]
"""

import asyncio
import json
import os
import secrets
import signal
import socket
import sys
import time
from collections import deque
from contextlib import suppress
from dataclasses import asdict
from hmac import compare_digest
from http import HTTPStatus
from typing import Any

from react_lab.models.embedded import EmbeddedModel
from react_lab.models.endpoint import on_this_machine
from react_lab.models.engine import SHARED_START
from react_lab.models.reply import Message, ModelError

MODEL = "react-lab"
WAITING = 64  # requests that may wait for an engine
CONNECTIONS = 512  # open at once, those that wait included
HALF_OPEN = 64  # of one address, without a whole request yet; then the oldest of these is closed
HEAD, BODY = 16_000, 256_000  # bytes of a request; 8192 tokens are about 32,000
LONGEST = 1024  # tokens of a reply: the others are waiting
SECONDS = 30  # for a client to send its request
RETRY_AFTER = 10  # seconds, as a 429 says
PULSE = 15  # seconds between signs of life to a client that waits
STILL_HERE = b"HTTP/1.1 100 Continue\r\n\r\n"


class Refused(Exception):
    """A request that is not served. status: of HTTP. code, param: as the API has them, or None."""

    def __init__(self, status: int, text: str, code: str | None = None, param: str | None = None):
        super().__init__(text)
        self.status, self.code, self.param = status, code, param

    def content(self) -> dict[str, Any]:
        """The error in the API's form."""
        kind = "server_error" if self.status >= 500 else "invalid_request_error"
        error = {"message": str(self), "type": kind, "param": self.param, "code": self.code}
        return {"error": error}


# From a request to an order, from an answer to a reply ------------------------------------------

KNOWN = "model messages tools max_tokens max_completion_tokens temperature stop stream n".split()


def order(body: bytes) -> dict[str, Any]:
    """What an engine is asked: the messages, the tools or None, and fields of EmbeddedModel.

    body: the JSON of a chat completion. Raises Refused for what cannot be read or is not here.
    """
    try:
        request = json.loads(body)
    except (ValueError, RecursionError):
        raise Refused(400, "The body of the request is not JSON.") from None
    if not isinstance(request, dict):
        raise Refused(400, "The body of the request must be a JSON object.")
    for name in request:
        if name not in KNOWN:
            raise Refused(400, f"Unrecognized request argument: {name}", param=name)
    if request.get("stream"):
        raise Refused(400, "There is no streaming here. Leave stream out.", param="stream")
    if request.get("n") not in (None, 1):
        raise Refused(400, "There is one choice a request: n must be 1.", param="n")
    if request.get("model") != MODEL:
        text = f"The model {request.get('model')!r} does not exist. It is called {MODEL!r} here."
        raise Refused(404, text, "model_not_found", "model")
    tools = request.get("tools") or None
    if not (tools is None or isinstance(tools, list) and all(isinstance(t, dict) for t in tools)):
        raise Refused(400, "tools must be a list of JSON Schemas.", param="tools")
    messages = _messages(request.get("messages"))
    return {"messages": messages, "tools": tools, "options": _options(request)}


def _messages(messages: object) -> list[Message]:
    """The messages, if all of them have a role and a text."""
    if not isinstance(messages, list) or not messages:
        raise Refused(400, "messages must be a list with at least one message.", param="messages")
    for place, message in enumerate(messages):
        name = f"messages[{place}]"
        if not isinstance(message, dict):
            raise Refused(400, f"{name} must be an object.", param=name)
        if message.get("role") not in ("system", "user", "assistant", "tool"):
            raise Refused(400, f"{name}.role must be system, user, assistant or tool.", param=name)
        content, calls = message.get("content"), message.get("tool_calls")
        if not (isinstance(content, str) or (content is None and calls)):
            raise Refused(400, f"{name}.content must be a text.", param=name)
    return messages


def _options(request: dict[str, Any]) -> dict[str, Any]:
    """The fields of EmbeddedModel that the request sets."""
    options: dict[str, Any] = {}
    for name in ("max_tokens", "max_completion_tokens"):
        if (value := request.get(name)) is not None:
            if type(value) is not int or not 1 <= value <= LONGEST:
                raise Refused(400, f"{name} must be from 1 to {LONGEST} here.", param=name)
            options["max_tokens"] = value
    if (value := request.get("temperature")) is not None:
        if type(value) not in (int, float) or not 0 <= value <= 2:
            raise Refused(400, "temperature must be from 0 to 2.", param="temperature")
        options["temperature"] = value
    if (stop := request.get("stop")) is not None:
        texts = [stop] if isinstance(stop, str) else stop
        if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
            raise Refused(400, "stop must be a text or a list of texts.", param="stop")
        options["stop"] = texts
    return options


def completion(answer: dict[str, Any]) -> dict[str, Any]:
    """An engine's answer as a chat completion. Raises Refused if it is an error."""
    if "error" in answer:
        if "too long" in answer["error"]:
            raise Refused(400, answer["error"], "context_length_exceeded", "messages")
        raise Refused(answer["status"], answer["error"])
    message = {"role": "assistant", "content": answer["text"]}
    if calls := answer["tool_calls"]:
        ids = [{"id": call["id"] or f"call_{secrets.token_hex(8)}"} for call in calls]
        message["tool_calls"] = [call | name for call, name in zip(calls, ids)]
    reason = "tool_calls" if calls else answer["finish_reason"]
    read, written = answer["tokens_in"], answer["tokens_out"]
    return {
        "id": f"chatcmpl-{secrets.token_hex(12)}",
        "object": "chat.completion",
        "created": int(time.time()),
        "model": MODEL,
        "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": reason}],
        "usage": {
            "prompt_tokens": read,
            "completion_tokens": written,
            "total_tokens": read + written,
            "prompt_tokens_details": {"cached_tokens": answer["tokens_cached"]},
        },
    }


# Engines -------------------------------------------------------------------------------------

ENGINE = [sys.executable, "-c", "from react_lab.services.model_server import engine; engine()"]
WARM_UP = {"messages": [{"role": "user", "content": "Hi"}], "options": {"max_tokens": 1}}


def engine() -> None:
    """What runs in an engine's process: orders come in as lines of JSON, answers go out so."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the gate, which ends this one
    for line in sys.stdin:
        asked = json.loads(line)
        try:
            cache = "auto" if SHARED_START else "on"
            model = EmbeddedModel(cache=cache, **asked["options"])
            reply = model(asked["messages"], asked.get("tools"))
            answer = asdict(reply)
        except ModelError as error:
            answer = {"error": str(error), "status": 500}
        except Exception as error:  # a call without a function, a tool without a name
            text = f"The messages or tools cannot be read ({type(error).__name__}: {error})."
            answer = {"error": text, "status": 400}
        print(json.dumps(answer), flush=True)


class Engine:
    """The embedded model in a process of its own. It starts when it is asked."""

    def __init__(self) -> None:
        self.process: asyncio.subprocess.Process | None = None

    async def ask(self, asked: dict[str, Any]) -> dict[str, Any]:
        """The answer to an order: a Reply as a dict, or `error` and `status`.

        If the process ends without one, the next order starts another.
        """
        if self.process is None:
            pipe = asyncio.subprocess.PIPE
            self.process = await asyncio.create_subprocess_exec(
                *ENGINE, stdin=pipe, stdout=pipe, limit=1_000_000, start_new_session=True
            )
        line, process = b"", self.process
        assert process.stdin and process.stdout
        with suppress(ConnectionError):
            process.stdin.write(json.dumps(asked).encode() + b"\n")
            line = await process.stdout.readline()
        if not line:
            await self.stop()
            return {"error": "The engine ended. Ask again; another one starts.", "status": 500}
        answer: dict[str, Any] = json.loads(line)
        return answer

    async def stop(self) -> None:
        """End the process at once."""
        process, self.process = self.process, None
        if process is not None:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()


# The gate ------------------------------------------------------------------------------------


class Gate:
    """Takes requests, lets as many at once through as there are engines, and sends the replies.

    engines: each with a coroutine `ask(order) -> answer`, as Engine has. key: what a client must
    send, None for nothing.
    """

    def __init__(self, engines: list[Any], key: str | None = None):
        self.key, self.closed = key, False
        self.open: set[asyncio.StreamWriter] = set()
        self.half_open: dict[asyncio.StreamWriter, str] = {}  # to its address, the oldest first
        self.idle = list(engines)  # the one that has been idle longest comes first
        self.waiting: deque[tuple[asyncio.Future[Any], asyncio.StreamReader]] = (
            deque()
        )  # (future of an engine, the client's stream)
        self.served: dict[
            int, list[Message]
        ] = {}  # the messages that an engine served last, by its id

    async def talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection: one request, one reply."""
        try:
            self._enter(writer)
            work = asyncio.create_task(self.answer(reader, writer))
            # its error counts as seen, also if this connection ends before it is read
            work.add_done_callback(lambda done: done.cancelled() or done.exception())
            while not (await asyncio.wait([work], timeout=PULSE))[0]:
                if not _gone(reader):  # most clients give up when they hear nothing for a minute
                    writer.write(STILL_HERE)
            try:
                status, content = 200, work.result()
            except Refused as refused:
                status, content = refused.status, refused.content()
            writer.write(_http(status, content))
            await writer.drain()
            if status != 200:
                await _take_rest(reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass  # the client has gone, or the gate is closing
        finally:
            self.open.discard(writer)
            self.half_open.pop(writer, None)
            writer.close()

    @property
    def connections(self) -> int:
        """How many connections are open."""
        return len(self.open)

    def _enter(self, writer: asyncio.StreamWriter) -> None:
        """Note a connection that has not sent its request; one address cannot keep others out.

        A real request comes in whole within moments, so the oldest one without is closed first.
        """
        address = (writer.get_extra_info("peername") or ("",))[0]
        self.open.add(writer)
        self.half_open[writer] = address
        same = [one for one, its in self.half_open.items() if its == address]
        if len(same) > HALF_OPEN:
            self._leave(same[0])
        elif self.connections > CONNECTIONS and len(self.half_open) > 1:
            self._leave(next(iter(self.half_open)))

    def _leave(self, writer: asyncio.StreamWriter) -> None:
        """Close a connection that has not sent its request."""
        self.half_open.pop(writer, None)
        self.open.discard(writer)
        writer.transport.abort()

    async def answer(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> dict[str, Any]:
        """Read one request and work it out. Raises Refused; ConnectionError for a lost client."""
        if self.connections > CONNECTIONS:
            raise _full("Too many connections are open.")
        try:
            async with asyncio.timeout(SECONDS):
                method, path, headers = await _head(reader)
                self._check(method, path, headers)
                body = await _body(reader, headers)
                self.half_open.pop(writer, None)
        except TimeoutError:
            raise Refused(408, f"The request did not come within {SECONDS} seconds.") from None
        if path == "/v1/models":
            model = {"id": MODEL, "object": "model", "created": 0, "owned_by": "react_lab"}
            return {"object": "list", "data": [model]}
        asked = order(body)
        one = await self._turn(asked["messages"], reader)
        try:
            return completion(await one.ask(asked))
        finally:
            self.served[id(one)] = asked["messages"]
            self._next(one)

    def close(self) -> None:
        """Send those away who wait, and let nobody through any more."""
        self.closed = True
        for turn, _ in self.waiting:
            if not turn.done():
                turn.set_result(None)

    def _check(self, method: str, path: str, headers: dict[str, str]) -> None:
        """Raise Refused for a wrong key, path or method, and for a request of a web page.

        Without a key the server is on loopback, and every page in the browser of this machine can
        send it requests. A browser then names the page as Origin, or, if the page's own name was
        made to lead here, that name as Host.
        """
        host, origin = headers.get("host", ""), headers.get("origin")
        foreign = origin is not None and not _on_loopback(origin.partition("://")[2])
        if not self.key and (foreign or (host and not _on_loopback(host))):
            text = "Without a key this server answers only programs of this machine, no web pages."
            raise Refused(403, text, "forbidden")
        given = headers.get("authorization", "").removeprefix("Bearer ")
        if self.key and not compare_digest(given.encode(), self.key.encode()):
            text = "The API key is missing or wrong. Set LLM_API_KEY to the key of this server."
            raise Refused(401, text, "invalid_api_key")
        wanted = {"/v1/models": "GET", "/v1/chat/completions": "POST"}.get(path)
        if wanted is None:
            raise Refused(404, f"Invalid URL ({method} {path})", "unknown_url")
        if method != wanted:
            raise Refused(405, f"Not allowed to {method} {path}; use {wanted}.")

    async def _turn(self, messages: list[Message], reader: asyncio.StreamReader) -> Any:
        """Wait in line for an engine. The caller gives it back with `_next`."""
        if self.closed:
            raise ConnectionAbortedError
        if self.idle:  # then nobody waits
            # the engine that has most of the prompt's start in its cache
            one = max(self.idle, key=lambda one: _common(messages, self.served.get(id(one), [])))
            self.idle.remove(one)
            return one
        for future, other in self.waiting:
            if _gone(other) and not future.done():
                future.set_result(None)
        self.waiting = deque(pair for pair in self.waiting if not pair[0].done())
        if len(self.waiting) >= WAITING:
            raise _full(f"{WAITING} requests are waiting already.")
        turn = asyncio.get_running_loop().create_future()
        self.waiting.append((turn, reader))
        if (one := await turn) is None:
            raise ConnectionAbortedError
        return one

    def _next(self, one: Any) -> None:
        """Hand a free engine to whoever has waited longest and is still there."""
        while self.waiting:
            turn, reader = self.waiting.popleft()
            if turn.done():
                continue
            if not _gone(reader):
                turn.set_result(one)
                return
            turn.set_result(None)
        self.idle.append(one)


def _on_loopback(host: str) -> bool:
    """Whether the name in a Host or Origin header, with or without a port, is this machine."""
    try:
        return on_this_machine(f"http://{host}")
    except ValueError:  # a bracket that is not closed
        return False


def _full(why: str) -> Refused:
    return Refused(429, f"{why} Ask again in {RETRY_AFTER} seconds.", "rate_limit_exceeded")


def _gone(reader: asyncio.StreamReader) -> bool:
    """Whether the client has closed its connection."""
    return reader.at_eof() or reader.exception() is not None


def _common(messages: list[Message], last: list[Message]) -> int:
    """How many messages two requests have in common at their start."""
    pairs = zip(messages, last, strict=False)
    return next((place for place, (x, y) in enumerate(pairs) if x != y), len(last))


# HTTP ----------------------------------------------------------------------------------------


async def _head(reader: asyncio.StreamReader) -> tuple[str, str, dict[str, str]]:
    """Method, path without its query, and headers by lower-case name."""
    try:
        head = await reader.readuntil(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").strip().split("\r\n")
        method, target, _ = first.split(" ")
    except asyncio.LimitOverrunError:
        raise Refused(431, f"The headers are longer than {HEAD} bytes.") from None
    except ValueError:
        raise Refused(400, "This is not an HTTP request.") from None
    headers = (line.partition(":") for line in lines)
    pairs = [(name.lower(), value.strip()) for name, _, value in headers]
    named = dict(pairs)
    # Of two lengths, or of a name with a space, every server makes something else.
    names = [name for name, _ in {*pairs}]
    single = ("content-length", "host", "authorization", "transfer-encoding")
    if any(not name or name != name.strip() for name in names) or any(
        names.count(name) > 1 for name in single
    ):
        raise Refused(400, "This is not an HTTP request.")
    return method, target.partition("?")[0], named


async def _body(reader: asyncio.StreamReader, headers: dict[str, str]) -> bytes:
    length = headers.get("content-length", "0")
    if "transfer-encoding" in headers or not (length.isascii() and length.isdecimal()):
        raise Refused(411, "The request needs a Content-Length.")
    if len(length) > 9 or int(length) > BODY:
        raise Refused(413, f"The request is larger than {BODY} bytes. Send fewer messages.")
    return await reader.readexactly(int(length))


def _http(status: int, content: dict[str, Any]) -> bytes:
    """A whole response."""
    data = json.dumps(content).encode()
    lines = [
        f"HTTP/1.1 {status} {HTTPStatus(status).phrase}",
        "Content-Type: application/json",
        f"Content-Length: {len(data)}",
        "Connection: close",
    ]
    if status == 429:
        lines.append(f"Retry-After: {RETRY_AFTER}")
    return "\r\n".join([*lines, "", ""]).encode() + data


async def _take_rest(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Let a client that is still sending read its refusal: closing at once would cut that off."""
    writer.write_eof()
    with suppress(TimeoutError):
        async with asyncio.timeout(5):
            while await reader.read(HEAD):
                pass


async def listen(gate: Gate, host: str, port: int) -> asyncio.Server:
    """Bind the address; `start_serving` opens it. Raises OSError if that is not possible."""
    return await asyncio.start_server(gate.talk, host, port, limit=HEAD, start_serving=False)


# The command ---------------------------------------------------------------------------------


def run(host: str, port: int, slots: int) -> int:
    """Serve until Ctrl-C, and say how learners reach it. 1 if the model or the port is not there.

    host: the address to listen on. The key that clients must send is LLM_API_KEY. Without it one
    is made up, but none on loopback. slots: how many requests are worked on at once.
    """
    if slots < 1:
        print("Give --slots of at least 1.")
        return 1
    local = on_this_machine(f"http://[{host}]" if ":" in host else f"http://{host}")
    key = os.environ.get("LLM_API_KEY") or (None if local else secrets.token_urlsafe(12))
    try:
        print(asyncio.run(_serve(host, port, slots, key)))
    except KeyboardInterrupt:
        print("\nStopped.")
        return 0
    except (OSError, OverflowError) as error:
        print(f"{host}, port {port}, cannot be used ({error}). Name another --host or --port.")
    return 1


async def _serve(host: str, port: int, slots: int, key: str | None) -> str:
    """Serve until this is cancelled; returns only what keeps the engines from starting."""
    engines = [Engine() for _ in range(slots)]
    gate = Gate(engines, key)
    server = await listen(gate, host, port)
    try:
        for answer in await asyncio.gather(*(one.ask(WARM_UP) for one in engines)):
            if "error" in answer:
                return str(answer["error"])
        await server.start_serving()
        _announce(host, server.sockets[0].getsockname()[1], slots, key)
        await asyncio.Event().wait()
        return ""
    finally:
        server.close()
        gate.close()
        for one in engines:
            await one.stop()


def _announce(host: str, port: int, slots: int, key: str | None) -> None:
    name = socket.gethostname() if host in ("", "0.0.0.0", "::") else host
    name = f"[{name}]" if ":" in name else name
    print(f"Serving the embedded model, {slots} requests at a time. Stop it with Ctrl-C.")
    print("Learners set, in the environment or in .env beside their notebooks:")
    print(f"  LLM_BASE_URL=http://{name}:{port}/v1")
    if key:
        print(f"  LLM_API_KEY={key}")
    print(f"  LLM_MODEL={MODEL}", flush=True)
