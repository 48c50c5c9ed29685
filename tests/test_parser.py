"""Parser: one text, exactly one Move."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from react_lab.parser import LABELS, Action, FinalAnswer, Malformed, believed, parse

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


labels = st.sampled_from([f"\n{label}: " for names in LABELS.values() for label in names.values()])
noise = st.sampled_from(["calculator", '{"expression": "1"}', "```", "{", '"', "**", "："])
pieces = labels | noise


@given(st.lists(pieces | st.text(max_size=8), max_size=14).map("".join))
def test_any_text_gives_exactly_one_move_and_nothing_forged(text):
    move = parse(text, TOOLS)
    assert type(move) in (Action, FinalAnswer, Malformed)
    before = parse(believed(text), TOOLS)
    if isinstance(move, FinalAnswer):
        assert isinstance(before, FinalAnswer) and move.answer == before.answer


@pytest.mark.parametrize("piece", ["Action: ", "{", "**", "\n* ", "```\n", "Observation", '{"a":'])
def test_a_long_hostile_text_is_read_too(piece):
    assert parse(piece * (200_000 // len(piece)), TOOLS)


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


@pytest.mark.parametrize("inside", [" " * 100_000 + "x", "a" * 100_000 + " x", "{\n" * 30_000])
def test_an_unclosed_fence_does_not_hang(inside):
    assert parse(f"Action: calculator\nAction Input: ```{inside}", TOOLS)
