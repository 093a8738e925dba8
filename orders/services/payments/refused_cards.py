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
from orders.models import Attempt, AttemptKind, AttemptState, Order
from orders.services.payments.checkout_sessions import close_page
from orders.services.payments.mails import mail_refused_cards
from orders.services.payments.settlement import settle
from orders.stripe import gateway
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
    since = timezone.now() - COUNTED_FOR
    tried = pages.filter(payment__order=attempt.payment.order_id, created_at__gt=since)
    intents = tried.exclude(intent_id=None).values_list("intent_id", flat=True)
    refused = sum(gateway.count_refused_charges(str(each)) for each in intents)
    if refused < REFUSED_CARDS_LIMIT:
        return
    # Told first: a process that dies in between is followed by one that closes the page.
    _tell(attempt, refused)
    close_page(attempt)
    settle(attempt.pk)


@transaction.atomic
def _tell(attempt: Attempt, refused: int) -> None:
    order = Order.objects.select_for_update(no_key=True).get(pk=attempt.payment.order_id)
    if order.events.filter(name=CARDS_REFUSED, data__attempt=str(attempt.pk)).exists():
        return
    logger.warning("order %s: %s cards refused, its payment page is closed", order.pk, refused)
    record_event(order, CARDS_REFUSED, attempt=str(attempt.pk), count=refused)
    mail_refused_cards(order, attempt, refused)


def refuse_new_page(order: Order) -> None:
    """Raise Problem `throttled` (429) for a day after a page of this order was closed: each new one would be tried."""
    since = timezone.now() - COUNTED_FOR
    if order.events.filter(name=CARDS_REFUSED, created_at__gt=since).exists():
        raise Problem("throttled", _("Trop de demandes aujourd'hui. Réessayez demain."), 429)
