"""The field cases about requests and replies: the real client against a server that plays them.

Each case stands in data/field_cases.jsonl with its source and its right behaviour. Those about
calls and the loop around them are in test_function_calling.py. There is no streaming here: the
cases in STREAMING do not apply.
"""

import ast
import os
import re
import subprocess
import sys
import time
import traceback
from dataclasses import replace
from pathlib import Path

import pytest

import react_lab
from helpers.fake_endpoint import chat_model, field_cases, messages_show, registry_of, serve
from react_lab.context import RepeatRules
from react_lab.function_calling import native_step
from react_lab.loop import Agent, text_step
from react_lab.models import ENDINGS, ChatModel, ModelError
from react_lab.registry import Registry
from react_lab.trace import save

CASES = field_cases()
STREAMING = {
    "req-stream-refused",
    "rep-stream-two-calls-same-index",
    "rep-stream-name-repeated",
    "rep-stream-error-after-start",
    "rep-stream-ends-early",
    "rep-stream-comment-lines",
}
SETTINGS = {"model": "m", "base_url": "http://127.0.0.1:PORT/v1", "api_key": "test-key-0001"}
MESSAGES = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "2+2?"}]
FOUR = {
    "json": {"choices": [{"message": {"role": "assistant", "content": "4"}}]},
}


@pytest.fixture
def waits(monkeypatch):
    """The seconds that were waited for: nobody really waits."""
    waited = []
    monkeypatch.setattr(time, "sleep", waited.append)
    return waited


def play(case, **fields):
    """Play an exchange to its end: the run, and the requests that the server got.

    case: the id of a field case, or a variant of one. fields: further ones of ChatModel.
    """
    given = CASES[case]["input"] if isinstance(case, str) else case
    settings = {**SETTINGS, **given.get("settings", {})}
    tools, _ = registry_of(given.get("tools", []))
    step = native_step if settings.get("mode") == "native" else text_step
    with serve(given["server"]) as endpoint:
        model = chat_model(settings, endpoint.port, **fields)
        agent = Agent(model, tools, protocol=step, max_steps=settings.get("max_steps", 8))
        return agent.run(given.get("question", "?")), endpoint.requests


def ask(*replies, messages=MESSAGES, **fields):
    """Ask a ChatModel once, at a server with these replies: the Reply, and the requests."""
    with serve({"replies": list(replies)}) as endpoint:
        return chat_model(SETTINGS, endpoint.port, **fields)(messages), endpoint.requests


def failing(*replies, **fields):
    """The ModelError that asking once ends in, and the requests."""
    with serve({"replies": list(replies)}) as endpoint, pytest.raises(ModelError) as caught:
        chat_model(SETTINGS, endpoint.port, **fields)(MESSAGES)
    return caught.value, endpoint.requests


def error(status, message, **more):
    return {"status": status, "json": {"error": {"message": message, **more}}}


def noted(run):
    """All notes of a run's replies."""
    return " ".join(note for reply in run.replies for note in reply.notes)


def test_every_case_is_played_or_does_not_apply():
    tests = Path(__file__).parents[1]
    text = "".join(
        (tests / name).read_text("utf-8")
        for name in ("models/test_endpoints.py", "test_function_calling.py")
    )
    ours = ("request/", "reply/", "notebook/secrets", "notebook/encoding")
    wanted = {name for name, case in CASES.items() if case["family"].startswith(ours)}
    assert {name for name in wanted if f'"{name}"' not in text} == set()
    assert STREAMING == {
        name for name in wanted if name.startswith("rep-stream") or name == "req-stream-refused"
    }


# Options that an endpoint refuses -----------------------------------------------------------


def test_a_renamed_option_is_sent_under_its_new_name():
    run, requests = play("req-max-tokens-renamed")
    limits = [
        {key: request.body[key] for key in request.body if key.startswith("max_")}
        for request in requests
    ]
    new = {"max_completion_tokens": 300}
    assert limits == [{"max_tokens": 300}, new, new]
    assert run.answer == "The tide at Ribe is 1.9 m."
    assert "max_tokens is sent as max_completion_tokens" in noted(run)


def test_an_option_that_is_refused_is_left_out_and_it_is_said():
    run, requests = play("req-temperature-fixed-by-model")
    assert [request.body.get("temperature") for request in requests] == [0, None, None]
    assert "temperature" not in requests[1].body
    assert run.answer == "The tide at Ribe is 1.9 m."
    assert "temperature is not sent" in noted(run)


