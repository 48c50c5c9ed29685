"""Replies that an endpoint could not read: the model gets its text back, and the run goes on.

Each error body has the shape of a public report (docs/reports.md).
"""

import pytest

from helpers.fake_endpoint import chat_model, registry_of, serve
from react_lab.function_calling import native_step
from react_lab.loop import Agent

SETTINGS = {"model": "m", "base_url": "http://127.0.0.1:PORT/v1", "api_key": "test-key-0001"}
TOOL = 'def tide(port: str) -> str:\n    "Look up the tide at a port."\n    return "1.9"\n'
IT_IS = "The tide at Ribe is 1.9 m."
GROQ = "Failed to call a function. Please adjust your prompt. See 'failed_generation'."


def refused(status: int, error: object) -> dict:
    return {"status": status, "json": {"error": error}}


def groq(text: str | None, code: str = "tool_use_failed", words: str = GROQ) -> dict:
    shown = {} if text is None else {"failed_generation": text}
    return refused(400, {"message": words, "type": "invalid_request_error", "code": code, **shown})


def spoken(text: str) -> dict:
    message = {"role": "assistant", "content": text}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    return {"json": {"id": "1", "object": "chat.completion", "model": "m", "choices": [choice]}}


def played(*replies: dict):
    """The run, and the messages of each request."""
    tools, _ = registry_of([TOOL])
    with serve({"replies": list(replies)}) as endpoint:
        agent = Agent(chat_model(SETTINGS, endpoint.port), tools, protocol=native_step)
        run = agent.run("How high is the tide at Ribe?")
        return run, [request.messages for request in endpoint.requests]


READABLE = {
    "groq/groq-typescript#28": groq(
        '{"tool_calls": [{"function": {"name": "tide"}, "parameters": {"port": "Ribe"}}]}'
    ),
    "huggingface/smolagents#1119": groq('tide{"port": "Ribe"}</function>'),
    "langchain-ai/langchain#31440": groq('<function=tide>{"port": "Ribe"}</function>'),
    "ggml-org/llama.cpp#23838": refused(
        500,
        {
            "code": 500,
            "message": "Failed to parse input at pos 0: <|tool_call_start|>[tide(port='Ribe')]"
            "<|tool_call_end|>",
            "type": "server_error",
        },
    ),
    "ggml-org/llama.cpp#24644": refused(
        500,
        {
            "code": 500,
            "message": "Failed to parse input at pos 7: <tool_call>\n<function=tide>\n"
            "<parameter=port>\nRibe\n</parameter>\n</function>\n</tool_call>",
            "type": "server_error",
        },
    ),
}


@pytest.mark.parametrize("name", READABLE)
def test_a_call_that_the_endpoint_could_not_read_runs_if_it_can_be_read_here(name):
    run, requests = played(READABLE[name], spoken(IT_IS))
    assert (run.answer, len(requests)) == (IT_IS, 2)
    first = run.steps[0]
    assert (first.move.tool, first.move.arguments) == ("tide", {"port": "Ribe"})
    assert first.observation.text == "1.9"


UNREADABLE = {
    "OpenHands/OpenHands#10187": groq("import csv\nprint(1)\n"),
    "agno-agi/agno#4090": groq("### Top stories\nAs the tool is missing, here they are."),
    "HunorLaczko/ha-groq-cloud-api#20": groq(
        None, words="tool call validation failed: /port: expected string, but got array"
    ),
    "output_parse_failed": groq('{"height": 1.9', "output_parse_failed", "Parsing failed."),
    "ollama/ollama#17638": refused(
        500, 'error parsing tool call: raw=\'{"port": "Ri}]\', err=invalid character'
    ),
    "continuedev/continue#10221": refused(
        500, "error parsing tool call: raw='ls -R\n', err=invalid character 'l'"
    ),
}


@pytest.mark.parametrize("name", UNREADABLE)
def test_what_cannot_be_read_goes_back_to_the_model_with_the_reason(name):
    run, requests = played(UNREADABLE[name], spoken(IT_IS))
    assert (run.answer, run.stop) == (IT_IS, "answered")
    told = requests[1][-1]["content"]
    assert told.startswith("I could not use your reply: the endpoint could not read the reply")
    error = UNREADABLE[name]["json"]["error"]
    if isinstance(error, dict) and error.get("failed_generation"):
        assert error["failed_generation"].strip() in [m["content"] for m in requests[1]]
    if name == "HunorLaczko/ha-groq-cloud-api#20":
        assert "expected string, but got array" in told


def test_a_model_that_is_never_readable_ends_with_its_reason():
    body = groq("### Top stories")
    run, requests = played(*[body] * 5)
    assert run.stop == "format faults" and run.answer is None
    assert len(requests) == 5, "four steps and the last word"


def test_another_refusal_still_ends_the_run():
    run, _ = played(refused(400, {"message": "unknown field", "code": "invalid"}))
    assert run.stop == "model error"
