"""Recordings: written from the real engine, replayed without it, asked again."""

import json
import os
import subprocess
import sys
from dataclasses import asdict, replace

import nbformat
import pytest

from react_lab.models import ModelError, recording
from react_lab.models.embedded import EmbeddedModel
from react_lab.models.recording import NotRecorded, Recording, ask_again, key, record

BASE = EmbeddedModel(adapter=False, max_tokens=6)
HELLO = [{"role": "user", "content": "Say hello."}]


def more(messages, reply, text):
    said = {"role": "assistant", "content": reply.text}
    return [*messages, said, {"role": "user", "content": text}]


def conversation(model):
    """Two requests, the second extending the first."""
    first = model(HELLO)
    return first, model(more(HELLO, first, "Again, please."))


def fresh(folder, mode="replay", model=BASE):
    """The recording as a new process sees it."""
    recording._tape.cache_clear()
    return Recording(model, mode, folder)


def lines(path):
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """A folder with one recording: two requests that belong together, and one more."""
    folder = tmp_path_factory.mktemp("recordings")
    model = fresh(folder, "record:01_first")
    replies = [*conversation(model), model([{"role": "user", "content": "Name a colour."}])]
    (folder / "01_first.jsonl.part").rename(folder / "01_first.jsonl")
    return folder, replies


# The key


def test_the_key_is_the_checksum_of_the_whole_request():
    import hashlib

    canonical = (
        '{"adapter":null,"engine":"2026.10.11549","messages":[{"content":"é","role":"user"}],'
        '"options":{"adapter":false,"cache":"auto","grammar":null,"max_tokens":6,"stop":[],'
        '"temperature":0.0},"tools":null,'
        '"weights":"b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"}'
    )
    expected = hashlib.sha256(canonical.encode()).hexdigest()
    assert key(BASE, [{"role": "user", "content": "é"}]) == expected


def test_all_that_decides_the_words_changes_the_key(monkeypatch, tmp_path):
    options = dict(max_tokens=7, temperature=0.5, stop="x", grammar="root ::= [a-z]", cache="off")
    others = [replace(BASE, **{name: value}) for name, value in options.items()]
    keys = [key(model, HELLO) for model in (BASE, *others)]
    keys += [key(BASE, [{"role": "user", "content": "Say hello"}]), key(BASE, HELLO, [{"a": 1}])]
    for content in (b"one", b"two"):
        adapter = tmp_path / "adapter.gguf"
        adapter.write_bytes(content * 9)
        monkeypatch.setenv("REACT_LAB_ADAPTER", str(adapter))
        os.utime(adapter, ns=(0, len(keys)))
        keys.append(key(replace(BASE, adapter=True), HELLO))
    assert len(set(keys)) == 10
    assert key(BASE, HELLO) == keys[0]  # the base model's words do not hang on the adapter


# Writing


def test_an_entry_holds_the_reply_and_what_is_needed_to_ask_again(recorded):
    folder, (first, second, third) = recorded
    one, two, three = lines(folder / "01_first.jsonl")
    assert one["text"] == first.text and one["new"] == HELLO and one["parent"] is None
    assert one["key"] == key(BASE, HELLO) and one["start"] == "Say hello."
    assert two["parent"] == one["key"] and two["shared"] == 1
    assert [m["role"] for m in two["new"]] == ["assistant", "user"]
    assert two["tokens_cached"] >= one["tokens_in"] == first.tokens_in
    assert three["parent"] is None and three["tokens_cached"] == 0
    assert three["seconds"] == third.seconds > 0


def test_the_words_are_those_of_the_live_model(recorded):
    _, replies = recorded
    assert [r.text for r in conversation(BASE)] == [r.text for r in replies[:2]]


def test_what_is_recorded_is_not_asked_again(recorded, monkeypatch):
    folder, replies = recorded
    monkeypatch.setattr(recording, "_ask", None)  # asking would fail
    assert conversation(fresh(folder, "record:02_second")) == tuple(replies[:2])
    copied = (folder / "02_second.jsonl.part").read_text("utf-8")
    assert (folder / "01_first.jsonl").read_text("utf-8").startswith(copied)
    (folder / "02_second.jsonl.part").unlink()


