"""Evaluation: how sure a measured share is, and whether two variants really differ.

>>> share([True] * 15 + [False] * 5)
'15/20 75% (53% to 89%)'
>>> verdict([True] * 20, [True] * 11 + [False] * 9)
'better'
"""

import math
from collections.abc import Iterable, Sequence


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
    """A share as text: right of all, per cent, and its 95% interval. results: one per question."""
    results = list(results)
    right, n = sum(map(bool, results)), len(results)
    if not n:
        return "0/0 (nothing was measured)"
    low, high = interval(right, n)
    return f"{right}/{n} {right / n:.0%} ({low:.0%} to {high:.0%})"


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
