"""What decided refunds still owe their customer, and what is left to decide about. Nothing is written.

A credit note is issued once for a debt. So money that came back to the shop after it is owed under its decision, and a
new decision credits only what none has credited before.
"""

import uuid
from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet, Subquery, Sum

from orders.models import (
    AUTOMATIC_REFUNDS,
    COMMITTED_REFUNDS,
    REFUNDS_UNDER_WAY,
    Dispute,
    DisputeState,
    Order,
    Refund,
    RefundReason,
    RefundRequest,
    RefundState,
)
from shop.core.money import ZERO, from_cents, quantize


@dataclass(frozen=True, slots=True)
class Debt:
    """A refund that failed although its decision took effect, and the euros of it that are still owed."""

    refund: Refund
    owed: Decimal


def debts(order: Order) -> list[Debt]:
    """Return what decisions that took effect still owe, oldest refund first; each refund as much as its charge still
    has, before others are asked for more. Three queries, five at most where something is owed.

    It goes back by trying again or by a transfer, never by another decision.
    """
    lacking = shortfalls(order, counting=COMMITTED_REFUNDS)
    of_order = Refund.objects.filter(took_effect("request__"), order=order, state=RefundState.FAILED)
    waiting = of_order.filter(replaced_by=None).select_related("attempt", "request").order_by("created_at")
    failed = [refund for refund in waiting if refund.request_id and lacking[refund.request_id]]
    left = _left_of_charges(order, failed) if len(failed) > 1 else None
    owed = dict.fromkeys((refund.pk for refund in failed), ZERO)
    for most in (left, None) if left is not None else (None,):
        for refund in failed:
            assert refund.request_id is not None
            part = min(refund.amount - owed[refund.pk], lacking[refund.request_id])
            if most is not None:
                part = min(part, most[refund.attempt_id])
                most[refund.attempt_id] -= part
            owed[refund.pk] += part
            lacking[refund.request_id] -= part
    return [Debt(refund, owed[refund.pk]) for refund in failed if owed[refund.pk]]


def _left_of_charges(order: Order, failed: Iterable[Refund]) -> dict[uuid.UUID, Decimal]:
    """Return the euros that the charges of these refunds were neither refunded nor lose to a bank, by attempt."""
    left = {refund.attempt_id: from_cents(refund.attempt.amount_cents) for refund in failed}
    gone = [order.refunds.filter(state__in=COMMITTED_REFUNDS), order.disputes.exclude(state=DisputeState.WON)]
    for rows in gone:
        for attempt_id, amount in rows.filter(attempt__in=left).values_list("attempt", "amount"):
            left[attempt_id] -= amount
    return {attempt_id: max(amount, ZERO) for attempt_id, amount in left.items()}


def owed_again(order: Order) -> Decimal:
    """Return the euros of all those debts: as many queries."""
    return sum((debt.owed for debt in debts(order)), ZERO)


@dataclass(frozen=True, slots=True)
class Balance:
    """Euros of an order: what each decision lacks to be complete, what banks gave back of it in lost disputes in the
    place of the shop, and what was refunded of each charge (by attempt) outside the shop and counts for no decision;
    `effective` are the decisions that took effect, oldest first.

    What was refunded outside the shop beyond a decision of its own counts for what others lack: first for what is owed
    of the same charge, which has that money no more, then for the oldest. Both only for decisions that took effect.
    """

    lacking: dict[uuid.UUID, Decimal]
    taken: dict[uuid.UUID, Decimal]
    spare: dict[uuid.UUID, Decimal]
    effective: list[uuid.UUID]


def shortfalls(order: Order, *, counting: Collection[str]) -> dict[uuid.UUID, Decimal]:
    """Return the euros that each decision lacks to be complete, counting its refunds in these states. Two queries."""
    return balances(order, counting)[0].lacking


def taken_instead(order: Order) -> dict[uuid.UUID, Decimal]:
    """Return the euros of each decision that banks gave back in lost disputes, in the place of the shop. Two
    queries."""
    return balances(order, (RefundState.SUCCEEDED,))[0].taken


def surplus(order: Order) -> dict[uuid.UUID, Decimal]:
    """Return the euros that were refunded outside the shop and count for no decision, by attempt, the latest last. Two
    queries."""
    spare = balances(order, (RefundState.SUCCEEDED,))[0].spare
    return {attempt_id: amount for attempt_id, amount in spare.items() if amount}


def balances(order: Order, *countings: Collection[str]) -> list[Balance]:
    """Return the balance of an order's decisions for each of these sets of states whose refunds count. Two queries."""
    lost = Dispute.objects.filter(state=DisputeState.LOST, attempt=OuterRef("attempt")).values("attempt")
    refunds: list[Any] = list(
        order.refunds.order_by("created_at")
        .annotate(lost=Subquery(lost.annotate(total=Sum("amount")).values("total")))
        .values_list(
            *("request_id", "attempt_id", "attempt__amount_cents", "reason", "state", "amount", "lost"),
            *("replaced_by", "replaced_by__amount"),
            named=True,
        )
    )
    decisions: list[Any] = list(
        order.refund_requests.order_by("created_at").values_list(
            "pk", "amount", "voided", "credit_note", named=True
        )
    )
    return [_balance(refunds, decisions, counting) for counting in countings]


