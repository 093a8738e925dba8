"""Formats and variants of a product as staff write them in one grid, with what changed in the audit trail."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.contrib.auth.base_user import AbstractBaseUser
from django.db import transaction
from django.utils.translation import gettext as _

from catalog.models import Product, ProductImage, ProductVariation, Variant
from catalog.models.product import wrong_production_days
from catalog.selectors.product_columns import SEPARATOR
from catalog.selectors.staff_variants import format_marks, format_variants
from catalog.services.gallery import gallery_conflict, record_picture, written_values
from catalog.services.prices import refresh_due_promotions
from catalog.services.products import (
    MOST_FORMATS,
    delete_variation,
    free_references,
    locked_product,
    refresh_product,
    refuse_same_name,
    save_variation,
    storing,
    validate,
    write_format,
)
from catalog.services.reports import report_product, watch_stock
from catalog.services.staff_products import refuse_trashed
from shop.core.audit import record_audit
from shop.core.languages import LANGUAGES
from shop.core.problems import InvalidFields, Problem

Values = Mapping[str, Any]
VARIANT_COLUMNS = (
    *("price", "in_stock", "stock_quantity", "sku", "weight_grams", "weight", "dimensions", "height_cm"),
    *("production_days_min", "production_days_max"),
)
NAME_COLUMNS = tuple(f"name_{language}" for language in LANGUAGES)
FORMAT_COLUMNS = (*NAME_COLUMNS, "price_adjustment", "price_override", "is_default", "sort_order")


@dataclass(frozen=True, slots=True)
class GridRow:
    """What changes of one variant: columns by name; `image_ids` are the photos that show this very format and finish.

    `seen_stock` is the number that the person saw, which orders change without a new version; needed with
    `stock_quantity`.
    """

    variant_id: int
    values: Values
    image_ids: Sequence[int] | None = None
    seen_stock: int | None = None


@dataclass(slots=True)
class _Writing:
    """A grid while it is being written: messages by `rows.<variant>.<field>`, and what changed."""

    product: Product
    errors: dict[str, list[str]] = field(default_factory=dict)
    before: dict[str, Any] = field(default_factory=dict)
    after: dict[str, Any] = field(default_factory=dict)

    def refuse(self, row: GridRow, name: str, message: str) -> None:
        self.errors.setdefault(f"rows.{row.variant_id}.{name}", []).append(message)


def grid_version(
    formats: Sequence[ProductVariation], variants: Sequence[Variant], photos: Sequence[ProductImage]
) -> str:
    """A short name of what staff wrote of formats and variants. Numbers in stock are not part of it: orders change
    them."""
    written = [
        *(("format", row.pk, *(getattr(row, name) for name in FORMAT_COLUMNS)) for row in formats),
        *(
            ("variant", row.pk, *(getattr(row, name) for name in VARIANT_COLUMNS if name != "stock_quantity"))
            for row in variants
        ),
        *(("photo", row.pk, row.finish, row.variation_id) for row in photos),
    ]
    lines = sorted("|".join("" if value is None else str(value) for value in row) for row in written)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]


def save_grid(
    *,
    product_id: int,
    rows: Sequence[GridRow],
    version: str,
    actor: AbstractBaseUser | None,
    format_ids: Sequence[int] | None = None,
) -> None:
    """Write all of these rows, and the formats in the order of `format_ids`, or nothing.

    Raises `Product.DoesNotExist`, and `Problem`: 400 `invalid` with messages by `rows.<variant>.<field>`, 409
    `conflict` unless `version` is the grid's, 409 `trashed`.
    """
    refresh_due_promotions()
    with transaction.atomic():
        product = _writable(product_id, version)
        writing = _Writing(product)
        with watch_stock([product_id]):
            variants = {row.pk: row for row in product.variants.select_related("variation")}
            if any(row.variant_id not in variants for row in rows):
                raise grid_conflict()
            free_references(
                (variants[row.variant_id], row.values["sku"]) for row in rows if "sku" in row.values
            )
            for row in rows:
                _write_row(writing, variants[row.variant_id], row)
            _write_photos(writing, rows, variants, actor)
            if format_ids is not None:
                _write_order(writing, format_ids)
            if writing.errors:
                raise InvalidFields(writing.errors)
            refresh_product(product_id=product_id)
        report_product(product_id)
        if writing.after:
            record_audit(
                "product.variants_changed", product, actor=actor, before=writing.before, after=writing.after
            )


def add_format(*, product_id: int, values: Values, actor: AbstractBaseUser | None) -> ProductVariation:
    """Add a format behind the others. `values` are `FORMAT_COLUMNS`, and `in_stock` and `sku` of its variants.

    Raises `Product.DoesNotExist`, and `Problem`: 400 `invalid`, 409 `trashed`, 409 `too_many_formats`.
    """
    refresh_due_promotions()
    with transaction.atomic():
        product = _writable(product_id)
        places = list(product.variations.values_list("sort_order", flat=True))
        if len(places) >= MOST_FORMATS:
            raise Problem(
                "too_many_formats",
                _("Un produit a %(count)d formats au plus.") % {"count": MOST_FORMATS},
                409,
            )
        # Behind the last one, not by how many there are: removed ones leave gaps before it.
        row = ProductVariation(product=product, sort_order=max(places, default=-1) + 1)
        _write_format(row, values)
        record_audit("variation.added", row, actor=actor, after=_plain_format(row, values))
    return row


def change_format(
    *,
    product_id: int,
    variation_id: int,
    values: Values,
    actor: AbstractBaseUser | None,
    version: str = "",
) -> ProductVariation:
    """Change a format; made the default one, it takes the mark from the others.

    Raises `Product.DoesNotExist`, `ProductVariation.DoesNotExist`, and `Problem`: 400 `invalid`, 409 `conflict`, 409
    `trashed`.
    """
    refresh_due_promotions()
    with transaction.atomic():
        row = _writable(product_id, version).variations.get(pk=variation_id)
        before = _plain_format(row, values)
        _write_format(row, values)
        after = _plain_format(row, values)
        changed = [name for name in after if before[name] != after[name]]
        if changed:
            record_audit(
                "variation.changed",
                row,
                actor=actor,
                before={name: before[name] for name in changed},
                after={name: after[name] for name in changed},
            )
    return row


def remove_format(*, product_id: int, variation_id: int, actor: AbstractBaseUser | None) -> None:
    """Remove a format with its variants. Orders and prices over time keep what they say of it.

    Raises `Product.DoesNotExist`, `ProductVariation.DoesNotExist`, and `Problem` (409 `trashed`).
    """
    refresh_due_promotions()
    with transaction.atomic():
        row = _writable(product_id).variations.get(pk=variation_id)
        record_audit("variation.deleted", row, actor=actor, before=_plain_format(row, {}))
        delete_variation(variation=row)


def grid_conflict() -> Problem:
    """The refusal of a change made on a grid that is another by now."""
    return Problem("conflict", _("Les déclinaisons ont été modifiées entre-temps."), 409)


def _writable(product_id: int, version: str = "") -> Product:
    product = locked_product(product_id)
    refuse_trashed(product)
    if version:
        stored = grid_version(
            list(product.variations.all()), list(product.variants.all()), list(product.images.all())
        )
        if stored != version:
            raise grid_conflict()
    return product


def _write_row(writing: _Writing, variant: Variant, row: GridRow) -> None:
    changed = {name: value for name, value in row.values.items() if getattr(variant, name) != value}
    if "stock_quantity" in changed and row.seen_stock != variant.stock_quantity:
        sold = _("Le stock a changé entre-temps\u00a0: %(count)s maintenant.")
        now = "–" if variant.stock_quantity is None else variant.stock_quantity
        writing.refuse(row, "stock_quantity", sold % {"count": now})
    before = {name: _plain(getattr(variant, name)) for name in changed}
    for name, value in changed.items():
        setattr(variant, name, value)
    if not changed or not _is_valid(writing, variant, row):
        return
    try:
        with storing(variant):
            variant.save()
    except Problem:
        _is_valid(writing, variant, row)
        return
    for name in changed:
        writing.before[f"{variant}{SEPARATOR}{name}"] = before[name]
        writing.after[f"{variant}{SEPARATOR}{name}"] = _plain(getattr(variant, name))


def _is_valid(writing: _Writing, variant: Variant, row: GridRow) -> bool:
    """What a constraint of several columns refuses is said beside the field that a person would change."""
    counted = len(writing.errors)
    if variant.price is not None and variant.variation_id is None:
        writing.refuse(row, "price", _("Sans format, le prix est celui du produit."))
    if variant.sku and Variant.objects.filter(sku=variant.sku).exclude(pk=variant.pk).exists():
        writing.refuse(row, "sku", _("Cette référence est déjà celle d'une autre déclinaison."))
    days = wrong_production_days(variant.production_days_min, variant.production_days_max)
    for name, message in days.items():
        writing.refuse(row, name, str(message))
    if len(writing.errors) > counted:
        return False
    try:
        validate(variant)
    except Problem as problem:
        for name, messages in problem.errors.items():
            for message in messages:
                writing.refuse(row, name, message)
        return False
    return not any(name.startswith(f"rows.{row.variant_id}.") for name in writing.errors)


def _write_photos(
    writing: _Writing,
    rows: Sequence[GridRow],
    variants: Mapping[int, Variant],
    actor: AbstractBaseUser | None,
) -> None:
    """A photo shows one variant, or the product: one that a row gives up shows every variant again."""
    wanted: dict[int, Variant] = {}
    for row in rows:
        for pk in row.image_ids or ():
            if wanted.setdefault(pk, variants[row.variant_id]) != variants[row.variant_id]:
                writing.refuse(row, "image_ids", _("Cette photo est déjà celle d'une autre déclinaison."))
    written = [variants[row.variant_id] for row in rows if row.image_ids is not None]
    photos = {photo.pk: photo for photo in writing.product.images.all()} if written else {}
    if wanted.keys() - photos.keys():
        raise gallery_conflict()
    shown = {(variant.variation_id, variant.finish) for variant in written}
    changed = []
    for photo in photos.values():
        variant = wanted.get(photo.pk)
        if variant is not None:
            own = (variant.variation_id, variant.finish)
        elif (photo.variation_id, photo.finish) in shown - {(None, "")}:
            own = (None, "")
        else:
            continue
        if (photo.variation_id, photo.finish) != own:
            before = written_values(photo)
            photo.variation_id, photo.finish = own
            record_picture(photo, before, actor)
            changed.append(photo)
    ProductImage.objects.bulk_update(changed, ["variation", "finish"])


def _write_order(writing: _Writing, format_ids: Sequence[int]) -> None:
    formats = {row.pk: row for row in writing.product.variations.all()}
    if sorted(format_ids) != sorted(formats):
        raise grid_conflict()
    before, after = [str(row) for row in formats.values()], [str(formats[pk]) for pk in format_ids]
    if before != after:
        writing.before["formats"], writing.after["formats"] = before, after
    for position, pk in enumerate(format_ids):
        formats[pk].sort_order = position
    ProductVariation.objects.bulk_update(formats.values(), ["sort_order"])


def _write_format(row: ProductVariation, values: Values) -> None:
    for name in FORMAT_COLUMNS:
        if name in values:
            setattr(row, name, values[name])
    if "name_fr" in values:
        others = row.product.variations.exclude(pk=row.pk)
        refuse_same_name(str(values["name_fr"]), others.values_list("name_fr", flat=True))
    save_variation(variation=row)
    write_format(variation=row, given=values)


def _plain_format(row: ProductVariation, values: Values) -> dict[str, Any]:
    """Its columns, and of what is its variants' what a change gives."""
    columns = {name: _plain(getattr(row, name)) for name in FORMAT_COLUMNS}
    if values.keys().isdisjoint(("in_stock", "sku")):
        return columns
    marks = format_marks(format_variants(row.product, row.pk, row.variants.order_by("finish", "pk")))
    return columns | {name: value for name, value in marks.items() if name in values}


def _plain(value: Any) -> Any:
    return value if value is None or isinstance(value, bool | int | str) else str(value)
