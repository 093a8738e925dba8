"""The card that pays the later installments of an order: stored, replaced, and detached at the provider once it is of
no use.

Every function here but `forget_customer` runs in its caller's transaction, with the order's row locked.
"""

import logging
import uuid

from django.utils import timezone

from orders.journal import record_event
from orders.models import DiscardedCard, DiscardedCustomer, Order, Payment, PaymentState, StoredCard
from orders.pricing.installments import charge_day
from orders.selectors.installments import is_disputed, latest_day, open_pause
from orders.services.installments import mails
from orders.services.installments.scheduled_payments import NOT_ACCEPTED, lock_open_payments
from orders.services.payments.off_session import CARD_UNKNOWN
from orders.stripe import gateway
from orders.stripe.facts import CardFacts
from shop.core.each_row import STEP_SECONDS, each_row
from shop.core.enqueue import enqueue_after_commit

logger = logging.getLogger(__name__)

MOST = 200
"""How many cards or customers one run deletes."""


def store_card(*, order: Order, card: CardFacts) -> StoredCard | None:
    """Store the card that pays the later installments from now on; None when none is left to pay.

    The one before it is deleted at the provider. What only its owner could pay because of that one is charged again,
    announced by a mail that names the days. A card that ends before the last installment is announced at once.
    """
    payments = lock_open_payments(order)
    if not payments:
        return None
    before = StoredCard.objects.filter(order=order, forgotten_at=None).first()
    stored, _created = StoredCard.objects.update_or_create(
        order=order,
        defaults={
            "customer_id": card.customer_id,
            "payment_method_id": card.payment_method_id,
            "brand": card.brand,
            "last4": card.last4,
            "expiry_month": card.expiry_month,
            "expiry_year": card.expiry_year,
            "refused_code": "",
            "forgotten_at": None,
            "kept_at": timezone.now(),
        },
    )
    record_event(order, "card.kept", brand=card.brand, last4=card.last4)
    # A card that was left before may be chosen again while its deletion waits.
    DiscardedCard.objects.filter(payment_method_id=card.payment_method_id, deleted_at=None).delete()
    if before is not None and before.payment_method_id != card.payment_method_id:
        discard_card(order=order, payment_method_id=before.payment_method_id)
    was_usable, disputed = before is not None and not before.refused_code, is_disputed(order)
    resumed = [
        _charge_again(order, payment, was_usable=was_usable, disputed=disputed) for payment in payments
    ]
    # While the payments are suspended no day is named: the mail that ends the pause has it. Nor is it while a bank
    # disputes one: what is still owed then is announced later.
    if any(resumed) and not disputed and open_pause(order) is None:
        mails.mail_card_stored(order, stored)
    mails.mail_if_card_expires(order)
    return stored


def discard_card(*, order: Order, payment_method_id: str) -> None:
    """Have a card detached at the provider once this is committed, however often it takes."""
    DiscardedCard.objects.get_or_create(payment_method_id=payment_method_id, defaults={"order": order})
    enqueue_after_commit("orders.tasks.detach_card", payment_method_id)


def forget_customer(order_id: uuid.UUID, customer_id: str) -> bool:
    """The provider has no such customer any more, nor their card: the next page makes a new one. False when nobody
    thought of them."""
    cards = StoredCard.objects.filter(order=order_id, customer_id=customer_id).exclude(customer_id="")
    return bool(cards.update(customer_id="", refused_code=CARD_UNKNOWN))


def discard_customer(customer_id: str) -> None:
    """Have a customer deleted at the provider once this is committed, however often it takes."""
    DiscardedCustomer.objects.get_or_create(customer_id=customer_id)
    enqueue_after_commit("orders.tasks.delete_customer", customer_id)


def _charge_again(order: Order, payment: Payment, *, was_usable: bool, disputed: bool) -> bool:
    """Give a payment that the old card could not make a day on which the new one does; False when it needs none.

    Never at once: its owner has read that nothing more would be debited, and a charge follows its announcement by
    three days. Past the fifty days after dispatch no new day is given to what is late: that would be a credit.
    """
    stopped = bool(payment.stopped_code) or payment.state == PaymentState.OVERDUE
    announced = payment.state == PaymentState.SCHEDULED and payment.announced_at is not None
    if payment.stopped_code == NOT_ACCEPTED or not (stopped or (announced and not was_usable)):
        return False
    now = timezone.now()
    today = timezone.localdate(now)
    day = charge_day(payment.due_on, today)
    if stopped and day > latest_day(order):
        return False
    is_late = stopped and payment.due_on <= today and not disputed
    payment.state = PaymentState.DUE if is_late else PaymentState.SCHEDULED
    payment.stopped_code = ""
    payment.announced_at = None if disputed else now
    payment.next_try_on = None if disputed or day == payment.due_on else day
    payment.save(update_fields=["state", "stopped_code", "announced_at", "next_try_on"])
    record_event(
        order, "installment.resumed", position=payment.position, day="" if disputed else day.isoformat()
    )
    return True


def delete_discarded_cards(payment_method_id: str | None = None) -> int:
    """Detach one discarded card, or all that still wait, at the provider. Returns how many are gone now.

    A card that the provider no longer has counts as deleted. Raises GatewayUnavailable: what was not reached stays.
    """
    waiting = DiscardedCard.objects.filter(deleted_at=None)
    if payment_method_id is not None:
        waiting = waiting.filter(payment_method_id=payment_method_id)
    return each_row(
        waiting.order_by("discarded_at"), _delete_card, most=MOST, seconds=STEP_SECONDS, ends=gateway.OUTAGES
    )


def _delete_card(card: DiscardedCard) -> bool:
    gateway.detach_payment_method(card.payment_method_id)
    waiting = DiscardedCard.objects.filter(pk=card.pk, deleted_at=None)
    return bool(waiting.update(deleted_at=timezone.now()))


def delete_discarded_customers(customer_id: str | None = None) -> int:
    """Delete one discarded customer, or all that still wait, at the provider. Returns how many are gone now.

    Raises GatewayUnavailable: what was not reached stays.
    """
    waiting = DiscardedCustomer.objects.all()
    if customer_id is not None:
        waiting = waiting.filter(customer_id=customer_id)
    return each_row(
        waiting.order_by("discarded_at", "pk"),
        _delete_customer,
        most=MOST,
        seconds=STEP_SECONDS,
        ends=gateway.OUTAGES,
    )


def _delete_customer(customer: DiscardedCustomer) -> bool:
    gateway.delete_customer(customer.customer_id)
    return bool(customer.delete()[0])
