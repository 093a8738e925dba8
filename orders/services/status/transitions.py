"""The one place that writes the status of an order and the dates that belong to it: `orders.models.states` carried out.

Every function here runs in its caller's transaction, with the order's row locked.
"""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from orders.journal import change_sentence, record_event, record_tracking, refuse_missing_reason
from orders.models import (
    CLOSED_STATUSES,
    LIVE_ATTEMPTS,
    PAID_STATUSES,
    Attempt,
    AttemptState,
    Order,
    OrderStatus,
    OrderTracking,
    Payment,
    PaymentState,
    Shipment,
)
from orders.models.states import TRANSITIONS, ActorKind, PaymentEffect, StockEffect, Transition
from orders.selectors.installments import outstanding
from orders.selectors.order_documents import order_document
from orders.selectors.shipments import units_to_send
from orders.services.installments.dates import advance_due_dates, restore_dates
from orders.services.installments.scheduled_payments import restore_scheduled
from orders.services.status.guards import GUARDS, not_paid, withdrawn_problem
from orders.services.status.mails import mail_status, mail_undone, withdraw_status_mails
from orders.services.status.shipments import (
    await_what_left,
    latest_shipment,
    take_shipment_back,
    write_shipment,
)
from orders.services.status.stock_holds import release_for_order, take_for_order
from orders.services.status.work_pieces import plan_pieces
from shop.core.problems import Problem
from shop.integrations import events
from shop.integrations.models import EventKind

if TYPE_CHECKING:
    from accounts.models import User


@dataclass(frozen=True, slots=True)
class StatusOffer:
    """A status as staff may or may not set it now; `reason` says why not."""

    status: OrderStatus
    allowed: bool
    reason: str = ""
    needs_reason: bool = False

    @property
    def label(self) -> str:
        return str(self.status.label)


def transition(
    order: Order,
    target: str,
    *,
    by: ActorKind,
    actor: "User | None" = None,
    at: datetime | None = None,
    message: str = "",
    tracking_number: str = "",
    carrier: str = "",
    reason: str = "",
    units: Mapping[int, int] | None = None,
    event: str = "order.status_changed",
    **data: Any,
) -> OrderTracking | None:
    """Move an order to `target` as the table says; returns the entry that its customer sees, if there is one.

    `at` is when it happened (default: now), `event` and `data` go to the journal. `units`, by line id, are what a last
    parcel holds (default: whatever is still here). Raises Problem 409 as
    `transition_problem`, 409 `reason_needed` for a row that needs one, and catalog's OutOfStock when units that the
    row takes are gone; nothing is written then.
    """
    refused = transition_problem(order, target, by=by)
    if refused is not None:
        raise refused
    row = _find(order.status, target, by)
    assert row is not None
    if row.needs_reason:
        refuse_missing_reason(reason)
    if row.payments == PaymentEffect.SETTLED_BEFORE and outstanding(order):
        raise RuntimeError(f"order {order.pk} is closed while something is still to be collected")
    if row.stock == StockEffect.TAKE:
        take_for_order(order)
    elif row.stock == StockEffect.RELEASE:
        release_for_order(order)
    before = order.status
    at = at or timezone.now()
    leaving: Mapping[int, int] = {}
    if row.name in ("dispatch", "hand_over"):
        # A parcel names what it holds; the table asks the same of what is handed over.
        if row.name == "dispatch" and units is None and (refused := withdrawn_problem(order)) is not None:
            raise refused
        # Once it is written that all has left, nothing is to be sent.
        leaving = units_to_send(order) if units is None else units
    _write(order, row, at)
    shipment = undone = None
    if any(leaving.values()):
        shipment = write_shipment(
            order, leaving, at=at, carrier=carrier, tracking_number=tracking_number, actor=actor
        )
    elif row.name == "rest_refunded":
        shipment = latest_shipment(order)
    elif row.name == "undo_dispatch":
        undone = _reset_dispatch(order, reason)
        shipment = undone if order.goods_have_left else None
    _apply(order, row.payments)
    if order.paid_at is not None:
        plan_pieces(order, actor=actor, is_first=before == OrderStatus.PENDING)
    extra = {"reason": reason} if reason else {}
    record_event(order, event, actor=actor, before=before, after=target, **extra, **data)
    _report(order, row, before)
    if not row.tracking:
        return None
    entry = record_tracking(
        order,
        message=message or (change_sentence(order.status, order.language) if by == ActorKind.STAFF else ""),
        tracking_number=tracking_number,
        carrier=carrier,
        actor=actor,
        shipment=shipment,
    )
    if row.name == "undo_dispatch":
        mail_undone(order, entry, undone)
    elif row.mail:
        withdraw_status_mails(order)
        mail_status(order, entry)
    return entry


def _report(order: Order, row: Transition, before: str) -> None:
    """To programs of others."""
    is_paid = row.name in ("pay", "revive")
    events.record_event(
        EventKind.ORDER_CONFIRMED if is_paid else EventKind.ORDER_STATUS_CHANGED,
        subject=f"order:{order.pk}",
        data=lambda: {"order": order_document(order), "previous_status": before},
    )


def transition_problem(order: Order, target: str, *, by: ActorKind = ActorKind.STAFF) -> Problem | None:
    """Return why the order can't move to `target` now, as the refusal to raise; None when it can. Nine queries at
    most."""
    if by == ActorKind.STAFF and order.archived_at is not None:
        return Problem("order_archived", _("Cette commande est archivée : restaurez-la d'abord."), 409)
    row = _find(order.status, target, by)
    if row is None:
        return _impossible(order, target)
    for name in row.guards:
        refused = GUARDS[name](order, row)
        if refused is not None:
            return refused
    return None


