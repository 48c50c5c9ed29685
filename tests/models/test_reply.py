"""Models: a script, and a real client that speaks to a real HTTP server on loopback.

What endpoints refuse, and how, is in test_endpoints.py.
"""

import pytest
from openai.types.chat import ChatCompletion

from helpers.fake_endpoint import serve
from react_lab.models import ChatModel, ModelError, Reply, ScriptedModel, lost_prompt, reply_from

MESSAGES = [{"role": "user", "content": "Question: What is 6*7?"}]
COMPLETION = {
    "id": "1",
    "object": "chat.completion",
    "created": 0,
    "model": "m",
    "choices": [
        {
            "index": 0,
            "finish_reason": "stop",
            "message": {"role": "assistant", "content": "Final Answer: 42"},
        }
    ],
    "usage": {
        "prompt_tokens": 9,
        "completion_tokens": 5,
        "total_tokens": 14,
        "prompt_tokens_details": {"cached_tokens": 4},
    },
}


@pytest.fixture
def server():
    """An endpoint that always answers 42, and keeps what it got."""
    with serve({"replies": [{"json": COMPLETION}], "then": "repeat"}) as endpoint:
        yield endpoint


def test_a_script_returns_its_replies_in_order():
    model = ScriptedModel(["one", "two"])
    assert [model(MESSAGES).text, model(MESSAGES).text] == ["one", "two"]
    assert repr(model) == "ScriptedModel(replies=('one', 'two'))"
    with pytest.raises(ModelError, match="has 2 replies; add one"):
        model(MESSAGES)
    model.rewind()
    assert model(MESSAGES).text == "one"


def test_a_script_holds_texts():
    with pytest.raises(ValueError, match=r"A script is a list of replies: ScriptedModel\(\["):
        ScriptedModel("one")
    with pytest.raises(ValueError, match="Reply 2 of the script is None; write a text"):
        ScriptedModel(["one", None])


def test_a_reply_holds_what_the_endpoint_told(server):
    reply = ChatModel("m", server.url, "secret-key")(MESSAGES)
    assert (reply.text, reply.finish_reason) == ("Final Answer: 42", "stop")
    assert (reply.tokens_in, reply.tokens_out, reply.tokens_cached) == (9, 5, 4)
    assert reply.seconds > 0 and reply.notes == ()


def test_the_clients_own_object_is_read_like_the_json():
    completion = ChatCompletion.model_validate(COMPLETION)
    assert reply_from(completion, 1.0) == reply_from(COMPLETION, 1.0)
    assert reply_from(completion, 1.0).tokens_cached == 4


def test_options_are_sent_as_they_are_and_nothing_else(server):
    ChatModel("m", server.url)(MESSAGES)
    options = {"temperature": 0, "stop": ["Observation:"], "top_k": 5}
    ChatModel("m", server.url, options=options | {"seed": None})(MESSAGES)
    plain, tuned = server.requests
    assert plain.path == "/v1/chat/completions"
    assert plain.body == {"model": "m", "messages": MESSAGES}
    assert tuned.body == {"model": "m", "messages": MESSAGES, **options}


def test_tools_are_sent_as_schemas(server):
    tools = [{"type": "function", "function": {"name": "now", "parameters": {"type": "object"}}}]
    ChatModel("m", server.url)(MESSAGES, tools)
    assert server.requests[0].body["tools"] == tools


@pytest.mark.parametrize(
    "status, advice",
    [(401, "Check LLM_API_KEY"), (404, "Check LLM_MODEL"), (429, "Wait, then run again")],
)
def test_a_refusal_says_what_to_do_and_never_the_key(status, advice):
    reply = {"status": status, "json": {"error": {"message": "no, not with secret-key"}}}
    with serve({"replies": [reply]}) as endpoint:
        with pytest.raises(ModelError, match=advice) as caught:
            ChatModel("m", endpoint.url, "secret-key", patience=0)(MESSAGES)
    assert "secret-key" not in str(caught.value)
    assert caught.value.__cause__ is caught.value.__context__ is None


@pytest.mark.parametrize(
    "body, words",
    [
        ("<html>busy</html>", "no chat completion"),
        ({"choices": [{"message": None}]}, "no chat completion"),
        (COMPLETION | {"choices": []}, "The endpoint failed.*without a choice"),
    ],
)
def test_a_reply_that_is_none_is_an_error(body, words):
    with serve({"replies": [{"json": body}], "then": "repeat"}) as endpoint:
        with pytest.raises(ModelError, match=words):
            ChatModel("m", endpoint.url)(MESSAGES)


def test_a_text_that_cannot_be_sent_is_an_error(server):
    with pytest.raises(ModelError, match="cannot be sent.*surrogates") as caught:
        ChatModel("m", server.url)([{"role": "user", "content": "half an emoji: \ud83d"}])
    assert (caught.value.kind, server.requests) == ("error", [])


def test_the_repr_shows_neither_key_nor_password():
    model = ChatModel("m", "http://me:word@localhost/v1", "secret-key", options={"seed": 1})
    assert repr(model) == "ChatModel('m', base_url='http://localhost/v1', options={'seed': 1})"


def test_a_key_that_no_header_can_hold_is_an_error():
    with pytest.raises(ModelError, match="illegal character at place 5"):
        ChatModel("m", "http://localhost/v1", api_key="schlüssel…")


@pytest.mark.parametrize(
    "before, after, longer, warned",
    [(3974, 2051, True, True), (3974, 4100, True, False), (3974, 2051, False, False)],
)
def test_a_prompt_that_was_cut_is_noticed(before, after, longer, warned):
    later = [*MESSAGES, {"role": "user", "content": "more"}] if longer else MESSAGES[:0]
    warning = lost_prompt(MESSAGES, Reply("", tokens_in=before), later, Reply("", tokens_in=after))
    assert ("3974" in warning and "2051" in warning) == warned


def test_an_endpoint_that_does_not_count_is_not_warned_of():
    assert lost_prompt([], Reply("", tokens_in=9), MESSAGES, Reply("")) == ""
