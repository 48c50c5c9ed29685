"""Trace: what happened, as values. A Run is frozen: each step gives a new one.

>>> run = Run("What is 2+2?")
>>> run.finished, run.answer, len(run.steps)
(False, None, 0)
"""

import json
import math
import re
import time
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from warnings import warn

from react_lab.files import append, write
from react_lab.keys import masked
from react_lab.models.reply import Message, Reply, tokens_of
from react_lab.parser.moves import Action, FinalAnswer, Malformed, Move
from react_lab.registry.registry import Observation

VERSION = 2  # 2: a step can hold several calls; files of version 1 are read as before


@dataclass(frozen=True)
class Step:
    """One round.

    Attributes:
        sent: the messages as the model got them.
        reply: the whole reply.
        move: what the parser read in the reply.
        observation: the program's answer; None after a final answer, and for a call that waits
            for a person.
        also: further calls of the same reply, each with its observation (native calls only).
        at: when the reply was read, in seconds since 1970; None in a file that an older react_lab
            wrote.
    """

    sent: tuple[Message, ...]
    reply: Reply
    move: Move
    observation: Observation | None = None
    also: tuple[tuple[Move, Observation | None], ...] = ()
    at: float | None = field(default_factory=time.time, compare=False, repr=False)

    @property
    def moves(self) -> tuple[tuple[Move, Observation | None], ...]:
        """Every move of this step with its observation, in the order of the reply."""
        return ((self.move, self.observation), *self.also)

    def once(self, key: Hashable, make: Callable[[], Any]) -> Any:
        """Return the result of `make`, and cache it under `key`.

        A step never changes, and the loop goes through all steps in every round, so anything
        derived from a step is computed once. Do not change the result.
        """
        known = vars(self).setdefault("_known", {})
        if key not in known:
            known[key] = make()
        return known[key]

    @property
    def waiting(self) -> Action | Malformed | None:
        """The first move of this step that has no observation yet and needs one."""
        unseen = (move for move, seen in self.moves if seen is None)
        return next((move for move in unseen if not isinstance(move, FinalAnswer)), None)

    def filled(self, observation: Observation) -> "Step":
        """Return this step with the observation for the move that is `waiting`."""
        moves, place = list(self.moves), [seen for _, seen in self.moves].index(None)
        moves[place] = (moves[place][0], observation)
        return replace(self, observation=moves[0][1], also=tuple(moves[1:]))


@dataclass(frozen=True)
class Run:
    """One question and its steps so far.

    Args:
        question: a text.
        steps: the finished rounds, in order.
        stop: None while the run can continue, "needs approval" while it waits, otherwise why it
            ended ("answered", "step limit", ...).
        note: what a person should know about the end.
        last_word: the extra round after a limit stopped the run; it is not one of the steps.

    Raises:
        ValueError: the question is not a string.
    """

    question: str
    steps: tuple[Step, ...] = ()
    stop: str | None = None
    note: str = ""
    last_word: Step | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.question, str):
            raise ValueError(f"The question is {self.question!r}; give a text, in quotes.")
        object.__setattr__(self, "question", masked(self.question))

    @property
    def finished(self) -> bool:
        """True only if the model answered by itself, within all limits."""
        return self.stop == "answered"

    @property
    def answer(self) -> str | None:
        """The final answer, or the best answer at a limit (then `finished` is False)."""
        last = self.last_word or (self.steps[-1] if self.steps else None)
        return last.move.answer if last and isinstance(last.move, FinalAnswer) else None

    @property
    def pending(self) -> Action | None:
        """The call that waits for a person's approval, if `stop` is "needs approval"."""
        move = self.steps[-1].waiting if self.stop == "needs approval" else None
        return move if isinstance(move, Action) else None

    @property
    def replies(self) -> tuple[Reply, ...]:
        """Every reply of the model, the last word included."""
        rounds = self.steps + ((self.last_word,) if self.last_word else ())
        return tuple(step.reply for step in rounds)

    @property
    def tokens(self) -> int:
        """Tokens sent and received in the whole run; an endpoint that reports none counts as 0."""
        return tokens_of(self.replies)

    @property
    def seconds(self) -> float:
        """Seconds in the model and in the tools."""
        tools = (seen.seconds for step in self.steps for _, seen in step.moves if seen)
        return sum(reply.seconds for reply in self.replies) + sum(tools)


