"""The classroom's gate. A stand-in plays the engine where the engine is not the point."""

import asyncio
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from http.client import HTTPConnection

import pytest

from benchmarks import classroom
from react_lab.loop import Agent
from react_lab.models import ChatModel, ModelError
from react_lab.models.embedded import count_tokens
from react_lab.services import model_server
from react_lab.services.model_server import (
    BODY,
    MODEL,
    RETRY_AFTER,
    WAITING,
    Engine,
    Gate,
    listen,
    order,
)
from react_lab.toolkit import lab_tools

HELLO = [{"role": "user", "content": "Say hello in five words."}]


class StandIn:
    """An engine that echoes the last message, and keeps what it was asked, in order.

    held: it answers only when it is let go.
    """

    def __init__(self, held=False, **answer):
        self.answer, self.asked = answer, []
        self.free = asyncio.Event()
        if not held:
            self.free.set()

    async def ask(self, asked):
        self.asked.append(asked)
        await self.free.wait()
        said = {"text": said_last(asked), "tool_calls": [], "finish_reason": "stop"}
        return said | {"tokens_in": 7, "tokens_out": 2, "tokens_cached": 0} | self.answer


def said_last(asked):
    return asked["messages"][-1]["content"]


class Running:
    """A gate that listens on loopback, in a thread with its event loop."""

    def __init__(self, gate):
        self.gate, self.loop = gate, asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self.thread.start()
        self.server = self.wait(listen(gate, "127.0.0.1", 0))
        self.wait(self.server.start_serving())
        self.port = self.server.sockets[0].getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}/v1"

    def wait(self, coroutine):
        return asyncio.run_coroutine_threadsafe(coroutine, self.loop).result(60)

    def until(self, condition):
        """Wait until something is true inside the gate."""

        async def watch():
            while not condition():
                await asyncio.sleep(0.005)

        self.wait(watch())

    def let_go(self, engine):
        self.loop.call_soon_threadsafe(engine.free.set)

    def ask(self, method="POST", path="/v1/chat/completions", body=None, **headers):
        """One request: (status, headers, JSON). body: a dict, or bytes."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=60)
        data = body if isinstance(body, bytes | None) else json.dumps(body).encode()
        connection.request(method, path, data, {k.replace("_", "-"): v for k, v in headers.items()})
        reply = connection.getresponse()
        found = reply.status, reply.headers, json.loads(reply.read())
        connection.close()
        return found


@contextmanager
def running(*engines, key=None):
    it = Running(Gate(list(engines), key))
    yield it
    it.until(lambda: it.gate.connections == 0)
    it.loop.call_soon_threadsafe(it.server.close)
    it.loop.call_soon_threadsafe(it.loop.stop)
    it.thread.join()
    it.loop.close()


def chat(text="Hi", **more):
    """The body of a request."""
    return {"model": MODEL, "messages": [{"role": "user", "content": text}], **more}


def raw(text):
    """The same as it goes over the wire."""
    body = json.dumps(chat(text)).encode()
    return b"POST /v1/chat/completions HTTP/1.1\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)


# What a client gets


def test_the_openai_client_lists_the_model_and_asks_it():
    import openai

    with running(StandIn()) as gate:
        with openai.OpenAI(base_url=gate.url, api_key="any", max_retries=0) as client:
            assert [model.id for model in client.models.list()] == [MODEL]
            said = client.chat.completions.create(model=MODEL, messages=HELLO)
    assert said.object == "chat.completion" and said.model == MODEL
    (choice,) = said.choices
    assert (choice.message.role, choice.message.content) == ("assistant", HELLO[0]["content"])
    assert choice.finish_reason == "stop"
    assert (said.usage.prompt_tokens, said.usage.completion_tokens) == (7, 2)
    assert said.usage.total_tokens == 9


def test_the_labs_own_model_reads_the_reply():
    with running(StandIn()) as gate:
        reply = ChatModel(MODEL, gate.url)(HELLO)
    assert (reply.text, reply.finish_reason) == (HELLO[0]["content"], "stop")
    assert (reply.tokens_in, reply.tokens_out, reply.tokens_cached) == (7, 2, 0)
    assert reply.notes == ()


def test_a_native_call_comes_with_an_id():
    call = {"id": "", "type": "function", "function": {"name": "now", "arguments": "{}"}}
    tool = {"type": "function", "function": {"name": "now", "parameters": {}}}
    with running(engine := StandIn(tool_calls=[call], text="")) as gate:
        reply = ChatModel(MODEL, gate.url)(HELLO, [tool])
    assert reply.finish_reason == "tool_calls"
    assert reply.tool_calls[0]["function"] == call["function"]
    assert len(reply.tool_calls[0]["id"]) > 8
    assert engine.asked[0]["tools"] == [tool]


def test_the_settings_reach_the_engine():
    body = chat(max_tokens=5, temperature=0.5, stop="x", stream=False, n=1, tools=[])
    assert order(json.dumps(body).encode()) == {
        "messages": [{"role": "user", "content": "Hi"}],
        "tools": None,
        "options": {"max_tokens": 5, "temperature": 0.5, "stop": ["x"]},
    }


# What is refused, and in which form


@pytest.mark.parametrize(
    "body, status, says",
    [
        (b"{", 400, "not JSON"),
        (b"\xff\xfe", 400, "not JSON"),
        (b"[" * 100_000, 400, "not JSON"),
        (b"[]", 400, "JSON object"),
        (chat(stream=True), 400, "no streaming"),
        (chat(n=2), 400, "n must be 1"),
        (chat(top_k=3), 400, "top_k"),
        (chat() | {"model": "gpt"}, 404, "called 'react-lab' here"),
        (chat(max_tokens=100_000), 400, "from 1 to 1024"),
        (chat(max_completion_tokens=0), 400, "from 1 to 1024"),
        (chat(max_tokens=True), 400, "max_tokens"),
        (chat(temperature="hot"), 400, "temperature"),
        (chat(stop=[1]), 400, "stop"),
        (chat(tools={}) | {"tools": "now"}, 400, "tools"),
        ({"model": MODEL}, 400, "messages must be a list"),
        (chat() | {"messages": []}, 400, "at least one"),
        (chat() | {"messages": ["Hi"]}, 400, "messages[0] must be an object"),
        (chat() | {"messages": [{"role": "boss", "content": ""}]}, 400, "messages[0].role"),
        (chat() | {"messages": [*HELLO, {"role": "user"}]}, 400, "messages[1].content"),
    ],
)
def test_a_request_that_cannot_be_served_is_refused_in_the_apis_form(body, status, says):
    with running(engine := StandIn()) as gate:
        got, headers, content = gate.ask(body=body)
    assert (got, headers.get_content_type()) == (status, "application/json")
    assert set(content) == {"error"}
    assert set(content["error"]) == {"message", "type", "param", "code"}
    assert content["error"]["type"] == "invalid_request_error"
    assert says in content["error"]["message"]
    assert engine.asked == []


@pytest.mark.parametrize(
    "method, path, status",
    [
        ("GET", "/", 404),
        ("POST", "/v1/completions", 404),
        ("POST", "/chat/completions", 404),
        ("GET", "/v1/chat/completions", 405),
        ("POST", "/v1/models", 405),
    ],
)
def test_an_unknown_path_or_method_is_refused_in_the_apis_form(method, path, status):
    with running(StandIn()) as gate:
        got, _, content = gate.ask(method, path, chat() if method == "POST" else None)
    assert got == status and path in content["error"]["message"]


def test_with_a_key_nothing_is_told_without_it():
    with running(engine := StandIn(), key="classroom-7") as gate:
        for wrong in ({}, {"Authorization": "Bearer guess"}, {"Authorization": ""}):
            status, _, content = gate.ask(body=chat(), **wrong)
            assert (status, content["error"]["code"]) == (401, "invalid_api_key")
            assert gate.ask("GET", "/v1/models", **wrong)[0] == 401
        assert engine.asked == []
        assert gate.ask(body=chat(), Authorization="Bearer classroom-7")[0] == 200
        assert ChatModel(MODEL, gate.url, "classroom-7")(HELLO).text == HELLO[0]["content"]
        with pytest.raises(ModelError, match="Check LLM_API_KEY"):
            ChatModel(MODEL, gate.url, "another-key")(HELLO)


def test_what_the_model_cannot_do_keeps_its_reason():
    long = StandIn(error="The messages are too long for 8192 tokens.", status=500)
    with running(long) as gate:
        status, _, content = gate.ask(body=chat())
        assert (status, content["error"]["code"]) == (400, "context_length_exceeded")
    with running(StandIn(error="The engine did not start.", status=500)) as gate:
        status, _, content = gate.ask(body=chat())
        assert (status, content["error"]["type"]) == (500, "server_error")
        assert content["error"]["message"] == "The engine did not start."


# How much is taken


def test_a_body_has_a_largest_size_and_the_sender_reads_why():
    """The client is still sending when it is refused."""
    with running(StandIn()) as gate:
        status, _, content = gate.ask(body=b" " * (3 * BODY))
        assert status == 413 and str(BODY) in content["error"]["message"]
        assert gate.ask(body=chat("a" * (BODY - 100)))[0] == 200


def test_a_request_needs_a_length():
    with running(StandIn()) as gate:
        assert gate.ask(body=b"", Transfer_Encoding="chunked")[0] == 411
        assert gate.ask(body=b"", Content_Length="-1")[0] == 411
        assert gate.ask(body=b"", Content_Length="9" * 5000)[0] == 413
        assert gate.ask("GET", "/v1/models", X_Long="a" * 70_000)[0] == 431


def test_a_client_that_sends_half_a_request_holds_up_nobody(monkeypatch):
    with running(StandIn()) as gate:
        with socket.create_connection(("127.0.0.1", gate.port), timeout=60) as slow:
            slow.sendall(b"POST /v1/chat/completions HTTP/1.1\r\nContent-Le")
            assert gate.ask(body=chat())[0] == 200
        monkeypatch.setattr(model_server, "SECONDS", 0.05)
        with socket.create_connection(("127.0.0.1", gate.port), timeout=60) as slow:
            slow.sendall(b"POST /v1/chat/completions HTTP/1.1\r\nContent-Le")
            assert slow.recv(1000).startswith(b"HTTP/1.1 408 Request Timeout\r\n")


def test_more_requests_than_a_room_needs_are_refused(monkeypatch):
    monkeypatch.setattr(model_server, "CONNECTIONS", 2)
    with running(engine := StandIn(held=True)) as gate, ThreadPoolExecutor(2) as pool:
        first = [pool.submit(gate.ask, body=chat(f"{n}")) for n in range(2)]
        gate.until(lambda: gate.gate.connections == 2 and not gate.gate.half_open)
        status, headers, _ = gate.ask(body=chat())
        assert (status, headers["Retry-After"]) == (429, str(RETRY_AFTER))
        gate.let_go(engine)
        assert [reply.result()[0] for reply in first] == [200, 200]
        gate.until(lambda: gate.gate.connections == 0)
        assert gate.ask(body=chat())[0] == 200


@pytest.mark.parametrize("limit", ["HALF_OPEN", "CONNECTIONS"])
def test_connections_that_send_nothing_keep_no_request_out(monkeypatch, limit):
    """Those that have been silent longest are closed; a request comes in whole within moments."""
    monkeypatch.setattr(model_server, limit, 3)
    with running(StandIn()) as gate, ExitStack() as clients:
        silent = []
        for _ in range(8):
            client = socket.create_connection(("127.0.0.1", gate.port), timeout=60)
            silent.append(clients.enter_context(client))
            client.sendall(b"POST /v1/chat/completions HTTP/1.1\r\nContent-Le")
        gate.until(lambda: gate.gate.connections == 3)
        assert gate.ask(body=chat())[0] == 200
        for client in silent[:5]:
            with suppress(ConnectionError):
                assert client.recv(10) == b""
        clients.close()


# From a web page


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "attacker.example"},
        {"Host": "localhost.attacker.example:8000"},
        {"Host": "[::1"},
        {"Origin": "https://attacker.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1.attacker.example"},
    ],
)
def test_without_a_key_no_web_page_is_answered(headers):
    """A page in the browser of this machine reaches loopback, also under a name of its own."""
    with running(engine := StandIn()) as gate:
        status, _, content = gate.ask(body=chat(), **headers)
        assert (status, content["error"]["code"]) == (403, "forbidden")
    assert engine.asked == []


@pytest.mark.parametrize(
    "headers",
    [{}, {"Host": "localhost:8000"}, {"Host": "[::1]:80"}, {"Origin": "http://localhost:8888"}],
)
def test_programs_and_pages_of_this_machine_are_answered(headers):
    with running(StandIn()) as gate:
        assert gate.ask(body=chat(), **headers)[0] == 200


def test_with_a_key_the_name_of_the_host_does_not_matter():
    with running(StandIn(), key="classroom-7") as gate:
        headers = {"Authorization": "Bearer classroom-7", "Host": "lab.school.example"}
        assert gate.ask(body=chat(), **headers)[0] == 200


def test_what_is_no_http_is_refused():
    with running(StandIn()) as gate:
        with socket.create_connection(("127.0.0.1", gate.port), timeout=60) as client:
            client.sendall(b"hello\r\n\r\n")
            assert client.recv(1000).startswith(b"HTTP/1.1 400 Bad Request\r\n")


@pytest.mark.parametrize(
    "headers",
    [
        "Content-Length: 2\r\nContent-Length: {n}",
        "Content-Length: {n}\r\nTransfer-Encoding: chunked",
        "Transfer-Encoding: chunked",
        "Content-Length : {n}",
        " Content-Length: {n}",
        "Content-Length: {n}\r\n folded: 1",
        "Content-Length: +{n}",
        "Content-Length: {n}, {n}",
        "Content-Length: 0x{n}",
        "Host: localhost\r\nHost: attacker.example\r\nContent-Length: {n}",
    ],
)
def test_a_smuggled_request_is_refused_and_the_connection_closed(headers):
    """Two servers may disagree where such a request ends; a second one would hide in its body."""
    body = json.dumps(chat()).encode()
    head = f"POST /v1/chat/completions HTTP/1.1\r\n{headers.format(n=len(body))}\r\n\r\n"
    with running(engine := StandIn()) as gate:
        with socket.create_connection(("127.0.0.1", gate.port), timeout=60) as client:
            client.sendall(head.encode() + body + raw("hidden"))
            client.shutdown(socket.SHUT_WR)
            answer = b"".join(iter(lambda: client.recv(1000), b""))
        assert re.match(rb"HTTP/1.1 4(00|11) ", answer) and answer.count(b"HTTP/1.1") == 1
    assert engine.asked == []


def test_two_hundred_half_open_connections_keep_no_real_request_out():
    """From one address, as in the report; what waits for an engine is left alone."""
    with running(engine := StandIn(held=True)) as gate, ExitStack() as clients:
        with ThreadPoolExecutor(2) as pool:
            first = pool.submit(gate.ask, body=chat("first"))
            gate.until(lambda: engine.asked)
            for _ in range(200):
                client = socket.create_connection(("127.0.0.1", gate.port), timeout=60)
                clients.enter_context(client).sendall(b"POST /v1/chat")
            real = pool.submit(gate.ask, body=chat("real"))
            gate.until(lambda: gate.gate.waiting)
            gate.let_go(engine)
            assert [first.result()[0], real.result()[0]] == [200, 200]
        clients.close()


# Who is served when


@contextmanager
def asking(gate, texts):
    """Ask all at once, each a moment after the one before; yields the futures of the replies."""
    with ThreadPoolExecutor(len(texts)) as pool:
        replies = []
        for text in texts:
            last = list(gate.gate.waiting)[-1:]
            replies.append(pool.submit(gate.ask, body=chat(text)))
            gate.until(lambda last=last: list(gate.gate.waiting)[-1:] != last)
        yield replies


def test_first_come_first_served():
    names = [f"learner {n}" for n in range(12)]
    with running(engine := StandIn(held=True)) as gate, ThreadPoolExecutor(1) as pool:
        first = pool.submit(gate.ask, body=chat("first"))
        gate.until(lambda: engine.asked)
        with asking(gate, names) as replies:
            gate.let_go(engine)
        assert [reply.result()[0] for reply in [first, *replies]] == [200] * 13
    assert [said_last(asked) for asked in engine.asked] == ["first", *names]


def test_sixty_four_wait_and_the_next_is_told_when_to_come_back():
    assert WAITING == 64
    names = [f"learner {n}" for n in range(WAITING)]
    with running(engine := StandIn(held=True)) as gate, ThreadPoolExecutor(1) as pool:
        first = pool.submit(gate.ask, body=chat("first"))
        gate.until(lambda: engine.asked)
        with asking(gate, names) as replies:
            status, headers, content = gate.ask(body=chat("one too many"))
            assert (status, headers["Retry-After"]) == (429, str(RETRY_AFTER))
            assert content["error"]["code"] == "rate_limit_exceeded"
            gate.let_go(engine)
        assert {reply.result()[0] for reply in [first, *replies]} == {200}
        assert gate.ask(body=chat("later"))[0] == 200
    assert [said_last(asked) for asked in engine.asked] == ["first", *names, "later"]


def test_as_many_are_served_at_once_as_there_are_engines():
    engines = [StandIn(held=True) for _ in range(3)]
    with running(*engines) as gate, ThreadPoolExecutor(3) as pool:
        replies = [pool.submit(gate.ask, body=chat(f"{n}")) for n in range(3)]
        gate.until(lambda: all(engine.asked for engine in engines))
        for engine in engines:
            gate.let_go(engine)
        assert [reply.result()[0] for reply in replies] == [200] * 3


def test_who_has_gone_away_loses_the_place_and_takes_no_time():
    with running(engine := StandIn(held=True)) as gate, ThreadPoolExecutor(1) as pool:
        first = pool.submit(gate.ask, body=chat("first"))
        gate.until(lambda: engine.asked)
        with socket.create_connection(("127.0.0.1", gate.port), timeout=60) as client:
            client.sendall(raw("interrupted"))
            gate.until(lambda: gate.gate.waiting)
            reader = gate.gate.waiting[0][1]
        gate.until(reader.at_eof)
        with asking(gate, ["last"]) as replies:
            gate.let_go(engine)
        assert first.result()[0] == replies[0].result()[0] == 200
    assert [said_last(asked) for asked in engine.asked] == ["first", "last"]


def test_who_waits_hears_that_the_gate_is_there(monkeypatch):
    """Clients give up after a silence, so there are interim responses, which they skip."""
    monkeypatch.setattr(model_server, "PULSE", 0.02)
    pulses = 3 * b"HTTP/1.1 100 Continue\r\n\r\n"
    with running(engine := StandIn(held=True)) as gate, ThreadPoolExecutor(2) as pool:
        with socket.create_connection(("127.0.0.1", gate.port), timeout=60) as first:
            first.sendall(raw("first"))
            stream = first.makefile("rb")
            assert stream.read(len(pulses)) == pulses
            lab = pool.submit(ChatModel(MODEL, gate.url), HELLO)
            plain = pool.submit(gate.ask, body=chat())
            gate.until(lambda: len(gate.gate.waiting) == 2)
            assert stream.read(len(pulses)) == pulses
            gate.let_go(engine)
            assert b"HTTP/1.1 200 OK\r\n" in stream.read()
        assert lab.result().text == HELLO[0]["content"]
        assert plain.result()[0] == 200


def test_a_run_goes_on_at_the_engine_that_has_its_start_in_the_cache():
    one, other = StandIn(), StandIn()
    longer = [*HELLO, {"role": "assistant", "content": "Hi."}, {"role": "user", "content": "More"}]
    with running(one, other) as gate:
        gate.ask(body=chat() | {"messages": HELLO})
        gate.ask(body=chat() | {"messages": longer})
        gate.ask(body=chat("Something else"))
    assert [len(asked["messages"]) for asked in one.asked] == [1, 3]
    assert [said_last(asked) for asked in other.asked] == ["Something else"]


def test_who_waits_longer_than_the_timeout_is_served_all_the_same(monkeypatch):
    """The timeout is for silence: in a room of thirty, most of a request is waiting."""
    monkeypatch.setattr(model_server, "PULSE", 0.05)
    with running(engine := StandIn(held=True)) as gate, ThreadPoolExecutor(1) as pool:
        reply = pool.submit(ChatModel(MODEL, gate.url, timeout=2), HELLO)
        gate.until(lambda: engine.asked)
        time.sleep(3)
        gate.let_go(engine)
        assert reply.result().text == HELLO[0]["content"]


# Engines in processes of their own

PLAYED = """
import json, os, sys, time
for line in sys.stdin:
    text = json.loads(line)["messages"][-1]["content"]
    if text == "die":
        sys.exit(1)
    if text == "sleep":
        time.sleep(600)
    answer = {"text": str(os.getpid()), "tool_calls": [], "finish_reason": "stop"}
    print(json.dumps(answer | {"tokens_in": 1, "tokens_out": 1, "tokens_cached": 0}), flush=True)
