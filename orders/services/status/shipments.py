"""Parcels of an order: which of its pieces they hold, which of these were credited, and what is still at the workshop.

Every function here runs in its caller's transaction, with the order's row locked.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING

from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext as _

from orders.models import (
    Order,
    OrderItem,
    OrderTracking,
    RefundLine,
    Shipment,
    ShipmentLine,
    WithdrawalCase,
    WithdrawalState,
)
from orders.selectors.refund_debts import took_effect
from orders.selectors.shipments import units_at_customer
from orders.selectors.withdrawals import has_left
from shop.core.problems import Problem

if TYPE_CHECKING:
    from accounts.models import User


def write_shipment(
    order: Order,
    units: Mapping[int, int],
    *,
    at: datetime,
    carrier: str,
    tracking_number: str,
    actor: "User | None",
) -> Shipment:
    """Write that these units, by line id, left in one parcel. Raises Problem 409 `units_not_here`, 400 `no_units`."""
    wanted = {pk: quantity for pk, quantity in units.items() if quantity}
    items = {item.pk: item for item in order.items.all()}
    if not wanted:
        raise Problem("no_units", _("Choisissez au moins une pièce."), 400)
    for pk, quantity in wanted.items():
        item = items.get(pk)
        if item is None or not 0 < quantity <= item.quantity - item.sent_quantity:
            raise Problem("units_not_here", _not_here(item), 409)
    _keep_credited_units(order)
    shipment = Shipment.objects.create(
        order=order, carrier=carrier, tracking_number=tracking_number, sent_at=at, actor=actor
    )
    ShipmentLine.objects.bulk_create(
        ShipmentLine(shipment=shipment, item_id=pk, quantity=quantity) for pk, quantity in wanted.items()
    )
    for pk, quantity in wanted.items():
        OrderItem.objects.filter(pk=pk).update(sent_quantity=F("sent_quantity") + quantity)
    _set_first_sent(order)
    return shipment


def take_shipment_back(order: Order, shipment: Shipment, reason: str) -> None:
    """Write that a parcel had not left: its pieces are here again, and its number leads nowhere."""
    shipment.undone_at, shipment.undo_reason = timezone.now(), reason[:500]
    shipment.save(update_fields=["undone_at", "undo_reason"])
    for line in shipment.lines.all():
        OrderItem.objects.filter(pk=line.item_id).update(sent_quantity=F("sent_quantity") - line.quantity)
    OrderTracking.objects.filter(shipment=shipment).update(undone=True)
    _keep_credited_units(order)
    _set_first_sent(order)


def await_what_left(order: Order) -> None:
    """Of what is here again no declaration waits for a return: the refund may not wait either (L221-24)."""
    awaited = WithdrawalCase.objects.filter(order=order, state=WithdrawalState.GOODS_AWAITED)
    for case in awaited.select_related("withdrawal"):
        if not has_left(order, case.withdrawal):
            case.state = WithdrawalState.DECLARED
            case.save()


def credit_sent_units(lines: Iterable[RefundLine], left: dict[int, int]) -> None:
    """Write how many units of these refunded lines had been sent: as many as `left`, by line id, and no decision
    credited yet."""
    for line in lines:
        units = min(line.quantity - line.sent_quantity, left[line.item_id])
        if units > 0:
            left[line.item_id] -= units
            line.sent_quantity += units
            line.save(update_fields=["sent_quantity"])


def _keep_credited_units(order: Order) -> None:
    """What was credited as sent and had not left stays here, and no parcel that leaves later takes its place."""
    missing = {pk: -units for pk, units in units_at_customer(order).items() if units < 0}
    lines = RefundLine.objects.filter(took_effect("request__"), item__in=missing, sent_quantity__gt=0)
    for line in lines.order_by("-pk"):
        units = min(line.sent_quantity, missing[line.item_id])
        if units:
            missing[line.item_id] -= units
            line.sent_quantity -= units
            line.save(update_fields=["sent_quantity"])


def latest_shipment(order: Order) -> Shipment | None:
    """Return the parcel that was written last and is on its way. One query."""
    return order.shipments.filter(undone_at=None).order_by("created_at", "pk").last()


def _set_first_sent(order: Order) -> None:
    first = order.shipments.filter(undone_at=None).order_by("sent_at").first()
    order.first_sent_at = first.sent_at if first else None
    order.save(update_fields=["first_sent_at", "updated_at"])


def _not_here(item: OrderItem | None) -> str:
    if item is None:
        return _("Cette pièce n'est pas dans la commande.")
    return _("Il reste %(units)d à expédier de « %(product)s ».") % {
        "units": item.quantity - item.sent_quantity,
        "product": item.staff_label,
    }
