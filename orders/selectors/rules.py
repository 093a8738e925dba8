"""The shop's pricing rules, read from the rows that operators edit."""

import unicodedata
from dataclasses import dataclass
from datetime import date

from django.utils import timezone
from django.utils.translation import gettext as _
from django_countries import countries

from orders.models import OTHER_COUNTRY, PaymentMode
from orders.models import ShippingZone as ZoneRow
from orders.pricing.quote import PricingRules
from orders.pricing.shipping import ShippingZone
from orders.pricing.vat import outside_union
from orders.selectors.destinations import stopped_countries
from orders.selectors.workshop import load_workshop
from shop.core.fragment_cache import cached_fragment
from shop.core.law import HOME_COUNTRY
from shop.core.models import ShopSettings


@dataclass(frozen=True, slots=True)
class CountryChoice:
    """A country of the checkout form. `zone` is the code of its delivery zone."""

    code: str
    name: str
    zone: str
    duties_notice: bool


def load_pricing_rules() -> PricingRules:
    """Return zones, limits and the workshop's calendar as they are now. Two queries; the shop's settings come from
    their cache. Where cached fragments are used, none: whoever changes a zone, a closure or the settings drops them."""
    return cached_fragment(_read_rules, "pricing-rules")


def _read_rules() -> PricingRules:
    zones: list[ShippingZone] = []
    fallback: ShippingZone | None = None
    for row in ZoneRow.objects.all():
        zone = ShippingZone(
            code=row.code,
            countries=frozenset(country.code for country in row.countries),
            rate=row.rate,
            free_from=row.free_from,
            delivery_days_min=row.delivery_days_min,
            delivery_days_max=row.delivery_days_max,
        )
        if row.is_fallback:
            fallback = zone
        else:
            zones.append(zone)
    if fallback is None:
        raise ZoneRow.DoesNotExist("No delivery zone is marked as the zone of all other countries.")
    shop = ShopSettings.load()
    return PricingRules(
        zones=tuple(zones),
        fallback_zone=fallback,
        home_country=HOME_COUNTRY,
        installments_enabled=shop.installments_enabled,
        installments_minimum=shop.installments_minimum,
        workshop=load_workshop(),
    )


def offered_modes() -> list[PaymentMode]:
    """Return how customers may pay; whether a cart is large enough for installments is in its quote."""
    shop = ShopSettings.load()
    return [PaymentMode.FULL, *([PaymentMode.INSTALLMENTS] if shop.installments_enabled else [])]


def today() -> date:
    """Return the civil day where the shop is."""
    return timezone.localdate()


def checkout_countries() -> list[CountryChoice]:
    """Return the countries of the form: those that a zone lists and that are served, by name, then « Autre ». Two
    queries."""
    stopped = stopped_countries()
    choices: list[CountryChoice] = []
    fallback: ZoneRow | None = None
    for row in ZoneRow.objects.all():
        if row.is_fallback:
            fallback = row
        choices += [
            CountryChoice(
                country.code, str(country.name), row.code, row.duties_notice and outside_union(country.code)
            )
            for country in row.countries
            if country.code not in stopped
        ]
    choices.sort(key=lambda choice: (choice.code != HOME_COUNTRY, _sort_key(choice.name)))
    if fallback is not None:
        choices.append(CountryChoice(OTHER_COUNTRY, _("Autre"), fallback.code, fallback.duties_notice))
    return choices


def country_name(code: str, custom: str = "") -> str:
    """Return the country's name in the active language; what the customer wrote for « Autre »."""
    return custom if code == OTHER_COUNTRY else str(countries.name(code) or code)


def _sort_key(name: str) -> str:
    return unicodedata.normalize("NFKD", name).casefold()
