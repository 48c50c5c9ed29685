"""Evaluation: intervals and verdicts, against values from published tables."""

import pytest

from react_lab.evaluation import interval, share, verdict


@pytest.mark.parametrize(
    "right, n, low, high",
    [
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0000, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_wilsons_interval(right, n, low, high):
    """R. G. Newcombe, Statistics in Medicine 17 (1998), table I, method 3."""
    assert interval(right, n) == pytest.approx((low, high), abs=0.00005)


def test_an_interval_stays_between_nothing_and_all():
    assert interval(0, 7)[0] == 0
    assert interval(7, 7)[1] == 1
    assert interval(0, 0) == (0, 1)


@pytest.mark.parametrize("right, n", [(5, 4), (-1, 4), (0, -1)])
def test_what_is_no_share_is_refused(right, n):
    with pytest.raises(ValueError, match="is no share"):
        interval(right, n)


def test_a_share_is_written_with_its_n_and_its_interval():
    assert share(number > 80 for number in range(263)) == "182/263 69% (63% to 74%)"
    assert share([]) == "0/0 (nothing was measured)"


# The sign test's table: with n pairs that differ, at most so many may speak against it for 5%,
# both sides; None where no outcome is enough.
SIGNS = {1: None, 5: None, 6: 0, 8: 0, 9: 1, 11: 1, 12: 2, 15: 3, 17: 4, 20: 5, 25: 7}


@pytest.mark.parametrize("n, against", SIGNS.items())
def test_a_verdict_follows_the_table_of_the_sign_test(n, against):
    """W. J. Dixon and A. M. Mood, Journal of the American Statistical Association 41 (1946)."""

    def seen(lost: int) -> str:
        both, neither = [True] * 9, [False] * 4  # they say nothing about the difference
        results = [True] * (n - lost) + [False] * lost + both + neither
        others = [False] * (n - lost) + [True] * lost + both + neither
        assert (verdict(others, results) == "worse") == (verdict(results, others) == "better")
        return verdict(results, others)

    if against is None:
        assert seen(0) == "cannot tell"
    else:
        assert [seen(against), seen(against + 1)] == ["better", "cannot tell"]


def test_without_a_difference_nothing_can_be_told():
    assert verdict([True] * 20, [True] * 20) == "cannot tell"
    assert verdict([], []) == "cannot tell"


def test_both_variants_need_the_same_questions():
    with pytest.raises(ValueError):
        verdict([True], [True, False])
