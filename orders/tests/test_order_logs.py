"""From the cart to the paid order the log names the order and nobody: no word that a customer typed, no secret."""

import pytest

from orders.models import Order, OrderStatus
from orders.tests.factories import checkout_body, line, make_product
from orders.tests.fake_stripe import SECRET_KEY, WEBHOOK_SECRET
from shop.core.tests.log_reading import lines_of, log_fixture, refuse_leaks  # noqa: F401

pytestmark = pytest.mark.django_db(transaction=True)

CUSTOMER = {
    "email": "zelie.quentin@example.com",
    "firstName": "Zélie-Marguerite",
    "lastName": "Quentin-Delorme",
    "address": "17 impasse des Tourterelles",
    "city": "Montbrison",
    "postalCode": "42600",
    "phone": "+33 6 98 76 54 32",
}


def test_an_order_its_payment_and_its_refusals_name_nobody(fake_stripe, shopper, log, settings):
    settings.TRUSTED_PROXIES = 1
    shopper.client.defaults.update(HTTP_X_FORWARDED_FOR="203.0.113.77", HTTP_X_REQUEST_ID="proxy-0123456789")
    product = make_product(price="60.00", stock_quantity=1)
    # Another price, and an odd country.
    assert shopper.checkout(checkout_body([line(product)], "50.00", customer=CUSTOMER)).status_code == 409
    odd = {**CUSTOMER, "country": "Zélie-Marguerite"}
    assert shopper.checkout(checkout_body([line(product)], "60.00", customer=odd)).status_code == 400
    assert shopper.checkout(checkout_body([line(product)], "60.00", customer=CUSTOMER)).status_code == 201
    order = Order.objects.get()
    fake_stripe.pay(order)
    for event in fake_stripe.events():
        assert shopper.webhook(event) == 200
    shopper.client.post("/webhooks/stripe", b"{}", content_type="application/json")
    order.refresh_from_db()
    assert order.status == OrderStatus.CONFIRMED
    shopper.client.get(f"/commande/{order.pk}/x?email={CUSTOMER['email']}")
    lines = lines_of(log)
    refuse_leaks(log, [*CUSTOMER.values(), "203.0.113.77", SECRET_KEY, WEBHOOK_SECRET], shortest=5)
    refused = [
        each for each in lines if each["message"] == "a webhook call with a wrong signature was refused"
    ]
    assert [(each["level"], each["request_id"]) for each in refused] == [("WARNING", "proxy-0123456789")]
    assert str(order.pk) in {each.get("order") for each in lines}
