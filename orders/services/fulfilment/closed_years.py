"""Years of the books whose legal period is over (L123-22 C. com.): their orders and documents go, and a row that adds
them up stays, by which the audit still proves that nothing else went."""

import logging
import uuid
from collections.abc import Collection, Iterator, Sequence
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any

from django.db import OperationalError, transaction
from django.db.models import Count, Exists, Max, Min, OuterRef, Q, QuerySet, Sum

from orders.models import (
    CLOSED_STATUSES,
    DONE_STATUSES,
    OPEN_CASES,
    OPEN_DISPUTES,
    OPEN_PAYMENTS,
    REFUNDS_UNDER_WAY,
    UNSETTLED_ATTEMPTS,
    Attempt,
    CardChange,
    Contract,
    ContractDocument,
    DiscardedCard,
    Discrepancy,
    Dispute,
    InstallmentPause,
    Invoice,
    InvoiceDocument,
    InvoiceKind,
    InvoiceSeries,
    LedgerEntry,
    Order,
    OrderEvent,
    Payment,
    PiecePhoto,
    PurgedYear,
    Refund,
    RefundLine,
    RefundRequest,
    RefundState,
    StoredCard,
    Withdrawal,
    WithdrawalCase,
    WithdrawalLine,
)
from orders.services.fulfilment.archiving import archiving_obstacles
from orders.services.fulfilment.piece_photos import delete_photos
from shop.core.audit import record_audit
from shop.core.dates import SHOP_ZONE, shop_day
from shop.core.kernel_data import erase_mails_about
from shop.core.money import ZERO, quantize

logger = logging.getLogger(__name__)

_CHUNK = 200


def purge_closed_years(before: datetime, limit: int) -> int:
    """Delete the orders that ended in a year that was over `before`, with all their documents; return how many.

    Each year goes in one transaction, whole whatever `limit` says, so that the books add up at every moment. An order
    ends in the year of its last movement or document; one that is not settled waits. So does one that fails, which is
    logged by its key and raised after the others.
    """
    return sum(_purge_year(year) for year in _years_due(shop_day(before).year - 1))


def _years_due(last: int) -> Iterator[int]:
    """The years up to `last` that have no row yet, from the first that the books know."""
    purged: int | None = PurgedYear.objects.aggregate(last=Max("year"))["last"]
    if purged is not None:
        yield from range(purged + 1, last + 1)
        return
    moments = (
        LedgerEntry.objects.aggregate(first=Min("occurred_at"))["first"],
        Order.objects.aggregate(first=Min("created_at"))["first"],
        Withdrawal.objects.aggregate(first=Min("declared_at"))["first"],
    )
    years = [shop_day(moment).year for moment in moments if moment is not None]
    series: int | None = InvoiceSeries.objects.aggregate(first=Min("year"))["first"]
    years += [] if series is None else [series]
    yield from range(min(years, default=last + 1), last + 1)


def _purge_year(year: int) -> int:
    try:
        return _purge_orders(year)
    except OperationalError:
        # The database's, not an order's.
        raise
    except Exception:
        if failing := _failing_orders(year):
            _purge_orders(year, without=failing)
        raise


def _failing_orders(year: int) -> set[uuid.UUID]:
    """The orders of a year that can't be deleted: each is tried alone, and all are brought back."""
    failing = set()
    ends_at = _starts_at(year + 1)
    with transaction.atomic():
        # What allows the database to let rows of the year go.
        _new_row(year).save()
        for key in _ended(ends_at):
            try:
                with transaction.atomic():
                    _delete(_lock_settled([key], ends_at))
            except OperationalError:
                raise
            except Exception:
                logger.exception("the order %s can't be purged", key)
                failing.add(key)
        transaction.set_rollback(True)
    return failing


def _starts_at(year: int) -> datetime:
    return datetime.combine(date(year, 1, 1), time(), SHOP_ZONE)


