"""A charge that came twice, and of which somebody gave a part back at the provider before the shop did."""

from __future__ import annotations

import pytest
from django.utils import timezone

from orders.books.audit import audit_books
from orders.models import Attempt, Order, Refund
from orders.services.refunds.sending import sync_refunds
from orders.tests.factories import make_order, make_seller, pay_order
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
