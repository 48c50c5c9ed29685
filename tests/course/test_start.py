"""The command `start`: what it says, and a real JupyterLab that serves the working copy."""

import json
import os
import re
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

import nbformat
import pytest
from nbformat.sign import NotebookNotary

from react_lab import cli
from react_lab.course import start, working_copies

NOTEBOOK = {"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}


@pytest.fixture
def course(tmp_path):
    """A course of one notebook and one picture, in a folder with a space in its name."""
    folder = tmp_path / "the course"
    (folder / "pictures").mkdir(parents=True)
    (folder / start.FIRST).write_text(json.dumps(NOTEBOOK))
    (folder / "pictures" / "loop.svg").write_text("<svg/>")
    return folder


@pytest.mark.parametrize("form", [["--port", "{}"], ["--port={}"], ["--ServerApp.port={}"]])
def test_a_taken_port_is_noticed(form):
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        options = ["--no-browser", *(part.format(port) for part in form)]
        assert start.busy_port(options) == port
    assert start.busy_port(options) is None


def test_no_option_at_all_asks_for_no_port():
    assert start.busy_port([]) is None


def test_a_taken_port_is_said_with_its_mend(course, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(start, "NOTEBOOKS", course)
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
        code = cli.main(["start", str(tmp_path / "mine"), "--port", port])
    assert code == 1
    assert f"Port {port} is taken" in capsys.readouterr().out
    assert not (tmp_path / "mine").exists()


def test_an_unknown_notebook_is_said_and_nothing_is_opened(course, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(start, "NOTEBOOKS", course)
    assert cli.main(["start", str(tmp_path / "mine"), "--fresh", "99"]) == 1
    assert f"There is no notebook 99. There are:\n  {start.FIRST}" in capsys.readouterr().out
    assert not (tmp_path / "mine").exists()


def test_a_folder_that_cannot_be_made_is_said_with_its_mend(course, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(start, "NOTEBOOKS", course)
    (tmp_path / "file").write_text("in the way")
    assert cli.main(["start", str(tmp_path / "file")]) == 1
    assert "Name a folder of your own: python -m react_lab start FOLDER" in capsys.readouterr().out


def test_so_is_one_in_which_jupyter_can_keep_nothing(course, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(start, "NOTEBOOKS", course)
    monkeypatch.delenv("JUPYTER_CONFIG_DIR", raising=False)
    (tmp_path / ".lab").mkdir()
    (tmp_path / ".lab" / "config").write_text("in the way")
    assert cli.main(["start", str(tmp_path)]) == 1
    assert "Name a folder of your own: python -m react_lab start FOLDER" in capsys.readouterr().out


def test_a_user_without_a_home_gets_one_in_the_folder(tmp_path, monkeypatch):
    assert start.environment(tmp_path).get("HOME") == os.environ.get("HOME")
    monkeypatch.setattr(start.Path, "home", homeless)
    monkeypatch.delenv("HOME", raising=False)
    assert start.environment(tmp_path)["HOME"] == str(tmp_path / ".lab")


def homeless():
    """What Python says in a container whose user is only a number."""
    raise RuntimeError("Could not determine home directory.")


def test_the_style_is_renewed_and_one_of_your_own_is_kept(tmp_path):
    file = tmp_path / "custom/custom.css"
    start.course_look(tmp_path)
    assert "max-width: 67ch" in (ours := file.read_text("utf-8"))
    file.write_text(ours.splitlines()[0] + "\n/* an older style of the course */\n")
    start.course_look(tmp_path)
    assert file.read_text("utf-8") == ours
    file.write_text("body { color: red; }")
    start.course_look(tmp_path)
    assert file.read_text("utf-8") == "body { color: red; }"


def test_copies_of_the_course_are_trusted_and_others_are_not(tmp_path):
    """Asked of Jupyter's own notary, as its server asks when it opens a notebook."""
    notebook = nbformat.read(start.NOTEBOOKS / "04_parser.ipynb", 4)
    ours, other = tmp_path / "ours.ipynb", tmp_path / "other.ipynb"
    nbformat.write(notebook, ours)
    notebook.cells[-1].source += "Changed."
    nbformat.write(notebook, other)
    start.trust([ours, tmp_path / "picture.svg"], tmp_path / "data")
    with NotebookNotary(data_dir=str(tmp_path / "data")) as notary:
        trusted = [notary.check_signature(nbformat.read(path, 4)) for path in (ours, other)]
    assert trusted == [True, False]


def test_an_assistant_that_opens_the_working_copy_is_asked_to_teach(tmp_path):
    working_copies.copy(tmp_path / "mine", start.NOTEBOOKS)
    words = (tmp_path / "mine" / "AGENTS.md").read_text("utf-8")
    assert "do not solve" in words and "replaces a `...`" in words
    for solution in re.findall(r"`(react_lab/[\w/.]+)`", words):
        assert (start.NOTEBOOKS.parent / solution).exists()


def test_jupyterlab_serves_the_copy_and_writes_nowhere_else(course, tmp_path):
    """The real thing: `start FOLDER --fresh 00 --no-browser --port N`, asked over HTTP."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    mine, home = tmp_path / "my lab", tmp_path / "home"
    home.mkdir()
    mine.mkdir()
    (mine / start.FIRST).write_text("my own words")
    code = (
        "import pathlib, sys; from react_lab import cli; from react_lab.course import start;"
        f"start.NOTEBOOKS = pathlib.Path({str(course)!r}); sys.exit(cli.main(sys.argv[1:]))"
    )
    options = ["--no-browser", "--port", str(port), "--IdentityProvider.token=key"]
    hidden = ("JUPYTER", "IPYTHON", "XDG_")
    environment = {k: v for k, v in os.environ.items() if not k.startswith(hidden)}
    lab = subprocess.Popen(
        [sys.executable, "-c", code, "start", str(mine), "--fresh", "00", *options],
        env={**environment, "HOME": str(home), "USERPROFILE": str(home)},
        stdout=subprocess.PIPE,
        text=True,
        stderr=subprocess.DEVNULL,
    )
    news = "lab/api/settings/@jupyterlab/apputils-extension:notification"
    try:
        page = fetch(f"http://127.0.0.1:{port}/lab/tree/{start.FIRST}?token=key", lab)
        files = fetch(f"http://127.0.0.1:{port}/api/contents?token=key", lab)
        settings = fetch(f"http://127.0.0.1:{port}/{news}?token=key", lab)
    finally:
        lab.terminate()
        said, _ = lab.communicate(timeout=30)
    assert b"JupyterLab" in page
    names = {entry["name"] for entry in json.loads(files)["content"]}
    assert names == {start.FIRST, "00_start_here.old.ipynb", "pictures"}
    assert (mine / "00_start_here.old.ipynb").read_text() == "my own words"
    assert (mine / start.FIRST).read_text() == json.dumps(NOTEBOOK)
    assert f"Your notebooks are in {mine}: 2 new" in said
    assert "Yours is kept as 00_start_here.old.ipynb." in said
    assert json.loads(settings)["settings"] == {"fetchNews": "false", "checkForUpdates": False}
    assert list(home.iterdir()) == []


def fetch(address, process):
    """The page at an address, as soon as the server behind it is up."""
    for _ in range(300):
        try:
            with urllib.request.urlopen(address, timeout=30) as answer:
                return answer.read()
        except (urllib.error.URLError, ConnectionError):
            assert process.poll() is None, "the lab ended before it answered"
            time.sleep(0.2)
    raise AssertionError("the lab did not answer within a minute")
