"""Movements of the ledger for tests of the books, on a moment of their own."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal

from orders.models import (
    LedgerEntry,
    Order,
    Payment,
)
from orders.tests.factories import make_order


def book(
    amount: str,
    when: datetime,
    *,
    kind: str = "charge",
    order: Order | None = None,
    movement: str = "",
    learned_at: datetime | None = None,
) -> LedgerEntry:
    """A movement of the ledger, of an order of its own unless told, which the shop learned of at once."""
    order = order or make_order()
    return LedgerEntry.objects.create(
        order=order,
        payment=Payment.objects.filter(order=order).first(),
        kind=kind,
        amount=Decimal(amount),
        provider_id=movement or f"mv_{LedgerEntry.objects.count() + 1}",
        occurred_at=when,
        created_at=learned_at or when,
    )


def utc(*parts: int) -> datetime:
    return datetime(*parts, tzinfo=UTC)
