"""Pieces of notebook 05: the loop, its limit, and a rule that notices a circle."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from react_lab.course.checking import Exercise, Wrong, ask
from react_lab.models.reply import Message, Reply
from react_lab.parser import Action, FinalAnswer, believed, parse
from react_lab.registry import Registry

NOTEBOOK = "05_loop"
SYSTEM = "You answer questions by using tools."

# What the checks use ------------------------------------------------------------------------


@dataclass
class Played:
    """A model that plays its replies in turn and keeps what it was sent."""

    replies: list[str]

    def __post_init__(self) -> None:
        self.sent: list[list[Message]] = []

    def __call__(self, messages: list[Message], tools: object = None) -> Reply:
        """Return the next reply, and keep what was sent."""
        self.sent.append([dict(one) for one in messages])
        return Reply(self.replies[min(len(self.sent), len(self.replies)) - 1])


def double(number: int) -> int:
    """Double a whole number."""
    return 2 * number


def doubles() -> Registry:
    """A registry with one tool."""
    tools = Registry()
    tools.register(double)
    return tools


CALL = 'Thought: I double it.\nAction: double\nAction Input: {"number": 21}'
END = "Thought: I know it.\nFinal Answer: It is 42."

# 1 ------------------------------------------------------------------------------------------


def react(question: str, model: Callable[..., Any], tools: Registry, limit: int = 8) -> str | None:
    """Return the model's answer, or None when it has not answered after `limit` replies."""
    messages = [
        {"role": "system", "content": SYSTEM},
        {"role": "user", "content": f"Question: {question}"},
    ]
    for _ in range(limit):
        text = model(messages).text
        move = parse(text, tools.parameters())
        if isinstance(move, FinalAnswer):
            return move.answer
        if isinstance(move, Action):
            seen = tools.call(move.tool, move.arguments).text
        else:
            seen = f"I could not read your reply: {move.reason}."
        messages.append({"role": "assistant", "content": believed(text)})
        messages.append({"role": "user", "content": f"Observation: {seen}"})
    return None


def check_react(work: Callable[..., Any]) -> None:
    """An answer at once, after a call, after mistakes, never; and what the model was sent."""

    def run(said: str, *replies: str, limit: int = 8) -> tuple[object, Played]:
        model = Played(list(replies))
        return ask(said, work, "What is twice 21?", model, doubles(), limit), model

    yours, model = run("react with a model that answers at once", END)
    if yours != "It is 42." or len(model.sent) != 1:
        raise Wrong("react with a model that answers at once", repr(yours), repr("It is 42."))
    if "What is twice 21?" not in str(model.sent[0]):
        raise Wrong("the messages of the first round", model.sent[0], "the question in one of them")
    yours, model = run("react with one call and an answer", CALL, END)
    if yours != "It is 42.":
        raise Wrong("react with one call and an answer", repr(yours), repr("It is 42."))
    roles = [one["role"] for one in model.sent[-1]][-2:]
    texts = [str(one["content"]) for one in model.sent[-1]][-2:]
    if roles != ["assistant", "user"] or "double" not in texts[0] or "42" not in texts[1]:
        wanted = "assistant: the model's own call; user: Observation: 42"
        raise Wrong("the last two messages of the second round", model.sent[-1][-2:], wanted)
    yours, model = run("react with an invented observation", f"{CALL}\nObservation: 41", END)
    if any("41" in str(one["content"]) for one in model.sent[-1]):
        wanted = "the reply up to the invented Observation: believed(text)"
        raise Wrong("what goes back of a reply that invents", model.sent[-1][-2:], wanted)
    yours, model = run("react with a reply that cannot be read", "Hm.", CALL, END)
    if yours != "It is 42." or len(model.sent) != 3:
        wanted = "three rounds and 'It is 42.': the model is told the reason and tries again"
        raise Wrong("react with a reply that cannot be read", repr(yours), wanted)
    if "no Action" not in str(model.sent[1][-1]["content"]):
        raise Wrong("what the model is told then", model.sent[1][-1], "move.reason in the message")
    yours, model = run("react with a model that never answers, limit=3", CALL, limit=3)
    if yours is not None or len(model.sent) != 3:
        found = f"{yours!r} after {len(model.sent)} replies"
        raise Wrong("react with a model that never answers, limit=3", found, "None after 3 replies")


# 2 ------------------------------------------------------------------------------------------


def in_a_circle(calls: list[tuple[str, dict[str, Any], str]], n: int = 3) -> bool:
    """Return whether the last `n` calls had the same tool, arguments and result."""
    last = calls[-n:]
    return len(last) == n and all(call == last[0] for call in last)


def check_circle(work: Callable[..., Any]) -> None:
    """The same call three times; two times; other results; other arguments; in between."""
    tea, oslo = ("search", {"q": "tea"}, "nothing"), ("weather", {"city": "Oslo"}, "rain")
    poll = [("status", {"job": 7}, text) for text in ("10%", "20%", "30%")]
    cities = [("weather", {"city": city}, "rain") for city in ("Oslo", "Lima", "Rome")]
    for said, calls, wanted in (
        ("no call", [], False),
        ("two calls that are the same", [tea, tea], False),
        ("three calls that are the same", [tea, tea, tea], True),
        ("three that are the same after another one", [oslo, tea, tea, tea], True),
        ("another call between them", [tea, tea, oslo, tea], False),
        ("one tool, three cities", cities, False),
        ("one call whose result changes", poll, False),
    ):
        yours = ask(f"in_a_circle for {said}", work, list(calls))
        if bool(yours) != wanted:
            raise Wrong(f"in_a_circle for {said}: {calls}", repr(yours), repr(wanted))
    yours = ask("in_a_circle(calls, n=2) for two that are the same", work, [tea, tea], 2)
    if not yours:
        raise Wrong("in_a_circle(calls, n=2) for two that are the same", repr(yours), "True")


PIECES = (
    Exercise(
        "react",
        "the loop",
        3,
        15,
        (
            "Keep one list of messages. In each round: ask the model, parse its reply, act, and "
            "add two messages. A for loop over range(limit) is the limit.",
            "A FinalAnswer ends the function. For an Action, tools.call(move.tool, move.arguments) "
            "gives an observation with .text. For a Malformed, move.reason says what was wrong.",
            'Add {"role": "assistant", "content": believed(text)} and {"role": "user", "content": '
            'f"Observation: {seen}"}. After the loop, return None.',
        ),
        check_react,
        NOTEBOOK,
        react,
    ),
    Exercise(
        "in_a_circle",
        "notice a circle",
        2,
        6,
        (
            "A circle is more than the same tool: tool, arguments and result are the same.",
            "calls[-n:] are the last n calls. There may be fewer than n of them.",
            "last = calls[-n:]; there is a circle if len(last) == n and all of them equal last[0].",
        ),
        check_circle,
        NOTEBOOK,
        in_a_circle,
    ),
)
