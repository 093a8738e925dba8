"""What the dates of the shop are made of: when the workshop works, and how much it has to make."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import cache
from typing import Any

from django.db.models import Aggregate, Count, Exists, F, OuterRef, Q, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce, Greatest, Least
from django.db.models.lookups import GreaterThanOrEqual, LessThan
from django.utils import timezone

from orders.models import (
    IN_WORKSHOP,
    OPEN_CASES,
    Order,
    OrderItem,
    OrderStatus,
    PieceStage,
    RefundLine,
    RefundRequest,
    ShipmentLine,
    ShippingZone,
    WithdrawalCase,
    WithdrawalLine,
    WithdrawalState,
    WorkPiece,
    WorkshopClosure,
)
from orders.pricing.delivery import Closure, WaitingOrder, Workshop, delivery_day, late_orders
from orders.selectors.destinations import place_of
from orders.selectors.money import held_by_banks
from orders.selectors.refund_debts import took_effect
from orders.selectors.territories import load_territories
from shop.core.fragment_cache import cached_content, cached_fragment
from shop.core.law import HOME_COUNTRY
from shop.core.models import ShopSettings
from shop.core.public_holidays import public_holidays

QUEUE_LOCK = "orders:queue"
"""The name that who promises a date locks, so that orders of the same moment count each other."""
ANNOUNCED = timedelta(days=14)
"""How long before its first day pages speak of a closure."""

LATE_AFTER = Coalesce("excused_until", "promised_by")
"""`late_after` of the orders of a query."""


def _to_make(line: str = "") -> Least:
    """Units of a line of an order that are still to be made: not those that left, nor those that left the board as
    they were refunded. `line` leads from the rows to it ("items__")."""
    cancelled = WorkPiece.objects.filter(item=OuterRef(f"{line}pk"), is_cancelled=True)
    kept = _units(cancelled, Count("pk"))
    return Least(f"{line}made_quantity", F(f"{line}quantity") - F(f"{line}sent_quantity") - kept)


@dataclass(frozen=True, slots=True)
class AnnouncedClosure:
    """A closure that pages speak of; `message` is in the active language, "" for the usual sentence."""

    starts_on: date
    ends_on: date
    message: str


def closures_ahead() -> tuple[WorkshopClosure, ...]:
    """Return the closures under way and to come, the first of them first. One query; where cached fragments are used,
    none: whoever changes one drops them."""
    rows = WorkshopClosure.objects.filter(ends_on__gte=timezone.localdate()).order_by("starts_on", "pk")
    return cached_fragment(lambda: tuple(rows), "closures")


def load_workshop() -> Workshop:
    """Return the workshop's calendar and capacity as they are now. One query; the settings come from their cache."""
    shop = ShopSettings.load()
    return Workshop(
        country=HOME_COUNTRY,
        public_holidays=public_holidays,
        making_days=frozenset(map(int, shop.making_days)),
        dispatch_days=frozenset(map(int, shop.dispatch_days)),
        weekly_capacity=shop.weekly_capacity,
        closures=tuple(Closure(row.starts_on, row.ends_on) for row in closures_ahead()),
    )


def queued_units(workshop: Workshop, *, but: Collection[uuid.UUID] = ()) -> int:
    """Return the units ordered and still to be made, without those of `but` among the unpaid orders. One query,
    none where capacity is not limited.

    Orders that wait for their payment count, for a week's work at most: orders placed in the same minutes count each
    other, and who never pays can't push everybody's dates further than that.
    """
    if workshop.weekly_capacity is None:
        return 0
    units = OrderItem.objects.filter(
        order__status__in=(OrderStatus.PENDING, *IN_WORKSHOP), made_quantity__gt=0
    )
    unpaid = Q(order__status=OrderStatus.PENDING)
    found = units.aggregate(
        paid=Sum(_to_make(), filter=~unpaid, default=0),
        unpaid=Sum("made_quantity", filter=unpaid & ~Q(order__in=list(but)) if but else unpaid, default=0),
    )
    return int(found["paid"]) + min(int(found["unpaid"]), workshop.weekly_capacity)


