"""Function calling: the same agent by native calls, against a real server on loopback.

The situations stand in data/field_cases.jsonl, each met in public by somebody (`source`). Here
are those whose right behaviour is a matter of calls and of the loop around them; what a server
refuses, and how, is in test_endpoints.py.
"""

import asyncio
import json
import re
import signal
import threading
import time
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.fake_endpoint import chat_model, field_cases, messages_show, registry_of, serve
from react_lab.function_calling import hybrid_step, native_step, read_arguments, read_reply
from react_lab.loop import Agent, step, text_step
from react_lab.models import Reply
from react_lab.parser import Action, FinalAnswer, Malformed
from react_lab.registry import Registry
from react_lab.toolkit import lab_tools
from react_lab.trace import Run, load, save

CASES = field_cases()
SETTINGS = {"model": "m", "base_url": "http://127.0.0.1:PORT/v1", "api_key": "test-key-0001"}
STEPS = {"native": native_step, "text": text_step, "hybrid": hybrid_step}


class Played:
    """A case played to its end: the run, the messages of each request, the names it defines."""

    def __init__(self, case: dict, **agent):
        settings = {**SETTINGS, **case.get("settings", {})}
        limit = settings.get("max_observation_chars", 1500)
        tools, self.names = registry_of(case["tools"], limit=limit)
        with serve(case["server"]) as endpoint:
            model = chat_model(settings, endpoint.port)
            agent = {
                "protocol": STEPS[settings.get("mode", "native")],
                "max_steps": settings.get("max_steps", 8),
                **agent,
            }
            self.run = Agent(model, tools, **agent).run(case["question"])
            self.bodies = [request.body for request in endpoint.requests]
            self.requests = [request.messages for request in endpoint.requests]

    @property
    def calls(self):
        """The calls that a tool answered without an error."""
        pairs = [pair for past in self.run.steps for pair in past.moves]
        return [(m.tool, m.arguments) for m, seen in pairs if seen and not seen.error]


def play(name: str, variant: int | None = None, **agent) -> Played:
    case = CASES[name]["input"]
    return Played(case if variant is None else case["variants"][variant], **agent)


def told(message_list: list[dict]) -> str:
    """All that the tools and the program said in one request."""
    return "\n".join(m["content"] for m in message_list if m["role"] in ("tool", "user"))


TOOLS = CASES["req-unset-options-are-absent"]["input"]["tools"]
TIDE = [("tide", {"port": "Ribe"})]
IT_IS = "The tide at Ribe is 1.9 m."


# A whole run ------------------------------------------------------------------------------


def test_the_messages_of_a_native_run():
    played = play("req-unset-options-are-absent")
    assert played.run.answer == IT_IS and played.run.finished
    assert played.bodies[0]["tools"] == [
        {
            "type": "function",
            "function": {
                "name": "tide",
                "description": "Tide height at a port, in metres.",
                "parameters": {
                    "type": "object",
                    "properties": {"port": {"type": "string"}},
                    "required": ["port"],
                },
            },
        }
    ]
    assert played.requests[1] == [
        {"role": "system", "content": "You answer questions by using tools."},
        {"role": "user", "content": "How high is the tide at Ribe?"},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {
                    "id": "call_a1",
                    "type": "function",
                    "function": {"name": "tide", "arguments": '{"port": "Ribe"}'},
                }
            ],
        },
        {"role": "tool", "tool_call_id": "call_a1", "content": "1.9"},
    ]
    assert all(set(body) == {"model", "messages", "tools"} for body in played.bodies)


SIMPLE = [
    "req-max-tokens-renamed",
    "req-temperature-fixed-by-model",
    "req-unset-options-are-absent",
    "req-empty-content-refused",
    "req-content-key-always-there",
    "req-reasoning-must-not-come-back",
    "req-call-signature-must-come-back",
    "req-arguments-go-back-as-string",
    "req-made-up-ids-fit-strict-servers",
    "req-local-server-needs-no-key",
    "req-empty-key-string",
    "req-key-with-line-end",
    "rep-finish-stop-with-call",
    "rep-args-already-object",
    "rep-args-encoded-twice",
]


@pytest.mark.parametrize("name", SIMPLE)
def test_one_call_then_the_answer(name):
    """In each of these one call is made, and the server refuses what a fault would send."""
    played = play(name)
    assert (played.run.stop, played.run.answer) == ("answered", IT_IS)
    assert played.calls == TIDE
    assert played.run.steps[0].observation.text == "1.9"
    assert "1.9" in told(played.requests[-1])


# What goes back ---------------------------------------------------------------------------


def test_the_signature_of_a_call_goes_back_untouched():
    call = play("req-call-signature-must-come-back").requests[1][2]["tool_calls"][0]
    assert call["extra_content"] == {"google": {"thought_signature": "c2lnLWJ5dGVz"}}


