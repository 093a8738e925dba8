"""What a lost webhook, a closed browser or a dead process left in doubt."""

import logging
from datetime import datetime, timedelta

from orders.models import Attempt, AttemptState, Refund, RefundState, StripeEvent
from orders.payments import gateway
from orders.payments.events import MAX_TRIES, NotYetKnown, process_event
from orders.payments.sessions import open_session
from orders.payments.settlement import settle
from orders.services.cancellation import cancel_unpaid_order
from orders.services.refunds import apply_refund, send_refund
from shop.core.problems import Problem

logger = logging.getLogger(__name__)

IN_DOUBT_AFTER = timedelta(minutes=2)
BATCH = 200


def reconcile_attempts(now: datetime) -> int:
    """Ask the provider about every payment page that has had its time. Returns how many were asked about.

    Stops at the first sign that the provider is away: nothing is decided by our clock alone, because a payment
    can land in the last second.
    """
    asked = 0
    waiting = Attempt.objects.filter(
        state__in=(AttemptState.PREPARED, AttemptState.SENT, AttemptState.PROCESSING),
        created_at__lt=now - IN_DOUBT_AFTER,
    ).select_related("payment__order")
    for attempt in waiting.order_by("created_at")[:BATCH]:
        try:
            if attempt.state == AttemptState.PREPARED:
                _drop_never_sent(attempt, now)
            elif attempt.session_id is None:
                _find_lost_page(attempt, now)
            else:
                settle(attempt.pk)
            asked += 1
        except gateway.GatewayRefused:
            # One payment that the provider won't speak of must not keep the others waiting.
            logger.exception("attempt %s could not be reconciled", attempt.pk)
        except gateway.GatewayError as error:
            logger.warning("reconciliation stops, the provider does not answer: %s", error)
            break
    return asked


def _drop_never_sent(attempt: Attempt, now: datetime) -> None:
    # Still `prepared`: the process died before the provider was told, so nobody can have paid.
    if attempt.expires_at <= now:
        cancel_unpaid_order(attempt.payment.order_id, reason="payment.never_opened")


def _find_lost_page(attempt: Attempt, now: datetime) -> None:
    """The answer to "open a page" was lost. The same key brings the page back, or shows that there is none."""
    try:
        open_session(attempt)
    except Problem:
        return
    except gateway.GatewayUnavailable as error:
        if not error.kept:
            raise
        # The provider keeps this failure under the key. Nobody has the address of a page that was never answered,
        # so nobody can pay it; and the attempts behind this one must not wait for it.
        if attempt.expires_at <= now:
            cancel_unpaid_order(attempt.payment.order_id, reason="payment.never_opened")
        return
    except gateway.GatewayRefused:
        # The same key refused: no page was ever made under it, and now none can be.
        if attempt.expires_at <= now:
            cancel_unpaid_order(attempt.payment.order_id, reason="payment.never_opened")
            return
        raise
    settle(attempt.pk)


def reprocess_events(now: datetime) -> int:
    """Messages that could not be acted on when they came."""
    done = 0
    waiting = StripeEvent.objects.filter(
        processed_at__isnull=True, received_at__lt=now - timedelta(minutes=1), tries__lt=MAX_TRIES
    )
    for event in waiting.order_by("received_at")[:BATCH]:
        try:
            process_event(event)
            done += 1
        except NotYetKnown:
            continue
        except gateway.GatewayUnavailable:
            break
        except gateway.GatewayError:
            logger.exception("event %s could not be processed", event.event_id)
    return done


def send_waiting_refunds(now: datetime) -> int:
    """Refunds whose task was lost or whose answer was, and those that the bank has not finished."""
    sent = 0
    old = now - timedelta(minutes=1)
    for refund in Refund.objects.filter(
        state__in=(RefundState.REQUESTED, RefundState.SENT, RefundState.PENDING), created_at__lt=old
    ).select_related("attempt")[:BATCH]:
        try:
            if refund.state == RefundState.PENDING and refund.attempt.intent_id:
                for facts in gateway.list_refunds(refund.attempt.intent_id):
                    apply_refund(facts)
            else:
                send_refund(refund.pk)
            sent += 1
        except gateway.GatewayUnavailable:
            break
        except gateway.GatewayError:
            logger.exception("refund %s could not be sent", refund.pk)
    return sent
