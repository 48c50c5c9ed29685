"""What tools really do: odd results, odd signatures, odd arguments, hangs; and the calculator.

The situations stand in data/field_cases.jsonl, each met in public by somebody (`source`). Here
are the families loop/result, loop/schema, loop/coerce, loop/misbehave, loop/async and calc, and
the one case of loop/unicode, whose reply is read here without a server. Each case has a test
named after its id; the last test sees to it that none is left out.
"""

import json
import re
import subprocess
import sys
import unicodedata
from fractions import Fraction
from pathlib import Path

import pytest

from react_lab import trace
from react_lab.loop import Agent
from react_lab.models import ScriptedModel
from react_lab.registry import Observation, Registry
from react_lab.toolkit import lab_tools
from react_lab.trace import Run

FILE = Path(__file__).parents[1] / "data" / "field_cases.jsonl"
CASES = {case["id"]: case for case in map(json.loads, FILE.read_text("utf-8").splitlines())}


def given(name: str) -> dict:
    """What a case gives: its `input`."""
    return CASES[name]["input"]


def defined(source: str) -> dict:
    """The names that a case's Python source defines."""
    names = {"__name__": "case"}
    exec(source, names)
    return names


def registry_of(case: dict, **settings) -> Registry:
    """The case's tool: the last function of its source."""
    names = defined(case["source"])
    tool = case["call"]["name"] if "call" in case and "name" in case["call"] else list(names)[-1]
    registry = Registry()
    registry.register(names[tool], name=tool, **settings)
    return registry


def called(case: dict, **settings) -> Run:
    """The run of a case of kind "tool": the model calls the tool once, then answers."""
    call = case["call"]
    action = f"Thought: try it\nAction: {call['name']}\nAction Input: {call['arguments']}"
    model = ScriptedModel([action, "Thought: seen\nFinal Answer: done"])
    return Agent(model, registry_of(case, **settings)).run("Go.")


def seen(run: Run, path: Path) -> Observation:
    """The observation of such a run, after a look at all that must hold for any result."""
    assert (run.stop, run.answer, len(run.steps)) == ("answered", "done", 2)
    observation = run.steps[0].observation
    sent = json.dumps(run.steps[1].sent, allow_nan=False, ensure_ascii=False)
    assert json.dumps(observation.text, ensure_ascii=False)[1:-1] in sent
    sent.encode("utf-8")
    trace.save(run, path)
    assert all(map(json.loads, path.read_text("utf-8").splitlines()))
    assert trace.load(path).steps[0].observation == observation
    assert observation.text.strip()
    return observation


@pytest.fixture
def look(tmp_path):
    """look(case) is the observation of the case's one call."""
    return lambda case, **settings: seen(called(case, **settings), tmp_path / "run.jsonl")


# What a tool returns -------------------------------------------------------------------------


def test_result_datetime_decimal(look):
    shown = json.loads(look(given("loop-result-datetime-decimal")).text)
    assert shown["counted"].startswith("2031-05-04")
    assert (shown["day"], shown["price"], shown["left"]) == ("2031-05-04", "0.10", 7)


def test_result_odd_objects(look):
    shown = json.loads(look(given("loop-result-odd-objects")).text)
    assert (shown["c"], shown["p"], shown["s"], shown["t"]) == (
        "red",
        {"x": 1, "y": 2},
        [3],
        [4, 5],
    )
    assert (shown["path"], shown["u"]) == ("a/b", "00000000-0000-0000-0000-000000000007")
    assert "tuple key" in shown.values() and shown["9"] == "int key"


def test_result_numpy(look):
    pytest.importorskip("numpy")
    shown = json.loads(look(given("loop-result-numpy")).text)
    assert shown == {"mean": 2.5, "n": 4, "v": [1, 2], "ok": True}


def test_result_bytes(look):
    assert "264 bytes" in look(given("loop-result-bytes")).text


def test_result_not_a_number(look):
    shown = json.loads(look(given("loop-result-not-a-number")).text, parse_constant=pytest.fail)
    assert shown == {"a": "nan", "b": "inf", "c": 1.5}


def test_result_circular(look):
    assert json.loads(look(given("loop-result-circular")).text) == {"name": "a", "self": "..."}


