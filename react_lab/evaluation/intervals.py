"""Intervals: how certain a result is, and whether two results differ.

>>> share([True] * 15 + [False] * 5)
'15/20 75% (53% to 89%)'
>>> verdict([True] * 20, [True] * 11 + [False] * 9)
'better'
"""

import math
import random
from collections.abc import Iterable, Sequence

# What these functions write, in Chinese. Longer texts come first.
IN_CHINESE = {
    "answers right": "答案正确",
    "right tools": "工具正确",
    "tools and arguments right": "工具和参数都正确",
    "finished": "自行完成",
    "rounds": "轮数",
    "tokens": "词元数",
    "seconds in the model": "模型用时（秒）",
    "not told": "没有报告",
    "(nothing was measured)": "（没有测量）",
    "nothing was measured": "没有测量",
    " against ": " 对 ",
    ": cannot tell": "：无法判断",
    ": better": "：更好",
    ": worse": "：更差",
    ": more": "：更多",
    ": less": "：更少",
    " to ": " 到 ",
}


def written(text: str, language: str = "en") -> str:
    """Return a text of these functions, or the name of a metric, in a language.

    >>> written("15/20 75% (53% to 89%)", "zh")
    '15/20 75%（53% 到 89%）'
    """
    if language == "en":
        return text
    if text in IN_CHINESE:
        return IN_CHINESE[text]
    for english, chinese in IN_CHINESE.items():
        text = text.replace(english, chinese)
    return text.replace(" (", "（").replace(")", "）")


def interval(right: int, n: int) -> tuple[float, float]:
    """The 95% interval of a share, right of n, as two fractions; (0, 1) when n is 0.

    Wilson's score interval (E. B. Wilson, 1927). Raises ValueError unless 0 <= right <= n.
    """
    if not 0 <= right <= n:
        raise ValueError(f"{right} of {n} is no share; give how many are right, then how many.")
    z = 1.96
    middle = (right + z * z / 2) / (n + z * z)
    half = z * math.sqrt(right * (n - right) / max(n, 1) + z * z / 4) / (n + z * z)
    return max(0.0, middle - half), min(1.0, middle + half)


def share(results: Iterable[bool]) -> str:
    """Write a share as text: right of all, per cent, 95% interval. results: one per question."""
    results = list(results)
    right, n = sum(map(bool, results)), len(results)
    if not n:
        return "0/0 (nothing was measured)"
    low, high = interval(right, n)
    return f"{right}/{n} {right / n:.0%} ({low:.0%} to {high:.0%})"


def mean_interval(values: Sequence[float], draws: int = 2000) -> tuple[float, float]:
    """The 95% interval of a mean: drawn again from the values, with the same seed each time.

    The percentile bootstrap (B. Efron, 1979). Raises ValueError when there are no values.
    """
    if not values:
        raise ValueError("There is no mean of nothing; run at least one case first.")
    dice = random.Random(0)
    means = sorted(sum(dice.choices(values, k=len(values))) for _ in range(draws))
    cut = draws // 40  # 2.5% at each end
    return means[cut] / len(values), means[-1 - cut] / len(values)


def mean(values: Iterable[float], digits: int = 1) -> str:
    """Write a mean as text, with its 95% interval. digits: after the decimal point."""
    if not (values := list(values)):
        return "nothing was measured"
    low, high = mean_interval(values)
    middle = sum(values) / len(values)
    return f"{middle:,.{digits}f} ({low:,.{digits}f} to {high:,.{digits}f})"


def verdict(results: Sequence[bool], others: Sequence[bool]) -> str:
    """Whether a variant is "better" or "worse" than another one, or "cannot tell".

    results, others: what the variant and the other one got right, question by question, in the
    same order. Only questions that one of them alone got right count: a sign test on them at
    5%, both sides (McNemar's exact test). Raises ValueError for lists of unequal length.
    """
    pairs = [(bool(mine), bool(theirs)) for mine, theirs in zip(results, others, strict=True)]
    gained, lost = pairs.count((True, False)), pairs.count((False, True))
    n, fewer = gained + lost, min(gained, lost)
    chance = 2 * sum(math.comb(n, k) for k in range(fewer + 1)) / 2**n
    if chance > 0.05:
        return "cannot tell"
    return "better" if gained > lost else "worse"


def moved(values: Sequence[float], others: Sequence[float]) -> str:
    """Whether a mean is "more" or "less" than another one, or "cannot tell".

    values, others: as in `verdict`. The interval of the mean difference, pair by pair, decides.
    Raises ValueError for lists of unequal length or without values.
    """
    low, high = mean_interval([mine - theirs for mine, theirs in zip(values, others, strict=True)])
    return "more" if low > 0 else "less" if high < 0 else "cannot tell"
