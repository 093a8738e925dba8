"""Pictures of products and categories, and 3D models with their posters: stored, described by a row, removed with it.

The smaller files of a picture are made in the background."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import IO, Any

from django.db import transaction
from django.db.models import Max
from django.db.models.fields.files import FieldFile
from django.utils.translation import gettext as _

from catalog.models import (
    Category,
    CategoryPicture,
    PictureRow,
    Product,
    ProductImage,
    ProductModel,
    ProductVariation,
    RetiredPicture,
)
from catalog.selectors.shown_files import shown_files
from catalog.services.reports import report_product
from shop.core import images, models3d
from shop.core.content_version import content_changed
from shop.core.each_row import each_row
from shop.core.enqueue import enqueue_after_commit
from shop.core.file_storage import STAYS, discard_files, keep_files, store_file
from shop.core.image_drawing import DrawnImage
from shop.core.images import StoredImage
from shop.core.problems import Problem

PHOTOS, MODELS = "products", "models"
"""The folders of products' photos, and of models with their posters."""
SMALLEST_CROP = 200
_FILE_COLUMNS = ("file", "width", "height", "colour", "derivatives")
_BATCH = 100
DERIVE_TASK = "catalog.tasks.derive_image_files"
_MODELS: dict[str, type[PictureRow]] = {
    "product": ProductImage,
    "category": CategoryPicture,
    "model": ProductModel,
}


@dataclass(frozen=True, slots=True)
class Crop:
    """The part of a photo that is shown, in percent of the whole."""

    x: float
    y: float
    width: float
    height: float

    def pixels(self, width: int, height: int) -> tuple[int, int, int, int]:
        """Left, top, right and bottom edge in a picture of this size."""
        left, top = round(self.x * width / 100), round(self.y * height / 100)
        right, bottom = (self.x + self.width) * width / 100, (self.y + self.height) * height / 100
        return left, top, min(width, round(right)), min(height, round(bottom))


@dataclass(frozen=True, slots=True)
class StoredModel:
    """A 3D model that was taken in: its name in the media storage and its size in bytes."""

    name: str
    size: int


def register_pictures(kind: str, model: type[PictureRow]) -> None:
    """Let another app's pictures have their smaller files made here. Call it in an `AppConfig.ready()`."""
    _MODELS[kind] = model


def add_product_image(
    *,
    product: Product,
    image: StoredImage,
    finish: str = "",
    variation: ProductVariation | None = None,
    position: int | None = None,
    source_url: str = "",
) -> ProductImage:
    """Put a photo of a product that was stored after the others, unless `position` says otherwise. `source_url` is what
    it is a copy of."""
    with transaction.atomic():
        keep_files([image.name], "default")
        if position is None:
            last = product.images.aggregate(last=Max("position"))["last"]
            position = 1 if last is None else last + 1
        row = ProductImage.objects.create(
            product=product,
            finish=finish,
            variation=variation,
            position=position,
            source_url=source_url,
            **image.columns,
        )
        enqueue_after_commit(DERIVE_TASK, "product", row.pk)
        content_changed()
        report_product(product.pk)
    return row


def cut_product_image(*, image: ProductImage, crop: Crop) -> StoredImage:
    """Store a part of a photo, cut from the whole of it, which stays the same file whatever is shown.

    The part becomes a file of its own, because files are cached for ever under their names. Raises `Problem` (400
    `invalid`) for a part below `SMALLEST_CROP` pixels.
    """
    whole = _whole(image)
    box = crop.pixels(whole["width"], whole["height"])
    if min(box[2] - box[0], box[3] - box[1]) < SMALLEST_CROP:
        refusal = _("La partie gardée est trop petite\u00a0: %(side)d pixels de côté au moins.")
        message = refusal % {"side": SMALLEST_CROP}
        raise Problem("invalid", message, errors={"crop": [message]})
    return images.cut_image(name=whole["file"], box=box, folder=PHOTOS)


def crop_product_image(*, image: ProductImage, crop: Crop | None, part: StoredImage | None) -> ProductImage:
    """Show `part`, which `cut_product_image` has stored, or with None all of a photo again. The whole photo stays. The
    point that stays in sight is forgotten with the picture that it was of."""
    whole = _whole(image)
    with transaction.atomic():
        changed = whole
        if part is not None:
            keep_files([part.name], "default")
            changed = {**part.columns, "derivatives": {}}
        if image.whole:
            RetiredPicture.objects.create(file=image.file.name, derivatives=image.derivatives)
        for name, value in changed.items():
            setattr(image, name, value)
        image.crop = {} if crop is None else asdict(crop)
        image.whole = {} if crop is None else whole
        image.focus_x = image.focus_y = None
        image.save()
        enqueue_after_commit(DERIVE_TASK, "product", image.pk)
        content_changed()
    return image


def store_upload(*, image: DrawnImage) -> StoredImage:
    """Store a picture that belongs to no row yet. A day later it is deleted unless somebody shows it
    (`catalog.selectors.shown_files`)."""
    stored = images.store_image(image=image, folder="uploads")
    with transaction.atomic():
        keep_files([stored.name], "default")
        RetiredPicture.objects.create(file=stored.name)
    return stored


def set_category_picture(*, category: Category, image: StoredImage | None) -> CategoryPicture | None:
    """Give a category a picture that was stored, in place of the one it had; with None it has none."""
    with transaction.atomic():
        old = CategoryPicture.objects.filter(category=category)
        retire_pictures(old)
        old.delete()
        row = None
        if image is not None:
            keep_files([image.name], "default")
            row = CategoryPicture.objects.create(category=category, **image.columns)
            enqueue_after_commit(DERIVE_TASK, "category", row.pk)
        content_changed()
    return row


