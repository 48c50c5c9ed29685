"""Replies of many servers: how each spells a call, an ending or a fault, and what is made of it.

Each row was tried before the fix; the shapes are those of servers that are in use.
"""

import json

import pytest

from helpers.fake_endpoint import serve
from react_lab import ChatModel, Registry
from react_lab.function_calling import read_reply
from react_lab.models import ModelError, endpoint
from react_lab.models.api_errors import refusal
from react_lab.models.reply import checked, reply_from
from react_lab.parser import Action

LIMA = {"city": "Lima"}
TEXT = json.dumps(LIMA)
TOOLS = Registry()


@TOOLS.register
def get_weather(city: str = "Oslo") -> str:
    """Look up the weather in a city. Its parameter is optional, so that {} would run it."""
    return city


def message(content: object = None, finish: object = "stop", **more: object) -> dict:
    """The body of a chat completion with one choice."""
    choice = {"message": {"role": "assistant", "content": content, **more}, "finish_reason": finish}
    return {"choices": [choice]}


def reply_of(body: dict):
    """The Reply in a body. Raises ModelError, and AssertionError if the body is refused."""
    refused = refusal(200, {}, json.dumps(body))
    assert refused is None, refused
    return checked(reply_from(body, 0.0), "m")


# Where the arguments of a call are -------------------------------------------------------------

CALL = {"name": "get_weather", "arguments": TEXT}


@pytest.mark.parametrize(
    "calls",
    [
        [{"id": "a", "function": CALL}],
        [{"id": "a", "function": {"name": "get_weather", "arguments": LIMA}}],
        [{"id": "a", "function": {"name": "get_weather", "parameters": LIMA}}],
        [{"id": "a", "function": {"name": "get_weather", "input": LIMA}}],
        [{"id": "a", "function": {"name": "get_weather", "args": TEXT}}],
        [{"id": "a", "function": {"name": "get_weather", "arguments": "", "parameters": LIMA}}],
        [{"id": "a", "function": {"name": "get_weather", "arguments": None}, "arguments": TEXT}],
        [{"id": "a", "function": {"name": "get_weather"}, "parameters": LIMA}],
        [{"id": "a", "type": "function", **CALL}],
        [{"name": "get_weather", "args": LIMA}],
        [{"type": "tool_use", "id": "a", "name": "get_weather", "input": LIMA}],
        {"id": "a", "function": CALL},
        {"0": {"id": "a", "function": CALL}},
        json.dumps([{"id": "a", "function": CALL}]),
    ],
)
def test_a_call_keeps_its_arguments_wherever_they_are(calls):
    """A tool whose parameters are all optional would run with none of them."""
    reply = reply_of(message(None, "tool_calls", tool_calls=calls))
    [move] = read_reply(reply, TOOLS)
    assert (move.tool, move.arguments) == ("get_weather", LIMA)
    assert set(reply.tool_calls[0]["function"]) == {"name", "arguments"}


@pytest.mark.parametrize("given", [None, "", "null", "undefined", "{}", '""', "None"])
def test_no_arguments_are_none(given):
    call = {"id": "a", "function": {"name": "get_weather", "arguments": given}}
    [move] = read_reply(reply_of(message(None, tool_calls=[call])), TOOLS)
    assert isinstance(move, Action) and move.arguments == {}


def test_what_a_server_adds_to_a_call_stays():
    """Gemini wants its signature back with the next request."""
    extra = {"google": {"thought_signature": "abc"}}
    call = {"id": "a", "function": CALL, "extra_content": extra}
    assert reply_of(message(None, tool_calls=[call])).tool_calls[0]["extra_content"] == extra


# How an ending is spelled ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "finish, name",
    [
        ("MAX_TOKENS", "length"),
        ("max_tokens", "length"),
        ("LENGTH", "length"),
        ("model_length", "length"),
        ("max_output_tokens", "length"),
        ("token_limit", "length"),
        ("malformed_function_call", "tool_calls"),
        ("function_call_filter: MALFORMED_FUNCTION_CALL", "tool_calls"),
        ("tool_use", "tool_calls"),
        ("STOP", "STOP"),
        ("end_turn", "end_turn"),
        ("eos", "eos"),
        (None, None),
        ({"type": "stop"}, None),
        (["stop"], None),
    ],
)
def test_an_ending_has_its_name_in_the_api(finish, name):
    assert reply_of(message("It is tw", finish)).finish_reason == name


@pytest.mark.parametrize(
    "finish", ["SAFETY", "safety", "RECITATION", "sensitive", "refusal", "PROHIBITED_CONTENT"]
)
def test_a_filter_is_one_by_any_name(finish):
    with pytest.raises(ModelError, match="content filter") as caught:
        reply_of(message("Well", finish))
    assert caught.value.kind == "filtered"


@pytest.mark.parametrize(
    "finish", ["error", "network_error", "insufficient_system_resource", "abort"]
)
def test_a_reply_that_broke_off_is_no_answer(finish):
    refused = refusal(200, {}, json.dumps(message("It i", finish)))
    assert refused.half and refused.kind == "error" and finish in refused.words


