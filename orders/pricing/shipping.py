"""Delivery zones: what it costs to send a cart to a country, and from which amount it is free."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

from shop.core.money import ZERO, to_cents


@dataclass(frozen=True, slots=True)
class ShippingZone:
    """One rate for a set of countries, given as upper-case ISO 3166-1 alpha-2 codes.

    `free_from` is the subtotal after promotions from which delivery is free, None if it never is. Delivery
    days are the carrier's (`orders.pricing.delivery`). Raises `ValueError` for negative or fractional-cent amounts
    and for days out of order.
    """

    code: str
    countries: frozenset[str]
    rate: Decimal
    free_from: Decimal | None
    delivery_days_min: int
    delivery_days_max: int

    def __post_init__(self) -> None:
        if to_cents(self.rate) < 0 or (self.free_from is not None and to_cents(self.free_from) < 0):
            raise ValueError(f"Zone {self.code}: an amount can't be negative.")
        if not 0 <= self.delivery_days_min <= self.delivery_days_max:
            raise ValueError(f"Zone {self.code}: delivery days are out of order.")


def find_zone(country: str, zones: Iterable[ShippingZone], fallback: ShippingZone) -> ShippingZone:
    """Return the first zone that lists the country, else the fallback.

    Codes are compared as they are: a country's name, "Autre" or an empty text is no code and gets the
    fallback.
    """
    return next((zone for zone in zones if country in zone.countries), fallback)


def shipping_cost(zone: ShippingZone, subtotal: Decimal, item_count: int) -> Decimal:
    """Return what delivery costs for so many items and this subtotal after promotions; nothing for an empty cart."""
    if item_count == 0 or (zone.free_from is not None and subtotal >= zone.free_from):
        return ZERO
    return zone.rate


def free_shipping_missing(zone: ShippingZone, subtotal: Decimal) -> Decimal | None:
    """Return what the subtotal lacks for free delivery: 0.00 once it is free, None in a zone where it never is."""
    if zone.rate == 0:
        return ZERO
    if zone.free_from is None:
        return None
    return max(zone.free_from - subtotal, ZERO)
