"""A small server on loopback that plays the `server` of a field case, and keeps the requests.

    with serve(case["input"]["server"]) as endpoint:
        run = Agent(chat_model(case["input"]["settings"], endpoint.port), tools).run(question)
    assert len(endpoint.requests) == 2

`server`: its rules are tried first on every request, then its replies come in order. A reply has
`status`, `headers`, and `json` or `text`; beyond the case files it may hold `"after": seconds`,
which keeps the client waiting, `"every": seconds`, which sends single bytes so far apart,
`"drop": True`, which closes the connection without a word, and `"cut": n`, which closes it after
n characters of the body.
"""

import json
import re
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import FunctionType

from react_lab.models import ChatModel
from react_lab.registry import Registry

FIELD_CASES = Path(__file__).parents[1] / "data" / "field_cases.jsonl"
SCRIPT_ENDED = {"status": 418, "json": {"error": {"message": "the case has no further reply"}}}


@dataclass(frozen=True)
class Request:
    """One request as it came. headers: by name in lower case. body: its JSON."""

    path: str
    headers: dict[str, str]
    body: dict

    @property
    def messages(self) -> list[dict]:
        return self.body.get("messages", [])


@dataclass(frozen=True)
class Endpoint:
    """Where the server listens, and what it was asked so far."""

    port: int
    requests: list[Request] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"