def test_what_was_learnt_serves_the_next_run_which_says_so_too():
    given = CASES["req-temperature-fixed-by-model"]["input"]
    with serve({**given["server"], "otherwise": {"replies": [FOUR, FOUR]}}) as endpoint:
        model = chat_model(given["settings"], endpoint.port)
        replies = [model(MESSAGES), model(MESSAGES)]
    assert len(endpoint.requests) == 3
    assert replies[0].notes == replies[1].notes != ()
    assert replace(model).learned == {}  # another model object learns for itself


def test_nothing_is_sent_that_was_not_set():
    run, requests = play("req-unset-options-are-absent")
    assert run.answer == "The tide at Ribe is 1.9 m."
    for request in requests:
        assert set(request.body) == {"model", "messages", "tools"}
        assert None not in request.body.values()


def test_a_refusal_of_what_is_not_there_ends_the_run():
    run, requests = play("req-refusal-comes-back-for-absent-key")
    assert ["temperature" in request.body for request in requests] == [True, False]
    assert run.stop == "model error" and "'temperature' is not accepted here." in run.note


def test_each_refusal_takes_one_option_away():
    run, requests = play("req-three-refusals-in-a-row")
    options = [set(request.body) - {"model", "messages"} for request in requests]
    assert options == [
        {"max_tokens", "temperature"},
        {"max_completion_tokens", "temperature"},
        {"max_completion_tokens"},
        {"max_completion_tokens"},
    ]
    assert run.answer == "1.9 m"


@pytest.mark.parametrize("set_stop", [False, True])
def test_without_stop_the_reply_is_cut_at_its_own_observation(set_stop):
    given = CASES["req-stop-refused-text-mode"]["input"]
    if set_stop:
        given = {**given, "settings": {**given["settings"], "stop": ["Observation:"]}}
    run, requests = play(given)
    assert ["stop" in request.body for request in requests] == [True] * set_stop + [False, False]
    assert len([past for past in run.steps if past.observation]) == 1
    history = str(requests[-1].messages)
    assert "1.9" in history and "7.3" not in history
    assert run.answer == "1.9 m"


@pytest.mark.parametrize(
    "refusal, left",
    [
        (error(400, "Unrecognized request argument supplied: top_k"), {"seed"}),
        (error(400, "Unsupported value", param="seed"), {"top_k"}),
        (
            {"status": 422, "json": {"detail": [{"msg": "extra", "loc": ["body", "top_k"]}]}},
            {"seed"},
        ),
        (error(400, 'Invalid JSON payload received. Unknown name "seed": no field.'), {"top_k"}),
        ({"status": 400, "json": {"object": "error", "message": "seed is unknown"}}, {"top_k"}),
    ],
)
def test_the_option_is_found_wherever_the_refusal_names_it(refusal, left):
    with serve({"replies": [refusal, FOUR]}) as endpoint:
        ChatModel("m", endpoint.url, options={"top_k": 5, "seed": 1})(MESSAGES)
    assert set(endpoint.requests[1].body) == {"model", "messages"} | left


@pytest.mark.parametrize(
    "option, other",
    [("max_tokens", "max_completion_tokens"), ("max_completion_tokens", "max_tokens")],
)
def test_an_option_refused_under_both_names_is_left_out(option, other):
    refusals = [error(400, f"'{option}' is unknown, use '{other}'")]
    refusals += [error(400, f"'{other}' is unknown, use '{option}'")]
    with serve({"replies": [*refusals, FOUR]}) as endpoint:
        ChatModel("m", endpoint.url, options={option: 9})(MESSAGES)
    sent = [set(request.body) - {"model", "messages"} for request in endpoint.requests]
    assert sent == [{option}, {other}, set()]


def test_tools_are_never_left_out():
    refused = error(400, "registry/m does not support tools")
    with serve({"replies": [refused, FOUR]}) as endpoint:
        with pytest.raises(ModelError, match="takes no native calls.*does not support tools") as no:
            ChatModel("m", endpoint.url)(MESSAGES, [{"type": "function"}])
    assert (len(endpoint.requests), no.value.kind) == (1, "refused")


def test_streaming_is_refused_by_us():
    with pytest.raises(ValueError, match="leave stream out"):
        ChatModel("m", "http://localhost/v1", options={"stream": True})


# Roles and history --------------------------------------------------------------------------


