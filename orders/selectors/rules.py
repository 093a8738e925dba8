"""The shop's pricing rules, read from the rows that operators edit."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from django.utils import timezone
from django.utils.translation import gettext as _
from django_countries import countries

from orders.models import PaymentMode
from orders.models import ShippingZone as ZoneRow
from orders.pricing.quote import PricingRules
from orders.pricing.shipping import ShippingZone
from orders.selectors.delivery import zone_rows
from orders.selectors.destinations import stopped_countries
from orders.selectors.territories import load_territories
from orders.selectors.workshop import load_workshop
from orders.stripe.gateway import PAYMENT_METHODS
from shop.core.fragment_cache import cached_fragment
from shop.core.languages import active_language
from shop.core.law import HOME_COUNTRY
from shop.core.models import ShopSettings
from shop.core.money import format_amount
from shop.core.postcodes import OTHER_COUNTRY, needs_postcode
from shop.core.searching import folded


@dataclass(frozen=True, slots=True)
class CountryChoice:
    """A country of the checkout form, and whether an address there is incomplete without a postcode."""

    code: str
    name: str
    needs_postcode: bool


@dataclass(frozen=True, slots=True)
class PaymentMethod:
    """A means of payment in words, and the sign beside it."""

    icon: str
    name: str


_COUNTRIES_OF_LANGUAGES = {"de": "DE", "es": "ES"}


def load_pricing_rules() -> PricingRules:
    """Return zones, limits and the workshop's calendar as they are now. Three queries; the shop's settings come from
    their cache. Where cached fragments are used, none: whoever changes a zone, a closure or the settings drops them."""
    return cached_fragment(_read_rules, "pricing-rules")


def _read_rules() -> PricingRules:
    zones: list[ShippingZone] = []
    fallback: ShippingZone | None = None
    for row, steps in zone_rows():
        zone = ShippingZone(
            code=row.code,
            countries=frozenset(country.code for country in row.countries),
            rate=row.rate,
            free_from=row.free_from,
            delivery_days_min=row.delivery_days_min,
            delivery_days_max=row.delivery_days_max,
            steps=steps,
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
        territories=load_territories(),
        default_weight_grams=shop.default_weight_grams,
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
    """Return the countries of the form: those that are served and that a zone lists or a territory gives a zone of its
    own; the shop's own first, the others by name as a reader of the active language sorts them, then « Autre ». Three
    queries."""
    rows = list(ZoneRow.objects.all())
    listed = {country.code for row in rows for country in row.countries}
    listed |= {territory.country for territory in load_territories() if territory.zone}
    choices = [
        CountryChoice(code, country_name(code), needs_postcode(code)) for code in listed - stopped_countries()
    ]
    choices.sort(key=lambda choice: (choice.code != HOME_COUNTRY, folded(choice.name)))
    if any(row.is_fallback for row in rows):
        choices.append(CountryChoice(OTHER_COUNTRY, _("Autre"), needs_postcode(OTHER_COUNTRY)))
    return choices


def default_country(choices: Sequence[CountryChoice]) -> str:
    """Return the country that is chosen until a visitor chooses: that of the active language where it is served."""
    wanted = _COUNTRIES_OF_LANGUAGES.get(active_language(), HOME_COUNTRY)
    return wanted if any(choice.code == wanted for choice in choices) else HOME_COUNTRY


def payment_methods() -> list[PaymentMethod]:
    """Return the means of payment that are accepted (L221-14). The payment page offers the same."""
    shop = ShopSettings.load()
    names = {"card": _("Carte bancaire (CB, Visa, Mastercard)")}
    methods = [PaymentMethod(code, names[code]) for code in PAYMENT_METHODS]
    if shop.installments_enabled:
        methods.append(
            PaymentMethod(
                "clock",
                _("En 3 fois sans frais par carte, dès %(minimum)s")
                % {"minimum": format_amount(shop.installments_minimum, active_language())},
            )
        )
    return methods


def country_name(code: str, custom: str = "") -> str:
    """Return the country's name in the active language; what the customer wrote for « Autre »."""
    return custom if code == OTHER_COUNTRY else str(countries.name(code) or code)
