"""What delivery costs, in the line above every page: read from the zones that operators edit."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from django import template

from orders.selectors.delivery import free_delivery as find_free_delivery

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
