"""Memory: what a question knows of earlier ones, and notes that outlive the program.

A run knows nothing but its question. `Earlier` puts what was said before in front of it:

    first = agent.run("How warm is it in Oslo?")
    then = replace(agent, fit=Earlier(summary([first]))).run("And in Rome?")

>>> Earlier(["what was said"])(["system prompt", "question"])
['system prompt', 'what was said', 'question']
"""

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from react_lab.models.reply import Message
from react_lab.parser.fields import believed
from react_lab.ranking import ranked
from react_lab.registry.results import sendable
from react_lab.trace import Run

# Within a conversation --------------------------------------------------------------------


def nothing(runs: Iterable[Run]) -> list[Message]:
    """No memory: each question stands alone."""
    return []


def summary(runs: Iterable[Run]) -> list[Message]:
    """Of each run with an answer, the question as it was sent and the reply that answered it."""
    return [one for run in runs if run.answer for one in (_own(run)[0], _own(run)[-1])]


def whole(runs: Iterable[Run]) -> list[Message]:
    """Of each run with an answer, all: the question, every round, and the last reply."""
    found = []
    for number, run in enumerate(runs):
        found += [_renamed(one, number) for one in _own(run)] if run.answer else []
    return found


def _own(run: Run) -> list[Message]:
    """The messages of a run from its question on, as last sent, and its last reply.

    In the first round the question is the last message; what stands before it is older.
    """
    last = run.last_word or run.steps[-1]
    first = len((run.steps or (last,))[0].sent) - 1
    return [*last.sent[first:], {"role": "assistant", "content": believed(last.reply.text)}]


def _renamed(one: Message, number: int) -> Message:
    """A message whose native calls have ids that no other run of the conversation uses."""
    name = f"{number:02}"
    if one["role"] == "tool":
        return {**one, "tool_call_id": name + one["tool_call_id"][-7:]}
    if one.get("tool_calls"):
        calls = [{**call, "id": name + call["id"][-7:]} for call in one["tool_calls"]]
        return {**one, "tool_calls": calls}
    return one


@dataclass(frozen=True)
class Earlier:
    """A policy for `Agent(fit=...)`: earlier messages between system prompt and question.

    To shorten the new run as well, do that first: `lambda sent: earlier(KeepRounds()(sent))`.
    """

    messages: Sequence[Message]

    def __call__(self, messages: list[Message]) -> list[Message]:
        return [*messages[:1], *self.messages, *messages[1:]]


# On disk ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Notes:
    """Short texts in a file (SQLite), until somebody deletes them.

    path: of the file; the first note makes it. Every call opens and closes it, so threads and
    later programs can use the same one; OSError says why it cannot be used. Raises ValueError for
    ":memory:" and "", names that SQLite does not keep.
    """

    path: str | Path

    def __post_init__(self):
        if str(self.path) in (":memory:", ""):
            raise ValueError(
                "Notes in memory end with the program; give the name of a file, such as "
                "notes.sqlite."
            )

    def add(self, text: str) -> int:
        """Keep a note; returns its number. One that is there already keeps its number.

        Raises ValueError for an empty text.
        """
        text = sendable(text).strip()
        if not text:
            raise ValueError("The note is empty; write what should be remembered.")
        with self._opened() as file:
            file.execute("INSERT OR IGNORE INTO notes (text) VALUES (?)", (text,))
            (number,) = file.execute("SELECT number FROM notes WHERE text = ?", (text,))
        return number[0]

    def all(self) -> dict[int, str]:
        """All that is kept: number and text, the oldest first."""
        with self._opened() as file:
            return dict(file.execute("SELECT number, text FROM notes ORDER BY number"))

    def find(self, question: str, n: int = 3) -> list[str]:
        """The n notes that share the most with a question, the best first (see `words.ranked`)."""
        texts = list(self.all().values())
        return [texts[place] for place in ranked(question, texts)[:n]]

    def delete(self, number: int) -> None:
        """Delete a note; its words are then no longer in the file.

        Raises KeyError for a number that is not there.
        """
        with self._opened() as file:
            if not file.execute("DELETE FROM notes WHERE number = ?", (number,)).rowcount:
                raise KeyError(f"There is no note {number}; all() shows those that exist.")

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        """The file, with its table; what was done is kept unless something is raised."""
        try:
            with closing(sqlite3.connect(self.path)) as file, file:
                file.execute("PRAGMA secure_delete = ON")  # else deleted words stay in the file
                file.execute(
                    "CREATE TABLE IF NOT EXISTS notes "
                    "(number INTEGER PRIMARY KEY AUTOINCREMENT, text TEXT UNIQUE)"
                )
                yield file
        except sqlite3.Error as error:
            raise OSError(
                f"The notes in {self.path} cannot be used: {error}. Nothing was changed. Look at "
                "the disk's room, at the folder, and whether it is a file of notes."
            ) from None
