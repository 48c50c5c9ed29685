"""Evaluation: run an agent on cases, count the results, compare with another variant."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor, as_completed
from dataclasses import dataclass, replace
from pathlib import Path
from warnings import warn

from react_lab.evaluation import judge
from react_lab.evaluation.intervals import mean, moved, share, verdict, written
from react_lab.evaluation.judge import Case
from react_lab.loop import Agent
from react_lab.models.reply import Message, Model, ModelError, Reply
from react_lab.trace import Run, load, save
from react_lab.tracking import Track, track

# One case and its result --------------------------------------------------------------------


@dataclass(frozen=True)
class Result:
    """A case with its run, judged.

    Attributes:
        right, tools, calls: whether `judge` accepts the answer, the tools and the arguments.
        rounds: the number of replies.
        tokens: sent and received; 0 if the endpoint reports none.
        seconds: spent in the model.
    """

    case: Case
    run: Run
    right: bool
    tools: bool
    calls: bool
    rounds: int
    tokens: int
    seconds: float

    @property
    def passed(self) -> bool:
        """Whether the answer is right and the calls are those that were expected."""
        return self.right and self.calls


def judged(case: Case, run: Run) -> Result:
    """Judge a run of a case and count what it took."""
    return Result(
        case,
        run,
        judge.solved(case, run),
        judge.right_tools(case, run),
        judge.right_calls(case, run),
        len(run.replies),
        run.tokens,
        sum(reply.seconds for reply in run.replies),
    )


SHARES = {"answers right": "right", "right tools": "tools", "tools and arguments right": "calls"}
MEANS = {"rounds": "rounds", "tokens": "tokens", "seconds in the model": "seconds"}


def figures(results: Sequence[Result], language: str = "en") -> dict[str, str]:
    """Return every metric by name, as text with its 95% interval.

    Args:
        results: one for each case.
        language: of the names and the texts, "en" or "zh".
    """
    found = {name: share(getattr(r, key) for r in results) for name, key in SHARES.items()}
    found["finished"] = share(result.run.finished for result in results)
    for name, key in MEANS.items():
        values = [getattr(result, key) for result in results]
        found[name] = mean(values) if any(values) else "not told"
    return _in_language(found, language)


def _in_language(found: dict[str, str], language: str) -> dict[str, str]:
    return {written(name, language): written(text, language) for name, text in found.items()}


def unfinished(results: Iterable[Result]) -> Counter[str]:
    """How many runs have not been finished, by the reason for which they stopped."""
    return Counter(str(result.run.stop) for result in results if not result.run.finished)


def compare(
    results: Iterable[Result], others: Iterable[Result], language: str = "en"
) -> dict[str, str]:
    """Return for every metric both numbers, and whether a variant differs from another one.

    Only cases that both variants reached count, pair by pair.

    Args:
        results: the results of the variant.
        others: the results of the other variant.
        language: of the names and the texts, "en" or "zh".

    Raises:
        ValueError: the two have no case in common.
    """
    mine, theirs = ({result.case.id: result for result in one} for one in (results, others))
    if not (both := [name for name in mine if name in theirs]):
        raise ValueError("The two variants have no case in common; run them on the same cases.")
    found = {}
    for tell, write, metrics in ((verdict, share, SHARES), (moved, mean, MEANS)):
        for name, key in metrics.items():
            pair = [[getattr(one[case], key) for case in both] for one in (mine, theirs)]
            found[name] = f"{write(pair[0])} against {write(pair[1])}: {tell(*pair)}"
    return _in_language(found, language)


@dataclass(frozen=True)
class Regression:
    """What changed since a baseline.

    Attributes:
        verdict: how the pass rates compare, in the words of `verdict`.
        lost: ids of the cases that no longer pass.
        gained: ids of the cases that pass only now.
        missing: ids that only the baseline contains.
    """

    verdict: str
    lost: tuple[str, ...]
    gained: tuple[str, ...]
    missing: tuple[str, ...]


def regression(results: Iterable[Result], baseline: dict[str, bool]) -> Regression:
    """Compare which cases pass with a stored baseline, {id: whether it passed}."""
    now = {result.case.id: result.passed for result in results}
    both = [name for name in now if name in baseline]
    return Regression(
        verdict([now[name] for name in both], [baseline[name] for name in both]),
        tuple(name for name in both if baseline[name] and not now[name]),
        tuple(name for name in both if now[name] and not baseline[name]),
        tuple(name for name in baseline if name not in now),
    )


# Running cases ----------------------------------------------------------------------------


def evaluate(
    cases: Sequence[Case],
    make_agent: Callable[[Case], Agent],
    executor: Executor | None = None,
    folder: str | Path | None = None,
) -> Iterator[Result]:
    """Run an agent on each case and yield one Result per case, as soon as it is finished.

    If the disk is full, the evaluation continues, and a warning says that traces are missing.

    Args:
        cases: the cases; each has its own id.
        make_agent: from a case to its agent, such as `partial(lab_agent, model)`.
        executor: any of concurrent.futures, or `distributed.Client(...).get_executor()`; its
            workers get the case and make_agent pickled. None runs one case after another.
        folder: where to keep the trace of each finished case, ID.jsonl, whatever ends the loop.
            A case that has a trace there is not asked again, unless its model could not be
            reached. A trace does not name its model, so give each model its own folder.

    Raises:
        ValueError: two cases have the same id, or the folder has runs of another prompt.
        OSError: the folder cannot be made.
        Exception: whatever a worker raises.
    """
    if twice := [name for name, n in Counter(case.id for case in cases).items() if n > 1]:
        raise ValueError(f"Two cases are called {twice[0]!r}; give each case its own id.")
    if folder is not None:
        Path(folder).mkdir(parents=True, exist_ok=True)
    waiting, bar = [], track(cases)
    for case in cases:
        if run := _stored(case, make_agent, folder):
            bar.advance()
            yield judged(case, run)
        else:
            waiting.append(case)
    futures = {executor.submit(ask, case, make_agent): case for case in waiting} if executor else {}
    try:
        for case in () if executor else waiting:
            yield shown(judged(case, _kept(ask(case, make_agent), case, folder)), bar)
        for future in as_completed(futures):
            case = futures[future]
            yield shown(judged(case, _kept(future.result(), case, folder)), bar)
    finally:  # cancel cases that have not begun; keep finished ones, which were paid for
        bar.close()
        for future, case in futures.items():
            if not future.cancel() and future.done() and not future.exception():
                _kept(future.result(), case, folder)


def shown(result: Result, bar: Track[Case]) -> Result:
    """Show the result on the bar, and return it."""
    bar.advance(f"{result.case.id}: {'right' if result.right else 'wrong'}")
    return result


def lab_agent(model: Model, case: Case) -> Agent:
    """Return the lab's agent with the tools and the language of a case."""
    return Agent(model, judge.case_tools(case), language=case.language)


