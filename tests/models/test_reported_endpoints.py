"""What endpoints really send: reported faults and siblings of them, through the real client."""

import json
import os
import subprocess
import sys
import time

import pytest

from helpers.fake_endpoint import serve
from react_lab import Agent, ChatModel, ModelError, Registry, Run
from react_lab.context import KeepRounds, TokenBudget
from react_lab.function_calling import native_step
from react_lab.models import chat
from react_lab.models.api_errors import refusal
from react_lab.models.endpoint import Dropped
from react_lab.models.settings import connect

MESSAGES = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "2+2?"}]
KEY = "lab-key-0123456789abcdef"


def saying(text: str, finish: str = "stop", **message: object) -> dict:
    message = {"role": "assistant", "content": text, **message}
    return {"json": {"choices": [{"message": message, "finish_reason": finish}]}}


def error(status: int, message: str, headers: dict | None = None, **more: object) -> dict:
    return {
        "status": status,
        "json": {"error": {"message": message, **more}},
        "headers": headers or {},
    }


FOUR = saying("Final Answer: 4")
DROP = {"drop": True}


@pytest.fixture(autouse=True)
def waits(monkeypatch):
    """The seconds that were waited for: nobody really waits."""
    waited: list[float] = []
    monkeypatch.setattr(time, "sleep", waited.append)
    return waited


def ask(*replies: dict, **fields) -> tuple:
    with serve({"replies": list(replies)}) as endpoint:
        reply = ChatModel("m", endpoint.url, KEY, **fields)(MESSAGES)
    return reply, endpoint.requests


def failing(*replies: dict, **fields) -> tuple:
    with serve({"replies": list(replies)}) as endpoint, pytest.raises(ModelError) as caught:
        ChatModel("m", endpoint.url, KEY, **fields)(MESSAGES)
    return caught.value, endpoint.requests


def kind_of(status: int, words: str, code: str = "", headers: dict | None = None) -> str:
    text = json.dumps({"error": {"message": words, "code": code}})
    return refusal(status, headers or {}, text).kind


# Codes decide, not words -----------------------------------------------------------------------


@pytest.mark.parametrize(
    "status, words, code, headers, kind",
    [
        (429, "See your billing page for limits.", "", {"retry-after": "2"}, "rate limit"),
        (429, "Rate limit. Add credits to raise it.", "rate_limit_exceeded", {}, "rate limit"),
        (429, "The moderation service is busy.", "", {"retry-after": "1"}, "rate limit"),
        (429, "Too many tokens per minute.", "tokens", {}, "rate limit"),
        (429, "You exceeded your current quota.", "insufficient_quota", {}, "no credit"),
        (
            429,
            "Your balance is too low.",
            "insufficient_balance",
            {"retry-after": "5"},
            "no credit",
        ),
        (401, "Check your billing and your key.", "", {}, "bad key"),
        (401, "The content filter needs a key.", "invalid_api_key", {}, "bad key"),
        (402, "Your input was flagged.", "", {}, "no credit"),
        (503, "The moderation service is down.", "", {}, "error"),
        (503, "Out of credits to schedule this.", "", {}, "error"),
        (502, "bad gateway: content filter", "", {}, "error"),
        (400, "Something about billing.", "context_length_exceeded", {}, "context too long"),
        (400, "Too long for the content policy.", "content_filter", {}, "filtered"),
        (400, "The prompt is too long; no credit.", "content_policy_violation", {}, "filtered"),
        (404, "The model does not exist or billing is off.", "model_not_found", {}, "refused"),
        (500, "context length exceeded", "", {}, "context too long"),
        (529, "Overloaded. See billing.", "overloaded_error", {}, "rate limit"),
        (400, "Your credit balance is too low.", "", {}, "no credit"),
        (403, "Your input was flagged.", "", {}, "filtered"),
    ],
)
def test_a_code_says_more_than_words(status, words, code, headers, kind):
    assert kind_of(status, words, code, headers) == kind