@pytest.mark.parametrize("name", ["req-arguments-go-back-as-string", "rep-args-encoded-twice"])
def test_arguments_go_back_as_the_json_text_of_an_object(name):
    text = play(name).requests[1][2]["tool_calls"][0]["function"]["arguments"]
    assert json.loads(text) == {"port": "Ribe"}


def test_broken_arguments_do_not_poison_the_history():
    played = play("req-broken-arguments-do-not-poison")
    assert (played.run.answer, played.calls) == (IT_IS, TIDE)
    assert "the arguments are not valid JSON" in told(played.requests[1])
    for call in played.requests[2][2]["tool_calls"] + played.requests[2][4]["tool_calls"]:
        assert isinstance(json.loads(call["function"]["arguments"]), dict)
    broken = played.run.steps[0].reply.tool_calls[0]["function"]["arguments"]
    assert broken == '{"port": "Ri', "the trace keeps what the model wrote"


def test_reasoning_is_the_thought_and_stays_here():
    played = play("req-reasoning-must-not-come-back")
    assert played.run.steps[0].move.thought == "Ribe is a port, so ask for its tide."
    assert "reasoning_content" not in played.requests[-1][2]


def test_an_id_of_ours_has_nine_letters_and_digits():
    call = play("req-made-up-ids-fit-strict-servers").requests[1][2]["tool_calls"][0]
    assert len(call["id"]) == 9 and call["id"].isalnum() and call["id"].isascii()


@pytest.mark.parametrize("name", ["rep-two-calls-empty-ids", "rep-one-id-for-two-calls"])
def test_calls_are_paired_by_position(name):
    played = play(name)
    assert played.run.answer == "1.9 and 1.4"
    _, _, spoken, first, second = played.requests[1]
    ids = [call["id"] for call in spoken["tool_calls"]]
    assert len(set(ids)) == 2 and all(ids)
    assert [first["tool_call_id"], second["tool_call_id"]] == ids
    assert [first["content"], second["content"]] == ["1.9", "1.4"]


def test_an_id_that_comes_again_in_a_later_reply_is_replaced():
    played = play("loop-same-error-for-ever")
    ids = [m["tool_call_id"] for m in played.requests[-1] if m["role"] == "tool"]
    assert len(ids) == len(set(ids)) == 4
    assert ids[0] == "call_a1"


def test_several_calls_in_one_reply_each_have_their_result():
    played = play("loop-two-calls-in-one-reply")
    assert played.run.answer == "1.9"
    tools = [m for m in played.requests[1] if m["role"] == "tool"]
    assert [m["tool_call_id"] for m in tools] == ["c1", "c2", "c3"]
    assert tools[0]["content"] == "1.9"
    assert tools[1]["content"] == "unknown", "5 is read as the text '5', where no port is"
    assert tools[2]["content"] == "There is no tool named nope. Use one of: tide."
    assert len(played.run.steps) == 2, "one reply is one step"


@pytest.mark.parametrize(
    "arguments", ['{"port": NaN}', '{"port": -Infinity}', '{"port": "\\ud83d"}']
)
def test_what_only_python_takes_for_json_does_not_go_back(arguments):
    """llama.cpp, for one, reads the arguments of the history, and fails at them every time."""
    replies = [spoken(None, ("tide", arguments)), spoken(IT_IS)]
    played = Played({"tools": TOOLS, "question": "?", "server": {"replies": replies}})
    text = played.requests[1][2]["tool_calls"][0]["function"]["arguments"]
    assert list(json.loads(text, parse_constant=pytest.fail)) == ["port"]
    json.loads(text)["port"].encode()


def test_a_name_that_no_endpoint_takes_is_spelled_differently_in_the_history():
    played = play("req-foreign-name-in-history")
    assert played.run.answer == IT_IS
    assert played.run.steps[0].observation.error == "unknown tool"
    assert played.run.steps[0].move.tool == "multi_tool_use.parallel"
    assert "There is no tool named multi_tool_use.parallel. Use one of: tide." in told(
        played.requests[1]
    )


def test_a_wrapper_around_calls_is_refused_with_the_names():
    played = play("rep-parallel-wrapper")
    assert played.run.finished and played.calls == []
    assert "Use one of: tide." in told(played.requests[1])


@pytest.mark.parametrize("refused", ["null", "empty"])
def test_blank_content_beside_a_call_is_spelled_as_the_server_wants(refused):
    words = {"null": "content may not be null", "empty": "content may not be empty"}[refused]
    rule = {
        "if": {"messages": f"assistant_call_content_{refused}"},
        "reply": {"status": 400, "json": {"error": {"message": words}}},
    }
    replies = {"replies": [spoken(None, ("tide", '{"port": "Ribe"}')), spoken(IT_IS)]}
    played = Played(
        {"tools": TOOLS, "question": "?", "server": {"rules": [rule], "otherwise": replies}}
    )
    assert played.run.answer == IT_IS
    assert len(played.requests) <= 3