def test_what_found_no_room_is_written_when_it_is_asked_for_again(recorded, little_room):
    folder, replies = recorded
    part, model = folder / "02_second.jsonl.part", fresh(folder, "record:02_second")
    little_room(100)
    with pytest.raises(OSError):
        model(HELLO)
    assert part.read_text("utf-8") == ""
    little_room(10**9)
    assert model(HELLO) == replies[0] and len(lines(part)) == 1
    part.unlink()


def test_a_recording_that_was_broken_off_gives_the_same_in_the_end(tmp_path, recorded):
    _, replies = recorded
    fresh(tmp_path, "record:01_first")(HELLO)
    part = tmp_path / "01_first.jsonl.part"
    with open(part, "a", encoding="utf-8") as file:
        file.write('{"key": "cut of')
    BASE([{"role": "user", "content": "Something else came between."}])
    first, second = conversation(fresh(tmp_path, "record:01_first"))
    assert second.tokens_cached == replies[1].tokens_cached
    assert (first.text, second.text) == (replies[0].text, replies[1].text)
    assert len(lines(part)) == 2


# Replay


def test_replay_needs_no_engine(recorded):
    folder, replies = recorded
    program = f"""
import sys
sys.modules["xllamacpp"] = sys.modules["openai"] = None  # importing them would fail
from react_lab.models.recording import EmbeddedModel, Path, Recording
model = Recording(EmbeddedModel(adapter=False, max_tokens=6), folder=Path({str(folder)!r}))
print(model({HELLO!r}) .text, end="")
"""
    run = [sys.executable, "-c", program]
    done = subprocess.run(run, capture_output=True, text=True, encoding="utf-8")
    assert done.stdout == replies[0].text, done.stderr


def test_replay_gives_the_reply_in_any_order_and_from_any_file(recorded):
    folder, replies = recorded
    model = fresh(folder)
    assert model([{"role": "user", "content": "Name a colour."}]) == replies[2]
    assert conversation(model) == tuple(replies[:2])


def test_a_prompt_that_was_never_recorded_is_told_with_the_command(recorded):
    with pytest.raises(NotRecorded, match="'Say goodbye.*make record NB="):
        fresh(recorded[0])([{"role": "user", "content": "Say goodbye" + "." * 100}])
    with pytest.raises(NotRecorded):
        fresh(recorded[0], model=replace(BASE, max_tokens=7))(HELLO)


def test_it_prints_the_same_in_both_modes():
    texts = {repr(Recording(BASE, mode)) for mode in ("replay", "record:00_start")}
    assert texts == {"Recording(EmbeddedModel(adapter=False, max_tokens=6))"}


@pytest.mark.parametrize("mode", ["", "record", "record:", "replay:x", "live", "off"])
def test_another_mode_is_refused(mode):
    with pytest.raises(ValueError, match="'record:NAME'"):
        Recording(BASE, mode)


def test_native_calls_are_recorded_as_the_text_that_they_become(recorded):
    tool = {"type": "function", "function": {"name": "now", "parameters": {}}}
    with pytest.raises(NotRecorded):
        fresh(recorded[0])(HELLO, tools=[tool])
    with pytest.raises(NotRecorded):
        fresh(recorded[0])([*HELLO, {"role": "tool", "tool_call_id": "1", "content": "noon"}])


# Recorded, otherwise live


def test_what_is_recorded_is_replayed_and_anything_else_is_asked_live(recorded):
    folder, replies = recorded
    model = fresh(folder, "replay or live")
    hello = model(HELLO)
    assert hello == replies[0] and hello.recorded
    other = [{"role": "user", "content": "Name a fruit."}]
    live = model(other)
    assert not live.recorded and live.text == BASE(other).text
    assert model(HELLO).recorded  # and after a live reply too
    assert sorted(os.listdir(folder)) == ["01_first.jsonl"]  # nothing is written


def test_a_random_reply_is_never_replayed_where_the_live_model_can_be_asked(tmp_path):
    """A second draw differs from the first one, so a recording would show the wrong thing."""
    warm = replace(BASE, temperature=1.0)
    fresh(tmp_path, "record:03_prompt", warm)(HELLO)
    (tmp_path / "03_prompt.jsonl.part").rename(tmp_path / "03_prompt.jsonl")
    assert fresh(tmp_path, "replay", warm)(HELLO).recorded
    assert not fresh(tmp_path, "replay or live", warm)(HELLO).recorded


