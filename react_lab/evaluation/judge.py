"""Judge: the cases of the evaluation, and what counts as solved.

>>> case = evaluation_cases()[0]
>>> case.id, case.right
('savings', ('3163.30|3163.3',))
>>> place("75", "It is 175, or 75.5."), place("75", "They cost 75.00 euros.")
(None, 10)
"""

import json
import re
from dataclasses import MISSING, dataclass, field, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from react_lab.evaluation.not_known import NOT_KNOWN as NOT_KNOWN
from react_lab.evaluation.not_known import says_not_known
from react_lab.evaluation.values import NUMBER, asserted, place, plain
from react_lab.parser.moves import Action
from react_lab.registry.registry import Registry
from react_lab.toolkit.lab import flaky, lab_tools
from react_lab.trace import Run

EVALUATION_CASES = Path(__file__).parents[1] / "data" / "evaluation_cases.jsonl"
CHINESE_CASES = EVALUATION_CASES.with_name("evaluation_cases_zh.jsonl")
NOON = datetime(2026, 6, 1, 12, 0, tzinfo=UTC)  # the fixed clock of the cases
FAILS = {"once": 0.05, "always": 1.0}
SEED = 165  # at a rate of 0.05 it fails the first call, and then none for a long time


@dataclass(frozen=True)
class Case:
    """A question, the calls it takes, and how its answer is checked.

    Args:
        id: letters, digits, _ and -; a trace file is named after it.
        kind: "one tool", "several tools", "no tool" or "tool failure".
        question: the question.
        right: the values that the answer must contain; `|` separates accepted spellings. Empty
            if calls are made but nothing can be known.
        calls: {"tool", "arguments", "gives"} each, in an order that works; "gives" is a value
            that the result contains.
        rivals: values that must not be in the answer.
        pick: in a comparison, its word and the name that is not right: ("warmer", "Lima").
        fails: tools that break, by name: "once" (the first call) or "always".
        ordered: whether the calls count as right only in the order of `calls`.
        language: of question, tools and agent, "en" or "zh".

    Raises:
        ValueError: an id that cannot name a file, or one value where a tuple is needed.
    """

    id: str
    kind: str
    question: str
    right: tuple[str, ...]
    calls: tuple[dict[str, Any], ...]
    rivals: tuple[str, ...] = ()
    pick: tuple[str, str] | None = None
    fails: dict[str, str] = field(default_factory=dict)
    ordered: bool = False
    language: str = "en"

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[\w-]+", self.id):
            raise ValueError(f"{self.id!r} cannot name a file; use letters, digits, _ and - only.")
        for name in ("right", "calls", "rivals", "pick"):  # a file holds lists
            value = getattr(self, name)
            if not isinstance(value, list | tuple) and value is not None:  # a comma was forgotten
                raise ValueError(f"{name} is {value!r}; give a tuple: {name}=({value!r},).")
            if isinstance(value, list):
                object.__setattr__(self, name, tuple(value))