def paid_units_to_make() -> int:
    """Return the units paid for and still to be made, whether capacity is limited or not. One query."""
    units = OrderItem.objects.filter(order__status__in=IN_WORKSHOP, made_quantity__gt=0)
    return int(units.aggregate(units=Sum(_to_make(), default=0))["units"])


def announced_closure() -> AnnouncedClosure | None:
    """Return the closure that pages speak of today: the first of those under way or about to begin. One query a minute
    at most."""
    today = timezone.localdate()
    return cached_content(lambda: _read_announced(today), "announced-closure", today)


def _read_announced(today: date) -> AnnouncedClosure | None:
    found = (row for row in closures_ahead()[:1] if row.starts_on <= today + ANNOUNCED)
    return next((AnnouncedClosure(row.starts_on, row.ends_on, row.message or "") for row in found), None)


def pieces_at_workshop() -> QuerySet[WorkPiece]:
    """Return the pieces that are still to be sent."""
    return WorkPiece.objects.filter(is_cancelled=False).exclude(stage=PieceStage.SHIPPED)


def withdrawn_whole() -> QuerySet[WithdrawalCase]:
    """Return the declarations in force that ended the whole contract of their order, refunded or not, and of which
    nothing may be sent."""
    cases = WithdrawalCase.objects.filter(goods="", withdrawal__lines=None, shipping_allowed_at=None)
    return cases.exclude(taken_up_at=None).exclude(state=WithdrawalState.REFUSED)


def lines_that_follow() -> QuerySet[Any]:
    """Return lines of orders with three numbers of units: those `here`, at the workshop and still to be sent; of these
    those `packed` or to be packed; and those that `follow`, without what declarations in force name."""
    here = pieces_at_workshop().filter(item=OuterRef("pk"))
    most = withdrawn_lines().filter(item=OuterRef("pk")).order_by("-beyond").values("beyond")[:1]
    return OrderItem.objects.annotate(
        here=_units(here, Count("pk")),
        packed=_units(here.filter(stage=PieceStage.TO_PACK), Count("pk")),
        follow=Greatest(F("here") - Greatest(Coalesce(Subquery(most), 0), 0), 0),
    )


def withdrawn_lines() -> QuerySet[Any]:
    """Return the lines of declarations in force that nobody has credited yet. Of the units that a line and those before
    it name, as many as were at its customer then are those; the others, `beyond`, are at the workshop and not sent."""
    decided = RefundRequest.objects.filter(took_effect(), withdrawal=OuterRef("withdrawal"))
    lines = WithdrawalLine.objects.filter(
        ~Exists(decided),
        withdrawal__case__state__in=OPEN_CASES,
        withdrawal__case__taken_up_at__isnull=False,
    )
    then = OuterRef("withdrawal__declared_at")
    named = lines.filter(item=OuterRef("item"), withdrawal__declared_at__lte=then)
    sent = ShipmentLine.objects.filter(
        item=OuterRef("item"), shipment__undone_at=None, shipment__sent_at__lte=then
    )
    came_back = RefundLine.objects.filter(took_effect("request__"), item=OuterRef("item"))
    at_customer = F("item__sent_quantity") - _units(came_back, Sum("sent_quantity"))
    had = Greatest(Least(_units(sent, Sum("quantity")), at_customer), 0)
    return lines.annotate(beyond=_units(named, Sum("quantity")) - had)


def _units(rows: QuerySet[Any], total: Aggregate) -> Coalesce:
    return Coalesce(Subquery(rows.values("item").annotate(units=total).values("units")), 0)


@cache
def awaited() -> Q:
    """Return the condition of orders at the workshop of which a piece is still to be sent to a customer who has not
    withdrawn from it: not where all was refunded, the money on its way or still owed.

    Made once a process: that takes twice as long as to ask it of an order.
    """
    withdrawn = withdrawn_whole().filter(order=OuterRef("pk"))
    follow = lines_that_follow().filter(order=OuterRef("pk"), follow__gt=0)
    return Q(status__in=IN_WORKSHOP) & Q(Exists(follow)) & ~Q(Exists(withdrawn))


