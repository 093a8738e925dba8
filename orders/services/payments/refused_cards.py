"""Card after card is refused on a hosted page: somebody may be trying stolen ones. It is closed, and the workshop told.

Nobody asks the shop before they try a card there, so no limit of the shop sees them. The provider's own list of an
order's charges counts, never the number of its messages.
"""

import logging
import uuid
from datetime import timedelta

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from orders.journal import record_event
from orders.models import Attempt, AttemptKind, AttemptState, CardChange, Order
from orders.services.payments.checkout_sessions import close_page
from orders.services.payments.mails import mail_refused_cards
from orders.services.payments.settlement import settle
from orders.stripe import gateway
from shop.core.clocks import is_due
from shop.core.problems import Problem

logger = logging.getLogger("shop.security")

REFUSED_CARDS_LIMIT = 5
"""Refused cards of an order in a day. Customers mistype, or try the few cards they own; a thief has hundreds."""
COUNTED_FOR = timedelta(days=1)
"""Whoever owes an installment finds a page again on the next day, and a thief gets no further with five cards a day."""
CARDS_REFUSED = "payment.cards_refused"


def limit_refused_cards(attempt_id: uuid.UUID) -> None:
    """Close the page of an attempt, and tell the workshop once, when too many cards were refused for its order.

    Safe to repeat and to run at once; a page that is over stays as it ended. Raises GatewayError when the provider
    can't be asked, and DoesNotExist when staff delete the unpaid order meanwhile.
    """
    # One whose page is not stored yet is opened again with the same key, and found then.
    pages = Attempt.objects.exclude(kind=AttemptKind.OFF_SESSION).exclude(checkout_session_id=None)
    attempt = pages.select_related("payment").filter(pk=attempt_id).first()
    if attempt is None:
        return
    if attempt.intent_id is None:
        # A message is only a hint; and what was refused on a page that ended unpaid counts for the next one.
        facts = gateway.fetch_checkout_session(str(attempt.checkout_session_id))
        pages.filter(pk=attempt_id, intent_id=None).update(intent_id=facts.intent_id)
    if attempt.state != AttemptState.SENT:
        return
    # Told first: a process that dies in between is followed by one that closes the page.
    if too_many_refused(attempt.payment.order_id, {"attempt": str(attempt.pk)}):
        close_page(attempt)
        settle(attempt.pk)


def too_many_refused(order_id: uuid.UUID, page: dict[str, str]) -> bool:
    """Return whether the open page of an order has to be closed; then the workshop is told, once.

    `page` names it for the journal: the `attempt` that it pays, or the `card_change`. Raises GatewayError.
    """
    since = timezone.now() - COUNTED_FOR
    tried = Attempt.objects.filter(payment__order=order_id, created_at__gt=since)
    intents = tried.exclude(kind=AttemptKind.OFF_SESSION).exclude(intent_id=None)
    changes = CardChange.objects.filter(order=order_id, created_at__gt=since).exclude(
        checkout_session_id=None
    )
    refused = sum(
        gateway.count_refused_charges(str(each)) for each in intents.values_list("intent_id", flat=True)
    ) + sum(
        gateway.count_refused_setups(str(each))
        for each in changes.values_list("checkout_session_id", flat=True)
    )
    if refused < REFUSED_CARDS_LIMIT:
        return False
    _tell(order_id, page, refused)
    return True


@transaction.atomic
def _tell(order_id: uuid.UUID, page: dict[str, str], refused: int) -> None:
    order = Order.objects.select_for_update(no_key=True).get(pk=order_id)
    told = {f"data__{name}": value for name, value in page.items()}
    if order.events.filter(name=CARDS_REFUSED, **told).exists():
        return
    logger.warning("order %s: %s cards refused, its payment page is closed", order.pk, refused)
    record_event(order, CARDS_REFUSED, actor=None, **page, count=refused)
    [page_id] = page.values()
    mail_refused_cards(order, page_id, refused)


def refuse_new_page(order: Order) -> None:
    """Raise Problem `throttled` (429) for a day after a page of this order was closed: each new one would be tried."""
    over = is_due("created_at", timezone.now(), after=COUNTED_FOR)
    if order.events.filter(name=CARDS_REFUSED).exclude(over).exists():
        raise Problem("throttled", _("Trop de demandes aujourd'hui. Réessayez demain."), 429)
