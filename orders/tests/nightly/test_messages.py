"""Messages of the provider that were missed: fetched at night, acted on, and what is said while it is away."""

from __future__ import annotations

from datetime import timedelta

import pytest
import time_machine
from django.utils import timezone

from orders.models import Discrepancy, LedgerEntry, OrderStatus, Refund, StripeEvent
from orders.services.reconciliation import reconcile, webhook_events
from orders.services.refunds.decisions import request_refund
from orders.services.refunds.sending import send_refund
from orders.stripe import account_activity
from orders.stripe.facts import EventFacts
from orders.tasks import reconcile_books, reconcile_payments
from shop.core.jobs import Outcome, note_pulse, run_job
from shop.core.models import ScheduledJob

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]


def test_missed_messages_are_fetched_and_acted_on(fake_stripe, order):
    fake_stripe.pay(order)
    now = timezone.now()
    assert reconcile.fetch_missed_events(now) == 0  # younger than two minutes: a webhook may still bring them
    later = now + timedelta(minutes=3)
    assert reconcile.fetch_missed_events(later) == 2
    order.refresh_from_db()
    assert order.status == OrderStatus.CONFIRMED
    # What the webhook asks for, and nothing that tells the same once more.
    kinds = StripeEvent.objects.exclude(processed_at=None).values_list("kind", flat=True)
    assert sorted(kinds) == ["checkout.session.completed", "payment_intent.succeeded"]
    assert StripeEvent.objects.count() == 2
    assert reconcile.fetch_missed_events(later) == 0
    assert LedgerEntry.objects.count() == 1


def test_missed_messages_behind_a_thousand_that_were_fetched_are_reached(
    fake_stripe, order, monkeypatch, caplog
):
    """The provider lists as undelivered what no call brought, fetched or not, the newest first."""
    fake_stripe.pay(order)
    later = timezone.now() + timedelta(minutes=3)
    missed = list(account_activity.list_events(later - timedelta(days=1), later, delivered=False))
    kind = missed[0].kind
    known = [EventFacts(event_id=f"evt_{n}", kind=kind, livemode=False, body={}) for n in range(1000)]
    StripeEvent.objects.bulk_create(
        StripeEvent(event_id=facts.event_id, kind=kind, body={}, processed_at=later) for facts in known
    )
    monkeypatch.setattr(account_activity, "list_events", lambda *_of, **_how: iter([*known, *missed]))
    with monkeypatch.context() as patch:
        patch.setattr(reconcile, "STEP_SECONDS", 0)
        assert reconcile.fetch_missed_events(later) == 0
    assert "messages older than evt_0 wait: too many after it" in caplog.text
    assert reconcile.fetch_missed_events(later) == len(missed) == 2
    order.refresh_from_db()
    assert order.status == OrderStatus.CONFIRMED


def test_a_missed_message_that_fails_keeps_no_other_waiting(fake_stripe, order, fail_first):
    fake_stripe.pay(order)
    later = timezone.now() + timedelta(minutes=3)
    fail_first(webhook_events, "_act")
    with pytest.raises(RuntimeError, match="unforeseen"):
        reconcile.fetch_missed_events(later)
    states = StripeEvent.objects.order_by("received_at").values_list("tries", "error")
    assert list(states) == [(1, "RuntimeError: unforeseen"), (1, "")]
    order.refresh_from_db()
    assert order.status == OrderStatus.CONFIRMED


def test_after_days_without_the_job_it_looks_back_to_its_last_end(fake_stripe, order):
    fake_stripe.pay(order)
    now = timezone.now() + timedelta(days=9)
    with time_machine.travel(now):
        note_pulse("reconcile-books")
        ScheduledJob.objects.update(last_finished_at=now - timedelta(days=9))
        reconcile_books(now)
    order.refresh_from_db()
    assert order.status == OrderStatus.CONFIRMED


@pytest.mark.parametrize(("stood", "state"), [(9, "failed"), (0, "succeeded")])
def test_after_days_without_the_job_messages_are_missed_since_its_last_end(
    fake_stripe, paid_order, stood, state
):
    sent = request_refund(order_id=paid_order.pk, key="once").refunds.get()
    send_refund(sent.pk)
    fake_stripe.control(f"refunds/{Refund.objects.get().provider_id}/settle", status="failed")
    now = timezone.now() + timedelta(days=9)
    with time_machine.travel(now):
        note_pulse("reconcile-payments")
        ScheduledJob.objects.update(last_finished_at=now - timedelta(days=stood))
        reconcile_payments(now)
    sent.refresh_from_db()
    assert sent.state == state


def test_messages_that_came_are_not_fetched_again(fake_stripe, shopper, order):
    fake_stripe.pay(order)
    for event in fake_stripe.events():
        assert shopper.webhook(event) == 200
    kept = StripeEvent.objects.count()
    assert reconcile.fetch_missed_events(timezone.now() + timedelta(minutes=3)) == 0
    assert StripeEvent.objects.count() == kept


def test_missed_messages_wait_while_stripe_is_away(fake_stripe, order):
    fake_stripe.pay(order)
    fake_stripe.control("faults", kind="error", status=500, method="GET", path="/v1/events", times=10)
    assert reconcile.fetch_missed_events(timezone.now() + timedelta(minutes=3)) == 0
    assert not StripeEvent.objects.exists()
    order.refresh_from_db()
    assert order.status == OrderStatus.PENDING


def test_the_job_says_so_and_is_tried_again_when_stripe_is_away(fake_stripe, order):
    fake_stripe.control("faults", kind="error", status=503, method="GET", path="/v1/charges", times=10)
    assert run_job("reconcile-books") == Outcome.FAILED
    assert "GatewayUnavailable" in ScheduledJob.objects.get(name="reconcile-books").last_error
    fake_stripe.control("faults/clear")
    ScheduledJob.objects.update(locked_until=None)
    assert run_job("reconcile-books") == Outcome.DONE
    assert Discrepancy.objects.count() == 0
