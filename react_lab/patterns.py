"""Patterns: plan first, review, try again with a lesson, use two models; all built on the loop.

Each pattern is a function from a question and an agent to an Outcome, which contains all the work.

>>> from react_lab.models import ScriptedModel
>>> from react_lab.registry import Registry
>>> agent = Agent(ScriptedModel(["Final Answer: 4"]), Registry())
>>> done = reflect("What is 2+2?", agent, reviewer=ScriptedModel(["OK"]))
>>> done.answer, done.stop, len(done.replies)
('4', 'answered', 2)
"""

import json
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from react_lab.loop import Agent
from react_lab.models.reply import Model, ModelError, Reply, tokens_of
from react_lab.parser.fields import believed
from react_lab.parser.moves import Action, FinalAnswer
from react_lab.parser.parse import parse
from react_lab.prompt import PATTERN_WORDS, PATTERNS, labelled, why
from react_lab.registry.registry import Observation
from react_lab.registry.results import sendable
from react_lab.trace import Interrupted, Run

Check = Callable[[Run], bool]
Found = list[tuple[str, str]]  # a step of a plan, and its result

REPLANS = 1  # new plans after a step that failed
LONGEST = 8  # steps of a plan that are carried out; what is missing then, the last run does
_STEP = re.compile(  # a numbered line of a plan: "1. Look", "Step 1: Look", "**1. Look**"
    r"^(?P<indent>[ \t]*)(?:[#>-][ \t]*)*(?P<emphasis>[*_]{1,3})?(?:Step[ \t]*|步骤|第)?"
    r"(?:\d+|[一二三四五六七八九十]+)[ \t]*步?[.):：、．）]"
    r"(?:[*_]{1,3}(?=[ \t]))?[ \t]*(?P<step>\S.*?)[ \t]*$",
    re.M | re.I,
)
_OK = re.compile(
    r"\W*(?:(?:yes|it is|this is|the answer is|that is|looks)\W+)?(?:OK|okay)\b"
    r"|\W*(?:审阅|检查)?通过",
    re.I,
)
_OBJECTION = re.compile(
    r"\b(?:but|however|except|although|though|yet|unless|missing|wrong|incorrect|false|not|n't|no"
    r"|should|must|lacks?|only|add|still)\b|n['’]t\b|但|不过|然而|缺|错|不|没",
    re.I,
)

TEXTS = PATTERNS["en"]  # what these patterns say to a model, in English


@dataclass(frozen=True)
class Outcome:
    """What a pattern did for one question.

    Attributes:
        runs: every Run, in order; a Run that was continued is listed once, as a whole.
        asked: every Reply from outside the loop (plans, reviews, lessons, answers).
        answer: the best answer, None if there is none.
        stop: "answered", or why the pattern ended without an answer.
        note: what a person should know about the end.
    """

    question: str
    runs: tuple[Run, ...] = ()
    asked: tuple[Reply, ...] = ()
    answer: str | None = None
    stop: str | None = None
    note: str = ""

    @property
    def finished(self) -> bool:
        """True only if every part ended well, and the check passed if there is one."""
        return self.stop == "answered"

    @property
    def replies(self) -> tuple[Reply, ...]:
        """Every reply of every model: first those of the runs, then those from outside the loop."""
        return (*(reply for run in self.runs for reply in run.replies), *self.asked)

    @property
    def tokens(self) -> int:
        """Tokens sent and received; an endpoint that reports none counts as 0."""
        return tokens_of(self.replies)

    @property
    def seconds(self) -> float:
        """Seconds in the models and in the tools."""
        return sum(run.seconds for run in self.runs) + sum(one.seconds for one in self.asked)


# Two ways to continue: a run, or a reply outside of the loop ------------------------------------


def work(done: Outcome, agent: Agent, question: str | Run) -> Outcome:
    """The outcome with one more run. It has a `stop` when that run cannot be built upon."""
    with carried(done) as latest, agent.alone():
        for run in agent.stream(question):
            latest[:] = [run]
    done = replace(done, runs=(*done.runs, run))
    if run.stop in ("model error", "needs approval"):
        return replace(done, stop=run.stop, note=run.note)
    return done


def ask(done: Outcome, model: Model, kind: str, language: str = "en", **values: object) -> Outcome:
    """Add one more reply, to a text of PATTERNS. The outcome has a `stop` when none came."""
    begin = time.perf_counter()
    try:
        with carried(done):
            content = sendable(PATTERNS[language][kind].format(**values))
            reply = model([{"role": "user", "content": content}])
    except ModelError as error:
        came = (error.reply,) if error.reply else ()
        return replace(done, asked=(*done.asked, *came), stop="model error", note=str(error))
    reply = replace(reply, seconds=reply.seconds or time.perf_counter() - begin)
    return replace(done, asked=(*done.asked, reply))


def last_words(done: Outcome) -> str:
    """Return what may be used of the last reply that was asked for outside of the loop."""
    return believed(done.asked[-1].text) if done.asked else ""


