"""Context: choose which messages to send when there are too many.

A policy is a plain function, messages -> messages, for text and for native calls alike:

    agent = Agent(model, tools, fit=KeepRounds(n=4, cut=200))

The loop calls it in each round with all messages, so a policy stores nothing itself. The
trace stays complete. Every policy keeps the head (system prompt and question) and the last round.
A call and its result stay together, or are left out together. What a policy adds is written in
the language of the system message, English or Chinese.

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
from functools import lru_cache
from typing import Any

from react_lab.chinese import is_chinese
from react_lab.models.reply import Fit, Message, Model, ModelError, Reply
from react_lab.parser.fields import believed, fields
from react_lab.parser.labels import LABELS
from react_lab.prompt import CONTEXT, RULES, message
from react_lab.registry.results import head as first_characters

Round = list[Message]  # what the model wrote, and the results that it got for it
Shorten = Callable[[str, int], str]

SUMMARY = CONTEXT["en"]["summary"]
SUMMARISE = CONTEXT["en"]["summarise"]

# What the policies share ------------------------------------------------------------------


def split(messages: list[Message]) -> tuple[list[Message], list[Round]]:
    """Split messages into the head and the rounds after it.

    The head is everything before the model's first own message.
    """
    head: list[Message] = []
    rounds: list[Round] = []
    for one in messages:
        if one["role"] == "assistant":
            rounds.append([one])
        else:
            (rounds[-1] if rounds else head).append(one)
    return head, rounds


def join(head: list[Message], rounds: list[Round]) -> list[Message]:
    """Put head and rounds together as one list of messages again."""
    return [*head, *(one for past in rounds for one in past)]


def smaller(messages: list[Message]) -> list[Message]:
    """Return messages that an endpoint found too long, with only the newer half of the rounds.

    A single round stays, and its results keep their first and last quarter. Everything before
    the first round stays.
    """
    head, rounds = split(messages)
    if len(rounds) > 1:
        return join(head, rounds[(len(rounds) + 1) // 2 :])

    def half(one: Message) -> Message:
        text = str(one["content"])
        short = f"{text[: len(text) // 4]}\n...\n{text[-len(text) // 4 :]}"
        return one if one["role"] == "assistant" else {**one, "content": short}

    return join(head, [[half(one) for one in past] for past in rounds])


def language_of(messages: list[Message]) -> str:
    """Return the language of the system message: "zh" or "en"."""
    return "zh" if messages and is_chinese(str(messages[0]["content"] or "")) else "en"


def added(messages: list[Message], text: str) -> list[Message]:
    """Add a text as a new line of the last message, unless that message ends with it already."""
    *before, last = messages
    content = str(last["content"] or "")
    if content.endswith(text):
        return messages
    return [*before, {**last, "content": f"{content}\n{text}"}]


def shortened(
    text: str, cut: int, language: str = "en", shorten: Shorten = first_characters
) -> str:
    """Shorten a text to `cut` characters and mark it as a summary.

    Return the text unchanged if this would not make it shorter.
    """
    mark = f" ... {CONTEXT[language]['summary']}"
    return text if len(text) <= cut + len(mark) else shorten(text, cut) + mark


def result_of(one: Message) -> str:
    """Return the result in a message, without its label."""
    text = str(one["content"] or "")
    for label in LABELS.values():
        for name in (label["observation"] + ":", label["observation"] + "："):
            text = text.removeprefix(name)
    return text.strip()


def calls_of(one: Message) -> list[dict[str, Any]]:
    """Return the native calls in a message."""
    calls: Any = one.get("tool_calls")
    return list(calls or ())


def called(spoken: Message, language: str = "en") -> list[str]:
    """Return the names of the tools that a message of the model calls.

    A message without a call counts as one "reply".
    """
    native = [str(call["function"]["name"]) for call in calls_of(spoken)]
    named = action_in(str(spoken["content"] or ""))
    return native or [named or CONTEXT[language]["reply"]]


@lru_cache(maxsize=4096)  # a policy asks for all replies so far in every round
def action_in(text: str) -> str:
    """Return the name in the last Action of a reply; "" if there is none."""
    return next((one.text for one in reversed(fields(text)) if one.kind == "action"), "")


def lines(
    rounds: list[Round], cut: int, language: str = "en", shorten: Shorten = first_characters
) -> list[str]:
    """Write a line for each result: the tool's name, and `cut` characters of the result."""
    colon = "：" if language == "zh" else ": "
    found = []
    for spoken, *results in rounds:
        names = called(spoken, language)
        results = [one for one in results if one["role"] != "system"]
        for place, one in enumerate(results):
            name = names[min(place, len(names) - 1)]
            if shorten is first_characters:  # of the words, not of the spaces between them
                text = " ".join(result_of(one).split())[:cut]
            else:
                text = " ".join(shorten(result_of(one), cut).split())
            found.append(f"- {name}{colon}{text}")
    return found


