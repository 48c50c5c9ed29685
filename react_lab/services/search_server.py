"""A small search service on this machine that answers in the words of real ones.

    python -m react_lab searchd [--port N]

It searches the lab's handbook and a small encyclopedia (react_lab/data/encyclopedia), so that a
client of a real search service can be written, and its errors be met, without a network. In a
test or a notebook it runs beside the code:

    with serving() as address:             # serving("429") and others: see there
        ...                                # POST {address}/search with the key KEY

>>> search("deepest lake", limit=1)[0].title
'Lake Baikal'

How the services are addressed. Take address and key from the environment, as exercise 3 does from
SEARCH_URL and SEARCH_KEY: nothing else changes between this service and the public one.

* Tavily: `POST https://api.tavily.com/search`, header `Authorization: Bearer KEY`, JSON body
  `{"query": ..., "max_results": 5}`. Reply: `results`, each with `title`, `url`, `content` and
  `score`. An error is `{"detail": {"error": ...}}`. Its client reads TAVILY_API_KEY.
  Source: tavily/tavily.py of github.com/tavily-ai/tavily-python; docs.tavily.com.
* Wikipedia: `GET https://en.wikipedia.org/w/api.php?action=query&list=search&srsearch=...
  &srlimit=5&format=json`, no key, but a User-Agent that says who asks. Reply: `query.search`, each
  with `title`, `pageid`, `snippet` (HTML, the words found in a span) and more. An error is
  `{"error": {"code": ..., "info": ...}}`, often with status 200. Without format=json it is HTML.
  Source: mediawiki.org, API:Search, API:Errors and warnings, Wikimedia APIs/Access policy.
* SerpAPI: `GET https://serpapi.com/search.json?engine=google&q=...&api_key=KEY`. Reply:
  `organic_results`, each with `title`, `link` and `snippet`. An error, and "no result" too, is
  `{"error": ...}`. Source: the client's page (serpapi); serpapi.com/api-status-and-error-codes.
* Brave: `GET https://api.search.brave.com/res/v1/web/search?q=...&count=5`, header
  `X-Subscription-Token: KEY`. Reply: `web.results`, each with `title`, `url` and `description`.
  Source: langchain_community.utilities.brave_search; other clients agree.
* SearXNG, run by yourself: `GET ADDRESS/search?q=...&format=json`, no key. Reply: `results`, each
  with `title`, `url` and `content`. 403 where the server's settings do not allow JSON.
  Source: docs.searxng.org/dev/search_api.html.

This service speaks the first two: /search wants KEY, /w/api.php wants none.
"""

import html
import json
import re
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import resources
from typing import Any
from urllib.parse import parse_qsl, quote, urlsplit

from react_lab.ranking import STOP_WORDS, ranked, words
from react_lab.toolkit.handbook import passages

KEY = "tvly-lab"  # no secret: the service listens on this machine only
FAULTS = (None, "401", "429", "timeout", "empty", "html")
RETRY_AFTER = 2  # seconds, as a 429 says
LARGEST = 100_000  # bytes of a request
TIMESTAMP = "2026-06-01T12:00:00Z"  # of every page: the day of the lab's weather


# What is searched ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Page:
    """A passage of the handbook or an article. Its url ends in .example: no site has that."""

    title: str
    url: str
    text: str


@cache
def pages() -> tuple[Page, ...]:
    """All articles of the encyclopedia, then all passages of the handbook."""
    folder = resources.files("react_lab") / "data" / "encyclopedia"
    found = []
    for file in sorted(folder.iterdir(), key=lambda file: file.name):
        heading, _, text = file.read_text(encoding="utf-8").partition("\n")
        title = heading.removeprefix("# ")
        found.append(Page(title, f"https://encyclopedia.example/{_slug(title)}", text.strip()))
    for name, section, text in passages():
        url = f"https://handbook.example/{name.removesuffix('.md')}#{_slug(section)}"
        found.append(Page(section, url, text))
    return tuple(found)


def _slug(title: str) -> str:
    return quote(title.replace(" ", "_"))


def search(query: str, limit: int) -> list[Page]:
    """The pages that share a word with the query, the best fit first, at most `limit`."""
    texts = [f"{page.title} {page.title} {page.text}" for page in pages()]  # a title counts double
    return [pages()[place] for place in ranked(query, texts)[:limit]]


# The shapes of the replies -------------------------------------------------------------------

# Status and content: a dict is sent as JSON, a text as HTML.
Answer = tuple[int, dict[str, Any] | str]
HTML = "<!DOCTYPE html><html><head><title>{0}</title></head><body><h1>{0}</h1></body></html>"


def tavily(query: str, limit: int) -> Answer:
    """What Tavily would send. score: 1 for the best page, less for each one behind it."""
    found = [
        {"url": page.url, "title": page.title, "content": page.text, "score": round(1 / place, 2)}
        for place, page in enumerate(search(query, limit), 1)
    ]
    head: dict[str, Any] = {
        "query": query,
        "follow_up_questions": None,
        "answer": None,
        "images": [],
    }
    return 200, {**head, "results": found, "response_time": 0.01}


def wikipedia(query: str, limit: int) -> Answer:
    """What Wikipedia would send."""
    found = [
        {
            "ns": 0,
            "title": page.title,
            "pageid": pages().index(page) + 1,
            "size": len(page.text.encode()),
            "wordcount": len(page.text.split()),
            "snippet": snippet(page.text, query),
            "timestamp": TIMESTAMP,
        }
        for page in search(query, len(pages()))
    ]
    return 200, {
        "batchcomplete": "",
        "query": {"searchinfo": {"totalhits": len(found)}, "search": found[:limit]},
    }


