"""Taking the person out of an order: what the law has the shop keep stays (L123-22 C. com., L213-1), nobody else reads
it, and whatever it does not need goes (GDPR art. 17(1), 17(3)(b))."""

import uuid
from contextlib import suppress
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from orders.journal import record_event
from orders.models import (
    UNSETTLED_ATTEMPTS,
    Attempt,
    CardChange,
    CardChangeState,
    InstallmentPause,
    InvoiceDraft,
    Order,
    OrderEvent,
    OrderNote,
    OrderStatus,
    OrderTracking,
    PiecePhoto,
    Shipment,
    StockHold,
    StoredCard,
    StripeEvent,
)
from orders.search_index import index_order
from orders.services.fulfilment.archiving import Removal, archiving_obstacles, remove_order
from orders.services.fulfilment.piece_photos import delete_photos
from orders.services.payments.stored_cards import discard_card, discard_customer
from orders.stripe import gateway
from shop.core.each_row import each_row
from shop.core.kernel_data import erase_mails_about
from shop.core.problems import Problem

_WORDS_OF_EVENTS = ("reason", "tracking", "former", "decision", "how", "brand", "last4")


def erase_order(order_id: uuid.UUID) -> bool:
    """Delete an order that was never paid, anonymise and archive any other; False while it is not settled or a mail
    about it is still to be sent. Safe to repeat, and after a worker that died half-way."""
    order = Order.objects.filter(pk=order_id).first()
    if order is None or order.personal_data_erased_at is not None:
        return True
    if order.status == OrderStatus.PENDING or archiving_obstacles(order):
        return False
    references = [order.reference, *(declared.reference for declared in order.withdrawals.all())]
    if not erase_mails_about(references):
        return False
    try:
        return remove_order(order_id=order_id, actor=None) == Removal.DELETED or _anonymise(order_id)
    except Order.DoesNotExist:
        return True
    except (Problem, gateway.GatewayError):
        return False


def purge_unpaid_orders(before: datetime, limit: int) -> int:
    """Delete the orders that were never paid and were placed before, at most `limit`; return how many."""
    unpaid = Order.objects.filter(
        status=OrderStatus.CANCELLED, paid_at=None, archived_at=None, created_at__lt=before
    ).exclude(payments__attempts__state__in=UNSETTLED_ATTEMPTS)
    return each_row(unpaid.order_by("created_at").values_list("pk", flat=True), _remove, most=limit)


def _remove(order_id: uuid.UUID) -> bool:
    with suppress(Problem, Order.DoesNotExist):
        return remove_order(order_id=order_id, actor=None) == Removal.DELETED
    return False


def empty_provider_events(before: datetime, limit: int) -> int:
    """Empty the bodies of processed events that came before, at most `limit`; return how many. Their keys stay, so that
    none is processed twice."""
    old = StripeEvent.objects.filter(processed_at__isnull=False, received_at__lt=before).exclude(body={})
    rows = list(old.order_by("pk").values_list("pk", flat=True)[:limit])
    return StripeEvent.objects.filter(pk__in=rows).update(body={})


def provider_events(order: Order) -> QuerySet[StripeEvent]:
    """Return the stored events about an order's payments."""
    known: set[str] = set()
    for ids in Attempt.objects.filter(payment__order=order).values_list(
        "checkout_session_id", "intent_id", "charge_id"
    ):
        known |= {name for name in ids if name}
    paths = ("id", "payment_intent", "charge")
    found = Q(pk__in=())
    for path in paths if known else ():
        found |= Q(**{f"body__data__object__{path}__in": sorted(known)})
    return StripeEvent.objects.filter(found)


def personal_words(event: OrderEvent) -> dict[str, Any]:
    """Return what a line of the journal holds of a person: words that were typed, a card, and addresses, which are
    objects. Who did what and when is not among it."""
    return {
        name: value
        for name, value in event.data.items()
        if name in _WORDS_OF_EVENTS or isinstance(value, dict)
    }


def _anonymise(order_id: uuid.UUID) -> bool:
    """A webhook that settles the order waits for the lock, or is waited for: what it changed is seen here."""
    with transaction.atomic():
        order = Order.objects.select_for_update(no_key=True).get(pk=order_id)
        if order.personal_data_erased_at is not None:
            return True
        if archiving_obstacles(order):
            return False
        # From here on the database lets words be taken out of the order's journal.
        record_event(order, "order.personal_data_erased")
        OrderEvent.objects.filter(order=order, actor_id=order.user_id).update(actor=None)
        for name, value in _emptied(order).items():
            setattr(order, name, value)
        order.save()
        _erase_parts(order)
    return True


def _emptied(order: Order) -> dict[str, Any]:
    """The invoice and the book of receipts name the customer and who is billed; an address that they do not print goes,
    but for the country and postcode that decided the VAT."""
    columns = dict.fromkeys(
        (
            *("email", "phone", "notes", "gift_recipient", "gift_message"),
            *("demand_digest", "request_fingerprint"),
        ),
        "",
    )
    if order.has_own_billing:
        columns |= {"address": "", "city": ""}
    return {**columns, "user": None, "personal_data_erased_at": timezone.now()}


def _erase_parts(order: Order) -> None:
    OrderTracking.objects.filter(order=order).update(message="", tracking_number="")
    Shipment.objects.filter(order=order).update(tracking_number="", undo_reason="")
    InstallmentPause.objects.filter(order=order).update(reason="")
    OrderNote.objects.filter(order=order).delete()
    delete_photos(PiecePhoto.objects.filter(piece__item__order=order))
    for event in OrderEvent.objects.filter(order=order):
        words = personal_words(event)
        if words:
            left = {name: value for name, value in event.data.items() if name not in words}
            OrderEvent.objects.filter(pk=event.pk).update(data=left)
    StockHold.objects.filter(order=order).update(network="", mailbox="")
    card = StoredCard.objects.filter(order=order).first()
    if card is not None:
        if card.forgotten_at is None:
            discard_card(order=order, payment_method_id=card.payment_method_id)
        card.delete()
    changes = CardChange.objects.filter(order=order).exclude(state=CardChangeState.OPEN)
    # Each order has customers of its own at the provider.
    known = {
        *changes.values_list("customer_id", flat=True),
        *([card.customer_id] if card is not None else []),
    }
    for customer_id in sorted(known - {""}):
        discard_customer(customer_id)
    changes.delete()
    provider_events(order).filter(processed_at__isnull=False).update(body={})
    Attempt.objects.filter(payment__order=order).update(checkout_session_url="")
    InvoiceDraft.objects.filter(order=order).delete()
    index_order(order)
