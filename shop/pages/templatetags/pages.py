"""What pages show on many of them: delivery as the zones have it and official texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from django import template
from django.template.context import Context
from django.urls import reverse
from django.utils import timezone

from catalog.selectors.product_detail import OfferChoice
from orders.selectors import promises
from orders.selectors.delivery import free_delivery as find_free_delivery
from orders.selectors.delivery import open_zones
from orders.selectors.promises import PiecePromise
from orders.selectors.workshop import AnnouncedClosure, announced_closure
from shop.core import structured_data
from shop.pages.selectors import official
from shop.pages.staff_help import Help, help_of

register = template.Library()


@dataclass(frozen=True, slots=True)
class FreeDeliveryOffer:
    """From which amount delivery is free, and to how many countries besides the shop's own."""

    free_from: Decimal
    other_countries: int


@register.simple_tag
def free_delivery() -> FreeDeliveryOffer | None:
    """None while no zone offers it. At most two queries a minute."""
    found = find_free_delivery()
    return FreeDeliveryOffer(found.free_from, found.country_count - 1) if found else None


@register.simple_tag
def piece_promise(days_min: int, days_max: int, available_quantity: int | None) -> PiecePromise | None:
    """When one piece ordered today arrives in the shop's own country: the date that the cart promises. None without a
    zone of our own."""
    return promises.piece_promise(promises.piece(days_min, days_max, available_quantity))


@register.simple_tag
def closure() -> AnnouncedClosure | None:
    """The closure of the workshop that every page speaks of, if there is one. At most one query a minute."""
    return announced_closure()


register.filter("christmas_text_in_france", promises.christmas_text_in_france)


@register.simple_tag
def delivery_countries() -> list[str]:
    """The two-letter codes of every country that is delivered to. At most two queries a minute."""
    return [country for zone in open_zones() for country in zone.countries]


@register.simple_tag
def with_delivery(data: structured_data.Data, offers: Sequence[OfferChoice]) -> structured_data.Data:
    """A product's data for search engines with the delivery and the return of each of its offers, as page and cart say
    them: days from today to the dispatch, then to the delivery, of the very dates that are promised. `offers` are those
    of the data, in their order."""
    pieces = [
        promises.piece(offer.production_days.low, offer.production_days.high, offer.stock) for offer in offers
    ]
    deliveries = {piece: _delivery(piece) for piece in pieces}
    return structured_data.with_delivery(
        data, [deliveries[piece] for piece in pieces], terms_path=reverse("terms")
    )


def _delivery(piece: promises.Piece) -> structured_data.OfferDelivery:
    promise = promises.piece_promise(piece)
    if promise is None:
        return structured_data.OfferDelivery((), (0, 0))
    lead, today = promise.lead_time, timezone.localdate()
    zones = [
        structured_data.DeliveryZone(
            transit.countries, zone.rate, zone.free_from, transit.days_min, transit.days_max
        )
        for zone, transit in promises.zone_transits(lead)
    ]
    days = ((lead.dispatch_from - today).days, (lead.dispatch_by - today).days)
    return structured_data.OfferDelivery(zones, days)


@register.simple_tag
def official_texts() -> list[official.ShownText]:
    """What the law has shown word for word, where the owner has supplied it. At most one query a minute."""
    return official.official_texts()


@register.simple_tag(takes_context=True)
def staff_help(context: Context) -> Help | None:
    """Return the help of the screen that is drawn."""
    match = getattr(context.get("request"), "resolver_match", None)
    return help_of(match.view_name) if match is not None and match.view_name else None
