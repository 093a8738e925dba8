"""The way of a paid order through the workshop."""

import uuid
from typing import TYPE_CHECKING

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from orders.models import Order, OrderStatus, OrderTracking
from orders.models.order import PAID_STATUSES
from orders.services.instalments import move_forward
from orders.services.journal import record_event, record_tracking
from orders.services.refund_rules import open_dispute
from orders.services.status_mails import mail_status
from orders.services.withdrawals import refuse_to_ship_withdrawn
from shop.core.problems import Problem

if TYPE_CHECKING:
    from accounts.models import User


def update_status(
    *,
    order_id: uuid.UUID,
    status: str,
    message: str = "",
    tracking_number: str = "",
    actor: "User | None",
) -> OrderTracking:
    """Set any of the statuses of a paid order, tell the customer by a tracking entry and by mail.

    Going back is allowed: staff correct mistakes. Raises Problem 409 for an order that is not paid, or was given
    back, for a status that only a payment or a refund may set, and for sending what a bank takes back or what its
    customer has withdrawn from; nothing changes then.
    """
    with transaction.atomic():
        order = Order.objects.select_for_update().get(pk=order_id)
        if order.status not in PAID_STATUSES:
            raise Problem("order_not_paid", _("Seule une commande payée peut changer d'étape."), 409)
        if status not in PAID_STATUSES:
            raise Problem(
                "status_not_by_hand",
                _("Ce statut vient d'un paiement ou d'un remboursement, pas d'une étape."),
                409,
            )
        if status == OrderStatus.SHIPPED != order.status and open_dispute(order) is not None:
            raise Problem(
                "order_disputed",
                _(
                    "La banque du client conteste ce paiement : n'expédiez rien tant que le litige est ouvert."
                ),
                409,
            )
        if status in (OrderStatus.SHIPPED, OrderStatus.DELIVERED):
            refuse_to_ship_withdrawn(order)
        before = order.status
        now = timezone.now()
        order.status = status
        if status == OrderStatus.SHIPPED:
            order.shipped_at = order.shipped_at or now
        elif status == OrderStatus.DELIVERED:
            order.delivered_at = order.delivered_at or now
        if before == OrderStatus.DELIVERED != status:
            # It had not arrived after all: the withdrawal period has not begun (L221-18).
            order.delivered_at = None
        order.save(update_fields=["status", "shipped_at", "delivered_at", "updated_at"])
        dispatched = order.shipped_at or order.delivered_at
        if dispatched is not None:
            move_forward(order=order, dispatched_on=timezone.localdate(dispatched))
        entry = record_tracking(order, message=message, tracking_number=tracking_number, actor=actor)
        record_event(
            order, "order.status_changed", actor=actor, before=before, after=status, tracking=tracking_number
        )
        mail_status(order, entry)
    return entry
