"""Connect: which settings give which model."""

import pytest

from helpers.fake_endpoint import serve
from react_lab.models import ChatModel, ModelError, ScriptedModel, engine
from react_lab.models.embedded import EmbeddedModel
from react_lab.models.recording import Recording
from react_lab.models.settings import connect, describe, settings

ENDPOINT = {
    "LLM_BASE_URL": "https://models.example/v1",
    "LLM_API_KEY": "secret-word",
    "LLM_MODEL": "clever-1",
}


@pytest.fixture(autouse=True)
def empty_desk(monkeypatch, tmp_path):
    """No settings at all, in a folder without a .env."""
    for name in (*ENDPOINT, "REACT_LAB_RECORDING"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def set_all(monkeypatch, values):
    for name, value in values.items():
        monkeypatch.setenv(name, value)


def test_without_settings_it_is_the_embedded_model_recorded_or_live():
    assert connect() == Recording(EmbeddedModel(), "replay or live")
    base = EmbeddedModel(adapter=False, max_tokens=60)
    assert connect(adapter=False, max_tokens=60) == Recording(base, "replay or live")


def test_recorded_replies_can_be_switched_off(monkeypatch):
    assert connect(recorded=False, max_tokens=60) == EmbeddedModel(max_tokens=60)
    monkeypatch.setenv("REACT_LAB_RECORDING", "off")
    assert connect() == EmbeddedModel()
    monkeypatch.setenv("REACT_LAB_RECORDING", "replay")  # for tests: nothing is asked live
    assert connect(recorded=False) == Recording(EmbeddedModel(), "replay")


def test_the_engine_starts_in_the_background():
    engine.stop_engine()
    connect()
    assert engine._starting is not None  # and nobody has waited for it
    assert engine._starting.result(timeout=60).address.startswith("http://127.0.0.1:")


def test_with_an_endpoint_no_engine_starts(monkeypatch):
    engine.stop_engine()
    set_all(monkeypatch, ENDPOINT)
    assert isinstance(connect(), ChatModel)
    assert engine._starting is None


@pytest.mark.parametrize("recorded", [True, False])
def test_an_endpoint_is_never_sent_the_word_recorded(monkeypatch, recorded):
    set_all(monkeypatch, ENDPOINT)
    assert connect(recorded=recorded).options == {}


def test_an_endpoint_is_taken_from_the_environment(monkeypatch):
    set_all(monkeypatch, ENDPOINT)
    model = connect(temperature=0, adapter=False, cache="off", grammar="root ::= [a]")
    assert model == ChatModel(
        "clever-1", "https://models.example/v1", "secret-word", options={"temperature": 0}
    )
    assert connect().options == {}


def test_the_recording_comes_first_when_it_is_asked_for(monkeypatch):
    set_all(monkeypatch, ENDPOINT)
    monkeypatch.setenv("REACT_LAB_RECORDING", "replay")
    assert connect(max_tokens=60) == Recording(EmbeddedModel(max_tokens=60), "replay")
    monkeypatch.setenv("REACT_LAB_RECORDING", "record:05_brakes")
    assert connect() == Recording(EmbeddedModel(), "record:05_brakes")
    monkeypatch.setenv("REACT_LAB_RECORDING", "on")
    with pytest.raises(ValueError, match="replay"):
        connect()


def test_an_unknown_option_is_refused(monkeypatch):
    for values in ({}, ENDPOINT):
        set_all(monkeypatch, values)
        with pytest.raises(TypeError, match="temprature"):
            connect(temprature=0)


def test_the_settings_really_reach_a_server(monkeypatch):
    hello = {"json": {"choices": [{"message": {"role": "assistant", "content": "Hello."}}]}}
    with serve({"replies": [hello]}) as endpoint:
        set_all(monkeypatch, ENDPOINT | {"LLM_BASE_URL": endpoint.url})
        assert connect(max_tokens=9)([{"role": "user", "content": "Hi"}]).text == "Hello."
    (request,) = endpoint.requests
    assert request.path == "/v1/chat/completions"
    assert request.headers["authorization"] == "Bearer secret-word"
    assert (request.body["model"], request.body["max_tokens"]) == ("clever-1", 9)


# Half an endpoint


@pytest.mark.parametrize("missing", list(ENDPOINT))
def test_half_an_endpoint_is_told_with_what_is_missing(monkeypatch, missing):
    set_all(monkeypatch, {k: v for k, v in ENDPOINT.items() if k != missing})
    with pytest.raises(ModelError, match=f"{missing} is missing") as told:
        connect()
    assert "secret-word" not in str(told.value)


@pytest.mark.parametrize("host", ["localhost:11434", "127.0.0.1:8080", "[::1]:8000"])
def test_on_this_machine_a_key_may_be_missing(monkeypatch, host):
    set_all(monkeypatch, {"LLM_BASE_URL": f"http://{host}/v1", "LLM_MODEL": "small-1"})
    assert connect() == ChatModel("small-1", f"http://{host}/v1")


def test_an_address_that_is_none_is_told(monkeypatch):
    set_all(monkeypatch, ENDPOINT | {"LLM_BASE_URL": "models.example/v1"})
    with pytest.raises(ModelError, match="not a web address"):
        connect()


def test_empty_settings_count_as_not_set(monkeypatch):
    set_all(monkeypatch, dict.fromkeys(ENDPOINT, " "))
    assert connect() == Recording(EmbeddedModel(), "replay or live")


def test_a_key_that_cannot_be_sent_is_told_without_it(monkeypatch):
    set_all(monkeypatch, ENDPOINT | {"LLM_API_KEY": "secret\u2026word"})
    with pytest.raises(ModelError, match="LLM_API_KEY.*illegal character") as told:
        connect()
    assert "secret" not in str(told.value)


# The file .env


def test_the_file_beside_the_notebook_is_read(empty_desk):
    (empty_desk / ".env").write_text(
        "\ufeff# my endpoint\n"
        "LLM_BASE_URL = https://models.example/v1  # at work\n"
        "export LLM_API_KEY='se#cret = word'\n"
        'LLM_MODEL="clever 1" # the small one\n'
        "LLM_OTHER=1\nOPENAI_API_KEY=no\nnonsense\n",
        "utf-8",
    )
    assert settings() == {
        "LLM_BASE_URL": "https://models.example/v1",
        "LLM_API_KEY": "se#cret = word",
        "LLM_MODEL": "clever 1",
    }
    assert connect() == ChatModel("clever 1", "https://models.example/v1", "se#cret = word")


def test_a_file_in_the_encoding_of_another_program_is_told(empty_desk):
    (empty_desk / ".env").write_text("LLM_MODEL=clever-1", "utf-16")
    with pytest.raises(ModelError, match=r"\.env cannot be read: it is not UTF-8 text. Save it"):
        connect()


def test_the_environment_wins_over_the_file(empty_desk, monkeypatch):
    (empty_desk / ".env").write_text("".join(f"{k}={v}\n" for k, v in ENDPOINT.items()))
    monkeypatch.setenv("LLM_MODEL", "other-2")
    assert connect().model == "other-2"
    set_all(monkeypatch, dict.fromkeys(ENDPOINT, ""))
    assert connect() == Recording(EmbeddedModel(), "replay or live")


# Saying which


@pytest.mark.parametrize(
    "model, text",
    [
        (
            EmbeddedModel(),
            "the embedded model SmolLM2-135M with the lab's adapter, on this machine",
        ),
        (
            EmbeddedModel(adapter=False),
            "the embedded model SmolLM2-135M without the lab's adapter, on this machine",
        ),
        (
            Recording(),
            "recorded replies of the embedded model SmolLM2-135M with the lab's adapter",
        ),
        (
            ChatModel("clever-1", "https://me:word@models.example:8443/v1", "secret-word"),
            "clever-1 at models.example:8443 (your endpoint)",
        ),
        (
            ChatModel("clever-1", api_key="secret-word"),
            "clever-1 at api.openai.com (your endpoint)",
        ),
        (ScriptedModel(["yes"]), "ScriptedModel(replies=('yes',))"),
    ],
)
def test_it_says_which_model_it_is(model, text):
    assert describe(model) == text


def test_a_recording_reads_the_same_while_it_is_written():
    assert describe(Recording(mode="record:00_start")) == describe(Recording(mode="replay"))