def test_a_long_run_keeps_its_order():
    """The case is about shortened histories; none is shortened here."""
    played = play("req-first-turn-after-trimming")
    assert (played.run.answer, len(played.calls)) == ("done", 8)


ODD_CALL = st.fixed_dictionaries(
    {
        "id": st.sampled_from(["", "c", "call_1", None, 7, "call00001"]),
        "function": st.fixed_dictionaries(
            {
                "name": st.sampled_from(
                    ["tide", "Tide ", "functions.tide", "a.b", "", "\ud83d", "x" * 99]
                ),
                "arguments": st.sampled_from(
                    [
                        '{"port": "Ribe"}',
                        "",
                        "null",
                        '{"port"',
                        '"{}"',
                        "[1]",
                        "{}{}",
                        '{"port": "\\ud83d"}',
                    ]
                ),
            }
        ),
    }
)
ODD_REPLY = st.builds(
    Reply,
    text=st.sampled_from(
        ["", "I look.", "<tool_call>", '{"name": "tide", "arguments": {}}', "Observation: 7"]
    ),
    tool_calls=st.lists(ODD_CALL, max_size=3).map(tuple),
    finish_reason=st.sampled_from(["stop", "length", "tool_calls"]),
)
FAULTS = [
    "tool_without_call",
    "tool_call_unanswered",
    "assistant_lacks_content_key",
    "assistant_call_content_empty",
    "call_arguments_not_json_string",
    "call_name_not_matching:^[A-Za-z0-9_-]{1,64}$",
    "first_non_system_not_user",
    "system_not_first_or_twice",
]


@settings(deadline=None)
@given(st.lists(ODD_REPLY, min_size=3, max_size=3))
def test_whatever_the_model_replies_the_history_is_one_that_servers_take(replies):
    """The conditions are those under which the servers of the field cases refuse."""
    tools, _ = registry_of(TOOLS)
    waiting = [*replies, Reply("done")]
    agent = Agent(lambda m, tools=None: waiting.pop(0), tools, protocol=native_step)
    agent = replace(agent, max_steps=3)
    run = agent.run("?")
    last = run.last_word or run.steps[-1]
    assert [fault for fault in FAULTS if messages_show(fault, list(last.sent))] == []
    ids = [message["tool_call_id"] for message in last.sent if message["role"] == "tool"]
    assert len(ids) == len(set(ids)) and all(ids)
    json.dumps(last.sent, ensure_ascii=False).encode("utf-8")


# Arguments --------------------------------------------------------------------------------


def test_a_call_that_was_cut_off_is_not_run():
    played = play("rep-args-cut-finish-length")
    assert (played.run.answer, played.names["NOTES"]) == ("I could not save it.", [])
    assert "cut off at the token limit" in told(played.requests[1])


@pytest.mark.parametrize(
    "text",
    ["Action: tide\nAction Input: Rib", "<function=tide><parameter=port>Rib"],
)
def test_a_call_in_the_words_that_was_cut_off_is_not_run(text):
    replies = [{**spoken(text)}, spoken(IT_IS)]
    replies[0]["json"]["choices"][0]["finish_reason"] = "length"
    played = Played({"tools": TOOLS, "question": "?", "server": {"replies": replies}})
    assert (played.calls, played.run.answer) == ([], IT_IS)
    assert "cut off at the token limit" in told(played.requests[1])


def test_a_call_that_was_cut_off_without_a_word_is_invalid():
    played = play("rep-args-cut-finish-tool-calls")
    assert (played.run.answer, played.names["NOTES"]) == ("Saved.", ["short"])
    assert "the arguments are not valid JSON" in told(played.requests[1])


def test_invalid_arguments_are_shown_to_the_model():
    played = play("rep-args-invalid-not-cut")
    assert (played.run.answer, played.calls) == (IT_IS, TIDE)
    assert 'column 10 (char 9)): {"port": Ribee"}' in told(played.requests[1])
    assert "cut off" not in told(played.requests[1])


def test_valid_arguments_are_not_repaired():
    played = play("rep-args-braces-in-text")
    assert played.names["NOTES"] == ['a }{ b \\ " c']
    assert played.run.steps[0].move.repairs == ()


