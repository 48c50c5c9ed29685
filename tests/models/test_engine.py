"""The engine: its process, its threads, and that equal requests get equal replies."""

import os
import random
import signal
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path

import pytest

from react_lab.models import EmbeddedModel, ModelError, engine, recording
from react_lab.models.engine import Engine, pieces
from react_lab.models.progress import Progress, report, watch
from react_lab.models.weights import WeightsError

HELLO = [{"role": "user", "content": "Say hello in five words."}]


def said(role, content):
    return {"role": role, "content": content}


# The prompt


CONVERSATION = [
    said("system", "You are short."),
    said("user", "A colour?"),
    said("assistant", "Red."),
    said("user", "Another?"),
]


def test_a_prompt_is_cut_after_the_system_message_and_before_each_reply():
    assert pieces(CONVERSATION) == [
        "<|im_start|>system\nYou are short.<|im_end|>\n",
        "<|im_start|>user\nA colour?<|im_end|>\n<|im_start|>assistant\n",
        "Red.<|im_end|>\n<|im_start|>user\nAnother?<|im_end|>\n<|im_start|>assistant\n",
    ]


@pytest.mark.parametrize(
    "messages",
    [
        CONVERSATION,
        CONVERSATION[:1],
        CONVERSATION[1:],
        [*CONVERSATION[:3], said("user", "  a \n\n b\t"), said("user", "é 日本 🍵")],
        [said("user", "x"), said("assistant", "\n\n y"), said("assistant", ""), said("user", "z")],
    ],
)
def test_the_pieces_are_what_the_models_own_template_gives(messages):
    """The engine reads the template from the file of the weights."""
    whole = engine.running_engine()._request("/apply-template", {"messages": messages})["prompt"]
    assert "".join(pieces(messages)) == whole


# Equal requests, equal replies


@pytest.fixture
def shared_start(monkeypatch):
    monkeypatch.setattr(engine, "SHARED_START", True)


@contextmanager
def running(monkeypatch, threads=1):
    """An engine, and a function that asks it: (text, log-probabilities of all its tokens)."""
    monkeypatch.setenv("REACT_LAB_THREADS", str(threads))
    one, seen = Engine(), []
    events = Engine._events

    def watched(self, path, body):
        for event in events(self, path, body | {"n_probs": 1}):
            seen.extend(token["logprob"] for token in event.get("completion_probabilities", ()))
            yield event

    monkeypatch.setattr(Engine, "_events", watched)

    def ask(messages, model):
        seen.clear()
        reply = one.ask(messages, **asdict(model))
        return reply.text, tuple(seen), reply.tokens_cached

    try:
        yield ask
    finally:
        monkeypatch.setattr(Engine, "_events", events)
        one.stop()


def conversations(max_tokens=4):
    """Requests of three tool lists, of one to three rounds, with the adapter and without."""
    tools = "Tools:\n- clock: The time in a city.", "Tools:\n- sum"
    base = EmbeddedModel(adapter=False, max_tokens=max_tokens)
    found = []
    for system in (tools[0], tools[1], None):
        for question in ("What time is it in Oslo?", "What time is it in Rome?")[
            : 1 + bool(system)
        ]:
            start = [said("system", system)] if system else []
            messages = [*start, said("user", question)]
            for place, words in enumerate(("Thought: the clock.", "\n!!", "I know.")):
                found.append((messages, EmbeddedModel(max_tokens=max_tokens) if place else base))
                messages = [*messages, said("assistant", words), said("user", f"Round {place}.")]
    return found


class Stop(Exception):
    """What an impatient person does."""


def interrupted(ask, messages, model, after):
    """Break a request off after so many signs of progress."""
    left = iter(range(after))

    def impatient(progress):
        if next(left, None) is None:
            raise Stop

    with watch(impatient), suppress(Stop):
        ask(messages, model)


def compare(ask, requests, expected, seed):
    """Ask in a random order, with interruptions, and compare texts and probabilities."""
    dice, order = random.Random(seed), list(range(len(requests)))
    dice.shuffle(order)
    for number in order:
        if dice.random() < 0.3:
            interrupted(ask, *dice.choice(requests), after=dice.randrange(3))
        assert ask(*requests[number])[:2] == expected[number], requests[number]