def test_a_system_message_that_is_refused_goes_into_the_first_user_message():
    run, requests = play("req-system-role-refused")
    first, then = requests[0].messages, requests[1].messages
    assert [message["role"] for message in then] == ["user"]
    assert then[0]["content"] == f"{first[0]['content']}\n\n{first[1]['content']}"
    assert run.answer == "4" and len(requests) == 2
    assert "system message is sent inside the first user message" in noted(run)


@pytest.mark.parametrize("words", ["System role not supported", "Developer instruction is not on"])
def test_the_system_role_may_be_refused_by_a_template(words, waits):
    _, requests = ask(error(500, words), FOUR)
    assert [m["role"] for m in requests[1].messages] == ["user"] and waits == []


def test_there_is_one_system_message_and_it_is_the_first():
    run, requests = play("req-one-system-message-first")
    for request in requests:
        assert [m["role"] for m in request.messages].count("system") == 1
        assert request.messages[0]["role"] == "system"
    assert run.answer == "1.9 m"


@pytest.mark.parametrize(
    "refused, words",
    [
        (True, "'system' is only possible at position 0"),
        (True, "Conversation roles must alternate user/assistant/user/assistant/..."),
        (False, ""),
    ],
)
def test_repeated_rules_are_a_system_message_until_the_endpoint_refuses_it(refused, words):
    lines = ["Action: add\nAction Input: {}"] * 2 + ["Final Answer: 4"]
    replies = [
        {"status": 200, "json": {"choices": [{"message": {"content": one}}]}} for one in lines
    ]
    rule = {"if": {"messages": "system_not_first_or_twice"}, "reply": error(400, words)}
    with serve({"rules": [rule] if refused else [], "replies": replies}) as endpoint:
        model = ChatModel("m", base_url=endpoint.url)
        tools = Registry()
        tools.register(lambda: 4, name="add", description="2+2")
        run = Agent(model, tools, fit=RepeatRules("Be brief.", every=1)).run("2+2?")
    assert run.answer == "4"
    last = endpoint.requests[-1].messages
    told = [one["role"] for one in last if one["content"].endswith("Remember: Be brief.")]
    assert told == (["user"] * 2 if refused else ["system"] * 2)
    if refused:
        assert last[-1]["content"] == "Observation: 4\nRemember: Be brief."
    assert len(endpoint.requests) == (4 if refused else 3), "it is refused once"
    assert ("after the first is sent inside the message before it" in noted(run)) == refused


def test_user_and_assistant_take_turns():
    run, requests = play("req-strict-alternation-after-correction")
    assert len(requests) == 4
    assert not any(messages_show("same_role_twice", request.messages) for request in requests)
    assert run.answer == "1.9 m"


def test_a_template_that_refuses_the_order_is_not_asked_again(waits):
    run, requests = play("req-template-500-is-not-a-hiccup")
    assert len(requests) <= 2 and waits == []
    assert run.stop == "model error"
    assert "Jinja Exception: roles out of order" in run.note
    assert "order of the messages was refused" in run.note


def test_a_long_history_starts_with_the_user_and_keeps_its_pairs():
    """Nothing is shortened unless `fit` does it, so the history is whole."""
    run, requests = play("req-first-turn-after-trimming")
    assert run.answer == "done" and len(requests) == 9


