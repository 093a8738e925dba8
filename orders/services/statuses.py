"""Any status, set by hand: what the workshop does next, or that an order is off."""

import uuid
from typing import TYPE_CHECKING

from django.db import transaction
from django.utils.translation import gettext as _

from orders.models import LedgerEntry, LedgerKind, Order, OrderStatus
from orders.models.order import PAID_STATUSES
from orders.payments.sessions import abandon_order
from orders.services.fulfilment import update_status
from orders.services.journal import record_event, record_tracking
from orders.services.refund_outcomes import CLOSED_BY_REFUND
from orders.services.refund_rules import charges_left, refundable
from orders.services.refunds import request_refund
from orders.services.status_mails import mail_status
from orders.services.unpaid import give_up_unpaid
from shop.core.money import ZERO, amount_string, format_amount
from shop.core.problems import Problem

if TYPE_CHECKING:
    from accounts.models import User

ENDINGS = (OrderStatus.CANCELLED, OrderStatus.REFUNDED)


def change_status(
    *,
    order_id: uuid.UUID,
    status: str,
    actor: "User | None",
    message: str = "",
    tracking_number: str = "",
    refund: bool | None = None,
    key: str = "",
) -> Order:
    """Set any of the seven statuses; the customer gets a tracking entry and a mail.

    An order that was paid: `cancelled` and `refunded` need to know whether what was paid goes back. Without `refund`
    they raise Problem 409 `refund_decision_needed` with `refundable`, in euros; True credits all that is left (see
    `request_refund`; `key` makes that repeatable), False moves no money. Either way nothing more is collected (see
    `give_up_unpaid`). Coming back from them is possible while the shop holds money of the order.

    An order that was never paid can be cancelled only: its payment page is closed first. Raises Problem 409
    (`order_not_paid`, `order_just_paid`, `payment_under_way`), GatewayError when that page can't be closed now,
    RefundRefused, and Order.DoesNotExist. Whatever is raised, the order is as it was.
    """
    if not _was_charged(order_id):
        return _close_unpaid(order_id, status, actor=actor, message=message)
    with transaction.atomic():
        order = Order.objects.select_for_update().get(pk=order_id)
        if status in PAID_STATUSES:
            if order.status not in PAID_STATUSES:
                _reopen(order, actor=actor)
            update_status(
                order_id=order_id,
                status=status,
                message=message,
                tracking_number=tracking_number,
                actor=actor,
            )
        else:
            _set_aside(
                order, status, actor=actor, message=message, tracking_number=tracking_number,
                refund=refund, key=key,
            )  # fmt: skip
    return Order.objects.get(pk=order_id)


def decision_amount(order: Order, status: str) -> str | None:
    """What a change to `status` could give back, in euros ("49.99"); None when there is nothing to decide."""
    if status not in ENDINGS:
        return None
    left = refundable(order)
    return amount_string(left) if left > ZERO else None


def _was_charged(order_id: uuid.UUID) -> bool:
    if not Order.objects.filter(pk=order_id).exists():
        raise Order.DoesNotExist
    return LedgerEntry.objects.filter(order=order_id, kind=LedgerKind.CHARGE).exists()


def _set_aside(
    order: Order,
    status: str,
    *,
    actor: "User | None",
    message: str,
    tracking_number: str,
    refund: bool | None,
    key: str,
) -> None:
    before = order.status
    left = decision_amount(order, status)
    if left is not None and refund is None:
        raise Problem(
            "refund_decision_needed",
            _("Cette commande est payée : faut-il rembourser %(amount)s au client ?")
            % {"amount": format_amount(refundable(order), "fr")},
            409,
            extra={"refundable": left},
        )
    if left is not None and refund:
        request_refund(order_id=order.pk, key=key or f"status-{uuid.uuid4()}", actor=actor, reason=message)
    elif status in ENDINGS:
        give_up_unpaid(order=order, actor=actor, reason=message)
    order.status = status
    order.save(update_fields=["status", "updated_at"])
    entry = record_tracking(order, message=message, tracking_number=tracking_number, actor=actor)
    record_event(
        order,
        "order.status_changed",
        actor=actor,
        before=before,
        after=status,
        refund=bool(left is not None and refund),
    )
    if status == OrderStatus.REFUNDED and before != status:
        # A refund that the bank rejects later brings the order back to where it was.
        record_event(order, CLOSED_BY_REFUND, actor=actor, before=before)
    mail_status(order, entry)


def _reopen(order: Order, *, actor: "User | None") -> None:
    if not any(charge.left > ZERO for charge in charges_left(order)):
        raise Problem("order_not_paid", _("Seule une commande payée peut changer d'étape."), 409)
    record_event(order, "order.reopened", actor=actor, before=order.status)
    order.status = OrderStatus.CONFIRMED
    order.save(update_fields=["status", "updated_at"])


def _close_unpaid(order_id: uuid.UUID, status: str, *, actor: "User | None", message: str) -> Order:
    if status != OrderStatus.CANCELLED:
        raise Problem("order_not_paid", _("Seule une commande payée peut changer d'étape."), 409)
    close_unpaid(order_id)
    with transaction.atomic():
        order = Order.objects.select_for_update().get(pk=order_id)
        entry = record_tracking(order, message=message, actor=actor)
        record_event(order, "order.status_changed", actor=actor, before="pending", after=status)
        mail_status(order, entry)
    return order


def close_unpaid(order_id: uuid.UUID) -> None:
    """Make sure that nobody pays this order any more: its page is closed, its stock goes back.

    Raises GatewayError when the page can't be closed now, Problem 409 `order_just_paid` when it was paid meanwhile,
    and `payment_under_way` while money may still come.
    """
    paid = abandon_order(str(order_id))
    if paid is not None:
        raise Problem("order_just_paid", _("Cette commande vient d'être payée : elle reste ouverte."), 409)
    if Order.objects.filter(pk=order_id, status=OrderStatus.PENDING).exists():
        raise Problem(
            "payment_under_way",
            _("Un paiement est en route ou à vérifier : la commande reste ouverte."),
            409,
        )
