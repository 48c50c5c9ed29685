"""Exercise 6: a tool with a side effect, and the approval that it needs."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from react_lab.course.checking import Exercise, Wrong, ask
from react_lab.models.scripted import ScriptedModel
from react_lab.parser.moves import Action
from react_lab.registry.registry import Registry
from react_lab.registry.results import as_text
from react_lab.toolkit.lab import lab_tools
from react_lab.trace import Run


@dataclass(frozen=True)
class Case:
    """Replies of a model, and to whom the person allows a mail.

    sent: the mails that must have been sent at the end. asked: about whom the person was asked.
    """

    title: str
    replies: tuple[str, ...]
    allowed: tuple[str, ...] = ()
    sent: tuple[tuple[str, str], ...] = ()
    asked: tuple[str, ...] = ()


def mail(to: str) -> str:
    """A mail as a model writes it."""
    given = f'{{"to": "{to}", "text": "See you at 9."}}'
    return f"Thought: I write to {to}.\nAction: send_mail\nAction Input: {given}"


def sent(*names: str) -> tuple[tuple[str, str], ...]:
    """The outbox after mails to these people."""
    return tuple((name, "See you at 9.") for name in names)


LOOK = 'Thought: The weather first.\nAction: get_weather\nAction Input: {"city": "Oslo"}'
UNSAID = {as_text(value) for value in (None, True, False, "")}  # what a tool without words gives
END = "Thought: That is all.\nFinal Answer: Done."
CASES = (
    Case("one mail, and the person says yes", (mail("ada"), END), ("ada",), sent("ada"), ("ada",)),
    Case("one mail, and the person says no", (mail("ada"), END), asked=("ada",)),
    Case("a tool that only reads", (LOOK, END)),
    Case(
        "two mails: yes to ada, no to bo",
        (mail("ada"), mail("bo"), END),
        ("ada",),
        sent("ada"),
        ("ada", "bo"),
    ),
    Case(
        "two mails: no to ada, yes to bo",
        (mail("ada"), LOOK, mail("bo"), END),
        ("bo",),
        sent("bo"),
        ("ada", "bo"),
    ),
)


def check(work: Callable[..., Any]) -> None:
    """Raises Wrong unless work(question, model, tools, outbox, allowed) does right by each case."""
    told_of_sent: set[str] = set()
    for case in CASES:
        outbox: list[Any] = []
        asked: list[str] = []
        early: list[str] = []
        person = who_is_asked(case, outbox, asked, early)
        model, tools = ScriptedModel(case.replies), lab_tools().subset(("get_weather",))
        run = ask(case.title, work, "Write to them.", model, tools, outbox, person)
        if early:
            yours = f"the mail to {early[0]} was sent before the person was asked"
            raise Wrong(f"{case.title}: the outbox", yours, "nothing is done before the yes")
        look_at(case, run, tools, outbox, asked)
        look_at_words(case, run, told_of_sent)


def who_is_asked(
    case: Case, outbox: list[Any], asked: list[str], early: list[str]
) -> Callable[[Action], bool]:
    """The person: notes what is asked, and which mails were sent before that."""

    def allowed(action: Action) -> bool:
        to = action.arguments.get("to", action.tool)
        if to in [name for name, *_ in outbox]:
            early.append(to)
        asked.append(to)
        return to in case.allowed

    return allowed


def why_not(run: object) -> str:
    """What the model was told where asking broke, such as by a function that takes less."""
    seen = [past.observation for past in getattr(run, "steps", ()) if past.observation]
    broke = [one.text for one in seen if "Nobody could be asked" in one.text]
    return f"; the model was told: {broke[0]}" if broke else ""


def look_at(case: Case, run: object, tools: Registry, outbox: list[Any], asked: list[Any]) -> None:
    """Raises Wrong unless a run did what its case must do."""
    if "send_mail" not in tools:
        names = ", ".join(tool.name for tool in tools)
        raise Wrong("the registry", f"it holds {names}", "a tool named send_mail too")
    told = f"{case.title}: "
    if tuple(asked) != case.asked:
        yours = f"asked about {', '.join(asked) or 'nothing'}{why_not(run)}"
        wanted = f"asked about {', '.join(case.asked) or 'nothing'}, once for each mail"
        raise Wrong(f"{told}what the person was asked", yours, wanted)
    if not isinstance(run, Run):
        raise Wrong(f"{told}what you return", repr(run), "the Run")
    if run.stop != "answered":
        wanted = "answered: after a yes or a no the run goes on"
        raise Wrong(f"{told}how the run ended", run.stop, wanted)
    if [tuple(one) for one in outbox] != list(case.sent):
        raise Wrong(f"{told}the outbox", outbox, list(case.sent))


def look_at_words(case: Case, run: Run, told_of_sent: set[str]) -> None:
    """Raises Wrong unless the model was told of each mail that was not sent.

    told_of_sent: what the model reads after a mail that was sent; this adds to it.
    """
    for past in run.steps:
        move, seen = past.move, past.observation
        if not isinstance(move, Action) or move.tool != "send_mail" or seen is None:
            continue
        to = move.arguments["to"]
        words = re.sub(rf"\b{to}\b", "...", seen.text)
        if to in [name for name, _ in case.sent]:
            told_of_sent.add(words)
        elif words in told_of_sent or seen.text in UNSAID:
            wanted = "an observation that says that this mail was not sent: the model must know it"
            raise Wrong(f"{case.title}: what the model was told about {to}", seen.text, wanted)


EXERCISE = Exercise(
    name="approval",
    title="A side effect that needs approval",
    difficulty=2,
    minutes=20,
    hints=(
        "The registry must know that the tool changes something: tools.register has an argument "
        "for it. Then the agent stops before the call, or asks a function of yours.",
        'effect="write" makes the run stop with "needs approval", and run.pending is the call. '
        "step(run, agent, approve=True or False) goes on, for that one call. Or give the agent "
        "approve=a function of (action, run).",
        "agent = Agent(model, tools, approve=lambda action, run: allowed(action)), then "
        "return agent.run(question). With run.pending: while run.pending: "
        "run = agent.run(step(run, agent, approve=allowed(run.pending))).",
    ),
    check=check,
)
