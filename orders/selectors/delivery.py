"""What the pages say about delivery, from the rows that price it."""

from dataclasses import dataclass, replace
from decimal import Decimal

from django.core.cache import cache

from orders.models import ShippingZone
from orders.selectors.destinations import folded, stopped_countries
from shop.core.fragment_cache import cached_fragment
from shop.core.law import HOME_COUNTRY

_CACHE_KEY = "orders:delivery-zones"
_STOPS_KEY = "orders:delivery-stops"
_CACHE_SECONDS = 60


@dataclass(frozen=True, slots=True)
class FreeDelivery:
    """From which subtotal (euros) delivery is free, and in how many countries, the shop's own among them."""

    free_from: Decimal
    country_count: int


@dataclass(frozen=True, slots=True)
class DeliveryDays:
    """How many of its days the carrier needs."""

    minimum: int
    maximum: int


@dataclass(frozen=True, slots=True)
class DeliveryZone:
    """A zone with the codes of the countries that it lists; the one of all other countries may list none. `rate` is the
    one beyond all weights: no cart pays more."""

    countries: tuple[str, ...]
    rate: Decimal
    free_from: Decimal | None
    days: DeliveryDays


@dataclass(frozen=True, slots=True)
class DeliveryRow:
    """A zone as the terms print it: names of its countries in the reader's order (none for the zone of all others),
    rates up to a weight in grams, the rate beyond and the limit."""

    name: str
    countries: list[str]
    steps: list[tuple[int, Decimal]]
    rate: Decimal
    free_from: Decimal | None


def zone_rows() -> tuple[ShippingZone, ...]:
    """Return every zone in its order with its rates. Two queries; where cached fragments are used, none: whoever
    changes one drops them."""
    return cached_fragment(lambda: tuple(ShippingZone.objects.prefetch_related("rate_steps")), "zone-rows")


def delivery_zones() -> tuple[DeliveryZone, ...]:
    """Return every zone in its order. `zone_rows` are read once a minute."""
    cached: tuple[DeliveryZone, ...] | None = cache.get(_CACHE_KEY)
    if cached is not None:
        return cached
    found = tuple(
        DeliveryZone(
            countries=tuple(country.code for country in zone.countries),
            rate=zone.rate,
            free_from=zone.free_from,
            days=DeliveryDays(zone.delivery_days_min, zone.delivery_days_max),
        )
        for zone in zone_rows()
    )
    cache.set(_CACHE_KEY, found, _CACHE_SECONDS)
    return found


def open_zones() -> tuple[DeliveryZone, ...]:
    """Return `delivery_zones` without the countries to which nothing is sent for now. At most three queries, cached for
    a minute."""
    stopped: frozenset[str] | None = cache.get(_STOPS_KEY)
    if stopped is None:
        stopped = stopped_countries()
        cache.set(_STOPS_KEY, stopped, _CACHE_SECONDS)
    return tuple(
        replace(zone, countries=tuple(code for code in zone.countries if code not in stopped))
        for zone in delivery_zones()
    )


def free_delivery() -> FreeDelivery | None:
    """Return the offer of the shop's own zone, None when it has none. Reads `delivery_zones`."""
    for zone in delivery_zones():
        if HOME_COUNTRY in zone.countries and zone.free_from is not None:
            return FreeDelivery(zone.free_from, len(zone.countries))
    return None


def shipping_table() -> list[DeliveryRow]:
    """Return every zone in its order, without the countries where delivery is stopped. Three queries."""
    stopped = stopped_countries()
    return [
        DeliveryRow(
            name=zone.name,
            countries=[]
            if zone.is_fallback
            else sorted(
                (str(country.name) for country in zone.countries if country.code not in stopped), key=folded
            ),
            steps=[(step.up_to_grams, step.rate) for step in zone.rate_steps.all()],
            rate=zone.rate,
            free_from=zone.free_from,
        )
        for zone in zone_rows()
    ]
