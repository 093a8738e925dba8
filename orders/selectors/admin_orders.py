"""Orders as operators look for them. Archived ones are never among them."""

import re
import uuid
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from django.db.models import CharField, Exists, OuterRef, Prefetch, Q, QuerySet, TextField, Value
from django.db.models.functions import Cast, Concat, Replace

from orders.models import Order, OrderStatus, OrderTracking, Payment
from shop.core.keyset import BadCursor, read_cursor, write_cursor

UNPAID = (OrderStatus.PENDING, OrderStatus.CANCELLED)
_ID_PART = re.compile(r"#?([0-9a-f][0-9a-f-]*)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class OrderPage:
    """A part of the list, newest first. `next_cursor` is empty on the last page."""

    orders: list[Order]
    next_cursor: str


def find_orders(
    *,
    status: str = "",
    statuses: Collection[str] = (),
    search: str = "",
    include_unpaid: bool = False,
    cursor: str = "",
    page_size: int = 20,
) -> OrderPage:
    """Return a page of the list. Six queries: orders, lines, their products, tracking with who wrote it, payments,
    their attempts.

    `search` is any part of the id, the e-mail, the name or a tracking number. Pending and cancelled orders come only
    with `include_unpaid`. Raises BadCursor.
    """
    orders = Order.objects.filter(archived_at=None)
    if not include_unpaid:
        orders = orders.exclude(status__in=UNPAID)
    if status or statuses:
        orders = orders.filter(status__in=[status] if status else statuses)
    if search.strip():
        orders = _search(orders, search.strip())
    if cursor:
        moment, order_id = _read_cursor(cursor)
        orders = orders.filter(Q(created_at__lt=moment) | Q(created_at=moment, pk__lt=order_id))
    found = list(_with_parts(orders).order_by("-created_at", "-pk")[: page_size + 1])
    page = found[:page_size]
    return OrderPage(page, write_cursor(page[-1].created_at, page[-1].pk) if len(found) > page_size else "")


def admin_order(order_id: uuid.UUID) -> Order | None:
    """Return one order that is not archived, whatever its status. As many queries as a page."""
    return _with_parts(Order.objects.filter(pk=order_id, archived_at=None)).first()


def _with_parts(orders: QuerySet[Order]) -> QuerySet[Order]:
    return orders.prefetch_related(
        "items__product",
        Prefetch("tracking", OrderTracking.objects.select_related("actor")),
        Prefetch("payments", Payment.objects.prefetch_related("attempts")),
    )


def _search(orders: QuerySet[Order], text: str) -> QuerySet[Order]:
    tracked = OrderTracking.objects.filter(order=OuterRef("pk"), tracking_number__icontains=text)
    wanted = Q(email__icontains=text) | Q(full_name__icontains=text) | Q(Exists(tracked))
    part = _ID_PART.fullmatch(text)
    if part is not None:
        # Databases write the id with or without its dashes, and so do people.
        wanted |= Q(plain_id__contains=part[1].replace("-", "").lower())
    return orders.annotate(
        full_name=Concat("first_name", Value(" "), "last_name", output_field=CharField()),
        plain_id=Replace(Cast("pk", TextField()), Value("-"), Value(""), output_field=TextField()),
    ).filter(wanted)


def _read_cursor(cursor: str) -> tuple[datetime, uuid.UUID]:
    moment, order_id = read_cursor(cursor)
    try:
        return moment, uuid.UUID(order_id)
    except ValueError as error:
        raise BadCursor(cursor) from error
