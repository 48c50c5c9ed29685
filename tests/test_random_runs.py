"""Faults of endpoints one by one, and runs in which anything may go wrong at random."""

import asyncio
import json
import random
import time
from itertools import chain

import pytest

from helpers.fake_endpoint import messages_show, serve
from react_lab import Agent, ChatModel, ModelError, Registry, Reply, ScriptedModel
from react_lab.context import KeepRounds, TokenBudget
from react_lab.function_calling import hybrid_step, native_step
from react_lab.loop import text_step
from react_lab.models import chat
from react_lab.models.endpoint import Dropped

# Twenty-two faults -----------------------------------------------------------------------------


def saying(text: str | None, finish: str = "stop", **message: object) -> dict:
    message = {"role": "assistant", "content": text, **message}
    return {"json": {"choices": [{"message": message, "finish_reason": finish}]}}


def error(status: int, words: str, headers: dict | None = None, **more: object) -> dict:
    body = {"error": {"message": words, **more}}
    return {"status": status, "json": body, "headers": headers or {}}


def native(name: str, arguments: str, id: object = "call00001") -> dict:
    function = {"name": name, "arguments": arguments}
    return saying(None, "tool_calls", tool_calls=[{"id": id, "function": function}])


CALL = saying('Thought: double it.\nAction: double\nAction Input: {"number": 21}')
ANSWER = saying("Final Answer: 42")
HTML = "<html><body>Sign in</body></html>"

# name: (the replies, True if the run is answered, else words of the reason for which it stops)
FAULTS = {
    "dropped once": ([CALL, {"drop": True}, ANSWER], True),
    "cut in the middle": ([CALL, ANSWER | {"cut": 25}, ANSWER], True),
    "busy": ([CALL, error(429, "slow down"), ANSWER], True),
    "busy, and says how long": ([error(429, "billing", {"retry-after": "2"}), CALL, ANSWER], True),
    "failed": ([CALL, error(500, "internal error"), ANSWER], True),
    "bad gateway": ([CALL, {"status": 502, "text": HTML}, ANSWER], True),
    "loading": ([error(503, "loading model"), error(503, "loading model"), CALL, ANSWER], True),
    "overloaded": ([CALL, error(529, "overloaded"), ANSWER], True),
    "empty body": ([CALL, {"status": 200, "text": ""}, ANSWER], True),
    "half a body": ([CALL, {"status": 200, "text": '{"choices": [{"me'}, ANSWER], True),
    "empty reply": ([CALL, saying(""), ANSWER], True),
    "no content": ([CALL, saying(None), ANSWER], True),
    "reasoning only": ([CALL, saying("", reasoning_content="Let me see."), ANSWER], True),
    "cut-off answer": ([CALL, saying("Final Answer: The result of th", "length"), ANSWER], True),
    "too long": ([CALL, CALL, error(400, "maximum context length is 9"), ANSWER], True),
    "option refused": ([error(400, "'seed' is not supported", param="seed"), CALL, ANSWER], True),
    "no system role": ([error(400, "the system role is not supported"), CALL, ANSWER], True),
    "refused once": ([CALL, ANSWER], True),
    "web page in between": ([CALL, {"status": 200, "text": HTML}, ANSWER], True),
    "bad key": ([CALL, error(401, "wrong key"), ANSWER], "Check LLM_API_KEY"),
    "no credit": ([CALL, error(402, "nothing left"), ANSWER], "no credit left"),
    "reasoning to the limit": ([CALL, saying("", "length", reasoning="Hm"), ANSWER], "max_tokens"),
}


@pytest.fixture
def doubling() -> Registry:
    tools = Registry()

    @tools.register
    def double(number: int) -> int:
        """Double a whole number."""
        return 2 * number

    return tools


def in_native(reply: dict) -> dict:
    """The same reply of a model that makes native calls and writes no labels."""
    if reply is CALL:
        return native("double", '{"number": 21}')
    return json.loads(json.dumps(reply).replace("Final Answer: ", ""))


@pytest.mark.parametrize("protocol", [text_step, native_step], ids=["text", "native"])
@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_of_an_endpoint_is_got_over_or_said(name, protocol, doubling, monkeypatch):
    monkeypatch.setattr(time, "sleep", lambda seconds: None)
    replies, outcome = FAULTS[name]
    if name == "refused once":
        real, asked = chat.send, []

        def send(*given):
            asked.append(given)
            if len(asked) == 2:
                raise Dropped("Connection refused")
            return real(*given)

        monkeypatch.setattr(chat, "send", send)
    spoken = replies if protocol is text_step else list(map(in_native, replies))
    with serve({"replies": spoken}) as endpoint:
        model = ChatModel("m", endpoint.url, options={"seed": 1})
        agent = Agent(model, doubling, fit=KeepRounds(9), protocol=protocol)
        run = agent.run("What is twice 21?")
    if outcome is True:
        assert (run.stop, run.answer, len(endpoint.requests)) == ("answered", "42", len(replies))
    else:
        assert run.stop == "model error" and outcome in run.note and run.answer is None
    assert run.steps[0].observation.text == "42"  # the finished step is kept