def status_offers(order: Order) -> list[StatusOffer]:
    """Return the seven statuses as staff may set them now. Some ten queries."""
    offers = []
    for status in OrderStatus:
        row = _find(order.status, status, ActorKind.STAFF)
        refused = transition_problem(order, status)
        offers.append(
            StatusOffer(
                status,
                allowed=refused is None,
                reason="" if refused is None else refused.detail,
                needs_reason=row is not None and row.needs_reason,
            )
        )
    return offers


def cancel_unpaid_order(
    order_id: uuid.UUID,
    *,
    reason: str,
    attempt_state: str = AttemptState.CANCELLED,
    by: ActorKind = ActorKind.JOB,
) -> bool:
    """Move an order from `pending` to `cancelled`, once; True when this call did it. A paid or closed order is left
    alone.

    Call it only when no money can come any more: the page is expired at the provider, or was never made.
    `reason` is the journal's dotted name.
    """
    with transaction.atomic():
        # No key: deleting a product checks the orders that name it, with the lock that `lock_products` waits for.
        order = Order.objects.select_for_update(no_key=True).get(pk=order_id)
        if order.status != OrderStatus.PENDING:
            return False
        payments = list(
            Payment.objects.select_for_update(no_key=True).filter(order=order).order_by("position")
        )
        now = timezone.now()
        Attempt.objects.filter(payment__in=payments, state__in=LIVE_ATTEMPTS).update(
            state=attempt_state, settled_at=now
        )
        transition(order, OrderStatus.CANCELLED, by=by, at=now, event=reason)
    return True


def correct_delivery_day(order: Order, delivered_at: datetime | None) -> None:
    """Set when the last parcel arrived, as staff know it; None: not known."""
    if delivered_at is None:
        # What was handed over has no dispatch, and has left all the same.
        order.shipped_at = order.shipped_at or order.delivered_at
    order.delivered_at = delivered_at
    order.save(update_fields=["shipped_at", "delivered_at", "updated_at"])


def _find(source: str, target: str, by: ActorKind) -> Transition | None:
    rows = (row for row in TRANSITIONS if source in row.sources and row.target == target and by in row.actors)
    return next(rows, None)


def _write(order: Order, row: Transition, at: datetime) -> None:
    before, order.status = order.status, row.target
    if row.target in CLOSED_STATUSES:
        if before in PAID_STATUSES:
            order.status_before_closing = before
        if row.target == OrderStatus.CANCELLED:
            order.cancelled_at = order.cancelled_at or at
    elif before in CLOSED_STATUSES:
        order.status_before_closing, order.cancelled_at, order.archived_at = "", None, None
        order.retention_reason = order.retention_decision = ""
    if row.name in ("pay", "revive"):
        order.paid_at = at
    elif row.name in ("dispatch", "rest_refunded"):
        # A parcel that was written before may have left on a later day.
        sent = order.shipments.filter(undone_at=None).values_list("sent_at", flat=True)
        order.shipped_at = max([at, *sent])
    elif row.name == "undo_dispatch":
        # Staff may have noted its day before it was said to be delivered.
        order.shipped_at = order.delivered_at = None
    elif row.name in ("deliver", "hand_over"):
        order.delivered_at = at
    elif row.name == "undo_delivery":
        # It had not arrived after all: the withdrawal period has not begun (L221-18).
        order.shipped_at, order.delivered_at = order.shipped_at or order.delivered_at, None
    order.save(
        update_fields=[
            "status", "status_before_closing", "paid_at", "shipped_at", "delivered_at", "cancelled_at", "archived_at",
            "retention_reason", "retention_decision", "updated_at",
        ]
    )  # fmt: skip


def _apply(order: Order, effect: PaymentEffect) -> None:
    if effect == PaymentEffect.VOID_REST:
        Payment.objects.filter(order=order).exclude(state=PaymentState.PAID).update(state=PaymentState.VOID)
    elif effect == PaymentEffect.RESTORE_AGREED:
        restore_scheduled(order=order)
    elif effect == PaymentEffect.ADVANCE_DUE_DATES:
        advance_due_dates(order=order)
    elif effect == PaymentEffect.RESTORE_DATES:
        restore_dates(order=order)


def _reset_dispatch(order: Order, reason: str) -> Shipment | None:
    """The last parcel is still here: its number leads nowhere. Return it."""
    order.tracking.filter(status=OrderStatus.SHIPPED).update(undone=True)
    last = latest_shipment(order)
    if last is not None:
        take_shipment_back(order, last, reason)
    await_what_left(order)
    return last


def _impossible(order: Order, target: str) -> Problem:
    """The refusal of a pair that is not in the table."""
    if target == order.status:
        return Problem("status_unchanged", _("C'est son statut actuel."), 409)
    if order.paid_at is None:
        return not_paid()
    if target == OrderStatus.PENDING:
        return Problem("order_paid", _("Une commande payée ne redevient jamais « En attente »."), 409)
    if order.status == OrderStatus.DELIVERED:
        why = _("Corrigez d'abord la livraison : remettez-la « Expédiée ».")
    elif order.status == OrderStatus.SHIPPED:
        why = _("Annulez d'abord l'expédition : remettez-la « En préparation ».")
    else:
        why = _("Ce changement de statut n'existe pas.")
    return Problem("transition_impossible", why, 409)
