"""Refunds by bank transfer, written down by staff: sent because the card can't take them, or come back undelivered."""

import uuid
from contextlib import suppress
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from orders.journal import record_event
from orders.ledger import book_movement
from orders.models import LedgerKind, Order, Refund, RefundMethod, RefundState, TransferReturn
from orders.selectors.refund_retries import refuse_units_credited_twice, retryable_amount, retryable_refunds
from orders.selectors.refund_rules import RefundRefused
from orders.services.refunds.mails import mail_refund_transferred, mail_transfer_returned
from orders.services.refunds.outcomes import (
    fail_refund,
    lock_refund,
    recompute_state,
    settle_completed_requests,
)
from orders.services.refunds.sending import sync_refunds
from orders.services.status.work_pieces import plan_pieces
from orders.stripe import gateway
from shop.core.dates import moment_on
from shop.core.money import amount_string

if TYPE_CHECKING:
    from accounts.models import User


LONGEST_REFERENCE = 100


def settle_by_transfer(
    *, refund_id: uuid.UUID, sent_on: date, reference: str, amount: Decimal, actor: "User | None" = None
) -> Refund:
    """Record that a failed refund was settled by a bank transfer of `amount` on that day: booked, credited, mailed.

    The provider knows nothing of it. Once a refund: the second call gives the first transfer back. Staff saw `amount`
    before they confirmed; when something else is owed by now, nothing is written. `reference` is what the bank
    statement shows.

    Raises RefundRefused: as `retryable_amount`, `refund_retried` when the card was tried again meanwhile,
    `refund_amount_changed`, and 400 `refund_invalid` for a day in the future or before the failure, or without a
    reference; Refund.DoesNotExist.
    """
    with transaction.atomic():
        order, payment, failed = lock_refund(refund_id)
        known = Refund.objects.filter(replaces=failed).first()
        if known is not None and known.method == RefundMethod.TRANSFER:
            return known
        if known is not None:
            raise RefundRefused(
                "refund_retried",
                _("il a été réessayé sur la carte entre-temps. Attendez de savoir s'il aboutit."),
            )
        owed = retryable_amount(order, failed)
        if owed != amount:
            raise RefundRefused(
                "refund_amount_changed", _("le montant dû a changé entre-temps. Vérifiez-le."), left=owed
            )
        _check(failed, sent_on, reference)
        transfer = Refund.objects.create(
            order=order,
            attempt=failed.attempt,
            request=failed.request,
            replaces=failed,
            amount=amount,
            method=RefundMethod.TRANSFER,
            transfer_reference=reference.strip(),
            note=failed.reason,
            state=RefundState.SUCCEEDED,
        )
        refuse_units_credited_twice(order)
        transfer.settled_at = book_movement(
            order=order,
            payment=payment,
            kind=LedgerKind.REFUND,
            amount=-amount,
            provider_id=transfer.movement,
            reported_at=moment_on(sent_on),
            after=failed.settled_at or failed.created_at,
        ).occurred_at
        transfer.save(update_fields=["settled_at"])
        recompute_state(payment)
        record_event(
            order,
            "refund.transferred",
            actor=actor,
            refund=str(transfer.pk),
            failed=str(failed.pk),
            amount=amount_string(amount),
            sent_on=sent_on.isoformat(),
            reference=transfer.transfer_reference,
        )
        plan_pieces(order, actor=actor)
        settle_completed_requests(order)
        mail_refund_transferred(order, transfer)
    return transfer


def sync_other_refunds(order: Order) -> None:
    """Sync what was refunded at the provider meanwhile: a transfer must not send it a second time.

    Calls the provider, outside every transaction; one that is away is no obstacle.
    """
    with suppress(gateway.GatewayError):
        for debt in retryable_refunds(order):
            sync_refunds(str(debt.refund.attempt.intent_id))


def possible_days(refund: Refund) -> tuple[date, date]:
    """Return the first and the last day on which a transfer may have been sent for a refund that failed, or may have
    come back: since the one failed, or the other was sent, until today."""
    return timezone.localdate(refund.settled_at or refund.created_at), timezone.localdate()


def _check(failed: Refund, sent_on: date, reference: str) -> None:
    first, last = possible_days(failed)
    if sent_on > last:
        raise RefundRefused("refund_invalid", _("la date du virement est dans l'avenir."), status=400)
    if sent_on < first:
        raise RefundRefused(
            "refund_invalid", _("la date du virement est d'avant l'échec du remboursement."), status=400
        )
    if not 1 <= len(reference.strip()) <= LONGEST_REFERENCE:
        raise RefundRefused(
            "refund_invalid", _("indiquez la référence du virement, en 100 caractères au plus."), status=400
        )


def take_transfer_back(
    *, refund_id: uuid.UUID, returned_on: date, why: TransferReturn, actor: "User | None" = None
) -> Refund:
    """Record that the bank returned a transfer on that day, or that it was noted by mistake; the mail says which.

    The line of the books stays: another one takes it back on `returned_on`. The refund has failed from then on, and is
    made again on the card or by another transfer like any other. Once a transfer: the second call changes nothing.

    Raises RefundRefused: `refund_not_transferred`, and 400 `refund_invalid` for a day in the future or before the
    transfer; Refund.DoesNotExist.
    """
    with transaction.atomic():
        order, payment, transfer = lock_refund(refund_id)
        if transfer.method != RefundMethod.TRANSFER:
            raise RefundRefused(
                "refund_not_transferred", _("ce remboursement n'a pas été réglé par virement.")
            )
        if transfer.state == RefundState.FAILED:
            return transfer
        sent_on, today = possible_days(transfer)
        if returned_on > today:
            raise RefundRefused("refund_invalid", _("la date du retour est dans l'avenir."), status=400)
        if returned_on < sent_on:
            raise RefundRefused("refund_invalid", _("la date du retour est d'avant le virement."), status=400)
        fail_refund(
            order,
            payment,
            transfer,
            why,
            returned_at=moment_on(returned_on),
        )
        record_event(
            order,
            "refund.transfer_taken_back",
            actor=actor,
            refund=str(transfer.pk),
            returned_on=returned_on.isoformat(),
            why=str(why),
        )
        mail_transfer_returned(order, transfer, sent_on=sent_on)
    return transfer
