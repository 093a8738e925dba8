"""The fourteen days of L221-18, to the working day and on the clock of Paris."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orders.models import Order
from orders.selectors.withdrawal_period import (
    is_in_time,
    period_end,
    refund_deadline,
    withdrawal_deadline,
)
from shop.core.dates import shop_day


def order(delivered_at=None, country="FR", postal_code="69003"):
    return Order(delivered_at=delivered_at, country=country, postal_code=postal_code)


# Written down by hand, so that the rule is not tested with its own list.
def easter(year):
    a, b, c = year % 19, year // 100, year % 100
    h = (19 * a + b - b // 4 - ((b - (b + 8) // 25 + 1) // 3) + 15) % 30
    l = (32 + 2 * (b % 4) + 2 * (c // 4) - h - c % 4) % 7  # noqa: E741
    m = (a + 11 * h + 22 * l) // 451
    month, day = divmod(h + l - 7 * m + 114, 31)
    return date(year, month, day + 1)


def french_holidays(year):
    sunday = easter(year)
    fixed = {(1, 1), (5, 1), (5, 8), (7, 14), (8, 15), (11, 1), (11, 11), (12, 25)}
    return {date(year, month, day) for month, day in fixed} | {
        sunday + timedelta(days=days) for days in (1, 39, 50)
    }


def is_free(day):
    return day.weekday() >= 5 or day in french_holidays(day.year)


@pytest.mark.parametrize(
    ("received", "last"),
    [
        (date(2026, 11, 4), date(2026, 11, 18)),  # Wednesday to Wednesday
        (date(2026, 11, 7), date(2026, 11, 23)),  # ends on a Saturday: Monday
        (date(2026, 11, 8), date(2026, 11, 23)),  # ends on a Sunday: Monday
        (date(2026, 12, 11), date(2026, 12, 28)),  # 25 December is a Friday: Monday
        (date(2026, 3, 20), date(2026, 4, 3)),  # Good Friday is a working day in most of France
        (date(2026, 3, 21), date(2026, 4, 7)),  # Saturday before Easter: Tuesday after Easter Monday
        (date(2027, 4, 29), date(2027, 5, 13)),  # one that Ascension does not touch
        (date(2027, 4, 22), date(2027, 5, 7)),  # Ascension (6 May 2027): the Friday after
        (date(2027, 12, 18), date(2028, 1, 3)),  # Saturday 1 January: Monday
        (date(2028, 2, 15), date(2028, 2, 29)),  # a leap day is a day
    ],
)
def test_l221_18_fourteen_days_from_the_day_after_the_last_parcel(received, last):
    assert period_end(received) == last


@given(st.dates(min_value=date(2024, 1, 1), max_value=date(2033, 12, 31)))
def test_reg_1182_71_over_ten_years_the_period_ends_on_the_first_working_day(received):
    last = period_end(received)
    fourteenth = received + timedelta(days=14)

    assert last >= fourteenth
    assert not is_free(last)
    assert all(is_free(fourteenth + timedelta(days=n)) for n in range((last - fourteenth).days))
    # Never longer than the longest row of free days: Saturday, Sunday and two holidays around them.
    assert last - fourteenth <= timedelta(days=4)


@given(st.dates(min_value=date(2024, 1, 1), max_value=date(2033, 12, 31)))
def test_a_later_delivery_never_ends_the_period_earlier(received):
    assert period_end(received) <= period_end(received + timedelta(days=1))


def test_reg_1182_71_local_holidays_count_where_the_customer_lives():
    good_friday = date(2026, 3, 20)
    assert withdrawal_deadline(order(datetime(2026, 3, 20, 9, tzinfo=UTC))) == date(2026, 4, 3)
    # Alsace: Good Friday, then the week-end and Easter Monday.
    assert withdrawal_deadline(order(datetime(2026, 3, 20, 9, tzinfo=UTC), postal_code="67000")) == date(
        2026, 4, 7
    )
    assert period_end(good_friday, region="57") == date(2026, 4, 7)
    # The same digits in another country mean nothing.
    assert withdrawal_deadline(
        order(datetime(2026, 3, 20, 9, tzinfo=UTC), country="DE", postal_code="67000")
    ) == date(2026, 4, 3)


@pytest.mark.parametrize(
    ("postal_code", "received", "last"),
    [
        ("57000", date(2026, 3, 20), date(2026, 4, 7)),  # Good Friday, in Moselle as in Alsace
        ("67000", date(2026, 3, 20), date(2026, 4, 7)),
        ("68100", date(2026, 3, 20), date(2026, 4, 7)),
        ("97110", date(2026, 5, 13), date(2026, 5, 28)),  # 27 May in Guadeloupe
        ("97200", date(2026, 5, 8), date(2026, 5, 26)),  # 22 May in Martinique, then Whitsun
        ("97300", date(2026, 5, 27), date(2026, 6, 11)),  # 10 June in Guyane
        ("97400", date(2027, 12, 6), date(2027, 12, 21)),  # 20 December on La Réunion
        ("97600", date(2026, 4, 13), date(2026, 4, 28)),  # 27 April on Mayotte
    ],
)
def test_l3422_2_each_region_has_its_own_days(postal_code, received, last):
    noon = datetime(received.year, received.month, received.day, 12, tzinfo=UTC)
    assert withdrawal_deadline(order(noon, postal_code=postal_code)) == last
    # Where the day is like any other, the period ends on it.
    assert withdrawal_deadline(order(noon)) == received + timedelta(days=14)


def test_l221_18_unknown_delivery_leaves_the_period_open():
    assert withdrawal_deadline(order()) is None
    assert is_in_time(order(), date(2030, 1, 1))


def test_days_are_those_of_paris_across_summer_time():
    # 23:30 UTC on 10 March is 00:30 on the 11th in Paris (winter time).
    winter = order(datetime(2026, 3, 10, 23, 30, tzinfo=UTC))
    assert withdrawal_deadline(winter) == date(2026, 3, 25)
    # The period crosses 29 March (summer time): its last hour ends at 22:00 UTC, not 23:00.
    crossing = order(datetime(2026, 3, 17, 12, 0, tzinfo=UTC))
    assert withdrawal_deadline(crossing) == date(2026, 3, 31)
    assert is_in_time(crossing, shop_day(datetime(2026, 3, 31, 21, 59, 59, tzinfo=UTC)))
    assert not is_in_time(crossing, shop_day(datetime(2026, 3, 31, 22, 0, tzinfo=UTC)))
    # And 25 October (winter time): the last hour ends at 23:00 UTC.
    back = order(datetime(2026, 10, 14, 12, 0, tzinfo=UTC))
    assert withdrawal_deadline(back) == date(2026, 10, 28)
    assert is_in_time(back, shop_day(datetime(2026, 10, 28, 22, 59, 59, tzinfo=UTC)))
    assert not is_in_time(back, shop_day(datetime(2026, 10, 28, 23, 0, tzinfo=UTC)))


def test_l221_24_the_refund_is_due_fourteen_days_after_the_declaration():
    # A Saturday: the shop does not take the days that the customer gets.
    assert refund_deadline(datetime(2026, 11, 7, 12, 0, tzinfo=UTC)) == date(2026, 11, 21)
    # Declared at 00:30 in Paris.
    assert refund_deadline(datetime(2026, 11, 6, 23, 30, tzinfo=UTC)) == date(2026, 11, 21)
