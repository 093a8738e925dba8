"""What one unit costs: the only rules by which a product and a variant become a price, and the only price that may be
shown crossed out (Code de la consommation, L112-1-1). They read rows in memory and ask no query."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal

from catalog.models import (
    FIXED_PROMOTIONS,
    Finish,
    PricePoint,
    Product,
    ProductVariation,
    PromotionQuantities,
    PromotionType,
    Variant,
)
from shop.core.money import quantize

# The law compares with the lowest price of the 30 days before the reduction.
REFERENCE_PERIOD = timedelta(days=30)


@dataclass(frozen=True, slots=True)
class OfferKey:
    """What identifies an offer among those of a product: the key of its variation, if any, and its finish."""

    variation_id: int | None
    finish: str


@dataclass(frozen=True, slots=True)
class Offer:
    """One way to buy a product, and its price."""

    variant: Variant
    price: Decimal

    @property
    def key(self) -> OfferKey:
        """The same for the rows of its prices over time."""
        return OfferKey(self.variant.variation_id, self.variant.finish)


def offered_finishes(product: Product) -> tuple[str, ...]:
    """The finishes on sale, painted first. Empty when the category offers none or no finish has its price.

    Reads `product.category`: select it with the product.
    """
    if not product.category.offers_finishes:
        return ()
    prices = {Finish.PAINTED: product.painted_price, Finish.UNPAINTED: product.unpainted_price}
    return tuple(finish.value for finish, price in prices.items() if price is not None)


def default_finish(product: Product) -> str:
    """Painted if it is on sale, else the other one, else `""`."""
    return next(iter(offered_finishes(product)), "")


def default_variation(variations: Sequence[ProductVariation]) -> ProductVariation | None:
    """The one marked as default, else the first of the given order, else none."""
    return next((variation for variation in variations if variation.is_default), next(iter(variations), None))


def first_variant(product: Product, variants: Iterable[Variant]) -> Variant | None:
    """The variant of the choice that the product's page makes at first: the default format in the default finish."""
    rows = list(variants)
    format_ = default_variation([row.variation for row in rows if row.variation is not None])
    finish = default_finish(product)
    return next((row for row in rows if (row.variation, row.finish) == (format_, finish)), None)


def offered_variants(product: Product, variants: Iterable[Variant]) -> list[Variant]:
    """Those of a product's variants that are on sale: in a finish that has its price, of a format where there are
    formats, and for no less than nothing. In the given order."""
    rows = list(variants)
    finishes = offered_finishes(product) or ("",)
    has_formats = any(row.variation_id is not None for row in rows)
    return [
        row
        for row in rows
        if row.finish in finishes
        and (row.variation_id is not None) == has_formats
        and unit_price(product, row) is not None
    ]


def unit_price(product: Product, variant: Variant) -> Decimal | None:
    """Return the price of one unit, or `None` when it would be below zero.

    A variant's own price goes before its format's fixed price, and that before the price of the finish (else the
    product's) with the format's difference added. Select `variation` with the variant.
    """
    variation = variant.variation
    if variant.price is not None:
        price = variant.price
    elif variation is not None and variation.price_override is not None:
        price = variation.price_override
    else:
        price = base_price(product, variant.finish)
        if variation is not None:
            price += variation.price_adjustment
    return quantize(price) if price >= 0 else None


def base_price(product: Product, finish: str) -> Decimal:
    """The price before any variation: that of the finish when it is set, else the product's own."""
    own = {Finish.PAINTED.value: product.painted_price, Finish.UNPAINTED.value: product.unpainted_price}.get(
        finish
    )
    return product.price if own is None else own


def offers(product: Product, variants: Iterable[Variant]) -> Iterator[Offer]:
    """Every way to buy the product, in the order of the choices on its page."""
    for variant in offered_variants(product, variants):
        price = unit_price(product, variant)
        assert price is not None
        yield Offer(variant, price)


def promotion_quantities(product: Product) -> PromotionQuantities | None:
    """What "buy N, get M" is when a promotion runs on the product, else `None`."""
    if not product.promotion_active or not product.promotion_type:
        return None
    if product.promotion_type != PromotionType.BUY_N_GET_M:
        return FIXED_PROMOTIONS.get(product.promotion_type)
    buy, get = product.promotion_buy_quantity, product.promotion_get_quantity
    return PromotionQuantities(buy, get) if buy and get else None


def displayed_offers(product: Product, every_offer: Iterable[Offer]) -> list[Offer]:
    """The offers that the product's page lets one choose between: all formats where the category offers them, else
    only the default one."""
    found = list(every_offer)
    if product.category.offers_formats:
        return found
    only = default_variation([offer.variant.variation for offer in found if offer.variant.variation])
    return [offer for offer in found if offer.variant.variation == only]


def first_offer(product: Product, shown: Sequence[Offer]) -> Offer | None:
    """The offer of `first_variant`, if it has a price."""
    first = first_variant(product, [offer.variant for offer in shown])
    return next((offer for offer in shown if offer.variant == first), None)


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


def crossed_out_price(
    product: Product, offer: Offer, points: Mapping[OfferKey, PricePoint]
) -> Decimal | None:
    """The price to show crossed out beside an offer, or `None`.

    It is the original price entered by staff (plus the format's difference), never above the lowest price of
    the 30 days before the current one began, and only if it is above the current one. A variant or format with a price
    of its own has none: the original price is not one of it.
    """
    variant = offer.variant
    variation = variant.variation
    has_own = variant.price is not None or (variation is not None and variation.price_override is not None)
    if product.original_price is None or has_own:
        return None
    point = points.get(offer.key)
    if point is None or point.lowest_prior is None or point.amount != offer.price:
        return None
    original = product.original_price + (variation.price_adjustment if variation is not None else 0)
    shown = min(original, point.lowest_prior)
    return quantize(shown) if shown > offer.price else None
