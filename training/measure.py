"""Measure how often the embedded model solves questions that it has never seen.

    python -m training.measure --set dev300 --variant adapter
    python -m training.measure --set dev300 --variant adapter --limit 60   # a quick look
    python -m training.measure --compare NEW.jsonl OLD.jsonl               # two result files
    python -m training.measure --set test                                  # all six variants
    python -m training.measure --flaky                                     # tools that fail
    python -m training.measure --set dev300 --words next --variant "adapter, act only"

Each finished question is one line in `training/results/`, so an interrupted measurement continues
where it stopped. `--limit N` asks the first N questions; the file of the 300 is ordered so that
they are a fair sample. `--failures` shows the runs that failed, except those of the test set.
"""

import argparse
import hashlib
import json
import math
import time
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path

from react_lab.evaluation import share
from react_lab.function_calling import native_step
from react_lab.loop import Agent
from react_lab.models.embedded import EmbeddedModel
from react_lab.models.engine import identity
from react_lab.models.grammar import grammar
from react_lab.models.reply import Reply
from react_lab.parser import Action, Malformed, parse
from react_lab.prompt import EXAMPLES, FRAME, RULES, system_prompt
from react_lab.registry import Registry
from react_lab.toolkit import flaky
from react_lab.trace import Run
from react_lab.views.text import show
from training import questions
from training.words import SHORT, use

TOKENS, STEPS, FLAKY = 160, 6, 0.2
RESULTS = Path(__file__).parent / "results"


@dataclass(frozen=True)
class Variant:
    """How the questions are asked.

    adapter: with the lab's adapter, or the base weights alone. examples: worked examples in the
    prompt. constrained: with the grammar of the tools. native: by native calls. thoughts: "plan"
    as the prompt asks for them, "short" for the next need only, "none" for the act-only form.
    tools: how many tools are listed, the best matching ones; None for all of the question. votes:
    how many replies are drawn for each step; the most frequent move is taken.
    """

    adapter: bool = True
    examples: int = 0
    constrained: bool = False
    native: bool = False
    thoughts: str = "plan"
    tools: int | None = None
    votes: int = 1


VARIANTS = {
    "base, zero-shot": Variant(adapter=False),
    "base, with examples": Variant(adapter=False, examples=2),
    "base, with grammar": Variant(adapter=False, constrained=True),
    "adapter": Variant(),
    "adapter, with grammar": Variant(constrained=True),
    "adapter, native calls": Variant(native=True),
}
MORE = {  # asked for by name only
    "adapter, short thoughts": Variant(thoughts="short"),
    "adapter, act only": Variant(thoughts="none"),
    "adapter, four best tools": Variant(tools=4),
    "adapter, vote of three": Variant(votes=3),
}


@dataclass(frozen=True)
class Vote:
    """A model that draws several replies and takes one whose move is the most frequent.

    The first reply is the likeliest one, so that it wins where all differ.
    """

    model: EmbeddedModel
    tools: Registry
    votes: int

    def __call__(self, messages: list) -> Reply:
        warm = replace(self.model, temperature=0.7)
        replies = [self.model(messages), *(warm(messages) for _ in range(self.votes - 1))]
        moves = [parse(reply.text, self.tools.parameters()) for reply in replies]
        keys = [
            (move.tool, json.dumps(move.arguments, sort_keys=True))
            if isinstance(move, Action)
            else type(move).__name__
            for move in moves
        ]
        best = max(keys, key=keys.count)
        seconds = sum(reply.seconds for reply in replies)
        return replace(replies[keys.index(best)], seconds=seconds)


def ask(row: dict, variant: str) -> Run:
    """One run of the lab's agent on one question. The tools are fresh for each run."""
    how = (VARIANTS | MORE)[variant]
    tools = questions.tools_for(row)
    if how.tools:
        tools = tools.select(row["question"], how.tools)
    rules = grammar(tools.schemas()) if how.constrained else None
    model = EmbeddedModel(adapter=how.adapter, max_tokens=TOKENS, grammar=rules)
    if how.votes > 1:
        model = Vote(model, tools, how.votes)
    if how.native:
        return Agent(model, tools, max_steps=STEPS, protocol=native_step).run(row["question"])
    examples = EXAMPLES["en"][: how.examples]
    system = system_prompt(tools, examples=examples, thoughts=how.thoughts != "none")
    if how.thoughts == "short":
        for field, words in SHORT.items():
            system = system.replace(f": {FRAME['en'][field]}\n", f": {words}\n")
    return Agent(model, tools, system=system, max_steps=STEPS).run(row["question"])


