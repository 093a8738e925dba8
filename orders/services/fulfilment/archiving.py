"""Taking an order out of staff's lists: deleted when it was never paid, archived when the law keeps it."""

import uuid
from enum import StrEnum
from typing import TYPE_CHECKING

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from orders.journal import record_event
from orders.models import (
    AUTOMATIC_REFUNDS,
    CLOSED_STATUSES,
    DONE_STATUSES,
    REFUNDS_UNDER_WAY,
    UNSETTLED_ATTEMPTS,
    Attempt,
    LedgerEntry,
    Order,
    OrderStatus,
    Payment,
    RefundState,
    StoredCard,
)
from orders.selectors.installments import outstanding
from orders.selectors.refund_debts import debts
from orders.selectors.refund_rules import charge_left, held_amount, open_dispute
from orders.selectors.withdrawals import open_cases
from orders.services.fulfilment.status_changes import close_unpaid
from shop.core.audit import record_audit
from shop.core.languages import SOURCE_LANGUAGE
from shop.core.money import format_amount
from shop.core.problems import Problem

if TYPE_CHECKING:
    from accounts.models import User

_RETAINED = ("ledger", "invoices", "withdrawals", "refund_requests", "refunds", "disputes", "discrepancies")
"""What the shop must be able to show for ten years (L123-22 C. com.); an order that has any of it is not deleted."""


class Removal(StrEnum):
    """What became of an order."""

    DELETED = "deleted"
    ARCHIVED = "archived"


def remove_order(*, order_id: uuid.UUID, actor: "User | None") -> Removal:
    """Delete an unpaid order with its lines and tracking, archive any other.

    The payment page of an order that waits for its payment is closed first. Raises GatewayError when that is not
    possible now, Problem 409 (`order_just_paid`, `payment_under_way`) when money came or may still come,
    `order_not_done` with `obstacles` for one that can't be archived yet, and Order.DoesNotExist; the order is as it
    was then.
    """
    status = Order.objects.values_list("status", flat=True).get(pk=order_id)
    if status == OrderStatus.PENDING and not LedgerEntry.objects.filter(order=order_id).exists():
        close_unpaid(order_id)
    with transaction.atomic():
        order = Order.objects.select_for_update().get(pk=order_id)
        if _is_retained(order):
            _archive(order, actor)
            return Removal.ARCHIVED
        attempts = Attempt.objects.filter(payment__order=order)
        if attempts.filter(state__in=UNSETTLED_ATTEMPTS).exists():
            raise Problem(
                "payment_under_way",
                _("Un paiement est en route ou à vérifier : la commande reste ouverte."),
                409,
            )
        StoredCard.objects.filter(order=order).delete()
        attempts.delete()
        Payment.objects.filter(order=order).delete()
        # Its journal goes with it.
        record_audit("order.deleted", order, actor=actor, before={"reference": order.reference})
        order.delete()
    return Removal.DELETED


def removal_obstacles(order: Order) -> list[str]:
    """Return what in an order's status prevents that `remove_order` archives it; none for one that it would delete.
    What else may stand against it costs a dozen queries and is said when it is tried. Seven queries at most."""
    return [_not_done()] if order.status not in DONE_STATUSES and _is_retained(order) else []


def _not_done() -> str:
    return _("elle n'est ni livrée, ni annulée, ni remboursée")


def _is_retained(order: Order) -> bool:
    return any(getattr(order, name).exists() for name in _RETAINED)


def archiving_obstacles(order: Order) -> list[str]:
    """Return what prevents the archiving of an order, as sentences for staff; none when nothing does. Some twelve
    queries."""
    left = outstanding(order)
    retained = order.status in CLOSED_STATUSES and not order.retention_decision and held_amount(order)
    found = (
        (order.status not in DONE_STATUSES, _not_done()),
        (bool(left), _("il reste %(amount)s à encaisser") % {"amount": format_amount(left, SOURCE_LANGUAGE)}),
        (
            Attempt.objects.filter(payment__order=order, state__in=UNSETTLED_ATTEMPTS).exists(),
            _("un paiement est en route ou à vérifier"),
        ),
        (order.refunds.filter(state__in=REFUNDS_UNDER_WAY).exists(), _("un remboursement est en cours")),
        (
            bool(debts(order)) or _owes_a_charge(order),
            _("un remboursement a échoué et reste dû au client"),
        ),
        (retained, _("l'argent gardé attend votre décision")),
        (open_cases(order).exists(), _("une rétractation est à traiter")),
        (open_dispute(order) is not None, _("un litige est ouvert")),
        (order.discrepancies.filter(resolved_at=None).exists(), _("un écart avec Stripe est à régler")),
        (_is_in_review(order), _("elle est à vérifier")),
    )
    return [str(reason) for holds, reason in found if holds]


def restore_order(*, order_id: uuid.UUID, actor: "User | None") -> Order:
    """Bring an archived order back into staff's lists. Raises Problem 409 for one that is not archived."""
    with transaction.atomic():
        order = Order.objects.select_for_update(no_key=True).get(pk=order_id)
        if order.archived_at is None:
            raise Problem("order_not_archived", _("Cette commande n'est pas archivée."), 409)
        order.archived_at = None
        order.save(update_fields=["archived_at", "updated_at"])
        record_event(order, "order.restored", actor=actor)
    return order


def _archive(order: Order, actor: "User | None") -> None:
    if order.archived_at is not None:
        return
    obstacles = archiving_obstacles(order)
    if obstacles:
        raise Problem(
            "order_not_done",
            _("Cette commande ne peut pas encore être archivée : %(reasons)s.")
            % {"reasons": " ; ".join(obstacles)},
            409,
            extra={"obstacles": obstacles},
        )
    order.archived_at = timezone.now()
    order.save(update_fields=["archived_at", "updated_at"])
    record_event(order, "order.archived", actor=actor)


def _owes_a_charge(order: Order) -> bool:
    """A charge that could not be accepted goes back by itself, without a decision; this one did not."""
    failed = order.refunds.filter(
        attempt__refunds__reason__in=AUTOMATIC_REFUNDS, state=RefundState.FAILED, replaced_by=None
    )
    return any(charge_left(refund.attempt) for refund in failed.select_related("attempt"))


def _is_in_review(order: Order) -> bool:
    """The mark of a lost dispute stays on the order; nobody has anything to do about it any more."""
    return bool(order.review_reason) and not order.review_reason.startswith("dispute: ")
