"""The grammar: what it lets through can be read and called, and the engine takes it."""

import ast
import enum
import json
import re
from dataclasses import dataclass, replace
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from react_lab.models import ModelError
from react_lab.models.embedded import EmbeddedModel
from react_lab.models.grammar import grammar
from react_lab.parser import Action, FinalAnswer, Malformed, parse
from react_lab.prompt import system_prompt
from react_lab.registry import Registry

MODEL = EmbeddedModel(adapter=False, max_tokens=60)
HELLO = [{"role": "user", "content": "Hi"}]

tools = Registry()


class Unit(enum.Enum):
    KM = "km"
    MILES = 'statute "miles"'


@dataclass
class Point:
    latitude: float
    longitude: float


@tools.register
def distance(start: Point, end: Point, unit: Unit = Unit.KM) -> str:
    """Distance between two points. Use it for how far."""


@tools.register
def now() -> str:
    """The time. Use it when the time is asked for."""


@tools.register
def größe(stadt: Literal["Köln", "Ulm"], jahr: int | None = None) -> str:
    """Inhabitants of a city. Use it for how many people live there."""


def schema(parameters: dict, name: str = "tool") -> dict:
    return {"type": "function", "function": {"name": name, "parameters": parameters}}


# In the text protocol a tool is called by its own name, which no API has to take.
IN_TEXT = [schema(tool.parameters, tool.name) for tool in tools]

TOKEN = re.compile(
    r'("(?:\\.|[^"\\])*")|(\[(?:\\.|[^\]\\])*\]|\{[\d,]+\}|[()|?*+])|([a-z][a-z0-9-]*)|\s+'
)


def as_regex(gbnf: str, start: str = "root") -> str:
    """The grammar as a regular expression: it works as long as no rule holds itself."""
    rules = dict(line.split(" ::= ", 1) for line in gbnf.splitlines())

    def expand(part: re.Match) -> str:
        literal, sign, rule = part.groups()
        if literal:
            return re.escape(ast.literal_eval(literal))
        return sign or (f"(?:{TOKEN.sub(expand, rules[rule])})" if rule else "")

    return TOKEN.sub(expand, rules[start])


def takes(parameters: dict, text: str) -> bool:
    """Whether the grammar of a tool with these parameters lets this Action Input through."""
    reply = f"Thought: x\nAction: tool\nAction Input: {text}"
    return bool(re.fullmatch(as_regex(grammar([schema(parameters)])), reply))


def takes_value(value_schema: dict, text: str) -> bool:
    return takes({"properties": {"x": value_schema}, "required": ["x"]}, f'{{"x": {text}}}')


# What the grammar says, read as a regular expression


@pytest.mark.parametrize(
    "reply",
    [
        'Thought: far\nAction: distance\nAction Input: {"start": {"latitude": 1, "longitude": '
        '2.5}, "end": {"latitude": -1e2, "longitude": 0}, "unit": "statute \\"miles\\""}',
        "Thought: time\nAction: now\nAction Input: {}",
        'Thought: people\nAction: größe\nAction Input: {"stadt": "Köln", "jahr": null}',
        "Thought: I know it.\nFinal Answer: -5 degrees, 北京",
    ],
)
def test_a_good_reply_passes_and_can_be_read_and_called(reply):
    assert re.fullmatch(as_regex(grammar(IN_TEXT)), reply)
    move = parse(reply, tools.parameters())
    assert not isinstance(move, Malformed) and move.repairs == ()
    if isinstance(move, Action):
        assert tools.call(move.tool, move.arguments).error is None


@pytest.mark.parametrize(
    "reply",
    [
        "Final Answer: 4",
        "Thought: x\nAction: later\nAction Input: {}",
        "Thought: x\nAction: now",
        "Thought: x\nAction: now\nAction Input: {}\nObservation: noon",
        'Thought: x\nAction: now\nAction Input: {"city": "Oslo"}',
        'Thought: x\nAction: größe\nAction Input: {"stadt": "Bonn"}',
        "Thought: x\nFinal Answer: ",
        "Thought: x\nFinal Answer: **",
        "Thought: x\nFinal Answer: \u00a0",
        "Thought: x\u2028Action: now\nFinal Answer: 4",
    ],
)
def test_a_bad_reply_does_not_pass(reply):
    assert not re.fullmatch(as_regex(grammar(IN_TEXT)), reply)


def test_without_tools_only_an_answer_is_left():
    assert re.fullmatch(as_regex(grammar([])), "Thought: x\nFinal Answer: y")
    assert "Action" not in grammar([])


