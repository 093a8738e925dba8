"""Opening and closing hosted payment pages. The provider is called outside every transaction."""

import logging
import time
import uuid
from collections.abc import Sequence

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from orders.journal import record_event
from orders.models import (
    LIVE_ATTEMPTS,
    Attempt,
    AttemptKind,
    AttemptState,
    Order,
    OrderItem,
    OrderStatus,
    Payment,
    PaymentState,
)
from orders.models.states import ActorKind
from orders.services.payments.checkout_page import describe_page
from orders.services.payments.off_session import claim_closing
from orders.services.payments.settlement import settle
from orders.services.status.transitions import cancel_unpaid_order
from orders.stripe import gateway
from orders.stripe.facts import CheckoutSessionFacts
from shop.core.each_row import STEP_SECONDS, each_row
from shop.core.problems import Problem

logger = logging.getLogger(__name__)


def open_checkout_session(attempt: Attempt, items: Sequence[OrderItem] | None = None) -> str:
    """Return the address of the attempt's payment page, opened if it isn't yet. `items` are the order's lines, read
    when they are not given.

    Safe to repeat and to run at once: the provider's idempotency key is the attempt's. Raises
    GatewayUnavailable when the provider could not be asked (try again), Problem `order_closed` when the order
    was abandoned meanwhile, and GatewayRefused when the provider does not accept the order.
    """
    order = attempt.payment.order
    # Written down before the call: an attempt still `prepared` has certainly never reached the provider.
    Attempt.objects.filter(pk=attempt.pk, state=AttemptState.PREPARED).update(
        state=AttemptState.SENT, sent_at=timezone.now()
    )
    page = describe_page(attempt, items)
    facts = gateway.create_checkout_session(
        key=attempt.idempotency_key,
        order_id=str(order.pk),
        attempt_id=str(attempt.pk),
        email=order.email,
        language=order.language,
        lines=page.lines,
        success_url=page.success_url,
        cancel_url=page.cancel_url,
        expires_at=attempt.expires_at,
        save_card=page.keeps_card,
        customer_id=page.customer_id,
        notice=page.notice,
    )
    if facts.amount_cents != attempt.amount_cents:
        gateway.expire_checkout_session(facts.checkout_session_id)
        logger.error("order %s: payment page asks %s cents", order.pk, facts.amount_cents)
        raise gateway.GatewayRefused("The payment page's total differs from the order's", "amount_mismatch")
    url = _stored_page(attempt, facts)
    if url is None:
        # The customer went on to another order while this page was being made, or staff deleted this one: nobody may
        # pay it.
        gateway.expire_checkout_session(facts.checkout_session_id)
        raise Problem("order_closed", _("Cette commande n'attend plus de paiement. Rechargez la page."), 409)
    return url


def _stored_page(attempt: Attempt, facts: CheckoutSessionFacts) -> str | None:
    """Write down the page that was opened; return the address of the attempt's page, None for an attempt that is over
    or gone."""
    order = attempt.payment.order
    columns = {
        "checkout_session_id": facts.checkout_session_id,
        "checkout_session_url": facts.url,
        "intent_id": facts.intent_id,
    }
    with transaction.atomic():
        rows = Order.objects.select_for_update(no_key=True).only("pk").filter(pk=order.pk)
        if rows.first() is None:
            return None
        unknown = Attempt.objects.filter(pk=attempt.pk, checkout_session_id=None)
        opened = unknown.filter(state=AttemptState.SENT).update(**columns)
        # Also the page of an attempt that was cancelled meanwhile is written down.
        if opened or unknown.update(**columns):
            record_event(order, "payment.page_opened", session=facts.checkout_session_id)
        url, closed = facts.url, False
        if not opened:
            known = Attempt.objects.get(pk=attempt.pk)
            url = known.checkout_session_url
            closed = known.state not in (AttemptState.SENT, AttemptState.PROCESSING, AttemptState.SUCCEEDED)
        if attempt.kind == AttemptKind.LINK:
            # The order was refunded while the page was being made.
            closed = closed or Payment.objects.get(pk=attempt.payment_id).state == PaymentState.VOID
    return None if closed else url


def abandon_order(order_id: uuid.UUID, *, by: ActorKind = ActorKind.CUSTOMER) -> Order | None:
    """Close an unpaid order for good: its page first, then the order; its stock is released.

    Returns the order instead when it turns out to be paid. Raises GatewayError when the page can't be closed
    now: the order then stays as it is. Unknown orders, those that are closed and those whose money is on its way
    are left alone.
    """
    order = Order.objects.filter(pk=order_id).first()
    if order is None:
        return None
    if order.status != OrderStatus.PENDING:
        return order if order.is_paid else None
    attempts = Attempt.objects.filter(payment__order=order)
    seen = list(attempts.filter(state__in=LIVE_ATTEMPTS))
    for attempt in seen:
        if attempt.checkout_session_id is None and attempt.state == AttemptState.SENT:
            # Whether the page exists is unknown until the provider is asked with the same key.
            try:
                open_checkout_session(attempt)
            except (Problem, gateway.GatewayRefused):
                continue
            except gateway.GatewayUnavailable as error:
                if not error.stored:
                    raise
                # The key gives this failure for a day, and nobody can pay a page whose address was never given out.
                continue
            attempt.refresh_from_db()
        close_page(attempt)
    order.refresh_from_db()
    if order.is_paid:
        return order
    if attempts.filter(state__in=(AttemptState.PROCESSING, AttemptState.REVIEW)).exists():
        # Money is on its way, or came and does not fit: it needs an order, and the pieces that it paid for.
        return None
    cancel_unpaid_order(order.pk, reason="order.abandoned", by=by)
    late = attempts.filter(state=AttemptState.CANCELLED)
    for attempt in late.exclude(pk__in=[known.pk for known in seen if known.checkout_session_id]):
        # Another request opened its page after the look at it and before the order was closed.
        close_page(attempt)
    order.refresh_from_db()
    return order if order.is_paid else None


LONGEST_WAIT = 3.0
PAUSE = 0.05


def close_void_attempts(order_id: uuid.UUID | None = None) -> int:
    """Close the payment pages of payments that were voided, of one order or of all; returns how many were looked at.

    A page that was paid in the last second is settled, which gives its money back. A charge under way is left to
    reconciliation, which sees how it ended. Raises GatewayError for a page that could not be closed: the job tries
    again.
    """
    live = Attempt.objects.filter(
        payment__state=PaymentState.VOID, state__in=LIVE_ATTEMPTS, checkout_session_id__isnull=False
    )
    if order_id is not None:
        live = live.filter(payment__order=order_id)
    return each_row(live, _close_void, seconds=STEP_SECONDS, ends=gateway.OUTAGES)


def _close_void(attempt: Attempt) -> bool:
    close_page(attempt)
    settle(attempt.pk)
    return True


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