@pytest.mark.parametrize(
    "raw, arguments, repairs",
    [
        ('{"city": "Oslo"}', {"city": "Oslo"}, ()),
        ("", {}, ()),
        (None, {}, ()),
        ("  ", {}, ()),
        ("null", {}, ()),
        ({"city": "Oslo"}, {"city": "Oslo"}, ()),
        ('"{\\"city\\": \\"Oslo\\"}"', {"city": "Oslo"}, ("arguments encoded twice",)),
        ('{}{"city": "Oslo"}', {"city": "Oslo"}, ("glued arguments read",)),
        ('{"city": "Oslo"}\n{"city": "Oslo"}', {"city": "Oslo"}, ("glued arguments read",)),
        ("Oslo", {"city": "Oslo"}, ("bare input read",)),
        ('"Oslo"', {"city": "Oslo"}, ("bare input read",)),
        ('\ufeff{"city": "Oslo"}', {"city": "Oslo"}, ()),
    ],
)
def test_arguments_that_can_be_read(raw, arguments, repairs):
    assert read_arguments(raw, ["city"]) == (arguments, repairs, "")


@pytest.mark.parametrize(
    "raw, reason",
    [
        ('{"city": "Os', "the arguments are not valid JSON"),
        ('{"city": Oslo"}', "the arguments are not valid JSON"),
        ('{"city": "Oslo"}{"city": "Rome"}', "several JSON objects in one call"),
        ("[" * 100_000, "the arguments are not valid JSON"),
    ],
)
def test_arguments_that_cannot_be_read(raw, reason):
    arguments, _, why = read_arguments(raw, ["city"])
    assert arguments is None
    assert why.startswith(reason)


HOSTILE = [
    "{",
    "[{",
    "{}",
    '{"a": 1}',
    '"',
    "\\\\",
    " ",
    "\n",
    "```",
    "<tool_call>",
    "<function=tide>",
]
HOSTILE += [
    "<function=tide><parameter=port>",
    "<|channel|>final<|message|>",
    "<|a|>",
    "Action: tide\n",
]


@pytest.mark.parametrize("piece", HOSTILE)
def test_reading_takes_time_in_proportion_to_the_text(piece):
    """The guard is far above what it takes, and far below the time of a search that goes back."""
    text = piece * (200_000 // len(piece))
    tools, _ = registry_of(TOOLS)
    begin = time.monotonic()
    call = {"function": {"name": "tide", "arguments": text}}
    assert len(read_reply(Reply(text), tools)) == 1
    assert len(read_reply(Reply(text, (call,)), tools)) == 1
    assert time.monotonic() - begin < 60


def test_a_tool_without_parameters_takes_every_kind_of_nothing():
    for raw in ("", None, "null", "{}", {}):
        assert read_arguments(raw, []) == ({}, (), "")


# Words beside calls, or instead of them ---------------------------------------------------


def test_words_beside_a_call_are_the_thought_and_not_the_answer():
    played = play("rep-finish-stop-with-call")
    assert len(played.requests) == 2
    assert played.run.steps[0].move.thought == "Let me look."
    assert played.requests[1][2]["content"] == "Let me look."


def test_a_promised_call_that_did_not_come_is_asked_for():
    played = play("rep-finish-tool-calls-without-call", 0)
    assert (played.run.answer, played.calls) == (IT_IS, TIDE)
    assert "you announced a call but made none" in told(played.requests[1])


def test_a_promise_for_ever_is_not_asked_for_for_ever():
    case = CASES["rep-finish-tool-calls-without-call"]["input"]["variants"][1]
    played = Played({**case, "server": {**case["server"], "then": "repeat"}})
    assert len(played.requests) <= 5
    assert (played.run.stop, played.run.answer) == ("format faults", None)


@pytest.mark.parametrize("variant", [0, 1])
def test_a_call_in_a_tag_is_a_call(variant):
    played = play("rep-call-in-tag", variant)
    assert (played.run.answer, played.calls) == (IT_IS, TIDE)
    call = played.requests[1][2]["tool_calls"][0]
    assert json.loads(call["function"]["arguments"]) == {"port": "Ribe"}
    assert played.requests[1][3] == {
        "role": "tool",
        "tool_call_id": call["id"],
        "content": "1.9",
    }


@pytest.mark.parametrize(
    "text",
    [
        '{"name": "tide", "arguments": {"port": "Ribe"}}',
        '```json\n{"name": "tide", "arguments": {"port": "Ribe"}}\n```',
        '[TOOL_CALLS][{"name": "tide", "arguments": {"port": "Ribe"}}]',
        '<|python_tag|>{"name": "tide", "parameters": {"port": "Ribe"}}',
        'Thought: look\nAction: tide\nAction Input: {"port": "Ribe"}',
        "<function=tide><parameter=port>Ribe</parameter></function>",
        "{'name': 'tide', 'arguments': {'port': 'Ribe'}}",
        "[tide(port='Ribe')]",
    ],
)
def test_a_call_that_leaked_into_the_words_is_a_call(text):
    replies = [text, IT_IS]
    case = {
        "tools": CASES["rep-call-in-tag"]["input"]["variants"][0]["tools"],
        "question": "How high is the tide at Ribe?",
        "server": {"replies": [spoken(text) for text in replies]},
    }
    played = Played(case)
    assert (played.run.answer, played.calls) == (IT_IS, TIDE)


def spoken(text: str | None, *calls: tuple[str, str], **message) -> dict:
    """A reply of the server: words, and calls as (name, arguments)."""
    listed = [
        {"id": f"c{i}", "type": "function", "function": {"name": name, "arguments": arguments}}
        for i, (name, arguments) in enumerate(calls)
    ]
    message = {"role": "assistant", "content": text, **({"tool_calls": listed} if calls else {})}
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if calls else "stop"}
    return {"json": {"id": "1", "object": "chat.completion", "model": "m", "choices": [choice]}}


