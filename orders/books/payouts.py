"""Payouts with what they contain, the provider's fees by month, and what differs from the bank."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal

from django.db.models import Count, Q, QuerySet, Sum
from django.db.models.functions import TruncMonth
from django.utils.dates import MONTHS

from orders.books.days import year
from orders.models import BalanceMovement, BankLine, Payout, PayoutState
from shop.core.dates import SHOP_ZONE
from shop.core.money import ZERO, quantize

LATE_AFTER = timedelta(days=7)
"""From then on a payout without a line of the bank's is a difference."""
PAYOUT = "payout"
PAYOUT_KINDS = {
    PAYOUT: "Versement",
    "payout_failure": "Versement rejeté",
    "payout_cancel": "Versement annulé",
}
"""What goes to the bank account, and what comes back because the bank refused it or nobody sent it after all."""
BANK_KINDS = {
    **PAYOUT_KINDS,
    "topup": "Approvisionnement",
    "topup_reversal": "Approvisionnement annulé",
}
"""All that passes between the account and the bank: also what the owner pays in, so that refunds can be made."""
_KINDS = {
    "charge": "Encaissements",
    "payment": "Encaissements",
    "refund": "Remboursements",
    "payment_refund": "Remboursements",
    "refund_failure": "Remboursements rejetés",
    "payment_failure_refund": "Remboursements rejetés",
    "adjustment": "Litiges et ajustements",
    "stripe_fee": "Frais facturés",
    "tax_fee": "Frais facturés",
    **BANK_KINDS,
}
FEE_KINDS = ("stripe_fee", "tax_fee")
"""Lines that are fees themselves: their amount is what was kept, negative."""


@dataclass(frozen=True, slots=True)
class Part:
    """What a payout contains of one kind."""

    label: str
    count: int
    amount: Decimal
    fee: Decimal


@dataclass(frozen=True, slots=True)
class PayoutRow:
    """A payout, its parts and the difference between them and it; 0 when the parts are not known."""

    payout: Payout
    parts: list[Part]
    difference: Decimal
    bank_line: BankLine | None


def with_bank_lines(payouts: QuerySet[Payout]) -> QuerySet[Payout]:
    return payouts.select_related("bank_line")


def describe_payouts(payouts: Sequence[Payout]) -> list[PayoutRow]:
    """Return payouts, read by `with_bank_lines`, with what they contain. One query."""
    sums: dict[int, dict[str, Part]] = {payout.pk: {} for payout in payouts}
    rows = (
        BalanceMovement.objects.filter(payout__in=payouts)
        .exclude(kind=PAYOUT)
        .order_by()
        .values("payout", "kind")
        .annotate(count=Count("pk"), sum=Sum("amount"), fees=Sum("fee"))
    )
    for row in rows:
        label = _KINDS.get(row["kind"], row["kind"])
        known = sums[row["payout"]].get(label, Part(label, 0, ZERO, ZERO))
        sums[row["payout"]][label] = Part(
            label,
            known.count + row["count"],
            known.amount + quantize(row["sum"]),
            known.fee + quantize(row["fees"]),
        )
    return [
        PayoutRow(payout, parts, _difference(payout, parts), getattr(payout, "bank_line", None))
        for payout in payouts
        for parts in [sorted(sums[payout.pk].values(), key=lambda part: part.label)]
    ]


def _difference(payout: Payout, parts: Sequence[Part]) -> Decimal:
    if not parts:
        return ZERO
    return payout.amount - sum((part.amount - part.fee for part in parts), ZERO)


@dataclass(frozen=True, slots=True)
class MonthFees:
    """A month's fees, and the payouts that were begun in it less those that came back in it; euros."""

    name: str
    fees: Decimal
    paid_out: Decimal


def fees_of(number: int) -> list[MonthFees]:
    """Return twelve months of a year, January first. One query."""
    period = year(number)
    is_fee, is_payout = Q(kind__in=FEE_KINDS), Q(kind__in=[*PAYOUT_KINDS])
    rows = (
        BalanceMovement.objects.filter(period.holds("occurred_at"))
        .order_by()
        .annotate(month=TruncMonth("occurred_at", tzinfo=SHOP_ZONE))
        .values("month")
        .annotate(kept=Sum("fee"), billed=Sum("amount", filter=is_fee), paid=Sum("amount", filter=is_payout))
    )
    found = {row["month"].month: row for row in rows}
    return [
        MonthFees(
            str(MONTHS[month]),
            quantize((found[month]["kept"] or ZERO) - (found[month]["billed"] or ZERO))
            if month in found
            else ZERO,
            quantize(-(found[month]["paid"] or ZERO)) if month in found else ZERO,
        )
        for month in range(1, 13)
    ]


def late_payouts(today: date) -> QuerySet[Payout]:
    """Payouts that should be on the bank's statement and are not, once statements are imported at all: those since the
    first imported line."""
    first = BankLine.objects.order_by("booked_on").values_list("booked_on", flat=True).first()
    if first is None:
        return Payout.objects.none()
    return Payout.objects.filter(
        bank_line=None,
        closed_at=None,
        state=PayoutState.PAID,
        arrives_on__gte=first,
        arrives_on__lt=today - LATE_AFTER,
    )


def unknown_lines() -> QuerySet[BankLine]:
    """Lines that name the provider and are no payout of it."""
    return BankLine.objects.filter(payout=None, closed_at=None)


FEES_HEADER = ("Date", "Ligne", "Nature", "Objet", "Montant (€)", "Frais (€)", "Net (€)", "Versement")


def movement_cells(number: int) -> list[tuple[date | str | Decimal, ...]]:
    """Return the account's lines of a year, for a file. One query."""
    period = year(number)
    rows = BalanceMovement.objects.filter(period.holds("occurred_at"))
    return [
        (
            row.occurred_at.astimezone(SHOP_ZONE).date(),
            row.provider_id,
            _KINDS.get(row.kind, row.kind),
            row.source_id,
            row.amount,
            row.fee,
            row.amount - row.fee,
            row.payout.provider_id if row.payout is not None else "",
        )
        for row in rows.select_related("payout")
    ]