def _new_row(year: int) -> PurgedYear:
    series = InvoiceSeries.objects.filter(year=year).first()
    return PurgedYear(
        year=year,
        ends_at=_starts_at(year + 1),
        last_number=series.last_number if series else 0,
        last_hash=series.last_hash if series else "",
        total=ZERO,
        movements=0,
        moved=ZERO,
        purged_orders=0,
        purged_documents=0,
        purged_total=ZERO,
        purged_movements=0,
        purged_moved=ZERO,
    )


def _purge_orders(year: int, *, without: Collection[uuid.UUID] = ()) -> int:
    starts_at, ends_at = _starts_at(year), _starts_at(year + 1)
    with transaction.atomic():
        # Whoever else purges the year waits here, and then finds its row.
        list(InvoiceSeries.objects.select_for_update().filter(year=year))
        if PurgedYear.objects.filter(year=year).exists():
            return 0
        ended = [key for key in _ended(ends_at) if key not in without]
        orders = [key for chunk in _chunks(ended) for key in _lock_settled(chunk, ends_at)]
        row = _new_row(year)
        row.purged_orders = len(orders)
        row.total = _added_up(Invoice.objects.filter(year=year), "total")[1]
        row.movements, row.moved = _added_up(
            LedgerEntry.objects.filter(occurred_at__gte=starts_at, occurred_at__lt=ends_at), "amount"
        )
        for chunk in _chunks(orders):
            documents, total = _added_up(Invoice.objects.filter(order__in=chunk), "total")
            movements, moved = _added_up(LedgerEntry.objects.filter(order__in=chunk), "amount")
            row.purged_documents += documents
            row.purged_total += total
            row.purged_movements += movements
            row.purged_moved += moved
        row.save()
        for chunk in _chunks(orders):
            _delete(chunk)
        _delete_withdrawals(_without_order(ends_at))
        record_audit(
            "books.year_purged",
            row,
            actor=None,
            after={"year": year, "purged_orders": len(orders), "purged_documents": row.purged_documents},
        )
    return len(orders)


def _added_up(rows: QuerySet[Any], column: str) -> tuple[int, Decimal]:
    found = rows.order_by().aggregate(count=Count("pk"), sum=Sum(column))
    return found["count"], quantize(found["sum"] or ZERO)


def _chunks(keys: Sequence[uuid.UUID]) -> Iterator[Sequence[uuid.UUID]]:
    for first in range(0, len(keys), _CHUNK):
        yield keys[first : first + _CHUNK]


def _ended(ends_at: datetime) -> list[uuid.UUID]:
    """The orders of which nothing is left to do, and all whose documents and movements are older."""
    return list(_over(ends_at).order_by("created_at", "pk").values_list("pk", flat=True))


def _over(ends_at: datetime) -> QuerySet[Order]:
    own = OuterRef("pk")
    declared = Withdrawal.objects.filter(Q(order=own) | Q(case__order=own))
    later = (
        Invoice.objects.filter(order=own, issued_at__gte=ends_at),
        InvoiceDocument.objects.filter(invoice__order=own, created_at__gte=ends_at),
        Contract.objects.filter(order=own, created_at__gte=ends_at),
        ContractDocument.objects.filter(contract__order=own, created_at__gte=ends_at),
        LedgerEntry.objects.filter(Q(occurred_at__gte=ends_at) | Q(created_at__gte=ends_at), order=own),
        Refund.objects.filter(Q(created_at__gte=ends_at) | Q(settled_at__gte=ends_at), order=own),
        RefundRequest.objects.filter(Q(created_at__gte=ends_at) | Q(settled_at__gte=ends_at), order=own),
        Dispute.objects.filter(Q(opened_at__gte=ends_at) | Q(closed_at__gte=ends_at), order=own),
        declared.filter(declared_at__gte=ends_at),
    )
    open_still = (
        Payment.objects.filter(order=own, state__in=OPEN_PAYMENTS),
        Attempt.objects.filter(payment__order=own, state__in=UNSETTLED_ATTEMPTS),
        Refund.objects.filter(order=own, state__in=REFUNDS_UNDER_WAY),
        Dispute.objects.filter(order=own, state__in=OPEN_DISPUTES),
        Discrepancy.objects.filter(order=own, resolved_at=None),
        declared.filter(case__state__in=OPEN_CASES),
    )
    orders = Order.objects.filter(created_at__lt=ends_at, status__in=DONE_STATUSES).exclude(
        Q(paid_at__gte=ends_at)
        | Q(shipped_at__gte=ends_at)
        | Q(delivered_at__gte=ends_at)
        | Q(cancelled_at__gte=ends_at)
    )
    for rows in (*later, *open_still):
        orders = orders.filter(~Exists(rows))
    return orders


