"""Pictures of products and categories, and 3D models with their posters: stored, described by a row, removed with it.

The smaller files of a picture are made in the background."""

from __future__ import annotations

import logging
from collections.abc import Iterable

from django.db import transaction
from django.db.models import Max

from catalog.models import (
    Category,
    CategoryPicture,
    PictureRow,
    Product,
    ProductImage,
    ProductModel,
    ProductVariation,
)
from shop.core import images, models3d
from shop.core.content_version import content_changed
from shop.core.enqueue import enqueue_after_commit
from shop.core.image_drawing import DrawnImage
from shop.core.models3d import CheckedModel

logger = logging.getLogger(__name__)

DERIVE_TASK = "catalog.tasks.derive_image_files"
_MODELS: dict[str, type[ProductImage] | type[CategoryPicture] | type[ProductModel]] = {
    "product": ProductImage,
    "category": CategoryPicture,
    "model": ProductModel,
}


def add_product_image(
    *,
    product: Product,
    image: DrawnImage,
    alt: str = "",
    finish: str = "",
    variation: ProductVariation | None = None,
    position: int | None = None,
) -> ProductImage:
    """Store a photo of a product, after the others unless `position` says otherwise."""
    stored = images.store_image(image=image, folder="products")
    with transaction.atomic():
        if position is None:
            last = product.images.aggregate(last=Max("position"))["last"]
            position = 1 if last is None else last + 1
        row = ProductImage.objects.create(
            product=product,
            file=stored.name,
            alt=alt,
            finish=finish,
            variation=variation,
            position=position,
            width=stored.width,
            height=stored.height,
            colour=stored.colour,
        )
        enqueue_after_commit(DERIVE_TASK, "product", row.pk)
        content_changed()
    return row


def set_category_picture(*, category: Category, image: DrawnImage, alt: str = "") -> CategoryPicture:
    """Store the picture of a category, in place of the one it had."""
    stored = images.store_image(image=image, folder="categories")
    with transaction.atomic():
        old = list(CategoryPicture.objects.filter(category=category))
        CategoryPicture.objects.filter(category=category).delete()
        remove_files(old)
        row = CategoryPicture.objects.create(
            category=category,
            file=stored.name,
            alt=alt,
            width=stored.width,
            height=stored.height,
            colour=stored.colour,
        )
        enqueue_after_commit(DERIVE_TASK, "category", row.pk)
        content_changed()
    return row


def delete_product_image(*, image: ProductImage) -> None:
    """Remove a photo and, once that is committed, its files."""
    with transaction.atomic():
        remove_files([image])
        image.delete()
        content_changed()


def set_product_model(*, product: Product, model: CheckedModel, poster: DrawnImage) -> ProductModel:
    """Store the 3D model of a product with the picture shown before it, in place of the one it had."""
    picture = images.store_image(image=poster, folder="models")
    try:
        stored = models3d.store_model(model=model, folder="models")
    except BaseException:
        images.delete_files(picture.name, {})
        raise
    with transaction.atomic():
        remove_model_files(product=product)
        ProductModel.objects.filter(product=product).delete()
        row = ProductModel.objects.create(
            product=product,
            model_file=stored.name,
            model_bytes=stored.size,
            file=picture.name,
            width=picture.width,
            height=picture.height,
            colour=picture.colour,
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
    """Delete the files of a product's model, if it has one, after the commit."""
    row = ProductModel.objects.filter(product=product).first()
    if row is None:
        return
    remove_files([row])
    name = row.model_file.name or ""
    transaction.on_commit(lambda: models3d.delete_model(name))


def derive_files(*, kind: str, pk: int) -> bool:
    """Make the smaller files of one picture (`kind` is a key of `_MODELS`). False when there is nothing to do:
    the row is gone or has them already. Safe to run twice, also at the same time."""
    model = _MODELS[kind]
    row = model.objects.filter(pk=pk, derivatives={}).first()
    if row is None or not row.file.name:
        return False
    try:
        derivatives = images.derive_files(row.file.name)
    except FileNotFoundError:
        # Nothing will bring it back: the row stops asking, and the page shows the text alternative.
        logger.exception("The picture %s is lost", row.file.name)
        model.objects.filter(pk=pk).update(derivatives={"widths": []})
        return False
    updated = model.objects.filter(pk=pk).update(derivatives=derivatives)
    content_changed()
    return bool(updated)


def enqueue_missing(*, limit: int) -> int:
    """Enqueue the smaller files of pictures that have none; return how many pictures."""
    enqueued = 0
    for kind, model in _MODELS.items():
        for pk in model.objects.filter(derivatives={}).order_by("pk").values_list("pk", flat=True)[:limit]:
            enqueue_after_commit(DERIVE_TASK, kind, pk)
            enqueued += 1
    return enqueued


def remove_files(rows: Iterable[PictureRow]) -> None:
    """Delete the files of these rows after the commit: a transaction that fails keeps its pictures."""
    for row in rows:
        name, derivatives = row.file.name, dict(row.derivatives)
        if name:
            transaction.on_commit(lambda name=name, found=derivatives: images.delete_files(name, found))  # type: ignore[misc]
