"""How far back a night looks: a payment that says « paid » without money is found for three days."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from orders.models import Discrepancy, Order, OrderStatus
from orders.services.reconciliation.nightly import reconcile_days
from orders.tests.factories import make_order

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]


@pytest.mark.parametrize(
    ("ago", "found"),
    [
        (timedelta(minutes=14), 0),  # its charge may be booked any moment now
        (timedelta(minutes=16), 1),
        (timedelta(days=2, hours=23), 1),
        (timedelta(days=3, hours=1), 0),
    ],
    ids=["just now", "a while ago", "nearly three days ago", "more than three days ago"],
)
def test_an_order_without_money_is_found_for_three_days(fake_stripe, ago, found):
    order = make_order()
    now = timezone.now()
    Order.objects.filter(pk=order.pk).update(status=OrderStatus.CONFIRMED, paid_at=now - ago)
    reconcile_days(now)
    assert [row.order for row in Discrepancy.objects.all()] == [order] * found
