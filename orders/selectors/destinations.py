"""Where a sale goes, as taxes and customs see it, and where nothing is sent for now."""

import unicodedata
from functools import cache

from django.conf import settings
from django.utils import translation
from django_countries import countries

from orders.models import OTHER_COUNTRY, DeliveryStop, Order
from orders.pricing.vat import outside_union
from shop.core.fragment_cache import cached_fragment


def destination_of(order: Order) -> str:
    """Return the ISO code of the country an order goes to, that of a country typed under « Autre » when it is known."""
    return country_code(order.country, order.custom_country)


def country_code(country: str, custom_country: str) -> str:
    """Return `destination_of` for an address before it is an order's."""
    if country != OTHER_COUNTRY:
        return country
    return _codes_by_name().get(_folded(custom_country), OTHER_COUNTRY)


def stopped_countries() -> frozenset[str]:
    """Return countries to which nothing is sent for now. One query; where cached fragments are used, none."""
    return cached_fragment(_read_stops, "delivery-stops")


def _read_stops() -> frozenset[str]:
    return frozenset(DeliveryStop.objects.order_by().values_list("country", flat=True))


def is_stopped(country: str) -> bool:
    """Return whether nothing is sent to this country for now. No query within the Union, where delivery is never
    stopped."""
    return outside_union(country) and DeliveryStop.objects.filter(country=country).exists()


@cache
def _codes_by_name() -> dict[str, str]:
    """Every country's names in the shop's languages, without accents and case: « Pologne », « poland »."""
    codes: dict[str, str] = {}
    for language, _label in settings.LANGUAGES:
        with translation.override(language):
            codes |= {_folded(str(name)): code for code, name in countries}
    return codes


def _folded(name: str) -> str:
    plain = "".join(
        letter for letter in unicodedata.normalize("NFKD", name) if not unicodedata.combining(letter)
    )
    return " ".join(plain.casefold().split())
