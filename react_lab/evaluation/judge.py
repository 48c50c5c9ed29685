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

from react_lab.chinese import HAN, NUMERIC, arabic
from react_lab.parser.moves import Action
from react_lab.registry.registry import Registry
from react_lab.toolkit.lab import flaky, lab_tools
from react_lab.trace import Run

EVALUATION_CASES = Path(__file__).parents[1] / "data" / "evaluation_cases.jsonl"
CHINESE_CASES = EVALUATION_CASES.with_name("evaluation_cases_zh.jsonl")
NOON = datetime(2026, 6, 1, 12, 0, tzinfo=UTC)  # the clock of the cases stands still
FAILS = {"once": 0.05, "always": 1.0}
SEED = 165  # at a rate of 0.05 it fails the first call, and no other for long


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
    calls: tuple[dict, ...]
    rivals: tuple[str, ...] = ()
    pick: tuple[str, str] | None = None
    fails: dict[str, str] = field(default_factory=dict)
    ordered: bool = False
    language: str = "en"

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
    """Return the cases in a file of JSON Lines.

    The lab's own are 48 in English, in the order of their kinds, and those in CHINESE_CASES.
    """
    return [Case(**json.loads(line)) for line in Path(path).read_text("utf-8").splitlines()]


def case_tools(case: Case) -> Registry:
    """Return the lab's tools for one run of a case: a fixed clock, and what breaks, broken."""
    tools = lab_tools(NOON, case.language)
    broken = {name: flaky(tools[name], FAILS[how], SEED) for name, how in case.fails.items()}
    return Registry(tuple(broken.get(tool.name, tool) for tool in tools))


# What stands in a text --------------------------------------------------------------------

# A letter or digit of a script that separates words; Chinese characters are neighbours of anything.
_LETTER = f"[^\\W{HAN}]"
# Not part of a word, a time (16:00), a date (2026-06-01) or a longer number.
NUMBER = re.compile(rf"(?<!{_LETTER})(?<![.,:])(?<!\d-)-?\d+(?:\.\d+)?(?![:.,-]?\d)")


def plain(text: str) -> str:
    """Write 3,530 as 3530, every minus as -, and Chinese numbers (二十八, 1.2万) in digits."""
    text = re.sub(r"(?<=\d)[,，](?=\d{3}(?!\d))", "", text.translate(NUMERIC))
    return arabic(text.replace("−", "-"))


def place(value: str, text: str) -> int | None:
    """Return where a text contains a value, as a whole word or number; None if it does not.

    Numbers are compared as numbers: 75 is found in "75.00", and 3163.30 in "3163.29754624",
    which rounds to it. A value in Chinese is found inside other characters: 巴黎 in 法国巴黎.

    Args:
        value: a word or number; `|` separates accepted spellings.
        text: where to look.
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
            before = rf"(?<!{_LETTER})(?<![.,:])" if re.match(_LETTER, spelling) else ""
            behind = rf"(?!{_LETTER}|[.,]\d)" if re.search(rf"{_LETTER}$", spelling) else ""
            word = before + re.escape(plain(spelling)) + behind
            found += [match.start() for match in re.finditer(word, text, re.I)]
    return min(found, default=None)


# What counts as solved --------------------------------------------------------------------

NOT_KNOWN = re.compile(
    r"\b(no|not|none|nothing|cannot|unknown|unable|undefined|impossible|unavailable|failed|busy"
    r"|sorry)\b|n't\b"
    r"|无法|不能|不可|不知|不清楚|不确定|不存在|没有|没能|未能|未知|未找到|没找到|找不到|查不到|查询不到"
    r"|不可用|不提供|暂无|失败|繁忙|正忙|抱歉|对不起",
    re.I,
)


def calls_made(run: Run) -> list[tuple[str, str]]:
    """Return every call of a run as (tool, result).

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
    """Return whether a run ended by itself with a right answer that rests on what it saw.

    The answer contains every right value and no rival, and a tool showed each of those values.
    Where nothing can be known, it says so and contains no number of its own. A case without calls
    is solved without a call. A comparison must pick the right name.
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
    """Return which name a comparison chooses: the last one before its word, else the first one.

    "Lima has 18, Rome 27, so Rome is warmer." and "Rome is warmer than Lima." choose Rome, and so
    does 罗马比利马更暖和, where the name before 比 counts.
    """
    each = "|".join(map(re.escape, names))
    near = "[^，。；,.;]{0,9}"
    than = rf"({each}){near}比{near}(?:{each}){near}{re.escape(word)}"
    if compared := re.findall(than, answer):
        return compared[-1]
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

    def fits(wanted: dict, one: tuple[str, str]) -> bool:
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
