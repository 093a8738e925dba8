"""A customer leaves another card for the later installments of an order, without paying anything.

A change is written down with its key and committed before the provider is asked for the page. `settle_card_change` is
the only function by which a card so stored reaches the order: webhook, return page and reconciliation all call it.
"""

import logging
import uuid

from django.db import transaction
from django.utils import timezone, translation
from django.utils.translation import gettext as _

from orders.access import payment_page_url
from orders.journal import record_event
from orders.models import (
    UNSETTLED_ATTEMPTS,
    Attempt,
    AttemptKind,
    CardChange,
    CardChangeState,
    Order,
    StoredCard,
)
from orders.selectors.installments import needs_card
from orders.selectors.mandate import card_mandate_text
from orders.services.installments.mails import mail_card_stored
from orders.services.installments.scheduled_payments import lock_open_payments
from orders.services.payments.checkout_page import RETURN_QUERY
from orders.services.payments.mails import mail_review_alert
from orders.services.payments.off_session import CARD_UNKNOWN
from orders.services.payments.payment_links import payment_in_progress, payment_unavailable
from orders.services.payments.refused_cards import refuse_new_page, too_many_refused
from orders.services.payments.stored_cards import discard_card, forget_customer, store_card
from orders.stripe import gateway
from orders.stripe.facts import SetupSessionFacts
from orders.stripe.gateway import CHECKOUT_SESSION_LIFETIME, create_setup_session, fetch_setup_session
from shop.core.problems import Problem

logger = logging.getLogger(__name__)


def change_card(*, order_id: uuid.UUID) -> str:
    """Return the address of the hosted page on which another card is stored for an order.

    The same demand gives the same page while it is open; one whose time is over is closed first. Raises Problem
    `card_not_needed`, `payment_in_progress` (409), `throttled` (429) or `payment_unavailable` (503).
    """
    try:
        change = _open_change(order_id)
        if change.expires_at <= timezone.now():
            _close(change)
            change = _open_change(order_id)
        if change.expires_at <= timezone.now():
            raise payment_in_progress()
        # A page that can't be had under its key is asked for once more, under a new one.
        url = change.checkout_session_url or _open_page(change) or _open_page(_open_change(order_id))
    except gateway.GatewayError as error:
        logger.warning("order %s: no page to leave a card on: %s", order_id, error)
        url = ""
    if not url:
        raise payment_unavailable()
    return url


def settle_card_change(change_id: uuid.UUID) -> str:
    """Bring a change and its order to what the provider says now; answers `kept`, `pending` or `closed`.

    The new card takes the place of the old one, which is deleted at the provider; or it is deleted itself when the
    order has no more use for a card. While a charge of the old card is under way or kept for review, the change waits
    for its end. Safe to run twice and at once. Raises GatewayError when the provider can't be asked; nothing changes
    then.
    """
    change = CardChange.objects.get(pk=change_id)
    if change.state == CardChangeState.OPEN and change.checkout_session_id is not None:
        facts = fetch_setup_session(change.checkout_session_id)
        if facts.status != "open":
            with transaction.atomic():
                order = Order.objects.select_for_update(no_key=True, of=("self",)).get(pk=change.order_id)
                lock_open_payments(order)
                change = CardChange.objects.select_for_update(of=("self",)).get(pk=change_id)
                if change.state == CardChangeState.OPEN:
                    _apply(order, change, facts)
    return {CardChangeState.DONE: "kept", CardChangeState.OPEN: "pending"}.get(
        CardChangeState(change.state), "closed"
    )


def limit_refused_cards_of_change(change_id: uuid.UUID) -> None:
    """Close the page of a change, and tell the workshop once, when too many cards were refused for its order.

    Safe to repeat and to run at once; a card that was quicker is kept. Raises GatewayError.
    """
    change = CardChange.objects.get(pk=change_id)
    if change.state == CardChangeState.OPEN and too_many_refused(
        change.order_id, {"card_change": str(change.pk)}
    ):
        _close(change)


def resume_card_change(change: CardChange) -> None:
    """Resume a change that a process or a customer left unfinished. Raises GatewayUnavailable."""
    if change.checkout_session_id is None:
        try:
            if not _open_page(change):
                return
        except Problem:
            return
    settle_card_change(change.pk)


def find_mismatch(order: Order, change: CardChange, facts: SetupSessionFacts) -> str:
    """Return why a page can't be the one of this change, or "". The card of such a page is never stored."""
    expected = [
        ("session", facts.checkout_session_id, change.checkout_session_id),
        ("mode", facts.mode, "setup"),
        ("livemode", facts.livemode, gateway.is_live()),
        ("order", facts.client_reference_id, str(order.pk)),
        ("change", facts.metadata.get("card_change"), str(change.pk)),
        ("customer", facts.customer_id, change.customer_id or facts.customer_id),
    ]
    if facts.card is not None:
        expected.append(("card's customer", facts.card.customer_id, facts.customer_id))
    for name, found, wanted in expected:
        if found != wanted or found in ("", None):
            return f"card page, {name}: {found} instead of {wanted}"
    return ""


