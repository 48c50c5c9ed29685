"""Recordings: replies of the embedded model, asked for once and kept beside the lab.

The stored notebooks show these, so that they are the same on every machine. A recording is a
file of JSON Lines, one for each notebook. `make record NB=05` writes the one of notebook 05.

>>> Recording(EmbeddedModel(max_tokens=60))
Recording(EmbeddedModel(max_tokens=60))
"""

import hashlib
import json
import os
import random
import sys
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from importlib import metadata
from pathlib import Path

from react_lab.files import append, write
from react_lab.models import native_text
from react_lab.models.embedded import (
    DATA,
    ENGINE_VERSION,
    EmbeddedModel,
    Served,
    identity,
    last_served,
)
from react_lab.models.reply import Message, ModelError, Reply

FOLDER = DATA / "recordings"
FIGURES = ("text", "finish_reason", "tokens_in", "tokens_out", "tokens_cached", "seconds")


class NotRecorded(ModelError):
    """This prompt is not in the recording."""


@dataclass(frozen=True)
class Entry:
    """One recorded reply, and what is needed to ask for it again.

    key: of the request, see `key`. start: the last message's first 80 characters, for people.
    parent: the key of the entry that the engine had served just before and built on, or None.
    shared: how many messages are the parent's. new: the messages behind those.
    options: the fields of the EmbeddedModel. The others are those of the Reply.
    """

    key: str
    start: str
    parent: str | None
    shared: int
    new: list[Message]
    options: dict
    text: str
    finish_reason: str | None
    tokens_in: int | None
    tokens_out: int | None
    tokens_cached: int | None
    seconds: float

    @property
    def reply(self) -> Reply:
        """What the model replied then."""
        return Reply(**{figure: getattr(self, figure) for figure in FIGURES})


def key(
    model: EmbeddedModel,
    messages: list[Message],
    tools: list[dict] | None = None,
    after: str | None = None,
) -> str:
    """The name of a request: SHA-256 of all that decides its reply, as canonical JSON.

    after: the key of the request before, or None. It counts where the model always uses the
    cache (`cache="on"`): the same prompt then has as many figures as there are ways to it.
    """
    request = {"messages": messages, "tools": tools or None, "options": asdict(model)}
    if after and model.cache == "on":
        request["after"] = after
    whole = _json(request | identity(model.adapter), sort_keys=True)
    return hashlib.sha256(whole.encode()).hexdigest()


class Tape:
    """The entries of all files in a folder; with a name, also the file that is being written.

    Writing goes to NAME.jsonl.part, an entry at a time and only entries in use, so that a
    recording that was broken off can be taken up again.
    """

    def __init__(self, folder: Path, name: str | None = None):
        self.entries: dict[str, Entry] = {}
        for path in sorted(folder.glob("*.jsonl")):
            self.entries |= _read(path)
        self.part = folder / f"{name}.jsonl.part"
        self.kept = _read(self.part) if name else {}
        if self.kept:
            _write(self.part, self.kept.values())  # without a line that was cut off
        self.entries |= self.kept
        self.last: Entry | None = None

    def messages(self, entry: Entry) -> list[Message]:
        """The whole request of an entry."""
        before = self.messages(self.entries[entry.parent]) if entry.parent else []
        return before[: entry.shared] + entry.new

    def line(self, entry: Entry) -> list[Entry]:
        """An entry and those it was built on, the oldest first."""
        before = self.line(self.entries[entry.parent]) if entry.parent else []
        return [*before, entry]

    def take(self, model: EmbeddedModel, messages: list[Message], name: str) -> Entry:
        """The entry with this key; the live model is asked if it does not exist yet."""
        entry = self.entries.get(name) or self._record(model, messages, name)
        self.part.parent.mkdir(parents=True, exist_ok=True)
        for one in self.line(entry):
            if one.key not in self.kept:
                append(self.part, f"{_json(asdict(one))}\n".encode())
                self.kept[one.key] = one
        self.last = entry
        return entry

    def _record(self, model: EmbeddedModel, messages: list[Message], name: str) -> Entry:
        """Ask the live model, as it would have been asked had nothing been recorded before."""
        _check_engine()
        parent, shared = None, 0
        if self.last and model.uses_cache(messages, before := self._served(self.last)):
            parent, shared = self.last.key, _common(before.messages, messages)
            if last_served() != before:  # it came from the file, or other requests came between
                self.ask_line(self.last)
        reply = _ask(model, messages, parent)
        figures = {figure: getattr(reply, figure) for figure in FIGURES}
        figures["seconds"] = round(reply.seconds, 3)
        start, new = _start(messages), messages[shared:]
        entry = Entry(name, start, parent, shared, new, asdict(model), **figures)
        self.entries[name] = entry
        return entry

    def ask_line(self, entry: Entry) -> Reply:
        """Ask the live model for an entry again, whatever it was built on first."""
        for one in self.line(entry):
            reply = _ask(EmbeddedModel(**one.options), self.messages(one), one.parent)
        return reply

    def _served(self, entry: Entry) -> Served:
        return Served(self.messages(entry), entry.text, entry.options["adapter"])


