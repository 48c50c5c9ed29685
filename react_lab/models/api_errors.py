"""API errors: read an HTTP response that is not a reply, whatever form its error has.

>>> answer = refusal(429, {"retry-after": "3"}, '{"error": {"message": "slow down"}}')
>>> answer.kind, answer.words, answer.wait
('rate limit', 'slow down', 3.0)
"""

import json
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any

EXCERPT = 300  # characters of a server's words that are shown


@dataclass(frozen=True)
class Kind:
    """One kind of refusal.

    Attributes:
        name: a kind of ModelError.
        pattern: what "STATUS CODE: WORDS" contains, in any case.
        advice: what a person can do about it.
    """

    name: str
    pattern: str
    advice: str


# The first row whose pattern is found counts.
KINDS = (
    Kind(
        "filtered",
        r"content[_ ](?:management )?(?:filter|policy)|responsibleai|\bflagged\b|moderation",
        "A content filter stopped it. Put the question, or what a tool returned, in other words.",
    ),
    Kind(
        "no credit",
        r"^402|insufficient[_ ](?:quota|balance|credit|funds)"
        r"|^(?!.*(?:retry|try again) (?:in|after)).*\b(?:billing|credits?\b)",
        "The account has no credit left. Look at its billing, or use another key.",
    ),
    Kind("rate limit", r"^(?:429|529)", "Too many requests. Wait, then run again."),
    Kind(
        "bad key",
        r"^40[13]|invalid_api_key",
        "The key was refused. Check LLM_API_KEY, and what it may use.",
    ),
    Kind(
        "context too long",
        r"^413|context[_ ](?:length|size|window)|too many (?:input )?tokens|reduce the length"
        r"|(?:prompt|inputs?|messages?)\b.{0,60}(?:too long|too large|longer|exceed|must be <=)",
        "The messages are too long for this model. Send fewer of them, let the tools return "
        "less, give a smaller max_tokens, or take a model with a longer context.",
    ),
    Kind(
        "refused",
        r"(?:tools?|function call\w*)\b.{0,40}(?:not|n't|un)\s?(?:support|available|allowed)"
        r"|(?:not|n't|un)\s?support\w*.{0,40}(?:\btools?\b|function call)"
        r"|tools param|auto-tool-choice",
        "It takes no native calls. Use the text loop instead.",
    ),
    Kind(
        "refused",
        r"template|jinja|\broles?\b.{0,60}(?:alternat|turns|order)|expected.{0,20}\brole\b",
        "The order of the messages was refused, by the model's chat template or by the server.",
    ),
    Kind("refused", r"^40[45]", "Not found. Check LLM_MODEL and LLM_BASE_URL."),
    Kind("refused", r"^4", "The endpoint refused the request."),
    Kind(
        "error",
        r"^5|^2\d\d: half a reply",
        "The endpoint failed. Run again, or look into the server's own log.",
    ),
    Kind(
        "unreadable",
        r"text/event-stream|\): (?:data|event): ?",
        "It streams its replies, although nobody asked it to. Switch that off at the server.",
    ),
    Kind(
        "unreadable",
        r"",
        "This is no chat completion. Check base_url (LLM_BASE_URL): it usually ends in /v1.",
    ),
)
_NO_ROUTE = re.compile(r"unexpected endpoint|invalid url|not found|no route|cannot post", re.I)
# The error of a server that could not read the model's text; it repeats that text.
_UNREAD = re.compile(
    r"Failed to parse input at pos \d+: (?P<rest>.*)"
    r"|error parsing tool call: raw='(?P<raw>.*)', err=",
    re.S,
)
_UNREAD_CODES = ("tool_use_failed", "output_parse_failed")
_WAIT = re.compile(
    r"(?:try again|retry)[^.\d]{0,20}(?:in|after) (?:about )?((?:[\d.]+ ?[hms][a-z]*,? ?)+)"
    r"|\"retryDelay\": ?\"([\d.]+s)\"",
    re.I,
)


