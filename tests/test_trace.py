"""Trace: a run on disk, readable however it ended."""

import json
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from itertools import islice

import pytest

from react_lab.loop import Agent, step
from react_lab.models import ScriptedModel
from react_lab.registry import Registry
from react_lab.toolkit import lab_tools
from react_lab.trace import Run, keep, load, save

CALLS = [
    f'Thought: n.\nAction: calculator\nAction Input: {{"expression": "{n}*7"}}' for n in range(5)
]
DONE = "Thought: I know.\nFinal Answer: done"


def agent(*replies: str, **settings) -> Agent:
    return Agent(ScriptedModel(replies), lab_tools(), **settings)


def test_a_run_comes_back_as_it_was(tmp_path):
    run = agent(*CALLS, "no format at all", DONE).run("How much — größer?")
    save(run, tmp_path / "run.jsonl")
    assert load(tmp_path / "run.jsonl") == run


def test_a_run_stopped_at_a_limit_comes_back_with_its_last_word(tmp_path):
    run = agent(*CALLS[:2], DONE, max_steps=2).run("?")
    save(run, tmp_path / "run.jsonl")
    assert load(tmp_path / "run.jsonl") == run
    assert run.last_word is not None


def test_a_killed_run_leaves_every_finished_step(tmp_path):
    path = tmp_path / "run.jsonl"
    *_, run = islice(keep(agent(*CALLS, DONE).stream("?"), path), 4)  # killed in the fourth step
    with open(path, "a", encoding="utf-8") as file:
        file.write('{"kind": "step", "same": 4, "ne')
    assert len(run.steps) == 3
    assert load(path) == run
    assert load(path).stop is None