@contextmanager
def serve(server: dict) -> Iterator[Endpoint]:
    """Play a `server` of the field cases until the block ends."""
    source = server.get("otherwise", server)
    waiting = list(source.get("replies", [source]))
    repeat = "repeat" in (server.get("then"), source.get("then")) or "replies" not in source
    closing, one_at_a_time = threading.Event(), threading.Lock()

    def answer(request: Request) -> dict:
        endpoint.requests.append(request)
        for rule in server.get("rules", []):
            if all(holds(name, value, request) for name, value in rule["if"].items()):
                return rule["reply"]
        if repeat and len(waiting) == 1:
            return waiting[0]
        return waiting.pop(0) if waiting else SCRIPT_ENDED

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            headers = {name.lower(): value for name, value in self.headers.items()}
            with one_at_a_time:
                reply = answer(Request(self.path, headers, json.loads(raw or "{}")))
            closing.wait(reply.get("after", 0))
            if reply.get("drop"):
                self.close_connection = True
                self.connection.shutdown(socket.SHUT_RDWR)
                return
            text = json.dumps(reply["json"]) if "json" in reply else reply["text"]
            kind = (
                "application/json" if "json" in reply else reply.get("content_type", "text/plain")
            )
            self.send_response(reply.get("status", 200))
            for name, value in {"Content-Type": kind, **reply.get("headers", {})}.items():
                self.send_header(name, value)
            raw = text.encode()
            if "cut" in reply:
                self.send_header("Content-Length", str(len(raw)))
                raw = raw[: reply["cut"]]
            self.end_headers()
            for place in range(0, len(raw), step := 1 if "every" in reply else max(1, len(raw))):
                self.wfile.write(raw[place : place + step])
                closing.wait(reply.get("every", 0))

        do_GET = do_POST

        def log_message(self, *args):
            pass

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    http.handle_error = lambda *args: None  # a client that went away is no fault of the server
    endpoint = Endpoint(http.server_port)
    thread = threading.Thread(target=http.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield endpoint
    finally:
        closing.set()
        http.shutdown()
        http.server_close()


# The conditions of `if` ---------------------------------------------------------------------


def holds(name: str, value: object, request: Request) -> bool:
    """Whether one condition of a rule is true for a request. Raises KeyError for an unknown one."""
    body, headers = request.body, request.headers
    checks = {
        "key_present": lambda: value in body,
        "key_absent": lambda: value not in body,
        "key_equals": lambda: all(k in body and body[k] == v for k, v in value.items()),
        "key_is_object": lambda: isinstance(body.get(value), dict),
        "path_is": lambda: request.path == value,
        "path_is_not": lambda: request.path != value,
        "header_matches": lambda: all(re.search(v, headers.get(k, "\0")) for k, v in value.items()),
        "header_matches_not": lambda: (
            not all(re.search(v, headers.get(k, "\0")) for k, v in value.items())
        ),
        "messages": lambda: messages_show(value, request.messages),
    }
    return checks[name]()


def messages_show(condition: str, messages: list[dict]) -> bool:
    """Whether a history has the fault that a server of this kind refuses."""
    name, _, argument = condition.partition(":")
    turns = [m["role"] for m in messages if m["role"] != "system"]
    assistants = [m for m in messages if m["role"] == "assistant"]
    callers = [m for m in assistants if m.get("tool_calls")]
    calls = [call for m in callers for call in m["tool_calls"]]
    faults = {
        "any_system": lambda: any(m["role"] == "system" for m in messages),
        "system_not_first_or_twice": lambda: any(m["role"] == "system" for m in messages[1:]),
        "same_role_twice": lambda: any(a == b for a, b in zip(turns, turns[1:])),
        "first_non_system_not_user": lambda: turns[:1] != ["user"],
        "tool_without_call": lambda: bool(unpaired(messages)[1]),
        "tool_call_unanswered": lambda: bool(unpaired(messages)[0]),
        "assistant_call_content_null": lambda: any(m.get("content") is None for m in callers),
        "assistant_call_content_empty": lambda: any(m.get("content") == "" for m in callers),
        "assistant_lacks_content_key": lambda: any("content" not in m for m in assistants),
        "assistant_call_lacks": lambda: any(argument not in m for m in callers),
        "any_assistant_has": lambda: any(argument in m for m in assistants),
        "call_lacks": lambda: any(argument not in call for call in calls),
        "call_arguments_not_json_string": lambda: any(not is_json(arguments(c)) for c in calls),
        "call_id_not_9_alnum": lambda: any(
            not re.fullmatch("[a-zA-Z0-9]{9}", str(call.get("id"))) for call in calls
        ),
        "call_name_not_matching": lambda: any(
            not re.search(argument, call["function"]["name"]) for call in calls
        ),
    }
    return faults[name]()


def unpaired(messages: list[dict]) -> tuple[list[str], list[str]]:
    """The ids of calls without a tool message behind them, and of tool messages without a call."""
    unanswered, orphans, open_calls = [], [], []
    for message in [*messages, {"role": "end"}]:
        if message["role"] == "tool":
            if message["tool_call_id"] in open_calls:
                open_calls.remove(message["tool_call_id"])
            else:
                orphans.append(message["tool_call_id"])
        else:
            unanswered += open_calls
            open_calls = [call["id"] for call in message.get("tool_calls") or []]
    return unanswered, orphans


def arguments(call: dict) -> object:
    return call["function"]["arguments"]


def is_json(text: object) -> bool:
    try:
        return isinstance(text, str) and json.loads(text) is not ...
    except ValueError:
        return False


# From a case to the things it names --------------------------------------------------------


def field_cases() -> dict[str, dict]:
    """Every field case by its id."""
    lines = FIELD_CASES.read_text("utf-8").splitlines()
    return {case["id"]: case for case in map(json.loads, lines)}


def chat_model(settings: dict, port: int, **fields: object) -> ChatModel:
    """The ChatModel that the `settings` of a case ask for. fields: further ones, as patience=0."""
    url = settings["base_url"].replace("PORT", str(port))
    options = {k: settings[k] for k in ("max_tokens", "temperature", "stop") if k in settings}
    return ChatModel(settings["model"], url, settings["api_key"], options=options, **fields)


def registry_of(sources: list[str], **options: object) -> tuple[Registry, dict]:
    """A Registry of the tools in `sources`, and all names that they define (such as NOTES)."""
    registry, names = Registry(**options), {}
    for source in sources:
        exec(source, own := {})
        registry.register([v for v in own.values() if isinstance(v, FunctionType)][-1])
        names |= own
    return registry, names
