"""Charges of which somebody gave a part back at the provider before the shop did, one that came twice too."""

from __future__ import annotations

from decimal import Decimal

import pytest
from django.utils import timezone

from orders.books.audit import audit_books
from orders.models import Attempt, Invoice, Order, Refund
from orders.services.refunds.decisions import request_refund
from orders.services.refunds.sending import sync_refunds
from orders.tests.factories import make_order, make_seller, new_key, pay_order
from orders.tests.memory_provider import MemoryProvider

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]


def faults() -> list[str]:
    found = audit_books(timezone.now(), with_provider=False).faults
    return [str(fault) for fault in found if fault.check != "document"]


def paid_twice() -> tuple[Order, Attempt]:
    order = pay_order(make_order())
    payment = order.payments.get()
    first = payment.attempts.get()
    second = Attempt.objects.create(
        payment=payment, number=2, expires_at=timezone.now(), amount_cents=first.amount_cents
    )
    pay_order(order)
    second.refresh_from_db()
    return order, second


@pytest.mark.parametrize("share", [1, 2])
def test_what_was_given_back_elsewhere_is_not_on_its_way_twice(monkeypatch, share):
    make_seller()
    provider = MemoryProvider()
    provider.install(monkeypatch)
    _order, second = paid_twice()
    assert [(str(refund.amount), refund.state) for refund in Refund.objects.all()] == [("49.99", "requested")]
    assert faults() == []

    provider.refund_elsewhere(second, second.amount_cents // share)
    sync_refunds(str(second.intent_id))

    assert Refund.objects.filter(reason="external", state="succeeded").count() == 1
    assert faults() == []


def test_what_was_given_back_elsewhere_beyond_its_decision_counts_for_those_on_their_way(monkeypatch):
    make_seller()
    provider = MemoryProvider()
    provider.install(monkeypatch)
    order = pay_order(make_order())
    for euros in ("10.00", "15.00"):
        request_refund(order_id=order.pk, key=new_key(), amount=Decimal(euros))
    attempt = Attempt.objects.get()

    # 24.99 of the charge were promised to nobody: 15.01 of it count for the two decisions.
    provider.refund_elsewhere(attempt, 4000)
    sync_refunds(str(attempt.intent_id))

    notes = Invoice.objects.filter(kind="credit_note").values_list("total", flat=True)
    assert sorted(map(str, notes)) == ["-10.00", "-24.99"]
    assert faults() == []
