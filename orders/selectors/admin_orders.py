"""Orders as operators look for them. Archived ones are never among them."""

import re
import uuid
from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from django.db.models import (
    Count,
    Exists,
    OuterRef,
    Prefetch,
    QuerySet,
    Value,
)
from django.db.models.functions import StrIndex
from django.db.models.lookups import GreaterThan
from django.utils import timezone

from orders.models import (
    CLOSED_STATUSES,
    IN_WORKSHOP,
    OPEN_CASES,
    Order,
    OrderSearchEntry,
    OrderStatus,
    Payment,
    WithdrawalCase,
)
from orders.search_index import search_words
from orders.selectors.money import waiting_refunds, with_undecided_money
from orders.selectors.shipments import steps_with_parcels
from orders.selectors.workshop import is_overdue, is_to_make, orders_at_risk, overdue_among
from shop.core.keyset import KeysetPage, read_page, rows_after
from shop.core.searching import MAX_QUERY_WORDS

UNPAID = (OrderStatus.PENDING, OrderStatus.CANCELLED)
# So many of the newest orders are looked through before all are.
WALKED = 4000
# « INV-7C9BE001 », as an invoice calls its order.
_ON_INVOICES = re.compile(r"^inv(?=[0-9a-f]{8}$)")


class Waits(StrEnum):
    """What waits for a person: a payment to look at, kept money, a promise that can't be kept any more, the work."""

    REVIEW = "review"
    MONEY = "money"
    AT_RISK = "at_risk"
    TO_MAKE = "to_make"


@dataclass(frozen=True, slots=True)
class OrderCounts:
    """How many orders the workshop has, by status, and how many of them are late."""

    by_status: dict[str, int]
    late: int


def find_orders(
    *,
    status: str = "",
    statuses: Collection[str] = (),
    search: str = "",
    late: bool = False,
    waits: Waits | str = "",
    include_unpaid: bool = False,
    was_paid: bool = False,
    cursor: str = "",
    page_size: int = 20,
) -> KeysetPage[Order]:
    """Return a page of the list, newest first. Five queries: orders with what is to be done about them
    (`is_overdue`, `withdrawal_open`, `refund_failed`), lines, tracking with who wrote it, payments, their attempts. One
    more where the day promised for one has passed, two or three for a search; for those at risk what `orders_at_risk`
    takes.

    `search` is parts of words: of the id, e-mail, names, phone, postcode, city, pieces, tracking numbers, invoice
    numbers; all of them must be found. `late` are those that `is_overdue` finds. Pending and
    cancelled orders come only with `include_unpaid`, or with `waits`: what somebody has to decide about. `was_paid`:
    all that were ever paid, cancelled ones too. Raises BadCursor.
    """
    orders = _waiting(waits) if waits else Order.objects.filter(archived_at=None)
    if was_paid:
        orders = orders.filter(paid_at__isnull=False)
    elif not (include_unpaid or waits):
        orders = orders.exclude(status__in=UNPAID)
    if status or statuses:
        orders = orders.filter(status__in=[status] if status else statuses)
    if late:
        orders = orders.filter(is_overdue(timezone.localdate()))
    orders = rows_after(orders, cursor, moment="created_at")
    if search.strip():
        orders = orders.filter(pk__in=_newest_with(orders, search, page_size + 1))
    page = read_page(_with_parts(orders), "", moment="created_at", size=page_size)
    _mark_overdue(page.rows)
    return page


def count_orders() -> OrderCounts:
    """Return how many orders are at the workshop, and late there. Two queries."""
    at_work = Order.objects.filter(archived_at=None, status__in=IN_WORKSHOP)
    counted = dict(at_work.order_by().values_list("status").annotate(number=Count("pk")))
    return OrderCounts(
        {status: counted.get(status, 0) for status in IN_WORKSHOP},
        Order.objects.filter(is_overdue(timezone.localdate())).count(),
    )


def admin_order(order_id: uuid.UUID) -> Order | None:
    """Return one order that is not archived, whatever its status. As many queries as a page."""
    found = list(_with_parts(Order.objects.filter(pk=order_id, archived_at=None)))
    _mark_overdue(found)
    return found[0] if found else None


def has_undecided_money(order: Order) -> bool:
    """Return whether the shop keeps money of a closed order that nobody has decided about. No query."""
    return order.status in CLOSED_STATUSES and bool(order.retention_reason) and not order.retention_decision


def _waiting(waits: Waits | str) -> QuerySet[Order]:
    today = timezone.localdate()
    match Waits(waits):
        case Waits.REVIEW:
            # In no list but this one once it is archived.
            return Order.objects.exclude(review_reason="")
        case Waits.MONEY:
            return Order.objects.filter(pk__in=with_undecided_money().values("pk"))
        case Waits.AT_RISK:
            return orders_at_risk(today)
        case Waits.TO_MAKE:
            return Order.objects.filter(is_to_make(today))


def _with_parts(orders: QuerySet[Order]) -> QuerySet[Order]:
    cases = WithdrawalCase.objects.filter(order=OuterRef("pk"), state__in=OPEN_CASES)
    failed = waiting_refunds().filter(order=OuterRef("pk"))
    return orders.annotate(withdrawal_open=Exists(cases), refund_failed=Exists(failed)).prefetch_related(
        "items",
        Prefetch("tracking", steps_with_parcels().select_related("actor")),
        Prefetch("payments", Payment.objects.prefetch_related("attempts")),
    )


def _mark_overdue(orders: Collection[Any]) -> None:
    late = overdue_among(orders)
    for order in orders:
        order.is_overdue = order.pk in late


def _newest_with(orders: QuerySet[Order], text: str, number: int) -> list[uuid.UUID]:
    """Return the keys of the first of these orders that have all words of a text. Two queries, or three."""
    words = [_ON_INVOICES.sub("", word) for word in search_words(text)[:MAX_QUERY_WORDS]]
    if not words:
        return []
    # What many orders have is among the newest: they are looked up one by one. To collect all that have it takes as
    # long as there are orders.
    last = orders.values_list("created_at", flat=True)[WALKED : WALKED + 1].first()
    walked = orders if last is None else orders.filter(created_at__gt=last)
    # A search for bytes, which no index of parts of words answers: the newest are to be read in their order.
    own = OrderSearchEntry.objects.filter(
        *(GreaterThan(StrIndex("text", Value(word)), 0) for word in words), order=OuterRef("pk")
    )
    found = list(walked.filter(Exists(own)).values_list("pk", flat=True)[:number])
    if last is None or len(found) == number:
        return found
    # What few have: PostgreSQL finds it by an index of three letters each, where it has one.
    entries = OrderSearchEntry.objects.all()
    for word in words:
        entries = entries.filter(text__contains=word)
    return list(orders.filter(pk__in=entries.values("pk")).values_list("pk", flat=True)[:number])
