"""An order that will not be paid: closed, with its stock given back."""

import uuid

from django.db import transaction
from django.utils import timezone

from orders.models import LIVE_ATTEMPTS, Attempt, AttemptState, Order, OrderStatus, Payment
from orders.models.states import ActorKind
from orders.services.status.transitions import transition


def cancel_unpaid_order(
    order_id: uuid.UUID,
    *,
    reason: str,
    attempt_state: str = AttemptState.CANCELED,
    by: ActorKind = ActorKind.JOB,
) -> bool:
    """`pending` → `cancelled`, once; True when this call did it. A paid or closed order is left alone.

    Call it only when no money can come any more: the page is expired at the provider, or was never made.
    `reason` is the journal's dotted name.
    """
    with transaction.atomic():
        order = Order.objects.select_for_update().get(pk=order_id)
        if order.status != OrderStatus.PENDING:
            return False
        payments = list(Payment.objects.select_for_update().filter(order=order).order_by("position"))
        now = timezone.now()
        Attempt.objects.filter(payment__in=payments, state__in=LIVE_ATTEMPTS).update(
            state=attempt_state, settled_at=now
        )
        transition(order, OrderStatus.CANCELLED, by=by, event=reason)
    return True
