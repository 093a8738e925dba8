"""The variants of products, read for many products at once."""

from __future__ import annotations

from collections.abc import Collection

from catalog.models import Variant
from shop.core.fragment_cache import find_fragment, store_fragment


def variants_of(product_ids: Collection[int]) -> dict[int, list[Variant]]:
    """The variants of these products with their formats, in the order of the choices on a page: formats as staff
    arranged them, painted before unpainted. Those that are not offered too. One query for those that are not cached."""
    found: dict[int, list[Variant]] = {pk: find_fragment("variants", pk) for pk in product_ids}
    missing: dict[int, list[Variant]] = {pk: [] for pk, rows in found.items() if rows is None}
    if missing:
        rows = Variant.objects.filter(product_id__in=missing).select_related("variation")
        for row in rows.order_by("variation__sort_order", "variation_id", "finish"):
            missing[row.product_id].append(row)
    return found | {pk: store_fragment(rows, "variants", pk) for pk, rows in missing.items()}
