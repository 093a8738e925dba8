"""What stops the installments of an order, moves them forward or back, through the real library and the sandbox."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import transaction

from conftest import QueuedTasks
from orders.models import Attempt, Order, OrderStatus, Refund, StoredCard
from orders.services.fulfilment.status_changes import update_status
from orders.services.installments.scheduled_payments import void_scheduled
from orders.services.payments.payment_links import pay_by_link
from orders.services.reconciliation import reconcile
from orders.services.status.transitions import cancel_unpaid_order
from orders.tests.fake_stripe import FakeStripe, Shopper
from orders.tests.installments import (
    FIRST_DAY,
    SECOND,
    THIRD,
    Clock,
    attempts,
    bought,
    calls,
    charged,
    installments,
    mails,
    page_of,
    payment_of,
    place,
)
from shop.core.models import OutgoingMail
from shop.core.problems import Problem

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]


def test_dispatch_brings_the_last_installment_forward_and_announces_it(
    fake_stripe: FakeStripe, shopper: Shopper, clock: Clock
):
    order = bought(fake_stripe, shopper)
    clock.pass_days(2)
    update_status(order_id=order.pk, status=OrderStatus.SHIPPED, actor=None)
    limit = FIRST_DAY + timedelta(days=52)
    assert installments(order)[1:] == [
        ("50.00", "2026-12-23", "scheduled"),
        ("50.00", "2027-01-14", "scheduled"),
    ]
    assert payment_of(order, 3).moved_from == THIRD
    assert mails("installment_moved") == 1
    update_status(order_id=order.pk, status=OrderStatus.DELIVERED, actor=None)
    assert mails("installment_moved") == 1

    clock.run_until(limit - timedelta(days=1))
    assert charged(fake_stripe) == [5000, 5000]
    [reminder] = OutgoingMail.objects.filter(kind="installment_reminder", context__position=3)
    assert reminder.context["day"] == "2027-01-14"
    clock.run_until(limit)
    assert charged(fake_stripe) == [5000, 5000, 5000]


def test_a_dispatch_after_ten_days_moves_nothing(fake_stripe: FakeStripe, shopper: Shopper, clock: Clock):
    order = bought(fake_stripe, shopper)
    clock.pass_days(10)
    update_status(order_id=order.pk, status=OrderStatus.SHIPPED, actor=None)
    assert installments(order)[2] == ("50.00", "2027-01-22", "scheduled")
    assert mails("installment_moved") == 0


def test_a_void_order_is_not_charged_and_its_open_page_is_closed(
    fake_stripe: FakeStripe, shopper: Shopper, clock: Clock, queued_tasks: QueuedTasks
):
    order = bought(fake_stripe, shopper)
    pay_by_link(order_id=order.pk, everything=False)
    page = page_of(payment_of(order, 2))
    queued_tasks.calls.clear()
    with transaction.atomic():
        locked = Order.objects.select_for_update().get(pk=order.pk)
        assert str(void_scheduled(order=locked, reason="test.stopped")) == "100.00"
        assert void_scheduled(order=locked, reason="test.stopped") == 0
    queued_tasks.run()

    assert fake_stripe.control(f"sessions/{page}/pay")["result"] == "closed"
    assert [state for _amount, _day, state in installments(order)] == ["paid", "void", "void"]
    assert attempts(order)[1] == (2, 1, "link", "expired", "")
    clock.run_until(THIRD)
    assert charged(fake_stripe) == [5000]
    with pytest.raises(Problem, match="n'a plus rien à payer"):
        pay_by_link(order_id=order.pk, everything=False)


def test_a_page_paid_after_the_order_was_given_back_returns_the_money(
    fake_stripe: FakeStripe, shopper: Shopper, clock: Clock
):
    order = bought(fake_stripe, shopper)
    pay_by_link(order_id=order.pk, everything=False)
    page = page_of(payment_of(order, 2))
    fake_stripe.control(f"sessions/{page}/pay")
    with transaction.atomic():
        void_scheduled(order=Order.objects.select_for_update().get(pk=order.pk), reason="test.stopped")
    shopper.verify(page)

    refund = Refund.objects.get()
    assert (str(refund.amount), refund.reason) == ("50.00", "unavailable")
    order.refresh_from_db()
    assert order.status == OrderStatus.CONFIRMED


def test_an_open_page_keeps_the_job_away_until_it_is_over(
    fake_stripe: FakeStripe, shopper: Shopper, clock: Clock
):
    order = bought(fake_stripe, shopper)
    clock.run_until(SECOND - timedelta(days=1))
    clock.go_to(SECOND, hour=8)
    pay_by_link(order_id=order.pk, everything=True)
    clock.run_round()
    assert (calls(fake_stripe), charged(fake_stripe)) == (0, [5000])

    fake_stripe.control(f"sessions/{page_of(payment_of(order, 2))}/expire")
    clock.go_to(SECOND, hour=9)
    reconcile.reconcile_attempts(clock.now())
    clock.run_round()
    assert charged(fake_stripe) == [5000, 5000]


def test_a_disputed_order_is_not_charged(fake_stripe: FakeStripe, shopper: Shopper, clock: Clock):
    order = bought(fake_stripe, shopper)
    first = Attempt.objects.get(payment__order=order)
    fake_stripe.control("disputes", payment_intent=first.intent_id)
    for event in fake_stripe.events():
        if event["type"].startswith("charge.dispute"):
            assert shopper.webhook(event) == 200
    clock.run_until(THIRD)
    assert charged(fake_stripe) == [5000]
    assert mails("installment_reminder") == 0


def test_a_cancelled_order_that_is_paid_after_all_has_its_installments_again(
    fake_stripe: FakeStripe, shopper: Shopper, clock: Clock
):
    order = place(shopper)
    page = page_of(payment_of(order, 1))
    fake_stripe.control(f"sessions/{page}/pay")
    cancel_unpaid_order(order.pk, reason="test.closed")
    assert [state for _amount, _day, state in installments(order)] == ["void", "void", "void"]
    shopper.verify(page)
    assert [state for _amount, _day, state in installments(order)] == ["paid", "scheduled", "scheduled"]
    assert StoredCard.objects.filter(order=order).exists()


def test_without_a_key_nothing_is_begun(fake_stripe: FakeStripe, shopper: Shopper, clock: Clock, settings):
    order = bought(fake_stripe, shopper)
    clock.run_until(SECOND - timedelta(days=1))
    settings.STRIPE_SECRET_KEY = ""
    clock.run_until(SECOND)
    assert len(attempts(order)) == 1
    assert installments(order)[1] == ("50.00", "2026-12-23", "scheduled")


def test_a_late_announcement_delays_the_charge(fake_stripe: FakeStripe, shopper: Shopper, clock: Clock):
    order = bought(fake_stripe, shopper)
    clock.go_to(SECOND)
    clock.run_round()
    assert (charged(fake_stripe), payment_of(order, 2).next_try_on) == ([5000], SECOND + timedelta(days=3))
    clock.run_until(SECOND + timedelta(days=3))
    assert charged(fake_stripe) == [5000, 5000]
