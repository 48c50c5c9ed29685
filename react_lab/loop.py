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
from dataclasses import dataclass, replace

from react_lab.models import Message, Model, ModelError
from react_lab.parser import Action, FinalAnswer, Malformed, Move, believed, parse
from react_lab.prompt import MESSAGES, in_language, labelled, message, system_prompt
from react_lab.registry import Observation, Registry
from react_lab.trace import Run, Step

StopRule = Callable[[Run], str | None]
Fit = Callable[[list[Message]], list[Message]]


@dataclass(frozen=True)
class StepLimit:
    """Stop after n steps."""

    n: int = 8

    def __call__(self, run: Run) -> str | None:
        return "step limit" if len(run.steps) >= self.n else None


@dataclass(frozen=True)
class TokenLimit:
    """Stop when the whole run has used n tokens, sent and received."""

    n: int

    def __call__(self, run: Run) -> str | None:
        return "token limit" if run.tokens >= self.n else None


@dataclass(frozen=True)
class TimeLimit:
    """Stop when model and tools have taken this many seconds."""

    seconds: float

    def __call__(self, run: Run) -> str | None:
        return "time limit" if run.seconds >= self.seconds else None


@dataclass(frozen=True)
class RepeatLimit:
    """Stop at the n-th call in a row with the same tool, input and result."""

    n: int = 4

    def __call__(self, run: Run) -> str | None:
        return "repeats" if repeats(run.steps) >= self.n else None


@dataclass(frozen=True)
class FailureLimit:
    """Stop at the n-th error in a row of one tool."""

    n: int = 4

    def __call__(self, run: Run) -> str | None:
        return "failures" if failures(run.steps) >= self.n else None


STOPS = (StepLimit(8), TimeLimit(300), RepeatLimit(4), FailureLimit(4))


@dataclass(frozen=True)
class Agent:
    """A model with tools and brakes.

    model: `model(messages) -> Reply`. tools: what it may call. language: of prompt and
    messages, "en" or "zh". system: your own system message, None for the lab's. fit: chooses
    which messages to send (messages -> messages), None for all. stops: the brakes, in the
    order in which they are asked. Raises ValueError for a limit that no run can keep.
    """

    model: Model
    tools: Registry
    language: str = "en"
    system: str | None = None
    fit: Fit | None = None
    stops: tuple[StopRule, ...] = STOPS

    def __post_init__(self):
        if self.language not in MESSAGES:
            languages = ", ".join(MESSAGES)
            raise ValueError(f"There is no language {self.language!r}; give one of: {languages}.")
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
        if run.stop not in ("answered", "model error") and run.last_word is None:
            yield last_word(run, self)

    def run(self, question: str | Run) -> Run:
        """Ask until the run stops, and return it. Its `stop` says why, `finished` if well.

        When you interrupt it, the KeyboardInterrupt carries the run so far as `.run`.
        """
        alone = getattr(self.model, "alone", nullcontext)  # one engine: runs do not interleave
        with alone():
            try:
                for latest in self.stream(question):
                    run = latest
            except KeyboardInterrupt as interrupt:
                interrupt.run = run
                raise
            return run


def step(run: Run, agent: Agent) -> Run:
    """One round: a Run in, the Run with one more Step out.

    Never raises for the model's mistakes or the endpoint's: those become an Observation or a
    stop reason. A run that has stopped comes back as it is.
    """
    if run.stop:
        return run
    try:
        latest = ask(write_messages(run, agent), run, agent)
    except ModelError as error:
        return replace(run, stop="model error", note=str(error))
    run = replace(run, steps=(*run.steps, latest), note="", last_word=None)
    if isinstance(latest.move, FinalAnswer):
        return replace(run, stop="answered")
    reasons = [reason for rule in agent.stops if (reason := rule(run))]
    return replace(run, stop=reasons[0], note=f"Not finished: {reasons[0]}.") if reasons else run


def ask(messages: list[Message], run: Run, agent: Agent) -> Step:
    """Send the messages, read the reply, act on it. Raises ModelError when no reply came."""
    latest = send(messages, agent)
    return replace(latest, observation=act(latest.move, run, agent))


