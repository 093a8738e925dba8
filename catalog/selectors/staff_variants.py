"""What the staff's grid of formats and variants shows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Q

from catalog import pricing
from catalog.models import Product, ProductImage, ProductVariation, Variant
from catalog.selectors.held_units import held_units

_WAITING = Count("notices", filter=Q(notices__confirmed_at__isnull=False, notices__sent_at=None))


@dataclass(frozen=True, slots=True)
class VariantGrid:
    """A product's formats, its variants and its photos, each in the order of its page; `offered` are the keys of the
    variants that are on sale, `held` the units by key that unpaid orders hold of a variant's own number,
    `waiting` the people by key who wait for a mail about it."""

    product: Product
    formats: list[ProductVariation]
    variants: Sequence[Variant]
    offered: set[int]
    held: dict[int, int]
    waiting: dict[int, int]
    photos: list[ProductImage]

    @property
    def shown(self) -> list[Variant]:
        """Without those that are not on sale any more, unless one has a reference or a number in stock."""
        return [
            row
            for row in self.variants
            if row.pk in self.offered or row.sku or row.stock_quantity is not None
        ]


def format_variants(product: Product, variation_id: int, variants: Iterable[Variant]) -> list[Variant]:
    """Those of a product's variants that are of a format, in a finish on sale; its category is read with it."""
    finishes = pricing.offered_finishes(product) or ("",)
    return [row for row in variants if row.variation_id == variation_id and row.finish in finishes]


def format_marks(variants: Sequence[Variant]) -> dict[str, Any]:
    """What a format shows of its variants: whether one is on sale, and the reference of the first."""
    return {
        "in_stock": any(row.in_stock for row in variants),
        "sku": next((row.sku for row in variants), ""),
    }


def variant_grid(product_id: int) -> VariantGrid | None:
    """Read it fresh; None for no such product. Four queries."""
    product = Product.objects.select_related("category").filter(pk=product_id).first()
    if product is None:
        return None
    rows = product.variants.select_related("variation").annotate(held_units=held_units(), waiting=_WAITING)
    variants = list(rows.order_by("variation__sort_order", "variation_id", "finish"))
    return VariantGrid(
        product=product,
        formats=list(product.variations.order_by("sort_order", "pk")),
        variants=variants,
        offered={row.pk for row in pricing.offered_variants(product, variants)},
        held={row.pk: row.held_units for row in variants},
        waiting={row.pk: row.waiting for row in variants},
        photos=list(product.images.order_by("position", "pk")),
    )