@pytest.mark.parametrize(
    "text",
    [
        'Call it as {"name": "tide", "arguments": {"port": "Ribe"}}, then read the number.',
        '{"name": "tide", "height": 1.9}',
        "A call stands between `<tool_call>` and `</tool_call>`.",
        "tide(port='Ribe') is how it is called.",
        "Tide (at Ribe)",
        "Thoughts and actions take turns. Action: what is done. It is 1.9 m.",
    ],
)
def test_an_answer_that_speaks_of_calls_is_an_answer(text):
    played = Played({"tools": TOOLS, "question": "?", "server": {"replies": [spoken(text)]}})
    assert (played.run.answer, len(played.requests)) == (text, 1)


@pytest.mark.parametrize(
    "text",
    [
        "<tool_call>tide please</tool_call>",
        '<tool_call>{"name": "tide", "argu',
        'Action: tide\nAction Input: {"port"',
        "<function=tide><parameter=port>Rib",
        '{"name": "tide", "arguments": {"port": "Rib',
        '{"name": "tide", "arguments": {"port": "Ri"be"}}',
        "[tide(port='Ribe'), tide(port='Esbjerg')]",
    ],
)
def test_a_call_that_cannot_be_read_is_no_answer(text):
    replies = [spoken(text), spoken(IT_IS)]
    played = Played({"tools": TOOLS, "question": "?", "server": {"replies": replies}})
    assert isinstance(played.run.steps[0].move, Malformed)
    assert played.requests[1][-1]["content"].startswith("I could not use your reply:")
    assert played.run.answer == IT_IS


def test_json_that_names_no_tool_is_an_answer():
    played = play("rep-json-answer-is-an-answer")
    assert played.run.answer == '{"name": "Ribe", "arguments": {"for": "Vadehavet"}}'
    assert len(played.requests) == 1


@pytest.mark.parametrize("variant", [0, 1])
def test_control_tokens_do_not_reach_the_answer(variant):
    """The second reply of the case calls once more, in clean form."""
    played = play("rep-channel-tokens", variant)
    assert played.run.answer == IT_IS
    assert set(map(str, played.calls)) == set(map(str, TIDE))


def test_the_prefix_of_a_name_is_dropped_where_a_registered_name_is_left():
    """The second reply of the case calls once more, without the prefix."""
    played = play("rep-functions-prefix")
    assert (played.run.answer, played.calls) == (IT_IS, TIDE * 2)
    call = played.requests[1][2]["tool_calls"][0]
    assert (call["id"], call["function"]["name"]) == ("functions.tide:0", "tide")


@pytest.mark.parametrize(
    "name, variant, answer, reasoning",
    [
        ("rep-content-as-parts", None, IT_IS, None),
        ("rep-content-thinking-parts", None, "1.9 m", "Ribe lies on the west coast."),
        ("rep-reasoning-in-either-field", 0, "1.9 m", "west coast"),
        ("rep-reasoning-in-either-field", 1, "1.9 m", "west coast"),
    ],
)
def test_the_answer_is_what_was_said_not_what_was_thought(name, variant, answer, reasoning):
    played = play(name, variant)
    assert (played.run.answer, played.run.finished) == (answer, True)
    assert played.run.steps[0].reply.reasoning == reasoning


@pytest.mark.parametrize("text", ["<think>west coast</think>1.9 m", "west coast\n</think>\n1.9 m"])
def test_a_thinking_block_is_no_part_of_the_answer(text):
    case = {"tools": [], "question": "?", "server": {"replies": [spoken(text)]}}
    played = Played(case)
    assert played.run.answer == "1.9 m"


def test_an_answer_that_thinking_left_no_room_for_is_no_answer():
    played = play("rep-budget-eaten-by-reasoning")
    assert not played.run.finished and not played.run.answer
    steps = played.run.steps
    said = played.run.note + "".join(past.observation.text for past in steps if past.observation)
    assert "token limit" in said or "max_tokens" in said or "length" in said


# The loop around the calls ----------------------------------------------------------------


def test_small_changes_do_not_hide_a_repetition():
    played = play("loop-same-call-small-changes")
    assert played.run.stop == "repeats"
    assert len(played.run.steps) < 30