def result(row: dict, run: Run) -> dict:
    """What is kept of a run: plain figures."""
    moves = [move for step in run.steps for move, _ in step.moves]
    calls = [(move.tool, move.arguments) for move in moves if isinstance(move, Action)]
    tool, arguments = questions.call_figures(row, calls)
    return {
        "id": row["id"],
        "kind": row["kind"],
        "unseen": row["unseen"],
        "solved": questions.solved(row, questions.outcome(run)),
        "tool": tool,
        "arguments": arguments,
        "steps": len(run.steps),
        "readable": sum(not isinstance(s.move, Malformed) for s in run.steps),
        "seconds": round(sum(s.reply.seconds for s in run.steps), 3),
        "stop": run.stop,
    }


def read(path: Path) -> dict[str, dict]:
    """Return the results in a file by question. A last line that was cut off is removed."""
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    whole = text[: text.rfind("\n") + 1]
    if whole != text:
        path.write_text(whole, encoding="utf-8")
    return {entry["id"]: entry for entry in map(json.loads, whole.splitlines())}


def measure(
    part: str, variant: str, failures: bool = False, limit: int | None = None
) -> list[dict]:
    """Ask the questions of a set, or the first `limit` of them, and return their results.

    A question that an earlier call has finished is not asked again.
    """
    adapter = (identity((VARIANTS | MORE)[variant].adapter)["adapter"] or "base")[:12]
    words = hashlib.sha256(system_prompt(()).encode()).hexdigest()[:6]
    name = variant.replace(", ", "-").replace(" ", "-")
    path = RESULTS / f"{part}-{name}-{adapter}-{words}.jsonl"
    path.parent.mkdir(exist_ok=True)
    done, rows = read(path), questions.load(part)[:limit]
    left = [row for row in rows if row["id"] not in done]
    begun = time.monotonic()
    with open(path, "a", encoding="utf-8") as file:
        for number, row in enumerate(left, 1):
            run = ask(row, variant)
            done[row["id"]] = result(row, run)
            file.write(json.dumps(done[row["id"]]) + "\n")
            file.flush()
            minutes = (time.monotonic() - begun) / number * (len(left) - number) / 60
            solved = [done[r["id"]]["solved"] for r in rows if r["id"] in done]
            print(
                f"\r{part}, {variant}: {len(solved)} of {len(rows)} asked, {sum(solved)} solved "
                f"({sum(solved) / len(solved):.0%}), about {minutes:.0f} min left ",
                end="",
                flush=True,
            )
            if failures and part != "test" and not done[row["id"]]["solved"]:
                print(f"\n--- {row['id']} ({row['kind']}), right: {row['right']}\n{show(run)}\n")
    print()
    return [done[row["id"]] for row in rows]


def sign_test(wins: int, losses: int) -> float:
    """Return how often chance alone splits this unevenly, either way (McNemar's exact test)."""
    n, fewer = wins + losses, min(wins, losses)
    return min(1.0, 2 * sum(math.comb(n, k) for k in range(fewer + 1)) / 2**n)


def compare(new: dict[str, dict], old: dict[str, dict]) -> str:
    """Compare two results question by question and return a table of wins, losses and ties.

    Only questions that are in both count. A win is a question that `new` alone solved.

    Raises:
        ValueError: if they have no question in common.
    """
    shared = [id for id in new if id in old]
    if not shared:
        raise ValueError("The two files share no question. Compare two results of one set.")
    groups: dict[str, Counter] = {}
    for id in shared:
        pair = new[id]["solved"], old[id]["solved"]
        tools = "unseen tools" if new[id]["unseen"] else "the lab's tools"
        for group in ("all", tools, new[id]["kind"]):
            groups.setdefault(group, Counter())[pair] += 1
    lines = [f"  {'':16} wins losses  both neither    new    old"]
    for group in sorted(groups, key=lambda name: (name != "all", "tools" not in name, name)):
        pairs = groups[group]
        wins, losses = pairs[True, False], pairs[False, True]
        both, neither = pairs[True, True], pairs[False, False]
        n = pairs.total()
        lines.append(
            f"  {group:16} {wins:4} {losses:6} {both:5} {neither:7} "
            f"{(wins + both) / n:6.0%} {(losses + both) / n:6.0%}"
        )
    wins, losses = groups["all"][True, False], groups["all"][False, True]
    chance = sign_test(wins, losses)
    better = "cannot tell" if chance > 0.05 else "better" if wins > losses else "worse"
    lines.append(
        f"  sign test, {len(shared)} pairs: {wins} to {losses}, p = {chance:.3f}: {better}"
    )
    return "\n".join(lines)


