"""The demonstration's orders: one in every status, as they would be in a real shop."""

from __future__ import annotations

import pytest
from django.utils import timezone

from accounts.demo import load_people
from catalog.tests.factories import make_product
from orders.demo import CAMILLE, load_orders
from orders.models import Order, OrderStatus
from orders.tests.factories import make_zones
from shop.core.personal_data import kept_until, retention_rules

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _orders() -> None:
    make_zones()
    for number in range(8):
        make_product(f"Pièce {number}")
    load_people()
    load_orders()


def test_the_account_keeps_an_order_in_every_status_once_the_periods_were_applied():
    for rule in retention_rules():
        rule.purge(kept_until(rule.period, timezone.now()), 100)
    kept = Order.objects.filter(email=CAMILLE.email).values_list("status", flat=True)
    assert sorted(kept) == sorted(OrderStatus.values)


@pytest.mark.parametrize(("status", "state"), [("pending", "due"), ("cancelled", "void")])
def test_what_was_not_paid_is_still_due_or_not_any_more(status, state):
    [payment] = Order.objects.get(status=status).payments.all()
    assert payment.state == state
