"""Loop: write the messages, ask the model, read its move, run the tool, stop in time.

>>> from react_lab import ScriptedModel
>>> agent = Agent(ScriptedModel(["Thought: I know this.\\nFinal Answer: 4"]), Registry())
>>> run = agent.run("What is 2+2?")
>>> run.answer, run.stop
('4', 'answered')
"""

import json
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from react_lab import debug
from react_lab.context import smaller
from react_lab.keys import masked, secrets
from react_lab.models.notes_zh import in_chinese
from react_lab.models.reply import (
    ENDINGS,
    Fit,
    Message,
    Model,
    ModelError,
    Reply,
    lost_prompt,
)
from react_lab.parser.fields import believed
from react_lab.parser.moves import (
    BARE_INPUT,
    LEFT_UNRUN,
    Action,
    FinalAnswer,
    Malformed,
    Move,
)
from react_lab.parser.parse import parse
from react_lab.prompt import MESSAGES, Phrases, message
from react_lab.registry.registry import Observation, Registry, Tool, bind
from react_lab.registry.results import both_ends, sendable
from react_lab.stops import NOT_REPEATED, SkipRepeats, StopRule, rules_of, warning
from react_lab.trace import Interrupted, Run, Step

ENGLISH = Phrases("en")
Protocol = Callable[[Run, "Agent"], Run]

# With at least this many tools, the message about an unknown name lists only similar names.
MANY_TOOLS, NEAREST = 12, 8
CUT = "it was cut off at the token limit, so write less"

# One round in the text format -------------------------------------------------------------


def write_messages(run: Run, agent: "Agent") -> list[Message]:
    """Write all that the model has to know: system prompt, question, and every round so far.

    The model's own text goes back only up to an Observation that it invented. The real
    Observation goes back in the user role, because the model takes what is in the assistant
    role for its own words. A run that a limit has stopped ends with the call for a last answer.
    """
    system = agent.system
    if system is None:
        tools = agent.tools
        system = tools.once(agent.language, lambda: agent.phrases.system(tools))
    messages = [
        {"role": "system", "content": system},
        {"role": "user", "content": agent.phrases.labelled("question", run.question)},
    ]
    phrases = agent.phrases
    for past in run.steps:
        messages += past.once(("text", phrases), partial(turn, past, phrases))
    return ready(messages, run, agent)


def turn(past: Step, phrases: Phrases) -> list[Message]:
    """Write one step: for each of its moves the model's text, then the observation."""
    messages: list[Message] = []
    for move, seen in past.moves:
        if isinstance(move, Action) and past.reply.tool_calls:
            words = written(move, phrases)
        else:
            words = said(past.reply.text, phrases)
        messages.append({"role": "assistant", "content": words})
        if seen:
            content = phrases.labelled("observation", seen.full_text)
            messages.append({"role": "user", "content": content})
    return messages


def written(move: Action, phrases: Phrases) -> str:
    """Write a native call in the text format, so that a run can continue in another protocol."""
    given = json.dumps(move.arguments, ensure_ascii=False, default=str)
    parts = [("thought", move.thought), ("action", move.tool), ("input", given)]
    return "\n".join(phrases.labelled(kind, text) for kind, text in parts if text)


def said(text: str, phrases: Phrases = ENGLISH) -> str:
    """Cut a reply before an Observation that it invented; the rest goes back to the model."""
    return believed(text) or phrases.message("empty reply")


def ready(messages: list[Message], run: Run, agent: "Agent") -> list[Message]:
    """Make messages sendable. A stopped run's messages end with the call for a last answer."""
    if run.stop:
        call = agent.phrases.message("last_call")
        messages[-1] = {**messages[-1], "content": f"{messages[-1]['content']}\n{call}"}
    keys = secrets()
    for one in messages:
        one["content"] = one["content"] and sendable(str(one["content"]), keys)
    return messages