@dataclass(frozen=True, repr=False)
class Recording:
    """The embedded model from its recording: `recording(messages) -> Reply`.

    model: the EmbeddedModel whose replies these are. mode: "replay", which needs no engine, or
    "record:NAME", which asks the live model for what is missing and writes NAME.jsonl.part.
    folder: where the files are, None for the lab's own.

    In replay it raises NotRecorded for a prompt that was never recorded. At a temperature above
    0 the recorded reply is one draw, and stays it.
    """

    model: EmbeddedModel = field(default_factory=EmbeddedModel)
    mode: str = "replay"
    folder: Path | None = None

    def __post_init__(self):
        kind, _, name = self.mode.partition(":")
        if (kind, bool(name)) not in (("replay", False), ("record", True)):
            raise ValueError(f"A recording's mode is 'replay' or 'record:NAME', not {self.mode!r}.")

    def __call__(self, messages: list[Message], tools: list[dict] | None = None) -> Reply:
        if native_text.needed(messages, tools):
            return native_text.ask(self, messages, tools)  # recorded as the text that it becomes
        notebook = self.mode.partition(":")[2]
        tape = _tape(self.folder or FOLDER, notebook or None)
        with self.model.alone():
            name = key(self.model, messages, after=tape.last and tape.last.key)
            if notebook:
                return tape.take(self.model, messages, name).reply
            if name in tape.entries:
                tape.last = tape.entries[name]
                return tape.last.reply
        raise NotRecorded(
            f"This prompt is not in the recording: {_start(messages)!r}. "
            "Record it with: make record NB=00 (the notebook's number), "
            "or ask the live model: unset REACT_LAB_RECORDING"
        )

    def alone(self):
        """As of the EmbeddedModel: a context manager that keeps other threads waiting."""
        return self.model.alone()

    def __repr__(self) -> str:
        return f"Recording({self.model!r})"  # the same in both modes, so that it can be stored


@dataclass(frozen=True)
class Again:
    """An entry that was asked again. start: its last message. The two texts must be equal."""

    key: str
    start: str
    recorded: str
    live: str


def ask_again(n: int = 20, seed: int = 0, folder: Path | None = None) -> list[Again]:
    """Ask the live model for n entries, drawn at random from all files of the folder.

    Whatever an entry was built on is asked first. Entries of a temperature above 0 are not
    drawn. Raises ModelError when an entry belongs to another engine, other weights or another
    adapter than the lab has now.
    """
    _check_engine()
    tape = Tape(folder or FOLDER)
    certain = sorted(k for k, entry in tape.entries.items() if not entry.options["temperature"])
    found = []
    for name in random.Random(seed).sample(certain, min(n, len(certain))):
        for entry in tape.line(tape.entries[name]):
            model, messages = EmbeddedModel(**entry.options), tape.messages(entry)
            if key(model, messages, after=entry.parent) != entry.key:
                raise ModelError(
                    f"{entry.start!r} was recorded with another engine, other weights or "
                    "another adapter. Record again with: make record"
                )
        with EmbeddedModel().alone():
            found.append(Again(name, entry.start, entry.text, tape.ask_line(entry).text))
    return found


