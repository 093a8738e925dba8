"""What can be bought now: by a product's row, by a choice of it, and the units that are left."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import Q

from catalog.models import Product, ProductVariation
from catalog.pricing import default_variation

LOW_STOCK = 3
"""From so many units on, pages say how many are left."""

Level = tuple[str, int]
"""One number of units in stock: ("product", key) or ("variation", key)."""


@dataclass(frozen=True, slots=True)
class Availability:
    """Whether a choice can be bought, and how many units of it: None for made to order."""

    available: bool
    quantity: int | None


def available_condition() -> Q:
    """Products that can be bought, as far as their own row says."""
    return Q(in_stock=True) & (Q(stock_quantity__isnull=True) | Q(stock_quantity__gt=0))


def is_available(product: Product) -> bool:
    """`available_condition` for a row that was read."""
    return product.in_stock and product.stock_quantity != 0


def availability_of(product: Product, variation: ProductVariation | None) -> Availability:
    """Of a product in one variation: the scarcer level decides."""
    levels = [product.stock_quantity, None if variation is None else variation.stock_quantity]
    quantity = min((level for level in levels if level is not None), default=None)
    on_sale = product.is_published and product.in_stock and (variation is None or variation.in_stock)
    return Availability(on_sale and quantity != 0, quantity)


def available_among(product_ids: Iterable[int]) -> set[int]:
    """The published products of which some choice can be bought: any variation where the category offers formats,
    else the default one. Two queries."""
    candidates = Product.objects.filter(available_condition(), pk__in=list(product_ids), is_published=True)
    products = list(
        candidates.select_related("category").only(
            "in_stock", "stock_quantity", "is_published", "category__offers_formats"
        )
    )
    variations: dict[int, list[ProductVariation]] = {product.pk: [] for product in products}
    for variation in ProductVariation.objects.filter(product_id__in=variations).order_by("sort_order", "pk"):
        variations[variation.product_id].append(variation)
    return {product.pk for product in products if _any_choice_available(product, variations[product.pk])}


def _any_choice_available(product: Product, variations: list[ProductVariation]) -> bool:
    offered = variations if product.category.offers_formats else [default_variation(variations)]
    return any(availability_of(product, variation).available for variation in offered or [None])


def stock_levels(levels: Iterable[Level]) -> dict[Level, int]:
    """The units left of those levels that are counted. One query for products, one for variations."""
    keys: dict[str, list[int]] = {"product": [], "variation": []}
    for kind, key in levels:
        keys[kind].append(key)
    found: dict[Level, int] = {}
    for kind, rows in (("product", Product.objects), ("variation", ProductVariation.objects)):
        if keys[kind]:
            counted = rows.filter(pk__in=keys[kind], stock_quantity__isnull=False)
            rows_left = counted.values_list("pk", "stock_quantity")
            found |= {(kind, pk): left for pk, left in rows_left if left is not None}
    return found
