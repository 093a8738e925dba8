"""The night after a restore: what Stripe knows is booked, lost sales are counted and their numbers skipped."""

from __future__ import annotations

from decimal import Decimal

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from orders.after_restore import ask_provider
from orders.models import InstallmentPause, InvoiceGap, LedgerEntry, OrderStatus
from orders.services.reconciliation.since_backup import ask_since_backup
from orders.stripe.gateway import GatewayNotConfigured
from orders.tests.nightly.nights import SOON, sell_elsewhere
from shop.core.restored import Restored

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]


def test_after_a_restore_what_stripe_knows_is_booked_and_lost_charges_are_counted(
    fake_stripe, account, order
):
    now = timezone.now()
    fake_stripe.pay(order)
    sell_elsewhere(fake_stripe, account, shop="http://localhost:8000", order=str(order.pk), attempt="lost")
    found = ask_since_backup(now - SOON, now + SOON)

    # The order's own charge is booked; another one of it is not in the shop any more, nor is its attempt.
    assert (found.lost, found.paused) == (1, 1)
    assert LedgerEntry.objects.get().amount == Decimal("60.00")
    order.refresh_from_db()
    assert order.status == OrderStatus.CONFIRMED
    assert InstallmentPause.objects.get().order == order
    assert ask_since_backup(now - SOON, now + SOON).paused == 0


def test_after_a_restore_as_many_numbers_are_skipped_as_stripe_knows_lost_sales(fake_stripe, account):
    for name in ("a", "b"):
        sell_elsewhere(fake_stripe, account, shop="http://localhost:8000", attempt=name)
    now = timezone.now()
    restored = Restored(name="2026-11-23T02-00-00Z", made_at=now - SOON, now=now + SOON)
    ask_provider(restored)
    gap = InvoiceGap.objects.get()
    assert (gap.first_number, gap.last_number) == (1, 2)
    assert restored.notes[0] == "Stripe: 0 movements booked, 2 of orders that are lost."


def test_after_a_restore_without_stripe_nothing_was_asked_and_it_is_no_answer(settings):
    settings.STRIPE_SECRET_KEY = ""
    now = timezone.now()
    restored = Restored(name="2026-11-23T02-00-00Z", made_at=now - SOON, now=now)
    with pytest.raises(GatewayNotConfigured, match="STRIPE_SECRET_KEY is empty"):
        ask_provider(restored)
    with pytest.raises(CommandError, match=r"^Stripe could not be asked: STRIPE_SECRET_KEY is empty$"):
        call_command("ask_stripe_since", restored.name)
    assert restored.notes == []
