"""A total split into dated parts, without fee."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal

from shop.core.money import from_cents, to_cents

INSTALLMENT_COUNT = 3
INTERVAL_DAYS = 30
NOTICE_DAYS = 3
"""A later part is charged no sooner than this many days after the mail that announces it."""
LAST_DAYS_AFTER_DISPATCH = 50
"""All is paid by then. A sale whose last part falls later than fifty days after the goods were supplied is a consumer
credit, with its contract and its checks (Code de la consommation, L312-4 4°). Counting from dispatch errs on the safe
side."""

# A card can't be charged less than this, so an order whose parts would be smaller is never split, even if the
# shop's own minimum is set to nothing.
SMALLEST_CHARGE = Decimal("0.50")


@dataclass(frozen=True, slots=True)
class Installment:
    """One part of a total and the day it is charged."""

    due: date
    amount: Decimal


def plan(total: Decimal, first_day: date) -> tuple[Installment, ...]:
    """Return the parts of a total, the first due on `first_day`, each next one thirty days later.

    The cents that don't divide go to the first part, so that the parts always add up to the total
    (100.00 = 33.34 + 33.33 + 33.33) and the later charges never exceed the first. Raises `ValueError` for a
    negative or fractional-cent total.
    """
    cents = to_cents(total)
    if cents < 0:
        raise ValueError(f"{total} can't be split.")
    part = cents // INSTALLMENT_COUNT
    amounts = (cents - part * (INSTALLMENT_COUNT - 1), *[part] * (INSTALLMENT_COUNT - 1))
    return tuple(
        Installment(due=first_day + timedelta(days=INTERVAL_DAYS * index), amount=from_cents(amount))
        for index, amount in enumerate(amounts)
    )


@dataclass(frozen=True, slots=True)
class OwedPart:
    """What is owed of a part now, and what was agreed."""

    owed: Decimal
    agreed: Decimal


def restore_parts(parts: Sequence[OwedPart], amount: Decimal) -> list[Decimal]:
    """Return what each part is owed once up to `amount` euros more are.

    The earliest are filled first, none beyond what was agreed. A part too small to be charged stays as it is.
    """
    restored = []
    for part in parts:
        owed = min(part.owed + amount, part.agreed)
        if owed <= part.owed or owed < SMALLEST_CHARGE:
            owed = part.owed
        restored.append(owed)
        amount -= owed - part.owed
    return restored


def last_day(dispatched_on: date) -> date:
    """Return the latest day on which a part may fall once the order was dispatched."""
    return dispatched_on + timedelta(days=LAST_DAYS_AFTER_DISPATCH)


def charge_day(due: date, announced_on: date) -> date:
    """Return the day on which a part is charged: as agreed, or later when its announcement came late."""
    return max(due, announced_on + timedelta(days=NOTICE_DAYS))


def reaches_minimum(total: Decimal, minimum: Decimal) -> bool:
    """Return whether a total, delivery included, is large enough to be split. The minimum itself is."""
    return total >= max(minimum, SMALLEST_CHARGE * INSTALLMENT_COUNT)
