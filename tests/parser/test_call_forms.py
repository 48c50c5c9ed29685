"""Call forms: each row of the table, in the text loop and in the native loop."""

import re

import pytest

from react_lab.parser.call_forms import FORMS, read_native
from react_lab.parser.cases import as_result
from react_lab.parser.parse import parse
from react_lab.parser.plain import parse_plain

TOOLS = {"get_weather": ["city"], "calculator": ["expression"]}
CALL = {"type": "action", "name": "get_weather", "args": {"city": "Lima"}}
by_name = pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)
both = pytest.mark.parametrize("read", [parse, parse_plain])


@by_name
@both
def test_the_example_of_each_form_is_a_call_in_both_loops(form, read):
    assert as_result(read(form.example, TOOLS)) == CALL


@by_name
@both
@pytest.mark.parametrize(
    "before", ["Thought: the weather.\n", "I look it up.\n\n", "<think>x</think>"]
)
def test_words_before_a_form_change_nothing(form, read, before):
    assert as_result(read(before + form.example, TOOLS)) == CALL


@by_name
@both
def test_a_form_that_was_cut_off_never_runs_with_other_arguments(form, read):
    for end in range(len(form.example)):
        move = as_result(read(form.example[:end], TOOLS))
        assert move["type"] != "action" or move == CALL, form.example[:end]


@by_name
def test_a_form_that_was_cut_off_is_never_the_answer(form):
    """From the complete opening mark on: before it, no form can be recognised."""
    opened = [end for end in range(len(form.example)) if re.match(form.opening, form.example[:end])]
    assert opened
    for end in opened:
        move = as_result(parse_plain(form.example[:end], TOOLS))
        assert move["type"] != "final", form.example[:end]


@by_name
def test_a_form_in_a_fence_inside_an_answer_is_part_of_it(form):
    if "```" in form.example:
        pytest.skip("this form is a fence")
    text = f"A call is written like this:\n```\n{form.example}\n```\nThen the program runs it."
    assert as_result(parse_plain(text, TOOLS)) == {"type": "final", "answer": text}
    answer = parse(f"Final Answer: {text}", TOOLS)
    assert as_result(answer) == {"type": "final", "answer": text}


@by_name
def test_a_form_with_another_tool_keeps_its_name(form):
    call = read_native(form.example, {"calculator": ["expression"], "get_weather_now": []})
    assert call is None or call.name.removeprefix("functions.").split(":")[0] in ("get_weather", "")


def test_every_row_has_an_opening_of_its_own():
    """No row is hidden by an earlier one: the first row that opens the example reads it."""
    for form in FORMS:
        first = next(one for one in FORMS if re.match(one.opening, form.example))
        assert first is form, (form.name, first.name)


FIRST_OF_TWO = [
    '<tool_call>{"name": "get_weather", "arguments": {"city": "Lima"}}</tool_call>\n'
    '<tool_call>{"name": "calculator", "arguments": {"expression": "1"}}</tool_call>',
    "<function=get_weather><parameter=city>Lima</parameter></function>\n"
    "<function=calculator><parameter=expression>1</parameter></function>",
]


@both
@pytest.mark.parametrize("text", FIRST_OF_TWO)
def test_of_two_calls_the_first_is_taken(read, text):
    move = read(text, TOOLS)
    assert as_result(move) == CALL
    assert "an action was left unrun" in move.repairs
