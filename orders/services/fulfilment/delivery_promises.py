"""The one delivery date that an order promises (L216-1): kept, moved with a reason, or missed and said so (L216-6)."""

from __future__ import annotations

import uuid
from datetime import date, datetime
from typing import TYPE_CHECKING

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from orders.journal import DAY_SET, PROMISE_CHANGED, record_event
from orders.models import PAID_STATUSES, Order
from orders.selectors.workshop import is_awaited, is_overdue
from orders.services.status.guards import bank_problem
from orders.services.status.transitions import correct_delivery_day
from orders.services.withdrawals.mails import mail_overdue, mail_postponed
from shop.core.dates import moment_on
from shop.core.each_row import each_row
from shop.core.problems import Problem

if TYPE_CHECKING:
    from accounts.models import User

_OVERDUE = "delivery.overdue"


def report_overdue_orders(now: datetime) -> int:
    """Mail customers and workshop about paid orders not sent by the promised date, once a date; returns how many.
    Nobody waits for an order that its customer has withdrawn from, that was refunded, also where the money has not
    arrived, or whose payments a bank took back or looks at (`is_overdue`).
    """
    today = timezone.localdate(now)
    late = Order.objects.filter(is_overdue(today))

    def report(order_id: uuid.UUID) -> bool:
        with transaction.atomic():
            order = Order.objects.select_for_update(no_key=True).get(pk=order_id)
            promised = order.promised_by
            if not late.filter(pk=order_id).exists():
                return False
            if order.events.filter(name=_OVERDUE, data__promised_by=promised.isoformat()).exists():
                return False
            record_event(order, _OVERDUE, promised_by=promised.isoformat())
            mail_overdue(order)
        return True

    return each_row(late.values_list("pk", flat=True), report)


def set_promised_date(*, order_id: uuid.UUID, promised_by: date, reason: str, actor: User | None) -> Order:
    """Promise another date and mail the customer why. The former one stays in the journal.

    Raises Problem 409 `order_left` for an order of which nothing is to be sent from the workshop, or all was withdrawn,
    409 `order_disputed` while a bank keeps it there, 400 `invalid_date` for a day that has passed or the same date.
    """
    with transaction.atomic():
        order = Order.objects.select_for_update(no_key=True).get(pk=order_id)
        if not is_awaited(order):
            raise Problem("order_left", _("Il ne reste rien à expédier de cette commande."), 409)
        if (refused := bank_problem(order)) is not None:
            raise refused
        if promised_by < timezone.localdate() or promised_by == order.promised_by:
            refusal = _("Choisissez une nouvelle date, à partir d'aujourd'hui.")
            raise Problem("invalid_date", refusal, errors={"promised_by": [refusal]})
        before = order.promised_by
        order.promised_by, order.excused_until = promised_by, None
        order.save(update_fields=["promised_by", "excused_until", "updated_at"])
        event = record_event(
            order,
            PROMISE_CHANGED,
            actor=actor,
            before=before.isoformat(),
            after=promised_by.isoformat(),
            reason=reason,
        )
        mail_postponed(order, before=before, reason=reason, once=event.pk)
    return order


def set_delivery_day(*, order_id: uuid.UUID, delivered_on: date | None, actor: User | None) -> Order:
    """Correct the day on which the last parcel arrived, from which the withdrawal period runs; None: not known.

    Raises Problem 409 `order_not_sent` for an order that has not left the workshop, 400 `invalid_date` for a day to
    come, or before the payment, the dispatch or a parcel that left before.
    """
    with transaction.atomic():
        order = Order.objects.select_for_update(no_key=True).get(pk=order_id)
        if order.status not in PAID_STATUSES or not order.all_goods_have_left:
            raise Problem("order_not_sent", _("Cette commande n'est pas encore partie."), 409)
        earliest = timezone.localdate(order.shipped_at or _last_before_handed_over(order))
        if delivered_on is not None and not earliest <= delivered_on <= timezone.localdate():
            refusal = _("La livraison ne peut être ni à venir ni avant l'expédition.")
            raise Problem("invalid_date", refusal, errors={"delivered_on": [refusal]})
        before = order.delivered_at
        correct_delivery_day(
            order,
            None if delivered_on is None else moment_on(delivered_on),
        )
        record_event(
            order,
            DAY_SET,
            actor=actor,
            before=None if before is None else before.isoformat(),
            after=None if delivered_on is None else delivered_on.isoformat(),
        )
    return order


def _last_before_handed_over(order: Order) -> datetime:
    """Return when the last parcel before the pieces that were handed over left, else when the order was paid: these
    have no dispatch, and may have been handed over before somebody said so."""
    assert order.paid_at is not None
    parcels = order.shipments.filter(undone_at=None).order_by("created_at", "pk")
    return max([order.paid_at, *list(parcels.values_list("sent_at", flat=True))[:-1]])
