"""Writing down money that moved. Nothing else adds entries to the ledger."""

from datetime import datetime
from decimal import Decimal

from django.utils import timezone

from orders.models import Attempt, LedgerEntry, LedgerKind, Order, Payment


def book_movement(
    *,
    order: Order,
    payment: Payment,
    kind: LedgerKind,
    amount: Decimal,
    provider_id: str,
    reported_at: datetime | None,
    after: datetime,
) -> LedgerEntry:
    """Add one movement once (`provider_id` and `kind` are unique), on the day on which the money moved.

    `reported_at` is when the provider says that was; None means now. A clock that is wrong can't move it out of
    what is possible: never into the future, and never before `after`, what it follows from (the order for a charge, the
    charge for a refund or dispute, the refund for its failure). What lies outside is booked at the nearer end.
    """
    now = timezone.now()
    return LedgerEntry.objects.create(
        order=order,
        payment=payment,
        kind=kind,
        amount=amount,
        provider_id=provider_id,
        occurred_at=min(max(reported_at or now, after), now),
        created_at=now,
    )


def charged_at(attempt: Attempt) -> datetime:
    """Return when the charge of an attempt came in; when it was tried, for one that the ledger does not know. One
    query."""
    return _moved_at(str(attempt.charge_id), LedgerKind.CHARGE) or attempt.created_at


def taken_at(dispute_id: str) -> datetime | None:
    """Return when a customer's bank took the money of a dispute. One query."""
    return _moved_at(dispute_id, LedgerKind.DISPUTE)


def _moved_at(provider_id: str, kind: LedgerKind) -> datetime | None:
    entries = LedgerEntry.objects.filter(provider_id=provider_id, kind=kind)
    return entries.values_list("occurred_at", flat=True).first()
