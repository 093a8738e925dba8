"""How long a customer may withdraw: fourteen days, counted as French and European law count them.

The fourteen days start on the day after the last parcel was received (L221-18, L221-19) and end with the last hour of
the last one. A period that would end on a Saturday, a Sunday or a public holiday runs to the end of the next working
day (L221-19, Regulation 1182/71, article 3). Days are those of the shop's clock (Europe/Paris), so that the change
to and from summer time moves nothing.
"""

from __future__ import annotations

from datetime import date, datetime, timedelta

from orders.models import Order, Withdrawal
from shop.core.dates import shop_day
from shop.core.law import HOME_COUNTRY, REFUND_DAYS, WITHDRAWAL_DAYS
from shop.core.public_holidays import holidays_of_region

# Departments with public holidays of their own (Code du travail L3134-13, L3422-2), by postal code.
_REGIONS = {
    "57": "57",
    "67": "6AE",
    "68": "6AE",
    "971": "971",
    "972": "972",
    "973": "973",
    "974": "974",
    "976": "976",
}
_FRENCH_CODES = {HOME_COUNTRY, "GP", "MQ", "GF", "RE", "YT"}


def withdrawal_deadline(order: Order) -> date | None:
    """Return the last day on which the customer may withdraw; None while the period has not begun to run: nobody knows
    that the last parcel has arrived. No query."""
    if order.delivered_at is None:
        return None
    return period_end(shop_day(order.delivered_at), region=_region(order))


def is_in_time(order: Order, exercised_on: date) -> bool:
    """Return whether a declaration made on this day came before the end of the period. No query."""
    deadline = withdrawal_deadline(order)
    return deadline is None or exercised_on <= deadline


def exercised_on(withdrawal: Withdrawal) -> date:
    """Return the day that decides whether a declaration is in time: a letter's is that of its sending (Directive
    2011/83/EU, article 11(2)). No query."""
    return withdrawal.sent_on or shop_day(withdrawal.declared_at)


def refund_deadline(declared_at: datetime) -> date:
    """Return the last day for the refund. Unlike the customer's period it is not extended: the shop keeps to the
    shorter reading."""
    return shop_day(declared_at) + timedelta(days=REFUND_DAYS)


def period_end(received_on: date, *, region: str | None = None) -> date:
    """Return the last day of a period that begins on the day after `received_on`; `region` has holidays of its own."""
    last = received_on + timedelta(days=WITHDRAWAL_DAYS)
    while last.weekday() >= 5 or last in holidays_of_region(HOME_COUNTRY, region, last.year):
        last += timedelta(days=1)
    return last


def _region(order: Order) -> str | None:
    if order.country not in _FRENCH_CODES:
        return None
    code = order.postal_code.strip()
    return _REGIONS.get(code[:2]) or _REGIONS.get(code[:3])
