"""One `Idempotency-Key`, many requests at once: one order, one account, one payment page."""

from __future__ import annotations

from collections import Counter
from functools import partial
from threading import Event

import pytest

from accounts.models import User
from catalog.models import Product
from orders.models import Attempt, Order, StockHold
from orders.services import checkout
from orders.tests.factories import checkout_body, line, make_product, new_key
from shop.core.models import OutgoingMail
from tests.races.conftest import Buyer
from tests.races.crowd import Started, all_at_once, values

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]

REPEATS = 100


def test_the_same_request_a_hundred_times_at_once_is_one_order(bank, figures):
    product = make_product(price="60.00", stock_quantity=1)
    key, body = new_key(), checkout_body([line(product)], "60.00")
    answers = values(all_at_once([partial(Buyer(number).checkout, body, key) for number in range(REPEATS)]))
    at_once = Counter(answer.status_code for answer in answers)
    assert set(at_once) <= {201, 503}
    again = [Buyer().checkout(body, key) for answer in answers if answer.status_code == 503]
    good = [answer for answer in [*answers, *again] if answer.status_code == 201]
    assert len(good) == REPEATS
    assert len({answer.content for answer in good}) == 1
    order = Order.objects.get()
    assert good[0].json()["order_id"] == str(order.pk)
    assert good[0].json()["url"] == Attempt.objects.get().session_url
    assert [hold.quantity for hold in StockHold.objects.all()] == [1]
    assert Product.objects.get().stock_quantity == 0
    calls = bank.requests("/v1/checkout/sessions")
    assert len({call["idempotency_key"] for call in calls}) == 1
    assert len([event for event in order.events.all() if event.name == "payment.page_opened"]) == 1
    figures(
        same_key_requests=REPEATS, same_key_orders=1, same_key_pages=1,
        same_key_answered_at_once=at_once[201], same_key_answered_on_retry=at_once[503],
    )  # fmt: skip


def test_signing_up_with_the_same_key_at_once_makes_one_account_and_one_mail(bank):
    product = make_product(price="60.00")
    account = {"mode": "signup", "password": "un-renard-de-bois"}
    key, body = new_key(), checkout_body([line(product)], "60.00", account=account)
    answers = values(all_at_once([partial(Buyer(number).checkout, body, key) for number in range(20)]))
    assert {answer.status_code for answer in answers} <= {201, 503}
    assert Order.objects.get().user == User.objects.get(email="lea@example.com")
    assert OutgoingMail.objects.count() == 1


def test_a_repeat_that_is_overtaken_gets_the_same_order_and_not_out_of_stock(bank, monkeypatch):
    """The repeat saw no order yet; when it looks at the stock, its own order has the last piece."""
    product = make_product(price="60.00", stock_quantity=1)
    key, body = new_key(), checkout_body([line(product)], "60.00")
    original = checkout.place_order
    arrived, go_on = Event(), Event()

    def place_late(*args, **kwargs):
        monkeypatch.setattr(checkout, "place_order", original)
        arrived.set()
        assert go_on.wait(30)
        return original(*args, **kwargs)

    monkeypatch.setattr(checkout, "place_order", place_late)
    repeat = Started(partial(Buyer(1).checkout, body, key))
    assert arrived.wait(30)
    first = Buyer(2).checkout(body, key)
    go_on.set()
    second = repeat.value()
    assert (first.status_code, second.status_code) == (201, 201)
    assert first.content == second.content
    assert Order.objects.count() == 1
    assert Product.objects.get().stock_quantity == 0
