"""Refunds that somebody made outside the shop, in the provider's own interface: what they count for."""

from decimal import Decimal

from orders.journal import record_event
from orders.models import (
    AUTOMATIC_REFUNDS,
    COMMITTED_REFUNDS,
    Attempt,
    Order,
    Refund,
    RefundReason,
    RefundRequest,
    RefundState,
)
from orders.selectors.refund_debts import debts, has_effect, uncredited
from orders.selectors.refund_rules import charges_left
from orders.stripe.facts import RefundFacts
from shop.core.money import ZERO, amount_string, from_cents


def attempt_of(facts: RefundFacts) -> Attempt | None:
    """Return the attempt whose charge was refunded; None for a payment that is not ours. Two queries at most."""
    charged = Attempt.objects.filter(charge_id__isnull=False).select_related("payment")
    if facts.charge_id and (found := charged.filter(charge_id=facts.charge_id).first()):
        return found
    return charged.filter(intent_id=facts.intent_id).first() if facts.intent_id else None


def recognise(order: Order, facts: RefundFacts) -> Refund | None:
    """A refund made outside the shop, with the order locked: it gets the rows that one of ours would have.

    It completes the decision that owes it; else it is a decision of its own, which credits what none has credited yet.
    Money of the charge that other decisions were to refund stays theirs: it counts for them.
    """
    attempt = attempt_of(facts)
    if attempt is None:
        return None
    amount = from_cents(facts.amount_cents)
    # A refund that failed, made again by hand, in one go or several.
    again = next(
        (debt for debt in debts(order) if debt.refund.attempt_id == attempt.pk and debt.owed >= amount), None
    )
    request = again.refund.request if again is not None else None
    if again is None:
        free = sum((charge.left for charge in charges_left(order) if charge.attempt == attempt), ZERO)
        credited = min(amount, free, uncredited(order))
        if credited:
            request = RefundRequest.objects.create(
                order=order, key=f"external-{facts.refund_id}", amount=credited, external=True
            )
    refund = Refund.objects.create(
        order=order,
        attempt=attempt,
        request=request,
        replaces=again.refund if again is not None and _completes(again.refund, amount) else None,
        amount=amount,
        reason=RefundReason.EXTERNAL,
        state=RefundState.SENT,
        provider_id=facts.refund_id,
    )
    record_event(order, "refund.external", refund=str(refund.pk), amount=amount_string(amount))
    return refund


def _completes(failed: Refund, amount: Decimal) -> bool:
    """Whether the parts of a failed refund that were given back of its charge are all of it with `amount`. What counts
    for its decision beside them may come to count for another one; what was given back before it was made, as one that
    was tried again, is no part of it."""
    of_charge = Refund.objects.filter(request=failed.request_id, attempt=failed.attempt_id, replaces=None)
    since = of_charge.filter(state__in=COMMITTED_REFUNDS, created_at__gt=failed.created_at)
    return sum(since.values_list("amount", flat=True), amount) >= failed.amount


def complete_from_outside(refund: Refund) -> None:
    """What was refunded outside the shop while this refund was on its way counts for its decision, which has no effect
    without it: nothing else would credit that money."""
    if refund.request_id is None or has_effect(refund.request_id):
        return
    outside = Refund.objects.filter(
        attempt=refund.attempt_id, request=None, reason=RefundReason.EXTERNAL, state__in=COMMITTED_REFUNDS
    )
    if not refund.attempt.refunds.filter(reason__in=AUTOMATIC_REFUNDS).exists():
        outside.update(request=refund.request_id)
