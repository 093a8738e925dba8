"""What each refusal and failure of Stripe means: come back, found again under the key, or given up in time."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
from django.db import OperationalError
from django.utils import timezone

from orders.models import Attempt, Order, OrderStatus, StripeEvent
from orders.services.reconciliation import reconcile
from orders.stripe import gateway
from orders.tests.factories import checkout_body, line, make_product
from orders.tests.fake_stripe import signature
from tests.payment_faults.outcomes import cancelled_once, confirmed_once, rows, sent_event, still_waits
from tests.races.conftest import Buyer

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]

SESSIONS = "/v1/checkout/sessions"
LARGEST = 256 * 1024


def test_case_09_a_message_of_the_largest_size_is_taken(fake_stripe, client, order):
    """A body of 256 KB is Stripe's right; one byte more is refused (413), and nothing changes."""
    fake_stripe.pay(order)
    event = sent_event(fake_stripe, "checkout.session.completed")
    before = rows()
    for excess, status in ((1, 413), (0, 200)):
        payload = json.dumps(event).encode()
        payload += b" " * (LARGEST + excess - len(payload))
        headers = {"stripe-signature": signature(payload)}
        answer = client.post("/webhooks/stripe", payload, content_type="application/json", headers=headers)
        assert answer.status_code == status
        assert (rows() == before, StripeEvent.objects.count()) == ((True, 0) if excess else (False, 1))
    confirmed_once(order)


@pytest.mark.parametrize(
    ("status", "kept"), [(409, False), (429, False), (500, True), (502, True), (503, True)]
)
def test_case_30_which_failures_stripe_keeps_under_a_key(fake_stripe, status, kept):
    """Stripe down (500, 429): its own failures come back for a day under the same key, refusals to begin do not."""
    fake_stripe.control("faults", kind="error", status=status, method="GET", path=SESSIONS, times=2)
    with pytest.raises(gateway.GatewayUnavailable) as failed:
        gateway.fetch_checkout_session("cs_test_1")
    assert failed.value.stored is kept


def test_case_30_a_page_that_stripe_refuses_is_given_up_when_its_time_is_over_and_not_before(
    fake_stripe, order, monkeypatch
):
    """Stripe refuses in the job: nothing cancelled while the customer may still try, closed with its stock after."""
    Attempt.objects.update(checkout_session_id=None, checkout_session_url="", intent_id=None)

    def refuse(**call: Any) -> Any:
        raise gateway.GatewayRefused("expires_at is too soon", "parameter_invalid")

    monkeypatch.setattr(gateway, "create_checkout_session", refuse)
    before = rows()
    with pytest.raises(gateway.GatewayRefused, match="expires_at is too soon"):
        reconcile.reconcile_attempts(timezone.now() + timedelta(minutes=10))
    assert rows() == before
    still_waits(order)
    assert reconcile.reconcile_attempts(timezone.now() + timedelta(minutes=40)) == 1
    cancelled_once(order, attempt="canceled")


@pytest.mark.parametrize(
    "failure",
    [
        gateway.GatewayRefused("No such checkout.session", "resource_missing"),
        OperationalError("lock timeout"),
    ],
    ids=["refused", "failed here"],
)
def test_case_30_one_payment_that_can_not_be_settled_keeps_no_other_waiting(
    fake_stripe, monkeypatch, failure
):
    """Stripe refuses one object in the job, or the shop fails over it: that payment stays as it is, those behind it
    are settled, however many fail."""
    monkeypatch.setattr(reconcile, "BATCH", 1)
    product = make_product(price="60.00", stock_quantity=2)
    for number in range(2):
        assert Buyer(number).checkout(checkout_body([line(product)], "60.00")).status_code == 201
    for order in Order.objects.all():
        fake_stripe.pay(order)
    asked: list[str] = []
    fetch = gateway.fetch_checkout_session

    def refuse_one(checkout_session_id: str) -> Any:
        asked.append(checkout_session_id)
        if checkout_session_id == asked[0]:
            raise failure
        return fetch(checkout_session_id)

    with monkeypatch.context() as patch:
        patch.setattr(gateway, "fetch_checkout_session", refuse_one)
        with pytest.raises(type(failure)):
            reconcile.reconcile_attempts(timezone.now() + timedelta(minutes=5))
    pages = Attempt.objects.select_related("payment__order")
    unspoken, paid = (pages.get(checkout_session_id=page).payment.order for page in dict.fromkeys(asked))
    assert (unspoken.status, paid.status) == (OrderStatus.PENDING, OrderStatus.CONFIRMED)
    assert reconcile.reconcile_attempts(timezone.now() + timedelta(minutes=10)) == 1
    unspoken.refresh_from_db()
    assert unspoken.status == OrderStatus.CONFIRMED


@pytest.mark.parametrize(
    ("key", "live"),
    [("sk_live_1", True), ("rk_live_1", True), ("sk_test_1", False), ("rk_test_1", False), ("", False)],
)
def test_case_35_a_key_tells_whether_it_moves_real_money(settings, key, live):
    """Live key in tests or sandbox in production: what a key says is what every payment is compared with."""
    settings.STRIPE_SECRET_KEY = key
    assert gateway.is_live() is live
