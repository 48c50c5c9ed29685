"""Loop: write the messages, ask the model, read its move, run the tool, stop in time.

>>> from react_lab.models import ScriptedModel
>>> agent = Agent(ScriptedModel(["Thought: I know this.\\nFinal Answer: 4"]), Registry())
>>> run = agent.run("What is 2+2?")
>>> run.answer, run.stop
('4', 'answered')
"""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass, field, replace

from react_lab.models.reply import Message, Model, ModelError, Reply, lost_prompt
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
from react_lab.prompt import MESSAGES, in_language, labelled, message, system_prompt
from react_lab.registry.registry import Observation, Registry, bind
from react_lab.stops import NOT_REPEATED, STOPS, SkipRepeats, StopRule, warning
from react_lab.trace import Run, Step

Fit = Callable[[list[Message]], list[Message]]


CUT = "it was cut off at the token limit, so write less"

# One round in the text format -------------------------------------------------------------


def write_messages(run: Run, agent: "Agent") -> list[Message]:
    """All that the model has to know: system prompt, question, and every round so far.

    The model's own words go back only up to an Observation that it invented. The real
    Observation goes back in the user role: what stands in the assistant role the model takes
    for its own words. A run that a limit has stopped ends with the call for a last answer.
    """
    system = agent.system
    if system is None:
        tools = agent.tools
        system = tools.once(agent.language, lambda: system_prompt(tools, agent.language))
    messages = [
        {"role": "system", "content": system},
        {"role": "user", "content": labelled("question", run.question, agent.language)},
    ]
    language = agent.language
    for past in run.steps:
        messages += past.once(("text", language), lambda past=past: turn(past, language))
    return ready(messages, run, agent)


def turn(past: Step, language: str) -> list[Message]:
    """One step as messages: for each of its moves the model's words, then the observation."""
    messages = []
    for move, seen in past.moves:
        native = past.reply.tool_calls and isinstance(move, Action)
        words = written(move, language) if native else said(past.reply.text)
        messages.append({"role": "assistant", "content": words})
        if seen:
            content = labelled("observation", whole_text(seen), language)
            messages.append({"role": "user", "content": content})
    return messages


def written(move: Action, language: str) -> str:
    """A native call as the text format writes it: a run can be taken up in another form."""
    given = json.dumps(move.arguments, ensure_ascii=False, default=str)
    parts = [("thought", move.thought), ("action", move.tool), ("input", given)]
    return "\n".join(labelled(kind, text, language) for kind, text in parts if text)


def said(text: str) -> str:
    """What of a reply goes back to the model: all up to an Observation that it invented."""
    return believed(text) or "(empty reply)"


def whole_text(seen: Observation) -> str:
    """An observation as the model reads it: the result, then what the program adds."""
    return "\n".join(filter(None, (seen.text, seen.notice)))


def ready(messages: list[Message], run: Run, agent: "Agent") -> list[Message]:
    """Messages that can be sent; those of a stopped run end with the call for a last answer."""
    if run.stop:
        call = message("last_call", agent.language)
        messages[-1] = {**messages[-1], "content": f"{messages[-1]['content']}\n{call}"}
    for one in messages:
        one["content"] = one["content"] and sendable(one["content"])
    return messages


