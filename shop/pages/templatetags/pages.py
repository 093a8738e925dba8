"""What pages show on many of them: delivery as the zones have it and official texts."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal

from django import template
from django.urls import reverse
from django.utils import timezone

from orders.selectors.delivery import free_delivery as find_free_delivery
from orders.selectors.delivery import home_delivery_days, open_zones
from shop.core import structured_data
from shop.pages.selectors import official

register = template.Library()


@dataclass(frozen=True, slots=True)
class FreeDeliveryOffer:
    """From which amount delivery is free, and to how many countries besides the shop's own."""

    free_from: Decimal
    other_countries: int


@register.simple_tag
def free_delivery() -> FreeDeliveryOffer | None:
    """None while no zone offers it. At most one query a minute."""
    found = find_free_delivery()
    return FreeDeliveryOffer(found.free_from, found.country_count - 1) if found else None


@dataclass(frozen=True, slots=True)
class DeliveryDates:
    """Between which days a piece ordered today arrives in the shop's own country."""

    earliest: date
    latest: date


@register.simple_tag
def delivery_dates(production_min: int, production_max: int) -> DeliveryDates | None:
    """As the cart promises them: production, then the carrier, in calendar days. None without a zone of our own.
    At most one query a minute."""
    days = home_delivery_days()
    if days is None:
        return None
    today = timezone.localdate()
    return DeliveryDates(
        today + timedelta(days=production_min + days.minimum),
        today + timedelta(days=production_max + days.maximum),
    )


@register.simple_tag
def delivery_countries() -> list[str]:
    """The two-letter codes of every country that is delivered to. At most two queries a minute."""
    return [country for zone in open_zones() for country in zone.countries]


@register.simple_tag
def with_delivery(
    data: structured_data.Data, production_min: int, production_max: int
) -> structured_data.Data:
    """A product's data for search engines with its delivery and its return, as the page and the cart tell them.
    At most two queries a minute."""
    zones = [
        structured_data.DeliveryZone(
            zone.countries, zone.rate, zone.free_from, zone.days.minimum, zone.days.maximum
        )
        for zone in open_zones()
    ]
    return structured_data.with_delivery(
        data, zones=zones, production_days=(production_min, production_max), terms_path=reverse("terms")
    )


@register.simple_tag
def official_texts() -> list[official.ShownText]:
    """What the law has shown word for word, where the owner has supplied it. At most one query a minute."""
    return official.official_texts()
