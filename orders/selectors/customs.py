"""Parcels that leave the Union: who pays duties there, and where nothing is sent for now."""

from __future__ import annotations

from orders.invoices.tax import ABROAD_IN_UNION, HOME
from orders.models import DeliveryStop
from shop.core.fragment_cache import cached_fragment


def outside_union(country: str) -> bool:
    """Whether a parcel to this country (ISO 3166-1, ZZ for « Autre ») meets customs."""
    return country not in HOME and country not in ABROAD_IN_UNION


def stopped_countries() -> frozenset[str]:
    """Countries to which nothing is sent for now. One query; where fragments are cached, none."""
    return cached_fragment(_read_stops, "delivery-stops")


def _read_stops() -> frozenset[str]:
    return frozenset(DeliveryStop.objects.order_by().values_list("country", flat=True))


def is_stopped(country: str) -> bool:
    """Whether nothing is sent to this country for now. No query within the Union, where delivery is never stopped."""
    return outside_union(country) and DeliveryStop.objects.filter(country=country).exists()
