"""3D models of products: a GLB file and its poster, taken in and removed together."""

from __future__ import annotations

from django.db import transaction

from catalog.models import Product, ProductModel
from catalog.services.images import DERIVE_TASK, remove_files
from shop.core import images, models3d
from shop.core.content_version import content_changed
from shop.core.enqueue import enqueue_after_commit
from shop.core.image_drawing import DrawnImage
from shop.core.models3d import CheckedModel

FOLDER = "models"


def set_product_model(*, product: Product, model: CheckedModel, poster: DrawnImage) -> ProductModel:
    """Give a product a 3D model with the picture shown before it, in place of the one it had."""
    picture = images.store_image(image=poster, folder=FOLDER)
    try:
        stored = models3d.store_model(model=model, folder=FOLDER)
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
    """Take the 3D model off a product; no error without one."""
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