def test_a_busy_endpoint_that_speaks_of_billing_is_asked_again(waits):
    busy = error(429, "Slow down. Upgrade at /billing.", {"retry-after": "2"})
    reply, requests = ask(busy, FOUR)
    assert (reply.text, len(requests), waits) == ("Final Answer: 4", 2, [2])


# A connection that breaks ----------------------------------------------------------------------


@pytest.mark.parametrize("fault", [DROP, FOUR | {"cut": 20}, FOUR | {"cut": 0}])
def test_a_connection_dropped_once_is_tried_again(fault):
    reply, requests = ask(fault, FOUR)
    assert reply.text == "Final Answer: 4" and len(requests) == 2
    assert "the connection broke" in reply.notes[0]


@pytest.mark.parametrize(
    "fault",
    [
        {"status": 200, "text": "", "content_type": "application/json"},
        {"status": 200, "text": '{"choices": [{"mess', "content_type": "application/json"},
        {"status": 200, "text": " \n", "content_type": "text/plain"},
        {"status": 502, "text": "<html>Bad gateway</html>", "content_type": "text/html"},
        {"status": 200, "json": {"error": {"message": "upstream", "code": 503}}},
    ],
)
def test_half_a_reply_is_asked_for_again(fault):
    reply, requests = ask(fault, FOUR)
    assert reply.text == "Final Answer: 4" and len(requests) == 2


def test_a_connection_dropped_twice_ends_the_call():
    caught, requests = failing(DROP, DROP, FOUR)
    assert caught.kind == "no connection" and len(requests) == 2


def test_a_server_that_starts_late_is_reached(monkeypatch):
    """The first request is refused, because nobody listens yet."""
    with serve({"replies": [FOUR]}) as endpoint:
        real, asked = chat.send, []

        def send(address, *rest):
            asked.append(address)
            if len(asked) == 1:
                raise Dropped("Connection refused")
            return real(address, *rest)

        monkeypatch.setattr(chat, "send", send)
        assert ChatModel("m", endpoint.url)(MESSAGES).text == "Final Answer: 4"


@pytest.mark.parametrize("fault", [ConnectionError("no such host"), TimeoutError("too late")])
def test_what_lasts_is_not_asked_twice(fault, waits, monkeypatch):
    """An unknown host, a certificate that is refused, and a reply that took too long."""
    asked: list[str] = []

    def send(address, *rest):
        asked.append(address)
        raise fault

    monkeypatch.setattr(chat, "send", send)
    with pytest.raises(ModelError, match=str(fault)) as caught:
        ChatModel("m", "http://127.0.0.1:9/v1")(MESSAGES)
    assert (caught.value.kind, len(asked), waits) == ("no connection", 1, [])


def test_the_first_cause_is_kept():
    """The server ran out of memory; that it is gone now is only what followed."""
    caught, _ = failing(error(500, "CUDA out of memory"), DROP, DROP)
    assert "CUDA out of memory" in str(caught)
    caught, _ = failing(error(503, "loading model"), error(400, "no such thing"))
    assert "loading model" in str(caught) and "no such thing" in str(caught)


# A history that is too long --------------------------------------------------------------------


def looking(cities: int) -> list[dict]:
    calls = []
    for number in range(cities):
        given = json.dumps({"city": f"City {number}"})
        calls.append(saying(f"Thought: look.\nAction: look\nAction Input: {given}"))
    return calls


def look_agent(endpoint, fit, **fields) -> Agent:
    tools = Registry()

    @tools.register
    def look(city: str) -> str:
        """Look at a city."""
        return f"{city} is large. " * 20

    model = ChatModel("m", endpoint.url, KEY)
    return Agent(model, tools, fit=fit, max_steps=8, **fields)


TOO_LONG = error(400, "This model's maximum context length is 4096 tokens.")


