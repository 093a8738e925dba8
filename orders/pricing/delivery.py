"""When a cart arrives: one parcel, its date stated before the order (Code de la consommation, L216-1).

A date is made of three parts, one after the other:

- the queue, in days on which the workshop makes: the pieces to make that were ordered before, and those of the cart,
  over what it makes in a week;
- production, in calendar days (« 2 à 4 semaines » is 14 to 28), without those of a closure: that of the longest line;
- from the next dispatch day the carrier, in days on which it works here and delivers there: no Sunday, no public
  holiday of either country.

Units in stock skip the first two. Weekdays are ISO numbers: 1 is Monday.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Protocol

PublicHolidays = Callable[[str, int], frozenset[date]]
"""The public holidays of a country (ISO 3166-1 alpha-2) in a year."""

SUNDAY = 7
_ONE_DAY = timedelta(days=1)
_WEEKDAYS = frozenset(range(1, 8))


class ProducedLine(Protocol):
    """What the delivery date needs to know about a line of a cart."""

    @property
    def made_quantity(self) -> int:
        """Units that aren't in stock."""
        ...

    @property
    def production_days_min(self) -> int: ...
    @property
    def production_days_max(self) -> int: ...


class CarrierDays(Protocol):
    """How many of its days the carrier needs, at least and at most."""

    @property
    def delivery_days_min(self) -> int: ...
    @property
    def delivery_days_max(self) -> int: ...


@dataclass(frozen=True, slots=True)
class Closure:
    """Days on which nobody is at the workshop, both ends included."""

    starts_on: date
    ends_on: date


