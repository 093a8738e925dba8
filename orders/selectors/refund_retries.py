"""A refund that failed, made once more on the card or by transfer: which may be, and for how much."""

from contextlib import suppress
from decimal import Decimal

from django.utils.translation import gettext as _

from orders.models import DisputeState, Order, Refund, RefundRequest, RefundState
from orders.selectors.refund_debts import Debt, debts, has_effect, uncredited
from orders.selectors.refund_rules import (
    RefundRefused,
    charge_left,
    refuse_if_disputed,
    too_much,
    units_returned,
)
from shop.core.money import ZERO


def retryable_amount(order: Order, failed: Refund) -> Decimal:
    """Return the amount of a failed refund when it is made once more, on the card or by transfer: what a bank gave back
    in a lost dispute is not given back again.

    Raises RefundRefused: `refund_not_failed`, `refund_disputed`, `refund_made_good` when another movement has given it
    back since, and `refund_too_much` when the charge has not that much left any more, or not beside what others owe.
    """
    if failed.state != RefundState.FAILED:
        raise RefundRefused("refund_not_failed", _("ce remboursement n'a pas échoué."))
    refuse_if_disputed(order)
    amount, left = failed.amount, charge_left(failed.attempt)
    owed = ZERO
    if failed.request_id is None:
        amount = min(amount, left)
    elif has_effect(failed.request_id):
        amount = next((debt.owed for debt in debts(order) if debt.refund.pk == failed.pk), ZERO)
    elif (free := uncredited(order)) < RefundRequest.objects.get(pk=failed.request_id).amount:
        raise too_much(min(left, free))
    else:
        # What others owe of the charge is reserved for them.
        of_charge = [debt.owed for debt in debts(order) if debt.refund.attempt_id == failed.attempt_id]
        owed = sum(of_charge, ZERO)
        left = max(left - owed, ZERO)
        lost = failed.attempt.disputes.filter(state=DisputeState.LOST).values_list("amount", flat=True)
        amount -= min(sum(lost, ZERO), max(amount - left, ZERO))
    if amount == 0:
        raise RefundRefused(
            "refund_made_good", _("ce montant a été rendu entre-temps par un autre remboursement.")
        )
    if amount > left:
        raise too_much(left, owed)
    return amount


def retryable_refunds(order: Order) -> list[Debt]:
    """Return the failed refunds that may be made once more, oldest first, each with the amount: see
    `retryable_amount`."""
    found = []
    failed = Refund.objects.filter(order=order, state=RefundState.FAILED, replaced_by=None)
    for refund in failed.select_related("attempt").order_by("created_at"):
        with suppress(RefundRefused):
            found.append(Debt(refund, retryable_amount(order, refund)))
    return found


def refuse_units_credited_twice(order: Order) -> None:
    """Raise RefundRefused when decisions that took effect credit more units of a line than were bought."""
    bought = dict(order.items.values_list("pk", "quantity"))
    if any(units > bought[item] for item, units in units_returned(order).items()):
        raise RefundRefused(
            "refund_too_many_units", _("ces articles ont été remboursés entre-temps par une autre décision.")
        )