@pytest.mark.parametrize("extra", ['"n": 1', '"n": 1, "m": 2'])
def test_a_default_that_is_spelled_out_now_and_then_does_not_hide_a_repetition(extra):
    source = (
        'def find(q: str, n: int = 1, m: int = 2) -> str:\n    """Search."""\n    return "[]"\n'
    )
    calls = [f'{{"q": "tea", {extra}}}', '{"q": "tea"}', '{"q": "Tea!"}']
    replies = [spoken(None, ("find", call)) for call in calls * 4]
    played = Played({"tools": [source], "question": "?", "server": {"replies": replies}})
    assert (played.run.stop, len(played.run.steps)) == ("repeats", 4)


def test_polling_is_allowed():
    played = play("loop-polling-is-allowed")
    assert played.run.answer == "finished" and len(played.calls) == 6
    assert all(not past.observation.notice for past in played.run.steps[:-1])


def test_two_calls_that_take_turns_are_a_repetition():
    played = play("loop-two-calls-in-turn")
    assert played.run.stop == "repeats"
    assert len(played.run.steps) < 24


def test_the_same_error_for_ever_ends():
    played = play("loop-same-error-for-ever")
    assert played.run.stop == "repeats" and len(played.run.steps) == 4
    assert "ZeroDivisionError" in told(played.requests[1])


def test_the_last_word_is_asked_for_without_tools():
    played = play("loop-step-limit-last-word")
    assert (played.run.stop, played.run.finished) == ("step limit", False)
    assert played.run.answer == "So far: 1.9 m at Ribe."
    assert len(played.requests) == 4
    assert "tools" not in played.bodies[-1] and "tool_choice" not in played.bodies[-1]
    assert played.requests[-1][-1]["role"] == "tool", "a user message there is refused by some"
    assert played.requests[-1][-1]["content"].endswith("from what you know.")


def test_a_limit_of_one_step_is_one_step():
    played = play("loop-step-limit-one")
    assert len(played.requests) <= 2 and len(played.calls) == 1
    assert played.run.stop == "step limit" and played.run.answer is None


def test_a_second_run_starts_clean():
    first, second = CASES["loop-second-run-starts-clean"]["input"]["runs"]
    tools, _ = registry_of(CASES["loop-second-run-starts-clean"]["input"]["tools"])
    replies = first["server"]["replies"] + second["server"]["replies"]
    with serve({"replies": replies}) as endpoint:
        model = chat_model(SETTINGS, endpoint.port)
        agent = Agent(model, tools, protocol=native_step, max_steps=2)
        one = agent.run(first["question"])
        before = repr(one)
        two = agent.run(second["question"])
    assert (one.answer, two.answer) == ("one", "two")
    assert (len(two.steps), two.stop, repr(one)) == (2, "answered", before)
    assert "herring" not in json.dumps([request.body for request in endpoint.requests[2:]])


def test_two_agents_do_not_share_their_tools():
    """The case loop-two-agents-do-not-share."""
    one, two = Registry(), Registry()
    one.register(lambda: "x", name="tide", description="Tide height.")
    assert [len(Agent(lambda m: Reply(""), tools).tools) for tools in (one, two)] == [1, 0]


def test_prompt_tokens_that_fall_are_noted():
    played = play("rep-prompt-cut-without-a-word")
    assert [past.reply.tokens_in for past in played.run.steps] == [3974, 2051]
    assert any("2051 tokens, after 3974" in note for note in played.run.steps[1].reply.notes)


def test_it_works_inside_a_running_event_loop():
    async def cell():
        return play("req-unset-options-are-absent").run.answer

    assert asyncio.run(cell()) == IT_IS


# Interrupts -------------------------------------------------------------------------------

INTERRUPTED = CASES["nb-interrupt-in-a-tool"]["input"]


def interrupted(endpoint):
    """An agent whose tool was interrupted, and its run so far."""
    tools, _ = registry_of(INTERRUPTED["tools"])
    agent = Agent(chat_model(SETTINGS, endpoint.port), tools, protocol=native_step)
    with pytest.raises(KeyboardInterrupt) as caught:
        agent.run("start")
    return agent, caught.value.run


def test_an_interrupt_in_a_tool_leaves_a_history_without_open_calls():
    with serve(INTERRUPTED["server"]) as endpoint:
        agent, so_far = interrupted(endpoint)
        assert len(endpoint.requests) == 1
        assert [seen.error for _, seen in so_far.steps[0].moves] == ["interrupted"] * 2
        assert agent.run("again").answer == "fresh start"


def test_an_interrupted_run_can_go_on():
    with serve(INTERRUPTED["server"]) as endpoint:
        agent, so_far = interrupted(endpoint)
        assert agent.run(so_far).answer == "fresh start"


