"""What one unit costs: the only rule by which a product, a variation and a finish become a price."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from catalog.models import FIXED_PROMOTIONS, Finish, Product, ProductVariation, PromotionType
from shop.core.money import quantize


@dataclass(frozen=True, slots=True)
class Offer:
    """One way to buy a product: a variation (or none), a finish (`""` when there is no choice) and its price."""

    variation: ProductVariation | None
    finish: str
    price: Decimal


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
    sale, a variation of another product and a price below zero are all `None`.
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
    return quantize(price) if price >= 0 else None


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


def promotion_quantities(product: Product) -> tuple[int, int] | None:
    """(N, M) of "buy N, get M" when a promotion runs on the product, else `None`."""
    if not product.promotion_active or not product.promotion_type:
        return None
    if product.promotion_type != PromotionType.BUY_N_GET_M:
        return FIXED_PROMOTIONS.get(product.promotion_type)
    buy, get = product.promotion_buy_quantity, product.promotion_get_quantity
    return (buy, get) if buy and get else None
