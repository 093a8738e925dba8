"""What follows a refused installment goes on where it was once a bank's dispute or a pause is over: no day in the past,
and not all its steps at once."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta

import pytest
import time_machine
from django.template.loader import render_to_string
from django.utils import timezone

from orders.models import Attempt, Order, PausedBy, PauseEnd
from orders.selectors.installments import calendar, to_collect
from orders.selectors.order_cards import order_cards
from orders.services.installments.dates import pause_installments, resume_installments
from orders.services.installments.scheduled_payments import record_refusal
from orders.services.payments.due_installments import run_round
from orders.services.refunds.disputes import sync_disputes
from orders.tests.disputes import dispute
from orders.tests.memory_provider import MemoryProvider
from orders.tests.refunding import in_installments_with_card
from shop.core.models import OutgoingMail

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]

REFUSED = datetime(2026, 6, 1, 10, tzinfo=UTC)
OVER = 90
"""Days after the refusal on which what had stopped it for nearly as long ended."""


def at(days: int) -> time_machine.travel:
    return time_machine.travel(REFUSED + timedelta(days=days), tick=False)


def on(days: int) -> date:
    return REFUSED.date() + timedelta(days=days)


@pytest.fixture
def order(provider: MemoryProvider) -> Order:
    with time_machine.travel(REFUSED - timedelta(days=30), tick=False):
        return in_installments_with_card()


def refuse(order: Order, code: str) -> None:
    """The bank refuses the second installment now."""
    second = order.payments.get(position=2)
    tried = Attempt.objects.create(
        payment=second, number=second.attempts.count() + 1, kind="off_session", state="failed", error_code=code,
        amount_cents=6000, expires_at=timezone.now(),
    )  # fmt: skip
    record_refusal(order=order, payment=second, attempt=tried)


def test_a_member_is_not_pressed_to_pay_while_a_bank_disputes_a_payment(order, provider):
    def pressed() -> tuple[bool, ...]:
        [card] = order_cards([Order.objects.get(pk=order.pk)], user_id=0)
        shown = render_to_string("pages/members/_order.html", {"card": card})
        words = ('<details class="disclosure" open>', "button--primary", "Payer ou changer de carte")
        return tuple(word in shown for word in words)

    refuse(order, "expired_card")
    assert pressed() == (True, True, True)
    dispute(provider)
    assert pressed() == (False, False, False)


def disputed(order: Order, provider: MemoryProvider) -> None:
    with at(1):
        contested = dispute(provider)
    with at(OVER):
        provider.move_dispute(contested, "won")
        sync_disputes(Attempt.objects.get(charge_id__isnull=False).intent_id)


def suspended(order: Order, provider: MemoryProvider) -> None:
    with at(1):
        pause_installments(order_id=order.pk, by=PausedBy.STAFF, reason="Atelier fermé.")
    with at(OVER):
        resume_installments(order_id=order.pk, by=PauseEnd.STAFF)


STOPS = pytest.mark.parametrize("stop", [disputed, suspended])


@pytest.fixture(autouse=True)
def second_is_due(order: Order) -> None:
    order.payments.filter(position=2).update(due_on=on(0), announced_at=REFUSED - timedelta(days=3))
    order.payments.filter(position=3).update(due_on=on(400))


@STOPS
def test_the_card_is_tried_again_as_many_times_with_as_many_days_between(
    order: Order, provider: MemoryProvider, stop: Callable[[Order, MemoryProvider], None]
) -> None:
    with at(0):
        refuse(order, "insufficient_funds")
    second = order.payments.get(position=2)
    assert second.next_try_on == on(3)
    stop(order, provider)
    tried = []
    for day in range(OVER, OVER + 30):
        with at(day):
            if to_collect(on(day)).filter(pk=second.pk).exists():
                tried.append(day - OVER)
                refuse(order, "insufficient_funds")
    assert tried == [3, 7, 14]
    second.refresh_from_db()
    assert second.state == "overdue"
    told = OutgoingMail.objects.filter(kind="installment_refused").order_by("pk")
    retried = [date.fromisoformat(mail.context["retry_on"]) for mail in told]
    assert retried == [on(3), on(OVER + 7), on(OVER + 14)]


@pytest.mark.parametrize(("stop", "reminded"), [(disputed, [1, 4, 11]), (suspended, [3, 7, 14])])
def test_who_can_pay_by_the_link_alone_is_reminded_before_it_is_overdue(
    order: Order, provider: MemoryProvider, stop: Callable[[Order, MemoryProvider], None], reminded: list[int]
) -> None:
    with at(0):
        refuse(order, "stolen_card")
    stop(order, provider)
    told = {}
    for day in range(OVER + 1, OVER + 30):
        OutgoingMail.objects.all().delete()
        with at(day):
            run_round(timezone.now())
        if kinds := sorted(OutgoingMail.objects.values_list("kind", flat=True)):
            told[day - OVER] = kinds
    assert list(told) == reminded
    assert list(told.values()) == [
        ["installment_refused"], ["installment_refused"], ["installment_overdue", "installment_overdue_alert"],
    ]  # fmt: skip


def test_what_fell_due_meanwhile_is_named_with_a_day_to_come_from_the_first_moment(
    order: Order, provider: MemoryProvider
) -> None:
    disputed(order, provider)
    with at(OVER):
        plan = calendar(Order.objects.get(pk=order.pk))
        assert plan is not None
        assert [row.day for row in plan.rows if row.is_open] == [on(OVER + 3), on(400)]
        told = OutgoingMail.objects.get(kind="installment_reminder")
        assert (told.context["position"], told.context["day"]) == (2, on(OVER + 3).isoformat())
        run_round(timezone.now())
    assert OutgoingMail.objects.filter(kind="installment_reminder").count() == 1
