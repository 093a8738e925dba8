"""Giving money back: decided once, written down first, then sent by a worker.

Locks are taken in the shop's one order: order, payments, charges, refunds. The row of the order is enough to make
two decisions about one order wait for each other; what is left is read under it.
"""

import hashlib
import json
import uuid
from collections.abc import Callable, Sequence
from dataclasses import astuple
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from django.db import IntegrityError, transaction
from django.db.models import Sum
from django.utils import translation
from django.utils.translation import gettext as _

from catalog.services.stock import StockUnit, lock_products, release_stock
from orders.journal import record_event
from orders.models import (
    Attempt,
    Order,
    OrderItem,
    Payment,
    PaymentState,
    Refund,
    RefundLine,
    RefundMethod,
    RefundReason,
    RefundRequest,
    Withdrawal,
    WithdrawalCase,
)
from orders.selectors.installments import outstanding
from orders.selectors.refund_debts import Debt, debts
from orders.selectors.refund_retries import refuse_units_credited_twice, retryable_amount
from orders.selectors.refund_rules import (
    RefundProposal,
    RefundRefused,
    ReturnedLine,
    charges_left,
    needs_recent_authentication,
    plan_voids,
    propose_refund,
    refundable,
)
from orders.selectors.refund_words import default_reason
from orders.selectors.shipments import units_at_customer
from orders.selectors.withdrawals import units_to_return
from orders.services.installments.scheduled_payments import void_scheduled
from orders.services.refunds.outcomes import settle_request
from orders.services.status.shipments import credit_sent_units
from orders.services.status.stock_holds import hold_of, level_of
from orders.services.status.work_pieces import plan_pieces
from shop.core.amounts import localised_amount
from shop.core.enqueue import enqueue_after_commit
from shop.core.money import ZERO, amount_string, from_cents
from shop.core.problems import Problem

if TYPE_CHECKING:
    from accounts.models import User

__all__ = [
    "RefundProposal",
    "propose_refund",
    "reduce_outstanding",
    "request_automatic_refund",
    "request_refund",
    "restock_line",
    "retry_refund",
    "stopped_by",
]


def request_refund(
    *,
    order_id: uuid.UUID,
    key: str,
    actor: "User | None" = None,
    reason: str = "",
    lines: Sequence[ReturnedLine] | None = None,
    amount: Decimal | None = None,
    expected_left: Decimal | None = None,
    withdrawal: Withdrawal | None = None,
    require_proof: Callable[[], None] | None = None,
) -> RefundRequest:
    """Credit a customer: these lines, this amount, or everything left when neither is given. See `propose_refund`.

    `key` makes it repeatable: the same key with the same demand gives the first decision back, two clicks make one
    refund; with another demand it is refused (422 `idempotency_key_reused`). `reason` is shown to the customer.
    Payments still due are voided first, then the charges go back, the latest first; units marked so return to stock.
    The provider is asked by a worker after the commit. `expected_left` (euros) is what could be credited at most when
    the person was shown this refund (`RefundProposal.left`): less or more by now is refused (409 `refund_changed`),
    judged under the order's lock. Two people who were shown the same refund make it once. `require_proof` is called
    before a refund for which staff prove again who they are, under the same lock, so that several at once don't pass
    below the limit together; it raises when they have not.

    Raises RefundRefused (see `propose_refund`) and Order.DoesNotExist; nothing is written then.
    """
    fingerprint = _fingerprint(order_id, lines, amount)
    try:
        with transaction.atomic():
            order = Order.objects.select_for_update(no_key=True).get(pk=order_id)
            known = RefundRequest.objects.filter(key=key).first()
            if known is not None:
                return _repeated(known, fingerprint)
            retried = Refund.objects.filter(retry_key=key).select_related("request").first()
            if retried is not None and retried.request is not None:
                return retried.request
            if expected_left is not None:
                _refuse_if_changed(order, lines, amount, expected_left)
            if lines is None and (owed := debts(order)):
                rest = refundable(order)
                if amount in (None, rest + sum((debt.owed for debt in owed), ZERO)):
                    amount = None
                    _complete(order, owed, actor=actor, key=None if rest else key)
                    if rest == 0 and owed[0].refund.request is not None:
                        return owed[0].refund.request
            return _decide(
                order, RefundRequest(key=key, fingerprint=fingerprint, actor=actor, withdrawal=withdrawal),
                reason=reason, lines=lines, amount=amount, require_proof=require_proof,
            )  # fmt: skip
    except IntegrityError:
        # The same key, at the same moment, for another order.
        known = RefundRequest.objects.filter(key=key).first()
        if known is None:
            raise
        return _repeated(known, fingerprint)


