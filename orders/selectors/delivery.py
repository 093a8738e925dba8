"""What the pages say about delivery, from the rows that price it."""

from dataclasses import dataclass
from decimal import Decimal

from django.core.cache import cache

from orders.models import ShippingZone
from orders.selectors.rules import HOME_COUNTRY

_CACHE_KEY = "orders:home-delivery"
_CACHE_SECONDS = 60


@dataclass(frozen=True, slots=True)
class FreeDelivery:
    """From which subtotal (euros) delivery is free, and in how many countries, the shop's own among them."""

    free_from: Decimal
    country_count: int


@dataclass(frozen=True, slots=True)
class DeliveryDays:
    """How long the carrier takes in the shop's own zone, in calendar days."""

    minimum: int
    maximum: int


@dataclass(frozen=True, slots=True)
class _Home:
    free: FreeDelivery | None
    days: DeliveryDays | None


@dataclass(frozen=True, slots=True)
class DeliveryRow:
    """A zone as the terms print it: names of its countries (none for the zone of all others), rate and limit."""

    name: str
    countries: list[str]
    rate: Decimal
    free_from: Decimal | None


def free_delivery() -> FreeDelivery | None:
    """The offer of the shop's own zone, None when it has none. At most one query, kept for a minute."""
    return _home().free


def home_delivery_days() -> DeliveryDays | None:
    """The carrier's days in the shop's own zone, None without such a zone. At most one query, the same as
    `free_delivery`'s, kept for a minute."""
    return _home().days


def _home() -> _Home:
    kept: _Home | None = cache.get(_CACHE_KEY)
    if kept is not None:
        return kept
    free, days = None, None
    for zone in ShippingZone.objects.all():
        codes = [country.code for country in zone.countries]
        if HOME_COUNTRY not in codes:
            continue
        days = days or DeliveryDays(zone.delivery_days_min, zone.delivery_days_max)
        if free is None and zone.free_from is not None:
            free = FreeDelivery(zone.free_from, len(codes))
    found = _Home(free, days)
    cache.set(_CACHE_KEY, found, _CACHE_SECONDS)
    return found


def shipping_table() -> list[DeliveryRow]:
    """Every zone in its order. One query."""
    return [
        DeliveryRow(
            name=zone.name,
            countries=[] if zone.is_fallback else [str(country.name) for country in zone.countries],
            rate=zone.rate,
            free_from=zone.free_from,
        )
        for zone in ShippingZone.objects.all()
    ]
