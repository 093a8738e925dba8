"""Closing payment pages, so that what is not owed any more can't be paid."""

import time
import uuid

from orders.models import LIVE_ATTEMPTS, Attempt, AttemptState, PaymentState
from orders.services.payments.closing_claims import claim_closing
from orders.services.payments.settlement import settle
from orders.stripe import gateway

LONGEST_WAIT = 3.0
PAUSE = 0.05


def close_void_attempts(order_id: uuid.UUID | None = None) -> int:
    """Close the payment pages of payments that were voided, of one order or of all; returns how many were looked at.

    A page that was paid in the last second is settled, which gives its money back. A charge under way is left to
    reconciliation, which sees how it ended. Raises GatewayError when the provider can't be asked: the job tries again.
    """
    live = Attempt.objects.filter(
        payment__state=PaymentState.VOID, state__in=LIVE_ATTEMPTS, checkout_session_id__isnull=False
    )
    if order_id is not None:
        live = live.filter(payment__order=order_id)
    looked_at = 0
    for attempt in live:
        close_page(attempt)
        settle(attempt.pk)
        looked_at += 1
    return looked_at


def close_page(attempt: Attempt) -> None:
    """Have an attempt's page expired once, or settle it when it was paid. Does nothing without a page.

    Of many callers at once one asks the provider; the others wait up to 3 s for what it finds. Raises GatewayError when
    the page can't be closed now.
    """
    if attempt.checkout_session_id is None:
        return
    with claim_closing(attempt) as claimed:
        if not claimed:
            _wait(attempt)
        elif not gateway.expire_checkout_session(attempt.checkout_session_id):
            settle(attempt.pk)
            attempt.refresh_from_db()
            if attempt.state == AttemptState.SENT:
                # Neither closed nor finished: it may be paid this very moment.
                raise gateway.GatewayUnavailable(f"the page of attempt {attempt.pk} can't be closed now")


def _wait(attempt: Attempt) -> None:
    """Until the attempt has moved on, or whoever closes its page has given up."""
    give_up = time.monotonic() + LONGEST_WAIT
    while time.monotonic() < give_up:
        attempt.refresh_from_db()
        if attempt.state != AttemptState.SENT:
            return
        if attempt.closing_at is None:
            break
        time.sleep(PAUSE)
    raise gateway.GatewayUnavailable(f"the page of attempt {attempt.pk} is being closed")