def test_most_faults_are_got_over():
    assert len(FAULTS) == 22 and sum(one is True for _, one in FAULTS.values()) == 19


@pytest.mark.parametrize("ids", [["", ""], ["a", "a"], [None, 7], ["x" * 90, "ok"], [{}, []]])
def test_wrong_ids_of_calls_are_set_right(ids, doubling):
    calls = [native("double", '{"number": 21}', one) for one in ids]
    with serve({"replies": [*calls, saying("It is 42.")]}) as endpoint:
        model = ChatModel("m", endpoint.url)
        run = Agent(model, doubling, protocol=native_step).run("What is twice 21?")
    assert run.answer == "It is 42."
    assert [invalid(one.messages) for one in endpoint.requests] == [[], [], []]


# Runs in which anything may go wrong -----------------------------------------------------------

INVALID = (
    "system_not_first_or_twice",
    "same_role_twice",
    "first_non_system_not_user",
    "tool_without_call",
    "tool_call_unanswered",
    "assistant_lacks_content_key",
    "call_arguments_not_json_string",
    "call_name_not_matching:^[a-zA-Z0-9_-]{1,64}$",
)


def invalid(messages: list[dict]) -> list[str]:
    """What an API would refuse in a history."""
    merged = [one for one in messages if one["role"] != "tool"]
    faults = []
    for condition in INVALID:
        shown = merged if condition == "same_role_twice" else messages
        if condition == "same_role_twice" and any(one["role"] == "tool" for one in messages):
            continue  # after a tool's result the assistant may speak again
        if messages_show(condition, shown):
            faults.append(condition)
    ids = [c["id"] for m in messages for c in m.get("tool_calls") or []]
    if len(set(ids)) < len(ids) or not all(isinstance(one, str) and one for one in ids):
        faults.append("ids")
    try:
        json.dumps(messages, allow_nan=False, ensure_ascii=False).encode("utf-8")
    except (ValueError, TypeError):
        faults.append("not JSON in UTF-8")
    return faults


