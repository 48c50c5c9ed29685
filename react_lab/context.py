"""Context: which messages to send when there are too many.

A policy is a plain function, messages -> messages, for text and for native calls alike:

    agent = Agent(model, tools, fit=KeepRounds(n=4, cut=200))

It is asked anew in each round, with all messages, so it keeps nothing in mind. The record stays
whole. Every policy keeps the head (system prompt and question) and the last round. A call and
its result stay together, or go together.

>>> question = {"role": "user", "content": "Question: How warm is it in Oslo?"}
>>> call = {"role": "assistant", "content": "Action: get_weather\\nAction Input: {}"}
>>> result = {"role": "user", "content": "Observation: Wrong input."}
>>> print(RuleSummary(n=1)([question, call, result, call, result])[0]["content"])
Question: How warm is it in Oslo?
[summary of history]
- get_weather: Wrong input.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass, field

from react_lab.models.reply import Message, Model, ModelError, Reply
from react_lab.parser.fields import fields
from react_lab.parser.labels import LABELS

Round = list[Message]  # what the model said, and what it got for it
Fit = Callable[[list[Message]], list[Message]]

SUMMARY = "[summary of history]"
SUMMARISE = (
    "Sum up in at most three sentences what these steps found out. Keep every name and number. "
    "Add nothing."
)

# What the policies share ------------------------------------------------------------------


def split(messages: list[Message]) -> tuple[list[Message], list[Round]]:
    """The head, which is all before the model's first own message, and the rounds behind it."""
    head, rounds = [], []
    for one in messages:
        if one["role"] == "assistant":
            rounds.append([one])
        else:
            (rounds[-1] if rounds else head).append(one)
    return head, rounds


def join(head: list[Message], rounds: list[Round]) -> list[Message]:
    """Head and rounds as one list of messages again."""
    return [*head, *(one for past in rounds for one in past)]


def added(messages: list[Message], text: str) -> list[Message]:
    """The messages, with a text as a new line of the last one; once, however often it is asked."""
    *before, last = messages
    content = str(last["content"] or "")
    if content.endswith(text):
        return messages
    return [*before, {**last, "content": f"{content}\n{text}"}]


def shortened(text: str, cut: int) -> str:
    """The first `cut` characters, marked as a summary; a text that this makes no shorter, whole."""
    mark = f" ... {SUMMARY}"
    return text if len(text) <= cut + len(mark) else text[:cut] + mark


def result_of(one: Message) -> str:
    """What a tool gave, without its label."""
    text = str(one["content"] or "")
    for label in LABELS.values():
        for name in (label["observation"] + ":", label["observation"] + "："):
            text = text.removeprefix(name)
    return text.strip()


def called(spoken: Message) -> list[str]:
    """The names of the tools that a message of the model calls; one "reply" if it calls none."""
    native = [call["function"]["name"] for call in spoken.get("tool_calls") or ()]
    words = fields(str(spoken["content"] or ""))
    return native or [part.text for part in words if part.kind == "action"][-1:] or ["reply"]


def lines(rounds: list[Round], cut: int) -> list[str]:
    """A line for each result: the tool's name, and the first `cut` characters."""
    pairs = [
        (names[min(place, len(names) - 1)], " ".join(result_of(one).split())[:cut])
        for spoken, *results in rounds
        for names in [called(spoken)]
        for place, one in enumerate(results)
    ]
    return [f"- {name}: {text}" for name, text in pairs]


def words_of(one: Message) -> str:
    """All of a message that costs tokens: its words, its reasoning, and its calls as JSON."""
    parts = [one["content"], one.get("reasoning_content")]
    calls = [call["function"] for call in one.get("tool_calls") or ()]
    parts += [json.dumps(calls, ensure_ascii=False)] if calls else []
    return "\n".join(str(part) for part in parts if part)


def at_least_one(policy: object) -> None:
    """Raises ValueError, with the mend in it, when a number of a policy is below 1."""
    for name, value in vars(policy).items():
        if isinstance(value, int) and value < 1:
            raise ValueError(f"{name} is {value}; give at least 1: {name}=1.")


# The policies -----------------------------------------------------------------------------


@dataclass(frozen=True)
class KeepRounds:
    """Keep the last n rounds whole, and of older results the first `cut` characters."""

    n: int = 4
    cut: int = 200

    __post_init__ = at_least_one

    def __call__(self, messages: list[Message]) -> list[Message]:
        head, rounds = split(messages)
        old = [
            [spoken, *({**one, "content": shortened(one["content"], self.cut)} for one in results)]
            for spoken, *results in rounds[: -self.n]
        ]
        return join(head, old + rounds[-self.n :])


