"""An order over HTTP with the sandbox, and the account that its money goes to."""

from __future__ import annotations

import pytest
import stripe

from orders.models import Attempt, Order, OrderStatus
from orders.services.payments.settlement import settle
from orders.tests.factories import checkout_body, line, make_product
from orders.tests.fake_stripe import SECRET_KEY


@pytest.fixture
def order(fake_stripe, shopper):
    assert shopper.checkout(checkout_body([line(make_product(price="60.00"))], "60.00")).status_code == 201
    return Order.objects.get()


@pytest.fixture
def paid_order(fake_stripe, order):
    fake_stripe.pay(order)
    settle(Attempt.objects.get().pk)
    order.refresh_from_db()
    assert order.status == OrderStatus.CONFIRMED
    return order


@pytest.fixture
def account(fake_stripe):
    """The account's owner at the provider, who may also sell elsewhere."""
    return stripe.StripeClient(SECRET_KEY, base_addresses={"api": fake_stripe.api_base})
