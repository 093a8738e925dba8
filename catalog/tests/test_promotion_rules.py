"""Which promotion a product has, and what it costs then: rules in memory, the clock given."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog import pricing
from catalog.models import Promotion, PromotionState
from catalog.pricing import ProductPromotion
from catalog.selectors import wording

NOW = datetime(2026, 11, 27, 9, 0, tzinfo=UTC)
SECOND = timedelta(seconds=1)
DAY = timedelta(days=1)


def percent(value: int, **fields) -> Promotion:
    return Promotion(type="percent", percent=value, **fields)


def buy(bought: int, free: int) -> Promotion:
    return Promotion(type="buy_n_get_m", buy_quantity=bought, get_quantity=free)


def applied(pk: int, *, is_chosen: bool = False, **fields) -> ProductPromotion:
    return ProductPromotion(percent(10, pk=pk, **fields), is_chosen)


@pytest.mark.parametrize(
    ("after_start", "state"),
    [(-SECOND, "planned"), (0 * SECOND, "running"), (DAY - SECOND, "running"), (DAY, "ended")],
)
def test_it_runs_from_its_start_until_just_before_its_end(after_start, state):
    promotion = percent(10, starts_at=NOW, ends_at=NOW + DAY)
    assert promotion.state(NOW + after_start) == state


@pytest.mark.parametrize("fields", [{}, {"starts_at": NOW}, {"ends_at": NOW + SECOND}])
def test_without_a_date_it_has_no_such_end(fields):
    assert percent(10, **fields).state(NOW) == PromotionState.RUNNING


def test_switched_off_it_is_off_whatever_its_dates():
    assert percent(10, is_active=False, starts_at=NOW - DAY).state(NOW) == PromotionState.OFF


def test_nothing_runs_where_nothing_applies():
    assert pricing.running_promotion([], NOW) is None
    assert pricing.running_promotion([applied(1, starts_at=NOW + SECOND)], NOW) is None


@pytest.mark.parametrize(
    ("others", "winner"),
    [
        # The product's own before its category's, though that one is newer and started later.
        ([applied(1, is_chosen=True), applied(2, starts_at=NOW - DAY)], 1),
        # Then the one that started last; one without a start is the oldest.
        ([applied(1, starts_at=NOW - DAY), applied(2, starts_at=NOW - 2 * DAY), applied(3)], 1),
        ([applied(1, is_chosen=True, starts_at=NOW), applied(2, is_chosen=True)], 1),
        # Then the one that was written last.
        ([applied(1), applied(2)], 2),
        # One that does not run takes no part.
        ([applied(1), applied(2, is_chosen=True, ends_at=NOW)], 1),
    ],
)
def test_one_promotion_at_a_time_by_the_rule_of_precedence(others, winner):
    assert pricing.running_promotion(others, NOW).pk == winner
    assert pricing.running_promotion(reversed(others), NOW).pk == winner


@pytest.mark.parametrize(
    ("price", "promotion", "reduced"),
    [
        ("100.00", percent(20), "80.00"),
        # Half a cent goes up.
        ("0.30", percent(15), "0.26"),
        ("9.99", percent(50), "5.00"),
        # Never below a cent, never above the price.
        ("0.01", percent(99), "0.01"),
        ("0.00", percent(20), "0.00"),
        ("40.00", Promotion(type="amount", amount=Decimal("12.50")), "27.50"),
        ("10.00", Promotion(type="amount", amount=Decimal("10.00")), "0.01"),
        ("10.00", Promotion(type="amount", amount=Decimal("99.00")), "0.01"),
        # Pieces that are offered change no price.
        ("10.00", buy(2, 1), "10.00"),
        ("10.00", None, "10.00"),
    ],
)
def test_what_is_left_of_a_price(price, promotion, reduced):
    assert pricing.reduced_price(Decimal(price), promotion) == Decimal(reduced)


@given(cents=st.integers(0, 10**8), value=st.integers(1, 99))
def test_a_percentage_is_half_up_to_the_cent(cents, value):
    reduced = pricing.reduced_price(Decimal(cents).scaleb(-2), percent(value))
    exact = (cents * (100 - value) * 2 + 100) // 200
    assert reduced == Decimal(min(cents, max(exact, 1))).scaleb(-2)


@pytest.mark.parametrize(
    ("promotion", "badge", "label"),
    [
        (None, "", ""),
        (buy(2, 1), "2 ACHETÉS 1 OFFERT", "2 achetés, 1 offert"),
        (buy(4, 3), "4 ACHETÉS 3 OFFERTS", "4 achetés, 3 offerts"),
        (buy(1, 1), "1 ACHETÉ 1 OFFERT", "1 acheté, 1 offert"),
        (percent(20), "PROMO", "PROMO −20\u00a0%"),
        (Promotion(type="amount", amount=Decimal("5.00")), "PROMO", "PROMO −5,00\u00a0€"),
    ],
)
def test_badge_and_label(promotion, badge, label):
    assert (wording.promotion_badge(promotion), wording.promotion_label(promotion)) == (badge, label)


def test_the_sentence_says_until_when():
    # Midnight in Paris: the last day is the one before.
    ends_at = datetime(2026, 11, 30, 23, 0, tzinfo=UTC)
    assert wording.promotion_text(percent(20, ends_at=ends_at)) == (
        "PROMO −20\u00a0%. Jusqu'au 30\u00a0novembre 2026."
    )
