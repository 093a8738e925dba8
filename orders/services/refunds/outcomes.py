"""Outcomes of refunds: booked, and reversed when they fail."""

import logging
import uuid
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils import timezone

from orders.invoices.issuing import issue_credit_note
from orders.journal import record_event
from orders.ledger import book_movement, charged_at
from orders.models import (
    COLLECTED_KINDS,
    COLLECTED_PAYMENTS,
    IN_WORKSHOP,
    REFUNDS_UNDER_WAY,
    Attempt,
    LedgerKind,
    Order,
    OrderStatus,
    Payment,
    PaymentState,
    Refund,
    RefundMethod,
    RefundReason,
    RefundRequest,
    RefundState,
)
from orders.models.states import ActorKind
from orders.selectors.installments import is_disputed, outstanding
from orders.selectors.order_documents import order_document
from orders.selectors.refund_debts import (
    debts,
    going_back,
    shortfalls,
    surplus,
    took_effect,
    uncredited,
)
from orders.selectors.refund_rules import charge_left, held_amount
from orders.selectors.shipments import units_to_send
from orders.services.installments.scheduled_payments import void_scheduled
from orders.services.refunds.mails import mail_refund_done, mail_refund_failed
from orders.services.refunds.outside import attempt_of, complete_from_outside, recognise
from orders.services.refunds.withdrawal_cases import close_settled_case, reopen_case
from orders.services.status.guards import status_after_return
from orders.services.status.shipments import latest_shipment
from orders.services.status.transitions import transition
from orders.services.status.work_pieces import plan_pieces
from orders.stripe.facts import RefundFacts
from shop.core.money import ZERO, amount_string
from shop.integrations import events
from shop.integrations.models import EventKind

logger = logging.getLogger(__name__)

_DONE = (RefundState.SUCCEEDED,)


def apply_refund(facts: RefundFacts) -> None:
    """Bring a refund to what the provider says; the same news twice, or late, changes nothing.

    One that nobody here asked for (made in the provider's own interface) gets its rows first. One of a payment that is
    not ours is left alone.
    """
    with transaction.atomic():
        order_id = _order_of(facts)
        if order_id is None:
            return
        order = Order.objects.select_for_update(no_key=True).get(pk=order_id)
        refund = _find(facts) or recognise(order, facts)
        if refund is None:
            return
        payment = Payment.objects.select_for_update(no_key=True).get(attempts=refund.attempt_id)
        refund = Refund.objects.select_for_update().get(pk=refund.pk)
        # The provider's word that a refund failed is its last one; our own, that it was refused, is not.
        over = refund.state == RefundState.FAILED and refund.provider_id is not None
        refund.provider_id = facts.refund_id
        if facts.status == "succeeded" and not over:
            _succeed(order, payment, refund, facts)
        elif over:
            return
        elif facts.status in ("pending", "requires_action"):
            if refund.state != RefundState.SUCCEEDED:
                refund.state, refund.error = RefundState.PENDING, ""
            refund.save()
        else:
            fail_refund(order, payment, refund, facts.failure or facts.status, returned_at=facts.returned_at)


def record_refusal(refund_id: uuid.UUID, error: str) -> None:
    """Record that the provider refused a refund: nothing moved, and staff get a mail that says why."""
    with transaction.atomic():
        order, payment, refund = lock_refund(refund_id)
        if refund.state == RefundState.SENT:
            fail_refund(order, payment, refund, error)
    logger.error("refund %s refused: %s", refund_id, error)


def lock_refund(refund_id: uuid.UUID) -> tuple[Order, Payment, Refund]:
    """Lock a refund with its order and payment, in the one order of locks: order, payment, attempt, refund.

    The provider's news about it may be here at the same moment. Runs in a transaction. Raises Refund.DoesNotExist.
    """
    order_id = Refund.objects.values_list("order_id", flat=True).get(pk=refund_id)
    order = Order.objects.select_for_update(no_key=True).get(pk=order_id)
    payment = Payment.objects.select_for_update(no_key=True).get(attempts__refunds=refund_id)
    Attempt.objects.select_for_update(no_key=True).get(refunds=refund_id)
    refund = Refund.objects.select_for_update(of=("self",)).select_related("attempt").get(pk=refund_id)
    return order, payment, refund


