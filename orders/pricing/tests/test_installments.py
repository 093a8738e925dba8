"""Installments: amounts, dates and the minimum."""

from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orders.pricing.installments import (
    Installment,
    OwedPart,
    charge_day,
    last_day,
    plan,
    reaches_minimum,
    restore_parts,
)
from orders.pricing.tests.carts import TODAY
from shop.core.money import from_cents


@pytest.mark.parametrize(
    ("total", "amounts"),
    [
        ("100.00", ["33.34", "33.33", "33.33"]),
        ("100.01", ["33.35", "33.33", "33.33"]),
        ("100.02", ["33.34", "33.34", "33.34"]),
        ("150.00", ["50.00", "50.00", "50.00"]),
        ("150.01", ["50.01", "50.00", "50.00"]),
        ("150.02", ["50.02", "50.00", "50.00"]),
        ("0.00", ["0.00", "0.00", "0.00"]),
        ("0.02", ["0.02", "0.00", "0.00"]),
        ("99999999.99", ["33333333.33", "33333333.33", "33333333.33"]),
    ],
)
def test_the_cents_that_do_not_divide_are_in_the_first_third(total: str, amounts: list[str]) -> None:
    parts = plan(Decimal(total), TODAY)
    assert [str(part.amount) for part in parts] == amounts
    assert sum(part.amount for part in parts) == Decimal(total)


def test_installments_are_due_today_and_every_30_days() -> None:
    assert plan(Decimal("150.00"), date(2026, 11, 21)) == (
        Installment(date(2026, 11, 21), Decimal("50.00")),
        Installment(date(2026, 12, 21), Decimal("50.00")),
        Installment(date(2027, 1, 20), Decimal("50.00")),
    )


def test_dates_count_a_leap_day() -> None:
    assert [part.due for part in plan(Decimal("150.00"), date(2028, 1, 31))] == [
        date(2028, 1, 31),
        date(2028, 3, 1),
        date(2028, 3, 31),
    ]


@pytest.mark.parametrize("total", ["-0.01", "100.001", "NaN"])
def test_what_cannot_be_split_is_refused(total: str) -> None:
    with pytest.raises(ValueError, match=r"can't be split|not a whole number of cents"):
        plan(Decimal(total), TODAY)


@pytest.mark.parametrize(("total", "reached"), [("149.99", False), ("150.00", True), ("150.01", True)])
def test_the_minimum_itself_may_be_split(total: str, reached: bool) -> None:
    assert reaches_minimum(Decimal(total), Decimal("150.00")) is reached


@pytest.mark.parametrize(("total", "reached"), [("0.00", False), ("1.49", False), ("1.50", True)])
def test_no_part_is_smaller_than_a_card_can_be_charged(total: str, reached: bool) -> None:
    assert reaches_minimum(Decimal(total), Decimal("0.00")) is reached


@given(st.integers(0, 10**12))
@settings(deadline=None)
def test_parts_add_up_and_differ_by_less_than_a_cent_each(cents: int) -> None:
    first, second, third = (part.amount for part in plan(from_cents(cents), TODAY))
    assert first + second + third == from_cents(cents)
    assert second == third
    assert Decimal("0.00") <= first - third <= Decimal("0.02")


@pytest.mark.parametrize(
    ("due", "announced", "charged"),
    [
        (date(2026, 12, 21), date(2026, 12, 18), date(2026, 12, 21)),
        (date(2026, 12, 21), date(2026, 12, 1), date(2026, 12, 21)),
        (date(2026, 12, 21), date(2026, 12, 19), date(2026, 12, 22)),
        (date(2026, 12, 21), date(2026, 12, 30), date(2027, 1, 2)),
    ],
)
def test_nothing_is_charged_sooner_than_three_days_after_its_notice(
    due: date, announced: date, charged: date
) -> None:
    assert charge_day(due, announced) == charged


def test_l312_4_all_is_paid_within_fifty_days_of_dispatch() -> None:
    assert last_day(date(2026, 11, 25)) == date(2027, 1, 14)


@pytest.mark.parametrize(
    ("parts", "amount", "filled"),
    [
        ([("0.00", "50.00"), ("0.00", "50.00")], "100.00", ["50.00", "50.00"]),
        ([("0.00", "50.00"), ("0.00", "50.00")], "60.00", ["50.00", "10.00"]),
        ([("30.00", "50.00"), ("0.00", "50.00")], "30.00", ["50.00", "10.00"]),
        ([("50.00", "50.00"), ("0.00", "50.00")], "0.49", ["50.00", "0.00"]),
        ([("50.00", "50.00"), ("0.00", "50.00")], "0.50", ["50.00", "0.50"]),
        ([("60.00", "50.00")], "10.00", ["60.00"]),
        ([], "10.00", []),
    ],
)
def test_parts_are_owed_again_the_earliest_first_and_never_beyond_what_was_agreed(parts, amount, filled):
    owed_parts = [OwedPart(Decimal(owed), Decimal(agreed)) for owed, agreed in parts]
    assert restore_parts(owed_parts, Decimal(amount)) == [Decimal(part) for part in filled]
