"""Who waits too long for a row that somebody else holds is told to come again, and has changed nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event

import pytest
from django.db import connection, transaction

from catalog.models import Product
from orders.models import Order, OrderStatus
from orders.tests.factories import checkout_body, line, make_product, new_key
from shop.core.problems import CONTENT_TYPE
from tests.payment_faults.outcomes import confirmed_once, new_order, rows, sent_event
from tests.races.concurrency import PATIENCE, Started
from tests.races.conftest import Buyer

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]


@pytest.fixture(autouse=True)
def _short_patience() -> Iterator[None]:
    """A tenth of a second instead of the three that PostgreSQL is told to wait."""
    with connection.cursor() as cursor:
        cursor.execute("SET lock_timeout = 100")
        yield
        cursor.execute("RESET lock_timeout")


@contextmanager
def held(take: Callable[[], object]) -> Iterator[None]:
    """Somebody else's transaction, with the rows that `take` locks."""
    taken, let_go = Event(), Event()

    def hold() -> None:
        with transaction.atomic():
            take()
            taken.set()
            assert let_go.wait(PATIENCE)

    holder = Started(hold)
    assert taken.wait(PATIENCE)
    try:
        yield
    finally:
        let_go.set()
        holder.value()


def test_a_checkout_that_waits_too_long_for_the_stock_says_busy_and_works_later(fake_stripe):
    product = make_product(price="60.00", stock_quantity=1)
    buyer, key, body = Buyer(), new_key(), checkout_body([line(product)], "60.00")
    before = rows()
    with held(lambda: Product.objects.select_for_update().get()):
        answer = buyer.checkout(body, key)
    assert (answer.status_code, answer["Content-Type"], answer["Retry-After"]) == (503, CONTENT_TYPE, "2")
    assert (answer.json()["code"], answer.json()["detail"]) == (
        "busy",
        "Trop de demandes. Réessayez dans un instant.",
    )
    assert rows() == before
    assert fake_stripe.requests("/v1/checkout/sessions") == []
    assert buyer.checkout(body, key).status_code == 201


def test_a_webhook_that_waits_too_long_for_its_order_comes_again(fake_stripe):
    order = new_order()
    fake_stripe.pay(order)
    event = sent_event(fake_stripe, "checkout.session.completed")
    before = rows()
    with held(lambda: Order.objects.select_for_update().get()):
        assert Buyer().webhook(event) == 503
    assert rows() == before
    order.refresh_from_db()
    assert order.status == OrderStatus.PENDING
    assert Buyer().webhook(event) == 200
    confirmed_once(order)
