"""Prices over time, and the only price that may be shown crossed out (Code de la consommation, L112-1-1)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from decimal import Decimal

from catalog.models import PricePoint, Product, ProductVariation
from catalog.services.pricing import Offer
from shop.core.money import quantize

# The law compares with the lowest price of the 30 days before the reduction.
REFERENCE_PERIOD = timedelta(days=30)

PriceKey = tuple[int | None, str]


def lowest_prior(points: Sequence[PricePoint], starts_at: datetime) -> Decimal | None:
    """The lowest price asked in the 30 days before `starts_at`; `points` are one offer's, oldest first.

    `None` unless prices are known for the whole period: the first point must be at least 30 days older.
    """
    window_start = starts_at - REFERENCE_PERIOD
    earlier = [point for point in points if point.starts_at < starts_at]
    if not earlier or earlier[0].starts_at > window_start:
        return None
    in_force = [point for point in earlier if point.starts_at <= window_start][-1]
    return min([in_force.amount, *(point.amount for point in earlier if point.starts_at > window_start)])


def record_prices(*, product: Product, offers: Iterable[Offer], now: datetime) -> list[PricePoint]:
    """Add a point for each offer whose price is not the one last recorded. One query, one more when some changed.

    Call it inside the transaction that changes the price, with the product's row locked: two writers would
    otherwise both find the old price.
    """
    history: dict[PriceKey, list[PricePoint]] = {}
    for point in PricePoint.objects.filter(product_id=product.pk).order_by("starts_at", "pk"):
        history.setdefault((point.variation_id, point.finish), []).append(point)
    added = []
    for offer in offers:
        known = history.get((_variation_id(offer), offer.finish), [])
        if known and known[-1].amount == offer.price:
            continue
        added.append(
            PricePoint(
                product_id=product.pk,
                variation_id=_variation_id(offer),
                finish=offer.finish,
                amount=offer.price,
                starts_at=now,
                lowest_prior=lowest_prior(known, now),
            )
        )
    return PricePoint.objects.bulk_create(added)


def record_history(*, product: Product, offer: Offer, prices: Sequence[tuple[datetime, Decimal]]) -> None:
    """Store what is known of an offer's earlier prices, oldest first, for a product whose prices were asked before
    this shop kept them. The last one should be the current price. Two queries for the offer's first history.

    Raises `ValueError` when the offer has a history already: what was recorded is never rewritten.
    """
    own = PricePoint.objects.filter(
        product_id=product.pk, variation_id=_variation_id(offer), finish=offer.finish
    )
    if own.exists():
        raise ValueError("This offer has a price history already.")
    points: list[PricePoint] = []
    for starts_at, amount in prices:
        points.append(
            PricePoint(
                product_id=product.pk,
                variation_id=_variation_id(offer),
                finish=offer.finish,
                amount=amount,
                starts_at=starts_at,
                lowest_prior=lowest_prior(points, starts_at),
            )
        )
    PricePoint.objects.bulk_create(points)


def current_points(product_id: int) -> dict[PriceKey, PricePoint]:
    """The point in force for each offer of a product. One query."""
    points = PricePoint.objects.filter(product_id=product_id).order_by("starts_at", "pk")
    return {(point.variation_id, point.finish): point for point in points}


def crossed_out_price(
    product: Product, offer: Offer, points: Mapping[PriceKey, PricePoint]
) -> Decimal | None:
    """The price to show crossed out beside an offer, or `None`.

    It is the original price entered by staff (plus the variation's difference), never above the lowest price of
    the 30 days before the current one began, and only if it is above the current one. A variation with a fixed
    price has none: the original price is not one of that variation.
    """
    variation: ProductVariation | None = offer.variation
    if product.original_price is None or (variation is not None and variation.price_override is not None):
        return None
    point = points.get((_variation_id(offer), offer.finish))
    if point is None or point.lowest_prior is None or point.amount != offer.price:
        return None
    original = product.original_price + (variation.price_adjustment if variation is not None else 0)
    shown = min(original, point.lowest_prior)
    return quantize(shown) if shown > offer.price else None


def _variation_id(offer: Offer) -> int | None:
    return None if offer.variation is None else offer.variation.pk
