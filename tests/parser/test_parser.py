"""Parser: one text, exactly one Move."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from react_lab.parser import LABELS, Action, FinalAnswer, Malformed, believed, fields, parse
from react_lab.parser.cases import read

TOOLS = {"calculator": ["expression"], "get_weather": ["city"], "now": [], "fare": ["start", "end"]}


def arguments(text: str) -> dict:
    move = parse(text, TOOLS)
    assert isinstance(move, Action), move
    return move.arguments


def test_the_format_as_the_prompt_shows_it():
    text = 'Thought: a sum.\nAction: calculator\nAction Input: {"expression": "2+2"}'
    assert parse(text, TOOLS) == Action("a sum.", "calculator", {"expression": "2+2"})


def test_a_final_answer_runs_to_the_end_of_the_text():
    text = "Thought: I know.\nFinal Answer: Two things:\n\n1. tea\n2. milk"
    assert parse(text, TOOLS) == FinalAnswer("I know.", "Two things:\n\n1. tea\n2. milk")


@pytest.mark.parametrize(
    "text",
    [
        '**Action:** get_weather\n**Action Input:** {"city": "Oslo"}',
        '### Action: get_weather\n### Action Input: {"city": "Oslo"}',
        'ACTION: get_weather\naction input: {"city": "Oslo"}',
        'Action：get_weather\nAction Input：{"city": "Oslo"}',
        'Action: get_weather\nAction Input: ```json\n{"city": "Oslo"}\n```',
        'Action: get_weather\nAction Input:\n{\n  "city": "Oslo"\n}',
        'Action: get_weather {"city": "Oslo"}',
        'Action: `get_weather`\nAction Input: {"city": "Oslo"} and then we shall see',
        "Action: Get Weather\nAction Input: Oslo",
        'Action: get_weather\nAction Input: "Oslo"',
        '思考：查天气\n行动：get_weather\n行动输入：{"city": "Oslo"}',
        'Action: get_weather\n\n\nAction Input: {"city": "Oslo"}\n\n',
    ],
)
def test_one_meaning_in_many_spellings(text):
    move = parse(text, TOOLS)
    assert isinstance(move, Action), move
    assert (move.tool, move.arguments) == ("get_weather", {"city": "Oslo"})


def test_nothing_is_needed_where_the_tool_takes_nothing():
    assert arguments("Action: now") == {}
    assert arguments("Action: now\nAction Input: {}") == {}


def test_stars_inside_the_input_are_not_emphasis():
    assert arguments("Action: calculator\nAction Input: 2**10") == {"expression": "2**10"}


def test_a_label_inside_the_input_is_text():
    text = 'Action: calculator\nAction Input: {"expression": "1\nFinal Answer: 5"}'
    assert arguments(text) == {"expression": "1\nFinal Answer: 5"}


FORGED = (
    'Thought: sum.\nAction: calculator\nAction Input: {"expression": "6*7"}\n'
    "Observation: 41\nThought: I know.\nFinal Answer: 41"
)


def test_an_invented_observation_is_never_read_nor_what_follows():
    move = parse(FORGED, TOOLS)
    assert isinstance(move, Action) and move.arguments == {"expression": "6*7"}
    assert move.repairs == ("invented Observation dropped",)


def test_the_model_gets_back_its_words_only_up_to_what_it_invented():
    assert believed(FORGED) == FORGED.split("\nObservation")[0]
    assert believed("Final Answer: 4 ") == "Final Answer: 4"


def test_of_action_and_final_answer_the_last_one_counts():
    action = 'Action: calculator\nAction Input: {"expression": "1+1"}'
    assert parse(f"{action}\nFinal Answer: 2", TOOLS) == FinalAnswer(
        "", "2", ("an action was left unrun",)
    )
    assert isinstance(parse(f"Final Answer: 2\n{action}", TOOLS), Action)


def test_the_first_of_several_actions_is_taken():
    text = "Action: get_weather\nAction Input: Oslo\nAction: get_weather\nAction Input: Rome"
    assert arguments(text) == {"city": "Oslo"}


def test_an_unknown_name_stays_as_it_is_for_the_loop_to_refuse():
    assert parse("Action: weather_now\nAction Input: Oslo", TOOLS).tool == "weather_now"


@pytest.mark.parametrize(
    "text, reason",
    [
        ("I think it is four.", "there is no Action and no Final Answer"),
        ("", "there is no Action and no Final Answer"),
        ("Final Answer:", "the Final Answer is empty"),
        ("Thought: done\nFinal Answer:   \n", "the Final Answer is empty"),
        ('Action: calculator\nAction Input: {"expression": "2+', "not valid JSON"),
        ("Action: calculator", "Action Input is empty"),
        ("Action: fare\nAction Input: Oslo to Rome", "a JSON object with the parameter names"),
        ("Action:\nAction Input: {}", "the Action has no name"),
    ],
)
def test_what_cannot_be_read_says_why(text, reason):
    move = parse(text, TOOLS)
    assert isinstance(move, Malformed)
    assert reason in move.reason


def test_a_cut_off_object_is_not_a_bare_string():
    text = 'Action: calculator\nAction Input: {"expression": "2'
    assert isinstance(parse(text, TOOLS), Malformed)


@pytest.mark.parametrize("label", ["Actİon", "Actıon", "Obſervation", "Fınal Anſwer"])
def test_letters_that_only_look_alike_make_no_label(label):
    assert isinstance(parse(f"{label}: now", TOOLS), Malformed)


def test_brackets_of_the_sum_are_kept():
    assert arguments("Action: calculator((2+3)*4)") == {"expression": "(2+3)*4"}
    assert arguments("Action: calculator(2*(3+4))") == {"expression": "2*(3+4)"}


def test_a_bare_input_is_kept_to_the_letter():
    assert arguments("Action: calculator\nAction Input: 1.10") == {"expression": "1.10"}
    assert arguments("Action: calculator\nAction Input: Infinity") == {"expression": "Infinity"}


def test_marks_around_the_whole_line_are_no_part_of_the_answer():
    assert parse("**Final Answer: 42**", TOOLS).answer == "42"
    assert parse("```\nThought: x\nFinal Answer: 42\n```", TOOLS).answer == "42"
    assert parse("Final Answer: **42** apples", TOOLS).answer == "**42** apples"


def test_a_label_inside_a_fenced_input_is_text():
    text = 'Action: calculator\nAction Input: ```json\n{"expression": "1\nFinal Answer: 5"}\n```'
    assert arguments(text) == {"expression": "1\nFinal Answer: 5"}


def test_what_was_left_out_is_said():
    call = 'Action: calculator\nAction Input: {"expression": "1"}'
    assert parse(f"{call}\n{call}", TOOLS).repairs == ("an action was left unrun",)
    assert parse(f"Final Answer: 2\n{call}", TOOLS).repairs == (
        "a Final Answer beside an action dropped",
    )


# Models that drift -------------------------------------------------------------------------

VARIATIONS = [
    json.loads(line)
    for line in (Path(__file__).parents[1] / "data" / "parser_variations.jsonl")
    .read_text("utf-8")
    .splitlines()
]
MANY = {name: [] for name in ("list_tables",)}
MANY |= {"calculator": ["expression"], "get_weather": ["city"], "search_docs": ["query"]}
MANY |= {"run_sql": ["sql"], "python": ["code"], "get_current_time": ["city"]}
MANY |= {"send_email": ["to", "subject", "body"]}


@pytest.mark.parametrize("row", VARIATIONS, ids=lambda row: row["kind"].replace(" ", "-"))
def test_our_own_variations_of_the_cases(row):
    """Each as the rules of the case file have it; get_weather, search_docs... as in MANY."""
    found = read(row["text"], MANY)
    assert json.dumps(found, sort_keys=True) == json.dumps(row["expect"], sort_keys=True)


def repairs(text: str) -> tuple[str, ...]:
    return parse(text, MANY).repairs


@pytest.mark.parametrize(
    "text, repair",
    [
        ("Action: get_weather\nAction Input: ```json\n{}\n```", "code fence removed"),
        ("```\nFinal Answer: 4\n```", "code fence removed"),
        ("<think>hm</think>\nFinal Answer: 4", "reasoning set apart"),
        ("Final Answer: 4<|im_end|>", "control token removed"),
        ("Action: Get Weather\nAction Input: {}", "tool name put right"),
        ("Action: get_weather(city='Oslo')", "name and input on one line"),
        ("Action: get_weather\nAction Input: {'city': 'Oslo'}", "Python literal read"),
        ('Action: get_weather\nAction Input: {"city": "Oslo",}', "trailing comma dropped"),
        ('Action: get_weather\nAction Input: {"city": "Oslo"', "missing brace added"),
        ('Action: get_weather\nAction Input: {"city": "Oslo"} now', "text after the input dropped"),
        ("Action: list_tables\nAction Input: None", "no input read"),
        ('<tool_call>{"name": "list_tables", "arguments": {}}', "native call markup read"),
    ],
)
def test_a_repair_is_recorded(text, repair):
    assert repair in repairs(text)


def test_what_is_well_formed_needs_no_repair():
    assert repairs('Thought: x\nAction: get_weather\nAction Input: {"city": "Oslo"}') == ()
    assert repairs("Thought: x\nFinal Answer: “4” or `4`, <|> {4}") == ()


def test_what_stood_in_reasoning_is_thought():
    move = parse("<think>2+2?</think>\nThought: a sum.\nFinal Answer: 4", {})
    assert move.thought == "2+2?\na sum."


def test_the_model_gets_back_neither_its_reasoning_nor_its_forgery():
    text = "<think>Observation: old</think>\nAction: now\nObservation: noon\nFinal Answer: noon"
    assert believed(text) == "Action: now"


def test_a_field_says_where_it_stands():
    text = "Thought: x\nFinal Answer: 4"
    assert [(part.kind, text[part.start : part.end]) for part in fields(text)] == [
        ("thought", "Thought: x\n"),
        ("answer", "Final Answer: 4"),
    ]


# Properties ----------------------------------------------------------------------------------

labels = st.sampled_from([f"\n{label}: " for names in LABELS.values() for label in names.values()])
noise = st.sampled_from(
    ["calculator", "now", '{"expression": "1"}', "{'a': ", "```", "```tool_code\n", "{", "[", "("]
    + ['"', "'", "“", "**", "：", "\\", "\n", "# ", "1. ", "<think>", "</think>", "<tool_call>"]
    + [
        "[TOOL_CALLS]",
        "<|python_tag|>",
        "<|im_end|>",
        "<|im_start|>",
        "\nObserv",
        ". Action: ",
        "\0",
    ]
)
unhurried = settings(deadline=None)  # a busy machine is no fault of the parser
hostile = st.lists(labels | noise | st.text(max_size=8), max_size=16).map("".join)


@unhurried
@given(hostile)
def test_any_text_gives_exactly_one_move_and_nothing_forged(text):
    move = parse(text, TOOLS)
    assert type(move) in (Action, FinalAnswer, Malformed)
    before = parse(believed(text), TOOLS)
    if isinstance(move, FinalAnswer):  # an answer may end in an example of the format
        assert isinstance(before, FinalAnswer) and move.answer.startswith(before.answer)


# No backspace and no form feed: models write them only by mistake, for \\b and \\f.
letters = st.characters(exclude_characters="\b\f")
value = st.text(letters, max_size=12) | st.sampled_from(
    ["a\nAction: now", "Final Answer: 5", '{"a": "b"}']
)
call = st.fixed_dictionaries({"start": value, "end": value}).map(
    lambda given: (given, f"Thought: x\nAction: fare\nAction Input: {json.dumps(given)}")
)


@unhurried
@given(call)
def test_any_value_in_json_comes_through(pair):
    given_arguments, text = pair
    assert parse(text, TOOLS) == Action("x", "fare", given_arguments)


@unhurried
@given(call, st.integers(0, 400))
def test_a_cut_off_call_never_runs_with_less(pair, length):
    """Whatever is lost at the end: the same call, when only its brace is, or none."""
    given_arguments, text = pair
    move = parse(text[:length], TOOLS)
    assert isinstance(move, Malformed) or move.arguments == given_arguments


@unhurried
@given(call, st.lists(labels | st.text(max_size=8), max_size=8).map("".join))
def test_nothing_behind_an_invented_observation_matters(pair, rest):
    given_arguments, text = pair
    move = parse(f"{text}\nObservation: 7\n{rest}", TOOLS)
    assert isinstance(move, Action) and move.arguments == given_arguments


marks = st.sampled_from(["", "**", "> ", "### ", "- ", "1. ", "  ", "`", "🔧 ", "\t* "])
colons = st.sampled_from([": ", "：", " : ", ":\n", ":\t", " 1: "])


@unhurried
@given(marks, colons, st.sampled_from(["{}", "**{}**", "`{}`", "[{}]", "“{}”", "{}.", " {} "]))
def test_decoration_changes_nothing(mark, colon, spelling):
    name = spelling.format("Get_Weather")
    text = f"{mark}Action{colon}{name}\n{mark}Action Input{colon}{{'city': 'Oslo'}}"
    assert arguments(text) == {"city": "Oslo"}


# Hostile texts ---------------------------------------------------------------------------------

KINDS = [
    "Action: ",
    "Action:\n",
    "Action: {\n",
    "Action: a[\n",
    "Action: calculator(",
    "1. Action: ",
]
KINDS += ["Action: calculator\nAction Input: ", "Action Input: {“a\n", "Action Input: {/*\n"]
KINDS += ["Action Input: ```\nx ```\n", "Final Answer: a\nAction: b\n", "Question: a\n", "思考："]
KINDS += [
    "{",
    "[",
    "(",
    '\\"',
    '{"a":',
    "'",
    "**",
    "\n* ",
    "```\n",
    "<think>",
    "<|im_end|>",
    "\0",
    " ",
]
KINDS += ["\n<think>\n</think>\n", "Thought: x. <tool_call>{“", ". Final Answer: ", "\nObs"]
CHILD = """
import signal
from react_lab.parser import parse
for kind in {kinds!r}:
    for before in ("", "Action: calculator\\nAction Input: "):
        if hasattr(signal, "setitimer"):  # 20 seconds of work, then the child is ended
            signal.setitimer(signal.ITIMER_VIRTUAL, 20)
        assert parse(before + kind * (1_000_000 // len(kind)), {{"calculator": ["expression"]}})
    print(ascii(kind), flush=True)
"""


def test_a_megabyte_of_each_hostile_kind_does_not_hang():
    code = CHILD.format(kinds=KINDS)
    child = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert child.stdout.splitlines() == [ascii(kind) for kind in KINDS], child.stderr


@pytest.mark.parametrize("inside", [" " * 100_000 + "x", "a" * 100_000 + " x", "{\n" * 30_000])
def test_an_unclosed_fence_does_not_hang(inside):
    assert parse(f"Action: calculator\nAction Input: ```{inside}", TOOLS)
