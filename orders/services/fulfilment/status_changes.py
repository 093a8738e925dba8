"""A status set by hand: what the workshop does next, or that an order is off and what becomes of its money."""

import uuid
from collections.abc import Callable
from datetime import date, datetime
from decimal import Decimal
from typing import TYPE_CHECKING

from django.db import transaction
from django.utils import timezone, translation
from django.utils.translation import gettext as _

from orders.journal import (
    NUMBER_ADDED,
    change_sentence,
    record_event,
    record_tracking,
    refuse_missing_reason,
    written_message,
)
from orders.models import (
    CLOSED_STATUSES,
    PAID_STATUSES,
    LedgerEntry,
    LedgerKind,
    Order,
    OrderStatus,
    OrderTracking,
    Shipment,
)
from orders.models.states import ActorKind
from orders.selectors.installments import outstanding
from orders.selectors.refund_rules import held_amount, refundable
from orders.selectors.refund_words import cancelled_reason
from orders.services.installments.scheduled_payments import void_scheduled
from orders.services.payments.checkout_sessions import abandon_order
from orders.services.refunds.decisions import request_refund
from orders.services.refunds.unpaid import close_outstanding
from orders.services.status.mails import (
    mail_number,
    mail_number_taken_back,
    mail_status,
    not_the_number,
    reported_number,
    retell_departure,
    withdraw_number_mails,
)
from orders.services.status.shipments import latest_shipment
from orders.services.status.transitions import cancel_unpaid_order, transition, transition_problem
from shop.core.dates import moment_on
from shop.core.languages import SOURCE_LANGUAGE
from shop.core.money import amount_string, format_amount
from shop.core.problems import Problem
from shop.core.staff_actions import StaffAction

if TYPE_CHECKING:
    from accounts.models import User


def change_status(
    *,
    order_id: uuid.UUID,
    status: str,
    actor: "User | None",
    message: str = "",
    tracking_number: str = "",
    carrier: str | None = None,
    shipment_id: int | None = None,
    refund: bool | None = None,
    reason: str = "",
    dispatched_on: date | None = None,
    key: str = "",
    require_proof: Callable[[], None] | None = None,
    is_preview: bool = False,
) -> Order:
    """Set a status that the table offers (`orders.models.states`); the customer gets a tracking entry and a mail.

    Setting the status that the order has is an addition when it comes with a message or a number, else nothing; the
    number is that of the parcel `shipment_id`, else the last one's.

    `cancelled` and `refunded` need to know whether what was paid goes back. Without `refund` they raise Problem 409
    `refund_decision_needed` with `refundable`, `money` and `voided` in euros; True credits all that is left (see
    `request_refund`; `key` makes that repeatable, `require_proof` is its own); False moves no money, wants a `reason`,
    and leaves the order waiting for a decision about it (`decide_retention`). Either way nothing more is collected (see
    `close_outstanding`).

    An order that was never paid can be cancelled only: its payment page is closed first, and its customer gets a mail
    if there is a message. Raises Problem 409 as `transition_problem`, `reason_needed`, `refund_required`,
    `order_just_paid`, `payment_under_way`, 400 `invalid_date`, GatewayError when the page can't be closed now,
    RefundRefused, and Order.DoesNotExist. Whatever is raised, the order is as it was. `is_preview`: the provider is not
    asked to close the page; the caller undoes what is written.
    """
    order = Order.objects.get(pk=order_id)
    if order.status == OrderStatus.PENDING != status and not _was_charged(order):
        return _cancel_unpaid(order, status, actor=actor, message=message, is_preview=is_preview)
    with transaction.atomic():
        order = Order.objects.select_for_update(no_key=True).get(pk=order_id)
        if status in CLOSED_STATUSES and (status != order.status or refund):
            _close(
                order, status, actor=actor, message=message, tracking_number=tracking_number, refund=refund,
                reason=reason, key=key, require_proof=require_proof,
            )  # fmt: skip
        else:
            update_status(
                order_id=order_id, status=status, message=message, tracking_number=tracking_number,
                carrier=carrier, shipment_id=shipment_id, actor=actor, reason=reason, dispatched_on=dispatched_on,
            )  # fmt: skip
    return Order.objects.get(pk=order_id)