class PatternInterrupted(KeyboardInterrupt):
    """A person interrupted a pattern. `outcome` holds what was done so far."""

    def __init__(self, outcome: Outcome):
        super().__init__(f"The pattern was interrupted in run {len(outcome.runs)}.")
        self.outcome = outcome


class PatternError(Exception):
    """Your own model, tool or check raised an error, which is the cause of this exception.

    `outcome` holds what was done so far.
    """

    def __init__(self, outcome: Outcome, cause: BaseException):
        super().__init__(f"{type(cause).__name__}: {cause}")
        self.outcome = outcome


@contextmanager
def carried(done: Outcome) -> Iterator[list[Run]]:
    """Keep what was done if an exception ends a pattern.

    Args:
        done: the outcome before.

    Yields:
        A list for the run in progress.

    Raises:
        PatternInterrupted: for an interrupt.
        PatternError: for any other error but a ModelError.
    """
    latest: list[Run] = []
    try:
        yield latest
    except ModelError:
        raise
    except KeyboardInterrupt as interrupt:
        runs = [interrupt.run] if isinstance(interrupt, Interrupted) else latest
        raise PatternInterrupted(replace(done, runs=(*done.runs, *runs))) from None
    except Exception as error:
        raise PatternError(replace(done, runs=(*done.runs, *latest)), error) from error


def ended(done: Outcome) -> Outcome:
    """Give the outcome the stop reason of its last run, unless it has one. A draft is kept."""
    run = done.runs[-1]
    drafts = [past.move.answer for past in run.steps if isinstance(past.move, FinalAnswer)]
    answer = run.answer or (drafts[-1] if drafts else None)
    return replace(done, answer=answer, stop=done.stop or run.stop, note=done.note or run.note)


def text_of(question: str | Run) -> str:
    """The question as text."""
    return question.question if isinstance(question, Run) else question


def looked_up(run: Run, language: str = "en", thoughts: bool = False) -> str:
    """Return what the tools of a run were asked and what they returned, a line for each call.

    Args:
        run: the run.
        language: of the words around it, "en" or "zh".
        thoughts: whether a line with the model's thought comes before each step's calls.
    """
    lines, colon = [], "：" if language == "zh" else ": "
    for past in run.steps:
        if thoughts and past.move.thought:
            lines.append(labelled("thought", past.move.thought, language))
        for move, seen in past.moves:
            if isinstance(move, Action) and seen:
                given = json.dumps(move.arguments, ensure_ascii=False, default=str)
                lines.append(f"- {move.tool} {given}{colon}{seen.full_text}")
    return "\n".join(lines) or PATTERN_WORDS[language]["nothing"]


# Plan and execute -----------------------------------------------------------------------------


def plan_and_execute(question: str, agent: Agent, planner: Model | None = None) -> Outcome:
    """Ask for a plan, carry out each step as a run of its own, then answer from what was found.

    planner: the model that plans, None for the agent's; after a step without an answer it plans
    anew, as often as REPLANS says. At a FORK, or without a plan that can be read, the rest is
    plain ReAct: the last run gets the question, what is known, and all tools.
    Plan first: Wang et al., "Plan-and-Solve Prompting", 2023.
    """
    planner, words = planner or agent.model, agent.language
    found: Found = []
    done, steps = plan(Outcome(question), planner, agent, found)
    while steps and not done.stop and not is_fork(steps[0]):
        task, *steps = steps
        done = work(done, agent, with_known(task, found, words))
        run = done.runs[-1]
        found.append((task, (run.finished and run.answer) or failed(run, words)))
        if not (run.finished or done.stop) and len(done.asked) <= REPLANS:
            done, steps = plan(done, planner, agent, found)
    if done.stop:
        return done
    return ended(work(done, agent, with_known(question, found, words)))


def failed(run: Run, language: str) -> str:
    """Return what the next steps read about a step without an answer."""
    return PATTERN_WORDS[language]["failed"].format(reason=why(run.stop or "", language))


def plan(done: Outcome, planner: Model, agent: Agent, found: Found) -> tuple[Outcome, list[str]]:
    """Ask for the steps that are left. The list is empty if no step can be read."""
    line, language = PATTERN_WORDS[agent.language]["tool"], agent.language
    tools = "\n".join(line.format(name=t.name, about=t.description) for t in agent.tools)
    values = {"tools": tools, "question": with_known(done.question, found, language)}
    done = ask(done, planner, "plan", language, longest=LONGEST, **values)
    return done, [] if done.stop else steps_of(last_words(done))[:LONGEST]


def steps_of(text: str) -> list[str]:
    """Return the numbered steps of a plan; a list inside a step is left out."""
    found = list(_STEP.finditer(text))
    depth = len(found[0]["indent"]) if found else 0
    top = [line for line in found if len(line["indent"]) <= depth]
    return [line["step"].removesuffix(line["emphasis"] or "").rstrip() for line in top]


def is_fork(step: str) -> bool:
    """Return whether a step of a plan says that the next step depends on a result."""
    return bool(re.match(r"\W*(?:FORK\b|分叉)", step))


def with_known(question: str, found: Found, language: str = "en") -> str:
    """Add what earlier steps have found to a question; without any it stays unchanged."""
    lines = "\n".join(f"- {task} {result}" for task, result in found)
    text = PATTERNS[language]["known"]
    return text.format(question=question, found=lines) if found else question


