"""Recording prices over time, the proof of what was asked. What may be shown of them: `catalog.pricing`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from catalog.models import PricePoint, Product
from catalog.pricing import Offer, OfferKey, lowest_prior
from catalog.selectors.products import PriceHistory


@dataclass(frozen=True, slots=True)
class PastPrice:
    """What an offer cost from `starts_at` on."""

    starts_at: datetime
    amount: Decimal


def add_points(
    history: PriceHistory, product: Product, offers: Iterable[Offer], moment: datetime, *, is_past: bool
) -> list[PricePoint]:
    """Add to a product's `history` a point for each offer whose price is not the one last recorded, and return them,
    not stored.

    With `is_past` nothing is added where something was recorded for a later moment. Store them inside the transaction
    that changes the price, with the product's row locked: two writers would otherwise both find the old price.
    """
    added = []
    for offer in offers:
        known = history.setdefault(offer.key, [])
        latest = known[-1] if known else None
        if latest is not None and (latest.amount == offer.price or (is_past and latest.starts_at > moment)):
            continue
        # Another machine's clock may be ahead.
        starts_at = moment if latest is None else max(moment, latest.starts_at)
        known.append(_point(product, offer.key, offer.price, starts_at, known))
        added.append(known[-1])
    return added


def record_history(*, product: Product, offer: Offer, prices: Sequence[PastPrice]) -> None:
    """Store what is known of an offer's earlier prices, oldest first, for a product that was sold before this shop
    recorded its prices. The last one should be the current price. Two queries for the offer's first history.

    Raises `ValueError` when the offer has a history already: what was recorded is never rewritten.
    """
    key = offer.key
    own = PricePoint.objects.filter(product_id=product.pk, variation_id=key.variation_id, finish=key.finish)
    if own.exists():
        raise ValueError("This offer has a price history already.")
    points: list[PricePoint] = []
    for price in prices:
        points.append(_point(product, key, price.amount, price.starts_at, points))
    PricePoint.objects.bulk_create(points)


def _point(
    product: Product, key: OfferKey, amount: Decimal, starts_at: datetime, earlier: Sequence[PricePoint]
) -> PricePoint:
    return PricePoint(
        product_id=product.pk,
        variation_id=key.variation_id,
        finish=key.finish,
        amount=amount,
        starts_at=starts_at,
        lowest_prior=lowest_prior(earlier, starts_at),
    )
