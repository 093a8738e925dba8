"""The audit of the books: every check in one report, the provider's account included."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum

from django.db import connection, transaction
from django.db.models import Max

from orders.books.audit_checks import check_credit_notes, check_ledger, check_orders
from orders.books.audit_documents import Fault, check_documents, check_purged_years, check_series
from orders.books.chain_checks import check_chain
from orders.models import Invoice, InvoiceGap, LedgerEntry, Order, PurgedYear
from orders.services.reconciliation import comparison
from orders.services.reconciliation.nightly import entry_difference
from orders.stripe import account_activity, gateway


def check_provider(now: datetime) -> Iterator[Fault]:
    """Every charge, refund and dispute since the first entry of the ledger that no purged year holds.

    Movements of other sites on the same account are left alone. Raises what `gateway` raises.
    """
    entries = comparison.movements_of_provider()
    purged_until = PurgedYear.objects.aggregate(end=Max("ends_at"))["end"]
    if purged_until is not None:
        entries = entries.filter(occurred_at__gte=purged_until)
    first = entries.order_by("occurred_at").values_list("occurred_at", flat=True).first()
    if first is None:
        return
    since, until = first - timedelta(days=1), now - comparison.SETTLED_AFTER
    if purged_until is not None:
        since = max(since, purged_until)
    charges = list(account_activity.list_charges(since, until))
    refunds = list(account_activity.list_refunds(since, until))
    disputes = list(account_activity.list_disputes(since, until))
    ledger = comparison.read_ledger(charges, refunds, disputes)
    found = [
        *(
            comparison.charge_difference(charge, ledger)
            for charge in charges
            if ledger.owns(charge.intent_id, charge.metadata)
        ),
        *(comparison.refund_difference(refund, ledger) for refund in refunds),
        *(comparison.dispute_difference(dispute, ledger) for dispute in disputes),
    ]
    for difference in found:
        if difference is not None:
            yield Fault("provider", difference.provider_id, difference.detail)
    listed = {
        *(charge.charge_id for charge in charges),
        *(refund.refund_id for refund in refunds),
        *(dispute.dispute_id for dispute in disputes),
    }
    # A dispute that was won, or a refund that failed, may have begun in a year that is purged.
    for entry in entries.filter(created_at__lte=until).order_by("pk").iterator():
        if entry.provider_id not in listed and (difference := entry_difference(entry)) is not None:
            yield Fault("provider", difference.provider_id, difference.detail)


logger = logging.getLogger(__name__)


class ProviderState(StrEnum):
    """Whether the ledger was compared with the provider's account, and with what result."""

    AGREES = "agrees"
    DIFFERS = "differs"
    UNREACHABLE = "not reached"
    NOT_CONFIGURED = "not configured"
    NOT_ASKED = "not asked"


@dataclass(slots=True)
class AuditReport:
    """How much was looked at, every fault, and whether the provider's account could be compared. `lost_numbers` are no
    faults: recorded when a backup was brought back."""

    documents: int
    orders: int
    movements: int
    faults: list[Fault] = field(default_factory=list)
    provider: ProviderState = ProviderState.NOT_ASKED
    lost_numbers: list[str] = field(default_factory=list)

    @property
    def is_whole(self) -> bool:
        return not self.faults


def audit_books(now: datetime, *, with_provider: bool = True) -> AuditReport:
    """Run every check. Reads only; the number of queries does not grow with the books.

    On PostgreSQL everything but the provider is read as of one moment, so that sales during the audit are no faults.
    """
    with _one_moment():
        report = AuditReport(
            documents=Invoice.objects.count(),
            orders=Order.objects.count(),
            movements=LedgerEntry.objects.count(),
        )
        report.lost_numbers.extend(f"{gap} ({gap.backup})" for gap in InvoiceGap.objects.all())
        report.faults.extend(_own_checks(now))
    if with_provider:
        report.provider = _ask_provider(report, now)
    return report


@contextmanager
def _one_moment() -> Iterator[None]:
    """SQLite has one writer, which an open transaction would keep waiting; a caller's transaction is its own moment."""
    if connection.vendor != "postgresql" or connection.in_atomic_block:
        yield
        return
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        yield


def _own_checks(now: datetime) -> Iterator[Fault]:
    yield from check_series()
    yield from check_purged_years()
    yield from check_documents(now)
    yield from check_orders()
    yield from check_credit_notes()
    yield from check_ledger()
    yield from check_chain(now)


def _ask_provider(report: AuditReport, now: datetime) -> ProviderState:
    try:
        faults = list(check_provider(now))
    except gateway.GatewayNotConfigured:
        return ProviderState.NOT_CONFIGURED
    except gateway.GatewayError as error:
        logger.warning("audit without the provider: %s", error)
        return ProviderState.UNREACHABLE
    report.faults.extend(faults)
    return ProviderState.DIFFERS if faults else ProviderState.AGREES
