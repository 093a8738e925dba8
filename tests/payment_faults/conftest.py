"""What every case stands on: the payment sandbox, browsers, and one order that waits for its payment."""

from __future__ import annotations

import json

import pytest

from orders.models import Order
from orders.tests.conftest import _zones, clock, fake_stripe, sandbox_process, shopper  # noqa: F401 - fixtures
from orders.tests.fake_stripe import FakeStripe
from tests.payment_faults.outcomes import new_order, sent_event
from tests.payment_faults.webhook_posts import COMPLETED
from tests.races.conftest import Buyer, figures, shop_address, wide_pool  # noqa: F401 - fixtures


@pytest.fixture
def buyer() -> Buyer:
    """The browser that made ``order``."""
    return Buyer()


@pytest.fixture
def order(fake_stripe: FakeStripe, buyer: Buyer) -> Order:  # noqa: F811
    """The only piece, 60.00, ordered, and its payment page open."""
    return new_order(buyer)


@pytest.fixture
def paid_event(fake_stripe: FakeStripe, order: Order) -> bytes:  # noqa: F811
    """The true message that the page of the order was paid, which the shop has not received yet."""
    fake_stripe.pay(order)
    return json.dumps(sent_event(fake_stripe, COMPLETED)).encode()
