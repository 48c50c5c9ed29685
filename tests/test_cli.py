"""The commands as a user types them, in a process of their own."""

import json
import os
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from react_lab.models.weights import DATA

BASELINE = DATA / "evaluation_baseline.json"
SUM = 'Thought: This is a calculation.\nAction: calculator\nAction Input: {"expression": "365*24"}'
END = "Thought: I now know the answer.\nFinal Answer: A year has 8760 hours."


def run(*arguments, **settings):
    """`python -m react_lab ...` with these variables set; what it printed and its exit code."""
    environment = {k: v for k, v in os.environ.items() if k != "REACT_LAB_RECORDING"}
    return subprocess.run(
        [sys.executable, "-m", "react_lab", *arguments],
        env={**environment, "PYTHONIOENCODING": "ascii", **settings},
        capture_output=True,
        text=True,
    )


@pytest.fixture
def endpoint(request):
    """The settings of a server on this machine that gives these replies, the last for ever."""
    replies = list(request.param)

    class Answer(BaseHTTPRequestHandler):
        def do_POST(self):
            self.rfile.read(int(self.headers["Content-Length"]))
            text = replies.pop(0) if len(replies) > 1 else replies[0]
            choice = {"index": 0, "message": {"role": "assistant", "content": text}}
            body = {"id": "1", "object": "chat.completion", "created": 0, "model": "scripted"}
            data = json.dumps({**body, "choices": [{**choice, "finish_reason": "stop"}]}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answer)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}/v1"
    yield {"LLM_BASE_URL": address, "LLM_API_KEY": "any", "LLM_MODEL": "scripted"}
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize("endpoint", [[SUM, END]], indirect=True)
def test_ask_prints_every_step_and_the_answer(endpoint):
    done = run("ask", "How many hours has a year?", **endpoint)
    assert done.returncode == 0, done.stderr
    model, question, *steps = done.stdout.splitlines()
    assert model.startswith("Model: scripted at 127.0.0.1")
    assert question == "Question: How many hours has a year?"
    assert [line.split(":")[1].strip() for line in steps if "Observation" in line] == ["8760"]
    assert "I now know the answer." in done.stdout
    assert steps[-1] == "Finished after 2 steps: A year has 8760 hours."


@pytest.mark.parametrize("endpoint", [[SUM]], indirect=True)
def test_ask_fails_when_the_model_does_not_finish(endpoint):
    done = run("ask", "How many hours has a year?", **endpoint)
    assert done.returncode == 1
    assert "Stopped (repeats)" in done.stdout


@pytest.mark.parametrize("endpoint", [["Final Answer: 東京 is 東京."]], indirect=True)
def test_ask_survives_a_terminal_that_knows_no_chinese(endpoint):
    done = run("ask", "Which city?", **endpoint)
    assert (done.returncode, done.stderr) == (0, "")


GUESS = "Thought: I guess.\nFinal Answer: I do not know."


@pytest.mark.parametrize("endpoint", [[GUESS]], indirect=True)
def test_evaluate_writes_a_report_and_is_compared_with_a_baseline(endpoint, tmp_path):
    """A model that answers nothing passes the one case in which any answer is right."""
    folder, baseline = tmp_path / "one", tmp_path / "better.json"
    done = run("evaluate", "--folder", str(folder), **endpoint)
    assert done.returncode == 0, done.stderr
    assert "48 of 48 cases were run." in done.stdout
    passed = json.loads((folder / "passed.json").read_text())
    assert len(passed) == 48 and [name for name in passed if passed[name]] == ["thanks"]
    assert len(list((folder / "traces").iterdir())) == 48
    assert "answers right" in (folder / "report.txt").read_text()
    assert "<table>" in (folder / "report.html").read_text()

    def again():
        """All traces are there, so nothing is asked."""
        return run("evaluate", "--folder", str(folder), "--baseline", str(baseline), **endpoint)

    baseline.write_text(json.dumps(passed))
    same = again()
    assert (same.returncode, same.stdout.count("lost: none")) == (0, 1)
    names = list(passed)
    baseline.write_text(json.dumps({name: True for name in names[:7]}))
    worse = again()
    assert worse.returncode == 1
    assert f"baseline: worse\n  lost: {', '.join(names[:7])}\n" in worse.stdout
    baseline.write_text(json.dumps({**passed, "gone": True}))
    assert again().returncode == 1  # a case of the baseline was not reached