def test_equal_requests_get_equal_replies_in_any_order(monkeypatch, shared_start):
    """Equal to the last bit of each probability, also after an interruption."""
    requests = conversations()
    with running(monkeypatch) as ask:
        expected = [ask(*request)[:2] for request in requests]
        compare(ask, requests, expected, seed=1)
        wholly_cached = [ask(*requests[5])[:2] for _ in range(3)]
        assert wholly_cached == [expected[5]] * 3
    with running(monkeypatch, threads=2) as ask:  # and with two threads, in a new process
        expected = [ask(*request)[:2] for request in requests[3:9]]
        compare(ask, requests[3:9], expected, seed=2)


def test_without_a_shared_start_they_would_not_be_equal(monkeypatch):
    """The proof can fail: whatever is cached, reused as it is, changes the probabilities."""
    longer = [(messages, model) for messages, model in conversations(8) if len(messages) > 3][:6]
    requests = [(m, EmbeddedModel(**asdict(model) | {"cache": "on"})) for m, model in longer]
    with running(monkeypatch) as ask:
        expected = [ask(*request)[:2] for request in requests]
        assert [ask(*request)[:2] for request in reversed(requests)] != expected[::-1]


def test_what_two_requests_share_is_computed_once(monkeypatch, shared_start):
    model = EmbeddedModel(adapter=False, max_tokens=2)
    first, other, longer = (
        CONVERSATION[:2],
        [CONVERSATION[0], said("user", "A fruit?")],
        CONVERSATION,
    )
    with running(monkeypatch) as ask:
        sizes = [len(engine.running_engine().tokenize(text)) for text in pieces(longer)]
        cached = [ask(messages, model)[2] for messages in (first, other, first, longer, longer)]
    assert cached == [0, sizes[0], sizes[0], sum(sizes[:2]), sum(sizes[:2])]


@pytest.mark.more
def test_recorded_requests_get_equal_replies_in_any_order(monkeypatch, shared_start):
    """The same for what the notebooks ask.

    REACT_LAB_PROOF is how many recorded requests are drawn from all; without it, three of the
    shorter ones, because a long history is read anew each time.
    """
    tape = recording.Tape(recording.FOLDER)
    every = [entry for entry in tape.entries.values() if entry.options["temperature"] == 0]
    if not (wanted := os.environ.get("REACT_LAB_PROOF")):
        every = [one for one in every if not one.parent and len(str(one.new)) < 2500]
    chosen = random.Random(0).sample(every, int(wanted or 3))
    lines = {one.key: one for entry in chosen for one in tape.line(entry)}.values()
    requests = [
        (tape.messages(one), EmbeddedModel(**one.options | {"cache": "auto"})) for one in lines
    ]
    with running(monkeypatch) as ask:
        expected = [ask(*request)[:2] for request in requests]
        compare(ask, requests, expected, seed=3)
    # Two threads may round otherwise, depending on the processor, but find the same words.
    with running(monkeypatch, threads=2) as ask:
        assert [ask(*request)[0] for request in requests] == [text for text, _ in expected]


# Threads


@pytest.mark.parametrize(
    "usable, physical, threads",
    [(1, 1, 1), (2, 2, 1), (4, 2, 1), (4, 4, 2), (8, 8, 4), (64, 32, 4)],
)
def test_the_number_of_threads_leaves_room_for_others(monkeypatch, usable, physical, threads):
    monkeypatch.delenv("REACT_LAB_THREADS", raising=False)
    monkeypatch.setattr(engine, "usable_cores", lambda: usable)
    monkeypatch.setattr(engine, "_physical_cores", lambda: physical)
    assert engine.threads() == threads


def test_a_variable_sets_the_threads(monkeypatch):
    monkeypatch.setenv("REACT_LAB_THREADS", "3")
    assert engine.threads() == 3
    for wrong in ("0", "-1", "many", "1.5"):
        monkeypatch.setenv("REACT_LAB_THREADS", wrong)
        with pytest.raises(ModelError, match=f"REACT_LAB_THREADS is '{wrong}'.*such as 2"):
            engine.threads()


# What it is doing


