"""A transfer that staff wrote down and that never reached its customer: the shop owes the money again."""

import uuid
from datetime import date, datetime, time
from typing import TYPE_CHECKING

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from orders.journal import record_event
from orders.models import Refund, RefundMethod, RefundState, TransferReturn
from orders.selectors.refund_rules import RefundRefused
from orders.services.refunds.mails import mail_transfer_returned
from orders.services.refunds.outcomes import fail_refund, lock_refund

if TYPE_CHECKING:
    from accounts.models import User


def take_transfer_back(
    *, refund_id: uuid.UUID, returned_on: date, why: TransferReturn, actor: "User | None" = None
) -> Refund:
    """The bank sent a transfer back on that day, or it was written down by mistake; the customer is told which.

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
        sent_on, today = days_of_return(transfer)
        if returned_on > today:
            raise RefundRefused("refund_invalid", _("la date du retour est dans l'avenir."), status=400)
        if returned_on < sent_on:
            raise RefundRefused("refund_invalid", _("la date du retour est d'avant le virement."), status=400)
        fail_refund(
            order,
            payment,
            transfer,
            why,
            returned_at=datetime.combine(returned_on, time(12), timezone.get_default_timezone()),
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


def days_of_return(transfer: Refund) -> tuple[date, date]:
    """The first and the last day on which a transfer may have come back: since it was sent, until today."""
    return timezone.localdate(transfer.settled_at or transfer.created_at), timezone.localdate()