def with_call(content):
    call = {"id": "abcdefghi", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    said = {"role": "assistant", "content": content, "tool_calls": [call]}
    return [*MESSAGES, said, {"role": "tool", "tool_call_id": "abcdefghi", "content": "1"}]


def test_the_content_beside_a_call_is_null_and_never_missing():
    for case in ("req-empty-content-refused", "req-content-key-always-there"):
        run, requests = play(case)
        said = [m for m in requests[-1].messages if m["role"] == "assistant"]
        assert [message["content"] for message in said] == [None]
        assert len(requests) == 2 and run.answer == "The tide at Ribe is 1.9 m."


@pytest.mark.parametrize(
    "condition, words",
    [
        ("assistant_call_content_null", "messages[2].content must be a string, not null"),
        ("assistant_call_content_empty", "a content block may not be empty"),
    ],
)
@pytest.mark.parametrize("content", [None, ""])
def test_blank_content_follows_the_endpoint_with_one_more_request(condition, words, content):
    rule = {"if": {"messages": condition}, "reply": error(400, words)}
    with serve({"rules": [rule], "otherwise": {"replies": [FOUR, FOUR]}}) as endpoint:
        model = ChatModel("m", endpoint.url)
        assert model(with_call(content)).text == model(with_call(content)).text == "4"
    refused_first = (content is None) == condition.endswith("null")
    assert len(endpoint.requests) == 2 + refused_first


@pytest.mark.parametrize(
    "words", ["content is wrong", "reasoning is wrong", "system role is wrong"]
)
def test_each_change_is_made_once(words):
    with serve({"replies": [error(400, words)], "then": "repeat"}) as endpoint:
        with pytest.raises(ModelError, match=words):
            history = with_call(None)
            history[2]["reasoning_content"] = "I need f."
            ChatModel("m", endpoint.url)(history)
    assert len(endpoint.requests) == 2


def test_reasoning_is_kept_in_the_trace_and_not_sent_back():
    run, requests = play("req-reasoning-must-not-come-back")
    assert run.answer == "The tide at Ribe is 1.9 m." and len(requests) == 2
    assert "reasoning_content" not in str([request.messages for request in requests])
    assert run.steps[0].reply.reasoning == "Ribe is a port, so ask for its tide."


def test_an_endpoint_that_wants_its_reasoning_back_gets_it():
    words = "the reasoning_content in the thinking mode must be passed back"
    rule = {
        "if": {"messages": "assistant_call_lacks:reasoning_content"},
        "reply": error(400, words),
    }
    given = CASES["req-reasoning-must-not-come-back"]["input"]
    run, requests = play({**given, "server": {**given["server"], "rules": [rule]}})
    assert run.answer == "The tide at Ribe is 1.9 m." and len(requests) == 3
    said = [m for m in requests[2].messages if m["role"] == "assistant"]
    assert said[0]["reasoning_content"] == "Ribe is a port, so ask for its tide."


def test_two_tools_with_names_alike_are_kept_apart():
    """The dotted name is refused at once: no tool silently replaces another."""
    registry, names = Registry(), {}
    for tool in CASES["req-two-names-one-alias"]["input"]["named_tools"]:
        exec(tool["source"], names)
    with pytest.raises(ValueError, match="not a valid tool name"):
        registry.register(names["f"], name="get.rate")
    registry.register(names["g"], name="get_rate")
    assert registry.call("get_rate", {"c": "EUR"}).text == "old"


# Address, key, proxy ------------------------------------------------------------------------


@pytest.mark.parametrize("case", ["req-local-server-needs-no-key", "req-empty-key-string"])
@pytest.mark.parametrize("variable", [None, ""])
def test_a_server_on_this_machine_needs_no_key(case, variable, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    if variable is not None:
        monkeypatch.setenv("OPENAI_API_KEY", variable)
    run, requests = play(case)
    assert run.answer == "The tide at Ribe is 1.9 m."
    assert re.fullmatch(r"Bearer \S+", requests[0].headers["authorization"])


def test_a_server_elsewhere_needs_a_key_before_anything_is_sent():
    settings = CASES["req-remote-server-without-key"]["input"]["settings"]
    with pytest.raises(ModelError, match="api_key.*LLM_API_KEY") as caught:
        ChatModel(settings["model"], settings["base_url"], settings["api_key"])
    assert caught.value.kind == "bad key"


def test_blank_space_around_a_key_is_removed():
    run, requests = play("req-key-with-line-end")
    assert {request.headers["authorization"] for request in requests} == {"Bearer test-key-0001"}
    assert run.answer == "The tide at Ribe is 1.9 m."


def test_a_proxy_does_not_stand_before_this_machine(monkeypatch):
    given = CASES["req-proxy-variable-and-loopback"]["input"]
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    for name in ("HTTP_PROXY", "HTTPS_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
        monkeypatch.setenv(name.lower(), "http://127.0.0.1:1")
    run, _ = play(given)
    assert run.answer == "4"


def test_a_proxy_that_is_in_the_way_is_named(monkeypatch):
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    with pytest.raises(ModelError, match="HTTP_PROXY.*NO_PROXY=models.example") as caught:
        ChatModel("m", "http://models.example/v1", "test-key-0001")(MESSAGES)
    assert caught.value.kind == "no connection"


@pytest.mark.parametrize("ending", ["", "/", "/v1", "/v1/", "/v1/chat/completions"])
def test_an_address_works_with_and_without_its_ending(ending):
    with serve({"replies": [FOUR]}) as endpoint:
        address = endpoint.url.removesuffix("/v1") + ending
        assert ChatModel("m", address)(MESSAGES).text == "4"
    assert [request.path for request in endpoint.requests] == ["/v1/chat/completions"]


@pytest.mark.parametrize(
    "ending, path",
    [
        ("", "/chat/completions"),
        ("/api", "/api/v1/chat/completions"),
        ("/inference", "/inference/chat/completions"),
        ("/v1beta", "/v1beta/chat/completions"),
    ],
)
@pytest.mark.parametrize(
    "lost",
    [
        {"status": 404, "text": "404 page not found"},
        {"status": 405, "json": {"detail": "Method Not Allowed"}},
        {"status": 200, "json": {"error": "Unexpected endpoint or method. (POST /x)"}},
        {"status": 200, "text": "<html>Welcome</html>", "content_type": "text/html"},
    ],
)
def test_the_other_ending_of_an_address_is_tried_once_and_kept(ending, path, lost):
    rule = {"if": {"path_is_not": path}, "reply": lost}
    with serve({"rules": [rule], "otherwise": {"replies": [FOUR, FOUR]}}) as endpoint:
        model = ChatModel("m", endpoint.url.removesuffix("/v1") + ending)
        assert model(MESSAGES).text == model(MESSAGES).text == "4"
    paths = [request.path for request in endpoint.requests]
    assert paths[-2:] == [path, path] and len(paths) <= 3


def test_an_unknown_model_is_no_wrong_address():
    missing = {"status": 404, "json": {"error": {"message": "model 'm' not found, pull it first"}}}
    with serve({"replies": [missing, FOUR]}) as endpoint:
        model = ChatModel("m", endpoint.url.removesuffix("/v1"))
        with pytest.raises(ModelError, match="Check LLM_MODEL.*pull it first"):
            model(MESSAGES)
        assert len(endpoint.requests) == 1
        assert model(MESSAGES).text == "4"


@pytest.mark.parametrize(
    "address", ["localhost:11434", "m.example/v1", "ftp://x/v1", "http://[::1/v1", "http://x:y"]
)
def test_an_address_that_is_none_is_told_at_once(address):
    with pytest.raises(ModelError, match="not a web address"):
        ChatModel("m", address, "test-key-0001")


# Secrets ------------------------------------------------------------------------------------


def test_a_key_that_no_header_can_hold_is_told_without_it():
    settings = CASES["nb-key-in-a-header-error"]["input"]["settings"]
    with serve({"replies": [FOUR]}) as endpoint:
        with pytest.raises(ModelError, match="key.*illegal character") as caught:
            ChatModel("m", endpoint.url, settings["api_key"])(MESSAGES)
        assert endpoint.requests == []
    shown = "".join(traceback.format_exception(caught.value))
    assert "QWERTY" not in shown and "UIOP" not in shown and "sk-test" not in shown


KEY = "test-key-4711-abcd"


@pytest.mark.parametrize(
    "words",
    [
        f"Incorrect API key provided: {KEY}.",
        "Incorrect API key provided: test-****abcd.",
        "No such key: test-key-47...",
        f"header 'Authorization: Bearer {KEY}' is wrong",
    ],
)
def test_no_part_of_a_key_is_in_an_error(words):
    with serve({"replies": [error(401, words)]}) as endpoint:
        with pytest.raises(ModelError, match="Check LLM_API_KEY") as caught:
            ChatModel("m", endpoint.url, KEY)(MESSAGES)
    shown = "".join(traceback.format_exception(caught.value))
    assert not re.search("test-key|abcd|4711", shown)
    assert caught.value.__cause__ is caught.value.__context__ is None


def test_a_key_is_in_no_trace_and_no_file(tmp_path):
    reply = {"json": {"choices": [{"message": {"content": f"Final Answer: it is {KEY}!"}}]}}
    with serve({"replies": [reply]}) as endpoint:
        model = ChatModel("m", endpoint.url, KEY)
        run = Agent(model, Registry()).run("What is the key?")
    save(run, tmp_path / "run.jsonl")
    assert run.answer == "it is ***!"
    assert KEY not in (tmp_path / "run.jsonl").read_text("utf-8") and KEY not in repr((model, run))


def test_a_password_in_an_address_is_not_shown():
    model = ChatModel("m", "http://me:pass-word@127.0.0.1:1/v1?key=secret", "test-key-0001")
    with pytest.raises(ModelError, match="Is the server running") as caught:
        model(MESSAGES)
    assert not re.search("pass-word|secret|me:", str(caught.value) + repr(model))


# Replies ------------------------------------------------------------------------------------


def test_a_blank_reply_is_asked_for_again():
    run, requests = play("rep-content-blank-text-mode")
    assert run.answer == "1.9 m"
    assert all(m["content"].strip() for m in requests[1].messages)
    assert ENDINGS["empty"] in noted(run)


def test_content_in_parts_is_put_together():
    run, _ = play("rep-content-as-parts")
    assert run.answer == "The tide at Ribe is 1.9 m."


def test_thinking_parts_are_reasoning_and_odd_parts_are_passed_over():
    run, _ = play("rep-content-thinking-parts")
    assert run.answer == "1.9 m"
    assert run.steps[0].reply.reasoning == "Ribe lies on the west coast."


@pytest.mark.parametrize("variant", CASES["rep-reasoning-in-either-field"]["input"]["variants"])
def test_reasoning_is_read_from_either_field(variant):
    run, _ = play(variant)
    assert (run.answer, run.steps[0].reply.reasoning) == ("1.9 m", "west coast")


def test_nothing_in_a_think_block_is_run():
    run, _ = play("rep-think-block-with-action-inside")
    ran = [past.move.arguments for past in run.steps if past.observation]
    assert ran == [{"port": "Ribe"}] and run.answer == "1.9 m"


def test_what_stands_before_a_lone_closing_tag_is_thought():
    run, _ = play("rep-think-close-tag-only")
    assert run.answer == "5"


def test_a_think_block_that_was_cut_off_runs_nothing():
    run, requests = play("rep-think-never-closed")
    assert "length" in run.steps[0].reply.finish_reason and ENDINGS["cut off"] in noted(run)
    assert "Observation: 1.9" not in str(requests[1].messages)
    assert run.answer == "unknown"


def test_json_behind_a_final_answer_is_part_of_it():
    run, requests = play("rep-json-after-final-answer")
    body = '{"action": "tide", "action_input": {"port": "Ribe"}}'
    assert run.answer == f"use this body: {body}" and len(requests) == 1


def test_a_budget_eaten_by_reasoning_is_told_with_what_to_do():
    run, requests = play("rep-budget-eaten-by-reasoning")
    assert not run.finished and run.answer is None and len(requests) == 1
    assert "spent on reasoning" in run.note and "larger max_tokens" in run.note


def ended(finish_reason, **message):
    usage = {"completion_tokens": 7}
    choices = [{"finish_reason": finish_reason, "message": message}]
    return {"json": {"choices": choices, "usage": usage}}


def test_five_endings_have_five_pieces_of_advice():
    filtered, _ = failing(ended("content_filter", content="The ti"))
    thought, _ = failing(ended("length", content="", reasoning="hm"))
    cut_off, _ = failing(ended("length", content=None))
    too_long, _ = failing(error(400, "maximum context length is 4096 tokens"))
    empty, _ = ask(ended("stop", content=None))  # no error: the loop asks again
    assert "A content filter stopped the reply." in str(filtered)
    assert "spent on reasoning" in str(thought) and "larger max_tokens" in str(thought)
    assert "cut off at the length limit" in str(cut_off)
    assert "too long for this model" in str(too_long)
    assert empty.notes == (ENDINGS["empty"],)
    kinds = [caught.kind for caught in (filtered, thought, cut_off, too_long)]
    assert kinds == ["filtered", "empty", "empty", "context too long"]
    assert [caught.reply.tokens_out for caught in (filtered, thought, cut_off)] == [7, 7, 7]


@pytest.mark.parametrize("finish", ["length", "max_tokens", "model_length"])
def test_words_that_were_cut_off_are_kept_and_noted(finish):
    reply, _ = ask(ended(finish, content="Thought: I"))
    assert (reply.text, reply.finish_reason) == ("Thought: I", "length")
    assert reply.notes == (ENDINGS["cut off"],)


def test_odd_fields_of_a_reply_are_passed_over():
    message = {"content": {"text": "4"}, "reasoning": ["x"], "tool_calls": [None, "f", {}]}
    odd = {"choices": [{"message": message}], "usage": {"prompt_tokens": "9"}}
    reply, _ = ask({"json": odd})
    assert (reply.text, reply.reasoning, reply.tool_calls) == ("4", None, ())
    assert (reply.tokens_in, reply.finish_reason) == (None, None)


def test_the_older_form_of_a_call_is_read():
    call = {"name": "tide", "arguments": '{"port": "Ribe"}'}
    reply, _ = ask({"json": {"choices": [{"message": {"content": None, "function_call": call}}]}})
    assert reply.tool_calls == ({"id": "", "type": "function", "function": call},)


# Errors -------------------------------------------------------------------------------------


@pytest.mark.parametrize("variant", CASES["rep-choices-empty"]["input"]["variants"])
def test_200_proves_nothing(variant):
    """Without any choice the reply is half a reply, which may come whole the next time."""
    variant = variant | {"server": variant["server"] | {"then": "repeat"}}
    run, requests = play(variant)
    half = "choices" in variant["server"]["replies"][0]["json"]
    assert run.stop == "model error" and len(requests) == 1 + half
    assert re.search('"choices": \\[]|queue full', run.note)
    assert ("The endpoint failed" if half else "no chat completion") in run.note


def test_a_web_page_is_told_with_the_address_that_was_asked():
    given = CASES["rep-200-html-page"]["input"]
    with serve(given["server"] | {"then": "repeat"}) as endpoint:  # not only once, in between
        run = Agent(chat_model(given["settings"], endpoint.port), Registry()).run("?")
        assert f"http://127.0.0.1:{endpoint.port}/v1/chat/completions" in run.note
    assert re.search("not JSON.*Gateway console", run.note)
    assert "base_url" in run.note and "/v1" in run.note and len(run.note) < 700
    assert "has no attribute" not in run.note


@pytest.mark.parametrize("json", CASES["rep-error-shapes"]["input"]["over"]["json"])
def test_an_error_is_read_in_every_shape(json):
    caught, requests = failing({"status": 400, "json": json})
    assert "busy" in str(caught) and "400" in str(caught) and len(requests) == 1
    assert caught.kind == "refused"


def test_an_error_inside_a_good_status_is_an_error(waits):
    body = {"error": {"code": 429, "message": "slow down"}, "choices": []}
    reply, requests = ask({"status": 200, "json": body}, FOUR)
    assert (reply.text, len(requests), waits) == ("4", 2, [1.0])
    choice = {"finish_reason": "error", "message": {"content": "The ti"}}
    caught, _ = failing({"json": {"choices": [choice | {"error": {"message": "worker lost"}}]}})
    assert "worker lost" in str(caught)


def test_a_router_passes_on_what_the_server_behind_it_said():
    raw = {"raw": "quota of the region is used up", "provider_name": "p"}
    caught, _ = failing(error(400, "Provider returned error", metadata=raw))
    assert "Provider returned error: quota of the region is used up" in str(caught)


@pytest.mark.parametrize(
    "reply, kind",
    [
        (error(401, "wrong key"), "bad key"),
        (error(402, "Insufficient Balance"), "no credit"),
        (error(400, "the request exceeds the available context size"), "context too long"),
        (error(413, "too large"), "context too long"),
        (error(400, "prompt is too long: 210000 tokens > 200000 maximum"), "context too long"),
        (error(400, "max_tokens is too large: 9000"), "refused"),
        (error(404, "The model 'm' does not exist"), "refused"),
        (error(500, "Conversation roles must alternate user/assistant"), "refused"),
        ({"status": 500, "text": "Internal Server Error"}, "error"),
        ({"status": 200, "json": [1]}, "unreadable"),
        ({"status": 200, "text": ""}, "unreadable"),
        (error(403, "your input was flagged"), "filtered"),
    ],
)
def test_the_kind_of_an_error(reply, kind):
    assert failing(reply, patience=0)[0].kind == kind


def test_a_server_that_is_not_there_is_told_by_its_first_cause():
    with serve({"replies": []}) as endpoint:
        pass
    with pytest.raises(ModelError, match="Connection refused.*Is the server running") as caught:
        ChatModel("m", endpoint.url)(MESSAGES)
    assert caught.value.kind == "no connection"


def test_a_reply_that_does_not_come_in_time_is_told():
    caught, _ = failing(FOUR | {"after": 30}, timeout=0.2)
    assert "No reply in 0.2 s" in str(caught) and caught.kind == "no connection"


@pytest.mark.parametrize("status", [200, 500])
def test_a_reply_that_comes_byte_by_byte_has_no_more_time_than_another(status):
    caught, requests = failing(FOUR | {"status": status, "every": 0.2}, timeout=0.5)
    assert "No reply in 0.5 s" in str(caught) and caught.kind == "no connection"
    assert len(requests) == 1


def test_a_filter_is_known_as_one():
    run, requests = play("rep-filter-as-400")
    assert len(requests) == 1
    assert re.search("content filter.*content_filter: the prompt set off", run.note)
    reply = CASES["rep-filter-as-400"]["input"]["server"]["replies"][0]
    with serve({"replies": [reply]}) as endpoint, pytest.raises(ModelError) as caught:
        ChatModel("m", endpoint.url, options={"temperature": 0, "prompt": 1})(MESSAGES)
    assert caught.value.kind == "filtered" and len(endpoint.requests) == 1


# Busy endpoints -----------------------------------------------------------------------------


def test_retry_after_is_honoured_and_told(waits):
    run, requests = play("rep-429-retry-after-seconds")
    assert len(requests) == 2 and len(waits) == 1 and 3 <= waits[0] <= 10
    assert run.answer == "4" and "waited 3 s" in noted(run)


def test_a_wait_that_stands_in_the_words_is_honoured(waits):
    run, _ = play("rep-429-wait-in-text")
    assert run.answer == "4" and 2.4 <= sum(waits) <= 30


def test_no_credit_is_final(waits):
    run, requests = play("rep-429-quota-is-final")
    assert len(requests) == 1 and waits == []
    assert re.search("credit|billing", run.note) and "later" not in run.note


@pytest.mark.parametrize(
    "headers, words, seconds",
    [
        ({"retry-after": "7"}, "", 7),
        ({"retry-after": "1.5"}, "", 1.5),
        ({"retry-after-ms": "250"}, "", 0.25),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, "", 1),  # it is past: the usual wait
        ({"retry-after": "soon"}, "", 1),
        ({}, "Please try again in 1m2.5s.", 62.5),
        ({}, "Please retry after 20 seconds.", 20),
        ({}, "Try again in 350ms", 0.35),
        ({}, "retry in 900 milliseconds", 0.9),
        ({}, "no hint", 1),
    ],
)
def test_how_long_a_busy_endpoint_asks_to_wait(headers, words, seconds, waits):
    busy = error(429, f"slow down. {words}") | {"headers": headers}
    ask(busy, FOUR, patience=100)
    assert waits == [pytest.approx(seconds)]


def test_a_wait_longer_than_patience_is_not_begun(waits):
    busy = error(429, "slow down") | {"headers": {"retry-after": "120"}}
    caught, requests = failing(busy, FOUR)
    assert (len(requests), waits, caught.kind) == (1, [], "rate limit")
    assert "asks to wait 120 s" in str(caught)


@pytest.mark.parametrize("status, waited", [(429, [1, 2, 4, 8]), (503, [1, 2, 4, 8]), (500, [1])])
def test_patience_ends(status, waited, waits):
    """Without a word on how long, the waits double; most 500s are the same every time."""
    _, requests = failing(*[error(status, "busy")] * 9)
    assert waits == waited and len(requests) == len(waited) + 1


# Files --------------------------------------------------------------------------------------

LOCALE = """
import pkgutil, importlib, sys
from pathlib import Path
import react_lab
from react_lab.models import Reply
from react_lab.parser import FinalAnswer
from react_lab.trace import Run, Step, load, save
words = "Gr\\u00fcnkohl \\u65e5\\u672c\\u8a9e \\U0001f375 \\u20ac"
reply = Reply(words)
run = Run(words, (Step(({"role": "user", "content": words},), reply, FinalAnswer("", words)),))
save(run, "run.jsonl")
assert load("run.jsonl") == run
assert words in Path("run.jsonl").read_text("utf-8")
from react_lab import prompt
from react_lab.models import recording, weights
assert weights.adapter_sha256()
assert recording.Tape(recording.FOLDER).entries
assert prompt.MESSAGES["zh"]
from react_lab import toolkit
from react_lab.parser import cases
"""


@pytest.mark.parametrize("locale", ["C", "zh_CN.GBK"])
def test_files_are_utf_8_whatever_the_locale(locale, tmp_path):
    """The case "nb-locale-gbk-files": a file opened without an encoding is an error here."""
    command = [sys.executable, "-X", "warn_default_encoding", "-W", "error::EncodingWarning"]
    settings = {"LC_ALL": locale, "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    options = {"cwd": tmp_path, "env": os.environ | settings, "capture_output": True}
    child = subprocess.run([*command, "-c", LOCALE], **options, text=True, errors="replace")
    assert child.returncode == 0, child.stderr


PACKAGE = Path(react_lab.__file__).parent


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*.py")), ids=lambda path: path.stem)
def test_every_open_names_its_encoding(path):
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Call):
            name, plain = (
                getattr(node.func, "attr", getattr(node.func, "id", "")),
                ast.unparse(node),
            )
            picture = plain.startswith("Image.open(")  # of Pillow: a picture has no encoding
            if name in ("open", "read_text", "write_text") and not picture:
                assert re.search(r"utf-8|[\"'][rwax]?b[\"']", plain), plain
