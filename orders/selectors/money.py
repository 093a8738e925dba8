"""What became of the money of an order: one answer for its page, its mails and staff."""

import uuid
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from functools import cache
from typing import Any

from django.db.models import DecimalField, F, OuterRef, Q, QuerySet, Subquery, Sum
from django.db.models.expressions import CombinedExpression
from django.db.models.functions import Coalesce

from orders.models import (
    CLOSED_STATUSES,
    COLLECTED_PAYMENTS,
    COMMITTED_REFUNDS,
    OPEN_DISPUTES,
    OPEN_PAYMENTS,
    REFUNDS_UNDER_WAY,
    Dispute,
    DisputeState,
    LedgerEntry,
    LedgerKind,
    Order,
    PaymentState,
    Refund,
    RefundState,
)
from shop.core.money import ZERO, quantize

_COUNTED = (*COLLECTED_PAYMENTS, PaymentState.WRITTEN_OFF, *OPEN_PAYMENTS)


@dataclass(frozen=True, slots=True)
class MoneyOutcome:
    """What became of an order's money, in euros.

    `charged`: whether anything was ever collected. `refunded` has gone back, the last of it at `refunded_at`;
    `under_way` is on its way; `failed` should have gone back and has not; `disputed` was taken back by a bank.
    `retained` stays with the shop, for `retention_reason` (why it was not refunded, or the decision since) or, without
    one, until somebody decides. `voided` is not collected any more, `to_come` still is.
    """

    charged: bool
    refunded: Decimal
    refunded_at: datetime | None
    under_way: Decimal
    failed: Decimal
    disputed: Decimal
    retained: Decimal
    retention_reason: str
    voided: Decimal
    to_come: Decimal


def money_outcome(order: Order) -> MoneyOutcome:
    """Return what became of the money of an order. Three queries, two with prefetched payments."""
    moved = {
        row["kind"]: quantize(row["total"])
        for row in LedgerEntry.objects.filter(order=order).values("kind").annotate(total=Sum("amount"))
    }
    charged = moved.get(LedgerKind.CHARGE, ZERO)
    disputed = -(moved.get(LedgerKind.DISPUTE, ZERO) + moved.get(LedgerKind.DISPUTE_WON, ZERO))
    refunds: list[Any] = list(
        Refund.objects.filter(order=order).values_list(
            "state", "amount", "settled_at", "replaced_by", "request__settled_at"
        )
    )
    done = [(amount, at) for state, amount, at, _again, _through in refunds if state == RefundState.SUCCEEDED]
    refunded = sum((amount for amount, _at in done), ZERO)
    under_way = sum((amount for state, amount, *_rest in refunds if state in REFUNDS_UNDER_WAY), ZERO)
    failed = sum(
        (
            amount
            for state, amount, _at, again, through in refunds
            if state == RefundState.FAILED and again is None and through is None
        ),
        ZERO,
    )
    held = charged - disputed - refunded - under_way
    failed = min(failed, max(held, ZERO))
    payments = list(order.payments.all())
    counted = sum((row.amount for row in payments if row.state in _COUNTED), ZERO)
    return MoneyOutcome(
        charged=charged > ZERO,
        refunded=refunded,
        refunded_at=max((at for _amount, at in done if at is not None), default=None),
        under_way=under_way,
        failed=failed,
        disputed=disputed,
        retained=max(held - failed, ZERO) if order.status in CLOSED_STATUSES else ZERO,
        retention_reason=order.retention_decision or order.retention_reason,
        voided=max(order.total - counted, ZERO),
        to_come=sum((row.amount for row in payments if row.state in OPEN_PAYMENTS), ZERO),
    )


def waiting_refunds() -> QuerySet[Refund]:
    """Return failed refunds that wait for a person: not made once more, nor made up for by their decision's others, and
    of a charge that other refunds and lost disputes have not emptied. One query."""
    lost = Dispute.objects.filter(state=DisputeState.LOST, attempt=OuterRef("attempt"))
    back = Refund.objects.filter(state__in=COMMITTED_REFUNDS, attempt=OuterRef("attempt"))
    taken = lost.values("attempt").annotate(total=Sum("amount"))
    given = back.values("attempt").annotate(total=Sum("amount"))
    return (
        Refund.objects.filter(Q(request=None) | Q(request__settled_at=None))
        .filter(state=RefundState.FAILED, replaced_by=None)
        .annotate(gone=(_total(taken) + _total(given)) * 100)
        # SQLite adds decimals as floating-point numbers.
        .exclude(gone__gt=F("attempt__amount_cents") - Decimal("0.5"))
    )


def with_undecided_money() -> QuerySet[Order]:
    """Return closed orders of which the shop keeps money that nobody has decided about. One query.

    What a failed refund still owes waits there, as a failed refund.
    """
    closed = Order.objects.filter(status__in=CLOSED_STATUSES, retention_decision="")
    # SQLite adds decimals as floating-point numbers.
    return closed.annotate(held=_held()).filter(held__gte=Decimal("0.005"))


def taken_back(order_ids: Collection[uuid.UUID]) -> dict[uuid.UUID, Decimal]:
    """Return the euros that banks took back in lost disputes, by order, of those of which the shop has nothing left but
    what goes back too: they are promised to nobody any more, and have nothing to withdraw from. One query, and one more
    where a dispute was lost."""
    if not Dispute.objects.filter(state=DisputeState.LOST, order__in=order_ids).exists():
        return {}
    emptied = _emptied().filter(pk__in=order_ids)
    return {pk: quantize(taken) for pk, taken in emptied.values_list("pk", "taken")}


@cache
def held_by_banks() -> Q:
    """Return the condition of orders of which nothing is sent: a dispute is open, or banks took back all that the shop
    had of them. They are late for nobody. Made once a process, as `workshop.awaited` is."""
    opened = Dispute.objects.filter(state__in=OPEN_DISPUTES).values("order")
    return Q(pk__in=opened) | Q(pk__in=_emptied().values("pk"))


def _emptied() -> QuerySet[Any]:
    lost = Dispute.objects.filter(state=DisputeState.LOST)
    taken = lost.filter(order=OuterRef("pk")).values("order").annotate(total=Sum("amount"))
    orders = Order.objects.filter(pk__in=lost.values("order")).annotate(taken=_total(taken), held=_held())
    return orders.filter(held__lt=Decimal("0.005"))


def _held() -> CombinedExpression:
    """What the shop has of an order's money beyond what goes back to its customer."""
    ledger = LedgerEntry.objects.filter(order=OuterRef("pk")).values("order").annotate(total=Sum("amount"))
    owed = Q(state__in=REFUNDS_UNDER_WAY) | Q(pk__in=waiting_refunds().values("pk"))
    refunds = Refund.objects.filter(owed, order=OuterRef("pk")).values("order").annotate(total=Sum("amount"))
    return _total(ledger) - _total(refunds)


def _total(rows: QuerySet[Any, Any]) -> Coalesce:
    return Coalesce(Subquery(rows.values("total")), Decimal(0), output_field=DecimalField())
