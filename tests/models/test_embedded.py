"""The embedded model: its settings, its cache, threads. All requests go to the real engine."""

import os
import signal
import subprocess
import sys
import threading
from dataclasses import replace

import pytest

from react_lab.models import ModelError, engine
from react_lab.models.embedded import EmbeddedModel, count_tokens
from react_lab.models.engine import Served

BASE = EmbeddedModel(adapter=False, max_tokens=12)
HELLO = [{"role": "user", "content": "Say hello in five words."}]


def more(messages, reply, text):
    """The conversation goes on: the reply, then the next words of the user."""
    said = {"role": "assistant", "content": reply.text}
    return [*messages, said, {"role": "user", "content": text}]


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
    assert count_tokens("") == 0
    assert count_tokens("Hello world") == 2  # "Hello", " world" in the model's vocabulary


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
    address = engine.running_engine().address
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
    assert last.extended_by(adapter=False, messages=[*last.messages, said, go_on])
    assert not last.extended_by(adapter=False, messages=last.messages)
    assert not last.extended_by(adapter=False, messages=[*last.messages, said])
    assert not last.extended_by(adapter=False, messages=[*last.messages, go_on, go_on])
    assert not last.extended_by(adapter=False, messages=[go_on, said, go_on])
    assert not last.extended_by(adapter=True, messages=[*last.messages, said, go_on])


def test_the_words_do_not_depend_on_what_was_asked_before():
    def conversation():
        first = BASE(HELLO)
        return first.text, BASE(more(HELLO, first, "And now in two words.")).text

    alone = conversation()
    BASE([{"role": "user", "content": "Name a colour."}])
    assert conversation() == alone


def test_after_an_error_nothing_is_taken_as_served():
    BASE(HELLO)
    assert engine.last_served().messages == HELLO
    with pytest.raises(ModelError):
        replace(BASE, grammar="root ::= nowhere")(HELLO)
    assert engine.last_served() is None


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
    assert engine.last_served() is None
    assert BASE(HELLO).text == expected


def test_the_engine_can_be_stopped_and_starts_again():
    expected = BASE(HELLO).text
    engine.stop_engine()
    assert engine.last_served() is None
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
