"""Memory: give a run the earlier conversation, and keep notes after the program ends.

A run contains only its own question. `Earlier` puts the conversation so far before the question:

    first = agent.run("How warm is it in Oslo?")
    then = replace(agent, fit=Earlier(summary([first]))).run("And in Rome?")

`Notes` keeps short texts in a file, and `Recall` adds the texts that fit a question, also in a
later session of the program:

    notes = Notes("notes.sqlite")
    notes.add(note_of(first))
    later = replace(agent, fit=Recall(notes)).run("How warm was it in Oslo?")

>>> Earlier(["what was said"])(["system prompt", "question"])
['system prompt', 'what was said', 'question']
"""

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from react_lab.context import _Checked, added, calls_of, join, language_of, split
from react_lab.models.reply import Message
from react_lab.parser.fields import believed
from react_lab.prompt import CONTEXT
from react_lab.ranking import ranked
from react_lab.registry.results import sendable
from react_lab.trace import Run

# Within a conversation --------------------------------------------------------------------


def nothing(runs: Iterable[Run]) -> list[Message]:
    """Keep nothing: each question is asked alone."""
    return []


def summary(runs: Iterable[Run]) -> list[Message]:
    """Return of each run with an answer the question as it was sent, and the last reply."""
    return [one for run in runs if run.answer for one in (_own(run)[0], _own(run)[-1])]


def whole(runs: Iterable[Run]) -> list[Message]:
    """Return, for each run with an answer, the question, every round and the last reply."""
    found = []
    for number, run in enumerate(runs):
        found += [_renamed(one, number) for one in _own(run)] if run.answer else []
    return found


def _own(run: Run) -> list[Message]:
    """Return the messages of a run from its question on, as last sent, and its last reply.

    In the first round the question is the last message; messages before it are older.
    """
    last = run.last_word or run.steps[-1]
    first = len((run.steps or (last,))[0].sent) - 1
    return [*last.sent[first:], {"role": "assistant", "content": believed(last.reply.text)}]


def _renamed(one: Message, number: int) -> Message:
    """Give the native calls of a message ids that no other run of the conversation uses."""
    name = f"{number:02}"
    if one["role"] == "tool":
        return {**one, "tool_call_id": name + str(one["tool_call_id"])[-7:]}
    if one.get("tool_calls"):
        calls = [{**call, "id": name + call["id"][-7:]} for call in calls_of(one)]
        return {**one, "tool_calls": calls}
    return one


@dataclass(frozen=True)
class Earlier:
    """A policy for `Agent(fit=...)`: earlier messages between system prompt and question.

    To shorten the new run as well, shorten first: `lambda sent: earlier(KeepRounds()(sent))`.
    """

    messages: Sequence[Message]

    def __call__(self, messages: list[Message]) -> list[Message]:
        """Return the messages to send."""
        return [*messages[:1], *self.messages, *messages[1:]]


# On disk ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Notes:
    """Short texts in a file (SQLite), until you delete them.

    Every call opens and closes the file, so threads and later programs can use the same one.

    Args:
        path: the file; the first note creates it.

    Raises:
        ValueError: path is ":memory:" or "", which SQLite does not store.
        OSError: the file cannot be used; the message says why. Raised by each method.
    """

    path: str | Path

    def __post_init__(self) -> None:
        if str(self.path) in (":memory:", ""):
            raise ValueError(
                "Notes in memory end with the program; give the name of a file, such as "
                "notes.sqlite."
            )

    def add(self, text: str) -> int:
        """Keep a note and return its number. An existing note keeps its number.

        Raises:
            ValueError: an empty text.
        """
        text = sendable(text).strip()
        if not text:
            raise ValueError("The note is empty; write what should be remembered.")
        with self._opened() as file:
            file.execute("INSERT OR IGNORE INTO notes (text) VALUES (?)", (text,))
            (number,) = file.execute("SELECT number FROM notes WHERE text = ?", (text,))
        return int(number[0])

    def all(self) -> dict[int, str]:
        """Return all notes: number and text, the oldest first."""
        with self._opened() as file:
            return dict(file.execute("SELECT number, text FROM notes ORDER BY number"))

    def find(self, question: str, n: int = 3) -> list[str]:
        """Return the n notes that share the most words with a question, the best first."""
        texts = list(self.all().values())
        return [texts[place] for place in ranked(question, texts)[:n]]

    def delete(self, number: int) -> None:
        """Delete a note; its words are then no longer in the file.

        Raises:
            KeyError: there is no note with this number.
        """
        with self._opened() as file:
            if not file.execute("DELETE FROM notes WHERE number = ?", (number,)).rowcount:
                raise KeyError(f"There is no note {number}; all() shows those that exist.")

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        """Open the file, with its table; changes are kept unless something is raised."""
        try:
            with closing(sqlite3.connect(self.path)) as file, file:
                file.execute("PRAGMA secure_delete = ON")  # or deleted words stay in the file
                file.execute(
                    "CREATE TABLE IF NOT EXISTS notes "
                    "(number INTEGER PRIMARY KEY AUTOINCREMENT, text TEXT UNIQUE)"
                )
                yield file
        except sqlite3.Error as error:
            raise OSError(
                f"The notes in {self.path} cannot be used: {error}. Nothing was changed. Check "
                "the free space, the folder, and that the file was made by Notes."
            ) from None


# From one session to the next -------------------------------------------------------------


def note_of(run: Run, language: str = "en") -> str:
    """Return a run as a note: its question and its answer, on one line.

    Raises:
        ValueError: the run has no answer, so there is nothing to keep.
    """
    if not run.answer:
        raise ValueError("This run has no answer. Keep a note only of a run that answered.")
    text = CONTEXT[language]["note"].format(question=run.question, answer=run.answer)
    return " ".join(text.split())


@dataclass(frozen=True)
class Recall(_Checked):
    """A policy for `Agent(fit=...)`: the notes that fit the question come after it.

    The notes are read again in each round. If no note shares a word with the question, nothing is
    added.

    Args:
        notes: where they are kept.
        n: how many are sent at most.
    """

    notes: Notes
    n: int = 3

    def __call__(self, messages: list[Message]) -> list[Message]:
        """Return the messages to send."""
        head, rounds = split(messages)
        found = self.notes.find(str(head[-1]["content"] or ""), self.n) if head else []
        if not found:
            return messages
        title = CONTEXT[language_of(messages)]["notes"]
        return join(added(head, "\n".join([title, *(f"- {text}" for text in found)])), rounds)
