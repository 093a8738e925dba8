"""Case 10, its end: staff have looked at what did not fit, and Stripe is asked anew."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from orders.models import Attempt, AttemptState, LedgerEntry, Order, OrderStatus
from orders.selectors.provider_events import askable_attempts
from orders.services.fulfilment.archiving import archiving_obstacles
from orders.services.installments.scheduled_payments import write_off_payment
from orders.services.payments.reviews import _end_review, settle_order
from orders.services.reconciliation import reconcile
from orders.stripe import gateway
from orders.tests.factories import checkout_body, line, make_product, new_key
from orders.tests.fake_stripe import FakeStripe, signature
from orders.tests.installments import SECOND, Clock, attempts, bought, calls, charged, payment_of
from orders.tests.refunding import ledger
from tests.payment_faults.outcomes import left_in_stock, mails, rows, sent_event
from tests.payment_faults.webhook_posts import COMPLETED, post
from tests.races.conftest import Buyer

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]

CONFIRMED = ["order_confirmation", "order_new_workshop", "payment_review_alert"]


def keep_for_review(client: Client, paid_event: bytes) -> None:
    """The message says one cent less than was paid."""
    event = json.loads(paid_event)
    event["data"]["object"]["amount_total"] = 5999
    payload = json.dumps(event).encode()
    assert post(client, payload, signature(payload)).status_code == 200


@pytest.fixture
def doubted(client, order: Order, paid_event: bytes) -> Order:
    """Paid at Stripe, and kept for review because an event spoke of one cent less."""
    keep_for_review(client, paid_event)
    order.refresh_from_db()
    assert order.review_reason == "event amount: 5999 instead of 6000"
    return order


def intent_of(paid_event: bytes) -> str:
    return str(json.loads(paid_event)["data"]["object"]["payment_intent"])


def ask(order: Order) -> int:
    asked = settle_order(order_id=order.pk, actor=None)
    order.refresh_from_db()
    return asked.count


@pytest.mark.parametrize("is_same_key", [True, False])
def test_case_10_who_orders_again_meanwhile_is_told_not_to_pay_twice(
    client, fake_stripe: FakeStripe, buyer: Buyer, is_same_key
):
    key, body = new_key(), checkout_body([line(make_product(price="60.00", stock_quantity=2))], "60.00")
    assert buyer.checkout(body, key).status_code == 201
    fake_stripe.pay(Order.objects.get())
    keep_for_review(client, json.dumps(sent_event(fake_stripe, COMPLETED)).encode())
    before = rows()
    answer = buyer.checkout(body, key if is_same_key else new_key())
    assert (answer.status_code, answer.json()["code"]) == (409, "payment_in_review")
    assert answer.json()["detail"] == (
        "Votre paiement est en cours de vérification\u00a0: ne payez pas une seconde fois. "
        "Nous vous écrivons dès qu'il est confirmé."
    )
    assert rows() == before
    assert len(fake_stripe.requests("/v1/checkout/sessions")) == 1


def test_case_10_what_fits_after_all_is_confirmed_and_the_mark_ends(doubted):
    assert ask(doubted) == 1
    assert (doubted.status, doubted.review_reason) == (OrderStatus.CONFIRMED, "")
    assert [str(amount) for _kind, amount in ledger(doubted)] == ["60.00"]
    assert mails(doubted) == CONFIRMED
    ended = doubted.events.get(name="payment.review_ended")
    assert ended.data == {"reason": "event amount: 5999 instead of 6000"}
    before = rows()
    assert ask(doubted) == 1
    assert rows() == before


def test_case_10_money_that_does_not_fit_stays_in_doubt_until_it_is_refunded_at_stripe(
    fake_stripe: FakeStripe, doubted, paid_event, monkeypatch
):
    original = gateway.fetch_checkout_session
    monkeypatch.setattr(
        gateway, "fetch_checkout_session", lambda page: replace(original(page), amount_cents=5998)
    )
    ask(doubted)
    ask(doubted)
    assert (doubted.status, doubted.review_reason) == (OrderStatus.PENDING, "amount: 5998 instead of 6000")
    assert mails(doubted) == ["payment_review_alert"] * 2
    assert left_in_stock(doubted) == 0

    fake_stripe.control("refunds", payment_intent=intent_of(paid_event))
    ask(doubted)
    assert (doubted.status, doubted.review_reason) == (OrderStatus.CANCELLED, "")
    assert Attempt.objects.get().state == AttemptState.CANCELLED
    assert left_in_stock(doubted) == 1
    assert archiving_obstacles(doubted) == []
    assert ledger(doubted) == []


@pytest.mark.parametrize("seen", ["order", "doubted"])
def test_case_30_while_stripe_is_away_it_stays_as_it_was_and_no_job_decides(
    fake_stripe: FakeStripe, request: pytest.FixtureRequest, seen
):
    order = request.getfixturevalue(seen)

    def away(page: str) -> Any:
        raise gateway.GatewayUnavailable("no answer")

    before = rows()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gateway, "fetch_checkout_session", away)
        with pytest.raises(gateway.GatewayUnavailable):
            ask(order)
    reconcile.reconcile_attempts(timezone.now() + timedelta(hours=1))
    assert rows() == before


def test_case_30_a_mark_that_somebody_else_ends_while_stripe_is_asked_comes_back(doubted, monkeypatch):
    def ended_then_away(page: str) -> Any:
        _end_review(doubted.pk, None, 1)
        assert Order.objects.get().review_reason == ""
        raise gateway.GatewayUnavailable("no answer")

    monkeypatch.setattr(gateway, "fetch_checkout_session", ended_then_away)
    with pytest.raises(gateway.GatewayUnavailable):
        ask(doubted)
    doubted.refresh_from_db()
    assert (Attempt.objects.get().state, doubted.review_reason) == (
        AttemptState.REVIEW,
        "event amount: 5999 instead of 6000",
    )


def test_case_06_money_that_went_back_before_it_was_booked_closes_its_order(
    fake_stripe: FakeStripe, doubted, paid_event
):
    """`charge.refunded` before the payment is booked: the order does not go on without its money."""
    fake_stripe.control("refunds", payment_intent=intent_of(paid_event))
    ask(doubted)
    assert doubted.status == OrderStatus.REFUNDED
    assert [str(amount) for _kind, amount in ledger(doubted)] == ["60.00", "-60.00"]
    assert mails(doubted) == sorted([*CONFIRMED, "refund_done"])


def test_case_25_a_charge_that_was_never_made_is_over_and_not_asked_for_again(
    fake_stripe: FakeStripe, buyer: Buyer, clock: Clock
):
    order = bought(fake_stripe, buyer)
    clock.run_until(SECOND - timedelta(days=1))
    clock.go_to(SECOND)
    fake_stripe.control(
        "faults", kind="error", status=400, method="POST", path="/v1/payment_intents", times=1
    )
    clock.run_round()
    order.refresh_from_db()
    assert order.review_reason.startswith("charge not accepted: ")
    assert askable_attempts(order).count() == 2

    assert ask(order) == 2
    assert attempts(order)[1:] == [(2, 1, "off_session", "canceled", "")]
    assert (calls(fake_stripe), charged(fake_stripe)) == (1, [5000])
    # Nobody collects it but staff: the order stays marked until they have.
    assert order.review_reason.startswith("charge not accepted: ")
    write_off_payment(payment_id=payment_of(order, 2).pk, actor=None, reason="Geste")
    ask(order)
    assert order.review_reason == ""


def test_case_26_what_is_in_doubt_waits_while_the_customer_pays(
    fake_stripe: FakeStripe, buyer: Buyer, clock: Clock, monkeypatch
):
    """Two live attempts could both succeed: the one kept for review stays so until the other has ended."""
    order = bought(fake_stripe, buyer)
    clock.run_until(SECOND - timedelta(days=1))
    clock.go_to(SECOND)
    charge = gateway.charge_stored_card
    lying: dict[str, Any] = {"amount_cents": 4999}
    monkeypatch.setattr(gateway, "charge_stored_card", lambda **call: replace(charge(**call), **lying))
    clock.run_round()
    monkeypatch.undo()
    doubtful = Attempt.objects.get(state=AttemptState.REVIEW)
    Attempt.objects.create(
        payment=doubtful.payment, number=2, kind="link", amount_cents=5000, expires_at=doubtful.expires_at
    )
    ask(order)
    doubtful.refresh_from_db()
    assert (doubtful.state, order.review_reason) == (AttemptState.REVIEW, "amount: 4999 instead of 5000")

    Attempt.objects.filter(number=2).delete()
    ask(order)
    assert order.review_reason == ""
    assert LedgerEntry.objects.filter(order=order).count() == 2
    assert attempts(order)[1:] == [(2, 1, "off_session", "succeeded", "")]
