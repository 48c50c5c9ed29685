"""The same agent by hand and in two frameworks: what they print is stored, and is true."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.frameworks.__main__ import HERE, NAMES, comparable, printed
from benchmarks.frameworks.task import bare, needed
from benchmarks.server import Endpoint

ROOT = Path(__file__).parents[2]
OUTPUTS = {name: (HERE / "output" / f"{name}.txt").read_text("utf-8") for name in NAMES}
PINS = dict(
    re.findall(r"^([\w-]+)==(\S+)", (HERE / "requirements.txt").read_text("utf-8"), re.MULTILINE)
)
FIRST = """\
# An answer at the third reply

Question: What are the first multiples of 12?
Call:     calculator {'expression': '1 * 12'} -> 12
Call:     calculator {'expression': '2 * 12'} -> 24
Answer:   That is all of it.
Replies:  3
"""


@pytest.mark.parametrize("text", OUTPUTS.values(), ids=OUTPUTS)
def test_all_three_make_the_same_calls_and_give_the_same_answer(text):
    assert text.startswith(FIRST)


def test_at_the_limit_the_lab_ends_with_a_value_and_the_frameworks_with_an_error():
    ends = {name: re.findall(r"^Stopped:  (.+)", text, re.M) for name, text in OUTPUTS.items()}
    assert ends["react_lab_agent"] == ["Not finished: step limit."]
    assert ends["langgraph_agent"][0].startswith("GraphRecursionError: ")
    assert ends["pydantic_ai_agent"][0].startswith("UsageLimitExceeded: ")


@pytest.mark.parametrize("text", OUTPUTS.values(), ids=OUTPUTS)
def test_nobody_goes_beyond_the_limit_and_every_call_is_kept(text):
    second = text.split("# No answer within")[1]
    assert re.findall(r"-> (\d+)$", second, re.M) == [str(12 * n) for n in range(1, 9)]


def test_the_stored_output_of_the_lab_is_what_it_prints_now():
    with Endpoint() as endpoint:
        assert printed("react_lab_agent", endpoint) == OUTPUTS["react_lab_agent"]


def test_the_outputs_name_the_pinned_versions():
    named = [
        pair for text in OUTPUTS.values() for pair in re.findall(r"([\w-]+)\S* (\d\S+\d)", text)
    ]
    assert {name for name, _ in named} == {"langgraph", "langchain-openai", "pydantic-ai-slim"}
    assert all(PINS[name] == version for name, version in named)


def test_needed_packages_are_followed_to_the_end():
    """What pydantic's own metadata names, and what those name."""
    found = needed(["pydantic"])
    assert {"pydantic", "pydantic-core", "annotated-types", "typing-extensions"} <= found
    assert "email-validator" not in found, "of an extra that was not asked for"
    assert bare("Pydantic_Core[x]") == "pydantic-core"


def test_only_the_number_of_packages_is_left_out_of_a_comparison():
    assert comparable("a\nPackages: 43\nb\n") == "a\nb\n"


@pytest.mark.more
def test_the_frameworks_still_print_what_is_stored(tmp_path):
    """In an environment of their own, with the pins; it needs the network."""
    subprocess.run([sys.executable, "-m", "venv", tmp_path], check=True)
    python = next(p for p in tmp_path.glob("*/python*") if p.stem == "python")
    pins = str(HERE / "requirements.txt")
    online = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}  # pip needs the network
    subprocess.run([python, "-m", "pip", "install", "-q", "-r", pins], env=online, check=True)
    command = [python, "-m", "benchmarks.frameworks", "--compare"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
