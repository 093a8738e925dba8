"""Where a sale goes, as taxes and customs see it, and where nothing is sent for now."""

from collections.abc import Iterable
from functools import cache

from babel import Locale
from django.conf import settings
from django.utils import translation
from django.utils.translation import gettext as _
from django_countries import countries

from orders.models import DeliveryStop, Order
from orders.pricing.territories import Place, Territory, find_place
from orders.selectors.territories import load_territories
from shop.core.fragment_cache import cached_fragment
from shop.core.postcodes import OTHER_COUNTRY
from shop.core.problems import Problem
from shop.core.searching import folded

# What no list of names has, in the shop's languages.
_OTHERWISE_NAMED = {
    name: code
    for code, names in {
        "US": "us etatsunisdamerique estadosunidosdeamerica eeuu vereinigtestaatenvonamerika",
        "GB": "uk grandebretagne greatbritain granbretana grossbritannien "
        "angleterre england inglaterra ecosse scotland escocia schottland",
        "NL": "hollande holland holanda",
    }.items()
    for name in names.split()
}


def place_of(order: Order, territories: Iterable[Territory] | None = None) -> Place:
    """Return where an order goes, as taxes, customs and delivery see it. One query, none with `territories` given (for
    lists of orders)."""
    return place_at(order.country, order.custom_country, order.postal_code, territories)


def place_at(
    country: str, custom_country: str, postal_code: str, territories: Iterable[Territory] | None = None
) -> Place:
    """Return `place_of` for an address before it is an order's."""
    rows = load_territories() if territories is None else territories
    return find_place(country_code(country, custom_country), postal_code, rows)


def country_code(country: str, custom_country: str) -> str:
    """Return the ISO code of an address's country, that of a country typed under « Autre » when it is known."""
    if country != OTHER_COUNTRY:
        return country
    return _codes_by_name().get(_letters(custom_country), OTHER_COUNTRY)


def stopped_countries() -> frozenset[str]:
    """Return countries to which nothing is sent for now. One query; where cached fragments are used, none."""
    return cached_fragment(_read_stops, "delivery-stops")


def _read_stops() -> frozenset[str]:
    return frozenset(DeliveryStop.objects.order_by().values_list("country", flat=True))


def is_stopped(place: Place) -> bool:
    """Return whether nothing is sent to this place for now. No query within the Union's customs area, where delivery is
    never stopped."""
    return not place.in_customs_area and DeliveryStop.objects.filter(country=place.country).exists()


def not_served(field: str) -> Problem:
    """Return the refusal of an address to which nothing is sent for now; its `field` names the country."""
    refusal = _("Nous ne livrons pas dans ce pays pour l'instant. Choisissez une adresse dans un autre pays.")
    return Problem("country_not_served", refusal, 400, errors={field: [refusal]})


@cache
def _codes_by_name() -> dict[str, str]:
    """Every country's names in the shop's languages, official and in use (« République tchèque », « Tchéquie »), and
    its code of three letters, as `_letters` writes them."""
    codes: dict[str, str] = {}
    for language, _label in settings.LANGUAGES:
        in_use = Locale(language).territories
        with translation.override(language):
            for code, name in countries:
                names = (str(name), in_use.get(code, ""), countries.alpha3(code))
                codes |= dict.fromkeys(map(_letters, names), code)
    return codes | _OTHERWISE_NAMED


def _letters(name: str) -> str:
    """Return a name by which countries are told apart: « Pays Bas », « pays-bas » and « PAYS-BAS » are one, and so are
    the apostrophes of « Côte d'Ivoire »."""
    return "".join(filter(str.isalnum, folded(name)))