def test_a_view_sees_how_much_is_read_and_the_words_as_they_come(shared_start):
    engine.stop_engine()
    model, seen = EmbeddedModel(adapter=False, max_tokens=5), []
    with watch(seen.append):
        reply = model(HELLO)
        model([*HELLO, said("assistant", reply.text), said("user", "Again.")])
    model(HELLO)  # nobody watches any more
    first, again = (place for place, one in enumerate(seen) if one.state == "reading")
    assert [str(one) for one in seen[:2]] == [
        "The engine is starting.",
        f"The model is reading the prompt ({reply.tokens_in} tokens).",
    ]
    written = seen[first + 1 : again]
    assert {one.state for one in written} == {"writing"} and len(written) > 1
    assert all(later.text.startswith(sooner.text) for sooner, later in zip(written, written[1:]))
    assert written[-1] == Progress("writing", written[-1].tokens, reply.text)
    assert seen[again].tokens < reply.tokens_in + 20  # what was read before does not count


def test_watching_ends_with_its_block_and_nests():
    outer, inner = [], []
    with watch(outer.append):
        with watch(inner.append):
            report(Progress("starting"))
        report(Progress("reading"))
    report(Progress("reading", 7))
    assert (outer, inner) == ([Progress("reading")], [Progress("starting")])
    assert str(outer[0]) == "The model is reading the prompt."


# Its process


def test_it_ends_with_the_process_that_started_it(tmp_path):
    """Also when that process is killed, so that nothing can be tidied up."""
    program = """
import time
from react_lab.models import engine
one = engine.running_engine()
print(one._process.pid, flush=True)
time.sleep(600)
"""
    child = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    pid = int(child.stdout.readline())
    os.kill(pid, 0)  # it is there
    child.kill()
    child.wait()
    child.stdout.close()
    for _ in range(600):
        if not _alive(pid):
            break
        time.sleep(0.1)
    assert not _alive(pid)


def _alive(pid):
    """Whether a process is running; one that has ended and was not waited for is not."""
    stat = Path(f"/proc/{pid}/stat")
    if stat.exists():
        return stat.read_text("utf-8").rpartition(")")[2].split()[0] != "Z"
    with suppress(ProcessLookupError):
        os.kill(pid, 0)
        return not Path("/proc").exists()
    return False


def test_an_engine_that_dies_is_reported_and_the_next_question_starts_another():
    model = EmbeddedModel(adapter=False, max_tokens=2)
    expected = model(HELLO).text
    os.kill(engine.running_engine()._process.pid, signal.SIGTERM)
    engine.running_engine()._process.wait()
    with pytest.raises(ModelError, match="engine ended during the request.*Ask again"):
        model(HELLO)
    assert model(HELLO).text == expected


def test_one_that_dies_in_the_middle_of_a_reply_is_reported_too():
    endless = EmbeddedModel(adapter=False, max_tokens=4000, grammar='root ::= "a" root')

    def kill(progress):
        if progress.state == "writing":
            os.kill(engine.running_engine()._process.pid, signal.SIGTERM)

    with watch(kill), pytest.raises(ModelError, match="engine ended during the request"):
        endless(HELLO)


def test_a_start_that_fails_is_raised_by_the_question_and_tried_again(monkeypatch, tmp_path):
    engine.stop_engine()
    (tmp_path / "weights.gguf").write_bytes(b"not a model")
    monkeypatch.setenv("REACT_LAB_WEIGHTS", str(tmp_path / "weights.gguf"))
    engine.start_engine()  # in the background, so that nobody hears of it yet
    for _ in range(2):
        with pytest.raises(WeightsError, match="damaged.*unset REACT_LAB_WEIGHTS"):
            EmbeddedModel(max_tokens=2)(HELLO)
    monkeypatch.delenv("REACT_LAB_WEIGHTS")
    assert EmbeddedModel(max_tokens=2)(HELLO).text


def test_a_process_that_cannot_start_says_why(monkeypatch, tmp_path):
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "xllamacpp.py").write_text("raise ImportError('libgomp.so.1 is missing')", "utf-8")
    monkeypatch.setenv("PYTHONPATH", str(broken))
    with pytest.raises(ModelError, match="did not start.*libgomp.so.1 is missing.*doctor"):
        Engine()


def test_an_interrupt_of_the_terminal_does_not_reach_it():
    """A terminal's Ctrl-C goes to every process of its group."""
    one = engine.running_engine()
    assert os.getpgid(one._process.pid) != os.getpgid(0)
    os.kill(one._process.pid, signal.SIGINT)
    assert EmbeddedModel(adapter=False, max_tokens=2)(HELLO).text
    assert one is engine.running_engine()
