"""Fuzzing: whatever a model writes, nothing is raised, and no argument is made up."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from react_lab import Action, FinalAnswer, Malformed, Registry, Reply, parse
from react_lab.function_calling import read_reply
from react_lab.parser.call_forms import FORMS
from react_lab.parser.fields import believed
from react_lab.parser.labels import LABELS
from react_lab.parser.plain import parse_plain
from react_lab.parser.wrapping import REASONING

unhurried = settings(deadline=None, max_examples=300)  # a busy machine is not a fault
RAN = []
TOOLS = Registry()


@TOOLS.register
def get_weather(city: str) -> str:
    "Look up the weather in a city."
    RAN.append(("get_weather", city))
    return "20 degrees"


@TOOLS.register
def delete_notes(tag: str = "", days: int = 0) -> str:
    "Delete notes."
    RAN.append(("delete_notes", tag, days))
    return "deleted"


KNOWN = TOOLS.parameters()
labels = st.sampled_from(
    [f"\n{label}: " for names in LABELS.values() for label in names.values()]
    + ["\nAction: get_weather", "\nAction: delete_notes", "\nAction: get_weather(", " Action: "]
)
marks = st.sampled_from(
    ["<think>", "</think>", "<analysis>", "</analysis>", "<|channel|>final<|message|>", "◁think▷"]
    + ["◁/think▷", "<|end|>", "assistantfinal", "<answer>", "</answer>", "<|im_end|>\n", "```\n"]
    + ["<parameter=city>", "</parameter>", "</function>", "<arg_key>city</arg_key>", "<arg_value>"]
    + ["</arg_value>", "</tool_call>", '<|"|>', "<city>", "</city>", "[ARGS]", "<function=", "```"]
    + ['{"city": "Lima"}', '{"name": "get_weather", "arguments": ', '{"city"', "'", '"', "}", "\\"]
    + ["\\n", "C:\\temp\\new", "get_weather", "(city='Lima')", "delete_notes", "For example:\n"]
)
examples = st.sampled_from(["\n" + form.example for form in FORMS])
cuts = st.tuples(examples, st.integers(0, 80)).map(lambda pair: pair[0][: pair[1]])
hostile = st.lists(labels | marks | examples | cuts | st.text(max_size=6), max_size=12).map("".join)


def texts_in(value: object) -> list[str]:
    """Every text and number inside an argument."""
    if isinstance(value, dict):
        return [one for pair in value.items() for inner in pair for one in texts_in(inner)]
    if isinstance(value, list):
        return [one for inner in value for one in texts_in(inner)]
    return [str(value)] if isinstance(value, str) else []


def letters(text: str) -> str:
    """The letters and digits of a text; escapes, quotes and white space are spelling."""
    return "".join(one for one in text if one.isalnum())


def is_written(value: str, text: str) -> bool:
    """Whether a value is in the text, apart from how JSON spells it."""
    spelled = json.dumps(value)[1:-1]
    return any(letters(one) in letters(text) for one in (value, spelled))


@unhurried
@given(hostile)
def test_parse_never_raises_and_never_makes_up_an_argument(text):
    for read in (parse, parse_plain):
        move = read(text, KNOWN)
        assert type(move) in (Action, FinalAnswer, Malformed)
        if isinstance(move, Action):
            values = [one for value in move.arguments.values() for one in texts_in(value)]
            assert all(is_written(one, text) for one in values), (move, text)
        if isinstance(move, FinalAnswer):
            assert is_written(move.answer, text)


@unhurried
@given(hostile)
def test_what_may_be_used_of_a_reply_is_part_of_it(text):
    rest = iter(text)  # in the order of the text, with parts left out
    assert all(letter in rest for letter in believed(text))


calls = st.fixed_dictionaries(
    {
        "id": st.sampled_from(["c1", "", None]),
        "function": st.fixed_dictionaries(
            {
                "name": st.sampled_from(
                    ["get_weather", "functions.get_weather:0", "delete_notes<arg_key>", "drop", ""]
                )
                | st.text(max_size=5),
                "arguments": hostile | st.none() | st.just({"city": "Lima"}) | st.just("{}"),
            }
        ),
    }
)


@unhurried
@given(hostile, st.lists(calls, max_size=2), st.sampled_from(["stop", "length", "tool_calls"]))
def test_read_reply_never_raises_and_nothing_unregistered_runs(text, made, finish):
    RAN.clear()
    moves = read_reply(Reply(text, tuple(made), finish_reason=finish), TOOLS)
    assert len(moves) == max(1, len(made))
    for move in moves:
        if isinstance(move, Action):
            seen = TOOLS.call(move.tool, move.arguments)
            assert (seen.error == "unknown tool") == (move.tool not in TOOLS)
    assert {name for name, *_ in RAN} <= {"get_weather", "delete_notes"}


@unhurried
@given(st.sampled_from(REASONING), st.text(st.characters(categories=["L", "N"]), max_size=9))
def test_a_call_inside_a_tag_of_reasoning_never_runs(kind, inside):
    """For the kinds whose marks are plain tags: the draft is a complete call."""
    pairs = {
        "Magistral": ("[THINK]", "[/THINK]"),
        "Kimi": ("◁think▷", "◁/think▷"),
        "Cohere": ("<|START_THINKING|>", "<|END_THINKING|>"),
        "o1 style": ("<|begin_of_thought|>", "<|end_of_thought|>"),
        "tags": ("<think>", "</think>"),
        "other tags": ("<scratchpad>", "</scratchpad>"),
    }
    begin, end = pairs.get(kind.name, ("<think>", "</think>"))
    draft = f'{inside}\nAction: delete_notes\nAction Input: {{"tag": "all"}}\n'
    text = f'{begin}{draft}{end}Action: get_weather\nAction Input: {{"city": "Lima"}}'
    for read in (parse, parse_plain):
        assert read(text, KNOWN).tool == "get_weather"