def record(notebook: Path, folder: Path | None = None) -> int:
    """Run a notebook in place and write its recording; returns the number of its entries.

    What is recorded already is not asked again. What the notebook no longer asks is dropped
    once it has run to its end. Whatever a cell raises ends it; run it again to go on.
    """
    import nbclient
    import nbformat

    _check_engine()
    folder = folder or FOLDER
    file, part = folder / f"{notebook.stem}.jsonl", folder / f"{notebook.stem}.jsonl.part"
    folder.mkdir(parents=True, exist_ok=True)
    if part.exists():  # of a run that was broken off
        _write(file, (_read(file) | _read(part)).values())
        part.unlink()
    content = nbformat.read(notebook, as_version=4)
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("LLM_", "OPENAI_"))}
    nbclient.NotebookClient(
        content,
        timeout=600,
        kernel_name="python3",
        store_widget_state=False,
        record_timing=False,
        coalesce_streams=True,  # else the pieces of one output depend on the time
        resources={"metadata": {"path": str(notebook.parent)}},
    ).execute(env=environment | {"REACT_LAB_RECORDING": f"record:{notebook.stem}"})
    content.metadata = {
        "kernelspec": {
            "display_name": "Python 3 (ipykernel)",
            "language": "python",
            "name": "python3",
        },
        "language_info": {"name": "python"},
    }
    for cell in content.cells:
        cell.metadata.pop("execution", None)
        for output in cell.get("outputs", ()):
            if output.output_type == "error":  # a whole traceback names folders of this machine
                output.traceback = [f"{output.ename}: {output.evalue}"]
    entries = _read(part)
    _write(file, entries.values())
    part.unlink(missing_ok=True)
    write(notebook, f"{nbformat.writes(content)}\n".encode())
    return len(entries)


@cache  # the files are read once
def _tape(folder: Path, name: str | None) -> Tape:
    return Tape(folder, name)


def _check_engine() -> None:
    """A recording is only worth something with the engine that the lab is pinned to."""
    try:
        installed = metadata.version("xllamacpp")
    except metadata.PackageNotFoundError:
        installed = None
    if installed != ENGINE_VERSION:
        raise ModelError(
            f"A recording needs the engine {ENGINE_VERSION}, here is {installed}. "
            f"Run: python -m pip install xllamacpp=={ENGINE_VERSION}"
        )


def _read(path: Path) -> dict[str, Entry]:
    """The entries of a file by key; a last line that was cut off does not count."""
    if not path.exists():
        return {}
    whole = path.read_text("utf-8").split("\n")[:-1]
    entries = [Entry(**json.loads(line)) for line in whole]
    return {entry.key: entry for entry in entries}


def _write(path: Path, entries: Iterable[Entry]) -> None:
    """Write a whole file at once; without entries there is none."""
    lines = [_json(asdict(entry)) + "\n" for entry in entries]
    if not lines:
        path.unlink(missing_ok=True)
        return
    write(path, "".join(lines).encode())


def _ask(model: EmbeddedModel, messages: list[Message], parent: str | None) -> Reply:
    """Ask the live engine, which must have served the parent last, if there is one."""
    return replace(model, cache="on" if parent else "off")(messages)


def _start(messages: list[Message]) -> str:
    return str(messages[-1]["content"])[:80]


def _common(a: list[Message], b: list[Message]) -> int:
    """How many messages two lists have in common at their start."""
    pairs = zip(a, b, strict=False)
    return next((place for place, (x, y) in enumerate(pairs) if x != y), min(len(a), len(b)))


def _json(value: object, sort_keys: bool = False) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=sort_keys)


def main(names: list[str]) -> int:
    """`python -m react_lab.models.recording 00 05`: record these notebooks, without names all."""
    notebooks = sorted(Path("notebooks").glob("*.ipynb"))
    chosen = [path for path in notebooks if not names or path.name.startswith(tuple(names))]
    for notebook in chosen:
        sys.stdout.write(f"{notebook.name}: {record(notebook)} replies\n")
    if not chosen:
        sys.stderr.write("There is no such notebook in notebooks/. Give its number, such as 05.\n")
    return 0 if chosen else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