def send(
    messages: list[Message], run: Run, agent: "Agent", tools: list[dict[str, Any]] | None = None
) -> tuple[tuple[Message, ...], Reply]:
    """Ask the model.

    Args:
        messages: all messages; `agent.fit` chooses which of them are sent.
        run: the run so far.
        agent: whose model is asked.
        tools: schemas for native calls, None in the text format.

    Returns:
        What was sent, and the reply.

    Raises:
        ModelError: no usable reply came. Its `sent` holds the messages.
        TypeError: the model returned something other than a Reply.
    """
    sent = tuple(agent.fit(messages) if agent.fit else messages)
    copies = [dict(one) for one in sent]  # a copy, because the model may change its messages
    if rewind := getattr(agent.model, "rewind", None):  # a script continues where the run is
        rewind(len(run.steps))
    begin = time.perf_counter()
    try:
        sent, reply = fitting(sent, copies, agent, tools)
    except ModelError as error:
        error.sent = error.sent or sent
        raise
    if not isinstance(reply, Reply):
        raise TypeError(f"The model gave {type(reply).__name__}; let it return Reply(text=...).")
    calls = reply.tool_calls
    if not isinstance(reply.text, str) or not isinstance(calls, tuple | list):
        raise TypeError(f"The model gave {reply!r:.200}; text must be a str, tool_calls a tuple.")
    if not all(isinstance(call, dict) for call in calls):
        raise TypeError(f"The model gave tool_calls={calls!r:.200}; each call must be a dict.")
    if not reply.seconds:
        reply = replace(reply, seconds=time.perf_counter() - begin)
    if (text := masked(reply.text)) != reply.text:
        reply = replace(reply, text=text)
    if run.steps and not run.stop:  # the last word is asked for without tools: fewer tokens
        before = run.steps[-1]
        if warning := lost_prompt(before.sent, before.reply, sent, reply):
            reply = replace(reply, notes=(*reply.notes, warning))
    return sent, replace(reply, notes=tuple(spoken(one, agent) for one in reply.notes))


def spoken(words: object, agent: "Agent") -> str:
    """Return a note or an error of a model in the agent's language."""
    return in_chinese(str(words)) if agent.language == "zh" else str(words)


TOO_LONG = "The messages were too long for this model, so fewer of them were sent."


def fitting(
    sent: tuple[Message, ...],
    copies: list[Message],
    agent: "Agent",
    tools: list[dict[str, Any]] | None,
) -> tuple[tuple[Message, ...], Reply]:
    """Ask the model; once more with fewer messages if they were too long and `fit` may choose.

    Returns:
        What was sent in the end, and the reply.

    Raises:
        ModelError: no usable reply came. Its `sent` holds the messages.
    """
    try:
        return sent, agent.model(copies, tools) if tools else agent.model(copies)
    except ModelError as error:
        if error.kind != "context too long" or agent.fit is None:
            raise
        fewer = tuple(agent.fit(smaller(list(sent))))
        if fewer == sent:
            raise
    copies = [dict(one) for one in fewer]
    try:
        reply = agent.model(copies, tools) if tools else agent.model(copies)
    except ModelError as error:
        error.sent = fewer
        raise
    return fewer, replace(reply, notes=(*reply.notes, TOO_LONG))


def read(reply: Reply, agent: "Agent") -> Move:
    """Return the move in a reply of the text format."""
    return doubted(parse(reply.text, agent.tools.parameters()), reply)


def taken(reply: Reply, run: Run) -> Reply:
    """Return a reply as the parser gets it: the last word counts even if it is cut off."""
    cut = run.stop and reply.finish_reason == "length"
    return replace(reply, finish_reason="stop") if cut else reply


def doubted(move: Move, reply: Reply) -> Move:
    """Return a move, or Malformed if it may lack its end or its answer rests on an unrun action."""
    if cut_off(move, reply):
        return Malformed(move.thought, CUT, move.repairs)
    if isinstance(move, FinalAnswer) and LEFT_UNRUN in move.repairs:
        return Malformed(move.thought, LEFT_UNRUN, move.repairs)
    return move


def cut_off(move: Move, reply: Reply) -> bool:
    """Return whether a move may lack its end because the reply reached the token limit.

    Such a reply counts only if it is a call with arguments in JSON. The parser then accepts only
    whole values, and a missing brace only if every parameter of the tool is present.
    """
    bare = not isinstance(move, Action) or not move.arguments or BARE_INPUT in move.repairs
    return bare and reply.finish_reason == "length"


def text_step(run: Run, agent: "Agent") -> Run:
    """Take one round in the text format. A run that a limit has stopped gives its last word.

    Raises:
        ModelError: no usable reply came.
    """
    sent, reply = send(write_messages(run, agent), run, agent)
    return add(Step(sent, reply, read(taken(reply, run), agent)), run, agent)


# Acting on what was read ------------------------------------------------------------------


def add(latest: Step, run: Run, agent: "Agent") -> Run:
    """Add a step to a run and carry out its calls; to a stopped run, add it as the last word."""
    if run.stop:
        return replace(run, last_word=latest)
    return carry_out(Run(run.question, (*run.steps, latest)), agent)