# Reflection -----------------------------------------------------------------------------------


def reflect(
    question: str | Run, agent: Agent, reviewer: Model | None = None, thoughts: bool = False
) -> Outcome:
    """Let a reviewer read the answer before it goes out; after an objection the run continues.

    The objection is the Observation after the draft, so the run may call more tools, under the
    same stop rules. For a second review, give the Run that came out.
    Madaan et al., "Self-Refine", 2023.

    Args:
        question: a text, or a Run that was made before.
        agent: does the work.
        reviewer: None for the agent's model. It reads the question, the answer, and every call
            with its observation.
        thoughts: whether the reviewer reads the agent's thoughts too.
    """
    language = agent.language
    done = work(Outcome(text_of(question)), agent, question)
    run = done.runs[-1]
    if not run.finished:
        return ended(done)
    values = {"question": run.question, "answer": run.answer}
    values["seen"] = looked_up(run, language, thoughts)
    done = ask(done, reviewer or agent.model, "review", language, **values)
    review = last_words(done)
    if done.stop or accepted(review):
        return ended(done)
    objection = PATTERNS[language]["reviewed"].format(review=review)
    draft = run.steps[-1].filled(Observation(objection, error="reviewed"))
    taken_up = Run(run.question, (*run.steps[:-1], draft))
    return ended(work(replace(done, runs=()), agent, taken_up))


def accepted(review: str) -> bool:
    """Return whether a review is an OK without an objection after it."""
    found = _OK.match(review)
    return bool(found and not _OBJECTION.search(review, found.end()))


# Reflexion ------------------------------------------------------------------------------------


def reflexion(
    question: str | Run, agent: Agent, check: Check, coach: Model | None = None, tries: int = 3
) -> Outcome:
    """Try, check, and try again with the lessons of all tries that did not pass.

    question: a text, or a Run as the first try. check: run -> bool, such as a test of the answer;
    without one that can be trusted this pattern is no use. coach: writes the lessons, None for
    the agent's model. tries: at most. When none passes, `stop` is "check failed", and the last
    answer is kept. Shinn et al., "Reflexion", 2023.
    """
    done, given, language = Outcome(text_of(question)), question, agent.language
    while not done.stop:
        done = work(done, agent, given)
        if done.stop or passes(done, check):
            break
        if len(done.runs) >= tries:
            note = agent.phrases.message("no try passed", tries=tries)
            return replace(ended(done), stop="check failed", note=note)
        run = done.runs[-1]
        values = {"seen": looked_up(run, language), "answer": run.answer or run.note}
        done = ask(done, coach or agent.model, "lesson", language, question=done.question, **values)
        lessons = "\n".join(f"- {text}" for one in done.asked if (text := believed(one.text)))
        given = PATTERNS[language]["retry"].format(question=done.question, lessons=lessons)
    return ended(done)


def passes(done: Outcome, check: Check) -> bool:
    """Return whether the last run passes. If the check raises, keep what was done."""
    with carried(done):
        return bool(check(done.runs[-1]))


# Routing by phase -----------------------------------------------------------------------------


def route(question: str | Run, agent: Agent, answerer: Model) -> Outcome:
    """One model for the tool steps (the agent's), another one for the answer.

    question: a text, or a Run that was made before. answerer: writes the answer from what the
    tools told; it sees neither tools nor prompt. The agent's own answer, with which it says that
    it has all it needs, stays in the run. It is the answer where the other one gives none.
    """
    done = work(Outcome(text_of(question)), agent, question)
    run = done.runs[-1]
    if not run.finished:
        return ended(done)
    values = {"question": run.question, "seen": looked_up(run, agent.language)}
    done = ask(done, answerer, "answer", agent.language, **values)
    if done.stop:
        return ended(done)
    reply = done.asked[-1]
    move = parse(reply.text, agent.tools.parameters())
    answer = move.answer if isinstance(move, FinalAnswer) else last_words(done)
    if isinstance(move, Action) or reply.finish_reason == "length" or not answer:
        note = agent.phrases.message("no second answer")
        return replace(ended(done), stop="no answer", note=note)
    return replace(done, answer=answer, stop="answered")


# Routing by difficulty ------------------------------------------------------------------------


def route_by_difficulty(
    question: str, agent: Agent, strong: Model, hard: Callable[[str], bool] | None = None
) -> Outcome:
    """Let the agent's model answer easy questions, and a stronger model hard questions.

    Args:
        question: the question.
        agent: its model is the light one.
        strong: the model for hard questions.
        hard: question -> bool. None asks the light model, whose reply EASY means that it answers
            itself; everything else counts as hard.
    """
    done = Outcome(question)
    if hard is None:
        done = ask(done, agent.model, "difficulty", agent.language, question=question)
        if done.stop:
            return done
        is_hard = not re.match(r"\W*(?:EASY\b|简单)", last_words(done), re.I)
    else:
        with carried(done):
            is_hard = bool(hard(question))
    return ended(work(done, replace(agent, model=strong) if is_hard else agent, question))
