"""Sending an order in several parcels, and taking back a parcel that had not left."""

import uuid
from collections.abc import Mapping
from datetime import date
from typing import TYPE_CHECKING

from django.db import transaction
from django.utils.translation import gettext as _

from orders.journal import record_event, record_tracking, refuse_missing_reason
from orders.models import IN_WORKSHOP, Order, OrderStatus, Shipment
from orders.models.states import ActorKind
from orders.selectors.shipments import units_kept_here
from orders.services.fulfilment.status_changes import dispatch_moment
from orders.services.installments.dates import restore_dates
from orders.services.installments.scheduled_payments import cap_due_dates
from orders.services.status.guards import returned_problem
from orders.services.status.mails import mail_parcel, withdraw_parcel_mail
from orders.services.status.shipments import (
    await_what_left,
    latest_shipment,
    take_shipment_back,
    write_shipment,
)
from orders.services.status.transitions import transition, transition_problem
from orders.services.status.work_pieces import plan_pieces
from shop.core.problems import Problem

if TYPE_CHECKING:
    from accounts.models import User


def ship_units(
    *,
    order_id: uuid.UUID,
    units: Mapping[int, int],
    actor: "User | None",
    carrier: str = "",
    tracking_number: str = "",
    message: str = "",
    sent_on: date | None = None,
    is_last: bool = False,
) -> Shipment:
    """Send units, by line id, in one parcel; the customer gets a mail that names them, a minute later.

    The order is `shipped` once all pieces have left, or with `is_last` once those that stay were refunded. Until then
    its status, its promise and a pause of its installments are as before; the fifty days of its last installment run
    from the first parcel. Raises Problem 409 as `transition_problem` for `shipped`, `units_not_here`, 400 `no_units`,
    `invalid_date`, and Order.DoesNotExist; nothing is written then.
    """
    with transaction.atomic():
        order = Order.objects.select_for_update(no_key=True).get(pk=order_id)
        refused = transition_problem(order, OrderStatus.SHIPPED)
        if refused is not None:
            raise refused
        at = dispatch_moment(order, sent_on, field="sent_on")
        if _is_complete(order, units, is_last=is_last):
            transition(
                order, OrderStatus.SHIPPED, by=ActorKind.STAFF, actor=actor, at=at, units=units, message=message,
                tracking_number=tracking_number, carrier=carrier,
            )  # fmt: skip
            shipment = latest_shipment(order)
            assert shipment is not None
            return shipment
        shipment = write_shipment(
            order, units, at=at, carrier=carrier, tracking_number=tracking_number, actor=actor
        )
        plan_pieces(order, actor=actor)
        cap_due_dates(order=order)
        entry = record_tracking(
            order, message=message, tracking_number=tracking_number, carrier=carrier, actor=actor,
            shipment=shipment,
        )  # fmt: skip
        record_event(order, "shipment.sent", actor=actor, shipment=shipment.pk, units=_units(shipment))
        mail_parcel(order, entry)
    return shipment


def undo_shipment(*, shipment_id: int, reason: str, actor: "User | None", message: str = "") -> Shipment:
    """Take back a parcel that had not left: its pieces are at the workshop again, and the customer is told.

    A mail about it that still waits for its minute is never sent, and then none says that it was wrong. The parcel by
    which the order was `shipped` brings it back to `processing`. Raises Problem 409 `reason_needed`,
    `shipment_undone`, `goods_returned`, `not_last_shipment`, `transition_impossible` for a delivered or closed order,
    and Shipment.DoesNotExist.
    """
    order_id = Shipment.objects.values_list("order", flat=True).get(pk=shipment_id)
    with transaction.atomic():
        order = Order.objects.select_for_update(no_key=True).get(pk=order_id)
        shipment = order.shipments.get(pk=shipment_id)
        if shipment.undone_at is not None:
            raise Problem("shipment_undone", _("Ce colis est déjà annulé."), 409)
        refuse_missing_reason(reason)
        if order.all_goods_have_left:
            _undo_last(order, shipment, reason=reason, actor=actor, message=message)
        else:
            _undo_one(order, shipment, reason=reason, actor=actor, message=message)
        shipment.refresh_from_db()
    return shipment


def _undo_last(order: Order, shipment: Shipment, *, reason: str, actor: "User | None", message: str) -> None:
    if shipment != latest_shipment(order):
        raise Problem("not_last_shipment", _("Annulez d'abord le dernier colis."), 409)
    transition(order, OrderStatus.PROCESSING, by=ActorKind.STAFF, actor=actor, reason=reason, message=message)


def _undo_one(order: Order, shipment: Shipment, *, reason: str, actor: "User | None", message: str) -> None:
    if order.status not in IN_WORKSHOP:
        raise Problem("transition_impossible", _("Cette commande n'est plus à l'atelier."), 409)
    refused = returned_problem(order)
    if refused is not None:
        raise refused
    take_shipment_back(order, shipment, reason)
    plan_pieces(order, actor=actor)
    restore_dates(order=order)
    await_what_left(order)
    record_event(order, "shipment.undone", actor=actor, shipment=shipment.pk, reason=reason)
    entry = record_tracking(order, message=message, actor=actor, shipment=shipment)
    if not withdraw_parcel_mail(shipment):
        mail_parcel(order, entry)


def _is_complete(order: Order, units: Mapping[int, int], *, is_last: bool) -> bool:
    items = list(order.items.all())
    left = {item.pk: item.quantity - item.sent_quantity - units.get(item.pk, 0) for item in items}
    if not any(left.values()):
        return True
    kept = units_kept_here(order, items)
    return is_last and all(quantity <= kept[pk] for pk, quantity in left.items())


def _units(shipment: Shipment) -> list[list[int]]:
    return [[line.item_id, line.quantity] for line in shipment.lines.all()]
