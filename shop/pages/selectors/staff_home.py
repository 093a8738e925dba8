"""What the first page of the staff area shows besides what waits: how the week goes, and how full the workshop is."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal

from django.db.models import Count, Sum
from django.db.models.functions import TruncDate

from catalog.models import Product, Review, ReviewState
from catalog.selectors.availability import low_stock_condition
from orders.models import Order
from orders.selectors.workshop import load_workshop, paid_units_to_make, queued_units
from shop.core.dates import start_of_day
from shop.core.money import ZERO
from shop.pages.models import ContactRequest, ContactState

_DAYS = 7


@dataclass(frozen=True, slots=True)
class DaySales:
    """What was paid on a day and on the same day a week before, in euros with their cents."""

    day: date
    amount: Decimal
    before: Decimal


@dataclass(frozen=True, slots=True)
class WeekSales:
    """The last seven days beside the seven before."""

    days: tuple[DaySales, ...]
    orders: int
    orders_before: int

    @property
    def amount(self) -> Decimal:
        return sum((day.amount for day in self.days), ZERO)

    @property
    def before(self) -> Decimal:
        return sum((day.before for day in self.days), ZERO)

    @property
    def highest(self) -> Decimal:
        return max(max(day.amount, day.before) for day in self.days)


@dataclass(frozen=True, slots=True)
class Queue:
    """Pieces to be made, and how many a week the workshop can make; None where that is not limited."""

    pieces: int
    weekly_capacity: int | None

    @property
    def weeks(self) -> Decimal | None:
        if not self.weekly_capacity:
            return None
        return (Decimal(self.pieces) / self.weekly_capacity).quantize(Decimal("0.1"))


def week_sales(today: date) -> WeekSales:
    """Return the totals of orders by the day of their payment, cancelled and refunded ones included. One query."""
    first = today - timedelta(days=2 * _DAYS - 1)
    rows = (
        Order.objects.filter(paid_at__gte=start_of_day(first))
        .annotate(day=TruncDate("paid_at"))
        .values_list("day")
        .annotate(amount=Sum("total"), orders=Count("pk"))
        .order_by()
    )
    found = {day: (amount, orders) for day, amount, orders in rows}

    def of(day: date) -> tuple[Decimal, int]:
        return found.get(day, (ZERO, 0))

    week = [today - timedelta(days=back) for back in reversed(range(_DAYS))]
    week_before = [day - timedelta(days=_DAYS) for day in week]
    return WeekSales(
        tuple(
            DaySales(day, of(day)[0], of(before)[0]) for day, before in zip(week, week_before, strict=True)
        ),
        sum(of(day)[1] for day in week),
        sum(of(day)[1] for day in week_before),
    )


def workshop_queue() -> Queue:
    """Return how full the workshop is. Two queries at most."""
    workshop = load_workshop()
    is_limited = workshop.weekly_capacity is not None
    return Queue(queued_units(workshop) if is_limited else paid_units_to_make(), workshop.weekly_capacity)


def open_contacts() -> int:
    """Return the number of messages without an answer. One query."""
    return ContactRequest.objects.exclude(state=ContactState.ANSWERED).count()


def reviews_to_moderate() -> int:
    """Return the number of reviews that wait for a decision. One query."""
    return Review.objects.filter(state=ReviewState.PENDING).count()


def low_stock() -> int:
    """Return the number of products on sale that are counted and nearly gone. One query."""
    return Product.objects.filter(low_stock_condition()).count()
