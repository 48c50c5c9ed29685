"""The benchmark counts what it says it counts. How fast anything is, no test asserts."""

import ast
import subprocess
import sys
from pathlib import Path

import openai
import pytest

from benchmarks import contenders, imports, live, parsing, steps
from benchmarks.contenders import QUESTION, TOOLS
from benchmarks.server import Endpoint
from benchmarks.table import markdown
from react_lab.prompt import system_prompt

ROOT = Path(__file__).parents[2]

# A run of three steps, written out: the endpoint's replies, and what the calculator says.
CALL = (
    'Thought: I need product {0}.\nAction: calculator\nAction Input: {{"expression": "{0} * 12"}}'
)
OPENING = [system_prompt(TOOLS), "Question: What are the first multiples of 12?"]
ROUNDS = [[CALL.format(1), "Observation: 12"], [CALL.format(2), "Observation: 24"]]
ANSWER = "That is all of it."


@pytest.fixture(scope="module")
def endpoint():
    with Endpoint() as running:
        yield running


# The loop ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["floor", "react_lab"])
def test_floor_and_lab_send_the_same_three_requests(endpoint, name):
    ask = contenders.OURS[name](endpoint.url, 3)
    for _ in range(2):  # also when the same loop is asked again
        endpoint.reset(3)
        assert ask() == ANSWER
        said = [[m["content"] for m in body["messages"]] for body in endpoint.requests()]
        assert said == [OPENING, OPENING + ROUNDS[0], OPENING + ROUNDS[0] + ROUNDS[1]]


def test_the_rows_hold_requests_characters_and_tokens_of_one_run():
    def words(text):
        return len(text.split())

    rows = steps.measure(lengths=(2, 3), runs=2, count=words)

    assert [(row["loop"], row["steps"]) for row in rows if row["loop"] in contenders.OURS] == [
        ("floor", 2),
        ("react_lab", 2),
        ("floor", 3),
        ("react_lab", 3),
    ]
    two = ["".join(OPENING), "".join(OPENING + ROUNDS[0])]
    three = [*two, "".join(OPENING + ROUNDS[0] + ROUNDS[1])]
    for row in rows[:2]:
        assert row["requests"] == 2
        assert (row["characters"], row["tokens"]) == (len("".join(two)), sum(map(words, two)))
    assert [row["characters"] for row in rows if row["steps"] == 3][:2] == [len("".join(three))] * 2
    assert all(row["CPU ms a step"] > 0 and row["time ms a step"] > 0 for row in rows)
    assert rows[0]["to the floor"] == "+0%"


def test_a_loop_that_does_not_finish_is_not_measured(monkeypatch):
    def lazy(url, steps):
        return lambda: None

    monkeypatch.setattr(steps, "contenders", lambda: {"floor": lazy})
    with pytest.raises(RuntimeError, match="floor: 0 requests for 3 steps, answer None"):
        steps.measure(lengths=(3,), runs=1)


def test_the_floor_is_short_and_knows_nothing_of_the_lab():
    text = (ROOT / "benchmarks" / "floor.py").read_text("utf-8")
    assert len(text.splitlines()) <= 40
    names = [n for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Import | ast.ImportFrom)]
    assert [alias.name for node in names for alias in node.names] == ["json", "re"]


# The endpoint -----------------------------------------------------------------------------


def test_with_tools_the_endpoint_calls_natively(endpoint):
    tools = [{"type": "function", "function": {"name": "calculator", "parameters": {}}}]
    final = [*tools, {"type": "function", "function": {"name": "final_answer"}}]
    messages = [{"role": "user", "content": QUESTION}]
    endpoint.reset(2)
    with openai.OpenAI(base_url=endpoint.url, api_key="none", max_retries=0) as client:

        def ask(given):
            made = client.chat.completions.create(model="m", messages=messages, tools=given)
            return made.choices[0].message

        call = ask(tools).tool_calls[0].function
        assert (call.name, call.arguments) == ("calculator", '{"expression": "1 * 12"}')
        assert ask(tools).content == ANSWER
        call = ask(final).tool_calls[0].function  # as smolagents wants it
        assert (call.name, call.arguments) == ("final_answer", '{"answer": "That is all of it."}')
    assert [len(body["tools"]) for body in endpoint.requests()] == [1, 1, 2]


