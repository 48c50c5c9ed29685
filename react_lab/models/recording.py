"""Recordings: replies of the embedded model, asked for once and kept beside the lab.

The stored notebooks show these, so they are the same on every machine, and a request that is
recorded is answered at once. A recording is a file of JSON Lines, one for each notebook.
`make record NB=05` writes the one for notebook 05.

>>> Recording(EmbeddedModel(max_tokens=60))
Recording(EmbeddedModel(max_tokens=60))
"""

import hashlib
import json
import os
import random
import sys
from collections import Counter
from collections.abc import Iterable
from contextlib import AbstractContextManager, closing
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

from react_lab.files import append, write
from react_lab.models import engine, native_text
from react_lab.models.embedded import EmbeddedModel
from react_lab.models.reply import Message, ModelError, Reply
from react_lab.models.weights import DATA
from react_lab.tracking import track

FOLDER = DATA / "recordings"
FIGURES = ("text", "finish_reason", "tokens_in", "tokens_out", "tokens_cached", "seconds")
# In a file: the texts that come more than once, and the place of one where it comes.
TEXTS, SAME, LONG = "texts", "same", 200
REPLAY, REPLAY_OR_LIVE = "replay", "replay or live"


class NotRecorded(ModelError):
    """This prompt is not in the recording."""


@dataclass(frozen=True)
class Entry:
    """One recorded reply, and what is needed to ask for it again.

    Attributes:
        key: The name of the request, see `key`.
        start: The first 80 characters of the last message, for people.
        parent: The key of the entry asked just before, if this request begins with its messages
            and reply or the engine built on it; otherwise None.
        shared: How many messages are the parent's.
        new: The messages after those.
        options: The fields of the EmbeddedModel.
        text: This and the following fields are those of the Reply.
    """

    key: str
    start: str
    parent: str | None
    shared: int
    new: list[Message]
    options: dict[str, Any]
    text: str
    finish_reason: str | None
    tokens_in: int | None
    tokens_out: int | None
    tokens_cached: int | None
    seconds: float

    @property
    def reply(self) -> Reply:
        """What the model replied."""
        return Reply(**{figure: getattr(self, figure) for figure in FIGURES}, recorded=True)


def key(
    model: EmbeddedModel,
    messages: list[Message],
    tools: list[dict[str, Any]] | None = None,
    after: str | None = None,
) -> str:
    """The name of a request: SHA-256 of everything that decides its reply, as canonical JSON.

    Args:
        model: The model that is asked.
        messages: The whole request.
        tools: Schemas for native calls.
        after: The key of the request before, or None. It counts only for `cache="on"`: there the
            reply depends on what the engine computed before.
    """
    request: dict[str, object] = {
        "messages": messages,
        "tools": tools or None,
        "options": asdict(model),
    }
    if after and model.cache == "on":
        request["after"] = after
    whole = _json(request | engine.identity(model.adapter), sort_keys=True)
    return hashlib.sha256(whole.encode()).hexdigest()


