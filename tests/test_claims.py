"""Claims: their four lines, and the ledger in docs/claims.md made from them."""

import pytest

from react_lab.claim import Claim


def test_a_claim_prints_as_four_lines():
    claim = Claim(
        "twenty tools halve the choice", n=24, figure="12/24 against 20/24", verdict="worse"
    )
    assert str(claim).split("\n") == [
        "Claim: twenty tools halve the choice",
        "n: 24",
        "Figure: 12/24 against 20/24",
        "Verdict: worse",
    ]


@pytest.mark.parametrize(
    "claim, n", [("two\nlines", 20), ("", 20), ("a space behind ", 20), ("a", 0)]
)
def test_a_claim_that_could_not_be_read_back_is_refused(claim, n):
    with pytest.raises(ValueError, match="one line of text|at least 1"):
        Claim(claim, n, "1/20 against 2/20", "cannot tell")
