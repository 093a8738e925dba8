"""What one unit costs: the only rules by which a product, a variant and a promotion become a price, and the only price
that may be shown crossed out (Code de la consommation, L112-1-1). They read rows in memory and ask no query."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal

from catalog.models import (
    Finish,
    PricePoint,
    Product,
    ProductVariation,
    Promotion,
    PromotionState,
    Variant,
)
from shop.core.money import ZERO, quantize

# The law compares with the lowest price of the 30 days before the reduction.
REFERENCE_PERIOD = timedelta(days=30)
# No reduction gives a piece away.
LOWEST_REDUCED = Decimal("0.01")


@dataclass(frozen=True, slots=True)
class OfferKey:
    """What identifies an offer among those of a product: the key of its variation, if any, and its finish."""

    variation_id: int | None
    finish: str


@dataclass(frozen=True, slots=True)
class Offer:
    """One way to buy a product, and its price: `full_price` is the one without the running promotion."""

    variant: Variant
    price: Decimal
    full_price: Decimal

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
    """Those of a product's variants that are on sale: in a finish that has its price, of a format where there are some
    (the default one alone where the category offers no choice), and for more than nothing. In the given order."""
    rows = list(variants)
    finishes = offered_finishes(product) or ("",)
    has_formats = any(row.variation_id is not None for row in rows)
    found = [
        row
        for row in rows
        if row.finish in finishes
        and (row.variation_id is not None) == has_formats
        and full_price(product, row) is not None
    ]
    if product.category.offers_formats:
        return found
    only = default_variation([row.variation for row in found if row.variation is not None])
    return [row for row in found if row.variation == only]


@dataclass(frozen=True, slots=True)
class ProductPromotion:
    """A promotion that applies to a product; `is_chosen` when the product itself was chosen, not only its category."""

    promotion: Promotion
    is_chosen: bool


def running_promotion(found: Iterable[ProductPromotion], now: datetime) -> Promotion | None:
    """The promotion that a product has at a moment, of those that apply to it. One at a time.

    One that was given to the product itself goes before one of its category; then the one that started last, one
    without a start (a product's own) being the oldest; then the one that was written last.
    """
    running = [each for each in found if each.promotion.state(now) == PromotionState.RUNNING]
    if not running:
        return None

    def rank(each: ProductPromotion) -> tuple[bool, float, int]:
        starts_at = each.promotion.starts_at
        return each.is_chosen, 0.0 if starts_at is None else starts_at.timestamp(), each.promotion.pk

    return max(running, key=rank).promotion


def full_price(product: Product, variant: Variant) -> Decimal | None:
    """Return the price of one unit without a promotion, or `None` when it would not be above zero.

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
    return quantize(price) if price > 0 else None


def reduced_price(price: Decimal, promotion: Promotion | None) -> Decimal:
    """What is left of a price under a promotion, half up to the cent; never below one cent, never more than the price.
    Buy N, get M leaves it as it is."""
    if promotion is None:
        return price
    if promotion.percent is not None:
        reduced = quantize(price * (100 - promotion.percent) / 100)
    elif promotion.amount is not None:
        reduced = price - promotion.amount
    else:
        return price
    return min(price, max(reduced, LOWEST_REDUCED))


def is_true_figure(
    promotion: Promotion | None, prices: Iterable[tuple[Decimal | None, Decimal | None]]
) -> bool:
    """Whether « −20 % » or « −5 € » may be said of offers, given as (price, crossed-out price): of each it is what lies
    between the two. A figure counts from the price that the law has crossed out, not from a higher one (L112-1-1; Court
    of Justice, C-330/23)."""
    return all(
        crossed_out is not None and reduced_price(crossed_out, promotion) == price
        for price, crossed_out in prices
    )


def base_price(product: Product, finish: str) -> Decimal:
    """The price before any variation: that of the finish when it is set, else the product's own."""
    own = _finish_price(product, finish)
    return product.price if own is None else own


def has_own_price(product: Product, variant: Variant) -> bool:
    """Whether the product's own price has no part in a variant's: the variant, its format or its finish has one."""
    fixed = None if variant.variation is None else variant.variation.price_override
    own = (variant.price, fixed, _finish_price(product, variant.finish))
    return any(price is not None for price in own)


def _finish_price(product: Product, finish: str) -> Decimal | None:
    prices = {Finish.PAINTED.value: product.painted_price, Finish.UNPAINTED.value: product.unpainted_price}
    return prices.get(finish)


def offers(
    product: Product, variants: Iterable[Variant], promotion: Promotion | None = None
) -> Iterator[Offer]:
    """Every way to buy the product, in the order of the choices on its page, at the prices of its running promotion."""
    for variant in offered_variants(product, variants):
        price = full_price(product, variant)
        assert price is not None
        yield Offer(variant, reduced_price(price, promotion), price)


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


def prior_price(points: Sequence[PricePoint], price: Decimal, began: datetime | None) -> Decimal | None:
    """The lowest price of the 30 days before an offer came to cost `price`; `points` are its own, oldest first.

    `began` is when its promotion starts, which may be still to come or not be recorded yet.
    """
    if points and points[-1].amount == price:
        return points[-1].lowest_prior
    return None if began is None else lowest_prior(points, began)


def crossed_out_price(
    product: Product,
    offer: Offer,
    history: Mapping[OfferKey, Sequence[PricePoint]],
    began: datetime | None,
) -> Decimal | None:
    """The price to show crossed out beside an offer, or `None`.

    It is the original price entered by staff (plus the format's difference) or, under a reduction, the price without
    it; never above the lowest price of the 30 days before the current one began, and only if it is above the current
    one. A variant or format with a price of its own has nothing of the original price: it is not one of it.
    `history` are the prices of each offer over time, `began` is as in `prior_price`.
    """
    variant = offer.variant
    variation = variant.variation
    has_own = variant.price is not None or (variation is not None and variation.price_override is not None)
    claimed = [offer.full_price] if offer.full_price > offer.price else []
    if product.original_price is not None and not has_own:
        claimed.append(product.original_price + (variation.price_adjustment if variation is not None else 0))
    prior = prior_price(history.get(offer.key, ()), offer.price, began) if claimed else None
    if prior is None:
        return None
    shown = min(max(claimed), prior)
    return quantize(shown) if shown > offer.price else None


def may_cross_out(product: Product, promotion: Promotion | None) -> bool:
    """Whether `crossed_out_price` has anything to cross out, without asking what was charged before."""
    return product.original_price is not None or (promotion is not None and promotion.is_reduction)


def fill_listed(
    product: Product,
    found: Sequence[Offer],
    promotion: Promotion | None,
    history: Mapping[OfferKey, Sequence[PricePoint]],
) -> None:
    """Set what lists show of a product, in memory: `price_from`, `price_to`, `crossed_out`, `reduced_price` and
    `running_promotion`. `found` are those of its offers under the promotion that lists speak of
    (`catalog.selectors.availability.listed_offers`), `history` is as in `crossed_out_price`."""
    began = None if promotion is None else promotion.starts_at
    first = first_offer(product, found)
    product.price_from = min((offer.price for offer in found), default=ZERO)
    product.price_to = max((offer.price for offer in found), default=ZERO)
    product.crossed_out = product.reduced_price = None
    # Of the first choice, else of the next one that is reduced.
    for offer in found if first is None else [first, *found]:
        product.crossed_out = crossed_out_price(product, offer, history, began)
        if product.crossed_out is not None:
            product.reduced_price = offer.price
            break
    product.running_promotion = promotion
