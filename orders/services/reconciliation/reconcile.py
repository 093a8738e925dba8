"""What a lost webhook, a closed browser or a dead process left in doubt."""

import logging
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import datetime, timedelta
from itertools import islice
from time import monotonic
from typing import TypeVar

from django.db.models import Model, QuerySet

from orders.models import (
    LIVE_ATTEMPTS,
    REFUNDS_UNDER_WAY,
    Attempt,
    AttemptKind,
    AttemptState,
    CardChange,
    CardChangeState,
    Refund,
    RefundState,
    StripeEvent,
)
from orders.services.payments.card_change import resume_card_change
from orders.services.payments.checkout_sessions import open_checkout_session
from orders.services.payments.due_installments import resume_charge
from orders.services.payments.payment_links import drop_attempt
from orders.services.payments.settlement import settle
from orders.services.reconciliation.webhook_events import MAX_TRIES, NotYetKnown, process_event, store_event
from orders.services.refunds.sending import send_refund, sync_refunds
from orders.services.status.transitions import cancel_unpaid_order
from orders.stripe import account_activity, gateway
from orders.stripe.facts import EventFacts
from orders.stripe.gateway import CHECKOUT_SESSION_LIFETIME
from shop.core.clocks import is_due, moment_is_due
from shop.core.each_row import STEP_SECONDS, each_row
from shop.core.problems import Problem

logger = logging.getLogger(__name__)

Doubtful = TypeVar("Doubtful", Attempt, CardChange)
Row = TypeVar("Row", bound=Model)

IN_DOUBT_AFTER = timedelta(minutes=2)
BATCH = 200
MISSED_SINCE = timedelta(days=3)


def reconcile_attempts(now: datetime) -> int:
    """Ask the provider about every payment page that has had its time. Returns how many were asked about.

    Stops at the first sign that the provider is away: nothing is decided by our clock alone, because a payment
    can land in the last second.
    """
    waiting = Attempt.objects.filter(state__in=LIVE_ATTEMPTS).select_related("payment__order")

    def resume(attempt: Attempt) -> None:
        if attempt.kind == AttemptKind.OFF_SESSION:
            resume_charge(attempt)
        elif attempt.state == AttemptState.PREPARED:
            _drop_never_sent(attempt, now)
        elif attempt.checkout_session_id is None:
            _find_lost_page(attempt, now)
        else:
            settle(attempt.pk)

    return _reconcile_rows(waiting, resume, now)


def reconcile_card_changes(now: datetime) -> int:
    """Ask the provider about every page to leave a card on that has had its time. Returns how many were asked about."""
    waiting = CardChange.objects.filter(state=CardChangeState.OPEN).select_related("order")
    return _reconcile_rows(waiting, resume_card_change, now)


def _reconcile_rows(waiting: QuerySet[Doubtful], resume: Callable[[Doubtful], None], now: datetime) -> int:
    def ask(row: Doubtful) -> bool:
        resume(row)
        return True

    # Asking leaves most of them as they are: in any other order the same ones would be asked about each time.
    return _each(waiting.filter(is_due("created_at", now, after=IN_DOUBT_AFTER)).order_by("?"), ask)


def _each(rows: QuerySet[Row], act: Callable[[Row], bool]) -> int:
    """Act on each, until the provider is away or has taken its time; the next run goes on."""
    try:
        return each_row(rows, act, most=BATCH, seconds=STEP_SECONDS, ends=gateway.OUTAGES)
    except (gateway.GatewayUnavailable, gateway.GatewayNotConfigured) as error:
        logger.warning("reconciliation waits for the provider: %s", error)
        return 0


def _drop_never_sent(attempt: Attempt, now: datetime) -> None:
    # Still `prepared`: the process died before the provider was called, so nobody can have paid.
    if _is_over(attempt, now):
        _close_attempt(attempt)


def _is_over(attempt: Attempt, now: datetime) -> bool:
    """Whether its page would be closed by now. None that is open yet stays so for longer than a page lives."""
    return moment_is_due(attempt.expires_at, now, within=CHECKOUT_SESSION_LIFETIME)