@pytest.mark.parametrize(
    "value_schema, good, bad",
    [
        ({"type": "string"}, ['"a"', '"\\n\\u00e9"', '""'], ["a", '"\n"', '"\\x"', '"a']),
        ({"type": "integer"}, ["0", "-17"], ["1.5", "01", "1" * 16, '"1"']),
        ({"type": "number"}, ["0.5", "-1e-3", "12"], [".5", "1.", "NaN"]),
        ({"type": "boolean"}, ["true", "false"], ["True", "1"]),
        ({"type": ["null", "boolean"]}, ["null", "true"], ["0"]),
        ({"type": "array", "items": {"type": "integer"}}, ["[]", "[1, 2]"], ["[1,]", '["a"]']),
        ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, ["1", "null"], ["true"]),
        ({"enum": ["a", 2, None]}, ['"a"', "2", "null"], ['"b"', "a"]),
        ({"const": 'say "hi"\\\n\x01'}, ['"say \\"hi\\"\\\\\\n\\u0001"'], ['"say hi"']),
        (
            {"type": "object", "additionalProperties": {"type": "integer"}},
            ["{}", '{"a": 1, "b": 2}'],
            ['{"a": "1"}', "{1: 1}"],
        ),
        (
            {"$ref": "#/$defs/Mark", "$defs": {"Mark": {"enum": [1, 2]}}},
            ["1", "2"],
            ["3"],
        ),
    ],
)
def test_a_value_keeps_its_schema(value_schema, good, bad):
    for text in good:
        assert takes_value(value_schema, text), text
        json.loads(text)
    for text in bad:
        assert not takes_value(value_schema, text), text


def test_required_properties_always_stand_there_and_others_may():
    numbers = {name: {"type": "integer"} for name in "abcd"}
    for required in ([], ["a"], ["d"], ["b", "c"], ["a", "b", "c", "d"]):
        parameters = {"properties": numbers, "required": required}
        for mask in range(16):
            chosen = {name: 1 for bit, name in enumerate("abcd") if mask >> bit & 1}
            right = set(required) <= set(chosen)
            assert takes(parameters, json.dumps(chosen)) == right, (required, chosen)


# The engine


def written_input(parameters: dict) -> str:
    """What the base model writes as Action Input of a tool with these parameters."""
    root, rest = grammar([schema(parameters)]).split("\n", 1)
    rule = root.split()[-2]  # the root ends with the rule of the input and a bracket
    return replace(MODEL, grammar=f"root ::= {rule}\n{rest}")(HELLO).text


def test_a_complete_reply_of_the_base_model_is_always_a_move():
    model = replace(MODEL, grammar=grammar(tools.schemas()))
    system = {"role": "system", "content": system_prompt(tools)}
    question = {"role": "user", "content": "Question: How many people live in Ulm?"}
    reply = model([system, question])
    move = parse(reply.text, tools.parameters())
    assert reply.finish_reason == "stop"  # a cut reply is told by "length"
    assert isinstance(move, Action | FinalAnswer) and move.repairs == ()
    assert replace(model, max_tokens=9)([system, question]).finish_reason == "length"


def test_a_definition_may_hold_itself():
    node = {"properties": {"n": {"const": 1}, "next": {"$ref": "#/$defs/Node"}}, "required": ["n"]}
    parameters = {"properties": {"start": {"$ref": "#/$defs/Node"}}, "required": ["start"]}
    parameters["$defs"] = {"Node": {"type": "object", **node}}
    assert written_input(parameters).startswith('{"start": {"n": 1')


def test_an_object_with_nothing_required_may_be_empty():
    parameters = {"properties": {"x": {"type": "integer"}, "y": {"type": "integer"}}}
    assert set(json.loads(written_input(parameters))) <= {"x", "y"}


NAMES = st.text(min_size=1, max_size=8)
VALUES = st.sampled_from(
    [{"type": t} for t in ("string", "integer", "number", "boolean", "null", "array", "object")]
    + [{}, {"enum": ["a\n", '"', "\\"]}, {"type": "array", "items": {"type": "integer"}}]
)


def objects(inner):
    properties = st.dictionaries(NAMES, inner, max_size=4)
    return st.builds(
        lambda some, count: {
            "type": "object",
            "properties": some,
            "required": list(some)[:count],
        },
        properties,
        st.integers(0, 4),
    )


@settings(max_examples=12, deadline=None, derandomize=True)
@given(st.lists(st.tuples(NAMES, objects(VALUES | objects(VALUES))), min_size=1, max_size=3))
def test_the_engine_takes_names_and_schemas_of_every_kind(pairs):
    gbnf = grammar([schema(parameters, name) for name, parameters in pairs])
    assert replace(MODEL, grammar=gbnf, max_tokens=2)(HELLO).text == "Th"


def test_the_engine_would_notice_a_wrong_one():
    with pytest.raises(ModelError, match="grammar"):
        replace(MODEL, grammar=grammar([]).replace("line ::=", "lime ::="))(HELLO)