def _refuse_if_changed(
    order: Order, lines: Sequence[ReturnedLine] | None, amount: Decimal | None, expected: Decimal
) -> None:
    """Whatever was decided meanwhile changes what is left, also where this refund's own amount stays the same."""
    left = propose_refund(order, lines, amount=amount).left
    if left != expected:
        raise RefundRefused(
            "refund_changed",
            _("il reste maintenant %(amount)s à rembourser. Vérifiez, puis confirmez à nouveau.")
            % {"amount": localised_amount(left)},
            left=left,
        )


def _decide(
    order: Order,
    request: RefundRequest,
    *,
    reason: str,
    lines: Sequence[ReturnedLine] | None,
    amount: Decimal | None,
    require_proof: Callable[[], None] | None,
) -> RefundRequest:
    list(Payment.objects.select_for_update(no_key=True).filter(order=order))
    list(Attempt.objects.select_for_update(no_key=True).filter(payment__order=order))
    stopped = stopped_by(request.withdrawal)
    proposal = propose_refund(order, lines, amount=amount, stopped=stopped)
    if require_proof is not None and needs_recent_authentication(order, proposal.amount):
        require_proof()
    with translation.override(order.language):
        request.reason = reason.strip()[:500] or default_reason(request.withdrawal)
    left, all_left = units_at_customer(order), False
    if (declared := request.withdrawal) is not None and declared.case.goods_left:
        # Read before the declaration is credited.
        left, all_left = left | units_to_return(order, declared), True
    request.order = order
    request.amount, request.voided, request.shipping = proposal.amount, proposal.voided, proposal.shipping
    request.save()
    # Who looks at the order as it was before must not send what is refunded now.
    order.save(update_fields=["updated_at"])
    rows = RefundLine.objects.bulk_create(
        RefundLine(
            request=request,
            item=line.item,
            quantity=line.quantity,
            amount=line.amount,
        )
        for line in proposal.lines
    )
    sent = [row for row, line in zip(rows, proposal.lines, strict=True) if all_left or line.was_sent]
    credit_sent_units(sent, left)
    record_event(
        order,
        "refund.decided",
        actor=request.actor,
        request=str(request.pk),
        amount=amount_string(proposal.amount),
        voided=amount_string(proposal.voided),
    )
    reduce_outstanding(order=order, amount=max(proposal.amount - stopped, ZERO))
    money = proposal.money
    for charge in charges_left(order):
        if part := min(charge.left, money):
            _add_refund(order, charge.attempt, part, request=request)
            money -= part
    back = [row for row, line in zip(rows, proposal.lines, strict=True) if line.restock]
    lock_products(product_ids=[row.item.product_id for row in back])
    for row in back:
        _restock(order, row)
    plan_pieces(order, actor=request.actor)
    settle_request(order, request)
    return request


def stopped_by(withdrawal: Withdrawal | None) -> Decimal:
    """Return the euros that a declaration took off the payments still due, until a decision credits them. Two
    queries."""
    if withdrawal is None or RefundRequest.objects.filter(withdrawal=withdrawal).exists():
        return ZERO
    return WithdrawalCase.objects.values_list("voided", flat=True).get(withdrawal=withdrawal)


def reduce_outstanding(*, order: Order, amount: Decimal, reason: str = "refund.decided") -> Decimal:
    """Reduce what is still due, the latest payment first: a customer is not charged for what is credited to them.

    Call it with the order's row locked; returns the euros that will not be collected.
    """
    plan = plan_voids(order, amount)
    if not plan:
        return ZERO
    if amount >= outstanding(order):
        return void_scheduled(order=order, reason=reason)
    taken = sum((reduced.taken_off for reduced in plan), ZERO)
    for reduced in plan:
        payment = reduced.payment
        if reduced.left:
            payment.amount = reduced.left
            payment.save(update_fields=["amount"])
        else:
            payment.state = PaymentState.VOID
            payment.next_try_on = None
            payment.save(update_fields=["state", "next_try_on"])
        record_event(
            order, "installments.reduced", position=payment.position, left=amount_string(reduced.left)
        )
    return taken


