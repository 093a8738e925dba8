"""Three pieces in installments of 100.00: of 23 November (paid), 23 December and 22 January."""

from __future__ import annotations

import pytest
import time_machine

from orders.models import Order, StoredCard
from orders.tests.factories import make_order, make_product, pay_order
from orders.tests.installments import offer_installments
from orders.tests.resuming.declarations import NOON


@pytest.fixture(autouse=True)
def clock():
    with time_machine.travel(NOON, tick=False) as traveller:
        yield traveller


@pytest.fixture(scope="module")
def placed(module_provider):
    """Three pieces at 100.00, in installments, with the card kept."""
    offer_installments()
    with time_machine.travel(NOON, tick=False):
        placed = pay_order(make_order((make_product("Golem", "100.00"), 3), payment_mode="installments"))
    StoredCard.objects.create(
        order=placed, customer_id="cus_1", payment_method_id="pm_1", brand="visa", last4="4242",
        expiry_month=12, expiry_year=2030,
    )  # fmt: skip
    return placed


@pytest.fixture(autouse=True)
def order(placed, provider):
    return Order.objects.get(pk=placed.pk)
