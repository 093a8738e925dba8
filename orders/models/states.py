"""Every way from one status of an order to another, as one table. What is not in it can't happen.

`orders.services.status.transitions` carries it out: it asks the guards, writes status and dates, and does what the row
says to payments, stock, tracking and mail. Nothing else writes the status of an order.
"""

from dataclasses import dataclass
from enum import StrEnum

from orders.models.order import CLOSED_STATUSES, IN_WORKSHOP, PAID_STATUSES, OrderStatus

_PENDING, _CONFIRMED, _PROCESSING = OrderStatus.PENDING, OrderStatus.CONFIRMED, OrderStatus.PROCESSING
_SHIPPED, _DELIVERED = OrderStatus.SHIPPED, OrderStatus.DELIVERED
_CANCELLED, _REFUNDED = OrderStatus.CANCELLED, OrderStatus.REFUNDED


class ActorKind(StrEnum):
    """Who moves an order."""

    CUSTOMER = "customer"
    STAFF = "staff"
    PROVIDER = "provider"
    JOB = "job"


class PaymentEffect(StrEnum):
    """What a transition does to what is still to be collected."""

    NONE = "none"
    VOID_REST = "void_rest"
    """Nothing was charged and nothing will be."""
    RESTORE_AGREED = "restore_agreed"
    """The payments that closing had voided are due as agreed."""
    ADVANCE_DUE_DATES = "advance_due_dates"
    """The fifty days after dispatch cap the calendar; a pause ends."""
    RESTORE_DATES = "restore_dates"
    """The calendar is as it was before dispatch."""
    SETTLED_BEFORE = "settled_before"
    """The caller has refunded or credited the rest: the transition is refused while anything is to be collected."""


class StockEffect(StrEnum):
    """What a transition does to the units that the order holds."""

    NONE = "none"
    TAKE = "take"
    RELEASE = "release"


@dataclass(frozen=True, slots=True)
class Transition:
    """One row: from any of `sources` to `target`, by any of `actors`, while every guard holds.

    `guards` are names of `orders.services.status.guards.GUARDS`. `tracking` and `mail` say whether the
    customer gets an entry on the order's page and the mail of a status; payments and refunds have mails of their own.
    """

    name: str
    sources: tuple[OrderStatus, ...]
    target: OrderStatus
    actors: tuple[ActorKind, ...]
    guards: tuple[str, ...] = ()
    payments: PaymentEffect = PaymentEffect.NONE
    stock: StockEffect = StockEffect.NONE
    tracking: bool = True
    mail: bool = True
    needs_reason: bool = False


_STAFF, _PROVIDER = (ActorKind.STAFF,), (ActorKind.PROVIDER,)
_GOODS_LEAVE = ("money_not_taken_back", "not_withdrawn", "something_to_send")
_HANDED_OVER = (*_GOODS_LEAVE, "without_withdrawn")
_REOPENED = ("money_held", "rest_not_credited", "where_it_was")
_E, _S = PaymentEffect, StockEffect

TRANSITIONS: tuple[Transition, ...] = (
    # What the provider says of the first payment.
    Transition("pay", (_PENDING,), _CONFIRMED, _PROVIDER, stock=_S.TAKE, mail=False),
    Transition("revive", (_CANCELLED,), _CONFIRMED, _PROVIDER, ("never_paid",), _E.RESTORE_AGREED, _S.TAKE, mail=False),
    Transition(
        "give_up", (_PENDING,), _CANCELLED, tuple(ActorKind), ("never_paid",), _E.VOID_REST, _S.RELEASE,
        tracking=False, mail=False,
    ),
    # The way through the workshop.
    Transition("prepare", (_CONFIRMED,), _PROCESSING, _STAFF, ("something_to_send",)),
    Transition("undo_preparation", (_PROCESSING,), _CONFIRMED, _STAFF),
    Transition("dispatch", IN_WORKSHOP, _SHIPPED, _STAFF, _GOODS_LEAVE, _E.ADVANCE_DUE_DATES),
    Transition(
        "undo_dispatch", (_SHIPPED,), _PROCESSING, _STAFF, ("not_returned",), _E.RESTORE_DATES, needs_reason=True
    ),
    # What had not left was refunded: its mail says so.
    Transition("rest_refunded", IN_WORKSHOP, _SHIPPED, _PROVIDER, payments=_E.ADVANCE_DUE_DATES, mail=False),
    Transition("hand_over", IN_WORKSHOP, _DELIVERED, _STAFF, _HANDED_OVER, _E.ADVANCE_DUE_DATES),
    Transition("deliver", (_SHIPPED,), _DELIVERED, _STAFF),
    Transition("undo_delivery", (_DELIVERED,), _SHIPPED, _STAFF),
    # Its end, and back.
    Transition("cancel", (*PAID_STATUSES, _REFUNDED), _CANCELLED, _STAFF, payments=_E.SETTLED_BEFORE),
    Transition("close", (*PAID_STATUSES, _CANCELLED), _REFUNDED, _STAFF, ("was_paid",), _E.SETTLED_BEFORE),
    Transition("refund", (*PAID_STATUSES, _CANCELLED), _REFUNDED, _PROVIDER, payments=_E.SETTLED_BEFORE, mail=False),
    *(Transition("reopen", CLOSED_STATUSES, back, _STAFF, _REOPENED) for back in PAID_STATUSES),
    *(
        Transition("return_of_money", (_REFUNDED,), back, _PROVIDER, ("where_it_was",), mail=False)
        for back in (*PAID_STATUSES, _CANCELLED)
    ),
)  # fmt: skip