def _close_attempt(attempt: Attempt) -> None:
    """No page exists, and none will: an order that waits for it is closed, a later installment waits for its next
    try."""
    if attempt.kind == AttemptKind.LINK:
        drop_attempt(attempt)
    else:
        cancel_unpaid_order(attempt.payment.order_id, reason="payment.never_opened")


def _find_lost_page(attempt: Attempt, now: datetime) -> None:
    """The answer to "open a page" was lost. The same key brings the page back, or shows that there is none."""
    try:
        open_checkout_session(attempt)
    except Problem:
        return
    except gateway.GatewayUnavailable as error:
        if not error.stored:
            raise
        # The provider keeps this failure under the key. Nobody has the address of a page that was never answered,
        # so nobody can pay it; and the attempts behind this one must not wait for it.
        if _is_over(attempt, now):
            _close_attempt(attempt)
        return
    except gateway.GatewayRefused:
        # The same key refused: no page was ever made under it, and now none can be.
        if _is_over(attempt, now):
            _close_attempt(attempt)
            return
        raise
    settle(attempt.pk)


def reprocess_events(now: datetime) -> int:
    """Process events that could not be processed when they came. Returns how many succeeded."""
    waiting = StripeEvent.objects.filter(
        is_due("received_at", now, after=timedelta(minutes=1)), processed_at__isnull=True, tries__lt=MAX_TRIES
    )
    return _each(waiting.order_by("received_at"), _process)


def _process(event: StripeEvent) -> bool:
    with suppress(NotYetKnown):
        process_event(event)
        return True
    return False


def fetch_missed_events(now: datetime, *, last: datetime | None = None) -> int:
    """Fetch and process events of three days, or since it was done `last`, that no webhook call has brought. Returns
    how many were new. Stops when the provider is away."""
    since = now - MISSED_SINCE
    try:
        return fetch_events(min(since, last or since), now - IN_DOUBT_AFTER)
    except gateway.GatewayNotConfigured:
        return 0
    except gateway.GatewayError as error:
        logger.warning("missed messages wait, the provider does not answer: %s", error)
        return 0


def fetch_events(since: datetime, until: datetime, *, delivered: bool = False) -> int:
    """Fetch and process events of that time that the shop has not stored, those that were `delivered` too when asked.
    Returns how many were new.

    Those that it has stored are left to `reprocess_events`. Raises what `gateway` raises; what came before is stored.
    """
    listed = account_activity.list_events(since, until, delivered=delivered)
    return each_row(
        _not_stored(listed, None if delivered else monotonic() + STEP_SECONDS),
        _take,
        seconds=None if delivered else STEP_SECONDS,
        ends=gateway.OUTAGES,
    )


def _not_stored(listed: Iterator[EventFacts], ends: float | None) -> Iterator[EventFacts]:
    """The provider lists what the shop has fetched as undelivered still: it reads past that, until the time `ends`."""
    while batch := list(islice(listed, account_activity.PAGE)):
        if ends is not None and monotonic() >= ends:
            logger.error("messages older than %s wait: too many after it", batch[0].event_id)
            return
        known = set(
            StripeEvent.objects.filter(event_id__in=[facts.event_id for facts in batch]).values_list(
                "event_id", flat=True
            )
        )
        # Newest first in the list; acted on in the order in which things happened.
        yield from (facts for facts in reversed(batch) if facts.event_id not in known)


def _take(facts: EventFacts) -> bool:
    event = store_event(facts)
    with suppress(NotYetKnown, gateway.GatewayRefused):
        process_event(event)
    return True


def send_waiting_refunds(now: datetime) -> int:
    """Send refunds whose task or answer was lost, and sync those that the bank has not finished. Oldest first.

    Stops when the provider is away; one that it keeps failing does not keep the others waiting, nor do those that wait
    for the bank.
    """
    waiting = Refund.objects.filter(
        is_due("created_at", now, after=timedelta(minutes=1)), state__in=REFUNDS_UNDER_WAY
    ).select_related("attempt")
    sent = _each(waiting.exclude(state=RefundState.PENDING).order_by("created_at"), _send)
    return sent + _each(waiting.filter(state=RefundState.PENDING).order_by("?"), _sync)


def _send(refund: Refund) -> bool:
    send_refund(refund.pk)
    return True


def _sync(refund: Refund) -> bool:
    sync_refunds(str(refund.attempt.intent_id))
    return True
