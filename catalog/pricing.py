"""What one unit costs: the only rules by which a product, a variation and a finish become a price, and the only price
that may be shown crossed out (Code de la consommation, L112-1-1). They read rows in memory and ask no query."""

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
    """One way to buy a product: a variation (or none), a finish (`""` when there is no choice) and its price."""

    variation: ProductVariation | None
    finish: str
    price: Decimal

    @property
    def key(self) -> OfferKey:
        """The same for the rows of its prices over time."""
        return OfferKey(None if self.variation is None else self.variation.pk, self.finish)


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


def unit_price(product: Product, variation: ProductVariation | None, finish: str) -> Decimal | None:
    """The price of one unit, or `None` when it can't be bought that way.

    The base is the price of the finish (of the default finish when `finish` is empty), else the product's price.
    A variation's fixed price replaces it, else its difference is added. Raises nothing: a finish that is not on
    sale, a variation of another product and a price that is not above zero are all `None`.
    """
    finishes = offered_finishes(product)
    if finish and finish not in finishes:
        return None
    if variation is not None and variation.product_id != product.pk:
        return None
    if variation is not None and variation.price_override is not None:
        price = variation.price_override
    else:
        price = base_price(product, finish or next(iter(finishes), ""))
        if variation is not None:
            price += variation.price_adjustment
    return quantize(price) if price > 0 else None


def base_price(product: Product, finish: str) -> Decimal:
    """The price before any variation: that of the finish when it is set, else the product's own."""
    own = {Finish.PAINTED.value: product.painted_price, Finish.UNPAINTED.value: product.unpainted_price}.get(
        finish
    )
    return product.price if own is None else own


def offers(product: Product, variations: Iterable[ProductVariation]) -> Iterator[Offer]:
    """Every way to buy the product that has a price, in the order of the choices on its page."""
    choices: list[ProductVariation | None] = [*variations]
    for variation in choices or [None]:
        for finish in offered_finishes(product) or ("",):
            price = unit_price(product, variation, finish)
            if price is not None:
                yield Offer(variation, finish, price)


def promotion_quantities(product: Product) -> PromotionQuantities | None:
    """What "buy N, get M" is when a promotion runs on the product, else `None`."""
    if not product.promotion_active or not product.promotion_type:
        return None
    if product.promotion_type != PromotionType.BUY_N_GET_M:
        return FIXED_PROMOTIONS.get(product.promotion_type)
    buy, get = product.promotion_buy_quantity, product.promotion_get_quantity
    return PromotionQuantities(buy, get) if buy and get else None


def displayed_offers(product: Product, every_offer: Iterable[Offer]) -> list[Offer]:
    """The offers that the product's page lets one choose between: all variations where the category offers formats,
    else only the default one."""
    found = list(every_offer)
    if product.category.offers_formats:
        return found
    variations = [offer.variation for offer in found if offer.variation is not None]
    only = default_variation(variations)
    return [offer for offer in found if offer.variation == only]


def first_offer(
    product: Product, variations: Sequence[ProductVariation], shown: Iterable[Offer]
) -> Offer | None:
    """The choice that the product's page makes at first: the default variation in the default finish."""
    choice = (default_variation(variations), default_finish(product))
    return next((offer for offer in shown if (offer.variation, offer.finish) == choice), None)


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

    It is the original price entered by staff (plus the variation's difference), never above the lowest price of
    the 30 days before the current one began, and only if it is above the current one. A variation with a fixed
    price has none: the original price is not one of that variation.
    """
    variation: ProductVariation | None = offer.variation
    if product.original_price is None or (variation is not None and variation.price_override is not None):
        return None
    point = points.get(offer.key)
    if point is None or point.lowest_prior is None or point.amount != offer.price:
        return None
    original = product.original_price + (variation.price_adjustment if variation is not None else 0)
    shown = min(original, point.lowest_prior)
    return quantize(shown) if shown > offer.price else None