@pytest.mark.parametrize("fit", [KeepRounds(20), TokenBudget(100_000, len), list])
def test_an_overflow_is_shrunk_and_tried_again_once(fit):
    with serve({"replies": [*looking(3), TOO_LONG, FOUR]}) as endpoint:
        run = look_agent(endpoint, fit).run("What is 2+2?")
    assert (run.answer, run.stop) == ("4", "answered")
    refused, again = endpoint.requests[3:]
    assert len(json.dumps(again.messages)) < 0.7 * len(json.dumps(refused.messages))
    assert again.messages[:2] == refused.messages[:2]
    assert again.messages[-1] == refused.messages[-1]
    assert "too long" in run.steps[-1].reply.notes[-1]
    assert list(run.steps[-1].sent) == again.messages


def test_fit_is_asked_again_what_is_sent_of_the_shorter_history():
    """What it adds, here a reminder in the last message, must not be lost on the way."""
    asked: list[int] = []

    def reminding(messages: list[dict]) -> list[dict]:
        asked.append(len(messages))
        *before, last = messages
        text = last["content"].removesuffix(" Be brief.")
        return [*before, {**last, "content": f"{text} Be brief."}]

    with serve({"replies": [*looking(3), TOO_LONG, FOUR]}) as endpoint:
        run = look_agent(endpoint, reminding).run("What is 2+2?")
    assert run.answer == "4"
    assert asked == [2, 4, 6, 8, 4]  # of three rounds the last one stays
    assert endpoint.requests[-1].messages[-1]["content"].endswith(" Be brief.")


def test_a_second_overflow_ends_the_run():
    with serve({"replies": [*looking(3), TOO_LONG, TOO_LONG, FOUR]}) as endpoint:
        run = look_agent(endpoint, KeepRounds(20)).run("What is 2+2?")
    assert run.stop == "model error" and len(endpoint.requests) == 5 and len(run.steps) == 3


def test_without_fit_an_overflow_ends_the_run():
    with serve({"replies": [*looking(3), TOO_LONG, FOUR]}) as endpoint:
        run = look_agent(endpoint, None).run("What is 2+2?")
    assert run.stop == "model error" and len(endpoint.requests) == 4


def test_one_long_result_is_shortened():
    with serve({"replies": [*looking(1), TOO_LONG, FOUR]}) as endpoint:
        run = look_agent(endpoint, KeepRounds(20)).run("What is 2+2?")
    sizes = [len(request.messages[-1]["content"]) for request in endpoint.requests[1:]]
    assert run.answer == "4" and sizes[1] < 0.7 * sizes[0]


def test_native_calls_keep_their_results_when_they_are_shrunk():
    def call(number: int) -> dict:
        function = {"name": "look", "arguments": json.dumps({"city": f"City {number}"})}
        return saying("", "tool_calls", tool_calls=[{"id": f"call0000{number}", "type": "function",
                                                     "function": function}])  # fmt: skip

    replies = [call(0), call(1), call(2), TOO_LONG, saying("It is 4.")]
    with serve({"replies": replies}) as endpoint:
        run = look_agent(endpoint, KeepRounds(20), protocol=native_step).run("What is 2+2?")
    assert run.answer == "It is 4."
    again = endpoint.requests[-1].messages
    asked = [call["id"] for one in again for call in one.get("tool_calls") or []]
    assert asked == [one["tool_call_id"] for one in again if one["role"] == "tool"] != []


# An answer that is cut off ---------------------------------------------------------------------

LONG = "Final Answer: The first reason is that the sea is warm, and the second"


def test_a_final_answer_cut_off_twice_is_shown_with_the_reason():
    cut = saying(LONG, "length")
    with serve({"replies": [cut], "then": "repeat"}) as endpoint:
        run = look_agent(endpoint, None).run("Why?")
    assert len(endpoint.requests) == 3  # the third one asks for the last word
    assert not run.finished and run.stop == "cut off"
    assert run.answer == LONG.removeprefix("Final Answer: ")
    assert "cut off at the length limit" in run.note and "max_tokens" in run.note