def _add_refund(order: Order, attempt: Attempt, amount: Decimal, **values: Any) -> Refund:
    refund = Refund.objects.create(order=order, attempt=attempt, amount=amount, **values)
    record_event(
        order,
        "refund.requested",
        refund=str(refund.pk),
        amount=amount_string(amount),
        reason=str(refund.reason),
    )
    enqueue_after_commit("orders.tasks.send_refund", str(refund.pk))
    return refund


def _repeated(known: RefundRequest, fingerprint: str) -> RefundRequest:
    if known.fingerprint != fingerprint:
        raise Problem(
            "idempotency_key_reused", _("Cette clé a déjà servi pour une autre demande."), status=422
        )
    return known


def _fingerprint(order_id: uuid.UUID, lines: Sequence[ReturnedLine] | None, amount: Decimal | None) -> str:
    demand = {
        "order": str(order_id),
        "lines": None if lines is None else [astuple(line) for line in sorted(lines)],
        "amount": None if amount is None else amount_string(amount),
    }
    return hashlib.sha256(json.dumps(demand, sort_keys=True).encode()).hexdigest()


def restock_line(*, line_id: int) -> bool:
    """Return the credited units of a line to stock, once; True when this call did it.

    For goods that come back after the money went out.
    """
    with transaction.atomic():
        line = RefundLine.objects.select_related("item", "request__order").get(pk=line_id)
        lock_products(product_ids=[line.item.product_id])
        return _restock(line.request.order, line)


def _restock(order: Order, line: RefundLine) -> bool:
    """Runs with the product locked; the guarded update makes it happen once."""
    # Its variant may have been deleted until the product was locked.
    item = OrderItem.objects.get(pk=line.item_id)
    back = RefundLine.objects.filter(item=item, restocked=True)
    shelved = back.aggregate(units=Sum("quantity"))["units"] or 0
    # A number that staff began to count since the sale never lost these units.
    hold = hold_of(item)
    level = None if hold is None else level_of(hold)
    if (item.variant_id is None and level is None) or shelved + line.quantity > item.quantity:
        return False
    if not RefundLine.objects.filter(pk=line.pk, restocked=False).update(restocked=True):
        return False
    line.restocked = True
    release_stock(units=[StockUnit(item.variant_id, line.quantity, level)])
    record_event(order, "refund.restocked", item=item.pk, units=line.quantity)
    return True


def request_automatic_refund(*, order: Order, attempt: Attempt, reason: RefundReason) -> Refund:
    """Refund the whole of a charge that can't be accepted (paid twice, or after the units were sold).

    Runs in the transaction that booked it, with the order locked; a database constraint makes it happen once.
    """
    return _add_refund(order, attempt, from_cents(attempt.amount_cents), reason=reason)


def retry_refund(*, refund_id: uuid.UUID, actor: "User | None" = None) -> Refund:
    """Send a failed refund once more, as a new one: the provider repeats a refusal under the old key.

    The second call returns the first retry. Raises RefundRefused: as `retryable_amount`, `refund_too_many_units` when
    other decisions credited its units since, and `refund_transferred` when it was settled by transfer meanwhile.
    """
    with transaction.atomic():
        order_id = Refund.objects.values_list("order_id", flat=True).get(pk=refund_id)
        order = Order.objects.select_for_update(no_key=True).get(pk=order_id)
        failed = Refund.objects.select_for_update(of=("self",)).select_related("attempt").get(pk=refund_id)
        known = Refund.objects.filter(replaces=failed).first()
        if known is not None and known.method == RefundMethod.TRANSFER:
            raise RefundRefused("refund_transferred", _("ce remboursement a été réglé par virement."))
        return known if known is not None else _retry(order, failed, actor=actor)


def _complete(order: Order, owed: Sequence[Debt], *, actor: "User | None", key: str | None) -> None:
    """Everything is to go back: what a decision still owes goes back under that decision."""
    for debt in owed:
        retried = _retry(order, debt.refund, actor=actor)
        if key is not None:
            retried.retry_key = key
            retried.save(update_fields=["retry_key"])
            key = None


def _retry(order: Order, failed: Refund, *, actor: "User | None") -> Refund:
    """Runs with the order locked."""
    amount = retryable_amount(order, failed)
    refund = _add_refund(
        order, failed.attempt, amount, request=failed.request, replaces=failed, note=failed.reason
    )
    refuse_units_credited_twice(order)
    plan_pieces(order, actor=actor)
    record_event(order, "refund.retried", actor=actor, refund=str(refund.pk), failed=str(failed.pk))
    return refund