def words_of(one: Message) -> str:
    """Return everything in a message that costs tokens: text, reasoning, and calls as JSON."""
    parts = [one["content"], one.get("reasoning_content")]
    calls = [call["function"] for call in calls_of(one)]
    parts += [json.dumps(calls, ensure_ascii=False)] if calls else []
    return "\n".join(str(part) for part in parts if part)


def at_least_one(policy: object) -> None:
    """Check the numbers of a policy.

    Raises:
        ValueError: a number is below 1.
    """
    for name, value in vars(policy).items():
        if isinstance(value, int) and value < 1:
            raise ValueError(f"{name} is {value}; give at least 1: {name}=1.")


class _Checked:
    """A policy whose numbers are checked when it is made."""

    def __post_init__(self) -> None:
        at_least_one(self)


# The policies -----------------------------------------------------------------------------


@dataclass(frozen=True)
class KeepRounds(_Checked):
    """Keep the last n rounds whole, and shorten older results.

    Args:
        n: rounds that stay whole.
        cut: characters that stay of an older result.
        shorten: how a result is cut, (text, cut) -> text. `head_and_tail` of react_lab.registry
            keeps the totals at the end of a table.
    """

    n: int = 4
    cut: int = 200
    shorten: Shorten = field(default=first_characters, repr=False)

    def __call__(self, messages: list[Message]) -> list[Message]:
        head, rounds = split(messages)
        old = [
            [spoken, *(self._cut(one, language_of(messages)) for one in results)]
            for spoken, *results in rounds[: -self.n]
        ]
        return join(head, old + rounds[-self.n :])

    def _cut(self, one: Message, language: str) -> Message:
        text = shortened(str(one["content"] or ""), self.cut, language, self.shorten)
        return one if one["role"] == "system" else {**one, "content": text}


@dataclass(frozen=True)
class RuleSummary(_Checked):
    """Replace all but the last n rounds by a list: each tool, and the start of its result.

    Thoughts and inputs are dropped. The list comes after the question.

    Args:
        n: rounds that stay whole.
        cut: characters that stay of an older result.
        shorten: how a result is cut, as in KeepRounds.
    """

    n: int = 4
    cut: int = 100
    shorten: Shorten = field(default=first_characters, repr=False)

    def __call__(self, messages: list[Message]) -> list[Message]:
        head, rounds = split(messages)
        if not head or len(rounds) <= self.n:
            return messages
        language = language_of(messages)
        listed = lines(rounds[: -self.n], self.cut, language, self.shorten)
        told = "\n".join([CONTEXT[language]["summary"], *listed])
        return join(added(head, told), rounds[-self.n :])


def first_line(text: str) -> str:
    """Return the first line of a result, at most 100 characters of it."""
    return text.partition("\n")[0][:100]


@dataclass(frozen=True)
class Conclusions(_Checked):
    """Add a one-line conclusion to each result; of all but the last n results keep only that line.

    Args:
        n: results that stay whole.
        conclude: from the text of a result to one line. It is called again in each round.
    """

    n: int = 1
    conclude: Callable[[str], str] = field(default=first_line, repr=False)

    def __call__(self, messages: list[Message]) -> list[Message]:
        head, rounds = split(messages)
        line = CONTEXT[language_of(messages)]["conclusion"]
        told, recent = [], len(rounds) - self.n
        for place, (spoken, *results) in enumerate(rounds):
            told.append([spoken, *(self._concluded(one, line, place >= recent) for one in results)])
        return join(head, told)

    def _concluded(self, one: Message, line: str, whole: bool) -> Message:
        """Return a result with its conclusion, or the conclusion alone."""
        if one["role"] == "system":
            return one
        text = line.format(text=self.conclude(result_of(one)))
        return {**one, "content": f"{one['content']}\n{text}" if whole else text}