def carry_out(run: Run, agent: "Agent", allowed: bool | None = None, note: str = "") -> Run:
    """Act on the moves of the last step, one by one, until one waits for a person.

    Args:
        run: a run whose last step has calls without an observation.
        agent: whose tools run.
        allowed: what a person decided about the first call, None if nobody was asked.
        note: what that person adds for the model.

    Raises:
        Interrupted: a person interrupted a tool. Its `run` can continue: the open calls are
            answered as interrupted.
    """
    before, latest, begun = Run(run.question, run.steps[:-1]), run.steps[-1], False
    try:
        while move := latest.waiting:
            if allowed is None:
                allowed, note = permission(move, before, agent)
            if allowed is None and isinstance(move, Action):
                note = agent.phrases.message("waits", tool=move.tool)
                return Run(run.question, (*before.steps, latest), "needs approval", note)
            begun = bool(allowed)
            if isinstance(move, Action) and not allowed:
                seen = refused(move, agent, note)
            else:
                seen = act(move, before, agent, note)
            latest, allowed, note, begun = latest.filled(seen), None, "", False
    except KeyboardInterrupt:
        latest = closed(latest, begun, agent.phrases)
        so_far = Run(
            run.question, (*before.steps, latest), note=agent.phrases.message("interrupted run")
        )
        raise Interrupted(so_far) from None
    stop = "answered" if isinstance(latest.move, FinalAnswer) else None
    return Run(run.question, (*before.steps, latest), stop)


def closed(latest: Step, begun: bool, phrases: Phrases) -> Step:
    """Answer the open calls of a step as interrupted. begun: whether the first one had started."""
    while latest.waiting:
        text = phrases.message("interrupted" if begun else "not begun")
        latest, begun = latest.filled(Observation(text, error="interrupted")), False
    return latest


def permission(move: Move, run: Run, agent: "Agent") -> tuple[bool | None, str]:
    """Return whether to act on a move, and a note for the model; (None, "") to wait for a person.

    Only a tool that writes needs approval, and only for a call that can run. `agent.approve` must
    return True to approve; an error, the text "no" or a coroutine refuses the call.
    """
    if not isinstance(move, Action) or move.tool not in agent.tools:
        return True, ""
    if agent.tools[move.tool].effect == "read" or skipped(move, run, agent):
        return True, ""
    try:
        bind(agent.tools[move.tool], move.arguments)
    except ValueError:
        return True, ""
    if agent.approve is None:
        return None, ""
    try:
        answer = agent.approve(move, run)
        if answer is True or not answer:
            return answer is True, ""
        reason = agent.phrases.message("no yes", given=type(answer).__name__)
    except Exception as error:
        reason = f"{type(error).__name__}: {error}"
    return False, agent.phrases.message("nobody", reason=reason)


def refused(move: Action, agent: "Agent", note: str) -> Observation:
    """Return the observation of a call that a person did not allow."""
    text = agent.phrases.message("refusal", tool=move.tool, note=note).strip()
    return Observation(text, error="refused")


def act(move: Action | Malformed, run: Run, agent: "Agent", note: str = "") -> Observation:
    """Do what a move asks for and return what came of it. note: what a person adds to it."""
    say, translate = agent.phrases.message, agent.phrases.translated
    if isinstance(move, Malformed):
        kind = "not_run" if move.reason == LEFT_UNRUN else "unreadable"
        return Observation(say(kind, reason=translate(move.reason)), error="unreadable")
    if skipped(move, run, agent):
        text = say("not_repeated", tool=move.tool[:80])
        return Observation(text, error=NOT_REPEATED, notice=note)
    seen = agent.tools.call(move.tool, move.arguments)
    if seen.error == "unknown tool":
        known = agent.tools.nearest(move.tool)
        names = ", ".join(known if len(known) <= MANY_TOOLS else known[:NEAREST])
        seen = replace(seen, text=say("unknown_tool", name=move.tool[:80], names=names))
    elif seen.error:
        kind = seen.error.replace(" ", "_")
        seen = replace(seen, text=say(kind, reason=translate(seen.text)))
    else:
        seen = replace(seen, text=agent.phrases.result(seen.text))
    added = notice(move, seen, run, agent)
    return replace(seen, notice="\n".join(filter(None, (added, note))))


def skipped(move: Action, run: Run, agent: "Agent") -> bool:
    """Return whether a rule of the agent says that this call is not run again."""
    rules = [rule for rule in agent.stops if isinstance(rule, SkipRepeats)]
    return any(rule.skips(move, run.steps) for rule in rules)


