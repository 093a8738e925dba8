"""What delivery costs and when it comes: read from the zones that operators edit."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal

from django import template
from django.utils import timezone

from orders.selectors.delivery import free_delivery as find_free_delivery
from orders.selectors.delivery import home_delivery_days

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