def test_result_endless_generator(look):
    observation = look(given("loop-result-endless-generator"), seconds=10)
    assert observation.text.startswith("0\n1\n2\n")
    assert observation.truncated and observation.error is None


@pytest.mark.parametrize("case", given("loop-result-none-and-empty")["variants"])
def test_result_none_and_empty(case, look):
    assert "returned" in look(case).text


def test_async_tool_behind_sync_wrapper(look):
    case = given("loop-async-tool-behind-sync-wrapper")
    assert look(case).text == "42"
    assert registry_of(case)["fetch"].parameters["properties"]["x"]["type"] == "integer"


# What a tool does to the program -------------------------------------------------------------


def test_tool_interrupted():
    """The interrupt is the person's: it passes, the model is not asked again, the run is kept."""
    with pytest.raises(KeyboardInterrupt) as interrupt:
        called(given("loop-tool-interrupted"))
    assert (interrupt.value.run.question, interrupt.value.run.stop) == ("Go.", None)


def test_tool_hangs(look):
    case = given("loop-tool-hangs")
    observation = look(case, seconds=case["tool_timeout"])
    assert observation.error == "tool error"
    assert "wait ran out of time (1 s)" in observation.text


def test_tool_hangs_and_python_still_ends():
    """In a Python of its own: the call that never comes back does not hold up the end."""
    case = given("loop-tool-hangs")
    code = (
        "from react_lab.registry import Registry\nregistry = Registry()\n"
        f"{case['source']}\nregistry.register(wait, seconds=0.2)\n"
        "print(registry.call('wait', {}).text)\n"
    )
    limit = 60  # hangs for an hour if it hangs
    child = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=limit)
    assert (child.returncode, child.stderr) == (0, b"")
    assert child.stdout.strip() == b"TimeoutError: wait ran out of time (0.2 s)."


FAILURES = ("KeyError", "ValueError", "AssertionError")  # in the order of the case


@pytest.mark.parametrize(
    "case, kind",
    [*zip(given("loop-tool-fails-without-message")["variants"], FAILURES)],
)
def test_tool_fails_without_message(case, kind, look):
    observation = look(case)
    assert observation.error == "tool error"
    assert observation.text.startswith(f"Error: {kind}: ")


def test_tool_changes_its_arguments():
    run = called(given("loop-tool-changes-its-arguments"))
    assert run.steps[0].observation.text == "2"
    assert run.steps[0].move.arguments == {"items": ["a", "b"]}
    assert '{"items": ["a", "b"]}' in run.steps[1].sent[2]["content"]


# What a tool takes ---------------------------------------------------------------------------


def test_schema_star_args():
    case = given("loop-schema-star-args")
    registry = registry_of(case)
    assert registry.parameters() == {"f": ["x"]}
    assert registry["f"].parameters["required"] == ["x"]
    assert registry.call("f", json.loads(case["call"]["arguments"])).text == "1"


def test_schema_dataclass():
    case = given("loop-schema-dataclass")
    registry = registry_of(case)
    point = registry["far"].parameters["properties"]["p"]
    assert (point["type"], point["required"]) == ("object", ["x"])
    assert list(point["properties"]) == ["x", "y"]
    assert [registry.call("far", json.loads(call)).text for call in case["calls"]] == ["5.0"]


def test_schema_bound_method_and_partial():
    case = given("loop-schema-bound-method-and-partial")
    names, registry = defined(case["source"]), Registry()
    for expression in case["register"]:
        registry.register(eval(expression, names))
    assert registry.parameters() == {"price": ["item"], "rate": ["currency"]}
    assert registry["rate"].description == "Rate of a currency."
    assert registry.call("price", {"item": "pot"}).text == "pot: 2"
    assert registry.call("rate", {"currency": "NOK"}).text == "NOK Monday"


def test_schema_union_and_unknown_name():
    source = given("loop-schema-union-and-unknown-name")["source"]
    with pytest.raises(ValueError, match="signature of g cannot be read: name 'Missing'"):
        Registry().register(defined(source)["g"])
    registry = registry_of({"source": source.replace('"Missing"', "None")})
    kinds = [one["type"] for one in registry["g"].parameters["properties"]["x"]["anyOf"]]
    assert kinds == ["string", "integer"]


