"""Staff, customers and the daily round move one order at the same moment."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import partial

import pytest
import time_machine
from django.db import transaction
from django.utils import timezone

from orders.models import Attempt, InstallmentPause, Order, OrderTracking, PausedBy, StoredCard
from orders.services.fulfilment import status_changes
from orders.services.fulfilment.status_changes import change_status
from orders.services.installments.dates import pause_installments
from orders.services.payments import due_installments, off_session
from orders.tests.factories import make_order, make_seller, pay_order
from orders.tests.memory_provider import MemoryProvider
from orders.tests.refunding import in_installments
from shop.core.models import OutgoingMail
from tests.races.concurrency import Started, run_concurrently, wait_until_blocked

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]

TWELVE = 12


@pytest.fixture
def provider(monkeypatch: pytest.MonkeyPatch) -> MemoryProvider:
    make_seller()
    provider = MemoryProvider()
    provider.install(monkeypatch)
    return provider


@pytest.mark.parametrize(
    "said", [{}, {"message": "Parti.", "tracking_number": "6A1"}], ids=["silent", "with words"]
)
def test_twelve_identical_calls_write_one_entry_and_one_mail(provider, said):
    order = pay_order(make_order())
    call = partial(change_status, order_id=order.pk, status="shipped", actor=None, **said)
    outcomes = run_concurrently([call] * TWELVE)
    assert [outcome.error for outcome in outcomes] == [None] * TWELVE
    assert OrderTracking.objects.filter(order=order, status="shipped").count() == 1
    assert OutgoingMail.objects.filter(kind="order_status").count() == 1
    assert order.events.filter(name="order.status_changed").count() == 1


def test_control_without_comparing_the_status_twelve_calls_write_more(provider, monkeypatch):
    """What keeps the calls above to one entry is the comparison under the lock."""
    order = pay_order(make_order())

    def add_always(order: Order, **said: object) -> None:
        OrderTracking.objects.create(order=order, status=order.status)

    monkeypatch.setattr(status_changes, "add_to_status", add_always)
    call = partial(change_status, order_id=order.pk, status="shipped", actor=None)
    run_concurrently([call] * TWELVE)
    assert OrderTracking.objects.filter(order=order, status="shipped").count() == TWELVE


def test_twelve_customers_of_one_order_pause_it_once(provider):
    order = in_installments()
    Order.objects.filter(pk=order.pk).update(promised_by=timezone.localdate() - timedelta(days=1))
    call = partial(pause_installments, order_id=order.pk, by=PausedBy.CUSTOMER)
    outcomes = run_concurrently([call] * TWELVE)
    assert [outcome.error for outcome in outcomes] == [None] * TWELVE
    assert InstallmentPause.objects.count() == 1
    assert OutgoingMail.objects.filter(kind="installment_calendar").count() == 1


def charge_that_waits_for_a_pause() -> tuple[Attempt, bool]:
    """A round has prepared a charge; while it is about to ask the provider somebody suspends the payments."""
    with time_machine.travel(datetime(2026, 6, 1, 10, tzinfo=UTC), tick=False):
        order = in_installments()
    StoredCard.objects.create(order=order, customer_id="cus_1", payment_method_id="pm_1", last4="4242")
    second = order.payments.get(position=2)
    second.announced_at = timezone.now()
    second.save()
    attempt = off_session.prepare_charge(second)
    with transaction.atomic():
        pause_installments(order_id=order.pk, by=PausedBy.STAFF, reason="Retard.")
        round_ = Started(partial(off_session.claim_charge, attempt))
        wait_until_blocked()
    claimed = round_.value()
    attempt.refresh_from_db()
    return attempt, claimed


def test_a_pause_that_comes_before_the_provider_is_asked_stops_the_charge(provider):
    attempt, claimed = charge_that_waits_for_a_pause()
    assert (claimed, attempt.state) == (False, "canceled")


def test_control_without_the_look_at_the_pause_the_charge_goes_out(provider, monkeypatch):
    monkeypatch.setattr(off_session, "open_pause", lambda order: None)
    attempt, claimed = charge_that_waits_for_a_pause()
    assert (claimed, attempt.state) == (True, "sent")


def test_the_round_passes_by_an_order_that_is_being_paused(provider, monkeypatch):
    monkeypatch.setattr(due_installments.gateway, "is_configured", lambda: True)
    with time_machine.travel(datetime(2026, 6, 1, 10, tzinfo=UTC), tick=False):
        order = in_installments()
    StoredCard.objects.create(order=order, customer_id="cus_1", payment_method_id="pm_1", last4="4242")
    order.payments.filter(position=2).update(announced_at=timezone.now())
    with transaction.atomic():
        pause_installments(order_id=order.pk, by=PausedBy.STAFF, reason="Retard.")
        Started(partial(due_installments.run_round, datetime(2026, 7, 2, 9, tzinfo=UTC))).value()
    Started(partial(due_installments.run_round, datetime(2026, 7, 2, 10, tzinfo=UTC))).value()
    assert not Attempt.objects.filter(kind="off_session").exists()
