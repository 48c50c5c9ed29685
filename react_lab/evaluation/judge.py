"""Judge: the cases of the evaluation, and what counts as solved.

>>> case = evaluation_cases()[0]
>>> case.id, case.right
('savings', ('3163.30|3163.3',))
>>> place("75", "It is 175, or 75.5."), place("75", "They cost 75.00 euros.")
(None, 10)
"""

import json
import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from react_lab.parser.moves import Action
from react_lab.registry.registry import Registry
from react_lab.toolkit.lab import flaky, lab_tools
from react_lab.trace import Run

EVALUATION_CASES = Path(__file__).parents[1] / "data" / "evaluation_cases.jsonl"
NOON = datetime(2026, 6, 1, 12, 0, tzinfo=UTC)  # the clock of the cases stands still
FAILS = {"once": 0.05, "always": 1.0}
SEED = 165  # at a rate of 0.05 it fails the first call, and no other for long


@dataclass(frozen=True)
class Case:
    """A question, the calls it takes, and how its answer is checked.

    id: letters, digits, _ and -; a trace file is named after it. kind: "one tool", "several
    tools", "no tool" or "tool failure". right: the values that the answer must hold, each with
    its other spellings behind a |; empty where calls are made and nothing can be known.
    calls: {"tool", "arguments", "gives"} each, in an order that works; gives: what its result
    holds. rivals: values that must not stand in the answer. pick: in a comparison, its word and
    the name that is not right, such as ("warmer", "Lima"). fails: tools that break, by name:
    "once" (the first call) or "always". Raises ValueError for an id that can name no
    file, and for one value where a tuple is needed.
    """

    id: str
    kind: str
    question: str
    right: tuple[str, ...]
    calls: tuple[dict, ...]
    rivals: tuple[str, ...] = ()
    pick: tuple[str, str] | None = None
    fails: dict[str, str] = field(default_factory=dict)

    def __post_init__(self):
        if not re.fullmatch(r"[\w-]+", self.id):
            raise ValueError(f"{self.id!r} can name no file; use letters, digits, _ and - only.")
        for name in ("right", "calls", "rivals", "pick"):  # a file holds lists
            value = getattr(self, name)
            if isinstance(value, str | dict):  # a comma was forgotten
                raise ValueError(f"{name} is {value!r}; give a tuple: {name}=({value!r},).")
            if isinstance(value, list):
                object.__setattr__(self, name, tuple(value))


def evaluation_cases(path: str | Path = EVALUATION_CASES) -> list[Case]:
    """The cases in a file of JSON Lines; the lab's own are 48, in the order of their kinds."""
    return [Case(**json.loads(line)) for line in Path(path).read_text("utf-8").splitlines()]


def case_tools(case: Case) -> Registry:
    """The lab's tools for one run of a case: a fixed clock, and what breaks in it, broken."""
    tools = lab_tools(NOON)
    broken = {name: flaky(tools[name], FAILS[how], SEED) for name, how in case.fails.items()}
    return Registry(tuple(broken.get(tool.name, tool) for tool in tools))


# What stands in a text --------------------------------------------------------------------

# Not part of a word, a time (16:00), a date (2026-06-01) or a longer number.
NUMBER = re.compile(r"(?<![\w.,:])(?<!\d-)-?\d+(?:\.\d+)?(?![:.,-]?\d)")


def plain(text: str) -> str:
    """A text with 3,530 written as 3530 and with one sign for minus."""
    return re.sub(r"(?<=\d),(?=\d{3}(?!\d))", "", text).replace("−", "-")


def place(value: str, text: str) -> int | None:
    """Where a value stands in a text, as a whole word or number; None if nowhere.

    value: a word or number, further spellings behind a |. Numbers are compared as numbers: 75
    is found in "75.00", and 3163.30 in "3163.29754624", which is that when it is rounded.
    """
    text, found = plain(text), []
    for spelling in value.split("|"):
        if re.fullmatch(r"-?\d+(\.\d+)?", spelling):
            decimals = len(spelling.partition(".")[2])
            near = 0.5 * 10**-decimals if decimals else 0
            for match in NUMBER.finditer(text):
                if abs(float(match[0]) - float(spelling)) <= near:
                    found.append(match.start())
        else:
            word = rf"(?<![\w.,:]){re.escape(spelling)}(?!\w|[.,]\d)"
            found += [match.start() for match in re.finditer(word, text, re.I)]
    return min(found, default=None)


# What counts as solved --------------------------------------------------------------------

NOT_KNOWN = re.compile(
    r"\b(no|not|none|nothing|cannot|unknown|unable|undefined|impossible|unavailable|failed|busy"
    r"|sorry)\b|n't\b",
    re.I,
)


def calls_made(run: Run) -> list[tuple[str, str]]:
    """Every call of a run as (tool, what came back).

    A call that failed and was tried again at once, with any input, counts as one.
    """
    made, failed = [], False
    for move, seen in (pair for step in run.steps for pair in step.moves):
        if isinstance(move, Action) and seen:
            if failed and made[-1][0] == move.tool:
                made.pop()
            made.append((move.tool, seen.text))
            failed = seen.error is not None
    return made


def solved(case: Case, run: Run) -> bool:
    """Whether a run ended by itself with an answer that is right, and rests on what it saw.

    The answer holds every right value and no rival, and a tool showed each of those values. Where
    nothing can be known it says so, and no number of its own. A case without calls is solved
    without one. A comparison must pick the right name.
    """
    answer, seen = run.answer or "", "\n".join(text for _, text in calls_made(run))
    if not run.finished or bool(seen) != bool(case.calls):
        return False
    if any(place(rival, answer) is not None for rival in case.rivals):
        return False
    if case.calls and not case.right:
        known = run.question + "\n" + seen
        invented = [n for n in NUMBER.findall(plain(answer)) if place(n, known) is None]
        return bool(NOT_KNOWN.search(answer)) and not invented
    texts = [answer, seen] if case.calls else [answer]
    if any(place(value, text) is None for value in case.right for text in texts):
        return False
    return case.pick is None or picked(answer, *case.pick, case.right[0]) == case.right[0]


def picked(answer: str, word: str, *names: str) -> str | None:
    """Which name a comparison chooses: the last one before its word, else the first one.

    "Lima has 18, Rome 27, so Rome is warmer." and "Rome is warmer than Lima." choose Rome.
    """
    end, spans = place(word, answer), []
    for name in names:
        spans += [(match.start(), name) for match in re.finditer(re.escape(name), answer, re.I)]
    before = [span for span in spans if end is not None and span[0] < end]
    return max(before)[1] if before else min(spans, default=(0, None))[1]


def right_tools(case: Case, run: Run) -> bool:
    """Whether the tools of the case were called, each as often as it takes, and no others."""
    return sorted(name for name, _ in calls_made(run)) == sorted(one["tool"] for one in case.calls)


def right_calls(case: Case, run: Run) -> bool:
    """Whether the tools are right and their arguments too, judged by what the calls gave."""
    made = calls_made(run)
    for wanted in case.calls:
        same = [one for one in made if one[0] == wanted["tool"]]
        fits = [one for one in same if place(wanted["gives"], one[1]) is not None]
        if not fits:
            return False
        made.remove(fits[0])
    return not made
