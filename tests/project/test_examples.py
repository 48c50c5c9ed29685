"""The examples run as their first lines say."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from helpers.fake_endpoint import serve

ROOT = Path(__file__).parents[2]
TINY = ROOT / "examples" / "tiny_agent.py"
CALL = 'Thought: Oslo.\nAction: get_weather\nAction Input: {"city": "Oslo"}'


def said(text):
    choice = {
        "index": 0,
        "finish_reason": "stop",
        "message": {"role": "assistant", "content": text},
    }
    return {"json": {"id": "1", "object": "chat.completion", "choices": [choice]}}


def tiny(question, *replies):
    """The tiny agent as a command, at an endpoint that plays these replies."""
    with serve({"replies": [said(text) for text in replies]}) as endpoint:
        settings = {"LLM_BASE_URL": endpoint.url, "LLM_MODEL": "small", "LLM_API_KEY": "secret"}
        command = [sys.executable, TINY, question]
        done = subprocess.run(
            command, env=os.environ | settings, capture_output=True, text=True, encoding="utf-8"
        )
        return done, [request.messages for request in endpoint.requests]


def test_it_calls_a_tool_and_answers():
    question = "How warm is it in Oslo?"
    done, asked = tiny(question, CALL, "Thought: I know.\nFinal Answer: 16 degrees.")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith("Final Answer: 16 degrees.\n")
    assert [one["role"] for one in asked[1]] == ["system", "user", "assistant", "user"]
    assert asked[0][1]["content"] == f"Question: {question}"
    assert asked[1][3]["content"] == "Observation: Oslo: 16 °C"


@pytest.mark.parametrize(
    "reply, observation",
    [
        (CALL + "\nObservation: 99 °C", "Oslo: 16 °C"),
        (CALL.replace("get_weather", "weather"), "There is no tool named weather. Use one of:"),
        (CALL.replace('Oslo"', 'Atlantis"'), "Error: KeyError: 'Atlantis'"),
        ("It is cold.", "Write Thought, Action and Action Input, or"),
        (CALL.replace('"}', ""), "Write Thought, Action and Action Input, or"),
        ('Action: calculator\nAction Input: {"expression": "(7+3)*4"}', "40"),
        ('Action: calculator\nAction Input: {"expression": "9**9**9"}', "Error: ValueError"),
        ('Action: calculator\nAction Input: {"expression": "open(1)"}', "Error: ValueError"),
    ],
)
def test_a_mistake_becomes_an_observation(reply, observation):
    _, asked = tiny("?", reply, "Final Answer: so.")
    assert asked[1][3]["content"].startswith(f"Observation: {observation}")
    assert "99" not in asked[1][2]["content"]


def test_it_stops_after_eight_rounds():
    done, asked = tiny("?", *[CALL] * 9)
    assert (done.returncode, len(asked)) == (1, 8)


def test_it_is_one_short_file_that_takes_only_the_model_from_the_lab():
    text = TINY.read_text("utf-8")
    assert len([line for line in text.splitlines() if line.strip()]) <= 80
    assert [line.strip() for line in text.splitlines() if "import" in line and "lab" in line] == [
        "from react_lab import connect"
    ]


@pytest.mark.more
def test_the_embedded_model_answers_in_it():
    settings = {name: value for name, value in os.environ.items() if name[:5] != "REACT"}
    command = [sys.executable, TINY, "Which city is warmer, Oslo or Rome?"]
    done = subprocess.run(command, env=settings, capture_output=True, text=True, encoding="utf-8")
    assert done.returncode == 0, done.stderr
    assert "Observation: Rome: 27 °C" in done.stdout and "Rome is warmer" in done.stdout
