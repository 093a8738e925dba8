"""When one piece ordered today leaves and arrives: what cards, product pages and search engines are told.

The same calculation as a cart's (`orders.pricing.delivery`), with a queue that may be a minute old. The date
that binds is the one that the checkout calculates (`orders.services.checkout.placement`).
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from catalog.selectors.wording import ProductionDays, default_production_days
from orders.models import ShippingZone
from orders.pricing.delivery import LeadTime, Route, christmas_eve, delivery_day, last_order_day, lead_time
from orders.pricing.quote import PricingRules
from orders.selectors.delivery import DeliveryZone, open_zones
from orders.selectors.rules import load_pricing_rules, today
from orders.selectors.workshop import queued_units
from shop.core.dates import day_in_words, unbroken
from shop.core.fragment_cache import cached_content, cached_fragment
from shop.core.law import HOME_COUNTRY


@dataclass(frozen=True, slots=True)
class Piece:
    """One unit of a product. `made_quantity` is 0 when it is in stock."""

    made_quantity: int
    production_days_min: int
    production_days_max: int


@dataclass(frozen=True, slots=True)
class PiecePromise:
    """Of one piece sent within the shop's own country. `christmas_until` is the last day for a delivery before
    Christmas, None out of season or when it is too late."""

    in_stock: bool
    lead_time: LeadTime
    christmas_until: date | None


@dataclass(frozen=True, slots=True)
class ChristmasDays:
    """The last days to order a piece for a delivery before Christmas, None when it is too late: one in stock, and one
    made in `production`, the shop's usual time."""

    in_stock: date | None
    made: date | None
    production: ProductionDays


@dataclass(frozen=True, slots=True)
class Transit:
    """Countries of a zone to which the carrier takes the same calendar days from dispatch."""

    countries: tuple[str, ...]
    days_min: int
    days_max: int


def piece(days_min: int, days_max: int, available_quantity: int | None) -> Piece:
    """Return a unit of something of which so many are in stock; None is made to order."""
    return Piece(0 if available_quantity else 1, days_min, days_max)


def piece_promise(wanted: Piece) -> PiecePromise | None:
    """Return the promise for a piece ordered today; None while no zone lists the shop's own country. Three queries a
    minute at most."""
    return cached_fragment(lambda: [_promise(wanted)], "piece-promise", wanted)[0]


def christmas_days() -> ChristmasDays | None:
    """Return the last days to order before Christmas; None out of season and while no zone lists the shop's own
    country. Three queries a minute at most."""
    usual = default_production_days()
    made, in_stock = (piece_promise(piece(usual.low, usual.high, units)) for units in (None, 1))
    if made is None or in_stock is None or christmas_eve(today()) is None:
        return None
    return ChristmasDays(in_stock.christmas_until, made.christmas_until, usual)


def christmas_text(until: date | None) -> str:
    """Return the sentence about a delivery before Christmas; "" when it can't be said. The day in it is the one after
    `until`, which the order must come before."""
    text = _("Chez vous avant Noël si commandé avant le %(day)s")
    return "" if until is None else text % {"day": _day_to_come_before(until)}


def christmas_text_in_france(until: date | None) -> str:
    """Return the same for pages, which don't know where their reader lives: other languages name the country."""
    text = pgettext("a page", "Chez vous avant Noël si commandé avant le %(day)s")
    return "" if until is None else text % {"day": _day_to_come_before(until)}


def _day_to_come_before(until: date) -> str:
    return unbroken(day_in_words(until + timedelta(days=1), "MONTH_DAY_FORMAT"))


def dispatch_from(days_min: int, days_max: int, available_quantity: int | None) -> date | None:
    """Return the first day on which a piece ordered today may leave the workshop, as `piece_promise`."""
    promise = piece_promise(piece(days_min, days_max, available_quantity))
    return None if promise is None else promise.lead_time.dispatch_from


def zone_transits(lead: LeadTime) -> list[tuple[DeliveryZone, Transit]]:
    """Return how long a parcel of this piece is on its way to every country that is delivered to, zone by zone. Five
    queries a minute at most."""
    shown = _shown_rules()
    if shown is None:
        return []
    workshop = shown[0].workshop
    found = []
    for zone in open_zones():
        groups: dict[tuple[int, int], list[str]] = {}
        for country in zone.countries:
            earliest = delivery_day(lead.dispatch_from, zone.days.minimum, country, workshop)
            latest = delivery_day(lead.dispatch_by, zone.days.maximum, country, workshop)
            slowest = (latest - lead.dispatch_by).days
            # Holidays that only the first parcel meets would make the least more than the most: the last day holds.
            days = (min((earliest - lead.dispatch_from).days, slowest), slowest)
            groups.setdefault(days, []).append(country)
        found += [(zone, Transit(tuple(countries), *days)) for days, countries in groups.items()]
    return found


def _promise(wanted: Piece) -> PiecePromise | None:
    shown = _shown_rules()
    if shown is None:
        return None
    rules, queue = shown
    zone = next((zone for zone in rules.zones if HOME_COUNTRY in zone.countries), None)
    if zone is None:
        return None
    day = today()
    route = Route(zone, HOME_COUNTRY, rules.workshop, queue if wanted.made_quantity else 0)
    lead, eve = lead_time([wanted], route, today=day), christmas_eve(day)
    assert lead is not None
    return PiecePromise(
        in_stock=not wanted.made_quantity,
        lead_time=lead,
        christmas_until=None if eve is None else last_order_day([wanted], route, by=eve, today=day),
    )


def _shown_rules() -> tuple[PricingRules, int] | None:
    """Return the rules and the units that wait to be made, for all pages of a minute; None in a shop without zones.
    Three queries a minute at most."""
    return cached_content(_read_shown_rules, "shown-rules", today())


def _read_shown_rules() -> tuple[PricingRules, int] | None:
    try:
        rules = load_pricing_rules()
    except ShippingZone.DoesNotExist:
        return None
    return rules, queued_units(rules.workshop)
