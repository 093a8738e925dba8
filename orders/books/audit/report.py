"""All checks in one report."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from django.db import connection, transaction

from orders.books.audit.faults import Fault
from orders.books.audit.orders import check_credit_notes, check_ledger, check_orders
from orders.books.audit.provider import check_provider
from orders.books.audit.series import check_documents, check_series
from orders.models import Invoice, LedgerEntry, Order
from orders.stripe import gateway

logger = logging.getLogger(__name__)

__all__ = ["AuditReport", "Fault", "ProviderState", "audit_books"]


class ProviderState(StrEnum):
    AGREES = "agrees"
    DIFFERS = "differs"
    UNREACHABLE = "not reached"
    NOT_CONFIGURED = "not configured"
    NOT_ASKED = "not asked"


@dataclass(slots=True)
class AuditReport:
    """How much was looked at, every fault, and whether the provider's account could be compared."""

    documents: int
    orders: int
    movements: int
    faults: list[Fault] = field(default_factory=list)
    provider: ProviderState = ProviderState.NOT_ASKED

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
    yield from check_documents(now)
    yield from check_orders()
    yield from check_credit_notes()
    yield from check_ledger()


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