@dataclass(frozen=True)
class Refusal:
    """A response that is not a reply.

    Attributes:
        status: the HTTP status, or the one in the body.
        words: the server's message.
        code: the server's error code, "" if it gives none.
        param: the refused parameter, "" if the server names none.
        wait: how many seconds the server asks to wait, or None.
        written: what the model wrote, if the server could not read it and shows it, else "".
    """

    status: int
    words: str
    code: str = ""
    param: str = ""
    wait: float | None = None
    written: str | None = None

    def __str__(self) -> str:
        head = " ".join(filter(None, (str(self.status), self.code)))
        where = f" ({self.param})" if self.param and self.param not in self.words else ""
        return f"{head}: {self.words}{where}"

    @property
    def kind(self) -> str:
        """The kind of ModelError."""
        return self._kind.name

    @property
    def advice(self) -> str:
        """Return what a person can do about it."""
        azure = self.status == 404 and "deployment" in f"{self.code} {self.words}".lower()
        return self._kind.advice + (
            " On Azure LLM_MODEL is the name of your deployment, not of the model." if azure else ""
        )

    @property
    def elsewhere(self) -> bool:
        """Return whether the endpoint may be at another address than the one that was asked."""
        no_route = self.status in (404, 405) and "model" not in self.words.lower()
        page = self.words.startswith("not JSON") and not _HALF.match(self.words)
        return no_route or self.kind == "unreadable" and page

    @property
    def half(self) -> bool:
        """Return whether a reply broke off, is empty, or is a web page: ask once more.

        A proxy, or a server that is starting, may answer with a web page.
        """
        known = self.kind in ("error", "unreadable")
        page = re.match(r"not JSON \([^)]*\): <", self.words)
        return self.status < 400 and known and bool(page or _HALF.match(self.words))

    @property
    def _kind(self) -> Kind:
        """Return the row of KINDS: the code decides, then the status, then the words."""
        names = _kinds_of(self)
        rows = [one for one in KINDS if not names or one.name in names]
        fits = (one for one in rows if re.search(one.pattern, str(self), re.I))
        return next(fits, rows[-1])


def _kinds_of(refused: Refusal) -> tuple[str, ...]:
    """Return the kinds that code and status leave to choose from by words; () for all."""
    status, code = refused.status, refused.code.lower()
    for kind, codes in CODES.items():
        if code in codes:
            return (kind,)
    if status in (429, 529):
        return ("rate limit",) if refused.wait is not None or status == 529 else _BUSY
    if status == 503 and refused.wait is not None or 501 < status < 600:
        return ("error",)
    if status in (500, 501):
        return ("context too long", "refused", "error")
    if status in (408, 409, 425):  # timeout, conflict, too early
        return ("error",)
    return {401: ("bad key",), 402: ("no credit",)}.get(status, ())


_BUSY = ("no credit", "rate limit")
# What a code means whatever the words say. In lower case.
CODES = {
    "no credit": {
        "insufficient_quota",
        "insufficient_balance",
        "insufficient_credits",
        "insufficient_funds",
        "billing_hard_limit_reached",
        "billing_not_active",
        "credit_balance_too_low",
        "payment_required",
    },
    "rate limit": {
        "rate_limit_exceeded",
        "rate_limit_error",
        "too_many_requests",
        "overloaded_error",
        "throttlingexception",
    },
    "bad key": {"invalid_api_key", "authentication_error", "account_deactivated"},
    "context too long": {
        "context_length_exceeded",
        "string_above_max_length",
        "exceed_context_size_error",
        "prompt_too_long",
        "request_too_large",
    },
    "filtered": {"content_filter", "content_policy_violation", "responsibleaipolicyviolation"},
    "refused": {"model_not_found", "deploymentnotfound"},
}
# How the message about an incomplete or empty reply begins.
HALF = "half a reply"
_HALF = re.compile(rf"not JSON \([^)]*\): (?:[{{\[]|nothing at all)|{HALF}")
# The finish_reason that servers give for an incomplete reply.
BROKEN = ("error", "network_error", "insufficient_system_resource", "abort", "aborted", "cancelled")


