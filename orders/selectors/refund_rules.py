"""What may still go back to a customer, from which charges, and what returned units are worth. Nothing is written."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from typing import Any

from django.db.models import QuerySet, Sum
from django.utils import timezone
from django.utils.translation import gettext as _

from orders.models import (
    AUTOMATIC_REFUNDS,
    COMMITTED_REFUNDS,
    OPEN_DISPUTES,
    OPEN_PAYMENTS,
    Attempt,
    Dispute,
    DisputeState,
    LedgerEntry,
    LedgerKind,
    Order,
    OrderItem,
    OrderStatus,
    Payment,
    Refund,
    RefundLine,
    RefundRequest,
)
from orders.pricing.installments import SMALLEST_CHARGE
from orders.pricing.promotions import Promotion
from orders.pricing.refunds import PaidLine, ReturnValue, line_shares, prorate, value_of_return
from orders.selectors.installments import being_paid, disputes_of, outstanding
from orders.selectors.refund_debts import debts, owed_again, took_effect, uncredited, uncredited_delivery
from orders.selectors.shipments import units_at_customer
from shop.core.amounts import localised_amount
from shop.core.models import ShopSettings
from shop.core.money import ZERO, amount_string, from_cents, quantize
from shop.core.problems import Problem


@dataclass(frozen=True, slots=True, order=True)
class ReturnedLine:
    """How many units of an order's line are credited, whether they return to stock, and whether they had been sent."""

    item_id: int
    quantity: int
    restock: bool = False
    was_sent: bool = False


class RefundRefused(Problem):
    """A refund that can't be made, with why: the sentence that staff read. Nothing was written."""

    def __init__(self, code: str, reason: str, *, left: Decimal | None = None, status: int = 409) -> None:
        detail = _("Impossible de traiter le remboursement: %(reason)s") % {"reason": reason}
        super().__init__(
            code, detail, status, extra={} if left is None else {"refundable": amount_string(left)}
        )


@dataclass(frozen=True, slots=True)
class ChargeLeft:
    """A charge and the euros of it that were neither refunded nor taken back by a bank."""

    attempt: Attempt
    left: Decimal


@dataclass(frozen=True, slots=True)
class ProposedLine:
    """Units of a line and what is credited for them; `worth` is what was paid for them."""

    item: OrderItem
    quantity: int
    amount: Decimal
    worth: Decimal
    restock: bool
    was_sent: bool


@dataclass(frozen=True, slots=True)
class RefundProposal:
    """What a refund would do. `amount` = `voided` + `money` is credited; `left` is what could be at most.

    `voided` comes off the payments that are still due, `money` goes back to the card. `shipping` is the delivery in
    `amount`; `complete`: the order has nothing left afterwards.
    """

    lines: tuple[ProposedLine, ...]
    shipping: Decimal
    amount: Decimal
    voided: Decimal
    money: Decimal
    left: Decimal
    complete: bool


@dataclass(frozen=True, slots=True)
class ReducedPayment:
    """A payment still due and the euros of it that stay due; 0 for one that is not collected at all."""

    payment: Payment
    left: Decimal

    @property
    def taken_off(self) -> Decimal:
        """The euros that are not collected any more."""
        return self.payment.amount - self.left


