"""A night that compares three days of the provider's account with the ledger, and what it finds."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

from django.utils import timezone

from orders.models import Discrepancy
from orders.services.reconciliation.nightly import NightlyReport, reconcile_days
from shop.core.models import OutgoingMail

SOON = timedelta(hours=1)


def run(after: timedelta = SOON) -> NightlyReport:
    return reconcile_days(timezone.now() + after)


def discrepancies() -> list[tuple[str, str, Decimal, bool]]:
    return [
        (row.kind, row.provider_id, row.amount, row.resolved_at is not None)
        for row in Discrepancy.objects.order_by("pk")
    ]


def mails() -> list[str]:
    return list(
        OutgoingMail.objects.filter(kind="reconciliation_discrepancies").values_list("dedupe_key", flat=True)
    )


def sell_elsewhere(fake_stripe, account, **metadata: str) -> str:
    """A payment that no order of the shop stands for; answers its charge's id."""
    session = account.v1.checkout.sessions.create(
        {
            "mode": "payment",
            "line_items": [
                {
                    "quantity": 1,
                    "price_data": {"currency": "eur", "unit_amount": 1500, "product_data": {"name": "Thé"}},
                }
            ],
            "success_url": "https://elsewhere.example/ok",
            "payment_intent_data": {"metadata": metadata},
        }
    )
    fake_stripe.control(f"sessions/{session.id}/pay")
    return account.v1.charges.list({"limit": 1}).data[0].id
