"""What the provider is asked for, counted at the provider: no page closed twice, no refused charge asked for again."""

from __future__ import annotations

from contextlib import contextmanager
from datetime import timedelta
from functools import partial

import pytest
from django.utils import timezone

from orders.models import Attempt, AttemptState, Order, OrderStatus
from orders.services.payments import checkout_sessions
from orders.services.payments.checkout_sessions import abandon_order
from orders.services.reconciliation.webhook_events import NotYetKnown, process_event, store_event
from orders.stripe import gateway
from orders.stripe.facts import EventFacts
from orders.stripe.gateway import GatewayUnavailable
from orders.tests.fake_stripe import FakeStripe, session_of
from orders.tests.installments import SECOND, bought
from tests.races.concurrency import run_concurrently, values

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]

CLICKS = 8


def closings(fake_stripe, order: Order) -> int:
    return len(fake_stripe.requests(f"/v1/checkout/sessions/{session_of(order)}/expire"))


def test_eight_clicks_at_once_close_one_page_once(fake_stripe, order):
    assert values(run_concurrently([partial(abandon_order, order.pk)] * CLICKS)) == [None] * CLICKS
    order.refresh_from_db()
    assert order.status == OrderStatus.CANCELLED
    assert closings(fake_stripe, order) == 1


def test_control_without_the_claim_a_page_is_closed_by_every_click(fake_stripe, order, monkeypatch):
    @contextmanager
    def everybody(_attempt):
        yield True

    monkeypatch.setattr(checkout_sessions, "claim_closing", everybody)
    run_concurrently([partial(abandon_order, order.pk)] * CLICKS)
    assert closings(fake_stripe, order) > 1


def test_clicks_one_after_the_other_close_the_page_once(fake_stripe, order):
    for _click in range(5):
        assert abandon_order(order.pk) is None
    assert closings(fake_stripe, order) == 1


def test_a_claim_of_a_clock_that_was_ahead_is_over(fake_stripe, order):
    Attempt.objects.update(closing_at=timezone.now() + timedelta(days=365))
    abandon_order(order.pk)
    assert closings(fake_stripe, order) == 1


def test_a_page_that_could_not_be_closed_is_tried_again_by_the_next_click(fake_stripe, order, monkeypatch):
    def away(_session_id):
        raise GatewayUnavailable("away")

    with monkeypatch.context() as patch:
        patch.setattr(gateway, "expire_checkout_session", away)
        with pytest.raises(GatewayUnavailable):
            abandon_order(order.pk)
    assert Attempt.objects.get().closing_at is None
    assert abandon_order(order.pk) is None
    assert closings(fake_stripe, order) == 1


def failure_told(fake_stripe: FakeStripe) -> None:
    """The provider's message that a charge was refused, as the webhook hands it on."""
    (told,) = [event for event in fake_stripe.events() if event["type"] == "payment_intent.payment_failed"]
    process_event(store_event(EventFacts(told["id"], told["type"], livemode=False, body=told)))


@pytest.mark.parametrize(
    ("moment", "refusal"), [("charge_stored_card", NotYetKnown), ("cancel_intent", GatewayUnavailable)]
)
def test_a_refusal_told_while_it_is_worked_on_is_asked_for_and_canceled_once(
    fake_stripe, shopper, clock, monkeypatch, moment, refusal
):
    order = bought(fake_stripe, shopper, later="9995")
    original = getattr(gateway, moment)
    refused: list[type[BaseException]] = []

    def tell_meanwhile(*names, **values):
        found = original(*names, **values) if moment == "charge_stored_card" else None
        if not refused:
            refused.append(Exception)
            with pytest.raises(refusal):
                failure_told(fake_stripe)
            refused[0] = refusal
        return original(*names, **values) if found is None else found

    monkeypatch.setattr(gateway, moment, tell_meanwhile)
    before = len(fake_stripe.requests("/v1/payment_intents"))
    clock.run_until(SECOND)
    assert refused == [refusal]
    posts = [call["path"] for call in fake_stripe.requests("/v1/payment_intents")][before:]
    third = order.payments.get(position=2).attempts.get()
    assert posts == ["/v1/payment_intents", f"/v1/payment_intents/{third.intent_id}/cancel"]
    assert third.state == AttemptState.FAILED
    failure_told(fake_stripe)
    assert len(fake_stripe.requests("/v1/payment_intents")) == before + 2
