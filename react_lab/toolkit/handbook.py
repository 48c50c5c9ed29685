"""Handbook: a tool that searches the documents of an invented company."""

import sqlite3
import threading
from functools import cache
from importlib import resources

from react_lab import ranking

STOP_WORDS = ranking.STOP_WORDS | {"company", "handbook", "rule", "rules", "tillybrook"}
# Pairs of characters that are in most questions in Chinese, whatever they ask.
STOP_WORDS |= set("公司 手册 规定 多少 什么 怎么 如何 是否 可以 几天 多久 时候 员工 顾客".split())
_lock = threading.Lock()


def passages(language: str = "en") -> list[tuple[str, str, str]]:
    """Return every section of the handbook as (source, section, text of one line).

    The source is the file's name; in Chinese, where files have English names, its title.
    """
    found = []
    folder = (
        resources.files("react_lab") / "data" / ("handbook_zh" if language == "zh" else "handbook")
    )
    for file in sorted(folder.iterdir(), key=lambda file: file.name):
        if file.name.endswith(".md"):
            title, *sections = file.read_text(encoding="utf-8").split("\n## ")
            source = title.partition("\n")[0].removeprefix("# ") if language == "zh" else file.name
            for section in sections:
                heading, _, body = section.partition("\n")
                found.append((source, heading.strip(), " ".join(body.split())))
    return found


def search_docs(query: str) -> str:
    """Find the best passages for some keywords in the handbook of an invented company.

    Returns one or two lines "[file.md > Section] text", the best first, or a sentence that
    nothing was found. The second passage is left out when it fits much worse than the first.
    Ranking: BM25 of SQLite FTS5 over any of the words, stemmed; a word in the heading counts
    double. Chinese is searched as overlapping pairs of characters.
    """
    found = best_passages(query)
    return found or f"No passage found for {query.strip()[:60]!r}. Try other words."


def best_passages(query: str, language: str = "en") -> str:
    """Return the one or two best passages as lines of text, "" if none shares a word."""
    rows = []
    if match := ranking.any_of(query, STOP_WORDS):
        with _lock:
            rows = _index(language).execute(
                "SELECT passage, bm25(sections, 2.0, 1.0) AS score FROM sections "
                "WHERE sections MATCH ? ORDER BY score LIMIT 2",
                (match,),
            ).fetchall()  # fmt: skip
    # scores are negative: the lower, the better
    return "\n".join(passage for passage, score in rows if score <= 0.6 * rows[0][1])


@cache
def _index(language: str) -> sqlite3.Connection:
    """Build the handbook's full-text index in memory, at the first search."""
    index = sqlite3.connect(":memory:", check_same_thread=False)
    index.execute(
        "CREATE VIRTUAL TABLE sections USING fts5"
        "(heading, body, passage UNINDEXED, tokenize='porter unicode61')"
    )
    for source, heading, body in passages(language):
        fields = (" ".join(ranking.words(text)) for text in (heading, body))
        row = *fields, f"[{source} > {heading}] {body}"
        index.execute("INSERT INTO sections VALUES (?, ?, ?)", row)
    return index
