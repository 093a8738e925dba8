"""What the pages say about delivery, from the rows that price it."""

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

from django.db.models import F
from django_countries import countries as names

from orders.models import ShippingZone
from orders.pricing.shipping import RateStep
from orders.selectors.destinations import stopped_countries
from orders.selectors.territories import load_territories
from shop.core.fragment_cache import cached_content, cached_fragment
from shop.core.law import HOME_COUNTRY
from shop.core.searching import folded


@dataclass(frozen=True, slots=True)
class FreeDelivery:
    """From which subtotal (euros) delivery is free, and in how many countries that can be chosen now, the shop's own
    among them."""

    free_from: Decimal
    country_count: int


@dataclass(frozen=True, slots=True)
class DeliveryDays:
    """How many of its days the carrier needs."""

    minimum: int
    maximum: int


@dataclass(frozen=True, slots=True)
class DeliveryZone:
    """A zone with the codes of its countries that can be chosen now; the one of all other countries may list none.
    `rate` is the one beyond all weights: no cart pays more."""

    countries: tuple[str, ...]
    rate: Decimal
    free_from: Decimal | None
    days: DeliveryDays


@dataclass(frozen=True, slots=True)
class DeliveryRow:
    """A zone as the terms print it: names of its countries in the reader's order (none for the zone of all others, but
    those that are not served), rates up to a weight in grams, the rate beyond and the limit."""

    name: str
    countries: list[str]
    not_served: list[str]
    steps: list[tuple[int, Decimal]]
    rate: Decimal
    free_from: Decimal | None


def zone_rows() -> tuple[tuple[ShippingZone, tuple[RateStep, ...]], ...]:
    """Return every zone in its order with its rates by weight, lightest first. One query; where cached fragments are
    used, none: whoever changes one drops them."""
    return cached_fragment(_read_zone_rows, "zone-rows")


def _read_zone_rows() -> tuple[tuple[ShippingZone, tuple[RateStep, ...]], ...]:
    # A row for each rate; a zone without any has one.
    rows = ShippingZone.objects.annotate(
        step_grams=F("rate_steps__up_to_grams"), step_rate=F("rate_steps__rate")
    )
    steps: dict[ShippingZone, list[RateStep]] = {}
    for row in rows.order_by("position", "pk", "step_grams"):
        found = steps.setdefault(row, [])
        if row.step_grams is not None:
            found.append(RateStep(row.step_grams, row.step_rate))
    return tuple((zone, tuple(found)) for zone, found in steps.items())


def open_zones() -> tuple[DeliveryZone, ...]:
    """Return every zone in its order, without the countries to which nothing is sent for now. Read once a minute."""
    return cached_content(_read_open_zones, "open-zones")


def _read_open_zones() -> tuple[DeliveryZone, ...]:
    stopped = stopped_countries()
    return tuple(
        DeliveryZone(
            countries=tuple(country.code for country in zone.countries if country.code not in stopped),
            rate=zone.rate,
            free_from=zone.free_from,
            days=DeliveryDays(zone.delivery_days_min, zone.delivery_days_max),
        )
        for zone, _steps in zone_rows()
    )


def free_delivery() -> FreeDelivery | None:
    """Return the offer of the shop's own zone, None when it has none. Reads `open_zones`."""
    for zone in open_zones():
        if HOME_COUNTRY in zone.countries and zone.free_from is not None:
            return FreeDelivery(zone.free_from, len(zone.countries))
    return None


def not_served_countries() -> list[str]:
    """Return the names of the countries to which nothing is sent for now, in the reader's order: cart and checkout tell
    them before an order is begun (Code de la consommation, L221-14). One query; where cached fragments are used, none.
    """
    return _in_words(stopped_countries())


def _in_words(codes: Iterable[str]) -> list[str]:
    return sorted((str(names.name(code)) for code in codes), key=folded)


def shipping_table() -> list[DeliveryRow]:
    """Return every zone in its order, without the countries where delivery is stopped, and with the territories that
    are countries in an address and have that zone for their own (Monaco). Three queries."""
    stopped = stopped_countries()
    own = {row.country: row.zone for row in load_territories() if row.zone and row.country != row.within}
    rows = []
    for zone, steps in zone_rows():
        listed = {country.code for country in zone.countries} | own.keys()
        here = {code for code in listed - stopped if own.get(code, zone.code) == zone.code}
        rows.append(
            DeliveryRow(
                name=zone.name,
                countries=[] if zone.is_fallback else _in_words(here),
                not_served=_in_words(stopped) if zone.is_fallback else [],
                steps=[(step.up_to_grams, step.rate) for step in steps],
                rate=zone.rate,
                free_from=zone.free_from,
            )
        )
    return rows