def fail_refund(
    order: Order, payment: Payment, refund: Refund, error: str, *, returned_at: datetime | None = None
) -> None:
    """Mark a refund failed: it did not reach its customer, or came back after it was booked; then ledger, payment,
    decision and order have the money again. Runs with order, payment and refund locked; the second time it changes
    nothing."""
    if refund.state == RefundState.FAILED:
        refund.save(update_fields=["provider_id"])
        return
    booked = refund.state == RefundState.SUCCEEDED
    left_at = refund.settled_at
    refund.state = RefundState.FAILED
    refund.error = error[:300]
    refund.settled_at = timezone.now()
    if booked:
        refund.settled_at = book_movement(
            order=order,
            payment=payment,
            kind=LedgerKind.REFUND_FAILED,
            amount=refund.amount,
            provider_id=refund.movement,
            reported_at=returned_at,
            after=left_at or order.created_at,
        ).occurred_at
    refund.save()
    if booked:
        recompute_state(payment)
        _reopen_requests(order)
    else:
        # It may have been the last one under way, and its money gone back by another, or by a lost dispute.
        complete_from_outside(refund)
        # What counts for its decision now may have settled another one.
        _reopen_requests(order)
        settle_completed_requests(order)
        _credit_surplus(order)
    # Closed by what came back, or by hand while it was on its way. What was given back twice leaves it closed.
    if debts(order) or held_amount(order):
        _reopen_order(order)
    _link_made_good(refund)
    plan_pieces(order)
    record_event(order, "refund.failed", refund=str(refund.pk), error=refund.error)
    # Staff wrote it down themselves when a transfer came back.
    if refund.method == RefundMethod.CARD:
        mail_refund_failed(order, refund, came_back=booked)


def settle_completed_requests(order: Order) -> None:
    """Settle every decision of the order that lacks nothing any more, and close the order if nothing is left of it.

    Runs with the order locked.
    """
    lacking = shortfalls(order, counting=_DONE)
    open_requests = order.refund_requests.filter(settled_at=None).order_by("created_at")
    through = [request for request in open_requests if not lacking[request.pk]]
    for request in through:
        _settle(order, request)
    if not through:
        _close_if_refunded(order)


def settle_request(order: Order, request: RefundRequest) -> None:
    """Settle a decision that is credited whole: credit note, mail, and the order closed if nothing is left.

    Runs with the order locked. A decision that is not through, or was settled before, is left alone.
    """
    if request.settled_at is not None or shortfalls(order, counting=_DONE)[request.pk]:
        return
    _settle(order, request)


def _settle(order: Order, request: RefundRequest) -> None:
    request.settled_at = timezone.now()
    request.save(update_fields=["settled_at"])
    record_event(order, "refund.settled", request=str(request.pk), amount=amount_string(request.amount))
    close_settled_case(request=request)
    _close_if_refunded(order)
    _ship_if_rest_refunded(order)
    issue_credit_note(request=request)
    mail_refund_done(order, request)
    events.record_event(
        EventKind.ORDER_REFUNDED,
        subject=f"order:{order.pk}",
        data=lambda: {"order": order_document(order), "refund": _document(request)},
    )


def _document(request: RefundRequest) -> dict[str, Any]:
    """What programs of others are told of a refund: its reason is words to a customer."""
    return {
        "id": str(request.pk),
        "amount": amount_string(request.amount),
        "voided": amount_string(request.voided),
    }


def _order_of(facts: RefundFacts) -> uuid.UUID | None:
    known = _find(facts)
    if known is not None:
        return known.order_id
    attempt = attempt_of(facts)
    return attempt.payment.order_id if attempt is not None else None


def _find(facts: RefundFacts) -> Refund | None:
    known = Refund.objects.filter(provider_id=facts.refund_id).first()
    if known is not None:
        return known
    try:
        return Refund.objects.filter(pk=uuid.UUID(facts.metadata.get("refund", "")), provider_id=None).first()
    except ValueError:
        return None


def _succeed(order: Order, payment: Payment, refund: Refund, facts: RefundFacts) -> None:
    if refund.state == RefundState.SUCCEEDED:
        return
    refund.state = RefundState.SUCCEEDED
    refund.error = ""
    refund.settled_at = book_movement(
        order=order,
        payment=payment,
        kind=LedgerKind.REFUND,
        amount=-refund.amount,
        provider_id=facts.refund_id,
        reported_at=facts.moved_at,
        after=charged_at(refund.attempt),
    ).occurred_at
    refund.save()
    recompute_state(payment)
    record_event(order, "refund.succeeded", refund=str(refund.pk), cents=facts.amount_cents)
    if refund.request_id is None:
        _link_made_good(refund)
    else:
        _void_with_external(order, RefundRequest.objects.get(pk=refund.request_id))
    plan_pieces(order)
    settle_completed_requests(order)
    _credit_surplus(order)


