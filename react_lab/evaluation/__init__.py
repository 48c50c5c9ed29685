"""Evaluation: run an agent on cases, and report how certain the results are.

>>> share([True] * 15 + [False] * 5)
'15/20 75% (53% to 89%)'
>>> verdict([True] * 20, [True] * 11 + [False] * 9)
'better'
"""

from react_lab.evaluation.claim import Claim
from react_lab.evaluation.evaluation import (
    MEANS,
    SHARES,
    Regression,
    Result,
    ask,
    compare,
    evaluate,
    figures,
    judged,
    lab_agent,
    regression,
    unfinished,
)
from react_lab.evaluation.intervals import interval, mean, mean_interval, moved, share, verdict
from react_lab.evaluation.judge import Case
from react_lab.evaluation.stress import ODD, stress
from react_lab.tracking import track

__all__ = [
    "MEANS",
    "ODD",
    "SHARES",
    "Case",
    "Claim",
    "Regression",
    "Result",
    "ask",
    "compare",
    "evaluate",
    "figures",
    "interval",
    "judged",
    "lab_agent",
    "mean",
    "mean_interval",
    "moved",
    "regression",
    "share",
    "stress",
    "track",
    "unfinished",
    "verdict",
]