def update_status(
    *,
    order_id: uuid.UUID,
    status: str,
    message: str = "",
    tracking_number: str = "",
    carrier: str | None = None,
    shipment_id: int | None = None,
    actor: "User | None",
    reason: str = "",
    dispatched_on: date | None = None,
) -> OrderTracking | None:
    """Set one of the four statuses of a paid order; returns the tracking entry for its customer.

    The status that it has already is an addition when it comes with a message or a number, and nothing otherwise, nor
    when both were said last; without `carrier` a number is the parcel's own carrier's. `dispatched_on` is the day on
    which it was sent, today by default; `reason` why a dispatch is undone. Raises Problem 409 as `transition_problem`
    and 400 `invalid_date`; nothing changes then.
    """
    with transaction.atomic():
        order = Order.objects.select_for_update(no_key=True).get(pk=order_id)
        if status == order.status:
            return add_to_status(
                order, message=message, tracking_number=tracking_number, carrier=carrier, actor=actor,
                shipment_id=shipment_id,
            )  # fmt: skip
        day = dispatched_on if status == OrderStatus.SHIPPED else None
        return transition(
            order, status, by=ActorKind.STAFF, actor=actor, at=dispatch_moment(order, day, field="dispatched_on"),
            message=message, tracking_number=tracking_number, carrier=carrier or "", reason=reason,
        )  # fmt: skip


def add_to_status(
    order: Order, *, message: str, tracking_number: str, carrier: str | None = None, actor: "User | None",
    shipment_id: int | None = None,
) -> OrderTracking | None:  # fmt: skip
    """Add a message or number to the present status; None when there is nothing new. Runs with the order locked.

    A number is that of the parcel `shipment_id`, else the last one's, once one is on its way; without one, that of
    `shipment_id` is taken back. Raises Shipment.DoesNotExist for a parcel that is not on its way."""
    shipment = None
    if shipment_id is not None:
        shipment = order.shipments.get(pk=shipment_id, undone_at=None)
        if shipment.tracking_number and not tracking_number:
            return _take_number_back(order, shipment, message=message, actor=actor)
    elif tracking_number:
        shipment = latest_shipment(order)
    if carrier is None:
        carrier = shipment.carrier if shipment else ""
    latest = order.tracking.first()
    said = (order.status, message, tracking_number)
    repeated = latest is not None and said == (
        latest.status,
        written_message(order, latest),
        latest.tracking_number,
    )
    # The number leads to the page of its carrier: another one is news, and so is that of another parcel.
    if repeated and tracking_number and latest is not None:
        repeated = carrier == latest.carrier
        repeated = repeated and (shipment is None or shipment.tracking_number == tracking_number)
    if repeated or not (message or tracking_number):
        return None
    former = ""
    if shipment is not None and tracking_number:
        former = shipment.tracking_number if shipment.tracking_number != tracking_number else ""
        shipment.tracking_number, shipment.carrier = tracking_number, carrier
        shipment.save(update_fields=["tracking_number", "carrier"])
    entry = record_tracking(
        order, message=message, tracking_number=tracking_number, carrier=carrier, actor=actor
    )
    record_event(
        order, NUMBER_ADDED, actor=actor, status=order.status, tracking=tracking_number, former=former
    )
    if shipment is None:
        mail_status(order, entry)
    else:
        mail_number(order, entry, shipment)
    return entry


