"""Exercise 5: a context policy that sends less than the given one, and loses no case."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from react_lab.context import KeepRounds, words_of
from react_lab.course.checking import Exercise, Wrong, ask
from react_lab.loop import Agent
from react_lab.models.reply import Message, Reply
from react_lab.registry.registry import Registry
from react_lab.stops import BY_NAME
from react_lab.trace import Run

GIVEN = KeepRounds(n=4, cut=200)
AT_MOST = 0.8  # of its tokens

# An invented archive: on each page one sentence with a number, among others without.
FACTS = {
    "mill": "The mill was built in 1743.",
    "ferry": "The ferry carries 52 people.",
    "tower": "The tower is 38.5 metres high.",
    "bridge": "The bridge was closed for 19 weeks.",
    "chapel": "The chapel owns 7 bells.",
    "library": "The library lends 6120 books a year.",
    "harbour": "The harbour is 14 metres deep.",
    "school": "The school was burnt down in 1866.",
}
BEFORE = (
    "",
    "It lies on the road to the sea. ",
    "It lies on the road to the sea. Many painters came here in summer. ",
)
BEHIND = (
    "The roof was mended by the people of the town themselves. Nobody knows who drew the first "
    "plan, and the letters about it were lost. A small path leads down to the water, where boats "
    "used to land. In winter the gate stays closed, and the keeper has the key. Old songs tell of "
    "a light that was seen above it in the fog. The stones came from a quarry across the bay."
)
PAGES = {
    name: f"About the {name}. {BEFORE[place % 3]}{fact} {BEHIND}"
    for place, (name, fact) in enumerate(FACTS.items())
}
ASKED = (
    ("mill", "ferry"),
    ("tower", "school"),
    ("bridge", "chapel"),
    ("library", "mill"),
    ("ferry", "harbour"),
    ("school", "bridge"),
    ("harbour", "tower"),
    ("chapel", "library"),
)


@dataclass(frozen=True)
class Outcome:
    """What a policy came to. lost: the cases whose answer was not right. tokens: sent, in all."""

    lost: tuple[str, ...]
    tokens: int


def check(work: Callable[..., Any]) -> str:
    """Raises Wrong unless a policy solves all cases with four fifths of GIVEN's tokens.

    Returns both numbers of tokens, in words.
    """
    given = tried(GIVEN)
    look_at_messages(work)
    yours = ask("your policy in a run", tried, work)
    if yours.lost:
        wanted = f"all {len(ASKED)} cases solved, as with {GIVEN}"
        raise Wrong("the cases", f"lost: {'; '.join(yours.lost)}", wanted)
    if yours.tokens > AT_MOST * given.tokens:
        wanted = f"at most {AT_MOST * given.tokens:,.0f}: {AT_MOST:.0%} of what {GIVEN} sends"
        raise Wrong("the tokens sent, with no case lost", f"{yours.tokens:,}", wanted)
    saved = 1 - yours.tokens / given.tokens
    return f"  Sent: {yours.tokens:,} tokens; {GIVEN}: {given.tokens:,}. You save {saved:.0%}."


def look_at_messages(work: Callable[..., Any]) -> None:
    """Raises Wrong unless what a policy sends is a list of messages that an endpoint takes."""
    for step in run_of(None, ASKED[0]).steps:
        sent, told = list(step.sent), f"your policy on {len(step.sent)} messages"
        found = ask(told, work, [dict(one) for one in sent])
        whole = isinstance(found, list | tuple) and all(
            isinstance(one, dict) and {"role", "content"} <= one.keys() for one in found
        )
        if not whole or not found:
            raise Wrong(told, repr(found), "a list of messages, each with role and content")
        if found[0] != sent[0]:
            raise Wrong(f"{told}: the first", found[0], "the system prompt, as it was")
        roles = [one["role"] for one in found]
        wanted = ["system", *["user", "assistant"] * len(sent)][: len(roles)]
        if roles != wanted or roles[-1] != "user":
            right = f"{', '.join(wanted)}: a call and its result stay together, or go together"
            raise Wrong(f"{told}: the roles", ", ".join(roles), right)


def tried(policy: Callable[..., Any]) -> Outcome:
    """A policy on all cases."""
    runs = [run_of(policy, names) for names in ASKED]
    lost = [run.question for run, names in zip(runs, ASKED) if not solved(run, names)]
    return Outcome(tuple(lost), sum(run.tokens for run in runs))


def run_of(policy: Callable[..., Any] | None, asked: tuple[str, str]) -> Run:
    """The run of one case: it reads all pages, those that are asked for first."""
    tools = Registry()

    @tools.register(example={"name": "mill"})
    def read_page(name: str) -> str:
        """A page of the town's archive. Use it for the buildings of the town."""
        return PAGES[name]

    order = [*asked, *(name for name in PAGES if name not in asked)]
    question = f"What is the number of the {asked[0]}, and what is that of the {asked[1]}?"
    return Agent(
        reader(order, asked), tools, fit=policy, max_steps=None, without=tuple(BY_NAME)
    ).run(question)


def reader(order: list[str], asked: tuple[str, str]) -> Callable[..., Any]:
    """A scripted model that reads the pages in this order, and answers from what it was sent.

    It knows nothing else: what the policy has left out, it cannot say. Tokens are characters / 4.
    """
    pages = iter(order)

    def model(messages: list[Message], tools: list[dict[str, Any]] | None = None) -> Reply:
        count = sum(len(words_of(one)) for one in messages) // 4
        text = "\n".join(words_of(one) for one in messages)
        if (page := next(pages, None)) is not None:
            call = f"Thought: I read about the {page}, since it may matter.\nAction: read_page\n"
            return Reply(f'{call}Action Input: {{"name": "{page}"}}', tokens_in=count)
        known = [value for name in asked if (value := number(name)) in seen_numbers(text)]
        kept = f"number of the {asked[0]}, and" in text  # the question
        answer = " and ".join(known) if kept and len(known) == 2 else "I no longer know."
        return Reply(f"Thought: That is all.\nFinal Answer: {answer}", tokens_in=count)

    return model


def number(name: str) -> str:
    """The number in the fact of a page."""
    return seen_numbers(FACTS[name])[0]


def seen_numbers(text: str) -> list[str]:
    """All numbers in a text, each as it is written."""
    return re.findall(r"\d[\d.]*\d|\d", text)


def solved(run: Run, asked: tuple[str, str]) -> bool:
    """Whether a run ended with both numbers."""
    return run.finished and run.answer == " and ".join(map(number, asked))


EXERCISE = Exercise(
    name="context_policy",
    title="A context policy",
    difficulty=4,
    minutes=30,
    hints=(
        "Look at what is sent in the last round of a long run: system prompt, question, and then "
        "calls and results. Which of those words does an answer rest on? The last round must stay "
        "whole, and so must the head.",
        "split from react_lab.context gives the head and the rounds, join puts them together "
        "again. Old thoughts and inputs can go, if call and result go together: then what the "
        "result told stands as a line behind the question. Do not cut blindly: the number may "
        "stand late.",
        "head, rounds = split(messages). Of every old round keep the sentences that hold a digit: "
        're.findall(r"[^.\\n]*\\d[^\\n]*?\\.(?=\\s|$)", result). Add them to the question with '
        "added(head, text), and return join(added(head, text), rounds[-1:]).",
    ),
    check=check,
)
