"""The 3D model of a piece as staff change it: told when somebody else did meanwhile, and recorded."""

from __future__ import annotations

from django.contrib.auth.base_user import AbstractBaseUser
from django.db import transaction

from catalog.models import Product, ProductModel
from catalog.services.media import StoredModel, delete_product_model, set_product_model
from shop.core.audit import record_audit
from shop.core.images import StoredImage


def change_product_model(
    *,
    product: Product,
    seen: str,
    files: tuple[StoredModel, StoredImage] | None,
    actor: AbstractBaseUser,
) -> bool:
    """Show a model and the picture before it, which were stored, or remove the model with None; the change is recorded.

    `seen` is the file's name of the model that `actor` saw, "" for none. Return False, and change nothing, where
    another one stands there by now: the product is locked meanwhile, so that of two who change it at once one is told.
    """
    with transaction.atomic():
        Product.objects.select_for_update(no_key=True).get(pk=product.pk)
        row = ProductModel.objects.filter(product=product).first()
        if (row.model_file.name if row else "") != seen:
            return False
        before = {"model_3d": row.model_bytes} if row else {}
        after = {}
        if files is None:
            delete_product_model(product=product)
        else:
            model, poster = files
            after = {"model_3d": set_product_model(product=product, model=model, poster=poster).model_bytes}
        record_audit("product.model_changed", product, actor=actor, before=before, after=after)
    return True