def delete_product_image(*, image: ProductImage) -> None:
    """Remove a photo; its files follow when nobody shows them."""
    with transaction.atomic():
        retire_pictures([image])
        image.delete()
        content_changed()
        report_product(image.product_id)


def store_model(*, file: IO[bytes], name: str) -> StoredModel:
    """Store a 3D model under a random name, put together again. Raises `Problem` as `models3d.check_model` does."""
    content = models3d.check_model(file=file, name=name).content
    stored = StoredModel(f"{MODELS}/{secrets.token_hex(16)}.{models3d.EXTENSION}", len(content))
    store_file(stored.name, content, "default")
    return stored


def set_product_model(*, product: Product, model: StoredModel, poster: StoredImage) -> ProductModel:
    """Give a product a 3D model and the picture shown before it, both stored, in place of those it had."""
    with transaction.atomic():
        remove_model_files(product=product)
        ProductModel.objects.filter(product=product).delete()
        keep_files([model.name, poster.name], "default")
        row = ProductModel.objects.create(
            product=product, model_file=model.name, model_bytes=model.size, **poster.columns
        )
        enqueue_after_commit(DERIVE_TASK, "model", row.pk)
        content_changed()
    return row


def delete_product_model(*, product: Product) -> None:
    """Delete the 3D model of a product; no error without one."""
    with transaction.atomic():
        remove_model_files(product=product)
        ProductModel.objects.filter(product=product).delete()
        content_changed()


def remove_model_files(*, product: Product) -> None:
    """Discard the file of a product's model, if it has one; its poster is retired."""
    row = ProductModel.objects.filter(product=product).first()
    if row is None:
        return
    retire_pictures([row])
    discard_files([row.model_file.name or ""], "default")


def derive_files(*, kind: str, pk: int) -> bool:
    """Make the smaller files of one picture (`kind` is a key of `_MODELS`). False when there is nothing to do:
    the row is gone, has them already or is in another worker's hands, or none can be made. Safe to run twice, also at
    the same time."""
    model = _MODELS[kind]
    row = model._default_manager.filter(images.UNDERIVED, pk=pk).first()
    if row is None or not row.file.name:
        return False
    shown = model._default_manager.filter(pk=pk, file=row.file.name)
    derivatives = images.derive_for(shown, row.file.name, row.derivatives)
    if derivatives is None:
        return False
    updated = shown.update(derivatives=derivatives)
    if not updated and not _keep_for_whole(row, derivatives):
        # Removed meanwhile: these files go with the others.
        RetiredPicture.objects.filter(file=row.file.name).update(derivatives=derivatives)
    content_changed()
    return bool(updated and derivatives["widths"])


def missing_pictures(*, limit: int) -> list[tuple[str, int]]:
    """Return kind and key of pictures that have no smaller files yet, at most `limit` of each kind: any of them, so
    that those of which none can be made keep no others waiting."""
    return [
        (kind, pk)
        for kind, model in _MODELS.items()
        for pk in model._default_manager.filter(images.UNDERIVED)
        .order_by("?")
        .values_list("pk", flat=True)[:limit]
    ]


def enqueue_missing(*, limit: int) -> int:
    """Enqueue the smaller files of pictures that have none; return how many pictures."""
    missing = missing_pictures(limit=limit)
    for kind, pk in missing:
        enqueue_after_commit(DERIVE_TASK, kind, pk)
    return len(missing)


def retire_pictures(rows: Iterable[PictureRow]) -> None:
    """Give up the files of these rows, which the caller deletes in the same transaction."""
    given_up = []
    for row in rows:
        if row.file.name:
            given_up.append(RetiredPicture(file=row.file.name, derivatives=row.derivatives))
        if isinstance(row, ProductImage) and row.whole:
            whole = row.whole
            given_up.append(RetiredPicture(file=whole["file"], derivatives=whole["derivatives"]))
    RetiredPicture.objects.bulk_create(given_up)


def remove_retired_files(*, now: datetime) -> int:
    """Delete the files of pictures retired a day ago that nobody shows; return of how many. Safe to repeat."""
    due = RetiredPicture.objects.filter(retired_at__lte=now - STAYS).order_by("pk")

    def unused() -> Iterator[RetiredPicture]:
        for batch in _batches(list(due)):
            names = {row.pk: images.file_names(row.file.name or "", row.derivatives) for row in batch}
            shown = shown_files([name for several in names.values() for name in several])
            yield from (row for row in batch if shown.isdisjoint(names[row.pk]))

    return each_row(unused(), _delete_retired)


def _delete_retired(row: RetiredPicture) -> bool:
    images.delete_files(row.file.name or "", row.derivatives)
    return bool(row.delete()[0])


def _keep_for_whole(row: PictureRow, derivatives: dict[str, Any]) -> bool:
    """Note the files of a photo of which only a part is shown by now; False if it is not such a one."""
    with transaction.atomic():
        found = ProductImage.objects.select_for_update().filter(pk=row.pk).first()
        if not isinstance(row, ProductImage) or found is None or found.whole.get("file") != row.file.name:
            return False
        found.whole["derivatives"] = derivatives
        found.save(update_fields=["whole"])
    return True


def _whole(image: ProductImage) -> dict[str, Any]:
    return image.whole or {name: _plain(getattr(image, name)) for name in _FILE_COLUMNS}


def _plain(value: Any) -> Any:
    return value.name if isinstance(value, FieldFile) else value


def _batches(rows: list[RetiredPicture]) -> Iterable[list[RetiredPicture]]:
    """A picture has a dozen files, and databases limit the parameters of a query."""
    return (rows[start : start + _BATCH] for start in range(0, len(rows), _BATCH))
