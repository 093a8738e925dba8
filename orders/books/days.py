"""Civil days, months and years where the shop is: summer time included, midnight to midnight."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from django.db.models import Q

from shop.core.dates import SHOP_ZONE


@dataclass(frozen=True, slots=True)
class Period:
    """Days from `first` to `last`, both included."""

    first: date
    last: date

    def __post_init__(self) -> None:
        if self.last < self.first:
            raise ValueError("A period ends before it begins.")

    @property
    def start(self) -> datetime:
        """Its first moment."""
        return datetime.combine(self.first, time(), SHOP_ZONE)

    @property
    def end(self) -> datetime:
        """The first moment after it."""
        return datetime.combine(self.last + timedelta(days=1), time(), SHOP_ZONE)

    def holds(self, column: str) -> Q:
        """Return the condition that the moment in a column falls on one of the days."""
        return Q((f"{column}__gte", self.start), (f"{column}__lt", self.end))


def year(number: int) -> Period:
    """Return a civil year."""
    return Period(date(number, 1, 1), date(number, 12, 31))


def month(number: int, of_year: int) -> Period:
    """Return month `number` (1 to 12) of a year."""
    first = date(of_year, number, 1)
    following = date(of_year + number // 12, number % 12 + 1, 1)
    return Period(first, following - timedelta(days=1))


def quarter(number: int, of_year: int) -> Period:
    """Return quarter `number` (1 to 4) of a year."""
    return Period(month(3 * number - 2, of_year).first, month(3 * number, of_year).last)


_NAME = re.compile(r"(20\d\d)-(?:T([1-4])|(0[1-9]|1[0-2]))", re.ASCII)


def period_named(name: str) -> Period | None:
    """Return the quarter or month that returns are filed for under a name (`2026-T4`, `2026-11`); None for others."""
    found = _NAME.fullmatch(name)
    if found is None:
        return None
    of_year, of_quarter, of_month = found.groups()
    return quarter(int(of_quarter), int(of_year)) if of_quarter else month(int(of_month), int(of_year))
