"""Which of some products can be bought now, as their own pages say it."""

from __future__ import annotations

from collections.abc import Iterable

from catalog.models import Product, ProductVariation
from catalog.selectors.cards import available_condition
from catalog.selectors.sellables import stock_problem
from catalog.services import pricing
from catalog.services.stock import Level


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
    return {product.pk for product in products if _is_available(product, variations[product.pk])}


def _is_available(product: Product, variations: list[ProductVariation]) -> bool:
    offered = variations if product.category.offers_formats else [pricing.default_variation(variations)]
    return any(stock_problem(product, variation)[0] for variation in offered or [None])


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
