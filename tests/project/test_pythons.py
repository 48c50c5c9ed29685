"""The lab on another Python than the one that runs the tests, from an empty folder."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
VERSIONS = ("3.13", "3.12", "3.11")


def works(python, version):
    """Whether this command starts a Python of this version that can make environments."""
    code = f"import sys, venv, ensurepip; sys.exit('{version}' != '%d.%d' % sys.version_info[:2])"
    try:
        return subprocess.run([python, "-c", code], capture_output=True).returncode == 0
    except OSError:
        return False


def candidates(version):
    """Commands that may start a Python of this version: on the PATH, from pyenv, from uv."""
    yield f"python{version}"
    if shutil.which("pyenv"):
        said = subprocess.run(["pyenv", "versions", "--bare"], capture_output=True, text=True)
        for name in said.stdout.split():
            if name.startswith(version):
                asked = ["pyenv", "prefix", name]
                prefix = subprocess.run(asked, capture_output=True, text=True).stdout.strip()
                yield str(Path(prefix) / "bin" / "python")
    if shutil.which("uv"):
        asked = ["uv", "python", "find", "--no-python-downloads", version]
        yield subprocess.run(asked, capture_output=True, text=True).stdout.strip()


def other_python():
    """A Python that the lab supports and that does not run this test; the newest there is."""
    mine = f"3.{sys.version_info.minor}"
    for version in VERSIONS:
        for python in candidates(version):
            if version != mine and python and works(python, version):
                return version, python
    pytest.fail("No other Python from 3.11 to 3.13 was found. Install one, or run: make test")


@pytest.mark.more
def test_the_lab_runs_on_another_python(tmp_path):
    """What a new user does, in a folder with a space in its name: `make test`, then doctor.

    The notebooks and the tests of the core run there. The rest hangs less on the Python's version
    than on files and on other programs, and would take as long again as the whole suite.
    """
    version, python = other_python()
    folder = tmp_path / "a copy"
    caches = (".*_cache", ".hypothesis", "*.egg-info", "__pycache__")
    skip = shutil.ignore_patterns(".git", ".venv*", "my_lab", "runs", "dist", *caches)
    shutil.copytree(ROOT, folder, ignore=skip)
    online = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}  # pip needs the network

    def run(*command):
        done = subprocess.run(command, cwd=folder, env=online, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    folders = ("training", "project", "course", "views", "services", "evaluation")
    left_out = " ".join(f"--ignore=tests/{folder}" for folder in folders)
    assert " passed" in run("make", "test", f"PYTHON={python}", f"ARGS={left_out}")
    assert run(".venv/bin/python", "--version").startswith(f"Python {version}")
    run(".venv/bin/python", "-m", "react_lab", "doctor")
    assert "Building" not in run("make", "test", f"PYTHON={python}", "ARGS=--collect-only -q")
