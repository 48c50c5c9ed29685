"""Retries: what the program tries again below the model, with three real HTTP clients."""

import json
import socket
import ssl
import threading
import urllib.error
import urllib.request
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import httpx
import pytest
import requests

from react_lab.registry import Registry
from react_lab.registry.registry import is_passing

LATE = 0.2  # seconds that a client waits
ROOT = Path(__file__).parents[2]


def by_urllib(address: str) -> str:
    return urllib.request.urlopen(address, timeout=LATE).read().decode()


def by_requests(address: str) -> str:
    reply = requests.get(address, timeout=LATE)
    reply.raise_for_status()
    return reply.text


def by_httpx(address: str) -> str:
    return httpx.get(address, timeout=LATE).raise_for_status().text


CLIENTS = [by_urllib, by_requests, by_httpx]


@contextmanager
def service(*moods: str):
    """An HTTP service that is "late", "gone" or answers with a status, one mood a request."""
    left, done = list(moods), threading.Event()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            mood = left.pop(0) if len(left) > 1 else left[0]
            if mood == "late":
                done.wait(5)
            elif mood != "gone":
                self.send_response(int(mood))
                self.end_headers()
                self.wfile.write(b"found")

        do_POST = do_GET

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/search"
    finally:
        done.set()
        server.shutdown()
        server.server_close()


def called(client, address: str, effect: str = "read"):
    tools = Registry()
    tools.register(lambda: client(address), name="look", description="Looks.", effect=effect)
    return tools.call("look", {})


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("mood", ["late", "gone"])
def test_a_time_out_and_a_lost_connection_are_tried_again(client, mood, monkeypatch):
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with service(mood, mood, "200") as address:
        seen = called(client, address)
    assert (seen.text, seen.error, seen.tries) == ("found", None, 3)


@pytest.mark.parametrize("client", CLIENTS)
def test_a_port_where_nobody_listens_is_tried_three_times(client, monkeypatch):
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{free.getsockname()[1]}/"
    seen = called(client, address)
    assert (seen.error, seen.tries) == ("tool error", 3)


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("status", ["404", "500"])
def test_an_answer_is_not_asked_for_again_even_if_it_is_an_error(client, status, monkeypatch):
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with service(status, "200") as address:
        seen = called(client, address)
    assert (seen.error, seen.tries) == ("tool error", 1)


@pytest.mark.parametrize("client", CLIENTS)
def test_a_write_tool_is_never_run_again(client, monkeypatch):
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with service("gone", "200") as address:
        seen = called(client, address, effect="write")
    assert (seen.error, seen.tries) == ("tool error", 1)


def test_a_refused_certificate_is_no_passing_fault():
    refused = ssl.SSLCertVerificationError("self-signed certificate")
    assert not is_passing(urllib.error.URLError(refused))
    assert not is_passing(requests.exceptions.SSLError("self-signed certificate"))
    assert not is_passing(urllib.error.URLError("unknown url type: ftps"))


def test_the_client_of_exercise_3_is_tried_again_too(monkeypatch):
    """The solution that the course shows: it lets a time-out pass, so the registry sees it."""
    book = json.loads((ROOT / "react_lab" / "data" / "exercises.ipynb").read_text("utf-8"))
    cells = ["".join(cell["source"]) for cell in book["cells"]]
    (code,) = (text for text in cells if text.startswith("def search_api("))
    names = {"json": json, "urllib": urllib, "os": __import__("os")}
    exec(code.replace("timeout=2", f"timeout={LATE}"), names)  # the lesson waits 2 seconds
    with service("late", "gone", "500") as address:
        monkeypatch.setenv("SEARCH_URL", address.removesuffix("/search"))
        monkeypatch.setenv("no_proxy", "127.0.0.1")
        tools = Registry()
        tools.register(names["search_api"])
        seen = tools.call("search_api", {"query": "deepest lake"})
    assert (seen.tries, seen.error) == (3, "tool error")
    assert "The service answers 500" in seen.text