"""


def test_an_engine_that_dies_takes_one_request_with_it(monkeypatch):
    monkeypatch.setattr(model_server, "ENGINE", [sys.executable, "-c", PLAYED])
    with running(engine := Engine()) as gate:
        status, _, content = gate.ask(body=chat("die"))
        assert (status, content["error"]["type"]) == (500, "server_error")
        first, again = (gate.ask(body=chat())[2]["choices"][0]["message"] for _ in range(2))
        assert first["content"].isdecimal() and first == again  # one process, asked twice
        gate.wait(engine.stop())


# The command

PROGRAM = f"""
import signal, sys
from react_lab import cli
from react_lab.services import model_server
signal.signal(signal.SIGINT, signal.default_int_handler)  # a suite in the background ignores it
model_server.ENGINE = [sys.executable, "-c", {PLAYED!r}]
sys.exit(cli.main(sys.argv[1:]))
"""


@dataclass
class Command:
    """`python -m react_lab serve` as it runs, and what it printed when it was ready."""

    child: subprocess.Popen
    printed: str

    @property
    def port(self):
        return int(re.search(r"LLM_BASE_URL=http://\S+:(\d+)/v1", self.printed)[1])

    def model(self, key=None):
        """What a learner's settings lead to; its reply is the number of the engine's process."""
        return ChatModel(MODEL, f"http://127.0.0.1:{self.port}/v1", key)


@contextmanager
def command(*arguments, real=False, **settings):
    program = ["-m", "react_lab"] if real else ["-c", PROGRAM]
    child = subprocess.Popen(
        [sys.executable, *program, "serve", "--port", "0", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **settings},
    )
    printed = []
    for line in child.stdout:
        printed.append(line)
        if "LLM_MODEL" in line:
            break
    try:
        yield Command(child, "".join(printed))
    finally:
        child.kill()
        child.communicate()


@pytest.mark.skipif(sys.platform == "win32", reason="sends SIGINT to a child")
def test_ctrl_c_stops_the_gate_and_its_engines():
    """While one request is worked on and two wait."""
    with command("--slots", "1") as it, ExitStack() as clients:
        assert f"LLM_MODEL={MODEL}" in it.printed and "LLM_API_KEY" not in it.printed
        engine = int(it.model()(HELLO).text)
        for _ in range(3):
            client = socket.create_connection(("127.0.0.1", it.port), timeout=60)
            clients.enter_context(client).sendall(raw("sleep"))
        with pytest.raises(ModelError):  # a later request was read, so those before it were too
            replace(it.model(), model="another")(HELLO)
        os.kill(engine, 0)  # it is there
        it.child.send_signal(signal.SIGINT)
        out, errors = it.child.communicate(timeout=60)
        assert (it.child.returncode, out.strip(), errors) == (0, "Stopped.", "")
        with pytest.raises(ProcessLookupError):
            os.kill(engine, 0)


def test_beyond_this_machine_a_key_is_made_up_and_printed():
    with command("--host", "0.0.0.0", "--slots", "1") as it:
        key = re.search(r"LLM_API_KEY=(\S{16,})", it.printed)[1]
        assert "http://0.0.0.0" not in it.printed  # nobody can reach that
        assert it.model(key)(HELLO).text.isdecimal()
        with pytest.raises(ModelError, match="LLM_API_KEY"):
            it.model("guess")(HELLO)


@pytest.mark.parametrize("host", ["0.0.0.0", "127.0.0.1"])
def test_a_key_that_is_set_is_the_key(host):
    """On loopback too: a machine may have other accounts."""
    with command("--host", host, "--slots", "1", LLM_API_KEY="the-room-knows-it") as it:
        assert "LLM_API_KEY=the-room-knows-it" in it.printed
        assert it.model("the-room-knows-it")(HELLO).text.isdecimal()
        with pytest.raises(ModelError, match="LLM_API_KEY"):
            it.model("guess")(HELLO)


@pytest.mark.parametrize("wrong, says", [(["--slots", "0"], "--slots"), (["--port", "-1"], "-1")])
def test_a_command_that_cannot_run_says_what_to_change(wrong, says):
    with command(*wrong) as it:
        assert it.child.wait(60) == 1
        assert says in it.printed and it.child.stderr.read() == ""


def test_a_port_that_is_taken_is_named():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        with command("--port", port) as it:
            assert it.child.wait(60) == 1
            assert f"port {port}, cannot be used" in it.printed


# The load script


def test_the_load_script_counts_what_learners_meet():
    with running(StandIn(text="Thought: easy.\nFinal Answer: 4")) as gate:
        row = classroom.measure(gate.url, 3)
    assert (row["learners"], row["steps"], row["errors"]) == (3, 6, 0)  # two runs of one step
    assert 0 < row["luckiest learner"] <= row["unluckiest"] <= row["slowest step"]


@pytest.mark.parametrize(
    "times, overtaken",
    [
        ([], 0),
        ([(0, 5), (1, 6), (2, 7)], 0),
        ([(0, 5), (1, 3), (2, 4), (6, 8)], 2),
        ([(2, 4), (0, 5), (1, 6)], 1),
    ],
)
def test_who_is_overtaken_sees_later_ones_answered_sooner(times, overtaken):
    asked = [classroom.Asked(0, sent, answered) for sent, answered in times]
    assert classroom.most_overtaken(asked) == overtaken


@pytest.mark.skipif(sys.platform != "linux", reason="memory is read on Linux only")
def test_the_memory_of_a_process_is_told_in_megabytes():
    with command("--slots", "2") as it:
        used = classroom.memory(it.child.pid)
    assert 5 < used["largest engine, peak"] < 200 and 5 < used["gate, peak"] < 200
    assert 5 < used["together"] < 600


# The real engine


def test_a_real_engine_keeps_the_start_that_all_prompts_share():
    """The rules and the tools; what one learner asked is not the other's."""
    with command("--slots", "1", real=True) as it:
        model = replace(it.model(), options={"max_tokens": 60})
        agent = Agent(model, lab_tools(), max_steps=1)
        runs = [agent.run(question) for question in ("What is 17 * 23?", "What is 41 * 19?")]
        with pytest.raises(ModelError) as refused:
            model([{"role": "user", "content": "word " * 9000}])
    (first,), (second,) = (run.steps for run in runs)
    assert [step.observation.text for step in (first, second)] == ["391", "779"]
    system = count_tokens(str(first.sent[0]["content"]))
    assert first.reply.tokens_cached < 20 and system < second.reply.tokens_cached < system + 20
    assert refused.value.kind == "context too long"
