"""Prompt: rules, labels and messages, from one definition in two languages."""

import string

import pytest

from react_lab.parser import LABELS, Action, FinalAnswer, parse
from react_lab.prompt import (
    AROUND,
    CONTEXT,
    EXAMPLES,
    FRAME,
    MESSAGES,
    NATIVE,
    PARAMETERS,
    RULES,
    WARNINGS,
    labelled,
    message,
    system_prompt,
    tool_line,
)
from react_lab.registry import Registry
from react_lab.toolkit import lab_tools


def test_the_prompt_lists_every_tool_with_an_input_to_imitate():
    text = system_prompt(lab_tools())
    assert (
        "- get_weather: Weather in a city: temperature, rain and wind. "
        'Input: {"city": "Oslo"}\n' in text
    )
    assert "Action: one of [calculator, get_current_time, get_weather, search_docs]\n" in text
    assert all(f"- {rule}" in text for rule in RULES["en"].values())


def test_rules_examples_and_thoughts_can_be_left_out():
    tools = lab_tools()
    assert "Rules:" not in system_prompt(tools, rules=())
    assert system_prompt(tools, rules=["Be kind."]).endswith("Rules:\n- Be kind.")
    assert "Thought:" not in system_prompt(tools, thoughts=False)
    assert system_prompt(tools, examples=EXAMPLES["en"]).count("Example:") == 2


@pytest.mark.parametrize("given", [{"rules": "Be kind."}, {"examples": EXAMPLES["en"][0]}])
def test_one_text_in_place_of_several_is_not_taken_letter_by_letter(given):
    with pytest.raises(TypeError, match=r"put \[ \] around a single one"):
        system_prompt(lab_tools(), **given)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_parser_reads_the_prompts_own_example(language):
    observation = labelled("observation", "", language).strip()
    for example in EXAMPLES[language]:
        question, _, rest = example.partition("\n")
        assert question.startswith(labelled("question", "", language).strip())
        replies = []
        for piece in rest.split(observation):
            lines = piece.strip().split("\n")
            thought = LABELS[language]["thought"]
            start = next(n for n, line in enumerate(lines) if line.startswith(thought))
            replies.append("\n".join(lines[start:]))
        tools = lab_tools(language=language)
        moves = [parse(reply, tools.parameters()) for reply in replies]
        assert all(isinstance(move, Action) and move.tool in tools for move in moves[:-1])
        assert isinstance(moves[-1], FinalAnswer)
        assert all(move.repairs == () for move in moves)


def test_the_arithmetic_of_the_example_is_right():
    assert "Observation: 144\n" in EXAMPLES["en"][0] and 12 * 12 == 144
    assert "Observation: 16\n" in EXAMPLES["en"][0] and 144 / 9 == 16


def test_both_languages_say_the_same_things():
    for table in (LABELS, FRAME, MESSAGES, RULES, NATIVE, WARNINGS, AROUND, PARAMETERS, CONTEXT):
        assert table["en"].keys() == table["zh"].keys()
        for kind, text in table["en"].items():
            slots = [{name for _, name, _, _ in string.Formatter().parse(t) if name}
                     for t in (text, table["zh"][kind])]  # fmt: skip
            assert slots[0] == slots[1], kind


def test_every_message_has_one_definition():
    every = [*MESSAGES["en"], *NATIVE["en"], *WARNINGS["en"], *AROUND["en"]]
    assert len(every) == len(set(every))
    assert message("same_tool", "zh", tool="get_weather", count=3).startswith("你已经连续 3 次")


def weather(city: str, unit: str = "C") -> str:
    """Weather in a city."""


def line_of(language: str = "en", **about) -> str:
    tools = Registry()
    tools.register(weather, example={"city": "Oslo"}, **about)
    return tool_line(tools["weather"], language)


def test_parameters_are_described_in_the_prompt_where_they_have_a_description():
    assert line_of() == '- weather: Weather in a city. Input: {"city": "Oslo"}'
    both = {"city": "English name of the city", "unit": "C or F."}
    assert line_of(parameters=both) == (
        "- weather: Weather in a city. Parameters: city (English name of the city), "
        'unit (C or F). Input: {"city": "Oslo"}'
    )
    assert line_of(parameters={"city": "English name"}) == (
        "- weather: Weather in a city. Parameters: city (English name), unit. "
        'Input: {"city": "Oslo"}'
    )
    assert line_of("zh", parameters={"city": "城市的中文名。", "unit": "C 或 F"}) == (
        "- weather：Weather in a city. 参数：city（城市的中文名），unit（C 或 F）。 "
        '输入：{"city": "Oslo"}'
    )


def test_the_labs_own_tools_are_listed_without_parameters():
    assert "Parameters:" not in system_prompt(lab_tools())


def test_a_message_with_braces_in_its_values_is_kept():
    assert message("tool_error", reason="{'a': 1}") == "Error: {'a': 1}"
    assert labelled("observation", "{x}", "zh") == "观察：{x}"
