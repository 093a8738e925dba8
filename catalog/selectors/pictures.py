"""Pictures of products, read for many products at once."""

from __future__ import annotations

from collections.abc import Collection

from catalog.models import PictureRow, ProductImage
from shop.core import images
from shop.core.images import ImageInfo


def image_info(row: PictureRow, fallback_alt: str) -> ImageInfo:
    """How to show a stored picture; `fallback_alt` stands in for a missing text alternative."""
    return images.describe(
        name=row.file.name or "",
        width=row.width,
        height=row.height,
        alt=row.alt or fallback_alt,
        colour=row.colour,
        derivatives=row.derivatives,
    )


def images_of(product_ids: Collection[int]) -> dict[int, list[ProductImage]]:
    """The photos of these products in the order of their galleries. One query, none without products."""
    found: dict[int, list[ProductImage]] = {pk: [] for pk in product_ids}
    if found:
        for row in ProductImage.objects.filter(product_id__in=found).order_by("position", "pk"):
            found[row.product_id].append(row)
    return found


def best_image(
    rows: Collection[ProductImage], *, variation_id: int | None, finish: str
) -> ProductImage | None:
    """The photo that shows this choice best: of the variation and finish, of either, else the first that does not
    show another choice, else the first."""

    def distance(row: ProductImage) -> tuple[int, int]:
        variation = 0 if row.variation_id == variation_id else (1 if row.variation_id is None else 3)
        made = 0 if row.finish == finish else (1 if not row.finish or not finish else 3)
        return variation + made, row.position

    return min(rows, key=distance, default=None)