class Tape:
    """The entries of all files in a folder; with a name, also the file that is being written.

    It writes to NAME.jsonl.part, an entry at a time and only entries in use, so that a recording
    that was interrupted can be continued.

    Attributes:
        last: The entry that was used last, or None.
        after: The key of this entry; "live" after a live reply.
    """

    def __init__(self, folder: Path, name: str | None = None) -> None:
        self.entries: dict[str, Entry] = {}
        for path in sorted(folder.glob("*.jsonl")):
            self.entries |= _read(path)
        self.part = folder / f"{name}.jsonl.part"
        self.kept = _read(self.part) if name else {}
        if self.kept:
            _write(self.part, self.kept.values())  # without a line that was cut off
        self.entries |= self.kept
        self.last: Entry | None = None
        self.after: str | None = None

    def messages(self, entry: Entry) -> list[Message]:
        """The whole request of an entry."""
        before = self.messages(self.entries[entry.parent]) if entry.parent else []
        return before[: entry.shared] + entry.new

    def line(self, entry: Entry) -> list[Entry]:
        """An entry and those that it was built on, the oldest first."""
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
        self.use(entry)
        return entry

    def use(self, entry: Entry) -> Reply:
        """Note that this entry is used, and return its reply."""
        self.last, self.after = entry, entry.key
        return entry.reply

    def _record(self, model: EmbeddedModel, messages: list[Message], name: str) -> Entry:
        """Ask the live model, as it would have been asked had nothing been recorded before."""
        _check_engine()
        last = self._served(self.last) if self.last else None
        parent, shared = None, 0
        if self.last and engine.builds_on(last, messages, model.adapter, model.cache):
            parent, shared = self.last.key, _common(self.messages(self.last), messages)
            if _depends_on_order(model) and engine.last_served() != last:
                self.ask_line(self.last)  # it came from the file, or others were asked since
        reply = _ask(model, messages, parent)
        if not _depends_on_order(model):  # nor may the count of cached tokens
            again = last if last and last.adapter == model.adapter else None
            cached = engine.shared_tokens(again.messages, messages) if again else 0
            reply = replace(reply, tokens_cached=cached if model.cache == "auto" else 0)
        figures = {figure: getattr(reply, figure) for figure in FIGURES}
        figures["seconds"] = round(reply.seconds, 3)
        start, new = _start(messages), messages[shared:]
        entry = Entry(name, start, parent, shared, new, asdict(model), **figures)
        self.entries[name] = entry
        return entry

    def ask_line(self, entry: Entry) -> Reply:
        """Ask the live model for an entry again, after the entries that it was built on."""
        ordered = _depends_on_order(EmbeddedModel(**entry.options))
        for one in self.line(entry) if ordered else [entry]:
            reply = _ask(EmbeddedModel(**one.options), self.messages(one), one.parent)
        return reply

    def _served(self, entry: Entry) -> engine.Served:
        return engine.Served(self.messages(entry), entry.text, entry.options["adapter"])