def charges_left(order: Order) -> list[ChargeLeft]:
    """Return the order's charges, latest first, with what is left of each. Seven queries.

    A charge that could not be accepted (paid twice, or for units that were sold) is refunded whole by itself and counts
    for nothing here. What a bank holds back or took back in a dispute is not the shop's to give, and what a decision
    still owes whose refund failed is reserved for it.
    """
    refunds = list(Refund.objects.filter(order=order).values_list("attempt_id", "reason", "state", "amount"))
    automatic = {attempt for attempt, reason, _state, _amount in refunds if reason in AUTOMATIC_REFUNDS}
    gone: dict[object, Decimal] = {}
    for attempt_id, _reason, state, amount in refunds:
        if state in COMMITTED_REFUNDS:
            gone[attempt_id] = gone.get(attempt_id, ZERO) + amount
    for debt in debts(order):
        gone[debt.refund.attempt_id] = gone.get(debt.refund.attempt_id, ZERO) + debt.owed
    disputed = disputes_of([order.pk])
    for attempt_id, amount in disputed.values_list("attempt_id", "amount"):
        gone[attempt_id] = gone.get(attempt_id, ZERO) + amount
    captured = dict(
        LedgerEntry.objects.filter(order=order, kind=LedgerKind.CHARGE).values_list("provider_id", "amount")
    )
    attempts = Attempt.objects.filter(payment__order=order, charge_id__in=captured).select_related("payment")
    return [
        ChargeLeft(attempt, max(captured[str(attempt.charge_id)] - gone.get(attempt.pk, ZERO), ZERO))
        for attempt in attempts.order_by("-payment__position", "-number")
        if attempt.pk not in automatic
    ]


def held_amount(order: Order) -> Decimal:
    """Return what is left of the order's charges together. Seven queries."""
    return sum((charge.left for charge in charges_left(order)), ZERO)


def charge_left(attempt: Attempt) -> Decimal:
    """Return what is left of one charge, one with an automatic refund included. Three queries."""
    captured = LedgerEntry.objects.filter(kind=LedgerKind.CHARGE, provider_id=attempt.charge_id)
    gone = Refund.objects.filter(attempt=attempt, state__in=COMMITTED_REFUNDS)
    disputed = Dispute.objects.filter(attempt=attempt).exclude(state=DisputeState.WON)
    return max(_sum(captured) - _sum(gone) - _sum(disputed), ZERO)


def refundable(order: Order) -> Decimal:
    """Return the most that can still be credited: what is left of the charges and is still to be collected, as far as
    no decision has credited it."""
    return min(held_amount(order) + outstanding(order), uncredited(order))


def units_returned(*orders: Order) -> dict[int, int]:
    """Return how many units of each line of these orders were credited before, by line id; a decision that failed whole
    credits none. One query."""
    lines = RefundLine.objects.filter(took_effect("request__"), request__order__in=orders)
    rows = lines.values("item").annotate(units=Sum("quantity"))
    return {row["item"]: row["units"] for row in rows}


def open_dispute(order: Order) -> Dispute | None:
    """Return the dispute that blocks the order: nothing is sent, refunded or charged while it is open. One query."""
    return Dispute.objects.filter(order=order, state__in=OPEN_DISPUTES).first()


def too_much(left: Decimal, owed: Decimal = ZERO) -> RefundRefused:
    """Return the refusal of an amount above what is left, naming it, and what was credited before and failed
    (`owed`)."""
    if owed:
        reason = _(
            "il reste %(amount)s à rembourser. %(owed)s sont déjà crédités, mais leur remboursement a échoué : "
            "réessayez-le, ou réglez-le par virement."
        )
    else:
        reason = _("il reste %(amount)s à rembourser.")
    return RefundRefused(
        "refund_too_much",
        reason % {"amount": localised_amount(left), "owed": localised_amount(owed)},
        left=left,
    )


def refuse_if_disputed(order: Order, left: Decimal | None = None) -> None:
    """Raise RefundRefused while a bank is looking at one of the order's charges."""
    if open_dispute(order) is not None:
        raise RefundRefused(
            "refund_disputed",
            _("la banque du client conteste ce paiement. Répondez d'abord au litige."),
            left=left,
        )


