"""Stripe's objects as facts of the shop: of what was paid without a card, no card is read."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
import stripe

from orders.stripe.facts import CardFacts, ChargeFacts
from orders.stripe.provider_objects import checkout_session_facts, dispute_facts

MADE = 1_780_000_000
CARD = {"brand": "visa", "last4": "4242", "exp_month": 12, "exp_year": 2030}


def paid_page(details: dict[str, object] | None) -> stripe.checkout.Session:
    """A page that saved how it was paid, as Stripe sends it: details of other types are left out."""
    charge = {
        "object": "charge",
        "id": "ch_1",
        "paid": True,
        "amount_captured": 4999,
        "currency": "eur",
        "amount_refunded": 0,
        "disputed": False,
        "created": MADE,
        "payment_method": "pm_1",
        "payment_method_details": details,
    }
    intent = {
        "object": "payment_intent",
        "id": "pi_1",
        "status": "succeeded",
        "last_payment_error": None,
        "setup_future_usage": "off_session",
        "customer": "cus_1",
        "latest_charge": charge,
    }
    page = {
        "object": "checkout.session",
        "id": "cs_1",
        "url": None,
        "status": "complete",
        "payment_status": "paid",
        "mode": "payment",
        "livemode": False,
        "currency": "eur",
        "amount_total": 4999,
        "client_reference_id": "o",
        "metadata": {},
        "payment_intent": intent,
    }
    return stripe.checkout.Session.construct_from(page, "sk_test_1")


@pytest.mark.parametrize(
    ("details", "card", "moved_at"),
    [
        (
            {"type": "card", "card": CARD},
            CardFacts("cus_1", "pm_1", "visa", "4242", 12, 2030),
            datetime.fromtimestamp(MADE, UTC),
        ),
        ({"type": "sepa_debit", "sepa_debit": {"last4": "2606"}}, None, None),
        ({"type": "paypal", "paypal": {"payer_email": "lea@example.com"}}, None, None),
        ({"type": "klarna", "klarna": {"payment_method_category": "pay_later"}}, None, None),
        (None, None, None),
    ],
)
def test_a_payment_without_a_card_is_read_and_keeps_none(details, card, moved_at):
    facts = checkout_session_facts(paid_page(details))

    assert facts.card == card
    assert facts.charge == ChargeFacts("ch_1", 4999, "eur", 0, False, moved_at)


@pytest.mark.parametrize(
    ("status", "read"),
    [
        *((each, each) for each in ("needs_response", "under_review", "won", "lost", "warning_closed")),
        ("appeal_needs_response", "needs_response"),
        ("appeal_under_review", "under_review"),
    ],
)
def test_an_appeal_against_what_a_bank_decided_takes_the_steps_of_a_dispute(status, read):
    dispute = {
        "object": "dispute",
        "id": "du_1",
        "amount": 4999,
        "status": status,
        "reason": "general",
        "created": MADE,
        "evidence_details": {"due_by": MADE + 60},
        "balance_transactions": [{"object": "balance_transaction", "amount": -4999, "created": MADE + 5}],
    }
    facts = dispute_facts(stripe.Dispute.construct_from(dispute, "sk_test_1"))
    assert (facts.status, facts.answer_by, facts.moved_at, facts.returned_at) == (
        read, datetime.fromtimestamp(MADE + 60, UTC), datetime.fromtimestamp(MADE + 5, UTC), None
    )  # fmt: skip
