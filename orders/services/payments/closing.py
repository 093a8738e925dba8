"""Closing tries to collect what is not owed any more."""

import uuid

from orders.models import Attempt, PaymentState
from orders.models.payment import LIVE_ATTEMPTS
from orders.services.payments.page_closing import close_page
from orders.services.payments.settlement import settle


def close_void_attempts(order_id: uuid.UUID | None = None) -> int:
    """Close the payment pages of payments that were voided, of one order or of all; returns how many were looked at.

    A page that was paid in the last second is settled, which gives its money back. A charge under way is left to
    reconciliation, which sees how it ended. Raises GatewayError when the provider can't be asked: the job tries again.
    """
    live = Attempt.objects.filter(
        payment__state=PaymentState.VOID, state__in=LIVE_ATTEMPTS, session_id__isnull=False
    )
    if order_id is not None:
        live = live.filter(payment__order=order_id)
    looked_at = 0
    for attempt in live:
        close_page(attempt)
        settle(attempt.pk)
        looked_at += 1
    return looked_at
