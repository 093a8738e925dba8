"""The variants of products, read for many products at once."""

from __future__ import annotations

from collections.abc import Collection

from catalog.models import Variant


def variants_of(product_ids: Collection[int]) -> dict[int, list[Variant]]:
    """The variants of these products with their formats, in the order of the choices on a page: formats as staff
    arranged them, painted before unpainted. Those that are not offered too. One query."""
    found: dict[int, list[Variant]] = {pk: [] for pk in product_ids}
    rows = Variant.objects.filter(product_id__in=found).select_related("variation")
    for row in rows.order_by("variation__sort_order", "variation_id", "finish"):
        found[row.product_id].append(row)
    return found
