"""The way of a paid order through the workshop."""

import uuid
from datetime import date, datetime, time
from typing import TYPE_CHECKING

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from orders.journal import record_event, record_tracking
from orders.models import Order, OrderStatus, OrderTracking
from orders.models.states import ActorKind
from orders.services.status.mails import mail_status
from orders.services.status.transitions import transition
from shop.core.problems import Problem

if TYPE_CHECKING:
    from accounts.models import User


def update_status(
    *,
    order_id: uuid.UUID,
    status: str,
    message: str = "",
    tracking_number: str = "",
    carrier: str = "",
    actor: "User | None",
    reason: str = "",
    dispatched_on: date | None = None,
) -> OrderTracking | None:
    """Bring an order to one of the four statuses of its way, or back; returns what its customer is shown of it.

    The status that it has already is an addition when it comes with a message or a number, and nothing otherwise, nor
    when both were said last. `dispatched_on` is the day on which it was sent, today unless told; `reason` why a
    dispatch is undone. Raises Problem 409 as `why_not` and 400 `invalid_date`; nothing changes then.
    """
    with transaction.atomic():
        order = Order.objects.select_for_update().get(pk=order_id)
        if status == order.status:
            return add_to_status(
                order, message=message, tracking_number=tracking_number, carrier=carrier, actor=actor
            )
        return transition(
            order, status, by=ActorKind.STAFF, actor=actor, at=_moment(order, status, dispatched_on),
            message=message, tracking_number=tracking_number, carrier=carrier, reason=reason,
        )  # fmt: skip


def add_to_status(
    order: Order, *, message: str, tracking_number: str, carrier: str = "", actor: "User | None"
) -> OrderTracking | None:
    """Tell the customer more about the status that the order has; None when there is nothing new. Runs with the
    order locked."""
    latest = order.tracking.first()
    said = (order.status, message, tracking_number)
    repeated = latest is not None and (latest.status, latest.message, latest.tracking_number) == said
    if repeated or not (message or tracking_number):
        return None
    entry = record_tracking(
        order, message=message, tracking_number=tracking_number, carrier=carrier, actor=actor
    )
    record_event(order, "order.status_added_to", actor=actor, status=order.status, tracking=tracking_number)
    mail_status(order, entry)
    return entry


def _moment(order: Order, status: str, day: date | None) -> datetime:
    """When the parcel left: noon of an earlier day whose hour nobody noted, but after the payment."""
    now = timezone.now()
    if status != OrderStatus.SHIPPED or day is None or day == timezone.localdate(now):
        return now
    paid_at = order.paid_at or order.created_at
    if not timezone.localdate(paid_at) <= day <= timezone.localdate(now):
        refusal = _("L'expédition ne peut être ni à venir ni avant le paiement.")
        raise Problem("invalid_date", refusal, errors={"dispatched_on": [refusal]})
    return max(timezone.make_aware(datetime.combine(day, time(12))), paid_at)
