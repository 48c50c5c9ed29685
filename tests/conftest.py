"""What holds for every test: offline, recorded replies, nobody's settings.

All of it is passed on through the environment, so that notebook kernels and child
processes live by the same rules.
"""

import os
import random
import runpy
from pathlib import Path

import pytest

from react_lab import keys

OFFLINE = Path(__file__).parent / "offline"

for name in list(os.environ):
    if name.startswith(("LLM_", "OPENAI_")):
        del os.environ[name]
os.environ["REACT_LAB_RECORDING"] = "replay"
os.environ["PYTHONPATH"] = os.pathsep.join(
    filter(None, [str(OFFLINE), os.environ.get("PYTHONPATH")])
)
runpy.run_path(str(OFFLINE / "sitecustomize.py"))  # this process is already running

SEED = int(os.environ.get("REACT_LAB_SEED") or random.randrange(10**6))


def pytest_report_header():
    return f"recorded entries to ask again are drawn with REACT_LAB_SEED={SEED}"


@pytest.fixture(autouse=True)
def no_keys_of_other_tests():
    """A key is masked from the moment on at which a model is made with it."""
    keys._known.clear()


@pytest.fixture
def seed():
    """What the random draws of this run start from; printed in the header."""
    return SEED


@pytest.fixture
def little_room():
    """A function that lets no file of this process grow beyond some bytes, as on a full disk."""
    resource = pytest.importorskip("resource", reason="Windows has no such limit")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    return lambda n=soft: resource.setrlimit(resource.RLIMIT_FSIZE, (n, hard))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    """The limit ends before pytest writes its dot: that may go to a long file, too."""
    try:
        return (yield)
    finally:
        if end := getattr(item, "funcargs", {}).get("little_room"):
            end()
