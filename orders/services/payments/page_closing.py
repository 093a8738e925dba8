"""Closing a payment page so that it can't be paid any more."""

import time

from orders.models import Attempt, AttemptState
from orders.services.payments.closing_claims import claim_closing
from orders.services.payments.settlement import settle
from orders.stripe import gateway

LONGEST_WAIT = 3.0
PAUSE = 0.05


def close_page(attempt: Attempt) -> None:
    """Have an attempt's page expired once, or settle it when it was paid. Does nothing without a page.

    Of many callers at once one asks the provider; the others wait up to 3 s for what it finds. Raises GatewayError when
    the page can't be closed now.
    """
    if attempt.session_id is None:
        return
    with claim_closing(attempt) as claimed:
        if not claimed:
            _wait(attempt)
        elif not gateway.expire_session(attempt.session_id):
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
