"""Handbook: a tool that searches the documents of an invented company."""

import sqlite3
import threading
from functools import cache
from importlib import resources

from react_lab import ranking

STOP_WORDS = ranking.STOP_WORDS | {"company", "handbook", "rule", "rules", "tillybrook"}
_lock = threading.Lock()


def passages() -> list[tuple[str, str, str]]:
    """Every section of the handbook as (file name, section, text of one line)."""
    found = []
    folder = resources.files("react_lab") / "data" / "handbook"
    for file in sorted(folder.iterdir(), key=lambda file: file.name):
        if file.name.endswith(".md"):
            for section in file.read_text(encoding="utf-8").split("\n## ")[1:]:
                heading, _, body = section.partition("\n")
                found.append((file.name, heading.strip(), " ".join(body.split())))
    return found


def search_docs(query: str) -> str:
    """Find the best passages for some keywords in the handbook of an invented company.

    Returns one or two lines "[file.md > Section] text", the best first, or a sentence that
    nothing was found. The second passage is left out when it fits much worse than the first.
    Ranking: BM25 of SQLite FTS5 over any of the words, stemmed; a word in the heading counts
    double. Chinese is searched as overlapping pairs of characters.
    """
    rows = []
    if match := ranking.any_of(query, STOP_WORDS):
        with _lock:
            rows = _index().execute(
                "SELECT passage, bm25(sections, 2.0, 1.0) AS score FROM sections "
                "WHERE sections MATCH ? ORDER BY score LIMIT 2",
                (match,),
            ).fetchall()  # fmt: skip
    if not rows:
        return f"No passage found for {query.strip()[:60]!r}. Try other words."
    best = rows[0][1]  # scores are negative: the lower, the better
    return "\n".join(passage for passage, score in rows if score <= 0.6 * best)


@cache
def _index() -> sqlite3.Connection:
    """The handbook as a full-text index in memory, built at the first search."""
    index = sqlite3.connect(":memory:", check_same_thread=False)
    index.execute(
        "CREATE VIRTUAL TABLE sections USING fts5"
        "(heading, body, passage UNINDEXED, tokenize='porter unicode61')"
    )
    for file, heading, body in passages():
        fields = (" ".join(ranking.words(text)) for text in (heading, body))
        row = *fields, f"[{file} > {heading}] {body}"
        index.execute("INSERT INTO sections VALUES (?, ?, ?)", row)
    return index