def test_another_engine_gets_no_recorded_replies(recorded, monkeypatch):
    """Another engine may give another text, so the recorded one would be untrue."""
    monkeypatch.setattr(recording, "_installed", lambda: "2027.1")
    assert not fresh(recorded[0], "replay or live")(HELLO).recorded


def test_with_the_cache_always_on_nothing_is_replayed_after_a_live_reply(tmp_path):
    """Such a reply depends on the one before, and that one is not recorded."""
    model = fresh(tmp_path, "record:08_context", replace(BASE, cache="on"))
    other = [{"role": "user", "content": "Name a colour."}]
    for messages in (HELLO, other):
        model(messages)
    (tmp_path / "08_context.jsonl.part").rename(tmp_path / "08_context.jsonl")
    model = fresh(tmp_path, "replay or live", replace(BASE, cache="on"))
    assert model(HELLO).recorded and model(other).recorded
    assert not model([{"role": "user", "content": "Name a fruit."}]).recorded
    assert not model(other).recorded


def test_a_recorded_reply_does_not_wait_for_the_engine(recorded):
    """The engine starts in the background; whoever asks what is recorded needs none."""
    program = f"""
import sys
from pathlib import Path
from react_lab.models import EmbeddedModel, Recording, engine
engine.Engine = lambda: sys.stdin.read()  # a start that takes until the test is over
engine.start_engine()
base = EmbeddedModel(adapter=False, max_tokens=6)
model = Recording(base, "replay or live", Path({str(recorded[0])!r}))
print(model({HELLO!r}).recorded)
"""
    with subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout.readline() == "True\n"


# Asking again


def test_entries_asked_again_give_the_same_words(recorded):
    again = ask_again(3, seed=1, folder=recorded[0])
    assert sorted(one.start for one in again) == ["Again, please.", "Name a colour.", "Say hello."]
    assert [one.live for one in again] == [one.recorded for one in again]


def test_with_the_cache_always_on_the_order_is_asked_again_too(tmp_path):
    system = {"role": "system", "content": "You answer in one word, in capital letters."}
    model = fresh(tmp_path, "record:08_context", replace(BASE, cache="on"))
    for text in ("Name a colour.", "Name a fruit."):
        model([system, {"role": "user", "content": text}])
    (tmp_path / "08_context.jsonl.part").rename(tmp_path / "08_context.jsonl")
    colour, fruit = lines(tmp_path / "08_context.jsonl")
    assert (fruit["parent"], fruit["shared"]) == (colour["key"], 1)
    assert (colour["tokens_cached"], fruit["tokens_cached"] > 0) == (0, True)
    assert all(one.live == one.recorded for one in ask_again(folder=tmp_path))


def test_with_the_cache_always_on_a_prompt_has_a_figure_for_each_way_to_it(tmp_path):
    """What the engine still had of "Again, please." hangs on what it was asked before."""
    model = fresh(tmp_path, "record:08_context", replace(BASE, cache="on"))
    again = [*HELLO, {"role": "assistant", "content": "Hello."}, *HELLO]
    other = [{"role": "user", "content": "Name a colour."}]
    asked = [model(messages) for messages in (HELLO, again, other, again)]
    cached = [reply.tokens_cached for reply in asked]
    assert cached[1] >= asked[0].tokens_in > cached[3]
    (tmp_path / "08_context.jsonl.part").rename(tmp_path / "08_context.jsonl")
    model = fresh(tmp_path, model=replace(BASE, cache="on"))
    assert [model(messages).tokens_cached for messages in (HELLO, again, other, again)] == cached


def test_a_changed_text_is_found(recorded, tmp_path):
    entries = lines(recorded[0] / "01_first.jsonl")
    entries[2]["text"] += "!"
    whole = "".join(json.dumps(entry) + "\n" for entry in entries)
    (tmp_path / "01_first.jsonl").write_text(whole, "utf-8")
    different = [one for one in ask_again(folder=tmp_path) if one.live != one.recorded]
    assert [one.start for one in different] == ["Name a colour."]