@dataclass(frozen=True, repr=False)
class Recording:
    """The embedded model from its recording: `recording(messages) -> Reply`.

    At a temperature above 0 the recorded reply is one draw, and a replay returns the same draw
    each time; "replay or live" therefore always asks the live model then.

    Attributes:
        model: The EmbeddedModel whose replies these are.
        mode: "replay" needs no engine, and raises NotRecorded for a request that is not recorded.
            "replay or live" asks the live model for such a request. "record:NAME" does so too,
            and writes NAME.jsonl.part.
        folder: Where the files are; None for the lab's own.
    """

    model: EmbeddedModel = field(default_factory=EmbeddedModel)
    mode: str = REPLAY
    folder: Path | None = None
    languages = EmbeddedModel.languages  # not a field

    def __post_init__(self) -> None:
        kind, _, name = self.mode.partition(":")
        if self.mode not in (REPLAY, REPLAY_OR_LIVE) and (kind != "record" or not name):
            raise ValueError(
                f"A recording's mode is {self.mode!r}. Give {REPLAY!r}, {REPLAY_OR_LIVE!r} or "
                "'record:NAME'."
            )

    def __call__(self, messages: list[Message], tools: list[dict[str, Any]] | None = None) -> Reply:
        """Return the model's reply to these messages."""
        if native_text.needed(messages, tools):
            return native_text.ask(self, messages, tools)  # recorded as the text that it becomes
        notebook = self.mode.partition(":")[2]
        tape = _tape(self.folder or FOLDER, notebook or None)
        with self.model.alone():
            name = key(self.model, messages, after=tape.after)
            if notebook:
                return tape.take(self.model, messages, name).reply
            if name in tape.entries and (self.mode == REPLAY or self._is_what_live_would_say()):
                return tape.use(tape.entries[name])
            if self.mode == REPLAY_OR_LIVE:
                tape.last, tape.after = None, "live"
                return self.model(messages)
        raise NotRecorded(
            f"This request is not recorded: {_start(messages)!r}. "
            "Record it with: make record NB=00 (the notebook's number), "
            "or ask the live model: unset REACT_LAB_RECORDING"
        )

    def _is_what_live_would_say(self) -> bool:
        """Whether the live model would give the recorded text: not if it draws at random."""
        return not self.model.temperature and _installed() in (None, engine.ENGINE_VERSION)

    def alone(self) -> AbstractContextManager[object]:
        """The same as for the EmbeddedModel: other threads wait until it ends."""
        return self.model.alone()

    def __repr__(self) -> str:
        return f"Recording({self.model!r})"  # the same in every mode, so that it can be stored


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
    """Run a notebook in place, write its recording and return the number of its entries.

    What is recorded already is not asked again. What the notebook no longer asks is dropped
    once it has run to its end, and what another notebook's recording holds is not kept twice.
    Whatever a cell raises ends it; run it again to go on.
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
    content: Any = nbformat.read(notebook, as_version=4)  # type: ignore[no-untyped-call]
    bar = track([cell for cell in content.cells if cell.cell_type == "code"])
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("LLM_", "OPENAI_"))}
    client = nbclient.NotebookClient(
        content,
        timeout=600,
        kernel_name="python3",
        store_widget_state=False,
        record_timing=False,
        coalesce_streams=True,  # else the pieces of one output depend on the time
        resources={"metadata": {"path": str(notebook.parent)}},
        on_cell_executed=lambda **_: bar.advance(),
    )
    with closing(bar):
        client.execute(env=environment | {"REACT_LAB_RECORDING": f"record:{notebook.stem}"})
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
    others = {key for path in folder.glob("*.jsonl") if path != file for key in _read(path)}
    _write(file, [entry for entry in entries.values() if entry.key not in others])
    part.unlink(missing_ok=True)
    text = nbformat.writes(content)  # type: ignore[no-untyped-call]
    write(notebook, f"{text}\n".encode())
    return len(entries)


@cache  # the files are read once
def _tape(folder: Path, name: str | None) -> Tape:
    return Tape(folder, name)


def _check_engine() -> None:
    """Raise ModelError unless the engine is the one to which the lab is pinned."""
    if (installed := _installed()) != engine.ENGINE_VERSION:
        raise ModelError(
            f"A recording needs the engine {engine.ENGINE_VERSION}, but {installed} is installed. "
            f"Run: python -m pip install xllamacpp=={engine.ENGINE_VERSION}"
        )


@cache
def _installed() -> str | None:
    """The version of the installed engine, or None."""
    try:
        return metadata.version("xllamacpp")
    except metadata.PackageNotFoundError:
        return None


def _depends_on_order(model: EmbeddedModel) -> bool:
    """Whether a reply depends on what the engine was asked before."""
    return model.cache == "on" or (model.cache == "auto" and not engine.SHARED_START)


def _read(path: Path) -> dict[str, Entry]:
    """Return the entries of a file by key; a last line that was cut off does not count."""
    if not path.exists():
        return {}
    lines = [json.loads(line) for line in path.read_text("utf-8").split("\n")[:-1]]
    texts: list[str] = []
    entries = []
    for line in lines:
        if TEXTS in line:
            texts = line[TEXTS]
            continue
        for message in line["new"]:
            if SAME in message:
                message["content"] = texts[message.pop(SAME)]
        entries.append(Entry(**line))
    return {entry.key: entry for entry in entries}


def _write(path: Path, entries: Iterable[Entry]) -> None:
    """Write a whole file at once; without entries there is none.

    Many requests begin with the same system prompt. A long text that comes twice is written once,
    in the first line, and named by its place there.
    """
    found = [asdict(entry) for entry in entries]
    if not found:
        path.unlink(missing_ok=True)
        return
    messages = [message for entry in found for message in entry["new"]]
    counts = Counter(str(one["content"]) for one in messages)
    texts = [text for text, count in counts.items() if count > 1 and len(text) > LONG]
    places = {text: place for place, text in enumerate(texts)}
    for message in messages:
        if (place := places.get(str(message["content"]))) is not None:
            del message["content"]
            message[SAME] = place
    lines: list[dict[str, Any]] = [{TEXTS: texts}] if texts else []
    write(path, "".join(_json(line) + "\n" for line in [*lines, *found]).encode())


def _ask(model: EmbeddedModel, messages: list[Message], parent: str | None) -> Reply:
    """Ask the live engine, which must have served the parent last if the order counts."""
    if _depends_on_order(model):
        model = replace(model, cache="on" if parent else "off")
    return model(messages)


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
