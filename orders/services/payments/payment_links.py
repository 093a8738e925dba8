"""The customer pays an installment on the hosted page: the next one, or everything that is left."""

import logging
import uuid

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from orders.models import (
    OPEN_PAYMENTS,
    PAID_STATUSES,
    UNSETTLED_ATTEMPTS,
    Attempt,
    AttemptKind,
    AttemptState,
    Order,
    Payment,
    StoredCard,
)
from orders.services.payments.checkout_sessions import close_page, open_checkout_session
from orders.services.payments.off_session import CARD_UNKNOWN
from orders.services.payments.refused_cards import refuse_new_page
from orders.services.payments.settlement import settle
from orders.services.payments.stored_cards import forget_customer
from orders.stripe import gateway
from orders.stripe.gateway import CHECKOUT_SESSION_LIFETIME
from shop.core.money import ZERO, to_cents
from shop.core.problems import Problem

logger = logging.getLogger(__name__)


def pay_by_link(*, order_id: uuid.UUID, everything: bool, seen: int | None = None) -> str:
    """Return the address of the hosted page for the next installment of an order, or for all that is left. `seen` is
    the position of the installment that was shown as the next one: it is paid, or none (`not_owed`).

    The same demand gives the same page while it is open; another demand closes that page first. No page is given
    while a charge of the stored card is under way or kept for review: a customer must not pay beside it. Raises
    Problem `nothing_due`, `not_owed`, `payment_in_progress` (409), `throttled` (429) or `payment_unavailable` (503).
    """
    try:
        # A page that can't be had under its key is asked for once more, under a new one.
        url = _open_page(_attempt(order_id, everything, seen)) or _open_page(
            _attempt(order_id, everything, seen)
        )
    except gateway.GatewayError as error:
        logger.warning("order %s: no page to pay an installment on: %s", order_id, error)
        url = ""
    if not url:
        raise payment_unavailable()
    return url


def payment_in_progress() -> Problem:
    """The refusal of a page beside another payment of the order."""
    return Problem(
        "payment_in_progress",
        _("Un paiement de cette commande est en cours. Revenez dans quelques minutes."),
        409,
    )


def payment_unavailable() -> Problem:
    """The refusal while the provider gives no page."""
    return Problem(
        "payment_unavailable",
        _("Le service de paiement ne répond pas. Rien n'a été débité. Réessayez dans quelques minutes."),
        503,
    )


def _open_page(attempt: Attempt) -> str:
    """The address of an attempt's page; "" when none was made under its key, or one whose address nobody has, and none
    can be any more."""
    if attempt.checkout_session_url:
        return attempt.checkout_session_url
    try:
        return open_checkout_session(attempt)
    except gateway.GatewayRefused as error:
        logger.warning("attempt %s: its page was refused: %s", attempt.pk, error)
        card = StoredCard.objects.filter(order=attempt.payment.order_id).first()
        if error.code == CARD_UNKNOWN and card is not None:
            # Deleted at the provider by hand.
            forget_customer(card.order_id, card.customer_id)
    except gateway.GatewayUnavailable as error:
        if not error.stored:
            raise
    drop_attempt(attempt)
    return ""


def _attempt(order_id: uuid.UUID, everything: bool, seen: int | None) -> Attempt:
    attempt = _open_attempt(order_id, everything=everything, seen=seen)
    if attempt is None:
        # The page that was in the way is closed now, or was paid.
        attempt = _open_attempt(order_id, everything=everything, seen=seen)
    if attempt is None:
        raise payment_in_progress()
    return attempt


def _open_attempt(order_id: uuid.UUID, *, everything: bool, seen: int | None) -> Attempt | None:
    """The attempt to pay with: the open one if it asks for the same, else a new one. None after closing another."""
    with transaction.atomic():
        order = Order.objects.select_for_update(no_key=True).get(pk=order_id)
        payments = list(
            Payment.objects.select_for_update(no_key=True)
            .filter(order=order, position__gt=1, state__in=OPEN_PAYMENTS)
            .order_by("position")
        )
        if not payments or order.status not in PAID_STATUSES:
            raise Problem("nothing_due", _("Cette commande n'a plus rien à payer."), 409)
        if not everything and seen not in (None, payments[0].position):
            raise Problem("not_owed", _("Cette échéance n'est plus à payer."), 409)
        pays_off = everything and len(payments) > 1
        live = (
            Attempt.objects.select_for_update(no_key=True)
            .filter(payment__order=order, state__in=UNSETTLED_ATTEMPTS)
            .first()
        )
        if live is None:
            refuse_new_page(order)
            return _write(payments, pays_off=pays_off)
        if live.kind != AttemptKind.LINK or live.state in (AttemptState.PROCESSING, AttemptState.REVIEW):
            raise payment_in_progress()
        if live.pays_off == pays_off and live.expires_at > timezone.now():
            return live
    _close(live)
    return None


def _write(payments: list[Payment], *, pays_off: bool) -> Attempt:
    first = payments[0]
    last = first.attempts.order_by("-number").values_list("number", flat=True).first() or 0
    amount = sum((payment.amount for payment in payments), ZERO) if pays_off else first.amount
    return Attempt.objects.create(
        payment=first,
        number=last + 1,
        kind=AttemptKind.LINK,
        pays_off=pays_off,
        amount_cents=to_cents(amount),
        expires_at=timezone.now() + CHECKOUT_SESSION_LIFETIME,
    )


def _close(attempt: Attempt) -> None:
    """Nobody may pay the earlier page beside the new one. What never reached the provider is dropped."""
    if attempt.state == AttemptState.PREPARED:
        drop_attempt(attempt)
        return
    if attempt.checkout_session_id is None:
        if not _open_page(attempt):
            return
        attempt.refresh_from_db()
    close_page(attempt)
    settle(attempt.pk)


def drop_attempt(attempt: Attempt) -> None:
    """Cancel an attempt whose page does not exist and can't be had any more: the next one is new."""
    Attempt.objects.filter(
        pk=attempt.pk, checkout_session_id=None, state__in=(AttemptState.PREPARED, AttemptState.SENT)
    ).update(state=AttemptState.CANCELLED, settled_at=timezone.now())