def _lock_settled(keys: Sequence[uuid.UUID], ends_at: datetime) -> list[uuid.UUID]:
    """Lock orders, and return those that are settled still. Some twelve queries for each of those that may not be."""
    locked = {
        order.pk: order for order in Order.objects.select_for_update().filter(pk__in=keys).order_by("pk")
    }
    over = set(_over(ends_at).filter(pk__in=keys).values_list("pk", flat=True))
    failed = Refund.objects.filter(order=OuterRef("pk"), state=RefundState.FAILED)
    doubtful = set(
        Order.objects.filter(
            Q(status__in=CLOSED_STATUSES) | ~Q(review_reason="") | Exists(failed), pk__in=keys
        )
        .order_by()
        .values_list("pk", flat=True)
    )
    return [
        key for key in keys if key in over and (key not in doubtful or not archiving_obstacles(locked[key]))
    ]


def _without_order(ends_at: datetime) -> QuerySet[Withdrawal]:
    """Declarations that no order fitted, and that nobody has to answer any more."""
    return Withdrawal.objects.filter(order=None, case__order=None, declared_at__lt=ends_at).exclude(
        case__state__in=OPEN_CASES
    )


def _delete(keys: Sequence[uuid.UUID]) -> None:
    """What names a row goes before it."""
    declared = Withdrawal.objects.filter(Q(order__in=keys) | Q(case__order__in=keys))
    delete_photos(PiecePhoto.objects.filter(piece__item__order__in=keys))
    erase_mails_about(list(Order.objects.filter(pk__in=keys).values_list("reference", flat=True)))
    ContractDocument.objects.filter(contract__order__in=keys).delete()
    Contract.objects.filter(order__in=keys).delete()
    InvoiceDocument.objects.filter(invoice__order__in=keys).delete()
    Invoice.objects.filter(order__in=keys, kind=InvoiceKind.CREDIT_NOTE).delete()
    Invoice.objects.filter(order__in=keys).delete()
    LedgerEntry.objects.filter(order__in=keys).delete()
    RefundLine.objects.filter(request__order__in=keys).delete()
    Refund.objects.filter(order__in=keys).update(replaces=None)
    Payment.objects.filter(order__in=keys).update(merged_into=None)
    Refund.objects.filter(order__in=keys).delete()
    RefundRequest.objects.filter(order__in=keys).delete()
    _delete_withdrawals(declared)
    Dispute.objects.filter(order__in=keys).delete()
    Attempt.objects.filter(payment__order__in=keys).delete()
    for rows in (Payment, Discrepancy, InstallmentPause, CardChange, DiscardedCard, StoredCard, OrderEvent):
        rows.objects.filter(order__in=keys).delete()
    Order.objects.filter(pk__in=keys).delete()


def _delete_withdrawals(declared: QuerySet[Withdrawal]) -> None:
    keys = list(declared.values_list("pk", flat=True))
    erase_mails_about([row.reference for row in Withdrawal.objects.filter(pk__in=keys).only("pk")])
    WithdrawalLine.objects.filter(withdrawal__in=keys).delete()
    WithdrawalCase.objects.filter(withdrawal__in=keys).delete()
    Withdrawal.objects.filter(pk__in=keys).delete()