@pytest.mark.parametrize("endpoint", [[GUESS]], indirect=True)
def test_a_folder_of_another_model_or_prompt_is_refused_and_stays_as_it_is(endpoint, tmp_path):
    told = ("evaluate", "--folder", str(tmp_path))
    assert run(*told, **endpoint).returncode == 0
    report = {name: (tmp_path / name).read_bytes() for name in ("report.txt", "passed.json")}
    other = run(*told, **{**endpoint, "LLM_MODEL": "other"})
    assert (other.returncode, other.stderr) == (2, "")
    host = endpoint["LLM_BASE_URL"][7:-3]
    ours, theirs = (f"{name} at {host} (your endpoint)" for name in ("scripted", "other"))
    assert f"holds runs of {ours}; name another folder for {theirs}." in other.stdout
    trace = tmp_path / "traces" / "eggs.jsonl"
    trace.write_bytes(trace.read_bytes().replace(b"You answer questions", b"You answer"))
    changed = run(*told, **endpoint)
    assert (changed.returncode, changed.stderr) == (2, "")
    assert "eggs.jsonl is a run of another question or prompt" in changed.stdout
    assert {name: (tmp_path / name).read_bytes() for name in report} == report


def test_no_case_of_the_stored_baseline_is_lost(tmp_path):
    """The replies are those of notebook 09, so a loss comes from prompt, parser, tools or judge.

    After a new recording the baseline is the passed.json of this command.
    """
    told = ("evaluate", "--folder", str(tmp_path), "--baseline", str(BASELINE))
    done = run(*told, REACT_LAB_RECORDING="replay")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "lost: none" in done.stdout and "missing: none" in done.stdout


@pytest.mark.parametrize("content", [None, "no JSON", "3"])
def test_what_is_no_baseline_is_said_before_anything_is_asked(tmp_path, content):
    path = tmp_path / "passed.json"
    if content:
        path.write_text(content)
    done = run("evaluate", "--baseline", str(path), "--folder", str(tmp_path / "new"))
    assert done.returncode == 2 and done.stderr == ""
    assert "is not a baseline" in done.stdout and "Give a passed.json" in done.stdout
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("endpoint", [[GUESS]], indirect=True)
def test_evaluate_says_that_its_folder_cannot_be_made(endpoint, tmp_path):
    (tmp_path / "file").write_text("in the way")
    done = run("evaluate", "--folder", str(tmp_path / "file"), **endpoint)
    assert (done.returncode, done.stderr) == (1, "")
    assert "0 of 48 cases were run." in done.stdout
    assert "The report could not be written" in done.stdout


def test_a_half_set_endpoint_is_named():
    done = run("ask", "Hello?", LLM_MODEL="some-model")
    assert done.returncode == 1
    assert "LLM_BASE_URL" in done.stdout and "Traceback" not in done.stderr


def test_a_question_without_quotes_is_explained():
    done = run("ask", "How", "many")
    assert done.returncode == 2
    assert "put a question in quotes" in done.stderr


def test_an_empty_question_is_not_asked():
    done = run("ask", " ")
    assert done.returncode == 2 and "the question is empty" in done.stderr
    assert done.stdout == ""


def test_start_survives_a_terminal_that_cannot_write_the_name_of_the_folder(tmp_path):
    (tmp_path / "Schüler 東京").write_text("a file in the way")
    done = run("start", str(tmp_path / "Schüler 東京"), "--fresh", "05", "--no-browser")
    assert (done.returncode, done.stderr) == (1, "")
    assert "Sch?ler ??" in done.stdout
    assert "Name a folder of your own" in done.stdout


def test_start_names_the_notebooks_when_there_is_none_of_that_number(tmp_path):
    done = run("start", str(tmp_path / "mine"), "--fresh", "99", "--no-browser")
    assert done.returncode == 1
    assert "There is no notebook 99. There are:\n  00_start_here.ipynb\n" in done.stdout
    assert not (tmp_path / "mine").exists()


def test_start_says_how_fresh_is_used():
    done = run("start", "--fresh")
    assert done.returncode == 2
    assert "[FOLDER] [--fresh 05]" in done.stderr