def evaluation_cases(path: str | Path = EVALUATION_CASES) -> list[Case]:
    """Return the cases in a file of JSON Lines; the lab's own in the order of their kinds.

    The lab has 48 cases in English, and more in CHINESE_CASES. Empty lines and a byte order mark
    are skipped; UTF-16 with such a mark is read.

    Raises:
        OSError: there is no such file.
        ValueError: a line cannot be read; the message names the file and the line.
    """
    path = Path(path)
    raw = path.read_bytes()
    marked = raw.startswith((b"\xff\xfe", b"\xfe\xff"))
    try:
        text = raw.decode("utf-16" if marked else "utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError(f"{path} is not UTF-8 text. Save it again as UTF-8.") from None
    # not splitlines(): U+2028 and U+0085 in a question do not end a line
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    if not lines:
        raise ValueError(f"{path} contains no case. Write one JSON object on each line.")
    return [_case(line, f"{path}, line {number}") for number, line in lines]


def _case(line: str, place: str) -> Case:
    """Return the case in a line. place: file and line, for the error message."""
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{place}: this is not JSON ({error}).") from None
    if not isinstance(entry, dict):
        raise ValueError(f"{place}: this is not an object with the keys of a case.")
    keys = {one.name: one.default is one.default_factory is MISSING for one in fields(Case)}
    if unknown := [key for key in entry if key not in keys]:
        known = ", ".join(keys)
        raise ValueError(f"{place}: there is no key {unknown[0]!r}; known keys: {known}.")
    if missing := [key for key, needed in keys.items() if needed and key not in entry]:
        raise ValueError(f"{place}: missing: {', '.join(missing)}.")
    try:
        return Case(**entry)
    except (ValueError, TypeError) as error:
        raise ValueError(f"{place}: {error}") from None


def case_tools(case: Case) -> Registry:
    """Return the lab's tools for one run of a case: a fixed clock, and its faulty tools."""
    tools = lab_tools(NOON, case.language)
    broken = {name: flaky(tools[name], FAILS[how], SEED) for name, how in case.fails.items()}
    return Registry(tuple(broken.get(tool.name, tool) for tool in tools))


# What counts as solved --------------------------------------------------------------------

# A number that says how often something was tried, or an error code: not a claim about the answer.
_ASIDE = re.compile(
    r"\b\d+ (?:times|attempts|tries|retries)\b|\b(?:error|code|status|HTTP)(?: code)? \d{3}\b", re.I
)


def calls_made(run: Run) -> list[tuple[str, str]]:
    """Return every call of a run as (tool, result).

    A call that failed and was tried again at once, with any input, counts as one.
    """
    made: list[tuple[str, str]] = []
    failed = False
    for move, seen in (pair for step in run.steps for pair in step.moves):
        if isinstance(move, Action) and seen:
            if failed and made[-1][0] == move.tool:
                made.pop()
            made.append((move.tool, seen.text))
            failed = seen.error is not None
    return made


def solved(case: Case, run: Run) -> bool:
    """Return whether a run ended by itself with a right answer that rests on what it saw.

    The answer contains every right value and no rival, and a tool showed each of those values.
    If nothing can be known, the answer says so and invents no number. A case without calls
    is solved without a call. A comparison must pick the right name.
    """
    answer, seen = run.answer or "", "\n".join(text for _, text in calls_made(run))
    if not run.finished or bool(seen) != bool(case.calls):
        return False
    if any(place(rival, answer) is not None for rival in case.rivals):
        return False
    if case.calls and not case.right:
        known = run.question + "\n" + seen
        said = _ASIDE.sub("", plain(answer))
        numbers = [n for n in NUMBER.findall(said) if float(n) or "zero" not in known.lower()]
        invented = [n for n in numbers if place(n, known) is None]
        return says_not_known(plain(answer), known) and not invented
    if case.calls and any(place(value, seen) is None for value in case.right):
        return False
    if not all(asserted(value, answer) for value in case.right):
        return False
    return case.pick is None or picked(answer, *case.pick, case.right[0]) == case.right[0]


def picked(answer: str, word: str, *names: str) -> str | None:
    """Return which name a comparison chooses: the last one before its word, else the first one.

    "Lima has 18, Rome 27, so Rome is warmer." and "Rome is warmer than Lima." choose Rome, and so
    does 罗马比利马更暖和, where the name before 比 counts.
    """
    each = "|".join(map(re.escape, names))
    near = "[^，。；,.;]{0,9}"
    than = rf"({each}){near}比{near}(?:{each}){near}{re.escape(word)}"
    if compared := re.findall(than, answer):
        return str(compared[-1])
    end, spans = place(word, answer), []
    for name in names:
        spans += [(match.start(), name) for match in re.finditer(re.escape(name), answer, re.I)]
    before = [span for span in spans if end is not None and span[0] < end]
    return max(before)[1] if before else min(spans, default=(0, None))[1]


def right_tools(case: Case, run: Run) -> bool:
    """Return whether the tools of the case were called, each as often as needed, and no others."""
    return sorted(name for name, _ in calls_made(run)) == sorted(one["tool"] for one in case.calls)


def right_calls(case: Case, run: Run) -> bool:
    """Return whether tools and arguments are right, judged by what the calls gave.

    If the case is `ordered`, the calls must come in its order too.
    """

    def fits(wanted: dict[str, Any], one: tuple[str, str]) -> bool:
        return one[0] == wanted["tool"] and place(wanted["gives"], one[1]) is not None

    made = calls_made(run)
    if case.ordered:
        return len(made) == len(case.calls) and all(map(fits, case.calls, made))
    for wanted in case.calls:
        found = [one for one in made if fits(wanted, one)]
        if not found:
            return False
        made.remove(found[0])
    return not made
