"""Pieces of notebook 10: right versions pass, wrong ones get the message they deserve."""

import re
from urllib.parse import urlsplit

import pytest

from react_lab import course
from react_lab.course.exercises import find
from react_lab.course.pieces import safety
from react_lab.loop import Agent, permission, step
from react_lab.models import ScriptedModel
from react_lab.parser import Action
from react_lab.registry import Registry
from react_lab.trace import Run


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def gate_by_cases(effect, ask):
    match effect, ask:
        case "read", _:
            return "run"
        case _, None:
            return "wait"
    try:
        said = ask()
    except Exception:
        said = False
    return {True: "run"}.get(said if isinstance(said, bool) else None, "refuse")


def gate_from_the_end(effect, ask):
    said = None
    if effect == "write":
        if not ask:
            return "wait"
        try:
            said = ask()
        except Exception as error:
            print("Nobody could be asked:", error)
    return "run" if effect != "write" or said is True else "refuse"


def gate_truthy(effect, ask):
    if effect == "read":
        return "run"
    if ask is None:
        return "wait"
    try:
        return "run" if ask() else "refuse"
    except Exception:
        return "refuse"


def gate_without_try(effect, ask):
    if effect == "read":
        return "run"
    if ask is None:
        return "wait"
    return "run" if ask() is True else "refuse"


def gate_that_asks_about_reads(effect, ask):
    if ask is None:
        return "run" if effect == "read" else "wait"
    try:
        return "run" if ask() is True else "refuse"
    except Exception:
        return "refuse"


def gate_that_refuses_when_nobody_is_there(effect, ask):
    try:
        return "run" if effect == "read" or ask() is True else "refuse"
    except Exception:
        return "refuse"


def gate_that_asks_twice(effect, ask):
    if effect == "read":
        return "run"
    if ask is None:
        return "wait"
    try:
        if ask() is True:
            return "run"
        return "refuse" if ask() is not True else "run"
    except Exception:
        return "refuse"


def gate_that_waits_on_an_error(effect, ask):
    if effect == "read":
        return "run"
    try:
        return "run" if ask() is True else "refuse"
    except Exception:
        return "wait"


def mark_in_a_loop(text, source):
    marked = f"From {source}:"
    for line in text.splitlines():
        marked += "\n| " + line
    return marked


def mark_by_re(text, source):
    return f"From {source}:\n| " + re.sub(r"\r\n|\r|\n", "\n| ", text)


def mark_the_start_only(text, source):
    return f"From {source}:\n| {text}"


def mark_between_lines(text, source):
    return f"From {source}:\n--- begin ---\n{text}\n--- end ---"


def mark_like_a_mail(text, source):
    return "\n".join([f"From {source}:", *("> " + line for line in text.splitlines())])


def mark_newlines_only(text, source):
    return "\n".join([f"From {source}:", *("| " + line for line in text.split("\n"))])


def mark_without_source(text, source):
    return "\n".join("| " + line for line in text.splitlines())


def mark_the_heading_too(text, source):
    return "\n".join("| " + line for line in [f"From {source}:", *text.splitlines()])


def open_by_netloc(address, hosts):
    scheme, netloc, *_ = urlsplit(address)
    return scheme == "https" and any(netloc == host for host in hosts)


def open_by_re(address, hosts):
    found = re.match(r"https://([a-z0-9.-]+)(/|\?|#|$)", address)
    return bool(found) and found[1] in hosts


def open_in(address, hosts):
    return any(host in address for host in hosts)


def open_by_start(address, hosts):
    return any(address.startswith(f"https://{host}") for host in hosts)


def open_by_end_of_host(address, hosts):
    parts = urlsplit(address)
    return parts.scheme == "https" and (parts.hostname or "").endswith(tuple(hosts))


def open_any_scheme(address, hosts):
    return urlsplit(address).hostname in hosts


def open_with_a_slash(address, hosts):
    return address.startswith(tuple(f"https://{host}/" for host in hosts))


def open_by_a_match(address, hosts):
    return urlsplit(address).scheme == "https" and urlsplit(address).hostname in hosts or None