def is_awaited(order: Order) -> bool:
    """Return whether that is so of an order. One query, none for one that is not at the workshop, and another where
    somebody has withdrawn."""
    if order.status not in IN_WORKSHOP:
        return False
    here, cases = pieces_at_workshop().filter(item__order=order), WithdrawalCase.objects.filter(order=order)
    at_workshop = Order.objects.filter(Exists(here), pk=order.pk, status__in=IN_WORKSHOP)
    # Without a declaration all that is here follows; the whole condition takes ten times as long to ask.
    is_withdrawn = at_workshop.values_list(Exists(cases), flat=True).first()
    if is_withdrawn:
        return Order.objects.filter(awaited(), pk=order.pk).exists()
    return is_withdrawn is not None


def is_overdue(today: date) -> Q:
    """Return the condition of orders that are `awaited`, that no bank keeps here, and that are late (`late_after`):
    their customer may suspend payment and end the contract (L216-6)."""
    return Q(LessThan(LATE_AFTER, today)) & awaited() & ~held_by_banks()


def overdue_among(orders: Iterable[Order]) -> set[uuid.UUID]:
    """Return the keys of those of these orders that are overdue (`is_overdue`). One query, none while the day of each
    is to come: few are late, and to ask it takes longer than all else of a page."""
    today = timezone.localdate()
    perhaps = {order.pk for order in orders if order.status in IN_WORKSHOP and late_after(order) < today}
    if not perhaps:
        return set()
    return set(Order.objects.filter(is_overdue(today), pk__in=perhaps).values_list("pk", flat=True))


def is_to_make(today: date) -> Q:
    """Return the condition of orders that are `awaited` and not late."""
    return Q(GreaterThanOrEqual(LATE_AFTER, today)) & awaited()


def late_after(order: Order) -> date:
    """Return the last day on which the order is not late: the promised one, or later by the days on which a bank kept
    the order here since that was promised, for those are none of the workshop's delay."""
    return order.excused_until or order.promised_by


def put_at_risk_by(row: WorkshopClosure, today: date) -> int:
    """Return how many promised dates could be kept without a closure, and can't with it."""
    workshop, closure = load_workshop(), Closure(row.starts_on, row.ends_on)
    others = tuple(other for other in workshop.closures if other != closure)
    with_it, without = (
        set(orders_at_risk(today, each).values_list("pk", flat=True))
        for each in (workshop, replace(workshop, closures=others))
    )
    return len(with_it - without)


def orders_at_risk(today: date, workshop: Workshop | None = None) -> QuerySet[Order]:
    """Return the orders whose promised date is to come and can't be kept any more: their turn comes too late, or the
    workshop is closed. Not those that are not `awaited`, which no order waits for either, or that a bank keeps there.
    Five queries, and that of who reads them.
    """
    workshop, territories, carrier_days = workshop or load_workshop(), load_territories(), _carrier_days()
    waiting = list(
        Order.objects.filter(awaited())
        .annotate(units=Sum(_to_make("items__"), default=0))
        .only(
            "promised_by",
            "excused_until",
            "country",
            "custom_country",
            "postal_code",
            "shipping_zone",
            "status",
        )
        .order_by(F("start_by").asc(nulls_first=True), "created_at", "pk")
    )
    late = late_orders(
        (
            WaitingOrder(
                order.units,
                place_of(order, territories).country,
                carrier_days(order),
                late_after(order),
            )
            for order in waiting
        ),
        workshop,
        today,
    )
    keys = [
        order.pk
        for order, is_late in zip(waiting, late, strict=True)
        if is_late and late_after(order) >= today
    ]
    return Order.objects.filter(~held_by_banks(), pk__in=keys)


def arrival_day(order: Order, sent_on: date) -> date:
    """Return the last day on which the carrier delivers a parcel that the order sent on a day. Four queries at most."""
    country = place_of(order).country
    return delivery_day(sent_on, _carrier_days()(order), country, load_workshop())


def _carrier_days() -> Callable[[Order], int]:
    """Return how many of its days the carrier needs at most for an order; that of a zone that is gone takes what the
    slowest takes. One query."""
    days = {zone.code: zone.delivery_days_max for zone in ShippingZone.objects.all()}
    longest = max(days.values(), default=0)
    return lambda order: days.get(order.shipping_zone, longest)
