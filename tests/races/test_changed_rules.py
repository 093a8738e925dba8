"""What staff change while an order or a payment waits for its turn counts once it is its turn."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from django.db import transaction

from orders.models import Attempt, Invoice, InvoiceSeries, Order, ShippingZone
from orders.selectors.workshop import QUEUE_LOCK
from orders.services.payments.settlement import settle
from orders.stripe import gateway
from orders.tests.factories import checkout_body, line, make_product
from shop.core.content_version import save_shown
from shop.core.models import ShopSettings
from shop.core.shop_settings import save_shop_settings
from shop.core.transaction_locks import lock_names
from tests.races.concurrency import Started, wait_until_blocked
from tests.races.conftest import Buyer

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]

ANOTHER = {"email": "another@example.com"}


@pytest.fixture(autouse=True)
def cached(settings: Any) -> None:
    settings.FRAGMENT_CACHE_SECONDS = 60


def raise_price_of_delivery() -> None:
    zone = ShippingZone.objects.get(code="france-europe")
    zone.rate = Decimal("11.00")
    save_shown(zone)


def is_refused_with_the_new_total(answer: Any) -> None:
    assert (answer.status_code, answer.json()["code"]) == (409, "total_changed")
    assert answer.json()["quote"]["total"] == "16.00"


def test_a_rule_changed_while_the_earlier_page_is_closed_counts(fake_stripe, monkeypatch):
    buyer, lines = Buyer(), [line(make_product(price="5.00"))]
    assert buyer.checkout(checkout_body(lines, "14.99")).status_code == 201
    close = gateway.expire_checkout_session

    def close_slowly(*args: Any) -> bool:
        raise_price_of_delivery()
        return close(*args)

    monkeypatch.setattr(gateway, "expire_checkout_session", close_slowly)
    is_refused_with_the_new_total(buyer.checkout(checkout_body(lines, "14.99", customer=ANOTHER)))
    assert Order.objects.count() == 1


def test_a_rule_changed_while_an_order_stands_in_line_counts(fake_stripe):
    ShopSettings.objects.update(weekly_capacity=60)
    lines = [line(make_product(price="5.00"))]
    assert Buyer(1).checkout(checkout_body(lines, "14.99")).status_code == 201
    with transaction.atomic():
        lock_names([QUEUE_LOCK])
        waiting = Started(lambda: Buyer(2).checkout(checkout_body(lines, "14.99", customer=ANOTHER)))
        wait_until_blocked()
        Started(raise_price_of_delivery).value()
    is_refused_with_the_new_total(waiting.value())
    assert Order.objects.count() == 1


@pytest.mark.parametrize("locked", [Order, InvoiceSeries])
def test_who_sells_is_who_sells_when_the_invoice_is_numbered(fake_stripe, locked):
    orders = []
    for number in (1, 2):
        answer = Buyer(number).checkout(checkout_body([line(make_product(price="60.00"))], "60.00"))
        orders.append(Order.objects.get(pk=answer.json()["order_id"]))
        fake_stripe.pay(orders[-1])
    first, second = (Attempt.objects.get(payment__order=order).pk for order in orders)
    # The copies that later payments use.
    assert settle(first) == "paid"

    def move_house() -> None:
        shop = ShopSettings.load()
        shop.address = "1 rue Neuve\n69001 Lyon"
        save_shop_settings(shop)

    with transaction.atomic():
        list(locked.objects.select_for_update())
        waiting = Started(lambda: settle(second))
        wait_until_blocked()
        Started(move_house).value()
    assert waiting.value() == "paid"
    assert Invoice.objects.get(order=orders[1]).data["seller"]["address_lines"] == [
        "1 rue Neuve",
        "69001 Lyon",
    ]