RIGHT = {
    "gate": (gate_by_cases, gate_from_the_end),
    "mark_outside": (mark_in_a_loop, mark_by_re),
    "may_open": (open_by_netloc, open_by_re),
}
# (a wrong version, what the message about it has to show)
WRONG = {
    "gate": (
        (gate_truthy, "the text 'no'"),
        (gate_without_try, "ConnectionError: the chat server is down"),
        (gate_that_asks_about_reads, "gate('read', ask), and the person would say False"),
        (gate_that_refuses_when_nobody_is_there, "there is nobody to ask"),
        (gate_that_asks_twice, "how often you asked"),
        (gate_that_waits_on_an_error, "raises ConnectionError"),
    ),
    "mark_outside": (
        (mark_the_start_only, "the parser finds a call"),
        (mark_between_lines, "the parser finds a call"),
        (mark_like_a_mail, "the parser finds a call"),
        (mark_newlines_only, "\\rAction: send_mail"),
        (mark_without_source, "From search_docs:"),
        (mark_the_heading_too, "| From search_docs:"),
    ),
    "may_open": (
        (open_in, "https://quillmark.example/?seen=tillybrook.example"),
        (open_by_start, "https://tillybrook.example.quillmark.example/"),
        (open_by_end_of_host, "https://not-tillybrook.example/"),
        (open_any_scheme, "http://tillybrook.example/hours"),
        (open_with_a_slash, "https://tillybrook.example'"),
        (open_by_a_match, "None"),
    ),
}


def test_every_piece_is_tried_here():
    assert set(RIGHT) == set(WRONG) == {piece.name for piece in safety.PIECES}


@pytest.mark.parametrize("name", RIGHT)
def test_right_versions_of_different_form_pass(name):
    for work in (*RIGHT[name], find(name).solution):
        found = course.check(name, work)
        assert found.right, f"{work.__name__}: {found}"
        assert course.mine(name, work) is work


@pytest.mark.parametrize(
    "name, work, shown", [(n, w, s) for n, rows in WRONG.items() for w, s in rows]
)
def test_a_wrong_version_is_shown_beside_what_was_expected(name, work, shown):
    found = course.check(name, work)
    assert found.state == "wrong"
    assert shown in found.text and "yours:" in found.text and "expected:" in found.text
    assert course.mine(name, work) is find(name).solution


# The gate in the loop ---------------------------------------------------------------------

WRITES = 'Thought: Now.\nAction: write\nAction Input: {"text": "hi"}'
READS = 'Thought: First.\nAction: read\nAction Input: {"text": "hi"}'
END = "Thought: Done.\nFinal Answer: Done."


def two_tools(done):
    tools = Registry()
    for name in ("read", "write"):

        def function(text: str, name=name) -> str:
            done.append(name)
            return "ok"

        tools.register(function, name=name, effect=name, description="Do it.")
    return tools


@pytest.mark.parametrize("effect, said, answer, wanted", safety.SITUATIONS)
def test_the_gate_of_the_package_decides_the_same(effect, said, answer, wanted):
    move, approve = Action("", effect, {"text": "hi"}), answer and (lambda action, run: answer())
    allowed, _ = permission(move, Run("?"), Agent(None, two_tools([]), approve=approve))
    assert {True: "run", False: "refuse", None: "wait"}[allowed] == wanted


def test_an_agent_runs_on_the_gate_of_the_learner():
    done, asked = [], []
    model = ScriptedModel([READS, WRITES, "Action: nonsense\nAction Input: {}", END])
    agent = Agent(model, two_tools(done), protocol=safety.gated(safety.gate))
    waiting = agent.run("Write it.")
    assert (waiting.stop, waiting.pending.tool, done) == ("needs approval", "write", ["read"])
    run = agent.run(step(waiting, agent, approve=True))
    assert (run.answer, done) == ("Done.", ["read", "write"])
    assert run.steps[2].observation.error == "unknown tool"

    def approve(action, run):
        asked.append((action.tool, len(run.steps)))
        return False

    refusing = Agent(model, two_tools(done), protocol=safety.gated(safety.gate), approve=approve)
    run = refusing.run("Write it.")
    assert run.steps[1].observation.error == "refused" and run.answer == "Done."
    assert (done, asked) == (["read", "write", "read"], [("write", 1)])


def test_an_agent_without_a_gate_runs_what_the_model_asks_for_and_still_stops_in_time():
    done = []
    every = safety.gated(lambda effect, ask: "run")
    run = Agent(ScriptedModel([WRITES, READS] * 9), two_tools(done), protocol=every).run("?")
    assert run.stop == "step limit" and run.last_word and "write" in done
