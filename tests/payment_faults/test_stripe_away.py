"""Stripe takes the connection and never answers: the customer hears so within 12 s and loses nothing."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from datetime import timedelta
from functools import partial

import pytest
from django.utils import timezone

from catalog.models import Product
from orders.models import Attempt, AttemptState, Order, OrderStatus, StockHold, StockHoldState
from orders.payments import gateway, reconcile
from orders.tests.conftest import session_of
from orders.tests.factories import checkout_body, line, make_product, new_key
from shop.core.problems import CONTENT_TYPE
from tests.races.conftest import Buyer
from tests.races.crowd import all_at_once, values

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]

LONGEST_WAIT = 12.0
SENTENCE = "Le service de paiement ne répond pas. Rien n'a été débité et votre panier est intact. Réessayez."


@pytest.fixture
def black_hole() -> Iterator[str]:
    """Connections are taken by the system and nobody ever reads them."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(128)
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"


def test_a_silent_stripe_is_told_within_twelve_seconds_and_everything_can_be_tried_again(
    bank, black_hole, settings, figures
):
    first, second, third = (make_product(name, "60.00", stock_quantity=1) for name in ("Un", "Deux", "Trois"))
    # Somebody new; somebody whose earlier page is open; somebody whose earlier page was never answered; and
    # somebody who comes back from the payment page.
    fresh, returning, unlucky = Buyer(1), Buyer(2), Buyer(3)
    assert returning.checkout(checkout_body([line(second)], "60.00")).status_code == 201
    assert unlucky.checkout(checkout_body([line(third)], "60.00")).status_code == 201
    open_order, lost_order = Order.objects.order_by("created_at")
    session_id = session_of(open_order)
    Attempt.objects.filter(payment__order=lost_order).update(session_id=None, session_url="")
    keys = [new_key() for _ in range(3)]
    bodies = [
        checkout_body([line(product)], "60.00", customer={"city": "Paris"})
        for product in (first, second, third)
    ]
    buyers = (fresh, returning, unlucky)
    calls = [
        partial(buyer.checkout, body, key) for buyer, body, key in zip(buyers, bodies, keys, strict=True)
    ]

    settings.STRIPE_API_BASE = black_hole
    outcomes = all_at_once([*calls, partial(Buyer(4).verify, session_id)])
    *answers, verified = values(outcomes)
    for answer in answers:
        assert (answer.status_code, answer["Content-Type"]) == (503, CONTENT_TYPE)
        assert (answer.json()["code"], answer.json()["detail"]) == ("payment_unavailable", SENTENCE)
    assert verified.json() == {"payment_status": "pending"}
    slowest = max(outcome.seconds for outcome in outcomes)
    assert slowest <= LONGEST_WAIT
    assert set(Order.objects.values_list("status", flat=True)) == {OrderStatus.PENDING}
    assert set(StockHold.objects.values_list("state", flat=True)) == {StockHoldState.HELD}
    assert set(Product.objects.values_list("stock_quantity", flat=True)) == {0}

    settings.STRIPE_API_BASE = bank.api_base
    assert [call().status_code for call in calls] == [201, 201, 201]
    assert sorted(Order.objects.values_list("status", flat=True)) == ["cancelled"] * 2 + ["pending"] * 3
    assert set(Product.objects.values_list("stock_quantity", flat=True)) == {0}
    figures(silent_stripe_callers=4, silent_stripe_slowest_seconds=round(slowest, 1))


def test_reconciliation_goes_on_behind_a_page_that_stripe_keeps_refusing(bank):
    """A failure that Stripe keeps under its key comes back for a day: the payments behind it must not wait."""
    product = make_product(price="60.00", stock_quantity=2)
    for number in range(2):
        assert Buyer(number).checkout(checkout_body([line(product)], "60.00")).status_code == 201
    stuck, paid = Order.objects.order_by("created_at")
    bank.pay(paid)
    attempt = Attempt.objects.get(payment__order=stuck)
    Attempt.objects.filter(pk=attempt.pk).update(session_id=None, session_url="")
    original = gateway.create_session

    def keep_failing(**call: object):
        if call["attempt_id"] == str(attempt.pk):
            raise gateway.GatewayUnavailable("An unknown error occurred", kept=True)
        return original(**call)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gateway, "create_session", keep_failing)
        reconcile.reconcile_attempts(timezone.now() + timedelta(minutes=5))
        paid.refresh_from_db()
        stuck.refresh_from_db()
        assert (stuck.status, paid.status) == (OrderStatus.PENDING, OrderStatus.CONFIRMED)
        reconcile.reconcile_attempts(timezone.now() + timedelta(minutes=40))
    stuck.refresh_from_db()
    assert stuck.status == OrderStatus.CANCELLED
    assert Attempt.objects.get(pk=attempt.pk).state == AttemptState.CANCELED
    assert Product.objects.get().stock_quantity == 1
