"""What the provider says of a payment after it was booked."""

import pytest

from orders.models import Attempt, Order
from orders.payments.settlement import settle
from orders.tests.factories import checkout_body, line, make_product
from shop.core.models import OutgoingMail

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def order(fake_stripe, shopper):
    product = make_product(price="60.00", stock_quantity=1)
    assert shopper.checkout(checkout_body([line(product)], "60.00")).status_code == 201
    return Order.objects.get()


def test_a_dispute_marks_the_order_and_alerts_once(fake_stripe, shopper, order):
    fake_stripe.pay(order)
    settle(Attempt.objects.get().pk)
    fake_stripe.control("disputes", payment_intent=Attempt.objects.get().intent_id)
    for event in [event for event in fake_stripe.events() if "dispute" in event["type"]] * 2:
        assert shopper.webhook(event) == 200
    order.refresh_from_db()
    assert order.review_reason.startswith("dispute: ")
    assert OutgoingMail.objects.filter(kind="dispute_alert").count() == 1
