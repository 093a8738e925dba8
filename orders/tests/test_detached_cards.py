"""A stored card that somebody detached, or whose customer somebody deleted, in the provider's own pages."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest

from orders.models import StoredCard
from orders.stripe import gateway
from orders.tests.fake_stripe import FakeStripe, Shopper
from orders.tests.installments import SECOND, Clock, announced, attempts, charged, mails, payment_of

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]


def detach(card: StoredCard) -> None:
    gateway.detach_payment_method(card.payment_method_id)


def delete_customer(card: StoredCard) -> None:
    gateway.delete_customer(card.customer_id)


@pytest.mark.parametrize("removed", [detach, delete_customer])
def test_its_customer_is_asked_for_another_one_at_once(
    fake_stripe: FakeStripe, shopper: Shopper, clock: Clock, removed: Callable[[StoredCard], None]
) -> None:
    order = announced(fake_stripe, shopper, clock)
    removed(order.card)
    clock.run_until(SECOND)

    assert attempts(order)[1:] == [(2, 1, "off_session", "failed", "resource_missing")]
    assert StoredCard.objects.get().refused_code == "resource_missing"
    second = payment_of(order, 2)
    assert (second.state, second.stopped_code, second.next_try_on) == (
        "due", "resource_missing", SECOND + timedelta(days=3),
    )  # fmt: skip
    assert (mails("installment_refused"), mails("payment_review_alert")) == (1, 0)
    order.refresh_from_db()
    assert order.review_reason == ""
    assert len(charged(fake_stripe)) == 1


def test_a_refusal_that_is_not_about_the_card_waits_for_staff(
    fake_stripe: FakeStripe, shopper: Shopper, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    order = announced(fake_stripe, shopper, clock)

    def refuse(**_asked: object) -> None:
        raise gateway.GatewayRefused("Received unknown parameter: off_session", "parameter_unknown")

    monkeypatch.setattr(gateway, "charge_stored_card", refuse)
    clock.run_until(SECOND)

    assert (attempts(order)[1][3], StoredCard.objects.get().refused_code) == ("review", "")
    assert (mails("installment_refused"), mails("payment_review_alert")) == (0, 1)
    order.refresh_from_db()
    assert order.review_reason == "charge not accepted: parameter_unknown"