def _take_number_back(
    order: Order, shipment: Shipment, *, message: str, actor: "User | None"
) -> OrderTracking | None:
    """Take the number of a parcel back. Its customer is told of the one that was told last; a mail with a number that
    still waits leaves without it. Runs with the order locked."""
    number, shipment.tracking_number = shipment.tracking_number, ""
    shipment.save(update_fields=["tracking_number"])
    record_event(order, NUMBER_ADDED, actor=actor, status=order.status, tracking="", former=number)
    if is_untold := retell_departure(order, shipment, message):
        waited = []
    else:
        waited = withdraw_number_mails(shipment)
        # Mails are not kept for ever.
        if told := reported_number(shipment) or ("" if waited else number):
            with translation.override(order.language):
                message = "\n".join(filter(None, (not_the_number(told), message)))
    entry = None
    if message:
        entry = record_tracking(order, message=message, carrier=shipment.carrier, actor=actor)
    if not is_untold and (message or waited):
        latest = entry or order.tracking.latest("pk")
        mail_number_taken_back(order, latest, shipment, waited=waited, message=message)
    return entry


def dispatch_moment(order: Order, day: date | None, *, field: str) -> datetime:
    """When the parcel left: noon of an earlier day whose hour nobody noted, but after the payment. `field` is what a
    refusal calls the day."""
    now = timezone.now()
    if day is None:
        return now
    paid_at = order.paid_at or order.created_at
    if not timezone.localdate(paid_at) <= day <= timezone.localdate(now):
        refusal = _("L'expédition ne peut être ni à venir ni avant le paiement.")
        raise Problem("invalid_date", refusal, errors={field: [refusal]})
    return max(moment_on(day, now), paid_at)


def status_actions(order: Order, status: str, refund: bool | None) -> tuple[StaffAction, ...]:
    """Return every action that setting `status` needs; whoever sets it may do all of them.

    The next step of the work is one. Calling an order off, or back, is another; and to say what becomes of its money,
    `refund` True or False, is to decide a refund.
    """
    moves_on = order.status in PAID_STATUSES and status in PAID_STATUSES
    actions = (
        (StaffAction.FULFIL_ORDER,) if moves_on else (StaffAction.FULFIL_ORDER, StaffAction.CANCEL_ORDER)
    )
    return actions if refund is None else (*actions, StaffAction.REFUND_ORDER)


def decide_retention(*, order_id: uuid.UUID, decision: str, actor: "User | None") -> Order:
    """Record why the money of a cancelled order stays with the shop. Raises Problem 409 `nothing_retained` when it
    holds none, `reason_needed` without words."""
    with transaction.atomic():
        order = Order.objects.select_for_update(no_key=True).get(pk=order_id)
        retained = held_amount(order)
        if order.status not in CLOSED_STATUSES or not retained:
            raise Problem("nothing_retained", _("La boutique ne garde rien de cette commande."), 409)
        refuse_missing_reason(decision)
        order.retention_decision = decision.strip()[:500]
        order.save(update_fields=["retention_decision", "updated_at"])
        record_event(
            order,
            "order.retention_decided",
            actor=actor,
            amount=amount_string(retained),
            decision=order.retention_decision,
        )
    return order


def close_unpaid(order_id: uuid.UUID) -> None:
    """Close an unpaid order: its page is expired, its stock released.

    Raises GatewayError when the page can't be closed now, Problem 409 `order_just_paid` when it was paid meanwhile,
    and `payment_under_way` while money may still come.
    """
    paid = abandon_order(order_id, by=ActorKind.STAFF)
    if paid is not None:
        raise Problem("order_just_paid", _("Cette commande vient d'être payée : elle reste ouverte."), 409)
    if Order.objects.filter(pk=order_id, status=OrderStatus.PENDING).exists():
        raise Problem(
            "payment_under_way", _("Un paiement est en route ou à vérifier : la commande reste ouverte."), 409
        )


def _was_charged(order: Order) -> bool:
    return LedgerEntry.objects.filter(order=order, kind=LedgerKind.CHARGE).exists()