def _balance(refunds: list[Any], decisions: list[Any], counting: Collection[str]) -> Balance:
    lacking: dict[uuid.UUID, Decimal] = {row.pk: row.amount - row.voided for row in decisions}
    spare: defaultdict[uuid.UUID, Decimal] = defaultdict(lambda: ZERO)
    owed: defaultdict[tuple[uuid.UUID, uuid.UUID], Decimal] = defaultdict(lambda: ZERO)
    automatic = {row.attempt_id for row in refunds if row.reason in AUTOMATIC_REFUNDS}
    for row in refunds:
        if row.request_id is None and row.attempt_id in automatic:
            continue
        of_charge = row.request_id, row.attempt_id
        if row.state in counting:
            part = min(lacking.get(row.request_id, ZERO), row.amount)
            if part:
                lacking[row.request_id] -= part
            spare[row.attempt_id] += row.amount - part
            owed[of_charge] = max(owed[of_charge] - part, ZERO)
        elif row.state == RefundState.FAILED and row.replaced_by is None:
            owed[of_charge] += row.amount
    moving = {row.request_id for row in refunds if row.state in COMMITTED_REFUNDS}
    effective = [row.pk for row in decisions if row.credit_note is not None or row.voided or row.pk in moving]
    by_banks = _taken_by_banks(refunds, effective)
    taken = dict.fromkeys(lacking, ZERO)
    for pk in effective:
        taken[pk] = min(lacking[pk], by_banks[pk])
        lacking[pk] -= taken[pk]
    of_same = [(pk, attempt, most) for (pk, attempt), most in owed.items() if pk in effective]
    of_any = [(pk, attempt, lacking[pk]) for pk in effective for attempt in spare]
    for pk, attempt, most in (*of_same, *of_any):
        made_good = min(lacking[pk], most, spare[attempt])
        lacking[pk] -= made_good
        spare[attempt] -= made_good
    return Balance(lacking, taken, spare, effective)


def _taken_by_banks(refunds: list[Any], effective: Collection[uuid.UUID]) -> defaultdict[uuid.UUID, Decimal]:
    """Return the euros, by these decisions, of failed refunds that their charges have no more, lost in a dispute; of
    one made again for less, what that lacks."""
    taken: defaultdict[uuid.UUID, Decimal] = defaultdict(lambda: ZERO)
    rows = [row for row in refunds if row.lost is not None]
    lost = {row.attempt_id: quantize(row.lost) for row in rows}
    left = {row.attempt_id: from_cents(row.attempt__amount_cents) - lost[row.attempt_id] for row in rows}
    for row in rows:
        left[row.attempt_id] -= row.amount if row.state in COMMITTED_REFUNDS else ZERO
    for row in rows:
        # One that was refused whole may have been decided anew: the bank took what the new decision owes.
        if row.state != RefundState.FAILED or row.request_id not in effective:
            continue
        short = row.amount - (row.replaced_by__amount or ZERO)
        gone = min(max(short - max(left[row.attempt_id], ZERO), ZERO), lost[row.attempt_id])
        taken[row.request_id] += gone
        lost[row.attempt_id] -= gone
        left[row.attempt_id] -= short
    return taken


def going_back(refunds: QuerySet[Refund], *, by: str) -> defaultdict[Any, Decimal]:
    """Return the euros that go back by themselves, by a column of these refunds, which are all of their charges; of a
    charge of which a part was given back at the provider, the rest. Two queries."""
    sums: defaultdict[Any, Decimal] = defaultdict(lambda: ZERO)
    gone: defaultdict[Any, Decimal] = defaultdict(lambda: ZERO)
    done = refunds.filter(state=RefundState.SUCCEEDED).order_by()
    for attempt, amount in done.values_list("attempt").annotate(sum=Sum("amount")):
        gone[attempt] = quantize(amount)
    # Nobody decided about an automatic refund, nor about it made again, whose reason is not its own.
    undecided = refunds.filter(request=None, state__in=REFUNDS_UNDER_WAY)
    automatic = undecided.exclude(reason=RefundReason.EXTERNAL)
    for key, attempt, amount, cents in automatic.values_list(
        by, "attempt", "amount", "attempt__amount_cents"
    ):
        sums[key] += min(amount, max(from_cents(cents) - gone[attempt], ZERO))
    return sums


def uncredited(order: Order) -> Decimal:
    """Return the euros of an order that no decision has credited: credit notes never exceed the invoice. One query."""
    decided = RefundRequest.objects.filter(took_effect(), order=order).aggregate(credited=Sum("amount"))
    return max(order.total - quantize(decided["credited"] or ZERO), ZERO)


def uncredited_delivery(order: Order) -> Decimal:
    """Return what no decision has credited of the delivery: once all units came back, the rest may be goods. One
    query."""
    decided = RefundRequest.objects.filter(took_effect(), order=order).aggregate(credited=Sum("shipping"))
    return max(quantize(order.shipping_cost - (decided["credited"] or ZERO)), ZERO)


def has_effect(request_id: uuid.UUID) -> bool:
    """Return whether a decision took effect: what it credits is not free for another one. One query."""
    return RefundRequest.objects.filter(took_effect(), pk=request_id).exists()


def took_effect(path: str = "") -> Q:
    """Decisions of which a part went through or is on its way, for which payments were voided, or that have their
    credit note. `path` leads from the filtered rows to the decision ("request__")."""
    moved = Refund.objects.filter(request=OuterRef(f"{path}pk"), state__in=COMMITTED_REFUNDS)
    return Q(**{f"{path}credit_note__isnull": False}) | Q(**{f"{path}voided__gt": 0}) | Q(Exists(moved))