def test_an_invalid_history_is_found():
    """Else the runs below would prove nothing."""
    call = {"id": "a", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    user, odd = {"role": "user", "content": "?"}, {"name": "a b", "arguments": "{"}
    told = {"role": "tool", "tool_call_id": "a", "content": "x"}
    asked = {"role": "assistant", "content": None, "tool_calls": [call]}
    assert invalid([user, asked, told]) == []
    assert invalid([user, asked]) == ["tool_call_unanswered"]
    assert invalid([user, told]) == ["tool_without_call"]
    assert invalid([user, user]) == ["same_role_twice"]
    assert invalid([{"role": "user", "content": "\ud83d"}]) == ["not JSON in UTF-8"]
    assert invalid([user, asked, told, asked, told]) == ["ids"]
    wrong = {**asked, "tool_calls": [{**call, "function": odd}]}
    assert len(invalid([user, wrong, told])) == 2


NAMES = ["look", "store", "fail", "wait"] * 3
NAMES += ["os.system", "delete_all", "", "Look", "a b", "天气", "x" * 99]
VALUES = ["Oslo", "", 7, -1.5, None, True, [], {}, [1, [2]], {"a": {}}, "\ud83d", "a" * 3000, 1e400]
PIECES = [
    "Thought: I look.",
    "Final Answer: 42",
    "Final Answer:",
    "Observation: 20 degrees",
    "Action:",
    "Action Input:",
    "```json",
    "```",
    "<think>",
    "</think>",
    "<tool_call>",
    "</tool_call>",
    "<function=store>",
    "[TOOL_CALLS]",
    "\ud83d",
    "\x00",
    "思考：查",
    "行动：look",
    '{"word": "a',
    "}",
    "",
]
ANSWERS_OF_APPROVE = [True, False, None, "yes", "no", 1, 0, [], object(), "raise"]
KINDS = ["no connection", "rate limit", "context too long", "refused", "filtered", "empty", "error"]


class Chaos:
    """A model that says anything, and notes every history that an API would refuse."""

    def __init__(self, dice: random.Random):
        self.dice, self.faults = dice, []

    def arguments(self) -> str:
        given = {self.dice.choice(["word"] * 6 + ["city", "", "größe"]): self.dice.choice(VALUES)}
        text = json.dumps(given)
        cut = self.dice.randrange(len(text))
        return self.dice.choice([text, text, text, text[:cut], text + text, "", "null", "[1]"])

    def call(self) -> dict:
        function = {"name": self.dice.choice(NAMES), "arguments": self.arguments()}
        made = {"id": self.dice.choice(["", "a", "call00001", "é" * 50]), "function": function}
        return made if self.dice.random() < 0.9 else {"function": {}}

    def words(self) -> str:
        lines = self.dice.choices(PIECES, k=self.dice.randrange(5))
        if self.dice.random() < 0.5:
            name = self.dice.choice(NAMES)
            lines.insert(0, f"Action: {name}\nAction Input: {self.arguments()}")
        return self.dice.choice(["\n", "", " "]).join(lines)

    def __call__(self, messages: list[dict], tools: list[dict] | None = None) -> Reply:
        self.faults += invalid(messages)
        finish = self.dice.choice(["stop", "stop", "length", "tool_calls", None, "content_filter"])
        calls = tuple(self.call() for _ in range(self.dice.choice([0, 1, 1, 2, 3])))
        reply = Reply(
            self.words(),
            calls if tools or self.dice.random() < 0.1 else (),
            reasoning=self.dice.choice([None, "Hm.", "Action: store"]),
            finish_reason=finish,
            tokens_in=self.dice.choice([None, 0, 10, 10**9]),
            tokens_out=self.dice.choice([None, 5]),
        )
        if self.dice.random() < 0.12:
            kept = self.dice.choice([None, reply])
            raise ModelError("It did not work.", self.dice.choice(KINDS), kept)
        return reply


def chaotic(number: int) -> None:
    """One run: nothing raises, no history is invalid, nothing runs that may not."""
    dice = random.Random(number)
    allowed: list[str] = []
    ran: list[str] = []
    tools = Registry(limit=dice.choice([1, 50, 1500]), retries=dice.choice([0, 2]))

    @tools.register
    def look(word: str = "x") -> object:
        """Look something up."""
        ran.append("look")
        return dice.choice([*VALUES, (n for n in range(3)), {1, 2}, b"\xff", float("nan")])

    @tools.register(effect="write")
    def store(word: str) -> str:
        """Store a word."""
        ran.append("store")
        assert allowed and allowed.pop() == "store", "a write ran without a yes"
        return "stored"

    @tools.register
    def fail(word: str = "") -> str:
        """Fail."""
        ran.append("fail")
        raise dice.choice([ValueError(""), SystemExit(1), KeyError("\ud83d"), TimeoutError()])

    @tools.register
    async def wait(word: str = "") -> str:
        """Wait."""
        ran.append("wait")
        await asyncio.sleep(0)
        return word

    def approve(action, run) -> object:
        answer = dice.choice(ANSWERS_OF_APPROVE)
        if answer == "raise":
            raise RuntimeError("nobody there")
        if answer is True:
            allowed.append(action.tool)
        return answer

    model = Chaos(dice)
    agent = Agent(
        model,
        tools,
        protocol=dice.choice([text_step, native_step, hybrid_step]),
        approve=dice.choice([approve, approve, None]),
        fit=dice.choice([None, None, KeepRounds(1), TokenBudget(200, len)]),
        language=dice.choice(["en", "zh"]),
        max_steps=dice.choice([1, 3, 8]),
    )
    run = agent.run("What is \ud83d twice 21?")
    for _ in range(3):
        if run.pending is None:
            break
        yes = dice.random() < 0.5
        if yes:
            allowed.append(run.pending.tool)
        run = agent.resume(run, approve=yes, note=dice.choice(["", "go on", "\ud83d"]))
    assert run.stop, "a run without an end"
    assert set(ran) <= {tool.name for tool in tools}
    calls = [seen for step in run.steps for _, seen in step.moves]
    assert all(chain(calls[:-1])) or run.pending or len(calls) <= 1 or run.finished
    assert model.faults == []


@pytest.mark.parametrize("part", range(4))
def test_nothing_that_may_go_wrong_breaks_a_run(part, seed):
    for number in range(100):
        chaotic(seed * 1000 + part * 100 + number)


@pytest.mark.more
@pytest.mark.parametrize("part", range(20))
def test_nothing_that_may_go_wrong_breaks_any_of_ten_thousand_runs(part):
    for number in range(500):
        chaotic(part * 500 + number)


# What held in an earlier audit -----------------------------------------------------------------


@pytest.mark.parametrize("answer", ["yes", 1, "True", [True], object(), 1.0, {"ok": True}, "raise"])
def test_no_odd_answer_of_approve_counts_as_yes(answer):
    ran = []
    tools = Registry()
    tools.register(lambda: ran.append(1), name="store", description="Store.", effect="write")

    def approve(action, run) -> object:
        if answer == "raise":
            raise RuntimeError("nobody there")
        return answer

    script = ScriptedModel(["Action: store\nAction Input: {}", "Final Answer: done"])
    run = Agent(script, tools, approve=approve).run("Store it.")
    assert ran == [] and run.steps[0].observation.error == "refused"


def test_a_second_call_after_one_approval_waits_again():
    ran: list[int] = []
    tools = Registry()

    @tools.register(effect="write")
    def store(number: int) -> str:
        """Store a number."""
        ran.append(number)
        return "stored"

    calls = [f'Action: store\nAction Input: {{"number": {number}}}' for number in (1, 2)]
    agent = Agent(ScriptedModel([*calls, "Final Answer: done"]), tools)
    run = agent.resume(agent.run("Store both."), approve=True)
    assert (ran, run.stop, run.pending.arguments) == ([1], "needs approval", {"number": 2})
    assert agent.resume(run, approve=False).answer == "done" and ran == [1]