def snippet(text: str, query: str) -> str:
    """The sentence that holds most words of the query, as HTML with those words marked."""
    wanted = set(words(query)) - STOP_WORDS
    sentences = re.split(r"(?<=\.) ", text)
    best = max(sentences, key=lambda sentence: len(wanted & set(words(sentence))))

    def marked(match: re.Match[str]) -> str:
        span = '<span class="searchmatch">{}</span>'
        return span.format(match[0]) if match[0].lower() in wanted else match[0]

    return re.sub(r"[^\W_]+", marked, html.escape(best, quote=False))


def tavily_error(status: int, code: str, text: str) -> Answer:
    """An error as Tavily writes it; it knows no codes."""
    return status, {"detail": {"error": text}}


def wikipedia_error(status: int, code: str, text: str) -> Answer:
    """An error as Wikipedia writes it."""
    return status, {"error": {"code": code, "info": text}}


# HTTP ----------------------------------------------------------------------------------------


UNAUTHORIZED = "Unauthorized: missing or invalid API key."


class _Server(ThreadingHTTPServer):
    """The service with the fault that it plays."""

    def __init__(self, port: int, fault: str | None) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.fault, self.closing = fault, threading.Event()

    def handle_error(self, request: object, client_address: object) -> None:
        """Stay silent: a client that went away is not a fault of the server."""


class _Handler(BaseHTTPRequestHandler):
    """One request."""

    server: _Server
    timeout = 30  # seconds for a client that sends nothing

    def do_POST(self) -> None:
        length = self.headers.get("Content-Length", "0")
        if not length.isdecimal() or int(length) > LARGEST:
            self._send(*tavily_error(413, "", f"A request has at most {LARGEST} bytes."))
        elif urlsplit(self.path).path != "/search":
            self._send(404, {"detail": "Not Found"})
        else:
            body = self.rfile.read(int(length))
            self._send(*self._fault(tavily_error) or self._tavily(body))

    def do_GET(self) -> None:
        address = urlsplit(self.path)
        if address.path != "/w/api.php":
            self._send(404, HTML.format("Not Found"))
        else:
            asked = dict(parse_qsl(address.query))
            self._send(*self._fault(wikipedia_error) or self._wikipedia(asked))

    def _fault(self, error: Callable[[int, str, str], Answer]) -> Answer | None:
        """What the fault makes of every request. error: the shape of the service's errors."""
        match self.server.fault:
            case "401":
                return error(401, "unauthorized", UNAUTHORIZED)
            case "429":
                return error(429, "ratelimited", "Too many requests. Wait, then ask again.")
            case "html":
                return 200, HTML.format("Log in to this network")
            case "timeout":
                self.server.closing.wait()
                return error(503, "closing", "The service was stopped.")
        return None

    def _tavily(self, body: bytes) -> Answer:
        if self.headers.get("Authorization") != f"Bearer {KEY}":
            return tavily_error(401, "", UNAUTHORIZED)
        try:
            request = json.loads(body)
            query, limit = request["query"].strip(), int(request.get("max_results", 5))
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return tavily_error(400, "", 'Send JSON such as {"query": "deepest lake"}.')
        if not query or not 0 <= limit <= 20:
            return tavily_error(400, "", "query is empty, or max_results is not from 0 to 20.")
        return tavily(query, 0 if self.server.fault == "empty" else limit)

    def _wikipedia(self, asked: dict[str, str]) -> Answer:
        if asked.get("format") != "json":
            return 200, HTML.format("MediaWiki API result")
        if asked.get("action") != "query" or asked.get("list") != "search":
            text = "Here action=query with list=search is known, and nothing else."
            return wikipedia_error(200, "badvalue", text)
        if not asked.get("srsearch", "").strip():
            return wikipedia_error(200, "missingparam", 'The "srsearch" parameter must be set.')
        wanted = asked.get("srlimit", "10")
        limit = int(wanted) if wanted.isdecimal() and 1 <= int(wanted) <= 500 else 10
        return wikipedia("" if self.server.fault == "empty" else asked["srsearch"], limit)

    def _send(self, status: int, content: dict[str, Any] | str) -> None:
        kind = "text/html" if isinstance(content, str) else "application/json"
        data = (content if isinstance(content, str) else json.dumps(content)).encode()
        self.send_response(status)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(data)))
        if status == 429:
            self.send_header("Retry-After", str(RETRY_AFTER))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def serving(fault: str | None = None, port: int = 0) -> Iterator[str]:
    """Run the service in a thread until the block ends, and yield its address, without a slash.

    fault: what goes wrong on purpose with every request: "401" (key refused), "429" (with
    Retry-After), "timeout" (no reply at all), "empty" (no result), "html" (a page instead of
    JSON), or None. port: 0 takes a free one. Listens on this machine only. Raises ValueError for
    an unknown fault, OSError for a port that is taken.
    """
    if fault not in FAULTS:
        raise ValueError(f"fault is {fault!r}; give one of {', '.join(map(repr, FAULTS))}.")
    server = _Server(port, fault)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.closing.set()
        server.shutdown()
        server.server_close()


def run(port: int) -> int:
    """Serve until Ctrl-C, and say where; 1 if the port is taken."""
    try:
        with serving(port=port) as address:
            print(f"Searching {len(pages())} pages. Stop it with Ctrl-C. Set for exercise 3:")
            print(f"  SEARCH_URL={address}\n  SEARCH_KEY={KEY}")
            print("As Tavily: POST SEARCH_URL/search. As Wikipedia: GET SEARCH_URL/w/api.php.")
            sys.stdout.flush()
            while True:
                time.sleep(3600)
    except KeyboardInterrupt:
        print("\nStopped.")
    except (OSError, OverflowError) as error:
        print(f"Port {port} cannot be used ({error}). Name another one, or none.")
        return 1
    return 0