def test_a_native_answer_cut_off_twice_is_shown_with_the_reason():
    with serve(
        {"replies": [saying("The first reason is", "length")], "then": "repeat"}
    ) as endpoint:
        run = look_agent(endpoint, None, protocol=native_step).run("Why?")
    assert (len(endpoint.requests), run.stop) == (3, "cut off")
    assert run.answer == "The first reason is"


def test_a_shorter_answer_after_a_cut_one_counts():
    with serve({"replies": [saying(LONG, "length"), FOUR]}) as endpoint:
        run = look_agent(endpoint, None).run("Why?")
    assert (run.stop, run.answer) == ("answered", "4")


def test_a_cut_call_is_never_shown_as_an_answer():
    cut = saying('Thought: I look.\nAction: look\nAction Input: {"city": "Lon', "length")
    with serve({"replies": [cut], "then": "repeat"}) as endpoint:
        run = look_agent(endpoint, None).run("Why?")
    assert run.stop == "format faults" and run.answer is None


# Settings of an endpoint -----------------------------------------------------------------------

NO_THINKING = {"chat_template_kwargs": {"enable_thinking": False}}


@pytest.fixture
def settings(monkeypatch, tmp_path):
    """Set the endpoint's variables, in a folder without .env."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("REACT_LAB_RECORDING", raising=False)

    def set_all(url: str, **more: str) -> None:
        for name, value in {"LLM_BASE_URL": url, "LLM_MODEL": "m", **more}.items():
            monkeypatch.setenv(name, value)

    return set_all


@pytest.mark.parametrize(
    "variable, argument, sent",
    [
        (None, NO_THINKING, NO_THINKING),
        (NO_THINKING, None, NO_THINKING),
        (
            {"reasoning_effort": "low", "top_k": 1},
            {"top_k": 2},
            {"reasoning_effort": "low", "top_k": 2},
        ),
        (None, {"think": False}, {"think": False}),
        ({"reasoning": {"enabled": False}}, None, {"reasoning": {"enabled": False}}),
        ({"max_tokens": 5}, None, {"max_tokens": 5}),
        ({}, None, {}),
        ({"provider": {"order": ["a"]}}, {}, {"provider": {"order": ["a"]}}),
        (None, {"thinking": {"type": "disabled"}}, {"thinking": {"type": "disabled"}}),
        (None, {"enable_thinking": False}, {"enable_thinking": False}),
    ],
)
def test_further_parameters_reach_the_endpoint(settings, variable, argument, sent):
    with serve({"replies": [FOUR]}) as endpoint:
        more = {} if variable is None else {"LLM_EXTRA_BODY": json.dumps(variable)}
        settings(endpoint.url, **more)
        model = connect() if argument is None else connect(extra_body=argument)
        model(MESSAGES)
    body = endpoint.requests[0].body
    assert {key: body[key] for key in body if key not in ("model", "messages")} == sent


def test_they_can_be_set_in_the_file_beside_the_notebook(settings, tmp_path):
    with serve({"replies": [FOUR]}) as endpoint:
        settings(endpoint.url)
        (tmp_path / ".env").write_text(f"LLM_EXTRA_BODY='{json.dumps(NO_THINKING)}'\n", "utf-8")
        connect()(MESSAGES)
    assert endpoint.requests[0].body["chat_template_kwargs"] == {"enable_thinking": False}


@pytest.mark.parametrize("value", ["{not json", "[1]", "no", "enable_thinking=false"])
def test_a_setting_that_is_not_an_object_is_said(settings, value):
    settings("http://127.0.0.1:1/v1", LLM_EXTRA_BODY=value)
    with pytest.raises(ModelError, match="LLM_EXTRA_BODY.*JSON object"):
        connect()


def test_the_embedded_model_needs_no_further_parameters(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("REACT_LAB_RECORDING", "replay")
    assert connect(extra_body=NO_THINKING) == connect()


@pytest.mark.parametrize("option", ["tool_choice", "parallel_tool_calls"])
def test_tool_options_are_not_sent_without_tools(option):
    options = {option: "auto" if option == "tool_choice" else False}
    _, requests = ask(FOUR, options=options)
    assert option not in requests[0].body
    with serve({"replies": [saying("It is 4.")]}) as endpoint:
        model = ChatModel("m", endpoint.url, KEY, options=options)
        tools = Registry()
        tools.register(lambda: 1, name="one", description="One.")
        assert Agent(model, tools, protocol=native_step).run("?").answer == "It is 4."
    assert endpoint.requests[0].body[option] == options[option]


@pytest.mark.parametrize("code", ["DeploymentNotFound", "404"])
def test_azure_is_told_of_deployments(code):
    words = "The API deployment for this resource does not exist."
    caught, _ = failing(error(404, words, code=code))
    assert "name of your deployment" in str(caught)


# A client that cannot be made ------------------------------------------------------------------

MAKE = """
import sys
from react_lab import ChatModel, ModelError
{before}
try:
    ChatModel("m", {url!r}, {key!r}, options={options})([{{"role": "user", "content": "2+2?"}}])