KILLS = """
import json, os, signal, sys
from react_lab import Agent, Registry, ScriptedModel
from react_lab.trace import keep, load

tools = Registry()

@tools.register
def look(place: int) -> str:
    "Look at a place."
    return f"Place {place} is warm. " * 20

calls = [f"Action: look\\nAction Input: {n}" for n in range(30)]
agent = Agent(ScriptedModel([*calls, "Final Answer: done"]), tools, max_steps=None)
whole, lost = [(step.move, step.sent) for step in agent.run("?").steps], []
for number in range(25):
    path, (told, tell) = f"{number}.jsonl", os.pipe()
    child = os.fork()
    if child == 0:
        for run in keep(agent.stream("?"), path):
            os.write(tell, b".")
        os._exit(0)
    seen = sum(len(os.read(told, 1)) for _ in range(number + 1)) - 1  # the first has no step
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    kept = load(path)
    steps = [(step.move, step.sent) for step in kept.steps if step.observation.text]
    if len(steps) < seen or steps != whole[: len(steps)]:
        lost.append((number, seen, len(steps)))
print(json.dumps([lost, agent.run(kept).answer]))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="Windows has no fork")
def test_25_kills_lose_no_finished_step(tmp_path):
    """kill -9 after 0, 1, 2 ... 24 steps, wherever the process is then; the last run goes on."""
    command = [sys.executable, "-c", KILLS]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stdout) == (0, '[[], "done"]\n'), done.stderr


def test_a_step_stores_only_what_is_new(tmp_path):
    run = agent(*CALLS, DONE).run("?")
    save(run, tmp_path / "run.jsonl")
    lines = [json.loads(line) for line in (tmp_path / "run.jsonl").read_text("utf-8").splitlines()]
    assert [line["kind"] for line in lines] == ["run", *["step"] * 6, "end"]
    assert lines[0]["version"] == 2
    assert [len(line["new"]) for line in lines[1:-1]] == [2, 2, 2, 2, 2, 2]
    assert [len(step.sent) for step in run.steps] == [2, 4, 6, 8, 10, 12]


def test_a_full_disk_does_not_end_the_run_and_leaves_no_half_line(tmp_path, little_room):
    path = tmp_path / "run.jsonl"
    said = r"run.jsonl is incomplete: .* Free some space, or write it"
    with pytest.warns(UserWarning, match=said):
        for run in keep(agent(*CALLS, DONE).stream("?"), path):
            if len(run.steps) == 2:
                room = path.stat().st_size
                little_room(room + 100)
    assert run.answer == "done"
    assert load(path).steps == run.steps[:2] and path.stat().st_size == room


def test_what_found_no_room_is_written_as_soon_as_there_is_some(tmp_path, little_room):
    path = tmp_path / "run.jsonl"
    with pytest.warns(UserWarning, match="is incomplete"):
        for run in keep(agent(*CALLS, DONE).stream("?"), path):
            little_room(1 if len(run.steps) < 4 else 10**9)
    assert load(path) == run and run.answer == "done"


def test_a_run_that_cannot_be_saved_leaves_the_older_file(tmp_path, little_room):
    path, run = tmp_path / "run.jsonl", agent(DONE).run("?")
    save(run, path)
    little_room(100)
    with pytest.raises(OSError, match="The old file is unchanged. Free some space.*run.jsonl"):
        save(agent(*CALLS, DONE).run("?"), path)
    assert load(path) == run
    assert [file.name for file in tmp_path.iterdir()] == ["run.jsonl"]


def test_what_is_no_file_is_not_replaced(tmp_path):
    with pytest.raises(OSError, match="It is not a file"):
        save(Run("?"), os.devnull)
    with pytest.raises(OSError, match="It is not a file"):
        save(Run("?"), tmp_path)


def test_two_programs_that_save_at_once_leave_one_whole_run(tmp_path):
    runs = [agent(*CALLS[:n], DONE).run("?") for n in range(5)]
    with ThreadPoolExecutor(5) as pool:
        list(pool.map(save, runs * 20, [tmp_path / "run.jsonl"] * 100))
    assert load(tmp_path / "run.jsonl") in runs
    assert [file.name for file in tmp_path.iterdir()] == ["run.jsonl"]


def test_what_is_no_trace_is_said(tmp_path):
    path = tmp_path / "run.jsonl"
    path.write_text("hello\n")
    with pytest.raises(ValueError, match="is not a trace"):
        load(path)
    path.write_text("")
    with pytest.raises(ValueError, match="there is no run in it"):
        load(path)
    path.write_text('{"kind": "run", "version": 99, "question": "?"}\n')
    with pytest.raises(ValueError, match="newer react_lab"):
        load(path)


def test_a_run_is_a_value():
    assert Run("a") == Run("a")
    with pytest.raises(AttributeError):
        Run("a").question = "b"


@pytest.mark.parametrize("odd", ["\u2028", "\x85", "\x0c", "half an emoji \ud83d", "é"])
def test_odd_characters_do_not_break_a_line(tmp_path, odd):
    said = f'Thought: a{odd}b\nAction: get_weather\nAction Input: {{"city": "x{odd}"}}'
    run = agent(said, DONE).run(f"q{odd}r")
    save(run, tmp_path / "run.jsonl")
    assert load(tmp_path / "run.jsonl") == run


def test_a_trace_killed_within_a_letter_is_readable(tmp_path):
    path = tmp_path / "run.jsonl"
    save(agent(*CALLS[:2], "Final Answer: größer").run("?"), path)
    raw = path.read_bytes()
    path.write_bytes(raw[: raw.rindex("ö".encode()) + 1])
    assert len(load(path).steps) == 2


def test_a_broken_line_in_the_middle_is_not_passed_over(tmp_path):
    path = tmp_path / "run.jsonl"
    save(agent(*CALLS, DONE).run("?"), path)
    lines = path.read_text("utf-8").splitlines()
    path.write_text("\n".join([*lines[:2], lines[2][:50], *lines[3:]]), encoding="utf-8")
    with pytest.raises(ValueError, match="line 3 cannot be read"):
        load(path)


def test_a_deeply_nested_input_can_be_saved(tmp_path):
    deep = "[" * 400 + "]" * 400
    run = agent(f'Action: calculator\nAction Input: {{"expression": {deep}}}', DONE).run("?")
    save(run, tmp_path / "run.jsonl")
    assert load(tmp_path / "run.jsonl") == run


OLD = """\
{"kind": "run", "version": 1, "question": "6*7?"}
{"kind": "step", "same": 0, "new": [{"role": "user", "content": "Question: 6*7?"}], "reply": \
{"text": "Action: calculator\\nAction Input: 6*7", "tool_calls": [], "reasoning": null, \
"finish_reason": "stop", "tokens_in": 9, "tokens_out": 5, "tokens_cached": null, "seconds": 0.1, \
"notes": []}, "move": {"type": "Action", "thought": "", "tool": "calculator", "arguments": \
{"expression": "6*7"}, "repairs": ["bare input read"]}, "observation": {"text": "42", "error": \
null, "seconds": 0.0, "truncated": 0, "notice": ""}}
{"kind": "end", "stop": "step limit", "note": "Not finished: step limit.", "last_word": null}
"""


def test_a_file_of_version_1_can_be_read(tmp_path):
    (tmp_path / "run.jsonl").write_text(OLD, encoding="utf-8")
    run = load(tmp_path / "run.jsonl")
    assert (run.question, run.stop) == ("6*7?", "step limit")
    assert run.steps[0].move.repairs == ("bare input read",)
    assert run.steps[0].observation.text == "42"


def asking_agent() -> Agent:
    """An agent whose one tool writes, so that its run waits for a person."""
    tools = Registry()
    tools.register(lambda: "sent", name="send", description="Send it.", effect="write")
    return Agent(ScriptedModel(["Action: send\nAction Input: {}", DONE]), tools)


def test_a_run_that_waits_for_a_person_comes_back_and_goes_on(tmp_path):
    agent = asking_agent()
    waiting = agent.run("?")
    save(waiting, tmp_path / "run.jsonl")
    run = load(tmp_path / "run.jsonl")
    assert (run.stop, run.pending.tool, run) == ("needs approval", "send", waiting)
    assert agent.run(step(run, agent, approve=True)).answer == "done"


def test_a_run_is_kept_across_its_wait_for_a_person(tmp_path):
    agent, path = asking_agent(), tmp_path / "run.jsonl"

    def all_of_it():
        yield from agent.stream("?")
        run = step(agent.run("?"), agent, approve=False, note="Not today.")
        yield run
        yield from agent.stream(run)

    *_, last = keep(all_of_it(), path)
    assert load(path) == last
    assert last.steps[0].observation.error == "refused"
    kinds = [json.loads(line)["kind"] for line in path.read_text("utf-8").splitlines()]
    assert kinds == ["run", "end", "step", "step", "end"]


def test_a_key_that_a_tool_has_told_is_not_saved(tmp_path, monkeypatch):
    monkeypatch.setenv("LLM_API_KEY", "very-secret-word")
    tools = Registry()
    tools.register(lambda: dict(os.environ), name="env", description="All settings.")
    tools = Registry(tuple(tools), limit=10**6)
    run = Agent(ScriptedModel(["Action: env", DONE]), tools).run("?")
    save(run, tmp_path / "run.jsonl")
    assert "***" in run.steps[0].observation.text
    assert "very-secret-word" not in repr(run)
    assert "very-secret-word" not in (tmp_path / "run.jsonl").read_text("utf-8")
    assert load(tmp_path / "run.jsonl").answer == "done"


@pytest.mark.parametrize("key", ['sk-ab"cd-0123', "sk-ab\\cd-0123"])
def test_a_key_that_json_spells_differently_is_not_saved_either(tmp_path, monkeypatch, key):
    monkeypatch.setenv("LLM_API_KEY", key)
    save(Run(f"Is {key} mine?"), tmp_path / "run.jsonl")
    assert load(tmp_path / "run.jsonl").question == "Is *** mine?"


def test_an_interrupted_run_comes_back_with_its_note(tmp_path):
    run = Run("?", note="Interrupted.")
    save(run, tmp_path / "run.jsonl")
    assert load(tmp_path / "run.jsonl") == run


def test_a_step_that_was_interrupted_is_kept(tmp_path):
    tools = Registry()

    @tools.register
    def slow() -> str:
        """Is interrupted."""
        raise KeyboardInterrupt

    agent = Agent(ScriptedModel(["Action: slow"]), tools)
    with pytest.raises(KeyboardInterrupt) as caught:
        for _ in keep(agent.stream("?"), tmp_path / "run.jsonl"):
            pass
    kept = load(tmp_path / "run.jsonl")
    assert kept == caught.value.run
    assert kept.steps[0].observation.error == "interrupted"


def test_each_line_has_its_time_its_number_and_the_size_of_the_context(tmp_path):
    path = tmp_path / "run.jsonl"
    begin = time.time()
    run = list(keep(agent(*CALLS, DONE).stream("?"), path))[-1]
    end = time.time()
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    times = [datetime.fromisoformat(line["time"]) for line in lines]
    assert times == sorted(times) and all(one.utcoffset() == timedelta(0) for one in times)
    assert begin - 1 <= times[0].timestamp() and times[-1].timestamp() <= end + 1
    steps = [line for line in lines if line["kind"] == "step"]
    assert [line["step"] for line in steps] == list(range(1, len(run.steps) + 1))
    assert [line["messages"] for line in steps] == [len(step.sent) for step in run.steps]
    again = load(path)
    assert again == run
    assert all(abs(a.at - b.at) < 0.01 for a, b in zip(again.steps, run.steps))


def test_a_trace_without_times_is_still_read(tmp_path):
    path = tmp_path / "run.jsonl"
    save(agent(*CALLS, DONE).run("?"), path)
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    for line in lines:
        for key in ("time", "step", "messages"):
            line.pop(key, None)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    assert [step.at for step in load(path).steps] == [None] * (len(lines) - 2)