def _cancel_unpaid(
    order: Order, status: str, *, actor: "User | None", message: str, is_preview: bool
) -> Order:
    refused = transition_problem(order, status)
    if refused is not None:
        raise refused
    if is_preview:
        cancel_unpaid_order(order.pk, reason="order.abandoned", by=ActorKind.STAFF)
    else:
        close_unpaid(order.pk)
    with transaction.atomic():
        order = Order.objects.select_for_update(no_key=True).get(pk=order.pk)
        if order.tracking.filter(status=OrderStatus.CANCELLED).exists():
            # Somebody else cancelled it at the same moment, with the entry that its customer sees.
            add_to_status(order, message=message, tracking_number="", actor=actor)
            return order
        entry = record_tracking(
            order, message=message or change_sentence(order.status, order.language), actor=actor
        )
        record_event(order, "order.cancelled_by_hand", actor=actor)
        # Who never paid owes nothing and waits for nothing: only words of the shop are worth a mail.
        if message:
            mail_status(order, entry)
    return order


def _close(
    order: Order,
    status: str,
    *,
    actor: "User | None",
    message: str,
    tracking_number: str,
    refund: bool | None,
    reason: str,
    key: str,
    require_proof: Callable[[], None] | None,
) -> None:
    """Runs with the order locked."""
    if status != order.status and (refused := transition_problem(order, status)) is not None:
        raise refused
    left = refundable(order)
    if left and refund is None:
        raise _decision_needed(order, left)
    told = message.strip() or _told_of_money(order, status)
    if left and refund:
        request_refund(
            order_id=order.pk,
            key=key or f"status-{uuid.uuid4()}",
            actor=actor,
            reason=told,
            require_proof=require_proof,
        )
        void_scheduled(order=order, reason="order.closed")
    else:
        held = held_amount(order)
        if held and status == OrderStatus.REFUNDED:
            raise Problem(
                "refund_required",
                _(
                    "« Remboursée » se dit d'une commande dont l'argent est rendu : remboursez, ou annulez-la."
                ),
                409,
            )
        if held and not reason.strip():
            raise Problem("reason_needed", _("Dites pourquoi l'argent n'est pas rendu."), 409)
        close_outstanding(order=order, actor=actor, reason=told)
        order.refresh_from_db()
        if held:
            order.retention_reason, order.retention_decision = reason.strip()[:500], ""
            order.save(update_fields=["retention_reason", "retention_decision", "updated_at"])
    order.refresh_from_db()
    if status == order.status:
        add_to_status(order, message=message, tracking_number=tracking_number, actor=actor)
        return
    transition(
        order, status, by=ActorKind.STAFF, actor=actor, message=message, tracking_number=tracking_number,
        reason=reason, refund=bool(left and refund),
    )  # fmt: skip


def _told_of_money(order: Order, status: str) -> str:
    """Why money is credited, as the customer reads it where staff wrote nothing; empty: what a refund says itself."""
    with translation.override(order.language):
        return cancelled_reason() if status == OrderStatus.CANCELLED else ""


def _decision_needed(order: Order, left: Decimal) -> Problem:
    """The question about the money, with what a refund would really move and what is not collected in any case."""
    voided = min(outstanding(order), left)
    money = left - voided
    texts = {"money": format_amount(money, SOURCE_LANGUAGE), "voided": format_amount(voided, SOURCE_LANGUAGE)}
    if not voided:
        question = _("Cette commande est payée : faut-il rembourser %(money)s au client ?")
    elif not money:
        question = _("%(voided)s d'échéances ne seront jamais prélevés : faut-il fermer la commande ?")
    else:
        question = _(
            "Faut-il rembourser %(money)s au client ? Dans tous les cas, %(voided)s d'échéances ne seront jamais "
            "prélevés."
        )
    return Problem(
        "refund_decision_needed",
        question % texts,
        409,
        extra={
            "refundable": amount_string(left),
            "money": amount_string(money),
            "voided": amount_string(voided),
        },
    )