except ModelError as error:
    sys.exit(str(error))
"""
CLASH = """
import openai
def broken(*args, **named):
    raise TypeError("Client.__init__() got an unexpected keyword argument 'proxies'")
openai.OpenAI = broken
"""


def made(before: str = "", url: str = "https://models.example/v1", options: str = "{}", **env: str):
    source = MAKE.format(before=before, url=url, key=KEY, options=options)
    return subprocess.run(
        [sys.executable, "-c", source],
        env={**os.environ, **env},
        capture_output=True,
        text=True,
        timeout=300,
    ).stderr


@pytest.mark.parametrize(
    "given, words",
    [
        ({"SSL_CERT_FILE": "missing.pem"}, "SSL_CERT_FILE"),
        ({"SSL_CERT_FILE": __file__}, "SSL_CERT_FILE"),
        ({"before": CLASH}, "proxies"),
        ({"options": "{'stop': {1, 2}}", "url": "http://127.0.0.1:9/v1"}, "set"),
        ({"options": "{'seed': b'x'}", "url": "http://127.0.0.1:9/v1"}, "bytes"),
        ({"options": "{'temperature': float('nan')}", "url": "http://127.0.0.1:9/v1"}, "JSON"),
        ({"options": "{'stop': object()}", "url": "http://127.0.0.1:9/v1"}, "object"),
    ],
)
def test_making_the_client_raises_nothing_but_a_model_error(given, words):
    stderr = made(**given)
    assert "Traceback" not in stderr and stderr.startswith("m: "), stderr
    assert words in stderr


# Going on after a passing error ----------------------------------------------------------------


def test_a_run_goes_on_after_a_passing_model_error():
    replies = [*looking(2), error(400, "x", code="y"), FOUR]
    with serve({"replies": replies}) as endpoint:
        agent = look_agent(endpoint, None)
        run = agent.run("What is 2+2?")
        assert run.stop == "model error" and len(run.steps) == 2
        again = agent.run(run)
    assert (again.answer, len(again.steps)) == ("4", 3)
    assert again.steps[:2] == run.steps and len(endpoint.requests) == 4


def test_other_runs_that_have_ended_stay_as_they_are():
    with serve({"replies": [FOUR]}) as endpoint:
        agent = look_agent(endpoint, None)
        run = agent.run("What is 2+2?")
        assert agent.run(run) == run
        limited = Run("q", run.steps, "step limit", "Not finished.", run.steps[-1])
        assert agent.run(limited) == limited
    assert len(endpoint.requests) == 1