class Interrupted(KeyboardInterrupt):
    """A person interrupted a run. `run` has the steps so far, and can be continued."""

    def __init__(self, run: Run):
        super().__init__(f"The run was interrupted after {len(run.steps)} steps.")
        self.run = run


def keep(runs: Iterable[Run], path: str | Path) -> Iterator[Run]:
    """Write a run to a file while it happens.

    For example: `for run in keep(agent.stream(question), path): ...`

    Each new step is one line of JSON, written at once, so that a killed run leaves every finished
    step readable. An interrupted step is written too. Known keys (see react_lab.keys) are masked.
    If the disk is full, the run continues with a warning, and the next step tries to write
    everything that is missing.

    Args:
        runs: the growing Run, as `stream` yields it.
        path: the file to write.

    Yields:
        The runs, unchanged.

    Raises:
        OSError: the file cannot be created.
    """
    Path(path).write_bytes(b"")
    written = -1
    try:
        for run in runs:
            written = _add(run, path, written)
            yield run
    except Interrupted as interrupt:
        _add(interrupt.run, path, written)
        raise


def _add(run: Run, path: str | Path, written: int) -> int:
    """Append the missing lines. written: as in `_entries`. Return the number of steps now there."""
    try:
        append(Path(path), _lines(run, written))
    except OSError as error:
        warn(
            f"The trace {path} is incomplete: {error.strerror}. The run continues. Free some "
            "space, or write it elsewhere with save(run, path).",
            stacklevel=3,
        )
        return written
    return len(_done(run))


def _lines(run: Run, written: int) -> bytes:
    """Return the missing lines of a file, without any key. written: as in `_entries`."""
    entries = _entries(run, written)
    text = masked("".join(_line(entry) + "\n" for entry in entries))
    return text.encode()


def _line(entry: dict[str, Any]) -> str:
    """Return an entry as JSON that every reader takes: without NaN, half an emoji as its escape."""
    try:
        text = json.dumps(entry, ensure_ascii=False, allow_nan=False, default=str)
    except ValueError:
        text = json.dumps(_finite(entry), ensure_ascii=False, default=str)
    return re.sub("[\ud800-\udfff]", lambda half: f"\\u{ord(half[0]):04x}", text)


def _finite(value: object) -> object:
    """Return a value with NaN and Infinity as texts, because JSON has no such numbers."""
    if isinstance(value, float) and not math.isfinite(value):
        return {math.inf: "Infinity", -math.inf: "-Infinity"}.get(value, "NaN")
    if isinstance(value, dict):
        return {
            name if isinstance(name, str) else str(name): _finite(one)
            for name, one in value.items()
        }
    return [_finite(one) for one in value] if isinstance(value, list | tuple) else value


def save(run: Run, path: str | Path) -> None:
    """Write a whole run to a file of JSON Lines. Raises OSError and keeps an older file."""
    write(Path(path), _lines(run, -1))


def load(path: str | Path) -> Run:
    """Read a run from a file, even if the run was killed (its `stop` is then None).

    Raises:
        ValueError: the file is not a trace, or was written by a newer version.
    """
    run, sent = None, ()
    lines = Path(path).read_bytes().splitlines()  # of bytes: U+2028 in a text does not end a line
    for number, line in enumerate(lines, 1):
        try:
            run, sent = _read(json.loads(line), run, sent)
        except NewerTrace:
            raise ValueError(f"{path} was written by a newer react_lab. Update this one.") from None
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            if run is None or number < len(lines):
                raise ValueError(f"{path} is not a trace: line {number} cannot be read.") from None
            break  # the line that was being written when the run was killed
    if run is None:
        raise ValueError(f"{path} is empty: there is no run in it.")
    return run


class NewerTrace(Exception):
    """The file has a version that this react_lab does not know."""