def test_a_call_that_had_run_before_the_interrupt_keeps_its_result():
    tools, _ = registry_of(INTERRUPTED["tools"])
    reply = spoken(None, ("slow", '{"n": 2}'), ("slow", '{"n": 1}'), ("slow", '{"n": 2}'))
    with serve({"replies": [reply]}) as endpoint:
        agent = Agent(chat_model(SETTINGS, endpoint.port), tools, protocol=native_step)
        with pytest.raises(KeyboardInterrupt) as caught:
            agent.run("start")
    errors = [seen.error for _, seen in caught.value.run.steps[0].moves]
    assert errors == [None, "interrupted", "interrupted"]


@pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="needs a signal to a thread")
@pytest.mark.parametrize(
    "first",
    [
        {"after": 30, "text": "late"},
        {"status": 429, "headers": {"retry-after": "25"}, "json": {"error": {"message": "wait"}}},
    ],
    ids=["nb-interrupt-while-waiting", "nb-interrupt-inside-a-wait"],
)
def test_an_interrupt_ends_a_wait_at_once(first):
    """The server takes 30 s, or asks to wait for 25 s; the interrupt comes 1 s later."""

    def interrupt():
        while not endpoint.requests and not ended.wait(0.05):
            pass
        if not ended.wait(1):
            signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)

    ended, person = threading.Event(), threading.Thread(target=interrupt)
    with serve({"replies": [first, spoken("fine")]}) as endpoint:
        agent = Agent(chat_model(SETTINGS, endpoint.port), Registry(), protocol=native_step)
        asked = signal.getsignal(signal.SIGINT)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        begin = time.monotonic()
        try:
            person.start()
            with pytest.raises(KeyboardInterrupt) as caught:
                agent.run("q")
        finally:
            ended.set()
            signal.signal(signal.SIGINT, asked)
        assert time.monotonic() - begin < 20, "the guard: it has waited to the end"
        assert len(endpoint.requests) == 1
        assert caught.value.run.steps == ()
        assert agent.run("q2").answer == "fine"
        assert [m["role"] for m in endpoint.requests[1].messages] == ["system", "user"]


# The hybrid form --------------------------------------------------------------------------


def hybrid(*replies: dict) -> Played:
    server = {"replies": list(replies)}
    return Played(
        {"tools": TOOLS, "question": "?", "server": server, "settings": {"mode": "hybrid"}}
    )


def test_a_hybrid_trace_reads_like_that_of_the_text_loop():
    played = hybrid(
        spoken("Thought: I need the tide.", ("tide", '{"port": "Ribe"}')),
        spoken("Thought: I know it.\nFinal Answer: 1.9 m"),
    )
    first, last = played.run.steps
    assert first.move == Action("I need the tide.", "tide", {"port": "Ribe"})
    assert last.move == FinalAnswer("I know it.", "1.9 m")
    assert "Thought: what you need next" in played.requests[0][0]["content"]


def test_a_thought_alone_is_no_answer():
    played = hybrid(spoken("Thought: I need the tide."), spoken("Final Answer: 1.9 m"))
    assert isinstance(played.run.steps[0].move, Malformed)
    assert played.run.answer == "1.9 m"


def test_an_answer_beside_a_call_does_not_count():
    played = hybrid(
        spoken("Thought: easy.\nFinal Answer: 7.3 m", ("tide", '{"port": "Ribe"}')),
        spoken("Final Answer: 1.9 m"),
    )
    assert played.calls == TIDE and played.run.answer == "1.9 m"


# Trace, approval, language ----------------------------------------------------------------


def test_a_native_run_comes_back_from_its_file(tmp_path):
    run = play("loop-two-calls-in-one-reply").run
    save(run, tmp_path / "run.jsonl")
    assert load(tmp_path / "run.jsonl") == run


WRITE = "NOTES = []\ndef note(text: str) -> str:\n    NOTES.append(text)\n    return 'saved'\n"


def writing(*replies: dict, **agent):
    """An agent with a tool that writes and one that reads; its notes; and the open server."""
    tools, names = registry_of(TOOLS)
    exec(WRITE, names)
    tools.register(names["note"], description="Write a note.", effect="write")
    return serve({"replies": list(replies)}), tools, names["NOTES"]


BOTH = spoken(
    None,
    ("tide", '{"port": "Ribe"}'),
    ("note", '{"text": "a"}'),
    ("tide", '{"port": "Esbjerg"}'),
    ("note", '{"text": "b"}'),
)


