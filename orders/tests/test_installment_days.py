"""On which day an installment that goes on is charged: in memory, by days counted from today."""

from __future__ import annotations

from datetime import date, datetime, timedelta

import pytest
from django.utils import timezone

from orders.models import Order, Payment
from orders.services.installments.resuming import schedule_payment

NOW = datetime(2026, 11, 23, 9, tzinfo=timezone.get_default_timezone())


def on(day: int | None) -> date | None:
    return None if day is None else NOW.date() + timedelta(days=day)


@pytest.mark.parametrize(
    ("due", "sent", "expected"),
    [
        # State, day, next try, day that was agreed, whether the mail about it is its announcement.
        (4, None, ("scheduled", 4, None, None, False)),
        (3, None, ("scheduled", 3, None, None, True)),
        (2, None, ("scheduled", 2, 3, None, True)),
        (0, None, ("scheduled", 0, 3, None, True)),
        (-1, None, ("due", -1, 3, None, False)),
        (30, -20, ("scheduled", 30, None, None, False)),
        (31, -20, ("scheduled", 30, None, 31, False)),
        (1, -47, ("scheduled", 1, 3, None, True)),
        (1, -48, ("due", 1, 3, None, False)),
    ],
)
def test_what_was_agreed_applies_with_three_days_of_notice_and_fifty_after_dispatch(due, sent, expected):
    order = Order(first_sent_at=None if sent is None else NOW + timedelta(days=sent))
    payment = Payment(due_on=on(due), stopped_code="stolen_card", link_sent_at=NOW - timedelta(days=9))
    schedule_payment(order, payment, NOW)
    state, day, next_try, moved_from, announced = expected
    assert (payment.state, payment.due_on, payment.next_try_on) == (state, on(day), on(next_try))
    assert (payment.moved_from, payment.announced_at) == (on(moved_from), NOW if announced else None)
    is_due = state == "due"
    assert (payment.stopped_code, payment.link_sent_at) == (("resumed", NOW) if is_due else ("", None))


def test_one_that_was_moved_before_keeps_the_day_that_was_agreed():
    payment = Payment(due_on=on(40), moved_from=on(60))
    schedule_payment(Order(first_sent_at=NOW - timedelta(days=20)), payment, NOW)
    assert (payment.due_on, payment.moved_from) == (on(30), on(60))