def send(messages: list[Message], agent: Agent) -> Step:
    """What the model says to these messages, read but not acted on. Raises ModelError."""
    sent = tuple(agent.fit(messages) if agent.fit else messages)
    begin = time.perf_counter()
    reply = agent.model([dict(one) for one in sent])  # copies: the model may change its own
    if not reply.seconds:
        reply = replace(reply, seconds=time.perf_counter() - begin)
    move = parse(reply.text, agent.tools.parameters())
    whole = isinstance(move, Action) and "bare input read" not in move.repairs
    if reply.finish_reason == "length" and not whole:
        reason = "it was cut off at the token limit, so write less"
        move = Malformed(move.thought, reason, move.repairs)
    return Step(sent, reply, move)


def write_messages(run: Run, agent: Agent) -> list[Message]:
    """All that the model has to know: system prompt, question, and every round so far.

    The model's own words go back only up to an Observation that it invented. The real
    Observation goes back in the user role: what stands in the assistant role the model takes
    for its own words.
    """
    system = agent.system
    if system is None:
        system = system_prompt(agent.tools, agent.language)
    messages = [
        {"role": "system", "content": system},
        {"role": "user", "content": labelled("question", run.question, agent.language)},
    ]
    for past in run.steps:
        said = believed(past.reply.text) or "(empty reply)"
        messages.append({"role": "assistant", "content": said})
        if past.observation:
            seen = "\n".join(filter(None, (past.observation.text, past.observation.notice)))
            content = labelled("observation", seen, agent.language)
            messages.append({"role": "user", "content": content})
    for one in messages:  # half an emoji, "\ud83d" in JSON, cannot be sent
        one["content"] = one["content"].encode("utf-8", "replace").decode()
    return messages


def act(move: Move, run: Run, agent: Agent) -> Observation | None:
    """Do what the move asks for, and say what came of it. None for a final answer."""
    if isinstance(move, FinalAnswer):
        return None
    if isinstance(move, Malformed):
        reason = in_language(move.reason, agent.language)
        text = message("unreadable", agent.language, reason=reason)
        return Observation(text, error="unreadable")
    seen = agent.tools.call(move.tool, move.arguments)
    if seen.error == "unknown tool":
        names = ", ".join(agent.tools.nearest(move.tool))
        text = message("unknown_tool", agent.language, name=move.tool[:80], names=names)
        seen = replace(seen, text=text)
    elif seen.error:
        kind = seen.error.replace(" ", "_")
        reason = in_language(seen.text, agent.language) if kind == "bad_arguments" else seen.text
        seen = replace(seen, text=message(kind, agent.language, reason=reason))
    return replace(seen, notice=notice(move, seen, run, agent.language))


def notice(move: Action, seen: Observation, run: Run, language: str) -> str:
    """What the program adds to an observation: a cut, a repeat, too many failures; or ""."""
    steps = (*run.steps, Step((), None, move, seen))
    parts = []
    if seen.truncated:
        parts.append(message("cut", language, missing=seen.truncated))
    if failures(steps) >= 3:
        parts.append(message("failures", language, tool=move.tool, count=failures(steps)))
    elif repeats(steps) >= 3:
        parts.append(message("repeat", language, tool=move.tool))
    return "\n".join(parts)


def last_word(run: Run, agent: Agent) -> Run:
    """Ask a run that a limit has stopped once more, for the best answer so far."""
    messages = write_messages(run, agent)
    call = message("last_call", agent.language)
    messages[-1] = {**messages[-1], "content": f"{messages[-1]['content']}\n{call}"}
    try:
        return replace(run, last_word=send(messages, agent))
    except ModelError as error:
        return replace(run, note=f"{run.note} No last word: {error}")


def repeats(steps: tuple[Step, ...]) -> int:
    """How many steps at the end called the same tool with the same input and result."""
    return _streak(steps, lambda s: (s.move.tool, _normal(s.move.arguments), s.observation.text))


def failures(steps: tuple[Step, ...]) -> int:
    """How many steps at the end were errors of one and the same tool."""
    return _streak(steps, lambda s: s.move.tool if s.observation.error else None)


def _streak(steps: tuple[Step, ...], key: Callable[[Step], object]) -> int:
    """Length of the run of steps at the end that are actions with an equal key."""
    count, last = 0, None
    for past in reversed(steps):
        if not isinstance(past.move, Action) or (this := key(past)) is None:
            break
        if count and this != last:
            break
        count, last = count + 1, this
    return count


def _normal(arguments: dict) -> str:
    """Arguments without case and spaces, so that near copies count as the same."""
    return "".join(json.dumps(arguments, sort_keys=True, default=str).casefold().split())