def _done(run: Run) -> tuple[Step, ...]:
    """Return the steps without an open call; a step that waits is stored in the end line."""
    return run.steps[:-1] if run.pending else run.steps


def _entries(run: Run, written: int) -> Iterator[dict[str, Any]]:
    """Yield the missing lines. written: how many steps the file has, -1 if it has no head."""
    done, before = _done(run), [(), *(past.sent for past in run.steps)]
    rounds = run.steps + ((run.last_word,) if run.last_word else ())
    if written < 0:
        first = rounds[0].at - rounds[0].reply.seconds if rounds and rounds[0].at else time.time()
        yield {"kind": "run", "time": _clock(first), "version": VERSION, "question": run.question}
    for place in range(max(0, written), len(done)):
        yield {"kind": "step", "step": place + 1, **_pack(done[place], before[place])}
    if run.stop or run.note:  # an interrupted run has only a note
        sent = before[len(done)]
        last = run.last_word and _pack(run.last_word, sent)
        waiting = _pack(run.steps[-1], sent) if run.pending else None
        end = {"stop": run.stop, "note": run.note, "last_word": last, "waiting": waiting}
        number = {"step": len(done), "time": _clock(rounds[-1].at if rounds else time.time())}
        yield {"kind": "end", **number, **end}


def _read(
    entry: dict[str, Any], run: Run | None, sent: tuple[Message, ...]
) -> tuple[Run, tuple[Any, ...]]:
    """Return the run with one more line of its file, and what was sent at its last step."""
    if entry["kind"] == "run":
        if entry["version"] > VERSION:
            raise NewerTrace
        return Run(entry["question"]), ()
    if run is None:
        raise ValueError("the first line is not the head of a run")
    done = _done(run)
    if entry["kind"] == "step":
        step = _unpack(entry, sent)
        return Run(run.question, (*done, step)), step.sent
    last = entry["last_word"] and _unpack(entry["last_word"], sent)
    if entry.get("waiting"):
        done = (*done, _unpack(entry["waiting"], sent))
    return Run(run.question, done, entry["stop"], entry["note"], last), sent


def _clock(at: float | None) -> str | None:
    """Return a moment as ISO 8601 in UTC, to the millisecond."""
    return (
        None if at is None else datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds")
    )


def _pack(step: Step, before: tuple[Message, ...]) -> dict[str, Any]:
    """Return a step as plain data, with only the new messages of `sent`."""
    same = 0
    while same < min(len(before), len(step.sent)) and before[same] == step.sent[same]:
        same += 1
    return {
        "time": _clock(step.at),
        "messages": len(step.sent),
        "same": same,
        "new": list(step.sent[same:]),
        "reply": vars(step.reply),
        "moves": [
            {"type": type(move).__name__, **vars(move), "observation": seen and _seen(seen)}
            for move, seen in step.moves
        ],
    }


def _seen(seen: Observation) -> dict[str, Any]:
    """Return an observation as plain data, `whole` only where the result was cut."""
    return {name: value for name, value in vars(seen).items() if value or name != "whole"}


def _unpack(entry: dict[str, Any], before: tuple[Message, ...]) -> Step:
    """Return the step that `_pack` made plain."""
    reply = dict(entry["reply"])
    for name in ("tool_calls", "notes"):
        reply[name] = tuple(reply[name])
    first = {**entry["move"], "observation": entry["observation"]} if "move" in entry else None
    moves = tuple(_unpack_move(one) for one in ([first] if first else entry["moves"]))
    sent, at = before[: entry["same"]] + tuple(entry["new"]), entry.get("time")
    at = at and datetime.fromisoformat(at).timestamp()
    return Step(sent, Reply(**reply), *moves[0], moves[1:], at)


def _unpack_move(entry: dict[str, Any]) -> tuple[Move, Observation | None]:
    """A move and its observation."""
    kinds = {kind.__name__: kind for kind in (Action, FinalAnswer, Malformed)}
    seen, kind = entry.pop("observation"), kinds[entry.pop("type")]
    entry["repairs"] = tuple(entry["repairs"])
    return kind(**entry), seen and Observation(**seen)
