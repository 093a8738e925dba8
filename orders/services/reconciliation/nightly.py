"""Every night: three days of the provider's account against three days of the ledger, in both directions."""

from __future__ import annotations

import logging
import uuid
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Q
from django.utils import translation

from orders.models import OPEN_DISPUTES, Attempt, Discrepancy, DiscrepancyKind, LedgerEntry, LedgerKind
from orders.models.payment import DEMONSTRATION_MOVEMENT
from orders.services.payments.settlement import settle
from orders.services.reconciliation import comparison as compare
from orders.services.reconciliation.comparison import Difference, Ledger
from orders.services.reconciliation.discrepancies import record_differences
from orders.services.refunds.disputes import sync_disputes
from orders.services.refunds.sending import sync_refunds
from orders.stripe import account_activity, gateway
from orders.stripe.account_activity import Charge, Dispute
from orders.stripe.facts import RefundFacts
from shop.core.languages import SOURCE_LANGUAGE

logger = logging.getLogger(__name__)

LOOK_BACK = timedelta(days=3)
MARGIN = timedelta(days=1)
"""The lists begin earlier than the ledger's days: a movement may have been booked later than it was begun."""


@dataclass(frozen=True, slots=True)
class NightlyReport:
    """How many movements of the provider were looked at, how many were brought into the books, what is open."""

    looked_at: int
    healed: int
    open: int


@dataclass(frozen=True, slots=True)
class _Account:
    charges: list[Charge]
    refunds: list[RefundFacts]
    disputes: list[Dispute]

    def __len__(self) -> int:
        return len(self.charges) + len(self.refunds) + len(self.disputes)

    def ledger(self) -> Ledger:
        return compare.read_ledger(self.charges, self.refunds, self.disputes)

    def differences(self, ledger: Ledger) -> list[Difference]:
        return [
            difference
            for difference in (
                *(compare.charge_difference(charge, ledger) for charge in self.charges),
                *(compare.refund_difference(refund, ledger) for refund in self.refunds),
                *(compare.dispute_difference(dispute, ledger) for dispute in self.disputes),
            )
            if difference is not None
        ]

    def ours(self, ledger: Ledger) -> _Account:
        return _Account(
            [charge for charge in self.charges if ledger.owns(charge.intent_id, charge.metadata)],
            [refund for refund in self.refunds if ledger.owns(refund.intent_id, refund.metadata)],
            [dispute for dispute in self.disputes if ledger.attempt(dispute.intent_id) is not None],
        )


def reconcile_days(now: datetime, *, since: datetime | None = None) -> NightlyReport:
    """Book the provider's movements of three days, or since a moment, that are missing, and write a discrepancy for
    the rest. Safe to repeat.

    Raises GatewayUnavailable when the provider stops answering: no discrepancy is written or closed then, and what was
    brought into the books stays there. Movements of other sites on the same account are none of our business.
    """
    # What is found is compared with what is stored: in one language, whoever runs it.
    with translation.override(SOURCE_LANGUAGE):
        return _reconcile(since or now - LOOK_BACK, now)


def _reconcile(since: datetime, now: datetime) -> NightlyReport:
    until = now - compare.SETTLED_AFTER
    account = _Account(
        list(account_activity.list_charges(since - MARGIN, until)),
        list(account_activity.list_refunds(since - MARGIN, until)),
        list(account_activity.list_disputes(since - MARGIN, until)),
    )
    account = account.ours(account.ledger())
    before = account.differences(account.ledger())
    _book_missing(account, {difference.provider_id for difference in before})
    _follow_open_disputes()
    found = account.differences(account.ledger())
    found += _unknown_to_provider(account, since, until)
    paid_then = Q(paid_at__gte=since, paid_at__lte=until)
    found += compare.payments_without_charge(paid_then) + compare.orders_without_charge(paid_then)
    gone = _resolved(found)
    open_discrepancies = record_differences(found, gone=gone, now=now)
    known = {difference.key for difference in found}
    healed = sum(1 for difference in before if difference.key not in known)
    return NightlyReport(looked_at=len(account), healed=healed, open=len(open_discrepancies))


def _book_missing(account: _Account, movement_ids: set[str]) -> None:
    """Call what a webhook would have called."""
    ledger = account.ledger()
    for charge in account.charges:
        attempt_id = _attempt_of(charge, ledger)
        if charge.charge_id in movement_ids and attempt_id is not None:
            with _logged(charge.charge_id):
                settle(attempt_id)
    for refund in account.refunds:
        if refund.refund_id in movement_ids:
            with _logged(refund.refund_id):
                sync_refunds(refund.intent_id)
    for dispute in account.disputes:
        if dispute.dispute_id in movement_ids:
            with _logged(dispute.dispute_id):
                sync_disputes(dispute.intent_id)