def notice(move: Action, seen: Observation, run: Run, agent: "Agent") -> str:
    """Return what the program adds to an observation: a cut, a repeat, failures; or ""."""
    steps = (*run.steps, Step((), Reply(""), move, seen))
    parts = []
    if seen.truncated and agent.tools.shorten is not both_ends:  # its observation says so already
        parts.append(agent.phrases.message("cut", missing=seen.truncated))
    if found := warning(steps, agent.stops):
        kind, values = found
        parts.append(agent.phrases.message(kind, **values))
    return "\n".join(parts)


# The agent, and its loop ------------------------------------------------------------------


# The settings of an agent that are functions, and what each looks like.
_FUNCTIONS = {
    "model": "It takes messages and returns a Reply: model=connect().",
    "protocol": "One of: text_step, native_step, hybrid_step.",
    "fit": "It takes messages and returns messages: fit=KeepRounds().",
    "approve": "It takes (action, run) and returns True for yes: approve=lambda action, run: True.",
    "stops": "Each takes a run and returns a reason, or None: stops=(StepLimit(5),).",
}


def check_settings(agent: "Agent") -> None:
    """Check now what would otherwise fail in the middle of a run.

    Raises:
        ValueError: a limit is not a number, or what must be a function cannot be called.
    """
    for name in ("max_steps", "max_seconds", "max_tokens"):
        limit = getattr(agent, name)
        if isinstance(limit, bool) or not isinstance(limit, int | float | None):
            raise ValueError(f"{name} is {limit!r}; give a number, or None for no limit.")
    for name, form in _FUNCTIONS.items():
        given = getattr(agent, name)
        functions = given if name == "stops" else (given,)
        optional = given is None and name != "protocol"  # without a model, only tools are used
        if not optional and not all(map(callable, functions)):
            raise ValueError(f"{name} is {given!r:.80}; give a function. {form}")