def test_calls_and_tools_count_as_sent():
    call = {"id": "call00001", "function": {"name": "add", "arguments": '{"a": 1}'}}
    messages = [
        {"role": "user", "content": [{"type": "text", "text": "Hello"}]},
        {"role": "assistant", "content": None, "tool_calls": [call]},
    ]
    body = {"messages": messages, "tools": [{"name": "é"}]}
    assert steps.text_sent(body) == 'Helloadd{"a": 1}[{"name": "é"}]'


def test_the_endpoint_is_a_process_that_ends_with_its_block():
    with Endpoint() as running:
        assert running.process.poll() is None
    assert running.process.returncode == 0


# Imports and parser -----------------------------------------------------------------------


def test_importing_the_lab_never_imports_openai():
    loads = {row["import"]: row["loads openai"] for row in imports.measure(runs=1)}
    assert loads["openai"] == "yes"
    assert [loads[name] for name in loads if name.startswith("react_lab")] == ["no", "no"]


@pytest.mark.parametrize("kind", parsing.KINDS)
@pytest.mark.parametrize("length", [1_000, 12_345])
def test_a_text_has_the_length_that_its_column_says(kind, length):
    assert len(parsing.text_of(kind, length)) == length


def test_each_text_is_read_as_what_it_is():
    rows = parsing.measure(lengths=(1_000, 2_000), runs=1)
    assert {row["text"]: row["read as"] for row in rows} == {
        "long thought, then an action": "Action",
        "long input": "Action",
        "long final answer": "FinalAnswer",
        "an action on every line": "Malformed",
        "invented observations": "Action",
        "braces that never close": "Malformed",
        "fences that never close": "Malformed",
    }
    assert list(rows[0])[2:] == ["1,000", "2,000"]


# The peers and the report -----------------------------------------------------------------


def test_only_installed_peers_run():
    assert contenders.installed(("json", "json.decoder"))
    assert not contenders.installed(("json", "no_such_module"))
    assert not contenders.installed(("no_such_module.inner",))
    assert list(contenders.contenders())[:2] == ["floor", "react_lab"]


def test_a_table_is_markdown():
    rows = [{"loop": "floor", "n": 1234, "ms": 2.5, "tokens": None}]
    assert markdown(rows).splitlines() == [
        "| loop | n | ms | tokens |",
        "| --- | ---: | ---: | --- |",
        "| floor | 1,234 | 2.50 | - |",
    ]


def test_one_command_makes_the_three_tables():
    """In a process of its own, because counting tokens starts the engine."""
    code = "from benchmarks.__main__ import report; print(report(runs=1))"
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert run.stdout.startswith("Made by `python -m benchmarks` with Python 3.")
    heads = [line.split(" | ")[0] for line in run.stdout.splitlines() if line.startswith("| ")]
    assert [head for head in heads if head in ("| loop", "| import", "| text")] == [
        "| loop",
        "| import",
        "| text",
    ]
    assert heads.count("| react_lab") == 4  # 3, 8 and 20 steps, and one import


# The embedded model -----------------------------------------------------------------------


@pytest.mark.more
def test_the_rows_of_the_live_model_hold_what_each_mode_had_to_read():
    old, new = live.measure(["What is 3 * 3?"])
    assert (old["mode"], new["mode"], old["to the old"]) == ("old", "new", 1.0)
    assert old["tokens read, first"] > 300  # the whole prompt: the system message alone has 321
    assert new["tokens read, first"] < 40  # the question
    assert old["first step, s"] > 0 and new["first step, s"] > 0