def propose_refund(
    order: Order,
    lines: Sequence[ReturnedLine] | None = None,
    *,
    amount: Decimal | None = None,
    stopped: Decimal = ZERO,
) -> RefundProposal:
    """Return what a refund of these lines, of this amount, or of everything that is left would be.

    Without `lines` and `amount` everything left is meant, what was kept of earlier returns included. An `amount` beside
    lines is what staff grant for these pieces: less than they are worth when they lost value in the customer's hands
    (L221-23), never more; the delivery of a complete return is added to it (L221-24). `stopped` is what the withdrawal
    that this refund answers took off the payments still due: it is credited first, and no money moves for it.

    Raises RefundRefused, naming why and what is left: `refund_not_paid`, `refund_disputed`, `refund_nothing_left`,
    `refund_retry_first`, `refund_busy`, `refund_too_much`, `refund_too_many_units`, `refund_units_not_sent`, and 400
    `refund_invalid` for an unknown line or a senseless amount.
    """
    if order.status == OrderStatus.PENDING:
        raise RefundRefused("refund_not_paid", _("cette commande n'est pas payée."))
    charges = charges_left(order)
    owed = outstanding(order)
    charged = sum((charge.left for charge in charges), ZERO)
    left = min(charged + owed + stopped, uncredited(order))
    refuse_if_disputed(order, left)
    if left == 0 and (failed := owed_again(order)):
        raise RefundRefused(
            "refund_retry_first",
            _("un remboursement de %(amount)s a échoué : réessayez-le, ou réglez-le par virement.")
            % {"amount": localised_amount(failed)},
            left=left,
        )
    if left == 0:
        raise RefundRefused("refund_nothing_left", _("il ne reste rien à rembourser."), left=left)
    if amount is not None and (amount <= 0 or amount != amount.quantize(from_cents(1))):
        raise RefundRefused("refund_invalid", _("le montant doit être positif, au centime près."), status=400)
    items = list(order.items.all())
    before = units_returned(order)
    returned = _wanted(order, items, before, lines, everything=lines is None and amount is None)
    sold = paid_lines(items, before)
    value = value_of_return(
        sold, {str(line.item_id): line.quantity for line in returned.values()},
        shipping=uncredited_delivery(order),
    )  # fmt: skip
    if lines is None:
        credited = left if amount is None else amount
        goods = min(credited, sum(value.lines.values(), ZERO))
    else:
        worth = sum(value.lines.values(), ZERO)
        if amount is not None and amount > min(worth, left):
            raise too_much(min(worth, left), owed_again(order) if left < worth else ZERO)
        goods = min(worth if amount is None else amount, left)
        credited = min(goods + value.shipping, left)
    if credited > left:
        raise too_much(left, owed_again(order))
    if credited == 0:
        raise RefundRefused("refund_nothing_left", _("ces unités n'ont rien coûté au client."), left=left)
    return _proposal(
        order, items, returned, value, goods=goods,
        credited=credited, left=left, charged=charged, stopped=min(stopped, credited),
    )  # fmt: skip


def paid_lines(items: Sequence[OrderItem], returned: dict[int, int]) -> list[PaidLine]:
    """Return an order's lines as the pure rule reads them."""
    return [
        PaidLine(
            key=str(item.pk),
            unit_price=item.unit_price,
            quantity=item.quantity,
            promotion=Promotion(item.promotion_buy, item.promotion_get)
            if item.promotion_buy and item.promotion_get
            else None,
            free_quantity=item.free_quantity,
            returned=returned.get(item.pk, 0),
        )
        for item in items
    ]


def paid_amounts(order: Order) -> dict[int, Decimal]:
    """Return what the customer paid for each line, offered units being paid for by their whole pool. One query."""
    shares = line_shares(paid_lines(list(order.items.all()), {}))
    return {int(key): from_cents(cents) for key, cents in shares.items()}