@dataclass(frozen=True, slots=True)
class Workshop:
    """When the workshop in `country` makes and sends, and how many pieces it makes in a week (None: not limited).

    Raises `ValueError` for no making or dispatch day, for a weekday that doesn't exist and for a capacity below 1.
    """

    country: str
    public_holidays: PublicHolidays
    making_days: frozenset[int]
    dispatch_days: frozenset[int]
    weekly_capacity: int | None
    closures: tuple[Closure, ...]

    def __post_init__(self) -> None:
        for days in (self.making_days, self.dispatch_days):
            if not days or not days <= _WEEKDAYS:
                raise ValueError("The workshop needs days of the week on which it makes and sends.")
        if self.weekly_capacity is not None and self.weekly_capacity < 1:
            raise ValueError("A workshop that makes nothing in a week can't promise a date.")

    def is_closed(self, day: date) -> bool:
        return any(closure.starts_on <= day <= closure.ends_on for closure in self.closures)

    def makes_on(self, day: date) -> bool:
        return day.isoweekday() in self.making_days and self._works_on(day)

    def sends_on(self, day: date) -> bool:
        return day.isoweekday() in self.dispatch_days and self._works_on(day)

    def delivers_on(self, day: date, country: str) -> bool:
        """Return whether a parcel is on its way, and may arrive in the country, on this day."""
        return (
            day.isoweekday() != SUNDAY
            and day not in self.public_holidays(self.country, day.year)
            and day not in self.public_holidays(country, day.year)
        )

    def queue_days(self, units: int) -> int:
        """Return how many making days it takes to make so many units; 0 where capacity is not limited."""
        if self.weekly_capacity is None:
            return 0
        return -(-units * len(self.making_days) // self.weekly_capacity)

    def _works_on(self, day: date) -> bool:
        return not self.is_closed(day) and day not in self.public_holidays(self.country, day.year)


@dataclass(frozen=True, slots=True)
class Route:
    """From the workshop to a country. `queued_units` were ordered before and are still to be made."""

    carrier: CarrierDays
    country: str
    workshop: Workshop
    queued_units: int


@dataclass(frozen=True, slots=True)
class LeadTime:
    """The days between which a cart leaves and arrives, and the latter in calendar days from the order.

    `latest` is the promised date. For that its last piece must be begun by `start_by` and the parcel leave by
    `dispatch_by`. A workshop that begins what has the first `start_by` keeps every promise that can be kept.
    """

    days_min: int
    days_max: int
    start_by: date
    dispatch_from: date
    dispatch_by: date
    earliest: date
    latest: date


def lead_time(lines: Iterable[ProducedLine], route: Route, *, today: date) -> LeadTime | None:
    """Return when a cart ordered today leaves and arrives; None for an empty cart.

    Everything leaves in one parcel, so the slowest line decides both ends.
    """
    wanted = list(lines)
    if not wanted:
        return None
    workshop, carrier = route.workshop, route.carrier
    made = [line for line in wanted if line.made_quantity]
    begun = ready_from = ready_by = today
    if made:
        units = route.queued_units + sum(line.made_quantity for line in made)
        begun = _after(today, workshop.queue_days(units), workshop.makes_on)
        ready_from = _after_open_days(begun, max(line.production_days_min for line in made), workshop)
        ready_by = _after_open_days(begun, max(line.production_days_max for line in made), workshop)
    dispatch_from = dispatch_day(ready_from, workshop, today)
    dispatch_by = dispatch_day(ready_by, workshop, today)
    earliest = delivery_day(dispatch_from, carrier.delivery_days_min, route.country, workshop)
    latest = delivery_day(dispatch_by, carrier.delivery_days_max, route.country, workshop)
    return LeadTime(
        days_min=(earliest - today).days,
        days_max=(latest - today).days,
        start_by=begun,
        dispatch_from=dispatch_from,
        dispatch_by=dispatch_by,
        earliest=earliest,
        latest=latest,
    )


def dispatch_day(ready: date, workshop: Workshop, today: date) -> date:
    """Return the first dispatch day from which the parcel is ready, not before tomorrow: today's post may have left."""
    return _first(max(ready, today + _ONE_DAY), workshop.sends_on)


def delivery_day(sent: date, days: int, country: str, workshop: Workshop) -> date:
    """Return the day on which a parcel sent on a day arrives in a country after so many of the carrier's days."""

    def delivers(day: date) -> bool:
        return workshop.delivers_on(day, country)

    return _first(_after(sent, days, delivers), delivers)


def last_order_day(lines: Iterable[ProducedLine], route: Route, *, by: date, today: date) -> date | None:
    """Return the last day, from today on, whose order is promised by a day; None when it is too late, or for an empty
    cart.

    What the workshop will have made until then is not counted on: the real last day may only be later.
    """
    wanted = list(lines)

    def arrives(day: date) -> bool:
        lead = lead_time(wanted, route, today=day)
        return lead is not None and lead.latest <= by

    if not arrives(today):
        return None
    # One of the day itself leaves after it. An order of a later day is never promised earlier: the last good day is
    # found by halving.
    good, bad = today, by
    while good + _ONE_DAY < bad:
        middle = good + (bad - good) // 2
        good, bad = (middle, bad) if arrives(middle) else (good, middle)
    return good


def christmas_eve(today: date) -> date | None:
    """Return this year's 24 December in the weeks in which pages speak of Christmas: from November on."""
    eve = date(today.year, 12, 24)
    return eve if date(today.year, 11, 1) <= today <= eve else None


@dataclass(frozen=True, slots=True)
class WaitingOrder:
    """A paid order that has not left: what is still to be made of it, where it goes, and the date it was promised."""

    made_quantity: int
    country: str
    carrier_days: int
    promised_by: date


def late_orders(orders: Iterable[WaitingOrder], workshop: Workshop, today: date) -> list[bool]:
    """Return, of orders in the order in which the workshop begins them, which can't be kept any more even if it sends
    them on its next dispatch day.

    Their production may be over or not: it isn't counted.
    """
    units, found = 0, []
    for order in orders:
        units += order.made_quantity
        ready = today
        if order.made_quantity:
            ready = _after(today - _ONE_DAY, workshop.queue_days(units), workshop.makes_on)
        sent = _first(max(ready, today), workshop.sends_on)
        found.append(delivery_day(sent, order.carrier_days, order.country, workshop) > order.promised_by)
    return found


def _after(day: date, count: int, counts: Callable[[date], bool]) -> date:
    """Return the last of so many days that count, beginning with the day after; the day itself for none."""
    while count:
        day += _ONE_DAY
        count -= counts(day)
    return day


def _after_open_days(day: date, count: int, workshop: Workshop) -> date:
    if not workshop.closures:
        return day + timedelta(days=count)
    return _after(day, count, lambda later: not workshop.is_closed(later))


def _first(day: date, counts: Callable[[date], bool]) -> date:
    while not counts(day):
        day += _ONE_DAY
    return day
