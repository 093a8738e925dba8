"""One order with everything that staff read on its page."""

from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal

from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser
from django.db.models import F

from orders.models import (
    IN_WORKSHOP,
    Order,
    OrderEvent,
    OrderItem,
    OrderNote,
    OrderStatus,
    RefundLine,
    Shipment,
    WorkPiece,
)
from orders.selectors.invoices import DocumentEntry, documents_of
from orders.selectors.money import MoneyOutcome, money_outcome
from orders.selectors.piece_photos import order_pieces
from orders.selectors.refund_rules import paid_amounts, refundable, units_returned
from orders.selectors.refunds import RefundProgress, order_requests, progress, refund_error_in_words
from orders.selectors.shipments import order_shipments
from orders.selectors.withdrawal_period import withdrawal_deadline
from orders.selectors.workshop import is_awaited, lines_that_follow
from shop.core.models import OutgoingMail
from shop.core.money import ZERO
from shop.core.staff_actions import StaffAction, may

MOST_MAILS = 50
# Steps of a payment or a refund: read by whoever may see these.
_MONEY_EVENTS = ("payment.", "installment", "refund.", "card.")


@dataclass(frozen=True, slots=True)
class SheetLine:
    """A line of an order: what of it came back, is still to be sent, and stays here as it was `withdrawn` from; `paid`
    for all its units."""

    item: OrderItem
    returned: int
    to_send: int
    withdrawn: int
    paid: Decimal


@dataclass(frozen=True, slots=True)
class SheetRefund:
    """A refund decision; `error` is why it failed, in words."""

    id: str
    amount: Decimal
    voided: Decimal
    reason: str
    progress: RefundProgress
    created_at: datetime
    error: str
    lines: list[RefundLine]


@dataclass(frozen=True, slots=True)
class OrderSheet:
    """An order with its parts, as far as the reader may see them: money, refunds, documents and mails may be hidden
    (None, or empty). `charged_early`: installments that dispatch brought forward and that were charged."""

    order: Order
    lines: list[SheetLine]
    shipments: list[Shipment]
    pieces: list[WorkPiece]
    notes: list[OrderNote]
    events: list[OrderEvent]
    withdrawal_until: date | None
    charged_early: int
    money: MoneyOutcome | None
    refundable: Decimal
    refunds: list[SheetRefund]
    documents: list[DocumentEntry]
    mails: list[OutgoingMail]
    may_correct_address: bool
    may_ship: bool
    may_refund: bool
    may_remove: bool
    may_cancel: bool
    may_note: bool
    may_restock: bool


def order_sheet(order: Order, reader: AbstractBaseUser | AnonymousUser) -> OrderSheet:
    """Return the sheet of an order whose parts are prefetched. Some 27 queries."""
    sees_money, sees_refunds = may(reader, StaffAction.SEE_PAYMENTS), may(reader, StaffAction.SEE_REFUNDS)
    may_refund = may(reader, StaffAction.REFUND_ORDER) and order.paid_at is not None
    at_work = order.paid_at is not None and order.status in IN_WORKSHOP and order.archived_at is None
    fulfils = may(reader, StaffAction.FULFIL_ORDER)
    lines = _lines(order)
    may_send = at_work and fulfils and is_awaited(order)
    return OrderSheet(
        order=order,
        lines=lines,
        shipments=order_shipments(order),
        pieces=order_pieces(order),
        notes=list(order.staff_notes.select_related("author")),
        events=_events(order, sees_money=sees_money),
        withdrawal_until=withdrawal_deadline(order),
        charged_early=order.payments.filter(moved_from__gt=F("due_on"), paid_at__isnull=False).count(),
        money=money_outcome(order) if sees_money else None,
        refundable=refundable(order) if may_refund else ZERO,
        refunds=_refunds(order) if sees_refunds else [],
        documents=documents_of(order) if may(reader, StaffAction.SEE_INVOICES) else [],
        mails=_mails(order) if may(reader, StaffAction.SEE_MAILS) else [],
        may_correct_address=may_send,
        may_ship=may_send,
        may_refund=may_refund and order.status not in (OrderStatus.PENDING, OrderStatus.REFUNDED),
        may_cancel=may(reader, StaffAction.CANCEL_ORDER),
        may_note=fulfils,
        may_restock=may(reader, StaffAction.REFUND_ORDER),
        may_remove=may(reader, StaffAction.REMOVE_ORDER) and order.archived_at is None,
    )


def _lines(order: Order) -> list[SheetLine]:
    returned, paid = units_returned(order), paid_amounts(order)
    rows = lines_that_follow().filter(order=order).values_list("pk", "here", "follow")
    units = {pk: (follow, here - follow) for pk, here, follow in rows}
    return [
        SheetLine(item, returned.get(item.pk, 0), *units[item.pk], paid[item.pk])
        for item in order.items.all()
    ]


def _events(order: Order, *, sees_money: bool) -> list[OrderEvent]:
    events = order.events.select_related("actor")
    return [event for event in events if sees_money or not event.name.startswith(_MONEY_EVENTS)]


def _refunds(order: Order) -> list[SheetRefund]:
    found = []
    for request in order_requests(order):
        refunds = list(request.refunds.all())
        errors = (refund_error_in_words(refund.error) for refund in reversed(refunds) if refund.error)
        state = progress(request)
        found.append(
            SheetRefund(
                id=str(request.pk),
                amount=request.amount,
                voided=request.voided,
                reason=request.reason,
                progress=state,
                created_at=request.created_at,
                error=next(errors, "") if state == RefundProgress.FAILED else "",
                lines=list(request.lines.all()),
            )
        )
    return found


def _mails(order: Order) -> list[OutgoingMail]:
    mails = OutgoingMail.objects.filter(reference=order.reference)
    return list(mails.defer("html", "text", "context").order_by("-pk")[:MOST_MAILS])
