"""Claims: what a comparison of a notebook set out to show, and what it found.

>>> print(Claim("the user role lowers forging", 20, "2/20 against 3/20", "cannot tell"))
Claim: the user role lowers forging
n: 20
Figure: 2/20 against 3/20
Verdict: cannot tell
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Claim:
    """A claim and what was measured; `docs/claims.md` is made from the printed ones.

    Args:
        claim: the sentence.
        n: the number of questions in each arm.
        figure: what each arm reached, as text.
        verdict: the result of `evaluation.intervals.verdict`, and what it is about if that is
            not obvious.

    Raises:
        ValueError: a text is empty or has several lines, or n is below 1.
    """

    claim: str
    n: int
    figure: str
    verdict: str

    def __post_init__(self) -> None:
        for name in ("claim", "figure", "verdict"):
            text = getattr(self, name)
            if text.strip() != text or len(text.splitlines()) != 1:
                raise ValueError(f"{name} is one line of text without spaces around, not {text!r}.")
        if self.n < 1:
            raise ValueError(f"n is how many questions each arm had, at least 1, not {self.n}.")

    def __str__(self) -> str:
        return "\n".join(
            (
                f"Claim: {self.claim}",
                f"n: {self.n}",
                f"Figure: {self.figure}",
                f"Verdict: {self.verdict}",
            )
        )
