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

from django.db.models import Exists, OuterRef, Q, QuerySet, Sum

from orders.models import (
    AUTOMATIC_REFUNDS,
    COMMITTED_REFUNDS,
    REFUNDS_UNDER_WAY,
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
    has, before others are asked for more. Three queries, eight at most where something is owed.

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


def shortfalls(order: Order, *, counting: Collection[str]) -> dict[uuid.UUID, Decimal]:
    """Return the euros that each decision lacks to be complete, counting its refunds in these states. Two queries, five
    at most where something is lacking.

    What was refunded outside the shop beyond a decision of its own counts for what others lack, the oldest first. So
    does, for a decision that took effect, what a bank gave back in a lost dispute of the same charge.
    """
    return _balances(order, counting)[0]


def taken_instead(order: Order) -> dict[uuid.UUID, Decimal]:
    """Return the euros of each decision that banks gave back in lost disputes, in the place of the shop. Two queries,
    five at most where something was not refunded."""
    return _balances(order, (RefundState.SUCCEEDED,))[1]


def surplus(order: Order) -> Decimal:
    """Return the euros that were refunded outside the shop and count for no decision. Two queries, five at most where
    something was not refunded."""
    return _balances(order, (RefundState.SUCCEEDED,))[2]


def _balances(
    order: Order, counting: Collection[str]
) -> tuple[dict[uuid.UUID, Decimal], dict[uuid.UUID, Decimal], Decimal]:
    """What each decision lacks, what banks gave back of it, and what counts for none."""
    rows: list[Any] = list(order.refunds.values_list("request_id", "attempt_id", "reason", "state", "amount"))
    automatic = {
        attempt for _request, attempt, reason, _state, _amount in rows if reason in AUTOMATIC_REFUNDS
    }
    back: dict[uuid.UUID, Decimal] = defaultdict(lambda: ZERO)
    moving: set[uuid.UUID] = set()
    spare = ZERO
    for request_id, attempt_id, _reason, state, amount in rows:
        if request_id is None:
            spare += amount if state in counting and attempt_id not in automatic else ZERO
            continue
        back[request_id] += amount if state in counting else ZERO
        if state in COMMITTED_REFUNDS:
            moving.add(request_id)
    lacking: dict[uuid.UUID, Decimal] = {}
    effective = []
    decisions: Iterable[Any] = order.refund_requests.order_by("created_at").values_list(
        "pk", "amount", "voided", "credit_note"
    )
    for pk, amount, voided, note in decisions:
        rest = amount - voided - back[pk]
        lacking[pk] = max(rest, ZERO)
        spare += max(-rest, ZERO)
        if note is not None or voided or pk in moving:
            effective.append(pk)
    taken = dict.fromkeys(lacking, ZERO)
    if any(lacking[pk] for pk in effective):
        by_banks = _taken_by_banks(order, effective)
        for pk in effective:
            taken[pk] = min(lacking[pk], by_banks[pk])
            lacking[pk] -= taken[pk]
    for pk in effective:
        made_good = min(lacking[pk], spare)
        lacking[pk] -= made_good
        spare -= made_good
    return lacking, taken, spare


def _taken_by_banks(order: Order, effective: Collection[uuid.UUID]) -> defaultdict[uuid.UUID, Decimal]:
    """Return the euros, by these decisions, of failed refunds that their charges have no more, lost in a dispute; of
    one made again for less, what that lacks."""
    taken: defaultdict[uuid.UUID, Decimal] = defaultdict(lambda: ZERO)
    lost: defaultdict[uuid.UUID, Decimal] = defaultdict(lambda: ZERO)
    for attempt_id, amount in order.disputes.filter(state=DisputeState.LOST).values_list("attempt", "amount"):
        lost[attempt_id] += amount
    if not lost:
        return taken
    refunds = Refund.objects.filter(attempt__in=lost).order_by("created_at").select_related("attempt")
    rows = list(refunds.prefetch_related("replaced_by"))
    left = {row.attempt_id: from_cents(row.attempt.amount_cents) - lost[row.attempt_id] for row in rows}
    for row in rows:
        left[row.attempt_id] -= row.amount if row.state in COMMITTED_REFUNDS else ZERO
    for row in rows:
        # One that was refused whole may have been decided anew: the bank took what the new decision owes.
        if row.state != RefundState.FAILED or row.request_id not in effective:
            continue
        assert row.request_id is not None
        short = row.amount - (row.replaced_by.amount if hasattr(row, "replaced_by") else ZERO)
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
