"""Hermes: native calls as the text that the embedded model was trained on, and back."""

import json

import pytest

from react_lab.function_calling import native_step
from react_lab.loop import Agent
from react_lab.models import Reply, native_text
from react_lab.prompt import native_prompt
from react_lab.registry import Registry
from react_lab.toolkit import lab_tools


def scripted(*texts: str):
    """A model that only knows text, and what it was asked."""
    asked = []

    def model(messages, tools=None):
        if native_text.needed(messages, tools):
            return native_text.ask(model, messages, tools)
        asked.append(messages)
        return Reply(texts[len(asked) - 1], finish_reason="stop")

    return model, asked


SUM = '<tool_call>{"name": "calculator", "arguments": {"expression": "6*7"}}</tool_call>'


def test_a_native_run_is_written_as_in_the_training():
    """Word for word the form of training/episodes.native."""
    model, asked = scripted(SUM, "It is 42.")
    tools = lab_tools().subset(["calculator", "get_weather"])
    run = Agent(model, tools, protocol=native_step).run("What is 6*7?")
    assert run.answer == "It is 42."
    assert asked[1] == [
        {"role": "system", "content": native_prompt(tools)},
        {"role": "user", "content": "What is 6*7?"},
        {"role": "assistant", "content": SUM},
        {"role": "user", "content": "<tool_response>42</tool_response>"},
    ]


def test_an_error_is_written_as_in_the_training():
    model, asked = scripted(SUM.replace("6*7", "1/0"), "It has no result.")
    Agent(model, lab_tools(), protocol=native_step).run("What is 1/0?")
    assert asked[1][-1]["content"] == (
        "<tool_response>Error: ValueError: Division by zero has no result.</tool_response>"
    )


def test_several_results_come_in_one_message():
    model, asked = scripted(SUM + "\n" + SUM.replace("6*7", "6*8"), "42 and 48.")
    run = Agent(model, lab_tools(), protocol=native_step).run("?")
    assert [seen.text for _, seen in run.steps[0].moves] == ["42", "48"]
    assert [m["role"] for m in asked[1]] == ["system", "user", "assistant", "user"]
    assert asked[1][-1]["content"] == (
        "<tool_response>42</tool_response>\n<tool_response>48</tool_response>"
    )


def test_a_system_message_of_ones_own_stands_before_the_tools():
    model, asked = scripted("4")
    Agent(model, lab_tools(), system="Be brief.", protocol=native_step).run("2+2?")
    own, *rest = asked[0][0]["content"].split("\n")
    assert own == "Be brief."
    assert rest == native_prompt(lab_tools()).split("\n")[1:]


def test_the_last_word_has_no_tools_but_keeps_the_results():
    written = native_text.write(
        [
            {"role": "user", "content": "q"},
            {
                "role": "assistant",
                "content": "I look.",
                "tool_calls": [{"function": {"name": "now", "arguments": "{}"}}],
            },
            {"role": "tool", "tool_call_id": "1", "content": "noon"},
        ]
    )
    assert [m["content"] for m in written] == [
        "q",
        'I look.\n<tool_call>{"name": "now", "arguments": {}}</tool_call>',
        "<tool_response>noon</tool_response>",
    ]


@pytest.mark.parametrize(
    "text, words, names",
    [
        (SUM, "", ["calculator"]),
        ("I compute.\n" + SUM, "I compute.", ["calculator"]),
        (SUM.removesuffix("</tool_call>"), "", ["calculator"]),
        (SUM + SUM, "", ["calculator", "calculator"]),
        ("It is 42.", "It is 42.", []),
        ('<tool_call>{"name": "calcu', '<tool_call>{"name": "calcu', []),
        ("<tool_call>[]</tool_call>", "<tool_call>[]</tool_call>", []),
    ],
)
def test_reading_a_reply(text, words, names):
    said, calls = native_text.read(text)
    assert said == words
    assert [call["function"]["name"] for call in calls] == names


def test_arguments_are_json_text_with_every_letter():
    text = '<tool_call>{"name": "note", "arguments": {"text": "größer 🍵"}}</tool_call>'
    function = native_text.read(text)[1][0]["function"]
    assert function["arguments"] == '{"text": "größer 🍵"}'
    assert json.loads(function["arguments"]) == {"text": "größer 🍵"}


def test_a_request_without_tools_is_left_as_it_is():
    assert not native_text.needed([{"role": "user", "content": "q"}], None)
    assert not native_text.needed([{"role": "user", "content": "q"}], Registry().schemas())
