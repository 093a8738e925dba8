"""A total split into dated parts, without fee."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal

from shop.core.money import from_cents, to_cents

INSTALMENT_COUNT = 3
INTERVAL_DAYS = 30

# A card can't be charged less than this, so an order whose parts would be smaller is never split, even if the
# shop's own minimum is set to nothing.
_SMALLEST_CHARGE = Decimal("0.50")


@dataclass(frozen=True, slots=True)
class Instalment:
    """One part of a total and the day it is charged."""

    due: date
    amount: Decimal


def plan(
    total: Decimal, first_day: date, count: int = INSTALMENT_COUNT, interval_days: int = INTERVAL_DAYS
) -> tuple[Instalment, ...]:
    """`count` equal parts, the first due on `first_day`, each next one `interval_days` later.

    The cents that don't divide go to the first part, so that the parts always add up to the total
    (100.00 = 33.34 + 33.33 + 33.33) and the later charges never exceed the first. Raises `ValueError` for a
    negative or fractional-cent total and for a count below 1.
    """
    cents = to_cents(total)
    if cents < 0 or count < 1:
        raise ValueError(f"{total} can't be split into {count} parts.")
    part = cents // count
    amounts = [cents - part * (count - 1)] + [part] * (count - 1)
    return tuple(
        Instalment(due=first_day + timedelta(days=interval_days * index), amount=from_cents(amount))
        for index, amount in enumerate(amounts)
    )


def reaches_minimum(total: Decimal, minimum: Decimal) -> bool:
    """Whether a total, delivery included, is large enough to be split. The minimum itself is."""
    return total >= max(minimum, _SMALLEST_CHARGE * INSTALMENT_COUNT)
