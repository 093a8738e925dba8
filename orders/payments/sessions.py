"""Opening and closing hosted payment pages. The provider is called outside every transaction."""

import logging
from decimal import Decimal

from django.conf import settings
from django.db import transaction
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.translation import gettext as _

from orders.models import Attempt, AttemptState, Order, OrderItem, OrderStatus
from orders.models.payment import LIVE_ATTEMPTS
from orders.payments import gateway
from orders.payments.gateway import PageLine
from orders.payments.settlement import settle
from orders.services.cancellation import cancel_unpaid_order
from orders.services.journal import record_event
from orders.services.mails import item_detail
from shop.core.money import to_cents
from shop.core.problems import Problem

logger = logging.getLogger(__name__)


def open_session(attempt: Attempt) -> str:
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
    lines = page_lines(order)
    facts = gateway.create_session(
        key=attempt.idempotency_key,
        order_id=str(order.pk),
        attempt_id=str(attempt.pk),
        email=order.email,
        language=order.language,
        lines=lines,
        success_url=_page(order, "orders:payment-result") + "?session_id={CHECKOUT_SESSION_ID}",
        cancel_url=_page(order, "orders:cart"),
        expires_at=attempt.expires_at,
    )
    if facts.amount_cents != attempt.amount_cents:
        gateway.expire_session(facts.session_id)
        logger.error("order %s: payment page asks %s cents", order.pk, facts.amount_cents)
        raise gateway.GatewayRefused("The payment page's total differs from the order's", "amount_mismatch")
    with transaction.atomic():
        Order.objects.select_for_update().get(pk=order.pk)
        current = Attempt.objects.select_for_update().get(pk=attempt.pk)
        if current.session_id is None:
            current.session_id = facts.session_id
            current.session_url = facts.url
            current.intent_id = facts.intent_id
            current.save(update_fields=["session_id", "session_url", "intent_id"])
            record_event(order, "payment.page_opened", session=facts.session_id)
        closed = current.state not in (AttemptState.SENT, AttemptState.PROCESSING, AttemptState.SUCCEEDED)
    if closed:
        # The customer went on to another order while this page was being made: nobody may pay it.
        gateway.expire_session(facts.session_id)
        raise Problem("order_closed", _("Cette commande n'attend plus de paiement. Rechargez la page."), 409)
    return current.session_url


def abandon_order(order_id: str) -> Order | None:
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
        if attempt.session_id is None and attempt.state == AttemptState.SENT:
            # Whether the page exists is unknown until the provider is asked with the same key.
            try:
                open_session(attempt)
            except (Problem, gateway.GatewayRefused):
                continue
            except gateway.GatewayUnavailable as error:
                if not error.kept:
                    raise
                # The key gives this failure for a day, and nobody can pay a page whose address was never told.
                continue
            attempt.refresh_from_db()
        _close_page(attempt)
    order.refresh_from_db()
    if order.is_paid:
        return order
    if attempts.filter(state__in=(AttemptState.PROCESSING, AttemptState.REVIEW)).exists():
        # Money is on its way, or came and does not fit: it needs an order, and the pieces that it paid for.
        return None
    cancel_unpaid_order(order.pk, reason="order.abandoned")
    late = attempts.filter(state=AttemptState.CANCELED)
    for attempt in late.exclude(pk__in=[known.pk for known in seen if known.session_id]):
        # Another request opened its page after the look at it and before the order was closed.
        _close_page(attempt)
    order.refresh_from_db()
    return order if order.is_paid else None


def _close_page(attempt: Attempt) -> None:
    if attempt.session_id is not None and not gateway.expire_session(attempt.session_id):
        settle(attempt.pk)


def page_lines(order: Order) -> list[PageLine]:
    """The order as rows of the payment page; they add up to its total. Offered units are a row at 0."""
    with translation.override(order.language):
        rows: list[PageLine] = []
        for item in order.items.all():
            name = _row_name(item)
            paid = item.quantity - item.free_quantity
            if paid:
                rows.append(PageLine(name, to_cents(item.unit_price), paid))
            if item.free_quantity:
                rows.append(PageLine(f"{name} ({_('OFFERT')})", 0, item.free_quantity))
        if order.shipping_cost > Decimal("0"):
            rows.append(PageLine(_("Livraison"), to_cents(order.shipping_cost), 1))
        return rows


def _row_name(item: OrderItem) -> str:
    detail = item_detail(item)
    return f"{item.product_name} – {detail}" if detail else item.product_name


def _page(order: Order, name: str) -> str:
    with translation.override(order.language):
        return f"{settings.SITE_URL}{reverse(name)}"
