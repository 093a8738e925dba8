"""Case 10: events and pages that do not fit their order confirm nothing, and a person is notified."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.conf import settings as live_settings
from django.utils import timezone

from orders.models import Attempt, AttemptState, Discrepancy, Order, OrderStatus
from orders.services.payments.settlement import settle
from orders.services.reconciliation import reconcile
from orders.stripe import gateway
from orders.stripe.facts import CheckoutSessionFacts
from orders.tests.fake_stripe import session_of, signature
from shop.core.models import OutgoingMail
from tests.payment_faults.outcomes import (
    left_in_stock,
    mails,
    still_waits,
)
from tests.payment_faults.webhook_posts import COMPLETED, post
from tests.races.conftest import Buyer

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]

CONTRADICTIONS = {
    "another amount": ({"amount_total": 5999}, "event amount: 5999 instead of 6000"),
    "another currency": ({"currency": "usd"}, "event currency: usd instead of eur"),
}


@pytest.mark.parametrize("case", list(CONTRADICTIONS))
def test_case_10_a_signed_event_with_another_amount_or_currency(client, order, paid_event, case):
    """A signed event with another amount or currency: not confirmed, `review`, alert."""
    changes, reason = CONTRADICTIONS[case]
    event = json.loads(paid_event)
    event["data"]["object"] |= changes
    payload = json.dumps(event).encode()
    for _ in range(2):
        assert post(client, payload, signature(payload)).status_code == 200
    kept_for_review(order, reason)
    # Neither the return page nor the job confirms it afterwards.
    assert Buyer().verify(session_of(order)).json() == {"payment_status": "pending"}
    reconcile.reconcile_attempts(timezone.now() + timedelta(hours=1))
    kept_for_review(order, reason)


def lie(facts: CheckoutSessionFacts, **changes: Any) -> CheckoutSessionFacts:
    charge = {name[7:]: changes.pop(name) for name in list(changes) if name.startswith("charge_")}
    assert facts.charge is not None
    return replace(replace(facts, charge=replace(facts.charge, **charge)), **changes)


DIFFERENCES: dict[str, tuple[dict[str, Any], str]] = {
    "another page": ({"checkout_session_id": "cs_test_other"}, "session: cs_test_other instead of {session}"),
    "amount": ({"amount_cents": 5999}, "amount: 5999 instead of 6000"),
    "currency": ({"currency": "usd"}, "currency: usd instead of eur"),
    "mode": ({"mode": "setup"}, "mode: setup instead of payment"),
    "real money": ({"livemode": True}, "livemode: True instead of False"),
    "another order": ({"client_reference_id": "somebody-elses"}, "order: somebody-elses instead of {order}"),
    "another attempt": ({"metadata": {}}, "attempt: None instead of {attempt}"),
    "amount charged": ({"charge_amount_cents": 1}, "charge: 1 eur instead of 6000 eur"),
    "currency charged": ({"charge_currency": "jpy"}, "charge: 6000 jpy instead of 6000 eur"),
    "no charge": ({"charge": None}, "paid without a charge"),
}


@pytest.mark.parametrize("case", list(DIFFERENCES))
def test_case_10_a_page_that_differs_at_stripe(fake_stripe, client, order, paid_event, monkeypatch, case):
    """A signed event with another amount or currency: not confirmed, `review`, alert.

    Here it is the page itself, asked for at Stripe, that is not the order's.
    """
    changes, reason = DIFFERENCES[case]
    original = gateway.fetch_checkout_session
    monkeypatch.setattr(
        gateway,
        "fetch_checkout_session",
        lambda checkout_session_id: lie(original(checkout_session_id), **changes),
    )
    for _ in range(2):
        assert post(client, paid_event, signature(paid_event)).status_code == 200
    attempt = Attempt.objects.get()
    reason = reason.format(order=order.pk, attempt=attempt.pk, session=attempt.checkout_session_id)
    kept_for_review(order, reason)
    # Once it was kept for review, a person decides and no later news.
    monkeypatch.undo()
    settle(attempt.pk)
    kept_for_review(order, reason)


def kept_for_review(order: Order, reason: str) -> None:
    order.refresh_from_db()
    assert (order.status, order.review_reason) == (OrderStatus.PENDING, reason)
    assert Attempt.objects.get().state == AttemptState.REVIEW
    assert mails(order) == ["payment_review_alert"]
    assert not order.ledger.exists()
    assert left_in_stock(order) == 0
    assert order.events.filter(name="payment.review").count() == 1


MISFITS = {
    "real money": ({"livemode": True}, "livemode: True instead of False"),
    "another order": ({"client_reference_id": "another"}, "order: another instead of {order}"),
    "another page": ({"id": "cs_test_other"}, "session: cs_test_other instead of {session}"),
}


@pytest.mark.parametrize("case", list(MISFITS))
def test_case_10_money_that_is_not_this_orders_is_shown_and_told_once(client, order, case):
    """A signed event about money that fits no order: booked nowhere, recorded and told once an object."""
    changes, reason = MISFITS[case]
    subject = {
        "id": session_of(order), "object": "checkout.session", "mode": "payment", "livemode": False,
        "payment_status": "paid", "amount_total": 6000, "currency": "eur", "client_reference_id": str(order.pk),
        "payment_intent": "pi_test_money",
        "metadata": {
            "shop": live_settings.SITE_URL, "order": str(order.pk), "attempt": str(Attempt.objects.get().pk),
        },
        **changes,
    }  # fmt: skip
    statuses = []
    for number in range(2):
        event = {
            "id": f"evt_test_{number}",
            "type": COMPLETED,
            "livemode": False,
            "data": {"object": subject},
        }
        payload = json.dumps(event).encode()
        statuses.append(post(client, payload, signature(payload)).status_code)
    discrepancy = Discrepancy.objects.get()
    assert statuses == [200, 200]
    assert (discrepancy.kind, discrepancy.provider_id, discrepancy.order, discrepancy.amount) == (
        "payment_unmatched", "pi_test_money", order, Decimal("60.00"),
    )  # fmt: skip
    assert discrepancy.detail == reason.format(order=order.pk, session=session_of(order))
    assert [mail.kind for mail in OutgoingMail.objects.all()] == ["reconciliation_discrepancies"]
    still_waits(order)