def ask_flaky(row: dict, retry_rule: bool) -> Run:
    """The adapter on a question whose tools fail now and then, the same calls in every run."""
    tools = questions.tools_for(row)
    seed = int(row["id"].rpartition("-")[2])
    broken = tuple(flaky(tool, rate=FLAKY, seed=seed) for tool in tools)
    rules = [text for name, text in RULES["en"].items() if retry_rule or name != "retry"]
    system = system_prompt(tools, rules=rules)
    model = EmbeddedModel(max_tokens=TOKENS)
    return Agent(model, Registry(broken), system=system, max_steps=STEPS).run(row["question"])


def recovery() -> str:
    """How often the adapter solves a question although a tool failed, as lines of text.

    Only runs that met a failure count. The development questions without failures of their own.
    """
    rows = [r for r in questions.load("dev") if r["kind"] != "no tool" and not r.get("flaky")]
    lines = []
    for retry_rule in (True, False):
        met = []
        for row in rows:
            run = ask_flaky(row, retry_rule)
            if any(s.observation and s.observation.error == "tool error" for s in run.steps):
                met.append(questions.solved(row, questions.outcome(run)))
        name = "with the retry rule" if retry_rule else "without it"
        lines.append(f"  {name:20} {share(met)} of the runs in which a tool failed are solved")
    return "\n".join(lines)


def report(entries: list[dict]) -> str:
    """The figures of one measurement as lines of text."""
    steps = sum(e["steps"] for e in entries)
    lines = [
        f"  solved           {share(e['solved'] for e in entries)}",
        f"  unseen tools     {share(e['solved'] for e in entries if e['unseen'])}",
        f"  right tools      {share(e['tool'] for e in entries)}",
        f"  right arguments  {share(e['arguments'] for e in entries)}",
        f"  readable         {sum(e['readable'] for e in entries)}/{steps} replies "
        f"{sum(e['readable'] for e in entries) / steps:.1%}",
        f"  steps            {steps / len(entries):.1f} a question",
        f"  seconds          {sum(e['seconds'] for e in entries) / steps:.2f} a step",
    ]
    for kind in sorted({e["kind"] for e in entries}):
        lines.append(f"    {kind:14} {share(e['solved'] for e in entries if e['kind'] == kind)}")
    return "\n".join(lines)


def table(found: dict[str, list[dict]]) -> str:
    """The same figures as a Markdown table, one line a variant, as README and card show them."""
    head = "solved | with unseen tools | right tools | right arguments | readable | s a step"
    lines = [f"| {head} |".replace("| ", "| variant | ", 1), "|" + " --- |" * 7]
    for variant, entries in found.items():
        steps = sum(e["steps"] for e in entries)
        cells = [
            share(e["solved"] for e in entries),
            share(e["solved"] for e in entries if e["unseen"]),
            share(e["tool"] for e in entries),
            share(e["arguments"] for e in entries),
            f"{sum(e['readable'] for e in entries) / steps:.1%}",
            f"{sum(e['seconds'] for e in entries) / steps:.1f}",
        ]
        lines.append(f"| {variant} | {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> None:
    ask_for = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    ask_for.add_argument("--set", choices=tuple(questions.UNSEEN), default="dev")
    ask_for.add_argument("--variant", choices=(*VARIANTS, *MORE), action="append")
    ask_for.add_argument(
        "--failures", action="store_true", help="show them, except of the test set"
    )
    ask_for.add_argument("--flaky", action="store_true", help=f"tools fail: {FLAKY:.0%}% of calls")
    ask_for.add_argument("--words", default="shipped", help="of the prompt: shipped or next")
    ask_for.add_argument("--limit", type=int, metavar="N", help="ask the first N questions only")
    ask_for.add_argument("--compare", nargs=2, type=Path, metavar=("NEW", "OLD"), help="two files")
    given = ask_for.parse_args()
    use(given.words)
    if given.limit is not None and given.limit < 1:
        ask_for.error(f"--limit is {given.limit}; ask at least 1 question")
    for path in given.compare or ():
        if not path.exists():
            ask_for.error(f"{path} does not exist; give two result files of training/results")
    if given.compare:
        return print(compare(*map(read, given.compare)))
    if given.flaky:
        return print(recovery())
    found = {}
    for variant in given.variant or VARIANTS:
        found[variant] = measure(given.set, variant, given.failures, given.limit)
        print(f"{variant}\n{report(found[variant])}", flush=True)
    print(table(found))


if __name__ == "__main__":
    main()