def test_an_entry_of_another_engine_is_told(recorded, monkeypatch):
    monkeypatch.setattr(recording.engine, "identity", lambda adapter: {"engine": "2027.1"})
    with pytest.raises(ModelError, match="another engine.*make record"):
        ask_again(1, folder=recorded[0])


def test_only_the_pinned_engine_records(monkeypatch, tmp_path):
    monkeypatch.setattr(recording.engine, "ENGINE_VERSION", "1.0")
    with pytest.raises(ModelError, match="pip install xllamacpp==1.0"):
        fresh(tmp_path, "record:01_first")(HELLO)


# A whole notebook


CELL = """
from pathlib import Path
import os
from react_lab.models.embedded import EmbeddedModel
from react_lab.models.recording import Recording
model = Recording(
    EmbeddedModel(adapter=False, max_tokens=6), os.environ["REACT_LAB_RECORDING"], Path("tape")
)
"""


def notebook(path, *cells):
    sources = (CELL, *cells)
    content = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(s) for s in sources])
    content.cells[0].metadata["execution"] = {"shell.execute_reply": "2026-01-01T00:00:00"}
    nbformat.write(content, path)
    return path


def asks(text):
    return f"print(model([{{'role': 'user', 'content': {text!r}}}]).text)"


def test_a_notebook_is_run_and_its_recording_kept_to_what_it_asks(tmp_path):
    folder, path = tmp_path / "tape", tmp_path / "05_tape.ipynb"
    file = folder / "05_tape.jsonl"
    assert record(notebook(path, asks("Say hello."), asks("Name a colour.")), folder) == 2
    assert [entry["start"] for entry in lines(file)] == ["Say hello.", "Name a colour."]
    content = nbformat.read(path, as_version=4)
    assert content.cells[1].outputs[0].text == lines(file)[0]["text"] + "\n"
    assert content.metadata.language_info == {"name": "python"}
    assert all(cell.metadata == {} for cell in content.cells)

    before = path.read_bytes(), file.read_bytes()
    assert record(path, folder) == 2
    assert (path.read_bytes(), file.read_bytes()) == before  # nothing asked, nothing changed

    with pytest.raises(Exception, match="ZeroDivisionError"):
        record(notebook(path, asks("Name a fruit."), "1/0"), folder)
    assert len(lines(file)) == 2  # an unfinished recording drops nothing
    assert record(notebook(path, asks("Name a fruit."), asks("Say hello.")), folder) == 2
    assert [entry["start"] for entry in lines(file)] == ["Name a fruit.", "Say hello."]
    assert sorted(os.listdir(folder)) == ["05_tape.jsonl"]

    further = notebook(tmp_path / "06_more.ipynb", asks("Say hello."), asks("Name a river."))
    assert record(further, folder) == 2
    kept = [entry["start"] for entry in lines(folder / "06_more.jsonl")]
    assert kept == ["Name a river."]  # the other one is in 05's recording


def test_a_long_text_is_written_once_in_a_file(tmp_path):
    """The same requests are read back, and the shared prompt is in the file once."""
    prompt, path = "Use the tools. " * 20, tmp_path / "05_tape.jsonl"
    options = json.loads(json.dumps(asdict(EmbeddedModel())))
    system = {"role": "system", "content": prompt}
    asked = [
        recording.Entry(
            name, name, None, 0, [system, {"role": "user", "content": name}],
            options, "Yes.",
            "stop", 70, 2, 0, 1.5,
        )
        for name in ("one", "two", "three")
    ]  # fmt: skip
    recording._write(path, asked)
    assert path.read_text("utf-8").count(prompt) == 1
    assert list(recording._read(path).values()) == asked
    assert asked[2].new[0] == {"role": "system", "content": prompt}  # the entries are unchanged


def test_the_recordings_of_the_lab_are_small():
    sizes = [path.stat().st_size for path in recording.FOLDER.glob("*.jsonl")]
    assert sum(sizes) < 3_000_000


def test_the_module_loads_nothing_heavy():
    program = (
        "import sys, react_lab.models.recording;"
        "print({'openai', 'xllamacpp', 'nbformat', 'nbclient'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.strip() == "set()"
