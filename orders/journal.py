"""Writing down what happened to an order, in the transaction in which it happens."""

from typing import TYPE_CHECKING, Any

from django.utils import translation
from django.utils.translation import gettext as _

from orders.models import Order, OrderEvent, OrderStatus, OrderTracking, Shipment
from orders.search_index import index_order
from shop.core.audit import record_audit
from shop.core.languages import active_language
from shop.core.problems import Problem

if TYPE_CHECKING:
    from accounts.models import User


ADDRESS_CORRECTED = "delivery.address_corrected"
PROMISE_CHANGED = "delivery.promise_changed"
DAY_SET = "delivery.day_set"
NUMBER_ADDED = "order.status_added_to"
RETURN_TAKEN_BACK = "withdrawal.return_taken_back"
AUDITED = frozenset(
    {
        *("refund.decided", "refund.retried", "refund.transferred", "refund.transfer_taken_back"),
        *("installment.written_off", "installments.paused", "installments.unpaused", "installments.restored"),
        *("invoice.corrected", "order.retention_decided", "discrepancy.resolved"),
    }
)
# No words that people typed: they may name somebody, and an entry can't be erased.
AUDITED_DATA = frozenset(
    {
        *("amount", "voided", "position", "positions", "days"),
        *("sent_on", "returned_on", "replaced", "credit_note", "number"),
    }
)


def refuse_missing_reason(reason: str) -> None:
    """Raise Problem 409 `reason_needed` where staff give no words for what the journal tells."""
    if not reason.strip():
        raise Problem("reason_needed", _("Dites pourquoi : le motif reste au journal."), 409)


def record_event(order: Order, name: str, *, actor: "User | None" = None, **data: Any) -> OrderEvent:
    """Add a line to the journal. `name` is dotted (`order.paid`); `data` must be JSON.

    A decision about money that somebody of the shop took is in the audit trail as well.
    """
    if name in AUDITED and actor is not None and actor.is_staff:
        decided = {key: value for key, value in data.items() if key in AUDITED_DATA}
        record_audit(name, order, actor=actor, after={"reference": order.reference, **decided})
    return OrderEvent.objects.create(order=order, name=name, actor=actor, data=data)


def change_sentence(status: str, language: str) -> str:
    """Return what an entry about a change to `status` says where staff wrote nothing; it is stored in the order's
    language."""
    with translation.override(language):
        return _("Statut mis à jour vers: %(status)s") % {"status": OrderStatus(status).label}


def written_message(order: Order, entry: OrderTracking) -> str:
    """Return what staff wrote in an entry; "" where it says itself what changed."""
    return "" if entry.message == change_sentence(entry.status, order.language) else entry.message


def message_for_reader(order: Order, entry: OrderTracking) -> tuple[str, str]:
    """Return what an entry says, and in which language: staff's words in the order's, what changed in the active
    one."""
    written = written_message(order, entry)
    if written or not entry.message:
        return written, order.language
    language = active_language()
    return change_sentence(entry.status, language), language


def record_tracking(
    order: Order,
    *,
    message: str = "",
    tracking_number: str = "",
    carrier: str = "",
    actor: "User | None" = None,
    shipment: Shipment | None = None,
) -> OrderTracking:
    """Add an entry with the order's present status to what its customer sees; `shipment` is the parcel it is about."""
    entry = OrderTracking.objects.create(
        order=order,
        shipment=shipment,
        status=order.status,
        message=message,
        tracking_number=tracking_number,
        carrier=carrier,
        actor=actor,
    )
    if tracking_number:
        index_order(order)
    return entry
