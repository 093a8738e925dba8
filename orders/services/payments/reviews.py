"""Staff have looked at a payment that did not fit its order: the provider is asked anew, and the mark ends with the
doubt."""

import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.db import transaction

from orders.journal import record_event
from orders.models import LIVE_ATTEMPTS, Attempt, AttemptKind, AttemptState, Order
from orders.selectors.provider_events import askable_attempts
from orders.services.installments.scheduled_payments import announce_anew, not_accepted
from orders.services.payments.settlement import settle
from orders.services.refunds.disputes import doubt, mark_disputes
from orders.stripe import gateway

if TYPE_CHECKING:
    from accounts.models import User


@dataclass(frozen=True, slots=True)
class SettledOrder:
    """How many attempts were asked about, and what keeps the order's mark: an attempt that still does not fit
    (`in_doubt`), an installment that was never charged (`uncollected`)."""

    count: int
    in_doubt: bool
    uncollected: bool


def settle_order(*, order_id: uuid.UUID, actor: "User | None") -> SettledOrder:
    """Settle every attempt of an order that the provider knows. Nothing is charged.

    An attempt kept for review is judged anew: what fits now is booked, what was refunded at the provider or never made
    is over, and anything else stays as it is. The order's mark ends once nothing is in doubt and no installment waits
    for staff; what fell due meanwhile is announced again. Raises GatewayError; calling it again goes on.
    """
    attempts = askable_attempts(Order.objects.get(pk=order_id))
    asked, judged = 0, False
    for attempt in attempts.order_by("payment__position", "number"):
        state = _reopen(order_id, attempt)
        try:
            settle(attempt.pk)
        except gateway.GatewayError:
            _close(order_id, attempt, state)
            raise
        asked += 1
        judged = judged or bool(state)
    return _end_review(order_id, actor, asked, judged=judged)


def _reopen(order_id: uuid.UUID, attempt: Attempt) -> str:
    """Return the state that an attempt kept for review has now, "" where it stays as it is.

    One attempt may bring money at a time. A charge of the stored card is looked for, and never asked for again.
    """
    state = AttemptState.PROCESSING if attempt.kind == AttemptKind.OFF_SESSION else AttemptState.SENT
    with transaction.atomic():
        Order.objects.select_for_update(no_key=True).get(pk=order_id)
        if Attempt.objects.filter(payment__order=order_id, state__in=LIVE_ATTEMPTS).exists():
            return ""
        kept = Attempt.objects.filter(pk=attempt.pk, state=AttemptState.REVIEW)
        return state if kept.update(state=state) else ""


def _close(order_id: uuid.UUID, attempt: Attempt, state: str) -> None:
    """What was not judged waits for staff as before, and no job asks about it. Somebody else who asked may have ended
    the mark while it was open."""
    with transaction.atomic():
        order = Order.objects.select_for_update(no_key=True).get(pk=order_id)
        kept = Attempt.objects.filter(pk=attempt.pk, state=state).update(state=AttemptState.REVIEW)
        if kept and not order.review_reason:
            order.review_reason = doubt(order)
            order.save(update_fields=["review_reason", "updated_at"])


def _end_review(
    order_id: uuid.UUID, actor: "User | None", asked: int, *, judged: bool = False
) -> SettledOrder:
    """`judged`: something was kept for review until now, and nothing was charged beside it."""
    with transaction.atomic():
        order = Order.objects.select_for_update(no_key=True).get(pk=order_id)
        doubtful = Attempt.objects.filter(payment__order=order, state=AttemptState.REVIEW)
        # The mark is what reminds of those.
        uncollected = not_accepted(order).exists()
        outcome = SettledOrder(asked, in_doubt=doubtful.exists(), uncollected=uncollected)
        if judged and not outcome.in_doubt:
            announce_anew(order=order)
        if not order.review_reason or outcome.in_doubt or outcome.uncollected:
            return outcome
        reason, order.review_reason = order.review_reason, ""
        # The mark of a dispute is its own: it stays, or comes back.
        mark_disputes(order)
        if order.review_reason != reason:
            record_event(order, "payment.review_ended", actor=actor, reason=reason)
        return outcome
