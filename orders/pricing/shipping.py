"""Delivery zones: what it costs to send a cart to a place, and from which amount it is free."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise

from orders.pricing.territories import Place
from shop.core.money import ZERO, to_cents


@dataclass(frozen=True, slots=True)
class RateStep:
    """What a parcel of at most so many grams costs, packing included."""

    up_to_grams: int
    rate: Decimal


@dataclass(frozen=True, slots=True)
class ShippingZone:
    """One tariff for a set of countries, given as upper-case ISO 3166-1 alpha-2 codes.

    `steps` are rates by weight, lightest first; `rate` is that of anything heavier, or of every parcel where there are
    none. `free_from` is the subtotal after promotions from which delivery is free, None if it never is. Delivery days
    are the carrier's (`orders.pricing.delivery`). Raises `ValueError` for negative or fractional-cent amounts and for
    steps or days out of order.
    """

    code: str
    countries: frozenset[str]
    rate: Decimal
    free_from: Decimal | None
    delivery_days_min: int
    delivery_days_max: int
    steps: tuple[RateStep, ...] = ()

    def __post_init__(self) -> None:
        amounts = [self.rate, *(step.rate for step in self.steps)]
        if self.free_from is not None:
            amounts.append(self.free_from)
        if any(to_cents(amount) < 0 for amount in amounts):
            raise ValueError(f"Zone {self.code}: an amount can't be negative.")
        if not 0 <= self.delivery_days_min <= self.delivery_days_max:
            raise ValueError(f"Zone {self.code}: delivery days are out of order.")
        weights = [0, *(step.up_to_grams for step in self.steps)]
        if any(lighter >= heavier for lighter, heavier in pairwise(weights)):
            raise ValueError(f"Zone {self.code}: weights are out of order.")

    def rate_for(self, weight_grams: int) -> Decimal:
        """Return the rate of a parcel of this weight."""
        return next((step.rate for step in self.steps if weight_grams <= step.up_to_grams), self.rate)


def find_zone(place: Place, zones: Iterable[ShippingZone], fallback: ShippingZone) -> ShippingZone:
    """Return the zone of the place's territory, else the first that lists its country, else the fallback."""
    for zone in (*zones, fallback):
        if place.zone == zone.code if place.zone else place.country in zone.countries:
            return zone
    return fallback


def shipping_cost(zone: ShippingZone, subtotal: Decimal, item_count: int, weight_grams: int = 0) -> Decimal:
    """Return what delivery costs for so many items, this subtotal after promotions and this weight; nothing for an
    empty cart."""
    if item_count == 0 or (zone.free_from is not None and subtotal >= zone.free_from):
        return ZERO
    return zone.rate_for(weight_grams)


def free_shipping_missing(zone: ShippingZone, subtotal: Decimal, weight_grams: int = 0) -> Decimal | None:
    """Return what the subtotal lacks for free delivery: 0.00 once it is free, None in a zone where it never is."""
    if zone.rate_for(weight_grams) == 0:
        return ZERO
    if zone.free_from is None:
        return None
    return max(zone.free_from - subtotal, ZERO)