@dataclass(frozen=True)
class RuleSummary:
    """Put a list in place of all but the last n rounds: each tool, and how its result begins.

    Thoughts and inputs are dropped. The list stands behind the question. cut: characters kept.
    """

    n: int = 4
    cut: int = 100

    __post_init__ = at_least_one

    def __call__(self, messages: list[Message]) -> list[Message]:
        head, rounds = split(messages)
        if not head or len(rounds) <= self.n:
            return messages
        told = "\n".join([SUMMARY, *lines(rounds[: -self.n], self.cut)])
        return join(added(head, told), rounds[-self.n :])


def first_line(text: str) -> str:
    """The first line of a result, at most 100 characters of it."""
    return text.partition("\n")[0][:100]


@dataclass(frozen=True)
class Conclusions:
    """Put a one-line conclusion behind each result; of all but the last n keep only that line.

    conclude: from the text of a result to one line. It is asked again in each round.
    """

    n: int = 1
    conclude: Callable[[str], str] = field(default=first_line, repr=False)

    __post_init__ = at_least_one

    def __call__(self, messages: list[Message]) -> list[Message]:
        head, rounds = split(messages)
        told, recent = [], len(rounds) - self.n
        for place, (spoken, *results) in enumerate(rounds):
            told.append([spoken, *(self.concluded(one, place >= recent) for one in results)])
        return join(head, told)

    def concluded(self, one: Message, whole: bool) -> Message:
        """A result with its conclusion behind it, or the conclusion alone."""
        line = f"Conclusion: {self.conclude(result_of(one))}"
        return {**one, "content": f"{one['content']}\n{line}" if whole else line}


@dataclass(frozen=True)
class ModelSummary:
    """Let a model sum up all but the last n rounds; its words stand behind the question.

    model: the agent's own, or a cheaper one. replies: what it said about which rounds, so that
    it is asked once for each summary, and its cost can be counted. A model that cannot be asked,
    or says nothing, does not end the run: then the summary is that of `RuleSummary`.
    """

    model: Model
    n: int = 4
    replies: dict[str, Reply] = field(default_factory=dict, init=False, repr=False, compare=False)

    __post_init__ = at_least_one

    def __call__(self, messages: list[Message]) -> list[Message]:
        head, rounds = split(messages)
        if not head or len(rounds) <= self.n:
            return messages
        text = self.summed_up("\n".join(map(words_of, join([], rounds[: -self.n]))))
        if not text:
            return RuleSummary(self.n)(messages)
        return join(added(head, f"{SUMMARY}\n{text}"), rounds[-self.n :])

    def summed_up(self, text: str) -> str:
        """What the model says about these rounds; "" when it cannot be asked."""
        if text not in self.replies:
            try:
                reply = self.model([{"role": "user", "content": f"{SUMMARISE}\n\n{text}"}])
            except ModelError:
                return ""
            self.replies[text] = reply
        return self.replies[text].text.strip()


@dataclass(frozen=True)
class RepeatRules:
    """Repeat the rules behind the result of every n-th round, where the model reads last.

    rules: a text. In native calls results stand in tool messages, so the rules do too.
    They stay where they were said: what was sent once does not change, so a cache can keep it.
    """

    rules: str
    every: int = 4

    __post_init__ = at_least_one

    def __call__(self, messages: list[Message]) -> list[Message]:
        head, rounds = split(messages)
        told = [
            added(past, f"Remember: {self.rules}") if number % self.every == 0 else past
            for number, past in enumerate(rounds, 1)
        ]
        return join(head, told)


@dataclass(frozen=True)
class TokenBudget:
    """Send at most `budget` tokens: the oldest rounds go first, each as a whole.

    count: from a text to its tokens. Head and last round are sent even where they alone are more.
    What an endpoint adds around each message is not counted, so leave it some room.
    """

    budget: int
    count: Callable[[str], int] = field(repr=False)

    __post_init__ = at_least_one

    def __call__(self, messages: list[Message]) -> list[Message]:
        head, rounds = split(messages)
        sizes = [sum(self.count(words_of(one)) for one in past) for past in rounds]
        left = self.budget - sum(self.count(words_of(one)) for one in head)
        first = 0
        while first < len(rounds) - 1 and sum(sizes[first:]) > left:
            first += 1
        return join(head, rounds[first:])


@dataclass(frozen=True)
class InBlocks:
    """Use another policy only after every n-th round, and send all since then as it is.

    fit: that policy. Between two blocks messages are only added at the end, so what a server
    has computed for the start of the prompt stays good.
    """

    fit: Fit
    n: int = 5

    __post_init__ = at_least_one

    def __call__(self, messages: list[Message]) -> list[Message]:
        head, rounds = split(messages)
        done = len(rounds) // self.n * self.n
        return [*self.fit(join(head, rounds[:done])), *join([], rounds[done:])]
