"""A December of the workshop, day by day: more orders than it can make at once, and every promise holds.

400 orders, 100 pieces a week, three days closed. The workshop begins what has the first `start_by`; every piece
then takes its longest production time, every parcel the longest time of the carrier. Nothing is lucky here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from fractions import Fraction
from random import Random

import pytest

from orders.pricing.delivery import Closure, Route, delivery_day, dispatch_day, lead_time
from orders.pricing.shipping import ShippingZone
from orders.pricing.tests.carts import EUROPE, WORKSHOP, WORLD, line

ORDERS = 400
FIRST, LAST = date(2026, 12, 1), date(2026, 12, 31)
WORKSHOP_OF_DECEMBER = replace(
    WORKSHOP, weekly_capacity=100, closures=(Closure(date(2026, 12, 14), date(2026, 12, 16)),)
)
PIECES_A_DAY = Fraction(100, len(WORKSHOP.making_days))


@dataclass
class Placed:
    """An order of the simulation. `to_make` are its pieces whose turn has not come."""

    placed_on: date
    country: str
    production: tuple[int, int]
    made: int
    in_stock: int
    start_by: date = date.max
    promised_by: date = date.max
    to_make: int = 0
    last_turn: date | None = None
    delivered_on: date | None = None


Turn = Callable[[Placed], tuple[date, date]]


@dataclass
class December:
    """What became of the orders."""

    orders: list[Placed]
    longest_queue: int = 0
    late: list[int] = field(default_factory=list)


def test_every_promise_of_a_full_december_is_kept() -> None:
    december = run()
    assert (len(december.orders), sum(order.made for order in december.orders)) == (ORDERS, 597)
    # Two weeks and a half of work wait at the worst.
    assert december.longest_queue == 258
    assert december.late == []


def test_control_without_the_queue_promises_are_broken() -> None:
    late = run(counts_queue=False).late
    assert (len(late), max(late)) == (325, 24)


def test_control_a_workshop_that_begins_what_is_promised_first_breaks_promises() -> None:
    """A near promise of a piece that takes ten days can wait; a far one of a piece that takes four weeks can't."""
    late = run(turn=by_promise).late
    assert (len(late), max(late)) == (151, 21)


@pytest.mark.parametrize("seed", range(5))
def test_any_december_is_kept(seed: int) -> None:
    assert run(seed=seed).late == []


def by_start(order: Placed) -> tuple[date, date]:
    return order.start_by, order.placed_on


def by_promise(order: Placed) -> tuple[date, date]:
    return order.promised_by, order.placed_on


def run(*, counts_queue: bool = True, seed: int = 2026, turn: Turn = by_start) -> December:
    """Place the orders of the month, then work until all of them have arrived."""
    december = December(list(customers(Random(seed))))
    waiting: list[Placed] = []
    coming = list(december.orders)
    spare = Fraction(0)
    day = FIRST - timedelta(days=1)
    while coming or waiting:
        day += timedelta(days=1)
        if WORKSHOP_OF_DECEMBER.makes_on(day):
            spare = make(waiting, spare + PIECES_A_DAY, day, turn)
        for order in [order for order in waiting if not order.to_make]:
            waiting.remove(order)
            order.delivered_on = arrival(order)
        while coming and coming[0].placed_on == day:
            order = coming.pop(0)
            promise(order, sum(other.to_make for other in waiting) if counts_queue else 0, counts_queue)
            waiting.append(order)
            december.longest_queue = max(december.longest_queue, sum(other.to_make for other in waiting))
    december.late = [
        (order.delivered_on - order.promised_by).days
        for order in december.orders
        if order.delivered_on is not None and order.delivered_on > order.promised_by
    ]
    return december


def customers(chance: Random) -> Iterator[Placed]:
    days = [FIRST + timedelta(days=number) for number in range((LAST - FIRST).days + 1)]
    # Twice as many a day before Christmas as after it.
    weights = [2 if day.day <= 20 else 1 for day in days]
    for placed_on in sorted(chance.choices(days, weights, k=ORDERS)):
        country = chance.choices(["FR", "DE", "BE", "CH", "ES", "US"], [70, 10, 8, 4, 4, 4])[0]
        quantity = chance.choices([1, 2, 3, 6], [60, 25, 10, 5])[0]
        from_stock = quantity if chance.random() < 0.1 else 0
        production = chance.choices([(14, 28), (7, 10), (2, 3)], [70, 20, 10])[0]
        yield Placed(placed_on, country, production, quantity - from_stock, from_stock)


def promise(order: Placed, queued: int, counts_queue: bool) -> None:
    workshop = WORKSHOP_OF_DECEMBER if counts_queue else replace(WORKSHOP_OF_DECEMBER, weekly_capacity=None)
    wanted = line(
        "a", "40.00", order.made + order.in_stock, production=order.production, in_stock=order.in_stock
    )
    lead = lead_time([wanted], Route(zone(order), order.country, workshop, queued), today=order.placed_on)
    assert lead is not None
    order.promised_by, order.start_by, order.to_make = lead.latest, lead.start_by, order.made


def make(waiting: list[Placed], units: Fraction, day: date, turn: Turn) -> Fraction:
    """Give the pieces of a day their turn, in the order of `turn`. Returns what a day leaves of a piece."""
    for order in sorted(waiting, key=turn):
        done = min(order.to_make, int(units))
        if done:
            order.to_make -= done
            order.last_turn = day
            units -= done
    # What nobody wanted today can't be made tomorrow.
    return units - int(units) if int(units) == 0 else Fraction(0)


def arrival(order: Placed) -> date:
    ready = order.placed_on
    if order.last_turn is not None:
        ready, days = order.last_turn, order.production[1]
        while days:
            ready += timedelta(days=1)
            days -= not WORKSHOP_OF_DECEMBER.is_closed(ready)
    sent = dispatch_day(ready, WORKSHOP_OF_DECEMBER, order.placed_on)
    return delivery_day(sent, zone(order).delivery_days_max, order.country, WORKSHOP_OF_DECEMBER)


def zone(order: Placed) -> ShippingZone:
    return WORLD if order.country == "US" else EUROPE
