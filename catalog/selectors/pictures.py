"""Pictures of products, read for many products at once."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from django.db.models import Q

from catalog.models import Finish, PictureRow, ProductImage
from shop.core import images
from shop.core.fragment_cache import find_fragment, store_fragment
from shop.core.images import ImageInfo


@dataclass(frozen=True, slots=True)
class FinishPhotos:
    """One product painted and unpainted."""

    painted: ImageInfo
    unpainted: ImageInfo


def image_info(row: PictureRow, fallback_alt: str) -> ImageInfo:
    """How to show a stored picture; `fallback_alt` replaces a missing text alternative."""
    return images.describe(
        name=row.file.name or "",
        width=row.width,
        height=row.height,
        alt=row.alt or fallback_alt,
        colour=row.colour,
        derivatives=row.derivatives,
        focus=_focus(row),
    )


def product_files(names: Collection[str]) -> set[str]:
    """Return those of these files that products show, or of which they show a part. One query."""
    rows = ProductImage.objects.filter(Q(file__in=names) | Q(whole__file__in=list(names)))
    return {name for row in rows.values_list("file", "whole__file") for name in row if name} & set(names)


def _focus(row: PictureRow) -> tuple[int, int] | None:
    if not isinstance(row, ProductImage) or row.focus_x is None or row.focus_y is None:
        return None
    return row.focus_x, row.focus_y


def images_of(product_ids: Collection[int]) -> dict[int, list[ProductImage]]:
    """The photos of these products in the order of their galleries. One query for those that are not cached."""
    found: dict[int, list[ProductImage]] = {pk: find_fragment("photos", pk) for pk in product_ids}
    missing: dict[int, list[ProductImage]] = {pk: [] for pk, rows in found.items() if rows is None}
    if missing:
        for row in ProductImage.objects.filter(product_id__in=missing).order_by("position", "pk"):
            missing[row.product_id].append(row)
    return found | {pk: store_fragment(rows, "photos", pk) for pk, rows in missing.items()}


def images_of_variant(
    rows: Iterable[ProductImage], *, variation_id: int | None, finish: str
) -> list[ProductImage]:
    """The photos that show this format and finish, or every one, the closest first. Empty where all show another."""
    shown = [
        row
        for row in rows
        if row.finish in ("", finish) and (row.variation_id is None or row.variation_id == variation_id)
    ]
    return sorted(shown, key=lambda row: ((row.finish == "") + (row.variation_id is None), row.position))


def best_image(
    rows: Collection[ProductImage], *, variation_id: int | None, finish: str
) -> ProductImage | None:
    """The photo that shows a variant best: the first of its own, else the first of the product."""
    own = images_of_variant(rows, variation_id=variation_id, finish=finish)
    return next(iter(own or rows), None)


def finish_photos(photos: Iterable[tuple[str, ImageInfo]]) -> FinishPhotos | None:
    """The first photo of each finish, of a product's photos with the finish they show; None unless both exist."""
    first: dict[str, ImageInfo] = {}
    for finish, image in photos:
        first.setdefault(finish, image)
    painted, unpainted = first.get(Finish.PAINTED), first.get(Finish.UNPAINTED)
    return None if painted is None or unpainted is None else FinishPhotos(painted, unpainted)