def test_the_calls_of_a_reply_wait_one_by_one_for_a_person():
    server, tools, notes = writing(BOTH, spoken("done"))
    with server as endpoint:
        agent = Agent(chat_model(SETTINGS, endpoint.port), tools, protocol=native_step)
        run = agent.run("?")
        assert (run.stop, run.pending.arguments, notes) == ("needs approval", {"text": "a"}, [])
        assert [seen and seen.text for _, seen in run.steps[0].moves] == ["1.9", None, None, None]
        run = step(run, agent, approve=True)
        assert (run.stop, run.pending.arguments, notes) == ("needs approval", {"text": "b"}, ["a"])
        run = step(run, agent, approve=False, note="One is enough.")
        assert run.stop is None and notes == ["a"] and len(run.steps) == 1
        assert agent.run(run).answer == "done"
    tool_texts = [m["content"] for m in endpoint.requests[1].messages if m["role"] == "tool"]
    assert tool_texts == [
        "1.9",
        "saved",
        "1.4",
        "A person did not allow this call of note. One is enough.",
    ]


def test_the_program_speaks_chinese_in_native_calls_too():
    played = Played(
        {
            "tools": TOOLS,
            "question": "?",
            "server": {"replies": [spoken(None, ("tide", '{"port"')), spoken(""), spoken("好")]},
        },
        language="zh",
    )
    assert played.requests[0][0]["content"] == "你使用工具来回答问题。"
    assert played.requests[1][-1]["content"].startswith("输入有误。参数不是合法的 JSON")
    assert played.requests[2][-1]["content"] == (
        "无法使用你的回复：回复是空的。请调用工具，或写出答案。"
    )


def test_a_stopped_run_can_be_taken_up_in_another_form():
    """Text, native and hybrid share the Run: what one form began another one can end."""
    first = Agent(lambda m: Reply('Action: tide\nAction Input: {"port": "Ribe"}'), Registry())
    tools, _ = registry_of(TOOLS)
    begun = replace(first, tools=tools, max_steps=1).run("?")
    with serve({"replies": [spoken(IT_IS)]}) as endpoint:
        agent = Agent(chat_model(SETTINGS, endpoint.port), tools, protocol=native_step)
        assert agent.run(replace(begun, stop=None)).answer == IT_IS
    assert [m["role"] for m in endpoint.requests[0].messages[2:]] == ["assistant", "tool"]


def test_a_run_of_native_calls_can_be_taken_up_as_text():
    """A call is nothing but structure: in the text form it has to be written out."""
    replies = [
        spoken("Both.", ("tide", '{"port": "Ribe"}'), ("tide", '{"port": "Esbjerg"}')),
        spoken(f"Final Answer: {IT_IS}"),
    ]
    tools, _ = registry_of(TOOLS)
    with serve({"replies": replies}) as endpoint:
        agent = Agent(chat_model(SETTINGS, endpoint.port), tools, protocol=native_step)
        begun = step(Run("?"), agent)
        assert replace(agent, protocol=text_step).run(begun).answer == IT_IS
    assert [m["content"] for m in endpoint.requests[1].messages[2:]] == [
        'Thought: Both.\nAction: tide\nAction Input: {"port": "Ribe"}',
        "Observation: 1.9",
        'Action: tide\nAction Input: {"port": "Esbjerg"}',
        "Observation: 1.4",
    ]


def test_a_tool_with_a_chinese_name_is_called_by_a_name_that_every_api_takes():
    """As DeepSeek, Qwen and others want it: names of a to z, digits, - and _."""
    sent = []
    calls = [
        {"id": "a", "function": {"name": "get_weather", "arguments": '{"parameter_1": "北京"}'}},
        {"id": "b", "function": {"name": "查天气", "arguments": '{"城市": "巴黎"}'}},
        {"id": "c", "function": {"name": "get_wether", "arguments": "{}"}},
    ]
    replies = [*(Reply("", tool_calls=(call,), finish_reason="tool_calls") for call in calls)]
    replies.append(Reply("北京 28 度，巴黎 22 度。"))

    def model(messages, tools=None):
        sent.append((messages, tools))
        return replies[len(sent) - 1]

    agent = Agent(model, lab_tools(language="zh"), language="zh", protocol=native_step)
    run = agent.run("北京和巴黎各多少度？")
    assert run.finished
    assert [step.move.tool for step in run.steps[:3]] == ["查天气", "查天气", "get_wether"]
    assert [step.observation.text[:3] for step in run.steps[:2]] == ["北京：", "巴黎："]
    assert run.steps[2].observation.text.startswith("没有名为 get_wether 的工具")
    for messages, tools in sent:
        names = [schema["function"]["name"] for schema in tools]
        for one in messages:
            names += [call["function"]["name"] for call in one.get("tool_calls", ())]
        assert all(re.fullmatch("[a-zA-Z0-9_-]+", name) for name in names)
    last = [one for one in sent[-1][0] if one["role"] == "assistant"]
    assert [one["tool_calls"][0]["function"]["name"] for one in last] == [
        "get_weather", "get_weather", "get_wether"
    ]  # fmt: skip