def refusal(status: int, headers: Mapping[str, str], text: str) -> Refusal | None:
    """Read a response that is not a chat completion; return None if it is one.

    Status 200 is not enough: some servers send errors with it.

    Args:
        status: the HTTP status.
        headers: the HTTP headers, with names in lower case.
        text: the body.
    """
    try:
        body = json.loads(text)
    except (ValueError, RecursionError):
        kind = headers.get("content-type", "no type given")
        words = f"not JSON ({kind}): {_excerpt(text) or 'nothing at all'}"
        return Refusal(status, words, wait=_wait(headers, text))
    found = body[0] if isinstance(body, list) and body else body
    found = found if isinstance(found, dict) else {}
    choice = next(iter(found.get("choices") or ()), None)
    choice = choice if isinstance(choice, dict) else {}
    error, finish = found.get("error") or choice.get("error"), choice.get("finish_reason")
    if status < 400 and not error and finish in BROKEN:
        return Refusal(status, f"{HALF}: it ended with {finish!r}")
    whole = isinstance(choice.get("message"), dict) or "message" in choice and finish
    if status < 400 and not error and whole:
        return None
    if status < 400 and not said(body) and "choices" in found and not choice:
        return Refusal(status, f"{HALF}, without a choice: {_excerpt(text)}")
    words, failed = said(error) or said(body) or text, bool(error)
    error = error if isinstance(error, dict) else found
    code = next((str(error[key]) for key in ("code", "type") if error.get(key)), "")
    if status < 400:  # the status in the body is more precise
        named = int(code) if re.fullmatch(r"[45]\d\d", code) else status
        if named < 400:
            named = 404 if _NO_ROUTE.search(words) else 500 if failed else status
        status = named
    written = _written(error, words, code)
    code = "" if code == str(status) else code
    wait = _wait(headers, text)
    return Refusal(status, _excerpt(words), code, _param(error), wait, written)


def said(body: object) -> str:
    """Return the message of an error, whatever form it has; "" if there is none."""
    if isinstance(body, str):
        return body.strip()
    if isinstance(body, list):
        return "; ".join(filter(None, map(said, body)))
    if not isinstance(body, dict):
        return ""
    keys = ("error", "errors", "detail", "message", "msg", "error_message", "error_msg")
    words = next(filter(None, (said(body.get(key)) for key in keys)), "")
    metadata = body.get("metadata")  # from a router: the message of the server that it asked
    cause = metadata.get("raw") if isinstance(metadata, dict) else None
    return f"{words}: {cause}" if cause else words


def _param(error: dict[str, Any]) -> str:
    """Return the part of the request that an error names: "temperature", "messages[0].role"."""
    details = error.get("detail")
    first = details[0] if isinstance(details, list) and details else {}
    place = first.get("loc", ()) if isinstance(first, dict) else ()
    return str(error.get("param") or ".".join(str(step) for step in place if step != "body"))


def _written(error: dict[str, Any], words: str, code: str) -> str | None:
    """Return the model's text in an error about that text; None for any other error."""
    if isinstance(error.get("failed_generation"), str):
        return str(error["failed_generation"])
    if found := _UNREAD.search(words):
        return found["rest"] if found["rest"] is not None else found["raw"]
    return "" if code in _UNREAD_CODES else None


def _excerpt(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= EXCERPT else text[:EXCERPT] + "…"


def _wait(headers: Mapping[str, str], text: str) -> float | None:
    """Return the seconds that a server asks to wait: a number or date in a header, or words."""
    asked = headers.get("retry-after", "")
    for number, unit in ((headers.get("retry-after-ms", ""), 1000), (asked, 1)):
        if re.fullmatch(r"\d+(?:\.\d+)?", number.strip()):
            return float(number) / unit
    try:
        return max(0.0, parsedate_to_datetime(asked).timestamp() - time.time())
    except ValueError:
        pass
    if not (found := _WAIT.search(text)):
        return None
    units = {"milli": 0.001, "ms": 0.001, "s": 1, "m": 60, "h": 3600}
    parts = re.findall(r"(\d+(?:\.\d+)?) ?(milli|ms|[hms])", found[1] or found[2], re.I)
    return sum(float(number) * units[unit.lower()] for number, unit in parts)
