"""Somebody tries stolen cards on the page that only stores one: after five refusals it is closed, as pages that pay."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from orders.models import Attempt, AttemptKind, AttemptState, CardChange, Order, StoredCard
from orders.services.payments import card_change
from orders.services.payments.card_change import change_card
from orders.services.payments.payment_links import pay_by_link
from orders.services.payments.refused_cards import too_many_refused
from orders.stripe import gateway
from orders.tests.card_changes import SESSIONS, address, asked, journal
from orders.tests.fake_stripe import FakeStripe, Shopper
from orders.tests.installments import SECOND, Clock, mails, page_of, payment_of
from shop.core.problems import Problem
from shop.core.tests.reading import text
from tests.races.concurrency import run_concurrently, values

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]

ALERT = "payment_review_alert"
FAILED = "setup_intent.setup_failed"


def refuse(fake_stripe: FakeStripe, change: CardChange, times: int = 1) -> dict[str, Any]:
    """So many cards of strangers, and the message about the last of them."""
    for _ in range(times):
        assert fake_stripe.control(f"sessions/{change.checkout_session_id}/refuse")["result"] == "refused"
    return told(fake_stripe)[-1]


def told(fake_stripe: FakeStripe) -> list[dict[str, Any]]:
    return [event for event in fake_stripe.events() if event["type"] == FAILED]


def closings(fake_stripe: FakeStripe, change: CardChange) -> int:
    return len(fake_stripe.requests(f"{SESSIONS}/{change.checkout_session_id}/expire"))


def closed_once(fake_stripe: FakeStripe, order: Order, change: CardChange, before: str) -> None:
    change.refresh_from_db()
    assert (change.state, closings(fake_stripe, change)) == ("closed", 1)
    assert journal(order, "payment.cards_refused") == [
        ("payment.cards_refused", {"card_change": str(change.pk), "count": 5})
    ]
    assert mails(ALERT) == 1
    order.refresh_from_db()
    assert (order.status, order.review_reason) == ("confirmed", "")
    # The card that the order was bought with is as good as before.
    assert StoredCard.objects.get(order=order).payment_method_id == before


def test_the_fifth_refused_card_closes_the_page(
    fake_stripe: FakeStripe, shopper: Shopper, order: Order, before: str, clock: Clock
):
    change = asked(order)
    assert shopper.webhook(refuse(fake_stripe, change, 4)) == 200
    change.refresh_from_db()
    assert (change.state, closings(fake_stripe, change), mails(ALERT)) == ("open", 0, 0)
    fifth = refuse(fake_stripe, change)
    assert shopper.webhook(fifth) == 200
    closed_once(fake_stripe, order, change, before)
    for event in (*told(fake_stripe), fifth):
        assert shopper.webhook(event) == 200
    closed_once(fake_stripe, order, change, before)

    answer = Client().post(address(order), {"card": "change"})
    assert (answer.status_code, "Trop de demandes aujourd'hui. Réessayez demain." in text(answer)) == (
        429,
        True,
    )
    with pytest.raises(Problem) as refused:
        pay_by_link(order_id=order.pk, everything=True)
    assert (refused.value.code, refused.value.status) == ("throttled", 429)
    assert CardChange.objects.count() == 1
    clock.pass_days(2)
    assert asked(order).pk != change.pk


def test_cards_refused_on_pages_that_pay_count_too(
    fake_stripe: FakeStripe, shopper: Shopper, order: Order, before: str, clock: Clock
):
    clock.go_to(SECOND - timedelta(days=5))
    pay_by_link(order_id=order.pk, everything=False)
    for _ in range(3):
        fake_stripe.control(f"sessions/{page_of(payment_of(order, 2))}/refuse")
    for event in fake_stripe.events():
        assert shopper.webhook(event) == 200
    change = asked(order)
    assert shopper.webhook(refuse(fake_stripe, change)) == 200
    assert journal(order, "payment.cards_refused") == []
    assert shopper.webhook(refuse(fake_stripe, change)) == 200
    closed_once(fake_stripe, order, change, before)


def test_only_pages_of_the_last_day_count_and_no_charge_of_the_stored_card(order: Order, monkeypatch):
    payment, now = payment_of(order, 2), timezone.now()
    Attempt.objects.filter(payment__order=order).update(intent_id=None)
    for number, (name, kind, age) in enumerate(
        (
            ("pi_card", AttemptKind.OFF_SESSION, timedelta(0)),
            ("pi_page", AttemptKind.LINK, timedelta(hours=23, minutes=59)),
            ("pi_yesterday", AttemptKind.LINK, timedelta(hours=24)),
        ),
        start=7,
    ):
        Attempt.objects.create(
            payment=payment, number=number, kind=kind, state=AttemptState.FAILED, amount_cents=100,
            expires_at=now, intent_id=name, created_at=now - age,
        )  # fmt: skip
    asked_for: list[str] = []
    monkeypatch.setattr(gateway, "count_refused_charges", lambda name: asked_for.append(name) or 1)
    assert too_many_refused(order.pk, {"attempt": "x"}) is False
    assert asked_for == ["pi_page"]


def test_a_card_that_is_left_while_the_page_is_being_closed_is_kept(
    fake_stripe: FakeStripe, shopper: Shopper, order: Order, before: str, monkeypatch: pytest.MonkeyPatch
):
    change = asked(order)
    fifth = refuse(fake_stripe, change, 5)
    expire = gateway.expire_checkout_session

    def late(checkout_session_id: str) -> bool:
        assert fake_stripe.control(f"sessions/{checkout_session_id}/pay")["result"] == "complete"
        return expire(checkout_session_id)

    monkeypatch.setattr(card_change.gateway, "expire_checkout_session", late)
    assert shopper.webhook(fifth) == 200
    change.refresh_from_db()
    assert change.state == "done"
    assert StoredCard.objects.get(order=order).payment_method_id != before


def test_messages_at_once_close_the_page_once(
    fake_stripe: FakeStripe, shopper: Shopper, order: Order, before: str
):
    change = asked(order)
    refuse(fake_stripe, change, 6)
    calls = [lambda event=event: shopper.webhook(event) for event in told(fake_stripe)]
    assert values(run_concurrently(calls)) == [200] * 6
    change.refresh_from_db()
    assert (change.state, mails(ALERT)) == ("closed", 1)
    assert journal(order, "payment.cards_refused") == [
        ("payment.cards_refused", {"card_change": str(change.pk), "count": 6})
    ]
    assert StoredCard.objects.get(order=order).payment_method_id == before


def test_what_stripe_can_not_do_now_is_done_when_the_message_comes_again(
    fake_stripe: FakeStripe, shopper: Shopper, order: Order, before: str
):
    change = asked(order)
    fifth = refuse(fake_stripe, change, 5)
    for path in ("/v1/setup_attempts", f"{SESSIONS}/{change.checkout_session_id}/expire"):
        fake_stripe.control("faults", kind="error", path=path, status=503, times=2)
        assert shopper.webhook(fifth) == 503
        change.refresh_from_db()
        assert change.state == "open"
    assert shopper.webhook(fifth) == 200
    change.refresh_from_db()
    assert (change.state, mails(ALERT)) == ("closed", 1)
    with pytest.raises(Problem):
        change_card(order_id=order.pk)
    assert StoredCard.objects.get(order=order).payment_method_id == before


def test_a_message_of_another_site_changes_nothing(fake_stripe: FakeStripe, shopper: Shopper, order: Order):
    change = asked(order)
    event = refuse(fake_stripe, change, 5)
    event["data"]["object"]["metadata"] = {"card_change": "none", "shop": "https://other.example"}
    assert shopper.webhook(event) == 200
    change.refresh_from_db()
    assert (change.state, mails(ALERT)) == ("open", 0)
