"""Declarations as people write them."""

from __future__ import annotations

from datetime import date

from orders.services.withdrawals.declarations import Declaration, declare_withdrawal
from shop.core.models import OutgoingMail


def words(placed, **changes):
    values = {
        "name": "Léa Martin", "email": "lea@example.com", "order_text": placed.reference, "language": "fr", **changes,
    }  # fmt: skip
    return Declaration(**values)


def declare(declaration, caller="192.0.2.1"):
    key = declaration.submission_key(date(2026, 11, 23))
    return declare_withdrawal(declaration=declaration, key=key, caller=caller)


def mails():
    return sorted(OutgoingMail.objects.filter(kind__startswith="withdrawal").values_list("kind", "to"))