@dataclass(frozen=True)
class Agent:
    """A model with tools and stop rules.

    Args:
        model: `model(messages) -> Reply`.
        tools: what the model may call: a Registry, or a list of Tools and plain functions.
        language: of the prompt and the messages, "en" or "zh".
        system: your own system message, None for the lab's.
        fit: chooses which messages are sent (messages -> messages), None for all.
        max_steps: rounds before the run stops, None for no limit.
        max_seconds: seconds in the model and the tools, None for no limit.
        max_tokens: tokens sent and received in the whole run, None for no limit.
        stops: more stop rules, asked after the built-in ones: run -> reason or None.
        without: built-in rules to switch off: "repeats", "failures", "format faults".
        protocol: how one round is done: `text_step`, `native_step` or `hybrid_step`.
        approve: asked before a tool that writes runs, (action, run) -> bool. None makes the run
            stop and wait.
        debug: print each round as it happens; so does the environment variable REACT_LAB_DEBUG.

    Raises:
        ValueError: a limit below 1, an unknown language or rule, or a tool that cannot work.
    """

    model: Model
    tools: Registry
    language: str = "en"
    system: str | None = None
    fit: Fit | None = None
    max_steps: int | None = 8
    max_seconds: float | None = 300
    max_tokens: int | None = None
    stops: tuple[StopRule, ...] = ()
    without: tuple[str, ...] = ()
    protocol: Protocol = field(default=text_step, repr=False)
    approve: Callable[[Action, Run], bool] | None = field(default=None, repr=False)
    debug: bool = field(default=False, repr=False)
    phrases: Phrases = field(init=False, repr=False, compare=False)
    rules: tuple[StopRule, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.language not in MESSAGES:
            languages = ", ".join(MESSAGES)
            raise ValueError(f"There is no language {self.language!r}; give one of: {languages}.")
        for name in ("stops", "without"):
            given = getattr(self, name)
            if not isinstance(given, tuple | list):
                raise ValueError(f"{name} is {given!r}; give a tuple: {name}=({given!r},).")
        check_settings(self)
        known = getattr(self.model, "languages", None)
        if known and self.language not in known:
            values = {"known": ", ".join(known), "asked": self.language}
            warnings.warn(message("only", self.language, **values), stacklevel=3)
        object.__setattr__(self, "tools", registry_of(self.tools))
        object.__setattr__(self, "phrases", Phrases(self.language))
        limits = (self.max_steps, self.max_seconds, self.max_tokens)
        object.__setattr__(self, "rules", rules_of(*limits, self.stops, self.without))

    def stream(self, question: str | Run) -> Iterator[Run]:
        """Yield the growing Run, first without a step, then after each one, until it stops.

        Args:
            question: a text, or a Run to continue: one that has not ended, or one that a model
                error has stopped.
        """
        run = question if isinstance(question, Run) else Run(question)
        if run.stop == "model error":  # ask again: the endpoint may be back
            run = replace(run, stop=None, note="")
        yield run
        while run.stop is None:
            run = step(run, self)
            yield run
        if run.stop not in NO_LAST_WORD and run.last_word is None:
            yield last_word(run, self)

    def run(self, question: str | Run) -> Run:
        """Ask until the run stops, and return it.

        `stop` says why it ended; `finished` is True only if the model answered.

        An exception of your own model passes through. To keep the steps before it, use `stream`,
        or `keep` of react_lab.trace.

        Raises:
            Interrupted: a person interrupted the run. Its `run` holds the steps so far.
        """
        run = question if isinstance(question, Run) else Run(question)
        with self.alone():
            try:
                for latest in self.stream(run):
                    run = latest
            except KeyboardInterrupt as interrupt:
                so_far = interrupt.run if isinstance(interrupt, Interrupted) else run
                raise Interrupted(so_far) from None
            return run

    def resume(self, run: Run, approve: bool, note: str = "") -> Run:
        """Answer the call that a run waits for, and continue until the run stops again.

        Args:
            run: a run that stopped with "needs approval".
            approve: True to run the call, False to refuse it.
            note: what you add for the model.

        Raises:
            ValueError: the run does not wait for an approval, or approve is not True or False.
        """
        if run.pending is None:
            raise ValueError("This run does not wait for an approval. Use agent.run(run).")
        if approve is not True and approve is not False:  # 1 == True
            raise ValueError(f"approve is {approve!r}; give True or False.")
        return self.run(step(run, self, approve, note))

    def alone(self) -> AbstractContextManager[object]:
        """Let other runs wait while the model serves this one, if it has a single engine."""
        return getattr(self.model, "alone", nullcontext)()


def registry_of(tools: object) -> Registry:
    """Make a Registry of a list of Tools and plain functions; a Registry is returned unchanged."""
    if isinstance(tools, Registry):
        return tools
    if not isinstance(tools, tuple | list):
        raise ValueError(f"tools is {tools!r}; give a Registry, or a list of functions.")
    registry = Registry()
    for tool in tools:
        registry.add(tool) if isinstance(tool, Tool) else registry.register(tool)
    return registry


NO_LAST_WORD = ("answered", "model error", "needs approval")


def last_word(run: Run, agent: Agent) -> Run:
    """Ask a run that a limit has stopped once more, for the best answer so far."""
    try:
        run = agent.protocol(run, agent)
    except ModelError as error:
        note = f"{run.note} {agent.phrases.message('no last word', error=spoken(error, agent))}"
        run = replace(kept(error, run, agent), note=note)
    return printed(run, agent)


def printed(run: Run, agent: Agent) -> Run:
    """Print the latest round if the agent debugs. Return the run."""
    if debug.wanted(agent.debug):
        debug.show(run, agent.language)
    return run


def kept(error: ModelError, run: Run, agent: Agent) -> Run:
    """Add to the run the reply that came with an error, if there is one: it was paid for."""
    if error.reply is None:
        return run
    return add(Step(error.sent, error.reply, Malformed("", error.kind)), run, agent)


def step(run: Run, agent: Agent, approve: bool | None = None, note: str = "") -> Run:
    """Take one round: a Run in, the Run with one more Step out.

    The model's mistakes become an Observation, the endpoint's a stop reason; neither raises. A
    run that has stopped comes back unchanged, unless `approve` answers the call that it waits
    for (`run.pending`); `note` adds a text for the model.
    """
    if not (approve is None or approve is True or approve is False):  # 1 == True
        raise ValueError(f"approve is {approve!r}; give True or False.")
    if run.stop and not (run.pending and approve is not None):
        return run
    return printed(_step(run, agent, approve, note), agent)


def _step(run: Run, agent: Agent, approve: bool | None, note: str) -> Run:
    waits = run.steps and run.steps[-1].waiting
    try:
        run = carry_out(run, agent, approve, note) if waits else agent.protocol(run, agent)
    except ModelError as error:
        return replace(kept(error, run, agent), stop="model error", note=spoken(error, agent))
    if run.stop:
        return run
    reasons = [reason for rule in agent.rules if (reason := rule(run))]
    if reasons:
        note = agent.phrases.message("not finished", reason=agent.phrases.why(reasons[0]))
        why = f" {spoken(ENDINGS[reasons[0]], agent)}" if reasons[0] in ENDINGS else ""
        run = replace(run, stop=reasons[0], note=note + why)
    return run