def _apply(order: Order, change: CardChange, facts: SetupSessionFacts) -> None:
    """The page is over. Runs with order, payments and change locked and freshly read."""
    if facts.status == "expired":
        _move(change, CardChangeState.CLOSED)
        return
    mismatch = find_mismatch(order, change, facts)
    if mismatch:
        logger.error("order %s: a card was not kept: %s", order.pk, mismatch)
        _move(change, CardChangeState.CLOSED)
        record_event(order, "card.change_refused", reason=mismatch)
        mail_review_alert(order, change, mismatch)
    elif facts.card is None or _charge_under_way(order):
        # A charge names the card that it was begun with: that one stays until the bank has spoken.
        return
    elif needs_card(order):
        _move(change, CardChangeState.DONE)
        stored = store_card(order=order, card=facts.card)
        assert stored is not None
        mail_card_stored(order, stored)
    else:
        _move(change, CardChangeState.CLOSED)
        discard_card(order=order, payment_method_id=facts.card.payment_method_id)
        record_event(order, "card.change_dropped", brand=facts.card.brand, last4=facts.card.last4)


def _charge_under_way(order: Order) -> bool:
    """Also one that is kept for review: what the bank said of it is heard once staff have looked."""
    return Attempt.objects.filter(
        payment__order=order, kind=AttemptKind.OFF_SESSION, state__in=UNSETTLED_ATTEMPTS
    ).exists()


def _open_change(order_id: uuid.UUID) -> CardChange:
    """The change that is open for an order, written now if there is none."""
    with transaction.atomic():
        order = Order.objects.select_for_update(no_key=True, of=("self",)).get(pk=order_id)
        if not needs_card(order):
            raise Problem(
                "card_not_needed",
                _("Plus rien n'est débité pour cette commande : aucune carte n'est à enregistrer."),
                409,
            )
        found = CardChange.objects.filter(order=order, state=CardChangeState.OPEN).first()
        if found is not None:
            return found
        refuse_new_page(order)
        card = StoredCard.objects.filter(order=order).first()
        with translation.override(order.language):
            return CardChange.objects.create(
                order=order,
                customer_id=card.customer_id if card else "",
                mandate_text=card_mandate_text(order),
                expires_at=timezone.now() + CHECKOUT_SESSION_LIFETIME,
            )


def _open_page(change: CardChange) -> str:
    """The address of a change's page; "" when none was made under its key, and none can be any more."""
    order = change.order
    own = payment_page_url(order)
    try:
        facts = create_setup_session(
            key=change.idempotency_key,
            order_id=str(order.pk),
            change_id=str(change.pk),
            customer_id=change.customer_id,
            email=order.email,
            language=order.language,
            notice=change.mandate_text,
            success_url=f"{own}?{RETURN_QUERY}",
            cancel_url=own,
            expires_at=change.expires_at,
        )
    except gateway.GatewayRefused as error:
        logger.exception("order %s: the page to leave a card on was refused", order.pk)
        if error.code == CARD_UNKNOWN:
            forget_customer(order.pk, change.customer_id)
        _drop(change)
        return ""
    except gateway.GatewayUnavailable as error:
        if not error.stored:
            raise
        # The key gives this failure for a day, and nobody can use a page whose address was never given out.
        _drop(change)
        return ""
    with transaction.atomic():
        Order.objects.select_for_update(no_key=True, of=("self",)).get(pk=order.pk)
        current = CardChange.objects.select_for_update(of=("self",)).get(pk=change.pk)
        if current.checkout_session_id is None and current.state == CardChangeState.OPEN:
            current.checkout_session_id = facts.checkout_session_id
            current.checkout_session_url = facts.url
            current.save(update_fields=["checkout_session_id", "checkout_session_url"])
            record_event(order, "card.change_opened", session=facts.checkout_session_id)
    if current.state == CardChangeState.CLOSED:
        gateway.expire_checkout_session(facts.checkout_session_id)
        return ""
    change.checkout_session_id = current.checkout_session_id
    return current.checkout_session_url


def _close(change: CardChange) -> None:
    """Nobody may use the earlier page beside the new one."""
    if change.checkout_session_id is None and not _open_page(change):
        return
    assert change.checkout_session_id is not None
    gateway.expire_checkout_session(change.checkout_session_id)
    settle_card_change(change.pk)


def _drop(change: CardChange) -> None:
    """A page that does not exist, and can't be had any more: the next demand is a new one."""
    CardChange.objects.filter(pk=change.pk, checkout_session_id=None, state=CardChangeState.OPEN).update(
        state=CardChangeState.CLOSED, settled_at=timezone.now()
    )


def _move(change: CardChange, state: CardChangeState) -> None:
    change.state = state
    change.settled_at = timezone.now()
    change.save(update_fields=["state", "settled_at"])