def sendable(text: str) -> str:
    """A text without half an emoji: "\\ud83d" in the model's JSON cannot be sent back."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def send(
    messages: list[Message], run: Run, agent: "Agent", tools: list[dict] | None = None
) -> tuple[tuple[Message, ...], Reply]:
    """Ask the model. Returns what was sent, and the reply. Raises ModelError when none came."""
    sent = tuple(agent.fit(messages) if agent.fit else messages)
    copies = [dict(one) for one in sent]  # the model may change its own
    begin = time.perf_counter()
    try:
        reply = agent.model(copies, tools) if tools else agent.model(copies)
    except ModelError as error:
        error.sent = sent  # for the trace, when a reply came with it
        raise
    if not isinstance(reply, Reply):
        raise TypeError(f"The model gave {type(reply).__name__}; let it return Reply(text=...).")
    if not reply.seconds:
        reply = replace(reply, seconds=time.perf_counter() - begin)
    if run.steps and not run.stop:  # the last word is asked for without tools: fewer tokens
        before = run.steps[-1]
        if warning := lost_prompt(before.sent, before.reply, sent, reply):
            reply = replace(reply, notes=(*reply.notes, warning))
    return sent, reply


def read(reply: Reply, agent: "Agent") -> Move:
    """Return the move in a reply of the text format."""
    return doubted(parse(reply.text, agent.tools.parameters()), reply)


def doubted(move: Move, reply: Reply) -> Move:
    """Return a move, or Malformed if it may lack its end or its answer rests on an unrun action."""
    if cut_off(move, reply):
        return Malformed(move.thought, CUT, move.repairs)
    if isinstance(move, FinalAnswer) and LEFT_UNRUN in move.repairs:
        return Malformed(move.thought, LEFT_UNRUN, move.repairs)
    return move


def cut_off(move: Move, reply: Reply) -> bool:
    """Return whether a move may lack its end because the reply reached the token limit.

    Of such a reply only a call with arguments in JSON counts: there the parser accepts nothing
    but whole values, and a missing brace only if every parameter of the tool is present.
    """
    bare = not isinstance(move, Action) or not move.arguments or BARE_INPUT in move.repairs
    return bare and reply.finish_reason == "length"


def text_step(run: Run, agent: "Agent") -> Run:
    """One round in the text format. Raises ModelError when no reply came.

    Like every step function: a run that a limit has stopped is asked for its last word.
    """
    sent, reply = send(write_messages(run, agent), run, agent)
    return add(Step(sent, reply, read(reply, agent)), run, agent)


# Acting on what was read ------------------------------------------------------------------


def add(latest: Step, run: Run, agent: "Agent") -> Run:
    """The run with one more step, whose calls are carried out; or with its last word."""
    if run.stop:
        return replace(run, last_word=latest)
    return carry_out(Run(run.question, (*run.steps, latest)), agent)


def carry_out(run: Run, agent: "Agent", allowed: bool | None = None, note: str = "") -> Run:
    """Act on the moves of the last step, one by one, until one waits for a person.

    allowed: what a person said about the first of them, None if nobody was asked; note: what
    the person adds for the model. An interrupt passes through, with the run so far as `.run`:
    in it the open calls are answered as interrupted, so that it can go on.
    """
    before, latest, begun = Run(run.question, run.steps[:-1]), run.steps[-1], False
    try:
        while move := latest.waiting:
            if allowed is None:
                allowed, note = permission(move, before, agent)
            if allowed is None:
                note = f"{move.tool} waits for a yes or no: step(run, agent, approve=True)."
                return Run(run.question, (*before.steps, latest), "needs approval", note)
            begun = allowed
            seen = act(move, before, agent, note) if allowed else refused(move, agent, note)
            latest, allowed, note, begun = latest.filled(seen), None, "", False
    except KeyboardInterrupt as interrupt:
        latest = closed(latest, begun, agent.language)
        interrupt.run = Run(run.question, (*before.steps, latest), note="Interrupted.")
        raise
    stop = "answered" if isinstance(latest.move, FinalAnswer) else None
    return Run(run.question, (*before.steps, latest), stop)


def closed(latest: Step, begun: bool, language: str) -> Step:
    """The step with its open calls answered as interrupted. begun: whether the first one ran."""
    while latest.waiting:
        text = message("interrupted" if begun else "not begun", language)
        latest, begun = latest.filled(Observation(text, error="interrupted")), False
    return latest


def permission(move: Move, run: Run, agent: "Agent") -> tuple[bool | None, str]:
    """Whether a move may be acted on, and a note for the model; (None, "") to wait for a person.

    Only a tool that writes needs a yes, and only for a call that can run. From `agent.approve`
    nothing but True is a yes: not an error, not the text "no", not a coroutine.
    """
    known = isinstance(move, Action) and move.tool in agent.tools
    if not known or agent.tools[move.tool].effect == "read" or skipped(move, run, agent):
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
        reason = f"approve gave a {type(answer).__name__}, not True or False"
    except Exception as error:
        reason = f"{type(error).__name__}: {error}"
    return False, f"Nobody could be asked ({reason})."


def refused(move: Action, agent: "Agent", note: str) -> Observation:
    """What the model sees of a call that a person did not allow."""
    text = message("refusal", agent.language, tool=move.tool, note=note).strip()
    return Observation(text, error="refused")


def act(move: Move, run: Run, agent: "Agent", note: str = "") -> Observation:
    """Do what a move asks for, and say what came of it. note: what a person adds to it."""
    if isinstance(move, Malformed):
        reason = in_language(move.reason, agent.language)
        kind = "not_run" if move.reason == LEFT_UNRUN else "unreadable"
        return Observation(message(kind, agent.language, reason=reason), error="unreadable")
    if skipped(move, run, agent):
        text = message("not_repeated", agent.language, tool=move.tool[:80])
        return Observation(text, error=NOT_REPEATED, notice=note)
    seen = agent.tools.call(move.tool, move.arguments)
    if seen.error == "unknown tool":
        names = ", ".join(agent.tools.nearest(move.tool))
        text = message("unknown_tool", agent.language, name=move.tool[:80], names=names)
        seen = replace(seen, text=text)
    elif seen.error:
        kind = seen.error.replace(" ", "_")
        reason = in_language(seen.text, agent.language) if kind == "bad_arguments" else seen.text
        seen = replace(seen, text=message(kind, agent.language, reason=reason))
    added = notice(move, seen, run, agent)
    return replace(seen, notice="\n".join(filter(None, (added, note))))


def skipped(move: Action, run: Run, agent: "Agent") -> bool:
    """Return whether a rule of the agent says that this call is not run again."""
    rules = [rule for rule in agent.stops if isinstance(rule, SkipRepeats)]
    return any(rule.skips(move, run.steps) for rule in rules)


def notice(move: Action, seen: Observation, run: Run, agent: "Agent") -> str:
    """What the program adds to an observation: a cut, a repeat, too many failures; or ""."""
    steps = (*run.steps, Step((), None, move, seen))
    parts = []
    if seen.truncated:
        parts.append(message("cut", agent.language, missing=seen.truncated))
    if found := warning(steps, agent.stops):
        kind, values = found
        parts.append(message(kind, agent.language, **values))
    return "\n".join(parts)


# The agent, and its loop ------------------------------------------------------------------


@dataclass(frozen=True)
class Agent:
    """A model with tools and brakes.

    model: `model(messages) -> Reply`. tools: what it may call. language: of prompt and
    messages, "en" or "zh". system: your own system message, None for the lab's. fit: chooses
    which messages to send (messages -> messages), None for all. stops: the brakes, in the
    order in which they are asked. step: how one round is done, `text_step` or one of
    function_calling. approve: asked before a tool that writes runs, (action, run) -> bool;
    None makes the run stop and wait. Raises ValueError for a limit that no run can keep.
    """

    model: Model
    tools: Registry
    language: str = "en"
    system: str | None = None
    fit: Fit | None = None
    stops: tuple[StopRule, ...] = STOPS
    step: Callable[[Run, "Agent"], Run] = field(default=text_step, repr=False)
    approve: Callable[[Action, Run], bool] | None = field(default=None, repr=False)

    def __post_init__(self):
        if self.language not in MESSAGES:
            languages = ", ".join(MESSAGES)
            raise ValueError(f"There is no language {self.language!r}; give one of: {languages}.")
        if not isinstance(self.stops, tuple | list):
            raise ValueError(f"stops is {self.stops!r}; give a tuple: stops=({self.stops!r},).")
        for rule in self.stops:
            limit = getattr(rule, "n", getattr(rule, "seconds", 1))
            if limit <= 0:
                raise ValueError(f"{rule} stops before the first step; give a limit above 0.")

    def stream(self, question: str | Run) -> Iterator[Run]:
        """Yield the growing Run, first without a step, then after each one, until it stops.

        question: a text, or a Run to go on with.
        """
        run = question if isinstance(question, Run) else Run(question)
        yield run
        while run.stop is None:
            run = step(run, self)
            yield run
        if run.stop not in NO_LAST_WORD and run.last_word is None:
            yield last_word(run, self)

    def run(self, question: str | Run) -> Run:
        """Ask until the run stops, and return it. Its `stop` says why, `finished` if well.

        Whatever breaks it off, an interrupt or a fault in a model of your own, carries the run
        so far as `.run`.
        """
        run = question if isinstance(question, Run) else Run(question)
        alone = getattr(self.model, "alone", nullcontext)  # one engine: runs do not interleave
        with alone():
            try:
                for latest in self.stream(run):
                    run = latest
            except BaseException as broken:  # an interrupt, or a fault in somebody's own model
                broken.run = getattr(broken, "run", run)
                raise
            return run


NO_LAST_WORD = ("answered", "model error", "needs approval")


def last_word(run: Run, agent: Agent) -> Run:
    """Ask a run that a limit has stopped once more, for the best answer so far."""
    try:
        return agent.step(run, agent)
    except ModelError as error:
        return replace(kept(error, run, agent), note=f"{run.note} No last word: {error}")


def kept(error: ModelError, run: Run, agent: Agent) -> Run:
    """The run with the reply that came with an error, if one did: it was paid for."""
    if error.reply is None:
        return run
    return add(Step(error.sent, error.reply, Malformed("", error.kind)), run, agent)


def step(run: Run, agent: Agent, approve: bool | None = None, note: str = "") -> Run:
    """One round: a Run in, the Run with one more Step out.

    approve: yes or no to the call that a stopped run waits for (`run.pending`); note: what you
    add for the model. Never raises for the model's mistakes or the endpoint's: those become an
    Observation or a stop reason. A run that has stopped comes back as it is. Raises ValueError
    for an `approve` that is neither.
    """
    if approve not in (None, True, False):
        raise ValueError(f"approve is {approve!r}; give True or False.")
    waits = run.steps and run.steps[-1].waiting
    if run.stop and not (run.pending and approve is not None):
        return run
    try:
        run = carry_out(run, agent, approve, note) if waits else agent.step(run, agent)
    except ModelError as error:
        return replace(kept(error, run, agent), stop="model error", note=str(error))
    if run.stop:
        return run
    reasons = [reason for rule in agent.stops if (reason := rule(run))]
    return replace(run, stop=reasons[0], note=f"Not finished: {reasons[0]}.") if reasons else run
