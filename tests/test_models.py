"""Models: a script, and a real client that speaks to a real HTTP server on loopback."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from openai.types.chat import ChatCompletion

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
    """An endpoint that answers with `server.status` and `server.body`, and keeps what it got."""

    class Endpoint(BaseHTTPRequestHandler):
        def do_POST(self):
            length = int(self.headers["Content-Length"])
            http.got.append((self.path, dict(self.headers), json.loads(self.rfile.read(length))))
            payload = json.dumps(http.body).encode()
            self.send_response(http.status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(payload)))
            self.end_headers()
            self.wfile.write(payload)

        def log_message(self, *args):
            pass

    http = ThreadingHTTPServer(("127.0.0.1", 0), Endpoint)
    http.got, http.status, http.body = [], 200, COMPLETION
    http.url = f"http://127.0.0.1:{http.server_port}/v1"
    threading.Thread(target=http.serve_forever, daemon=True).start()
    yield http
    http.shutdown()
    http.server_close()


def test_a_script_is_spoken_in_order_and_can_be_asked_again():
    model = ScriptedModel(["one", "two"])
    after_one = [*MESSAGES, {"role": "assistant", "content": "one"}, *MESSAGES]
    assert [model(MESSAGES).text, model(after_one).text, model(MESSAGES).text] == [
        "one", "two", "one",
    ]  # fmt: skip
    assert repr(model) == "ScriptedModel(replies=('one', 'two'))"
    with pytest.raises(ModelError, match="has 2 replies; add one"):
        model([*after_one, {"role": "assistant", "content": "two"}])


def test_a_reply_holds_what_the_endpoint_told(server):
    reply = ChatModel("m", server.url, "secret-key")(MESSAGES)
    assert (reply.text, reply.finish_reason) == ("Final Answer: 42", "stop")
    assert (reply.tokens_in, reply.tokens_out, reply.tokens_cached) == (9, 5, 4)
    assert reply.seconds > 0


def test_the_clients_own_object_is_read_like_the_json():
    completion = ChatCompletion.model_validate(COMPLETION)
    assert reply_from(completion, 1.0) == reply_from(COMPLETION, 1.0)
    assert reply_from(completion, 1.0).tokens_cached == 4


def test_nothing_is_sent_that_was_not_set(server):
    ChatModel("m", server.url)(MESSAGES)
    ChatModel("m", server.url, options={"temperature": 0, "stop": ["Observation:"]})(MESSAGES)
    (path, _, plain), (_, _, tuned) = server.got
    assert path == "/v1/chat/completions"
    assert plain == {"model": "m", "messages": MESSAGES}
    assert tuned == {"model": "m", "messages": MESSAGES, "temperature": 0, "stop": ["Observation:"]}


def test_tools_are_sent_as_schemas(server):
    tools = [{"type": "function", "function": {"name": "now", "parameters": {"type": "object"}}}]
    ChatModel("m", server.url)(MESSAGES, tools)
    assert server.got[0][2]["tools"] == tools


@pytest.mark.parametrize(
    "status, advice",
    [(401, "Check LLM_API_KEY"), (404, "Check LLM_MODEL"), (429, "Wait, then run again")],
)
def test_a_refusal_says_what_to_do_and_never_the_key(server, status, advice):
    server.status, server.body = status, {"error": {"message": "no, not with secret-key"}}
    with pytest.raises(ModelError, match=advice) as caught:
        ChatModel("m", server.url, "secret-key", patience=0)(MESSAGES)
    assert "secret-key" not in str(caught.value)
    assert caught.value.__cause__ is None


def test_a_server_that_is_not_there_is_said(server):
    server.shutdown()
    server.server_close()
    with pytest.raises(ModelError, match="Is the server running"):
        ChatModel("m", server.url)(MESSAGES)


def test_a_reply_without_a_choice_is_an_error(server):
    server.body = {**COMPLETION, "choices": []}
    with pytest.raises(ModelError, match="no chat completion"):
        ChatModel("m", server.url)(MESSAGES)


def test_the_key_is_not_in_the_repr():
    assert "secret" not in repr(ChatModel("m", api_key="secret-key"))


def test_a_script_is_a_list():
    with pytest.raises(ValueError, match="a list of replies"):
        ScriptedModel("Final Answer: 4")


def test_options_are_sent_as_they_are(server):
    ChatModel("m", server.url, options={"top_k": 5})(MESSAGES)
    assert server.got[0][2]["top_k"] == 5


@pytest.mark.parametrize("body", ["<html>busy</html>", {"choices": [{"message": None}]}])
def test_a_reply_that_is_none_is_an_error(server, body):
    server.body = body
    with pytest.raises(ModelError):
        ChatModel("m", server.url)(MESSAGES)


def test_a_key_that_no_header_can_hold_is_an_error(server):
    with pytest.raises(ModelError):
        ChatModel("m", server.url, api_key="schlüssel…")(MESSAGES)


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
