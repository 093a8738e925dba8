"""An order that will not be paid: closed, with its stock given back."""

import uuid

from django.db import transaction
from django.utils import timezone

from orders.models import Attempt, AttemptState, Order, OrderStatus, Payment, PaymentState
from orders.models.payment import LIVE_ATTEMPTS
from orders.services.journal import record_event
from orders.services.stock_holds import release_for_order


def cancel_unpaid_order(
    order_id: uuid.UUID, *, reason: str, attempt_state: str = AttemptState.CANCELED
) -> bool:
    """`pending` → `cancelled`, once; True when this call did it. A paid or closed order is left alone.

    Call it only when no money can come any more: the page is expired at the provider, or was never made.
    `reason` is the journal's dotted name.
    """
    with transaction.atomic():
        order = Order.objects.select_for_update().get(pk=order_id)
        # Staff may put a paid order back to `pending`; it is not unpaid for that.
        if order.status != OrderStatus.PENDING or order.paid_at is not None:
            return False
        payments = list(Payment.objects.select_for_update().filter(order=order).order_by("position"))
        now = timezone.now()
        Attempt.objects.filter(payment__in=payments, state__in=LIVE_ATTEMPTS).update(
            state=attempt_state, settled_at=now
        )
        Payment.objects.filter(pk__in=[payment.pk for payment in payments]).exclude(
            state=PaymentState.PAID
        ).update(state=PaymentState.VOID)
        order.status = OrderStatus.CANCELLED
        order.save(update_fields=["status", "updated_at"])
        record_event(order, reason)
        release_for_order(order)
    return True
