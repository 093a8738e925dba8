"""Cents shared out in proportion: figures, ties, senseless demands, and what holds for any of them."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orders.pricing.shares import share_out


@pytest.mark.parametrize(
    ("cents", "weights", "shares"),
    [
        (10000, [11900], [10000]),
        # 8.4033… each: one cent is left, and the first of equal weights gets it.
        (2521, [1000, 1000, 1000], [841, 840, 840]),
        (2, [1, 1, 1], [1, 1, 0]),
        # 0.6 and 1.4: the larger remainder gets the cent, although it is the smaller part.
        (2, [3, 7], [1, 1]),
        (420, [0, 500], [0, 420]),
        (0, [5, 7], [0, 0]),
        (0, [0, 0], [0, 0]),
        (0, [], []),
        # More than the weights themselves: proportions are all that counts.
        (300, [1, 2], [100, 200]),
    ],
)
def test_shares(cents, weights, shares):
    assert share_out(cents, weights) == shares


@pytest.mark.parametrize(("cents", "weights"), [(-1, [1]), (1, []), (1, [0, 0]), (1, [2, -1]), (0, [-1, 1])])
def test_senseless_demands_are_refused(cents, weights):
    with pytest.raises(ValueError) as refusal:
        share_out(cents, weights)
    assert str(refusal.value) == f"{cents} cents can't be shared out over {weights}."


weights_of_some = st.lists(st.integers(0, 10**7), min_size=1, max_size=8).filter(any)


@given(st.integers(0, 10**8), weights_of_some)
def test_shares_add_up_and_lie_within_a_cent_of_their_proportion(cents, weights):
    shares = share_out(cents, weights)
    assert sum(shares) == cents
    for share, weight in zip(shares, weights, strict=True):
        assert abs(share - Fraction(cents * weight, sum(weights))) < 1
        if cents <= sum(weights):
            assert 0 <= share <= weight


@given(st.data(), weights_of_some)
def test_a_larger_weight_never_gets_less(data, weights):
    shares = share_out(data.draw(st.integers(0, sum(weights))), weights)
    by_weight = sorted(zip(weights, shares, strict=True))
    for (lighter, less), (heavier, more) in pairwise(by_weight):
        assert lighter == heavier or less <= more


@given(st.data(), weights_of_some)
def test_two_parts_that_make_a_whole_can_be_shared_out_from_either_end(data, weights):
    """What is left after sharing out a part is what the lines still have: no line is overdrawn."""
    part = data.draw(st.integers(0, sum(weights)))
    left = [weight - share for weight, share in zip(weights, share_out(part, weights), strict=True)]
    assert sum(left) == sum(weights) - part
    assert share_out(sum(left), left) == left