def ask(case: Case, make_agent: Callable[[Case], Agent]) -> Run:
    """Run one case; this is what a worker does."""
    return make_agent(case).run(case.question)


def _kept(run: Run, case: Case, folder: str | Path | None) -> Run:
    """Write the run to its trace file if there is a folder, and return it."""
    if folder is not None:
        try:
            save(run, Path(folder) / f"{case.id}.jsonl")
        except OSError as error:  # the run has been paid for
            warn(f"Traces could not be written to {folder}: {error.strerror}.", stacklevel=3)
    return run


def _stored(
    case: Case, make_agent: Callable[[Case], Agent], folder: str | Path | None
) -> Run | None:
    """Return the run of a case that an earlier call stored; None if the case must be run."""
    path = Path(folder or "") / f"{case.id}.jsonl"
    if folder is None or not path.is_file():
        return None
    run = load(path)
    if run.stop == "model error":
        return None
    if run.steps[0].sent != _first_messages(case, make_agent):
        raise ValueError(
            f"{path.name} is a run of another question or prompt; name another folder for this run."
        )
    return run


def _first_messages(case: Case, make_agent: Callable[[Case], Agent]) -> tuple[Message, ...]:
    """Return what the agent of a case sends first, without asking the model."""

    def silent(*_: object) -> Reply:
        raise ModelError("not asked")

    agent = replace(make_agent(case), model=silent)
    try:
        agent.protocol(Run(case.question), agent)
    except ModelError as error:
        return error.sent
    raise TypeError("The agent's protocol did not ask its model.")