def _wanted(
    order: Order,
    items: Sequence[OrderItem],
    before: dict[int, int],
    lines: Sequence[ReturnedLine] | None,
    *,
    everything: bool,
) -> dict[int, ReturnedLine]:
    known = {item.pk: item for item in items}
    if lines is None:
        rest = {item.pk: item.quantity - before.get(item.pk, 0) for item in items}
        return {pk: ReturnedLine(pk, units) for pk, units in rest.items() if units and everything}
    sent = units_at_customer(order) if any(line.was_sent for line in lines) else {}
    wanted: dict[int, ReturnedLine] = {}
    for line in lines:
        if line.item_id not in known or line.item_id in wanted or line.quantity < 1:
            raise RefundRefused("refund_invalid", _("une ligne ou une quantité est inconnue."), status=400)
        item = known[line.item_id]
        free = item.quantity - before.get(item.pk, 0)
        if line.quantity > free:
            words = _("il reste %(units)d à rembourser de « %(product)s ».")
            refusal = words % {"units": free, "product": item.staff_name}
            raise RefundRefused("refund_too_many_units", refusal)
        if line.was_sent and line.quantity > sent[item.pk]:
            words = _("il reste %(units)d à rembourser de « %(product)s » parmi ce qui a été expédié.")
            refusal = words % {"units": max(sent[item.pk], 0), "product": item.staff_name}
            raise RefundRefused("refund_units_not_sent", refusal)
        wanted[line.item_id] = line
    if not wanted:
        raise RefundRefused("refund_invalid", _("aucune ligne n'est choisie."), status=400)
    return wanted


def _proposal(
    order: Order,
    items: Sequence[OrderItem],
    returned: dict[int, ReturnedLine],
    value: ReturnValue,
    *,
    goods: Decimal,
    credited: Decimal,
    left: Decimal,
    charged: Decimal,
    stopped: Decimal,
) -> RefundProposal:
    granted = prorate(goods, value.lines)
    voids = plan_voids(order, credited - stopped)
    voided = stopped + sum((reduced.taken_off for reduced in voids), ZERO)
    money = credited - voided
    if money > charged:
        raise RefundRefused(
            "refund_busy",
            _("une échéance est en cours de prélèvement. Réessayez dans quelques minutes."),
            left=left,
        )
    return RefundProposal(
        lines=tuple(
            ProposedLine(
                item=item,
                quantity=returned[item.pk].quantity,
                amount=granted[str(item.pk)],
                worth=value.lines[str(item.pk)],
                restock=returned[item.pk].restock,
                was_sent=returned[item.pk].was_sent,
            )
            for item in items
            if item.pk in returned
        ),
        shipping=min(value.shipping, credited - goods),
        amount=credited,
        voided=voided,
        money=money,
        left=left,
        complete=credited == left,
    )


def plan_voids(order: Order, credited: Decimal) -> list[ReducedPayment]:
    """Return the payments still due that shrink, latest first. Two queries.

    A refund as large as what is due ends all of them. A smaller one leaves alone those that are being collected right
    now, and never leaves less than a card can be charged.
    """
    due = list(Payment.objects.filter(order=order, state__in=OPEN_PAYMENTS).order_by("-position"))
    if credited >= sum((payment.amount for payment in due), ZERO):
        return [ReducedPayment(payment, ZERO) for payment in due]
    busy = being_paid(due)
    plan = []
    rest = credited
    for payment in due:
        if payment.pk in busy or rest == 0:
            continue
        left = max(payment.amount - rest, ZERO)
        if ZERO < left < SMALLEST_CHARGE:
            left = min(SMALLEST_CHARGE, payment.amount)
        reduced = ReducedPayment(payment, left)
        rest -= reduced.taken_off
        if reduced.taken_off:
            plan.append(reduced)
    return plan


def _sum(rows: QuerySet[Any]) -> Decimal:
    return quantize(rows.aggregate(total=Sum("amount"))["total"] or ZERO)


def needs_recent_authentication(order: Order, amount: Decimal) -> bool:
    """Return whether staff prove again who they are before they refund `amount`; the owner sets the limit, which counts
    all that was decided of the order within a day: several small refunds do not pass below it. One query at most."""
    limit = ShopSettings.load().refund_confirmation_above
    if limit is None or amount > limit:
        return limit is not None
    lately = RefundRequest.objects.filter(order=order, created_at__gte=timezone.now() - timedelta(days=1))
    return amount + (lately.aggregate(total=Sum("amount"))["total"] or ZERO) > limit
