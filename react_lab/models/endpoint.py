"""Endpoint: the address of a server, its key, and one request to it.

>>> base_urls("http://localhost:11434")
['http://localhost:11434/v1', 'http://localhost:11434']
>>> shown("https://me:word@models.example/v1?key=word"), on_this_machine("http://[::1]:8000/v1")
('https://models.example/v1', True)
"""

import ipaddress
import json
import os
import re
import socket
import ssl
import time
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlsplit, urlunsplit
from urllib.request import (  # type: ignore[attr-defined]
    getproxies_environment,
    proxy_bypass_environment,
)

from react_lab.keys import masked

OPENAI = "https://api.openai.com/v1"


def base_urls(address: str | None) -> list[str]:
    """Return the addresses to try, the likeliest first, because people leave out or add /v1.

    Args:
        address: the address that was set, None for OpenAI's own.
    """
    before, mark, query = (address or OPENAI).strip().partition("?")
    bare = re.sub(r"(?:/+chat/completions)?/*$", "", before)
    path = urlsplit(bare).path
    ends = [""] if re.search(r"/v\d+\w*$", path) else ["", "/v1"] if path else ["/v1", ""]
    return [f"{bare}{end}{mark}{query}" for end in ends]


def shown(address: str) -> str:
    """Return an address without its user, password and query, so that it can be shown."""
    parts = urlsplit(address)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def on_this_machine(address: str) -> bool:
    """Return whether an address is on loopback: it needs no key and must not use a proxy."""
    host = urlsplit(address).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def problem(address: str | None, key: str | None) -> str:
    """Return what is wrong with an address or a key before anything is sent; "" if nothing is.

    The text never contains the key.
    """
    address = (address or OPENAI).strip()
    try:
        parts = urlsplit(address)
        usable = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:  # a port that is not a number, a bracket that is not closed
        usable = False
    if not usable:
        return (
            "base_url (LLM_BASE_URL) is not a web address. It looks like https://api.openai.com/v1 "
            "or http://localhost:11434/v1"
        )
    if not key and not on_this_machine(address):
        return (
            f"There is no key for {parts.hostname}. Give api_key=..., or set LLM_API_KEY and use "
            "connect(). For a server that wants no key, take any word."
        )
    illegal = [place for place, sign in enumerate(key or "", 1) if not " " <= sign <= "~"]
    if illegal:
        return (
            f"The key (LLM_API_KEY) holds an illegal character at place {illegal[0]}, which no "
            "request can carry. Copy the key again."
        )
    return ""


def hide(text: str, key: str | None, part: int | None = None) -> str:
    """Return a text without the key. A word of up to 7 letters ("none") is not a secret.

    Args:
        text: the text.
        key: the key.
        part: also hide pieces of the key of this length, and what the server has masked itself.
    """
    if not key or len(key) < 8:
        return text
    text = text.replace(key, "***")
    if part:
        text = re.sub(r"[\w-]*\*{2,}[\w-]*", "***", text)
        for size in range(len(key) - 1, part - 1, -1):
            for start in range(len(key) - size + 1):
                text = text.replace(key[start : start + size], "***")
    return text


class Response(NamedTuple):
    """A server's response. The names of the headers are in lower case."""

    status: int
    headers: dict[str, Any]
    text: str


def send(address: str, key: str | None, timeout: float, body: dict[str, Any]) -> Response:
    """Ask for a chat completion and return the response, even if it reports an error.

    The message of each exception names the first cause and says what to do. No exception in its
    chain of causes contains the key.

    Raises:
        ConnectionError: no response came; Dropped if the next request may succeed.
        TimeoutError: no response came in time.
        ValueError: the request cannot be sent.
    """
    try:
        response = _post(_client(address, key or "none", timeout), body)
        text = masked(hide(_text(response), key))
        return Response(response.status_code, dict(response.headers), text)
    # Other errors than openai's: a certificate file that is missing is an OSError, an option that
    # JSON lacks or another version of httpx a TypeError, a proxy without its package an ImportError
    except Exception as error:
        _client.cache_clear()  # read proxies and certificates again after a failure
        failure = _failure(error, address, timeout)
    raise failure