@dataclass(frozen=True)
class ModelSummary(_Checked):
    """Let a model sum up all but the last n rounds; the summary comes after the question.

    If the model cannot be reached, or returns nothing, the summary is that of `RuleSummary`, and
    the run continues.

    Args:
        model: the agent's own, or a cheaper one.
        n: rounds that stay whole.

    Attributes:
        replies: the model's reply for each text that it summed up. Each text is sent once, and
            the cost can be counted here.
    """

    model: Model
    n: int = 4
    replies: dict[str, Reply] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __call__(self, messages: list[Message]) -> list[Message]:
        head, rounds = split(messages)
        if not head or len(rounds) <= self.n:
            return messages
        words = CONTEXT[language_of(messages)]
        old = "\n".join(map(words_of, join([], rounds[: -self.n])))
        if not (text := self._summed_up(f"{words['summarise']}\n\n{old}")):
            return RuleSummary(self.n)(messages)
        return join(added(head, f"{words['summary']}\n{text}"), rounds[-self.n :])

    def _summed_up(self, asked: str) -> str:
        """Return what the model answers; "" if it cannot be reached."""
        if asked not in self.replies:
            try:
                reply = self.model([{"role": "user", "content": asked}])
            except ModelError:
                return ""
            self.replies[asked] = reply
        return believed(self.replies[asked].text)


@dataclass(frozen=True)
class RepeatRules(_Checked):
    """Repeat the rules after every n-th round, at the end of the messages.

    The repeated rules stay where they were sent, so a server can keep the prompt in its cache.

    Args:
        rules: a text; None for the lab's rules, in the language of the system message.
        every: after how many rounds.
        role: "system" sends them as a separate system message. An endpoint that refuses a
            second system message gets them at the end of the latest result instead: `ChatModel`
            learns that from the first refusal, and `Reply.notes` says so. "user" adds them to
            the latest result from the start (in native calls, to the tool message).
    """

    rules: str | None = None
    every: int = 4
    role: str = field(default="system", repr=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.role not in ("user", "system"):
            raise ValueError(f'role is {self.role!r}; give "user" or "system".')

    def __call__(self, messages: list[Message]) -> list[Message]:
        head, rounds = split(messages)
        language = language_of(messages)
        rules = self.rules
        if rules is None:
            rules = ("" if language == "zh" else " ").join(RULES[language].values())
        text = message("rules", language, rules=rules)
        told = [
            self._repeated(past, text) if number % self.every == 0 else past
            for number, past in enumerate(rounds, 1)
        ]
        return join(head, told)

    def _repeated(self, past: Round, text: str) -> Round:
        if self.role == "user":
            return added(past, text)
        own: Message = {"role": "system", "content": text}
        return past if past[-1] == own else [*past, own]


@dataclass(frozen=True)
class TokenBudget(_Checked):
    """Send at most `budget` tokens: the oldest rounds are left out first, each as a whole.

    Head and last round are sent even if they alone exceed the budget. What an endpoint adds
    around each message is not counted, so choose a smaller budget.

    Args:
        budget: tokens.
        count: from a text to its number of tokens.
    """

    budget: int
    count: Callable[[str], int] = field(repr=False)

    def __call__(self, messages: list[Message]) -> list[Message]:
        head, rounds = split(messages)
        sizes = [sum(self.count(words_of(one)) for one in past) for past in rounds]
        left = self.budget - sum(self.count(words_of(one)) for one in head)
        first = 0
        while first < len(rounds) - 1 and sum(sizes[first:]) > left:
            first += 1
        return join(head, rounds[first:])


@dataclass(frozen=True)
class InBlocks(_Checked):
    """Apply another policy only after every n-th round; rounds since then are sent unchanged.

    Between two blocks messages are only added at the end, so what a server has computed for the
    start of the prompt stays valid.

    Args:
        fit: the other policy.
        n: rounds in a block.
    """

    fit: Fit
    n: int = 5

    def __call__(self, messages: list[Message]) -> list[Message]:
        head, rounds = split(messages)
        done = len(rounds) // self.n * self.n
        return [*self.fit(join(head, rounds[:done])), *join([], rounds[done:])]