@pytest.mark.parametrize(
    "content, text",
    [
        (42, "42"),
        (1.5, "1.5"),
        (["It is", " 20."], "It is 20."),
        ({"type": "text", "text": "It is 20."}, "It is 20."),
        ([{"type": "thinking", "thinking": [{"text": "Hm"}]}, {"text": "20"}], "20"),
        ([{"type": "output_text", "text": "20"}, None, 7], "20"),
        (True, "true"),
    ],
)
def test_content_of_any_shape_is_read(content, text):
    assert reply_of(message(content)).text == text


def test_a_message_that_is_null_ends_for_its_reason():
    """Gemini sends no message if all of its tokens went into reasoning, or a filter stopped it."""
    for finish, kind in (("MAX_TOKENS", "empty"), ("SAFETY", "filtered")):
        with pytest.raises(ModelError) as caught:
            reply_of({"choices": [{"message": None, "finish_reason": finish}]})
        assert caught.value.kind == kind


# Bodies that are no chat completion ------------------------------------------------------------


@pytest.mark.parametrize(
    "status, text, kind, half",
    [
        (200, "[" * 200_000, "unreadable", True),
        (200, '{"choices": [], "usage": {}}', "error", True),
        (200, '{"choices": null}', "error", True),
        (200, '{"choices": null, "base_resp": {"status_msg": "insufficient balance"}}', "no credit",
         False),
        (200, '{"error": "model runner has unexpectedly stopped"}', "error", False),
        (200, '{"error": true, "message": "boom"}', "error", False),
        (200, '{"error": {"message": "slow down", "code": 429}}', "rate limit", False),
        (200, '{"error": "Unexpected endpoint or method."}', "refused", False),
        (200, '{"message": {"content": "20"}, "done": true}', "unreadable", False),
        (200, '{"type": "message", "content": [{"text": "20"}]}', "unreadable", False),
        (200, '{"choices": [{"text": "20"}]}', "unreadable", False),
        (200, 'data: {"choices": [{"delta": {"content": "20"}}]}\n\ndata: [DONE]', "unreadable",
         False),
        (200, "null", "unreadable", False),
        (200, "<html>The model is waking up</html>", "unreadable", True),
        (200, "404 page not found", "unreadable", False),
        (408, '{"error": "timed out"}', "error", False),
        (409, '{"error": "in use"}', "error", False),
        (425, '{"error": "too early"}', "error", False),
        (422, '{"detail": [{"loc": ["body", "seed"], "msg": "extra"}]}', "refused", False),
        (524, "<html>A timeout occurred</html>", "error", False),
    ],
)  # fmt: skip
def test_a_body_without_a_reply_has_its_kind(status, text, kind, half):
    refused = refusal(status, {}, text)
    assert (refused.kind, refused.half) == (kind, half)


def test_a_server_that_streams_is_told_so():
    refused = refusal(200, {"content-type": "text/event-stream"}, 'data: {"choices": []}\n\n')
    assert "streams" in refused.advice and "base_url" not in refused.advice


class Response:
    """As one of httpx, as far as the text is concerned."""

    def __init__(self, content: bytes, text: str = "as httpx decodes it"):
        self.content, self.text = content, text


@pytest.mark.parametrize(
    "content, text",
    [
        ("Zürich 20°".encode(), "Zürich 20°"),  # whatever charset the header claims
        ('{"a": 1}'.encode("utf-8-sig"), '{"a": 1}'),
        ('{"a": "ü"}'.encode("utf-16"), '{"a": "ü"}'),
        ("Z\xfcrich".encode("latin-1"), "as httpx decodes it"),
        (b"", ""),
    ],
)
def test_json_is_utf_8_whatever_the_header_says(content, text):
    assert endpoint._text(Response(content)) == text


@pytest.mark.parametrize(
    "end, path",
    [
        ("/openai/deployments/gpt?api-version=2024-10-21", "/openai/deployments/gpt"),
        ("/openai/deployments/gpt/?api-version=2024-10-21", "/openai/deployments/gpt"),
        ("/v1/chat/completions?api-version=2024-10-21", "/v1"),
        ("?api-version=2024-10-21", "/v1"),
    ],
)
def test_a_query_in_the_address_is_sent_after_the_path(end, path):
    """As people copy it from Azure's portal."""
    with serve({"replies": [{"json": message("4")}]}) as server:
        address = server.url.removesuffix("/v1") + end
        assert ChatModel("m", address)([{"role": "user", "content": "2+2?"}]).text == "4"
    assert server.requests[0].path == f"{path}/chat/completions?api-version=2024-10-21"


def test_azure_gets_the_key_in_its_own_header():
    client = endpoint._client("https://my.openai.azure.com/openai/v1", "test-key-0001", 5.0)
    assert client.default_headers["api-key"] == "test-key-0001"
    other = endpoint._client("https://models.example/v1", "test-key-0001", 5.0)
    assert "api-key" not in other.default_headers
