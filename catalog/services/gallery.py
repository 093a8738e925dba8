"""Photos of a product as staff arrange them: the first is the main one. Writes lock the product and are recorded."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.base_user import AbstractBaseUser
from django.db import transaction
from django.utils.translation import gettext as _

from catalog.models import Product, ProductImage, ProductVariation
from catalog.services.media import (
    Crop,
    add_product_image,
    crop_product_image,
    cut_product_image,
    delete_product_image,
)
from catalog.services.products import MOST_FORMATS, locked_product
from catalog.services.reports import report_product
from catalog.services.staff_products import refuse_trashed
from shop.core.audit import record_audit
from shop.core.audit_rows import record_row
from shop.core.content_version import content_changed
from shop.core.images import StoredImage
from shop.core.languages import LANGUAGES
from shop.core.problems import Problem

MOST_PICTURES = 40
# A program may give the product, and each of its formats, as many.
MOST_ARRANGED = MOST_PICTURES * (1 + MOST_FORMATS)
ALT_COLUMNS = tuple(f"alt_{language}" for language in LANGUAGES)
_VERSIONED = (*ALT_COLUMNS, "finish", "variation_id", "focus_x", "focus_y", "crop")


@dataclass(frozen=True, slots=True)
class Focus:
    """The point of a photo that stays in sight, in percent from the left and the top."""

    x: int
    y: int


def picture_version(row: ProductImage) -> str:
    """A short name of what staff wrote of a photo; its place among the others is not part of it."""
    values = {name: getattr(row, name) for name in _VERSIONED}
    return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()[:16]


def written_values(row: ProductImage) -> dict[str, Any]:
    """What staff wrote of a photo, as the audit trail keeps it."""
    return {
        **{name: getattr(row, name) or "" for name in ALT_COLUMNS},
        "finish": row.finish,
        "variation": None if row.variation is None else f"{row.variation} ({row.variation_id})",
        "focus_x": row.focus_x,
        "focus_y": row.focus_y,
        "crop": [*row.crop.values()],
    }


def record_picture(row: ProductImage, before: Mapping[str, Any], actor: AbstractBaseUser | None) -> None:
    """Add to the audit trail what changed of a photo since `before`, its `written_values` then."""
    after = written_values(row)
    changed = [name for name in after if before[name] != after[name]]
    if changed:
        record_row(
            "changed",
            row,
            actor=actor,
            before={name: before[name] for name in changed},
            after={name: after[name] for name in changed},
        )


def add_picture(
    *, product_id: int, image: StoredImage, values: Mapping[str, Any], actor: AbstractBaseUser | None
) -> ProductImage:
    """Put a photo that was stored behind the others. `values` are as in `change_picture`, without `crop` and `focus`.

    Raises `Product.DoesNotExist`, and `Problem`: 400 `invalid`, 409 `trashed`, 409 `too_many_pictures`.
    """
    with transaction.atomic():
        product = _writable(product_id)
        if product.images.count() >= MOST_PICTURES:
            refusal = _("Un produit a %(count)d photos au plus.") % {"count": MOST_PICTURES}
            raise Problem("too_many_pictures", refusal, 409)
        variation = _own_format(product, values.get("variation_id"))
        row = add_product_image(
            product=product, image=image, finish=values.get("finish", ""), variation=variation
        )
        _set_texts(row, values)
        row.save()
        record_row("added", row, actor=actor, after=_whole(row))
    return row


def arrange_pictures(
    *,
    product_id: int,
    ids: Sequence[int],
    removed_ids: Sequence[int] = (),
    seen_ids: Sequence[int] = (),
    actor: AbstractBaseUser | None,
) -> None:
    """Put the photos in this order and remove some: all of it or nothing.

    `ids` and `removed_ids` together name every photo of the product once; `seen_ids` is the order that the person saw.
    Raises `Product.DoesNotExist`, and `Problem`: 409 `conflict` when photos came, went or were moved meanwhile, 409
    `trashed`.
    """
    with transaction.atomic():
        product = _writable(product_id)
        rows = {row.pk: row for row in product.images.order_by("position", "pk")}
        if sorted([*ids, *removed_ids]) != sorted(rows) or (seen_ids and list(rows) != list(seen_ids)):
            raise gallery_conflict()
        for pk in removed_ids:
            record_row("deleted", rows[pk], actor=actor, before=_whole(rows[pk]))
            delete_product_image(image=rows[pk])
        kept = [pk for pk in rows if pk not in removed_ids]
        if kept != list(ids):
            record_audit(
                "product.photos_arranged",
                product,
                actor=actor,
                before={"photos": kept},
                after={"photos": list(ids)},
            )
        for position, pk in enumerate(ids):
            rows[pk].position = position
        ProductImage.objects.bulk_update([rows[pk] for pk in ids], ["position"])
        content_changed()
        report_product(product_id)


def set_main_picture(*, product_id: int, image_id: int, actor: AbstractBaseUser | None) -> None:
    """Make this photo the main one: the first. The others keep their order.

    Raises `Product.DoesNotExist`, `ProductImage.DoesNotExist`, and `Problem` (409 `trashed`).
    """
    with transaction.atomic():
        product = _writable(product_id)
        keys = list(product.images.order_by("position", "pk").values_list("pk", flat=True))
        if image_id not in keys:
            raise ProductImage.DoesNotExist
        ids = [image_id, *(pk for pk in keys if pk != image_id)]
        arrange_pictures(product_id=product_id, ids=ids, actor=actor)


def change_picture(
    *,
    product_id: int,
    image_id: int,
    values: Mapping[str, Any],
    seen_version: str = "",
    actor: AbstractBaseUser | None,
) -> ProductImage:
    """Change a photo: `alt_<language>`, `finish`, `variation_id`, `crop` (`Crop` or None), `focus` (`Focus` or None).

    `seen_version` is the `picture_version` that the person saw. Raises `Product.DoesNotExist`,
    `ProductImage.DoesNotExist`, and `Problem`: 400 `invalid`, 409 `conflict`, 409 `trashed`.
    """
    crop: Crop | None = values.get("crop")
    shown = ProductImage.objects.filter(product=product_id, pk=image_id).first() if crop else None
    # Before the transaction, which locks the product.
    part = cut_product_image(image=shown, crop=crop) if crop and shown else None
    with transaction.atomic():
        product = _writable(product_id)
        row = product.images.select_for_update().get(pk=image_id)
        if seen_version and picture_version(row) != seen_version:
            raise gallery_conflict()
        before = written_values(row)
        if "crop" in values and (crop is not None or row.whole):
            crop_product_image(image=row, crop=crop, part=part)
        if "focus" in values:
            focus: Focus | None = values["focus"]
            row.focus_x, row.focus_y = (None, None) if focus is None else (focus.x, focus.y)
        if "finish" in values:
            row.finish = values["finish"]
        if "variation_id" in values:
            row.variation = _own_format(product, values["variation_id"])
        _set_texts(row, values)
        row.save()
        record_picture(row, before, actor)
        content_changed()
        report_product(product_id)
    return row


def remove_picture(*, product_id: int, image_id: int, actor: AbstractBaseUser | None) -> None:
    """Remove a photo. Raises `Product.DoesNotExist`, `ProductImage.DoesNotExist`, and `Problem` (409 `trashed`)."""
    with transaction.atomic():
        row = _writable(product_id).images.get(pk=image_id)
        record_row("deleted", row, actor=actor, before=_whole(row))
        delete_product_image(image=row)


def gallery_conflict() -> Problem:
    """The refusal of a change made on photos that are others by now."""
    return Problem(
        "conflict", _("Les photos ont été modifiées entre-temps. Vérifiez, puis enregistrez."), 409
    )


def _whole(row: ProductImage) -> dict[str, Any]:
    """What the audit trail keeps of a photo that comes or goes."""
    written = {name: value for name, value in written_values(row).items() if value not in (None, "", [])}
    return {"product": f"{row.product} ({row.product_id})", "file": row.file.name, **written}


def _writable(product_id: int) -> Product:
    product = locked_product(product_id)
    refuse_trashed(product)
    return product


def _own_format(product: Product, variation_id: int | None) -> ProductVariation | None:
    if variation_id is None:
        return None
    found = product.variations.filter(pk=variation_id).first()
    if found is None:
        message = _("Ce format n'existe plus.")
        raise Problem("invalid", message, errors={"variation_id": [message]})
    return found


def _set_texts(row: ProductImage, values: Mapping[str, Any]) -> None:
    for name in ALT_COLUMNS:
        if name in values:
            setattr(row, name, values[name] or "")
