"""An order in three times, and the card that it was bought with."""

from __future__ import annotations

import pytest

from orders.models import Order, StoredCard
from orders.tests.fake_stripe import FakeStripe, Shopper
from orders.tests.installments import Clock, bought


@pytest.fixture
def order(fake_stripe: FakeStripe, shopper: Shopper, clock: Clock) -> Order:
    """150.00 in three times, confirmed, its card good."""
    return bought(fake_stripe, shopper)


@pytest.fixture
def before(order: Order) -> str:
    """The card that the order was bought with."""
    return StoredCard.objects.get(order=order).payment_method_id