def _follow_open_disputes() -> None:
    """A dispute is decided weeks after it was opened: one whose end nobody told would freeze its order for good."""
    followed = Attempt.objects.filter(disputes__state__in=OPEN_DISPUTES).exclude(
        intent_id__startswith=DEMONSTRATION_MOVEMENT
    )
    for intent_id in followed.values_list("intent_id", flat=True).distinct():
        with _logged(str(intent_id)):
            sync_disputes(str(intent_id))


def _attempt_of(charge: Charge, ledger: Ledger) -> uuid.UUID | None:
    attempt = ledger.attempt(charge.intent_id)
    if attempt is not None:
        return attempt.pk
    try:
        named = uuid.UUID(charge.metadata.get("attempt", ""))
    except ValueError:
        return None
    return Attempt.objects.filter(pk=named).values_list("pk", flat=True).first()


@contextmanager
def _logged(movement_id: str) -> Iterator[None]:
    """One movement that can't be booked must not keep the others waiting; it becomes a discrepancy."""
    try:
        yield
    except (gateway.GatewayUnavailable, gateway.GatewayNotConfigured):
        raise
    except Exception:
        logger.exception("movement %s could not be brought into the books", movement_id)


def _unknown_to_provider(account: _Account, since: datetime, until: datetime) -> list[Difference]:
    """Entries of the ledger that the lists do not name are asked for one by one: a late webhook is no difference."""
    listed = {
        *(charge.charge_id for charge in account.charges),
        *(refund.refund_id for refund in account.refunds),
        *(dispute.dispute_id for dispute in account.disputes),
    }
    entries = [entry for entry in compare.booked_between(since, until) if entry.provider_id not in listed]
    return [difference for entry in entries if (difference := entry_difference(entry)) is not None]


def entry_difference(entry: LedgerEntry) -> Difference | None:
    """Ask the provider for an entry's movement by its name, and compare them."""
    alone = _fetch(LedgerKind(entry.kind), entry.provider_id)
    if not len(alone):
        return compare.entry_without_movement(entry)
    return next(iter(alone.differences(alone.ledger())), None)


def _fetch(kind: LedgerKind, movement_id: str) -> _Account:
    """A movement asked for by its name; an empty account when the provider does not know it."""
    if kind == LedgerKind.CHARGE:
        charge = account_activity.fetch_charge(movement_id)
        return _Account([] if charge is None else [charge], [], [])
    if kind in (LedgerKind.REFUND, LedgerKind.REFUND_FAILED):
        refund = account_activity.fetch_refund(movement_id)
        return _Account([], [] if refund is None else [refund], [])
    dispute = account_activity.fetch_dispute(movement_id)
    return _Account([], [], [] if dispute is None else [dispute])


def _resolved(found: Iterable[Difference]) -> list[int]:
    """Open discrepancies that are gone by now. Each is looked at by itself: it may be older than the lists."""
    known = {difference.key for difference in found}
    return [
        discrepancy.pk
        for discrepancy in Discrepancy.objects.filter(resolved_at=None)
        if (discrepancy.kind, discrepancy.provider_id) not in known and not _still_differs(discrepancy)
    ]


def _still_differs(discrepancy: Discrepancy) -> bool:
    if discrepancy.kind == DiscrepancyKind.PAYMENT_UNMATCHED:
        # Recorded from an event; only a person can say what it was.
        return True
    prefix, _dash, row = discrepancy.provider_id.partition("-")
    if f"{prefix}-" == compare.PAYMENT_PREFIX:
        return bool(compare.payments_without_charge(Q(pk=row)))
    if f"{prefix}-" == compare.ORDER_PREFIX:
        return bool(compare.orders_without_charge(Q(pk=row)))
    kinds = {
        DiscrepancyKind.REFUND_DIFFERS: LedgerKind.REFUND,
        DiscrepancyKind.DISPUTE_DIFFERS: LedgerKind.DISPUTE,
    }
    kind = kinds.get(DiscrepancyKind(discrepancy.kind), LedgerKind.CHARGE)
    alone = _fetch(kind, discrepancy.provider_id)
    if not len(alone):
        # The provider knows no such movement: still a difference as long as the ledger has it.
        return LedgerEntry.objects.filter(provider_id=discrepancy.provider_id).exists()
    return any(difference.kind == discrepancy.kind for difference in alone.differences(alone.ledger()))