def _credit_surplus(order: Order) -> None:
    """What was refunded outside the shop beyond a decision of its own was to count for one that is refused whole since,
    and is made anew for what is left: credit it alone."""
    refused = order.refunds.filter(state=RefundState.FAILED, request__isnull=False)
    wanted = sum(
        (refund.amount for refund in refused.filter(replaced_by=None).exclude(took_effect("request__"))), ZERO
    )
    if not wanted:
        return
    spare = surplus(order)
    credited = min(wanted, sum(spare.values(), ZERO), uncredited(order))
    if not credited:
        return
    request = RefundRequest.objects.create(
        order=order, key=f"surplus-{uuid.uuid4()}", amount=credited, external=True
    )
    # What is owed again, of each charge, should that money come back to the shop.
    rest = credited
    for attempt_id, most in reversed(spare.items()):
        if part := min(rest, most):
            Refund.objects.create(
                order=order,
                attempt_id=attempt_id,
                request=request,
                amount=part,
                reason=RefundReason.EXTERNAL,
                state=RefundState.FAILED,
                error="charge_already_refunded",
                settled_at=timezone.now(),
            )
            rest -= part
    _settle(order, request)


def _link_made_good(refund: Refund) -> None:
    """A charge that was to go back by itself is given back whole elsewhere: what failed of it waits for nobody."""
    same = Refund.objects.filter(attempt=refund.attempt_id, request=None).order_by("created_at")
    failed = same.filter(state=RefundState.FAILED, replaced_by=None)
    made = same.filter(state=RefundState.SUCCEEDED, replaces=None)
    if not failed or charge_left(refund.attempt):
        return
    for one, other in zip(made, failed, strict=False):
        one.replaces = other
        one.save(update_fields=["replaces"])


def recompute_state(payment: Payment) -> None:
    """Set the state of a paid payment from what moved; a second charge that was refunded, or is on its way back by
    itself, leaves it paid. One that no charge has paid stays owed or void, whatever came for it and went back."""
    if payment.state not in COLLECTED_PAYMENTS:
        return
    moved = payment.ledger.filter(kind__in=COLLECTED_KINDS).values_list("amount", flat=True)
    leaving = going_back(Refund.objects.filter(attempt__payment=payment), by="attempt__payment")
    collected = sum(moved, ZERO) - leaving[payment.pk]
    if collected >= payment.amount:
        payment.state = PaymentState.PAID
    elif collected > 0:
        payment.state = PaymentState.PARTLY_REFUNDED
    else:
        payment.state = PaymentState.REFUNDED
    payment.save(update_fields=["state"])


def _void_with_external(order: Order, request: RefundRequest) -> None:
    """All money went back outside the shop: the customer is not charged for the rest."""
    if not request.external or request.voided or held_amount(order):
        return
    # No decision has credited what was still due: refunds take it off the payments, and only once.
    request.voided = void_scheduled(order=order, reason="refund.external")
    request.amount += request.voided
    request.save(update_fields=["voided", "amount"])


def _close_if_refunded(order: Order) -> None:
    """Everything credited, nothing under way and nothing owed: the order is `refunded`."""
    if order.status in (OrderStatus.PENDING, OrderStatus.REFUNDED) or outstanding(order):
        return
    if held_amount(order):
        return
    if order.refunds.filter(state__in=REFUNDS_UNDER_WAY).exists():
        return
    # A charge that went back by itself ends nothing.
    if not order.refund_requests.filter(settled_at__isnull=False).exists():
        return
    if is_disputed(order) or debts(order):
        return
    transition(order, OrderStatus.REFUNDED, by=ActorKind.PROVIDER, event="order.refunded")


def _ship_if_rest_refunded(order: Order) -> None:
    """All that was not refunded has left: the order is `shipped` since its last parcel, and nothing of it is late."""
    if order.status not in IN_WORKSHOP or any(units_to_send(order).values()):
        return
    last = latest_shipment(order)
    if last is not None:
        transition(order, OrderStatus.SHIPPED, by=ActorKind.PROVIDER, at=last.sent_at)


def _reopen_requests(order: Order) -> None:
    """The money came back to the shop: decisions that lack it are open again."""
    lacking = shortfalls(order, counting=_DONE)
    for request in order.refund_requests.filter(settled_at__isnull=False):
        if lacking[request.pk]:
            request.settled_at = None
            request.save(update_fields=["settled_at"])
            reopen_case(request=request)


def _reopen_order(order: Order) -> None:
    """Return a refunded order whose money is with the shop to its former status."""
    back = status_after_return(order)
    if order.status == OrderStatus.REFUNDED and back:
        transition(order, back, by=ActorKind.PROVIDER, event="order.reopened")
