"""The working copy: made once, kept for ever, and served by a real JupyterLab."""

import json
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

import pytest

from react_lab import cli
from react_lab.course import start

NOTEBOOK = {"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}


@pytest.fixture
def course(tmp_path):
    """A course of one notebook and one picture, in a folder with a space in its name."""
    folder = tmp_path / "the course"
    (folder / "pictures").mkdir(parents=True)
    (folder / start.FIRST).write_text(json.dumps(NOTEBOOK))
    (folder / "pictures" / "loop.svg").write_text("<svg/>")
    return folder


def test_the_copy_holds_everything(course, tmp_path):
    new = start.copy(tmp_path / "mine", course)
    assert [path.name for path in new] == [start.FIRST, "loop.svg"]
    assert (tmp_path / "mine/pictures/loop.svg").read_text() == "<svg/>"


def test_what_the_learner_wrote_is_kept(course, tmp_path):
    mine = tmp_path / "mine"
    start.copy(mine, course)
    (mine / start.FIRST).write_text("my own words")
    (course / "01_new.ipynb").write_text("a new lesson")
    assert [path.name for path in start.copy(mine, course)] == ["01_new.ipynb"]
    assert (mine / start.FIRST).read_text() == "my own words"


@pytest.mark.parametrize("form", [["--port", "{}"], ["--port={}"], ["--ServerApp.port={}"]])
def test_a_taken_port_is_noticed(form):
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        options = ["--no-browser", *(part.format(port) for part in form)]
        assert start.busy_port(options) == port
    assert start.busy_port(options) is None


def test_a_taken_port_is_said_with_its_mend(course, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(start, "NOTEBOOKS", course)
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
        code = cli.main(["start", str(tmp_path / "mine"), "--port", port])
    assert code == 1
    assert f"Port {port} is taken" in capsys.readouterr().out
    assert not (tmp_path / "mine").exists()


def test_jupyterlab_serves_the_copy_and_writes_nowhere_else(course, tmp_path):
    """The real thing: `start FOLDER --no-browser --port N`, asked over HTTP, then stopped."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    mine, home = tmp_path / "my lab", tmp_path / "home"
    home.mkdir()
    code = (
        "import pathlib, sys; from react_lab import cli; from react_lab.course import start;"
        f"start.NOTEBOOKS = pathlib.Path({str(course)!r}); sys.exit(cli.main(sys.argv[1:]))"
    )
    options = ["--no-browser", "--port", str(port), "--IdentityProvider.token=key"]
    hidden = ("JUPYTER", "IPYTHON", "XDG_")
    environment = {k: v for k, v in os.environ.items() if not k.startswith(hidden)}
    lab = subprocess.Popen(
        [sys.executable, "-c", code, "start", str(mine), *options],
        env={**environment, "HOME": str(home), "USERPROFILE": str(home)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    news = "lab/api/settings/@jupyterlab/apputils-extension:notification"
    try:
        page = fetch(f"http://127.0.0.1:{port}/lab/tree/{start.FIRST}?token=key", lab)
        files = fetch(f"http://127.0.0.1:{port}/api/contents?token=key", lab)
        settings = fetch(f"http://127.0.0.1:{port}/{news}?token=key", lab)
    finally:
        lab.terminate()
        lab.wait(timeout=30)
    assert b"JupyterLab" in page
    names = {entry["name"] for entry in json.loads(files)["content"]}
    assert names == {start.FIRST, "pictures"}
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
