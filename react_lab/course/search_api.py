"""Exercise 3: a client of a real search API in the place of the lab's search.

Checked over real HTTP, against the local service `python -m react_lab searchd`.
"""

import html
import json
import os
import re
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from react_lab.course.checking import Exercise, NotStarted, Wrong, ask
from react_lab.registry.registry import Observation, Registry
from react_lab.services.search_server import KEY, RETRY_AFTER, serving

QUERY = "shipping to Norway"
PATIENCE = 6.0  # seconds for one call; the exercise asks for a timeout of 2

# Each fault: what the model must hear of it, the same as a pattern, whether it is an error.
FAULTS = {
    "401": ("that the key is missing or wrong", r"\bkey\b|401|unauthori[sz]ed", True),
    "429": (
        "how many seconds to wait: the header Retry-After says it",
        rf"(?<!\d){RETRY_AFTER}(?!\d)",
        True,
    ),
    "empty": ("that nothing was found, in words", r"\b(no|not|nothing|none)\b", False),
    "html": (
        "that the service sent a web page (HTML) and no JSON",
        r"html|web ?page|\bno[tn]?\b.{0,20}json",
        True,
    ),
    "timeout": (
        "an error after 2 seconds: give urlopen a timeout",
        r"\A(?!.*ran out of time).*(tim|late|slow|answer)",  # the registry's own words are late
        True,
    ),
}


def check(work: Callable[..., Any]) -> None:
    """Raises Wrong unless work(query) finds what the service finds, and tells of every fault."""
    seen = asked(work)
    if seen.error:
        raise Wrong(f"search_api({QUERY!r})", seen.text, "what the service found, as text")
    look_at_results(seen)
    for fault, (wanted, pattern, failed) in FAULTS.items():
        seen = asked(work, fault)
        told = f"search_api({QUERY!r}) when the service is set to: {fault}"
        if not re.search(pattern, seen.text, re.I | re.S) or re.search(r"<html|<body", seen.text):
            raise Wrong(told, seen.text, wanted)
        if failed and not seen.error:
            raise Wrong(told, seen.text, f"{wanted}; raise it as a ValueError, it is no result")
        if seen.error and not failed:
            raise Wrong(told, seen.text, "a plain result: to find nothing is no error")


def look_at_results(seen: Observation) -> None:
    """Raises Wrong unless an observation tells what the service found first, as plain text."""
    told = f"search_api({QUERY!r})"
    if re.search(r"""["'](title|content|snippet)["']\s*:""", seen.text):
        wanted = "only title and text of each result: the model reads, and you pay, every word"
        raise Wrong(told, seen.text, wanted)
    if re.search(r"</?\w+[^>]*>|&quot;|&amp;", seen.text):
        raise Wrong(told, seen.text, "plain text, without the marks of HTML")
    found = by_service()
    for title, text in found:
        if title in seen.text and text[:30] in seen.text:
            return
    title, text = found[0]
    raise Wrong(told, seen.text, f"the title {title!r} and the text {text!r}")


def asked(work: Callable[..., Any], fault: str | None = None) -> Observation:
    """What the model sees of one call of the learner's function, run against the service."""
    tools = Registry(retries=0)
    register = partial(
        tools.register, name="search_docs", description="Find passages.", seconds=PATIENCE
    )
    ask("tools.register(search_api)", register, work)
    with serving(fault) as address, settings(address):
        seen = tools.call("search_docs", {"query": QUERY})
    if seen.text.startswith("NotImplementedError"):
        raise NotStarted
    if KEY in seen.text:
        raise Wrong("what the model reads", seen.text, "anything but your key")
    return seen


@contextmanager
def settings(address: str) -> Iterator[None]:
    """The environment with address and key of the local service, and afterwards as it was."""
    values = {"SEARCH_URL": address, "SEARCH_KEY": KEY, "no_proxy": "127.0.0.1"}
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value


# The service, asked by the check itself ----------------------------------------------------


def tavily(address: str) -> urllib.request.Request:
    """A request in the form of Tavily's API."""
    body = json.dumps({"query": QUERY, "max_results": 3}).encode()
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {KEY}"}
    return urllib.request.Request(f"{address}/search", body, headers)


def wikipedia(address: str) -> urllib.request.Request:
    """A request in the form of MediaWiki's API."""
    asked_for = {"action": "query", "list": "search", "srsearch": QUERY, "format": "json"}
    return urllib.request.Request(f"{address}/w/api.php?{urllib.parse.urlencode(asked_for)}")


def by_service() -> list[tuple[str, str]]:
    """The first result of the service in each of its two forms: (title, plain text)."""
    with serving() as address, settings(address):
        pages = load(tavily(address))["results"]
        entries = load(wikipedia(address))["query"]["search"]
    found = [(one["title"], one["content"]) for one in pages[:1]]
    found += [(one["title"], one["snippet"]) for one in entries[:1]]
    return [(title, html.unescape(re.sub(r"<[^>]+>", "", text))) for title, text in found]


def load(request: urllib.request.Request) -> dict[str, Any]:
    """The JSON of a reply."""
    with urllib.request.urlopen(request, timeout=10) as reply:
        found: dict[str, Any] = json.load(reply)
        return found


EXERCISE = Exercise(
    name="search_api",
    title="A real search API",
    difficulty=3,
    minutes=30,
    hints=(
        "First make the good case work: urllib.request.Request(address, body, headers), "
        "urlopen(request, timeout=2), json.load. Print one reply and look at it. Then decide what "
        "the model needs: title and text of a few results.",
        "urlopen raises urllib.error.HTTPError for 401 and 429; error.code and "
        'error.headers["Retry-After"] are all you need. A reply of HTML makes json.load raise a '
        "ValueError: say in your own words what came. Nothing found is an empty list, no error.",
        'body = json.dumps({"query": query, "max_results": 3}).encode(), headers = '
        '{"Content-Type": "application/json", "Authorization": f"Bearer {key}"}; POST it to '
        'SEARCH_URL + "/search". For each of reply["results"] return one line with title and '
        "content. except HTTPError: raise ValueError(...) from None, with the name of the key for "
        "401 and the seconds for 429.",
    ),
    check=check,
)
