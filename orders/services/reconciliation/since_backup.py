"""What the provider knows of the time that a backup brought back does not have."""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from orders.journal import record_event
from orders.models import InstallmentPause, LedgerKind, Order
from orders.models.pause import PausedBy
from orders.services.reconciliation import comparison, reconcile
from orders.services.reconciliation.nightly import reconcile_days
from orders.stripe import account_activity
from orders.stripe.account_activity import Charge

REASON = "Un débit fait avant la restauration d'une sauvegarde n'est plus dans la boutique."


@dataclass(frozen=True, slots=True)
class SinceBackup:
    """What came of asking: movements that were booked, those of orders that are lost, orders whose later installments
    wait. `lost` is at least how many documents were sent that the shop does not have."""

    healed: int
    lost: int
    paused: int


def ask_since_backup(since: datetime, now: datetime) -> SinceBackup:
    """Fetch the provider's events since a moment and book its charges, refunds and disputes. Safe to repeat.

    Later installments of an order are suspended when a charge of it is not in the books: nobody is charged twice.
    Raises what `gateway` raises.
    """
    reconcile.fetch_events(since, now, delivered=True)
    report = reconcile_days(now, since=since)
    charges = list(account_activity.list_charges(since, now))
    refunds = list(account_activity.list_refunds(since, now))
    ledger = comparison.read_ledger(charges, refunds, [])
    lost_charges = [
        charge
        for charge in charges
        if ledger.owns(charge.intent_id, charge.metadata)
        and ledger.entry(charge.charge_id, LedgerKind.CHARGE) is None
    ]
    lost_refunds = [
        refund
        for refund in refunds
        if ledger.owns(refund.intent_id, refund.metadata)
        and ledger.entry(refund.refund_id, LedgerKind.REFUND) is None
    ]
    return SinceBackup(
        healed=report.healed, lost=len(lost_charges) + len(lost_refunds), paused=_pause(lost_charges)
    )


def _pause(charges: Iterable[Charge]) -> int:
    paused = 0
    for order_id in {named for charge in charges if (named := _order_id(charge)) is not None}:
        with transaction.atomic():
            order = Order.objects.select_for_update(no_key=True).filter(pk=order_id).first()
            if order is None or order.installment_pauses.filter(ended_at=None).exists():
                continue
            InstallmentPause.objects.create(order=order, started_by=PausedBy.STAFF, reason=REASON)
            record_event(order, "installments.paused", by=str(PausedBy.STAFF), reason=REASON)
            paused += 1
    return paused


def _order_id(charge: Charge) -> uuid.UUID | None:
    try:
        return uuid.UUID(charge.metadata.get("order", ""))
    except ValueError:
        return None
