"""Ranking: split texts into words, and find the texts that share the most with a question.

>>> words("get_weather: 退款期")
['get', 'weather', '退款', '款期']
>>> ranked("What does parking cost?", ["Opening hours.", "Costs of a parking space."])
[1]
"""

import re
import sqlite3
from collections.abc import Sequence
from contextlib import closing

# Without these words a question is a list of keywords; "how" and "many" are rare in a handbook,
# so a search would take them for important.
STOP_WORDS = frozenset(
    "a about after all am an and any are as at be been before but by can could did do does each "
    "find for from get give had has have how i if in is it its long many may me much must my no "
    "not of on one or our please should so tell than that the their them there they this to us "
    "was we were what when where which who why will with would you your".split()
)


def words(text: str) -> list[str]:
    """Return the words of a text; Chinese as overlapping pairs (退款期 as 退款, 款期)."""
    found = []
    for chinese, word in re.findall(r"([\u3400-\u9fff]+)|([^\W_\u3400-\u9fff]+)", text.lower()):
        pairs = [chinese[i : i + 2] for i in range(max(1, len(chinese) - 1))]
        found += [word] if word else pairs
    return found


def any_of(question: str, stop_words: frozenset[str] = STOP_WORDS) -> str:
    """Return a question as an FTS5 query for any of its words; "" if it has no words.

    Stop words are left out unless there are no others.
    """
    every = words(question)
    chosen = [word for word in every if word not in stop_words] or every
    # in quotes, AND, * and : have no special meaning
    return " OR ".join(f'"{word}"' for word in dict.fromkeys(chosen[:50]))


def ranked(question: str, texts: Sequence[str]) -> list[int]:
    """Return the indexes of the texts that share a word with the question, the best fit first.

    Rank: BM25 of SQLite FTS5 over stemmed words; texts that fit equally well keep their order.
    """
    # Not a plain count of common words: FTS5 treats "costs" as "cost", and a rare word counts
    # more than a common one. It is part of Python, and the handbook uses it already.
    with closing(sqlite3.connect(":memory:")) as index:
        index.execute("CREATE VIRTUAL TABLE texts USING fts5(body, tokenize='porter unicode61')")
        rows = [(" ".join(words(text)),) for text in texts]
        index.executemany("INSERT INTO texts VALUES (?)", rows)
        if not (query := any_of(question)):
            return []
        found = index.execute(
            "SELECT rowid FROM texts WHERE texts MATCH ? ORDER BY bm25(texts), rowid", (query,)
        )
        return [rowid - 1 for (rowid,) in found]
