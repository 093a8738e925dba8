"""Copies of products: a new piece begins as one that is nearly the same."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.base_user import AbstractBaseUser
from django.db import transaction
from django.utils import translation
from django.utils.translation import gettext as _

from catalog.models import Product, ProductImage, ProductVariation, Variant
from catalog.services.media import DERIVE_TASK
from catalog.services.prices import refresh_due_promotions
from catalog.services.products import (
    complete_variants,
    locked_product,
    refresh_product,
    save_product,
)
from catalog.services.reports import report_product
from shop.core.audit import record_audit
from shop.core.enqueue import enqueue_after_commit
from shop.core.languages import LANGUAGES
from shop.integrations.models import EventKind

# What belongs to one product alone, or is made anew.
_OWN_COLUMNS = {
    *("id", "external_id", "created_at", "updated_at", "archived_at", "trashed_at", "was_published"),
    *(
        "source",
        "is_published",
        "published_at",
        "featured",
        "running_promotion",
        "rating_count",
        "rating_average",
        "search_text",
    ),
    *("slug", *(f"slug_{language}" for language in LANGUAGES)),
}
_VARIANT_COLUMNS = (
    *("price", "in_stock", "weight_grams", "production_days_min", "production_days_max"),
    *("dimensions", "height_cm", "weight"),
)


def duplicate_product(
    *, product_id: int, actor: AbstractBaseUser | None, with_photos: bool = False
) -> Product:
    """Make a product that is not published of another's texts, prices, formats and measures. It has none of its
    promotion, references and pieces in stock: those that were counted are 0.

    `with_photos` gives it rows of its own for the same files, which stay while either product shows them.

    Raises `Product.DoesNotExist`.
    """
    refresh_due_promotions()
    with transaction.atomic():
        source = locked_product(product_id)
        copy = Product(**_columns(source, _OWN_COLUMNS), source="manual", is_published=False)
        for language in LANGUAGES:
            name = getattr(source, f"name_{language}")
            if name:
                with translation.override(language):
                    suffix = _(" (copie)")
                setattr(copy, f"name_{language}", f"{name[: 160 - len(suffix)]}{suffix}")
        copy.stock_quantity = None if source.stock_quantity is None else 0
        save_product(product=copy)
        copy.picked_similar.set(source.picked_similar.all())
        formats: dict[int | None, ProductVariation | None] = {None: None}
        for row in source.variations.order_by("sort_order", "pk"):
            formats[row.pk] = ProductVariation.objects.create(
                product=copy, **_columns(row, {"id", "product", "name"})
            )
        _copy_variants(source, copy, formats)
        if with_photos:
            _copy_photos(source, copy, formats)
        refresh_product(product_id=copy.pk)
        # Once more: what followed its own columns belongs to it.
        report_product(copy.pk, EventKind.PRODUCT_CREATED)
        record_audit("product.added", copy, actor=actor, after={"name": copy.name, "copy_of": source.pk})
    copy.refresh_from_db()
    return copy


def _copy_variants(
    source: Product, copy: Product, formats: dict[int | None, ProductVariation | None]
) -> None:
    # Before the refresh, which records the prices.
    made = {(row.variation_id, row.finish): row for row in complete_variants(products=[copy])[copy.pk]}
    for row in source.variants.all():
        format_ = formats[row.variation_id]
        target = made.get((None if format_ is None else format_.pk, row.finish))
        if target is None:
            continue
        for name in _VARIANT_COLUMNS:
            setattr(target, name, getattr(row, name))
        target.stock_quantity = None if row.stock_quantity is None else 0
        Variant.objects.bulk_update([target], [*_VARIANT_COLUMNS, "stock_quantity"])


def _copy_photos(source: Product, copy: Product, formats: dict[int | None, ProductVariation | None]) -> None:
    for row in source.images.order_by("position", "pk"):
        photo = ProductImage.objects.create(
            product=copy, variation=formats[row.variation_id], **_columns(row, {"id", "product", "variation"})
        )
        if "widths" not in photo.derivatives:
            enqueue_after_commit(DERIVE_TASK, "product", photo.pk)


def _columns(row: Any, left_out: set[str]) -> dict[str, Any]:
    """The columns of a row by name; of a translated text those of its languages, not the one they start from."""
    names = [field.name for field in row._meta.concrete_fields if not field.generated]
    repeated = {name for name in names if f"{name}_{LANGUAGES[0]}" in names}
    return {name: getattr(row, name) for name in names if name not in left_out and name not in repeated}
