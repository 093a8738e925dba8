"""What sending an order sets in motion: the fifty days of its last payment (L312-4 4°), and what must keep it here."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from functools import partial
from typing import Any

import pytest
import time_machine
from django.db import transaction
from django.utils import timezone

from orders.models import Order, OrderStatus
from orders.selectors.withdrawal_period import withdrawal_deadline
from orders.services.fulfilment.status_changes import update_status
from orders.services.payments.due_installments import run_round
from orders.services.withdrawals.declarations import Declaration, declare_withdrawal
from orders.tests.installments import days
from orders.tests.refunding import in_installments, mails, rows
from shop.core.problems import Problem
from tests.races.concurrency import Started, wait_until_blocked

pytestmark = [pytest.mark.postgres, pytest.mark.django_db, pytest.mark.usefixtures("provider")]

ORDERED = datetime(2026, 6, 1, 10, tzinfo=UTC)


def in_installments_then() -> Order:
    with time_machine.travel(ORDERED, tick=False):
        return in_installments()


def set_status(order: Order, status: str, after: int, **said: Any) -> None:
    with time_machine.travel(ORDERED + timedelta(days=after), tick=False):
        update_status(order_id=order.pk, status=status, actor=None, **said)


def test_l312_4_the_fifty_days_begin_with_the_dispatch_that_was_not_undone():
    order = in_installments_then()
    assert days(order) == [date(2026, 6, 1), date(2026, 7, 1), date(2026, 7, 31)]
    set_status(order, OrderStatus.SHIPPED, after=3)
    # The 4th of June and fifty days.
    assert days(order)[2] == date(2026, 7, 24)
    assert mails(order).count("installment_moved") == 1
    # Staff had pressed the wrong button, and press the right one eight days later: the parcel left then.
    set_status(order, OrderStatus.PROCESSING, after=4, reason="Mauvais bouton.")
    order.refresh_from_db()
    assert (order.shipped_at, days(order)[2]) == (None, date(2026, 7, 31))
    set_status(order, OrderStatus.SHIPPED, after=12)
    order.refresh_from_db()
    assert order.shipped_at == ORDERED + timedelta(days=12)
    assert days(order)[2] == date(2026, 7, 31)
    assert order.payments.get(position=3).moved_from is None
    assert mails(order).count("installment_moved") == 1


@pytest.mark.parametrize(
    ("after", "last", "told"),
    [(9, date(2026, 7, 30), 1), (10, date(2026, 7, 31), 0), (11, date(2026, 7, 31), 0)],
    ids=["a day too early", "exactly fifty days", "later"],
)
def test_l312_4_only_what_falls_after_the_fiftieth_day_is_brought_forward(after, last, told):
    order = in_installments_then()
    set_status(order, OrderStatus.SHIPPED, after=after)
    assert days(order)[2] == last
    assert mails(order).count("installment_moved") == told


@pytest.mark.parametrize(("noted", "told"), [(49, "installment_moved"), (50, "installment_link")])
def test_l312_4_what_cannot_be_announced_for_the_fiftieth_day_any_more_is_paid_by_the_link(noted, told):
    """Staff note weeks later that it was sent on the 4th of June: the fiftieth day is the 24th of July."""
    order = in_installments_then()
    order.payments.filter(position=2).update(state="paid")
    set_status(order, OrderStatus.SHIPPED, after=noted, dispatched_on=date(2026, 6, 4))
    third = order.payments.get(position=3)
    assert (third.due_on, third.moved_from) == (date(2026, 7, 24), date(2026, 7, 31))
    assert [kind for kind in mails(order) if kind.startswith("installment")] == [told]
    if told == "installment_moved":
        assert (third.state, third.stopped_code, third.next_try_on) == ("scheduled", "", None)
    else:
        assert (third.state, third.stopped_code, third.next_try_on) == ("due", "resumed", date(2026, 7, 24))


@pytest.mark.parametrize(
    ("announced_on", "state", "kind"),
    [(21, "scheduled", "installment_reminder"), (22, "due", "installment_link")],
)
def test_l312_4_what_would_be_announced_for_a_day_after_the_fiftieth_is_paid_by_the_link(
    announced_on, state, kind
):
    """The 24th of July is its last day: who tells it on the 22nd may charge on the 25th."""
    order = in_installments_then()
    order.payments.filter(position=2).update(state="paid")
    set_status(order, OrderStatus.SHIPPED, after=3)
    before = mails(order)
    with time_machine.travel(datetime(2026, 7, announced_on, 10, tzinfo=UTC), tick=False):
        run_round(timezone.now())
    third = order.payments.get(position=3)
    assert (third.state, third.due_on) == (state, date(2026, 7, 24))
    assert mails(order) == sorted([*before, kind])
    assert third.next_try_on == (date(2026, 7, 25) if state == "due" else None)


def test_a_payment_that_was_asked_for_already_keeps_its_day():
    """It is late, and its customer has the link: moving its day would promise another charge."""
    order = in_installments_then()
    order.payments.filter(position=3).update(state="due", stopped_code="stolen_card")
    set_status(order, OrderStatus.SHIPPED, after=3)
    assert days(order)[2] == date(2026, 7, 31)
    assert mails(order).count("installment_moved") == 0


def test_a_day_that_is_brought_forward_is_announced_anew():
    order = in_installments_then()
    order.payments.filter(position=3).update(
        announced_at=ORDERED + timedelta(days=2), next_try_on=date(2026, 8, 2)
    )
    set_status(order, OrderStatus.SHIPPED, after=3)
    last = order.payments.get(position=3)
    assert (last.announced_at, last.next_try_on) == (None, None)


def test_a_delivery_without_dispatch_begins_them_too():
    order = in_installments_then()
    set_status(order, OrderStatus.DELIVERED, after=3)
    assert days(order)[2] == date(2026, 7, 24)


def test_l221_18_a_parcel_that_had_not_arrived_after_all_begins_no_withdrawal_period():
    order = in_installments_then()
    set_status(order, OrderStatus.SHIPPED, after=3)
    set_status(order, OrderStatus.DELIVERED, after=5)
    order.refresh_from_db()
    assert withdrawal_deadline(order) == date(2026, 6, 22)  # fourteen days end on a Saturday
    set_status(order, OrderStatus.SHIPPED, after=6)
    order.refresh_from_db()
    assert (order.delivered_at, withdrawal_deadline(order)) == (None, None)
    assert order.shipped_at == ORDERED + timedelta(days=3)


@pytest.mark.django_db(transaction=True)
def test_a_parcel_waits_for_a_declaration_that_is_being_filed_and_stays():
    order = in_installments()
    with transaction.atomic():
        Order.objects.select_for_update().get(pk=order.pk)
        parcel = Started(partial(update_status, order_id=order.pk, status="shipped", actor=None))
        wait_until_blocked()
        declaration = Declaration(
            name="Léa Martin", email=order.email, order_text=order.reference, language="fr", order=order
        )
        declare_withdrawal(declaration=declaration, key="declared", caller="192.0.2.9")
    outcome = parcel.outcome()
    assert isinstance(outcome.error, Problem)
    assert outcome.error.code == "withdrawal_open"
    order.refresh_from_db()
    assert (order.status, order.shipped_at) == (OrderStatus.CONFIRMED, None)
    before = rows()
    with pytest.raises(Problem):
        update_status(order_id=order.pk, status="shipped", actor=None)
    assert rows() == before