@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize("call", given("loop-schema-non-ascii-parameters")["calls"])
def test_schema_non_ascii_parameters(call, form):
    registry = registry_of(given("loop-schema-non-ascii-parameters"))
    assert registry.parameters() == {"wetter": ["stadt", "größe", "城市"]}
    observation = registry.call("wetter", json.loads(unicodedata.normalize(form, call)))
    assert unicodedata.normalize("NFC", observation.text) == "Köln 2 柏林"


@pytest.mark.parametrize(
    "name, arguments, right",
    [
        (name, *row)
        for name in ("loop-coerce-scalars", "loop-coerce-stringified-list")
        for row in given(name)["rows"]
    ],
)
def test_coerce(name, arguments, right):
    """Each row: arguments, and what the tool shows of what it got; or an error before it runs."""
    registry, arguments = registry_of(given(name)), json.loads(arguments)
    [tool], [parameter] = registry, arguments
    observation = registry.call(tool.name, arguments)
    if observation.error is None:
        assert observation.text in right.split(" or ")
    else:
        kind = {"n": "int", "x": "float", "on": "bool", "s": "str", "kinds": "list[str]"}[parameter]
        assert "error" in right.split(" or ")
        assert observation.error == "bad arguments"
        assert observation.text.startswith(f"{parameter} must be {kind}: ")


def test_escaped_emoji_in_text_mode():
    """The reply spells the emoji as two halves; the tool gets one sign."""
    case = given("loop-escaped-emoji-in-text-mode")
    names, registry = defined(case["tools"][0]), Registry()
    registry.register(names["add_note"])
    choices = [reply["json"]["choices"][0] for reply in case["server"]["replies"]]
    model = ScriptedModel([choice["message"]["content"] for choice in choices])
    run = Agent(model, registry).run(case["question"])
    assert (names["NOTES"], run.answer) == (["tea 🍵"], "done")


# The calculator ------------------------------------------------------------------------------

CALCULATIONS = [n for n, case in CASES.items() if case["input"]["kind"] == "expressions"]


@pytest.mark.parametrize(
    "name, expression, right",
    [
        pytest.param(name, *row, id=f"{name}-{number}")
        for name in CALCULATIONS
        for number, row in enumerate(given(name)["rows"])
    ],
)
def test_calculation(name, expression, right):
    """The result of the case's table, or an error for the model where the table allows one."""
    observation = lab_tools().call("calculator", {"expression": expression})
    if observation.error:
        assert observation.error == "tool error"
        assert re.search(r"\berror\b(?! \d)", right), observation.text
        assert observation.text.startswith("ValueError: ") and len(observation.text) < 400
        for word in re.findall(r"naming (\w+)", right):
            assert word in observation.text
    elif "exact" in right:
        assert observation.truncated or Fraction(observation.text) == eval(expression)
    elif "a text of" in right:
        assert len(observation.text) + observation.truncated < 5000
    else:
        numbers, tolerance = expected(right)
        result = Fraction(observation.text)
        assert any(abs(result - number) <= tolerance * abs(number) for number in numbers)


def expected(right: str) -> tuple[list[Fraction], Fraction]:
    """The numbers that a row of the table allows, and how near to one a result must be.

    >>> expected("100.1, 110 or error: as documented")
    ([Fraction(1001, 10), Fraction(110, 1)], Fraction(0, 1))
    >>> expected("8.47e-22 (1%)")[1]
    Fraction(1, 100)
    """
    values = re.split(r"\(|, never|:", right)[0]
    numbers = [Fraction(n) for n in re.findall(r"-?\d+(?:\.\d+)?(?:e-?\d+)?", values)]
    near = re.search(r"\((?:rel\. error )?(1e-\d+|1%)\)", right)
    if near:
        return numbers, Fraction(near[1].replace("%", "e-2"))
    return numbers, Fraction("1e-8" if re.search(r"\.\d{8}\b", values) else 0)


# All of them ---------------------------------------------------------------------------------


def test_every_case_of_these_families_has_a_test():
    ours = ("loop/result", "loop/schema", "loop/coerce", "loop/misbehave", "loop/async", "calc/")
    wanted = {name for name, case in CASES.items() if case["family"].startswith(ours)}
    text = Path(__file__).read_text("utf-8")
    here = {name for name in CASES if f'given("{name}")' in text or f'"{name}"' in text}
    assert wanted - set(CALCULATIONS) <= here
    assert len(wanted) == 36
