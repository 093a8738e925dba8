"""A customer's bank takes a payment back: staff must look before anything more is sent, refunded or charged."""

import logging
from datetime import date, timedelta

from django.db import transaction
from django.db.models import Q
from django.utils import timezone, translation
from django.utils.translation import gettext as _

from orders.journal import PROMISE_CHANGED, record_event
from orders.ledger import book_movement, charged_at, taken_at
from orders.models import (
    OPEN_DISPUTES,
    Attempt,
    AttemptState,
    Dispute,
    DisputeState,
    LedgerKind,
    Order,
    Payment,
)
from orders.services.installments.scheduled_payments import announce_anew, not_accepted
from orders.services.refunds.mails import mail_dispute
from orders.services.refunds.outcomes import settle_completed_requests
from orders.services.refunds.unpaid import close_outstanding
from orders.stripe import gateway
from orders.stripe.facts import DisputeFacts
from shop.core.money import from_cents

logger = logging.getLogger(__name__)

_CLOSED = (DisputeState.WON, DisputeState.LOST)


def sync_disputes(intent_id: str) -> None:
    """Apply every dispute of this payment as the provider knows it now. Raises GatewayError."""
    attempt = Attempt.objects.filter(intent_id=intent_id).first()
    if attempt is None:
        return
    for facts in gateway.list_disputes(intent_id):
        apply_dispute(attempt=attempt, facts=facts)


def apply_dispute(*, attempt: Attempt, facts: DisputeFacts) -> None:
    """Bring a dispute to what the provider says: its row, the money that it moved, a mail to staff at each step.

    While it is open the order is frozen: not sent, not refunded, not charged. Won returns the money and lifts the
    freeze, and what fell due meanwhile is announced again; lost ends the payments that were still due. An inquiry,
    which moves no money, is mailed to staff only.
    Repeated and late news change nothing.
    """
    with transaction.atomic():
        order = Order.objects.select_for_update(no_key=True).get(payments=attempt.payment_id)
        payment = Payment.objects.select_for_update(no_key=True).get(pk=attempt.payment_id)
        if facts.status not in DisputeState.values:
            if facts.status == "warning_needs_response":
                mail_dispute(
                    order,
                    provider_id=facts.dispute_id,
                    amount=from_cents(facts.amount_cents),
                    state="inquiry",
                    reason=facts.reason,
                    answer_by=facts.answer_by,
                )
            return
        dispute, created = Dispute.objects.get_or_create(
            provider_id=facts.dispute_id,
            defaults={
                "order": order,
                "attempt": attempt,
                "amount": from_cents(facts.amount_cents),
                "reason": facts.reason[:60],
                "answer_by": facts.answer_by,
                "opened_at": min(facts.opened_at, timezone.now()),
            },
        )
        if created:
            book_movement(
                order=order, payment=payment, kind=LedgerKind.DISPUTE, amount=-dispute.amount,
                provider_id=dispute.provider_id, reported_at=facts.moved_at, after=charged_at(attempt),
            )  # fmt: skip
        elif not _is_forward(dispute.state, facts.status):
            return
        before, dispute.state = dispute.state, facts.status
        dispute.answer_by = facts.answer_by or dispute.answer_by
        if facts.status in _CLOSED:
            dispute.closed_at = timezone.now()
        dispute.save()
        if dispute.state == DisputeState.WON:
            book_movement(
                order=order, payment=payment, kind=LedgerKind.DISPUTE_WON, amount=dispute.amount,
                provider_id=dispute.provider_id, reported_at=facts.returned_at,
                after=taken_at(dispute.provider_id) or dispute.opened_at,
            )  # fmt: skip
            announce_anew(order=order)
        elif dispute.state == DisputeState.LOST:
            with translation.override(order.language):
                reason = _("Votre banque a repris un paiement : le reste n'est plus demandé.")
            close_outstanding(order=order, reason=reason)
        if dispute.state in _CLOSED:
            # What was refunded while it was open ends the order now.
            settle_completed_requests(order)
            _excuse_days(order)
        mark_disputes(order)
        record_event(
            order, "payment.disputed", dispute=facts.dispute_id, before=before, status=facts.status,
            amount=str(dispute.amount),
        )  # fmt: skip
        mail_dispute(
            order, provider_id=facts.dispute_id, amount=dispute.amount, state=dispute.state,
            reason=dispute.reason, answer_by=dispute.answer_by,
        )  # fmt: skip


def _is_forward(before: str, after: str) -> bool:
    """Open → under review → closed. A bank may ask again while it looks, so the first two alternate. A lost one may be
    won on appeal; until then it stays lost."""
    return before != after and (
        before in OPEN_DISPUTES or (before, after) == (DisputeState.LOST, DisputeState.WON)
    )


def _excuse_days(order: Order) -> None:
    """Have the order late as many days later as disputes that are over kept it at the workshop since its delivery day
    was promised. Call it with the order locked."""
    changed = order.events.filter(name=PROMISE_CHANGED).order_by("created_at").last()
    since = order.created_at if changed is None else changed.created_at
    days: set[date] = set()
    over = order.disputes.filter(closed_at__gt=since)
    for opened_at, closed_at in over.values_list("opened_at", "closed_at"):
        first, last = timezone.localdate(max(opened_at, since)), timezone.localdate(closed_at)
        days |= {first + timedelta(days=number) for number in range((last - first).days)}
    order.excused_until = order.promised_by + timedelta(days=len(days)) if days else None
    order.save(update_fields=["excused_until", "updated_at"])


def mark_disputes(order: Order) -> None:
    """Show the order as « à vérifier » while a dispute is open, and after a lost one; after a won one as before it,
    where a payment waits for staff still. Call it with the order locked."""
    states = set(order.disputes.values_list("state", flat=True)) - {DisputeState.WON}
    if states:
        order.review_reason = "dispute: " + ", ".join(sorted(states))
    elif order.review_reason.startswith("dispute: "):
        order.review_reason = doubt(order)
    order.save(update_fields=["review_reason", "updated_at"])


def doubt(order: Order) -> str:
    """Return what was last said of a payment that waits for staff still, as the mark says it; "" where none does."""
    waiting = Q(state=AttemptState.REVIEW) | Q(payment__in=not_accepted(order))
    attempts = Attempt.objects.filter(waiting, payment__order=order)
    keys = {str(key) for key in attempts.values_list("pk", flat=True)}
    if not keys:
        return ""
    reviews = reversed(order.events.filter(name="payment.review").values_list("data", flat=True))
    # The oldest name no attempt.
    return next((data["reason"][:200] for data in reviews if data.get("attempt") in {None, *keys}), "")