def _text(response: Any) -> str:
    """Return the text of a response: UTF-8 whatever the header says, without byte order mark."""
    try:
        return str(response.content.decode(json.detect_encoding(response.content)))
    except UnicodeDecodeError:
        return str(response.text)


def _post(client: Any, body: dict[str, Any]) -> Any:
    """Send a body and return the HTTP response, even if it reports an error.

    The messages go through `extra_body`: the client converts those of its own argument one by one,
    which costs more than everything else in a long run.
    """
    import openai

    ask = client.chat.completions.with_raw_response.create
    extra = {name: value for name, value in body.items() if name != "model"}
    try:
        answer = ask(model=body["model"], messages=[], extra_body=extra)
        return answer.http_response
    except openai.APIStatusError as error:
        return error.response


@lru_cache(maxsize=8)
def _client(address: str, key: str, timeout: float) -> Any:
    """Return the client for an address. It is kept: making one takes longer than a request."""
    import openai

    near = on_this_machine(address)  # no proxy; and plain http has no certificates to read
    tls = not near or address.startswith("https")
    http = openai.DefaultHttpxClient(trust_env=not near, verify=tls, event_hooks=_limit(timeout))
    base, _, query = address.partition("?")  # such as Azure's api-version
    azure = (urlsplit(base).hostname or "").endswith(".azure.com")
    return openai.OpenAI(
        base_url=base,
        api_key=key,
        timeout=timeout,
        max_retries=0,
        http_client=http,
        default_query=dict(parse_qsl(query)),
        default_headers={"api-key": key} if azure else None,  # its older addresses expect it there
    )


def _limit(seconds: float) -> dict[str, list[Any]]:
    """Return a hook that limits the seconds of a whole reply; httpx limits each piece only.

    The time starts with the reply. Before it a busy server may send "100 Continue" repeatedly.
    """
    import openai

    def begin(response: Any) -> None:
        pieces, end = response.iter_raw, time.monotonic() + seconds

        def in_time() -> Iterator[bytes]:
            for piece in pieces():
                if time.monotonic() > end:
                    raise openai.APITimeoutError(request=response.request)
                yield piece

        response.iter_raw = in_time

    return {"response": [begin]}


def _failure(error: Exception, address: str, timeout: float) -> Exception:
    """Return the error to raise for a client's error: its cause, not "Connection error."."""
    import openai

    if isinstance(error, openai.APITimeoutError):
        return TimeoutError(f"No reply in {timeout:g} s. Run again, or set a longer timeout.")
    cause: BaseException = error
    while below := cause.__cause__ or cause.__context__:
        cause = below
    reason = f"{type(cause).__name__}: {cause}"
    if not isinstance(error, openai.APIConnectionError):
        return ValueError(f"The request cannot be sent ({reason}).{_certificate_hint(cause)}")
    lasting = isinstance(cause, socket.gaierror | ssl.SSLCertVerificationError)
    return (ConnectionError if lasting else Dropped)(
        f"No reply from {shown(address)} ({reason}). Is the server running? "
        f"Check LLM_BASE_URL.{_proxy_hint(address)}"
    )


class Dropped(ConnectionError):
    """A connection was refused or broke. The next attempt may succeed."""


def _certificate_hint(cause: BaseException) -> str:
    """Return which variable names certificates that cannot be read; "" if that is not the cause."""
    names = [name for name in ("SSL_CERT_FILE", "SSL_CERT_DIR") if os.environ.get(name)]
    if not names or not isinstance(cause, OSError):
        return ""
    return f" {names[0]} is set to {os.environ[names[0]]!r}. Correct it, or unset it."


def _proxy_hint(address: str) -> str:
    """Return which proxy variable applies to an address and how to avoid it; "" for none."""
    parts, proxies = urlsplit(address), getproxies_environment()
    names = [name for name in (parts.scheme, "all") if name in proxies]
    if not names or on_this_machine(address) or proxy_bypass_environment(parts.hostname):
        return ""
    return (
        f" It went through the proxy of {names[0].upper()}_PROXY. For a server near you set "
        f"NO_PROXY={parts.hostname}"
    )
