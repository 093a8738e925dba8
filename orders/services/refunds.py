"""Giving money back: written down first, sent by a worker, repeatable."""

import logging
import uuid

from django.db import transaction
from django.utils import timezone

from orders.models import (
    Attempt,
    LedgerEntry,
    LedgerKind,
    Order,
    Payment,
    PaymentState,
    Refund,
    RefundReason,
    RefundState,
)
from orders.payments import gateway
from orders.payments.gateway import RefundFacts
from orders.services.journal import record_event
from shop.core.money import from_cents, to_cents
from shop.core.wake import wake

logger = logging.getLogger(__name__)


def request_automatic_refund(*, order: Order, attempt: Attempt, reason: RefundReason) -> Refund:
    """The whole of a charge that can't be kept (paid twice, or paid after the pieces were gone).

    Runs in the transaction that found it, with the order locked; a database constraint makes it happen once.
    """
    refund, created = Refund.objects.get_or_create(
        attempt=attempt,
        reason=reason,
        defaults={"order": order, "amount": from_cents(attempt.amount_cents)},
    )
    if created:
        record_event(order, "refund.requested", refund=str(refund.pk), reason=str(reason))
        wake("orders.tasks.send_refund", str(refund.pk))
    return refund


def send_refund(refund_id: uuid.UUID) -> None:
    """Ask the provider. Repeated calls share one idempotency key, so the money goes back once.

    Raises GatewayUnavailable: the job that looks after refunds tries again.
    """
    claimed = Refund.objects.filter(pk=refund_id, state__in=(RefundState.REQUESTED, RefundState.SENT)).update(
        state=RefundState.SENT
    )
    if not claimed:
        return
    refund = Refund.objects.select_related("attempt").get(pk=refund_id)
    if refund.attempt.intent_id is None:
        raise gateway.GatewayRefused("The attempt has no payment to refund")
    try:
        facts = gateway.create_refund(
            key=refund.idempotency_key,
            intent_id=refund.attempt.intent_id,
            amount_cents=to_cents(refund.amount),
            refund_id=str(refund.pk),
        )
    except gateway.GatewayRefused as error:
        _fail(refund_id, error.code or str(error))
        return
    apply_refund(facts)


def apply_refund(facts: RefundFacts) -> None:
    """Bring a refund of ours to what the provider says; the same news twice changes nothing."""
    refund_id = facts.metadata.get("refund", "")
    with transaction.atomic():
        try:
            known = Refund.objects.get(pk=uuid.UUID(refund_id))
        except (ValueError, Refund.DoesNotExist):
            return
        order = Order.objects.select_for_update().get(pk=known.order_id)
        refund = Refund.objects.select_for_update().get(pk=known.pk)
        if refund.provider_id is None:
            refund.provider_id = facts.refund_id
        if facts.status in ("pending", "requires_action"):
            if refund.state in (RefundState.REQUESTED, RefundState.SENT):
                refund.state = RefundState.PENDING
        elif facts.status == "succeeded":
            if refund.state != RefundState.SUCCEEDED:
                refund.state = RefundState.SUCCEEDED
                refund.settled_at = timezone.now()
                _book(order, refund, facts)
        elif refund.state == RefundState.SUCCEEDED:
            refund.state = RefundState.FAILED
            refund.error = (facts.failure or facts.status)[:300]
            _book_failure(order, refund, facts)
        elif refund.state != RefundState.FAILED:
            refund.state = RefundState.FAILED
            refund.error = (facts.failure or facts.status)[:300]
            record_event(order, "refund.failed", refund=str(refund.pk), error=refund.error)
        refund.save()


def _book(order: Order, refund: Refund, facts: RefundFacts) -> None:
    payment = Payment.objects.select_for_update().get(attempts=refund.attempt)
    LedgerEntry.objects.create(
        order=order,
        payment=payment,
        kind=LedgerKind.REFUND,
        amount=-refund.amount,
        provider_id=facts.refund_id,
    )
    if refund.reason != RefundReason.DUPLICATE:
        payment.state = (
            PaymentState.REFUNDED if refund.amount >= payment.amount else PaymentState.PARTLY_REFUNDED
        )
        payment.save(update_fields=["state"])
    record_event(order, "refund.succeeded", refund=str(refund.pk), cents=facts.amount_cents)


def _book_failure(order: Order, refund: Refund, facts: RefundFacts) -> None:
    payment = Payment.objects.select_for_update().get(attempts=refund.attempt)
    LedgerEntry.objects.create(
        order=order,
        payment=payment,
        kind=LedgerKind.REFUND_FAILED,
        amount=refund.amount,
        provider_id=facts.refund_id,
    )
    record_event(order, "refund.failed", refund=str(refund.pk), error=refund.error)


def _fail(refund_id: uuid.UUID, error: str) -> None:
    with transaction.atomic():
        # The order first, as everywhere: the webhook about this refund may be here at the same moment.
        order_id = Refund.objects.values_list("order_id", flat=True).get(pk=refund_id)
        order = Order.objects.select_for_update().get(pk=order_id)
        refund = Refund.objects.select_for_update().get(pk=refund_id)
        if refund.state == RefundState.SENT:
            refund.state = RefundState.FAILED
            refund.error = error[:300]
            refund.settled_at = timezone.now()
            refund.save(update_fields=["state", "error", "settled_at"])
            record_event(order, "refund.failed", refund=str(refund.pk), error=error)
    logger.error("refund %s refused: %s", refund_id, error)
