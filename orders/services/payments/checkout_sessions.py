"""Opening and closing hosted payment pages. The provider is called outside every transaction."""

import logging

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from orders.journal import record_event
from orders.models import Attempt, AttemptKind, AttemptState, Order, OrderStatus, Payment, PaymentState
from orders.models.payment import LIVE_ATTEMPTS
from orders.models.states import ActorKind
from orders.services.payments.checkout_page import describe_page
from orders.services.payments.closing import close_page
from orders.services.status.cancellation import cancel_unpaid_order
from orders.stripe import gateway
from shop.core.problems import Problem

logger = logging.getLogger(__name__)


def open_checkout_session(attempt: Attempt) -> str:
    """The address of the attempt's payment page, opened if it isn't yet.

    Safe to repeat and to run at once: the provider's idempotency key is the attempt's. Raises
    GatewayUnavailable when the provider could not be asked (try again), Problem `order_closed` when the order
    was abandoned meanwhile, and GatewayRefused when the provider does not accept the order.
    """
    order = attempt.payment.order
    # Written down before the call: an attempt still `prepared` was certainly never told to the provider.
    Attempt.objects.filter(pk=attempt.pk, state=AttemptState.PREPARED).update(
        state=AttemptState.SENT, sent_at=timezone.now()
    )
    page = describe_page(attempt)
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
    with transaction.atomic():
        Order.objects.select_for_update().get(pk=order.pk)
        current = Attempt.objects.select_for_update().get(pk=attempt.pk)
        if current.checkout_session_id is None:
            current.checkout_session_id = facts.checkout_session_id
            current.checkout_session_url = facts.url
            current.intent_id = facts.intent_id
            current.save(update_fields=["checkout_session_id", "checkout_session_url", "intent_id"])
            record_event(order, "payment.page_opened", session=facts.checkout_session_id)
        closed = current.state not in (AttemptState.SENT, AttemptState.PROCESSING, AttemptState.SUCCEEDED)
        if current.kind == AttemptKind.LINK:
            # The order was given back while the page was being made.
            closed = closed or Payment.objects.get(pk=current.payment_id).state == PaymentState.VOID
    if closed:
        # The customer went on to another order while this page was being made: nobody may pay it.
        gateway.expire_checkout_session(facts.checkout_session_id)
        raise Problem("order_closed", _("Cette commande n'attend plus de paiement. Rechargez la page."), 409)
    return current.checkout_session_url


def abandon_order(order_id: str, *, by: ActorKind = ActorKind.CUSTOMER) -> Order | None:
    """Close an unpaid order for good: its page first, then the order; its stock goes back.

    Returns the order instead when it turns out to be paid. Raises GatewayError when the page can't be closed
    now: the order then stays as it is. Unknown orders, those no longer pending and those whose money is on its way
    are left alone.
    """
    order = Order.objects.filter(pk=order_id).first()
    if order is None:
        return None
    if order.status != OrderStatus.PENDING:
        return None
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
                # The key gives this failure for a day, and nobody can pay a page whose address was never told.
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
    late = attempts.filter(state=AttemptState.CANCELED)
    for attempt in late.exclude(pk__in=[known.pk for known in seen if known.checkout_session_id]):
        # Another request opened its page after the look at it and before the order was closed.
        close_page(attempt)
    order.refresh_from_db()
    return order if order.is_paid else None
