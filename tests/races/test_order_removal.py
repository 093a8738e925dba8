"""Administrators and money meet over one order: whoever comes first, nothing is lost and nothing is done twice."""

from __future__ import annotations

from decimal import Decimal
from functools import partial

import pytest
from django.db import transaction

from catalog.models import Product
from orders.models import Attempt, LedgerEntry, Order, OrderTracking, Payment, Refund, RefundRequest
from orders.services.fulfilment.archiving import remove_order
from orders.services.fulfilment.status_changes import change_status
from orders.services.payments.checkout_sessions import open_checkout_session
from orders.services.payments.settlement import settle
from orders.stripe import gateway
from orders.tests.factories import checkout_body, line, make_order, make_product, make_zones
from shop.core.problems import Problem
from tests.races.concurrency import Started, run_concurrently, wait_until_blocked
from tests.races.conftest import Buyer

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def order(fake_stripe) -> Order:
    product = make_product(price="60.00", stock_quantity=1)
    assert Buyer().checkout(checkout_body([line(product)], "60.00")).status_code == 201
    return Order.objects.get()


def test_ten_administrators_cancel_with_a_refund(fake_stripe, order):
    fake_stripe.pay(order)
    settle(Attempt.objects.get().pk)
    cancel = partial(change_status, order_id=order.pk, status="cancelled", actor=None, refund=True)
    outcomes = run_concurrently([cancel] * 10)
    assert [outcome.error for outcome in outcomes] == [None] * 10
    assert RefundRequest.objects.get().amount == Decimal("60.00")
    assert Refund.objects.get().amount == Decimal("60.00")
    order.refresh_from_db()
    assert order.status == "cancelled"


def test_ten_administrators_delete_an_unpaid_order(order):
    outcomes = run_concurrently([partial(remove_order, order_id=order.pk, actor=None)] * 10)
    done = [outcome.value for outcome in outcomes if outcome.error is None]
    others = [outcome.error for outcome in outcomes if outcome.error is not None]
    assert done == ["deleted"]
    assert {type(error) for error in others} <= {Order.DoesNotExist, Attempt.DoesNotExist}
    assert not Order.objects.exists()
    assert Product.objects.get().stock_quantity == 1


@pytest.mark.parametrize("first", ["bank", "administrator", "neither"])
def test_deleting_while_the_customer_pays(fake_stripe, order, first):
    """The payment page is closed before the order goes, so the customer either pays or keeps the money."""
    page = Attempt.objects.get().checkout_session_id
    calls = {
        "bank": partial(fake_stripe.control, f"sessions/{page}/pay"),
        "administrator": partial(remove_order, order_id=order.pk, actor=None),
    }
    if first == "neither":
        outcomes = dict(zip(calls, run_concurrently(list(calls.values())), strict=True))
    else:
        one_by_one = ["bank", "administrator"] if first == "bank" else ["administrator", "bank"]
        outcomes = {who: run_concurrently([calls[who]])[0] for who in one_by_one}
    paid, removed = outcomes["bank"].value["result"], outcomes["administrator"]
    if first == "administrator" or (first == "neither" and removed.error is None):
        assert (paid, removed.value) == ("closed", "deleted")  # the bank took nothing
        assert not Order.objects.exists()
        assert not LedgerEntry.objects.exists()
        assert Product.objects.get().stock_quantity == 1
    else:
        assert paid == "complete"
        assert isinstance(removed.error, Problem | gateway.GatewayError)
        settle(Attempt.objects.get().pk)
        order.refresh_from_db()
        assert (order.status, order.archived_at) == ("confirmed", None)
        assert LedgerEntry.objects.get().amount == Decimal("60.00")
        assert OrderTracking.objects.count() == 1


def test_deleting_while_the_payment_page_is_opened(fake_stripe):
    """The page that the provider makes for an order that is gone by then is closed: nobody pays it."""
    make_zones()
    order = make_order((make_product(price="60.00"), 1))
    attempt = Attempt.objects.select_related("payment__order").get()
    opening = partial(open_checkout_session, attempt, list(order.items.all()))
    with transaction.atomic():
        Order.objects.select_for_update().get(pk=order.pk)
        Attempt.objects.all().delete()
        Payment.objects.all().delete()
        order.delete()
        opened = Started(opening)
        wait_until_blocked()
    refused = opened.outcome().error
    assert isinstance(refused, Problem)
    assert (refused.status, refused.code) == (409, "order_closed")
    paths = [request["path"] for request in fake_stripe.requests("/v1/checkout/sessions")]
    assert [path.rpartition("/")[2] for path in paths] == ["sessions", "expire"]
