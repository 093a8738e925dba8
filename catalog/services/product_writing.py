"""Writing a product with its formats, variants, promotion and photos at once, by checked fields: all of it or nothing.

The fields are those of the HTTP contract, checked one by one by `catalog.api.product_fields`. What only the rows
together can tell is checked here, again with a line for each wrong field.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from catalog.models import PRODUCT_TEXTS, Product, ProductVariation, Promotion, Variant
from catalog.models.promotion import REDUCTIONS
from catalog.pricing import offered_finishes
from catalog.selectors.product_documents import OWN_COLUMNS, PRICES, VARIANT_COLUMNS
from catalog.services.picture_imports import set_gallery, set_main_picture
from catalog.services.prices import holding_prices, refresh_due_promotions
from catalog.services.products import (
    conflict,
    delete_variation,
    free_references,
    refresh_product,
    refuse_same_name,
    save_product,
    save_variant,
    save_variation,
    write_format,
)
from catalog.services.promotions import OFFER_FIELDS, set_own_promotion
from catalog.services.reports import report_product
from catalog.services.staff_products import refuse_trashed
from catalog.services.stock import lock_products
from shop.core.audit import record_audit
from shop.core.languages import SOURCE_LANGUAGE
from shop.core.problems import InvalidFields, Problem
from shop.core.searching import folded
from shop.integrations.models import ApiKey, EventKind
from shop.integrations.repeated_calls import make_once

SOURCE = "automation"
_DAYS = {"production_days_min", "production_days_max"}
_VARIATION_COLUMNS = ("price_adjustment", "price_override", "is_default", "sort_order")


@dataclass(frozen=True, slots=True)
class WrittenProduct:
    """The product of a call; `is_new` for the first of its repetitions."""

    product_id: int
    is_new: bool


@dataclass(slots=True)
class _Faults:
    """Lines by field, gathered from several rows."""

    lines: dict[str, list[str]] = field(default_factory=dict)

    @contextmanager
    def under(self, prefix: str) -> Iterator[None]:
        """Go on after a row that was refused as invalid; its lines are those of `prefix`."""
        try:
            yield
        except Problem as problem:
            if problem.status != 400:
                raise
            start = f"{prefix}." if prefix else ""
            for name, messages in (problem.errors or {"non_field_errors": [problem.detail]}).items():
                self.add(f"{start}{_contract_name(name)}", *messages)

    def add(self, name: str, *messages: str) -> None:
        self.lines.setdefault(name, []).extend(messages)

    def check(self) -> None:
        if self.lines:
            raise InvalidFields(self.lines)


def create_product(
    *, fields: Mapping[str, Any], api_key: ApiKey, idempotency_key: str = "", body: Mapping[str, Any]
) -> WrittenProduct:
    """Make a product. One with the same `external_id`, else one of a call with the same `Idempotency-Key` and body, is
    returned as it is; of calls at the same time one makes it.

    Raises Problem: 400 `invalid` with messages by field, 422 for the key of another body, and of a product that is no
    longer there 409 `trashed` and 410 `gone`.
    """
    external_id = fields.get("external_id")
    known = _known(external_id)
    if known is not None:
        return _repeated(known)

    def make() -> int:
        product = Product(source=SOURCE)
        _write(product, fields, api_key)
        return product.pk

    try:
        made = make_once(
            idempotency_key="" if external_id else idempotency_key, body=body, make=make, api_key=api_key
        )
    except (IntegrityError, Problem):
        # Somebody else made it meanwhile: the constraint let one of the two through.
        known = _known(external_id)
        if known is None:
            raise
        return _repeated(known)
    return WrittenProduct(made.subject_id, is_new=True) if made.is_new else _repeated(made.subject_id)


def _repeated(product_id: int) -> WrittenProduct:
    product = Product.objects.filter(pk=product_id).first()
    if product is None:
        raise Problem("gone", _("Le produit créé par cette demande a été supprimé depuis."), 410)
    refuse_trashed(product)
    return WrittenProduct(product_id, is_new=False)


def update_product(*, product_id: int, fields: Mapping[str, Any], api_key: ApiKey) -> None:
    """Change the fields that are given. Raises Problem: 400 `invalid` with messages by field, 404 `not_found`, and 409
    `conflict` where `updated_at` is not the version of now, nor `seen_stock_quantity` its number of units."""
    refresh_due_promotions()
    with transaction.atomic():
        lock_products(product_ids=[product_id])
        rows = Product.objects.select_related("category").filter(pk=product_id, trashed_at=None)
        product = rows.first()
        if product is None:
            raise Problem("not_found", _("Produit introuvable"), 404)
        _write(product, fields, api_key)


def _write(product: Product, fields: Mapping[str, Any], api_key: ApiKey) -> None:
    is_new = product.pk is None
    before = {name: _stored(product, name) for name in PRICES} if not is_new else {}
    # Of a variant that this very call makes no number was read, whatever the program was told of another.
    read = set() if is_new else set(product.variants.values_list("pk", flat=True))
    _set_columns(product, fields)
    faults = _Faults()
    with holding_prices(product.pk):
        with faults.under(""):
            save_product(product=product, expected_updated_at=_version(fields, is_new=is_new))
        if is_new:
            # Without the product nothing else can be checked.
            faults.check()
        if "variations" in fields:
            _write_variations(product, fields, faults)
        if "variants" in fields:
            _write_variants(product, fields["variants"], faults, read)
        if any(name in fields for name in OFFER_FIELDS):
            with faults.under(""):
                _write_promotion(product, fields)
        faults.check()
    if not is_new:
        refresh_product(product_id=product.pk)
    _write_gallery(product, fields)
    # Once more: what followed the product's own columns belongs to the same change.
    report_product(product.pk, EventKind.PRODUCT_CREATED if is_new else EventKind.PRODUCT_UPDATED)
    after = {name: _stored(product, name) for name in PRICES}
    changed = [name for name in PRICES if before.get(name) != after[name]]
    record_audit(
        "product.created_by_key" if is_new else "product.changed_by_key",
        product,
        actor=None,
        before={name: before.get(name) for name in changed} if not is_new else {},
        after={**{name: after[name] for name in changed}, "api_key": api_key.prefix},
    )


def _set_columns(product: Product, fields: Mapping[str, Any]) -> None:
    changed = _counted(product, fields)
    for name in (*PRICES, *OWN_COLUMNS, "category", "height_cm", "origin_country"):
        if name in changed:
            setattr(product, name, changed[name])
    texts = {SOURCE_LANGUAGE: fields, **fields.get("translations", {})}
    for language, given in texts.items():
        for name in PRODUCT_TEXTS:
            if name in given:
                setattr(product, f"{name}_{language}", given[name])
    if "production_time" in fields and not fields.keys() & _DAYS:
        product.production_days_min, product.production_days_max = fields["production_time"] or (None, None)


def _counted(row: Product | Variant, given: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what is given without a number of units that is the one which was read: what was sold since stays sold.

    Raises Problem 409 `conflict` for another number where the row has no longer the one that was read.
    """
    if row.pk is None or "seen_stock_quantity" not in given or "stock_quantity" not in given:
        return given
    if given["stock_quantity"] == given["seen_stock_quantity"]:
        return {name: value for name, value in given.items() if name != "stock_quantity"}
    if row.stock_quantity != given["seen_stock_quantity"]:
        raise conflict()
    return given


def _write_variations(product: Product, fields: Mapping[str, Any], faults: _Faults) -> None:
    """Match by key, else by name, the very one before one of other case or accents; what is not named is removed first,
    so that its name is free."""
    wanted: Sequence[Mapping[str, Any]] = fields["variations"]
    rows = list(product.variations.all())
    chosen: dict[int, ProductVariation] = {}
    for index, given in enumerate(wanted):
        row = _find_variation(rows, given)
        if row is None and "id" in given:
            faults.add(f"variations.{index}.id", _("Cette variation n'est pas de ce produit."))
        elif row is not None and row in chosen.values():
            faults.add(f"variations.{index}", _("Deux variations ont le même nom ou le même numéro."))
        elif row is not None:
            chosen[index] = row
    faults.check()
    for index, given in enumerate(wanted):
        # Staff may have corrected its case or accents: removed, it would take its units with it.
        for row in rows if index not in chosen else ():
            if row not in chosen.values() and folded(str(_french(row))) == folded(given["name"]):
                chosen[index] = row
                break
    for row in rows:
        if row not in chosen.values():
            delete_variation(variation=row)
    skus: dict[int | None, str] = {
        row.pk: wanted[index]["sku"] for index, row in chosen.items() if "sku" in wanted[index]
    }
    finishes = offered_finishes(product) or ("",)
    # Of a format in several finishes none is written: `write_format` refuses another one.
    if len(finishes) == 1:
        alone = product.variants.filter(variation__in=skus, finish=finishes[0])
        free_references((row, skus[row.variation_id]) for row in alone)
    # As they will be: formats may exchange their names.
    names = [given.get("name") or str(_french(chosen[index])) for index, given in enumerate(wanted)]
    behind = 0
    for index, given in enumerate(wanted):
        row = chosen.get(index) or ProductVariation(product=product, sort_order=behind)
        for name in _VARIATION_COLUMNS:
            if name in given:
                setattr(row, name, given[name])
        behind = max(behind, row.sort_order + 1)
        with faults.under(f"variations.{index}"):
            if names[index] != _french(row):
                refuse_same_name(names[index], [*names[:index], *names[index + 1 :]])
                setattr(row, f"name_{SOURCE_LANGUAGE}", names[index])
            save_variation(variation=row)
            write_format(variation=row, given=given)
            if "gallery_images" in given:
                set_gallery(
                    product=product,
                    urls=given["gallery_images"],
                    variation=row,
                    waiting=_waiting(fields, row.pk),
                )


def _find_variation(rows: Sequence[ProductVariation], given: Mapping[str, Any]) -> ProductVariation | None:
    if "id" in given:
        return next((row for row in rows if row.pk == given["id"]), None)
    return next((row for row in rows if _french(row) == given["name"]), None)


def _write_variants(
    product: Product, wanted: Sequence[Mapping[str, Any]], faults: _Faults, read: Collection[int]
) -> None:
    rows = list(Variant.objects.filter(product=product).select_related("variation").order_by("pk"))
    written: set[int] = set()
    found = [(_find_variant(rows, given), given) for given in wanted]
    free_references((row, given["sku"]) for row, given in found if row is not None and "sku" in given)
    for index, (row, given) in enumerate(found):
        if row is not None and row.pk in written:
            faults.add(f"variants.{index}", _("Cette déclinaison est donnée deux fois."))
            continue
        if row is None:
            faults.add(
                f"variants.{index}", _("Cette déclinaison n'existe pas\u00a0: vérifiez format et finition.")
            )
            continue
        written.add(row.pk)
        changed = _counted(row, given) if row.pk in read else given
        for name in (*VARIANT_COLUMNS, "price", "height_cm"):
            if name in changed:
                setattr(row, name, changed[name])
        with faults.under(f"variants.{index}"):
            save_variant(variant=row)


def _find_variant(rows: Sequence[Variant], given: Mapping[str, Any]) -> Variant | None:
    if "id" in given:
        return next((row for row in rows if row.pk == given["id"]), None)
    wanted = (given.get("variation") or None, given.get("finish") or "")
    return next((row for row in rows if (_french(row.variation), row.finish) == wanted), None)


def _write_promotion(product: Product, fields: Mapping[str, Any]) -> None:
    own = Promotion.objects.filter(product=product).first()
    kind = fields.get("promotion_type", own.type if own else None)
    # A reduction is only switched: its size has no field.
    reduction = own if own is not None and own.type == kind else None
    if kind in REDUCTIONS and reduction is None:
        message = _("Ce choix n'existe pas.")
        raise Problem("invalid", message, errors={"promotion_type": [message]})
    set_own_promotion(
        product=product,
        promotion_type=kind or "",
        promotion_active=fields.get(
            "promotion_active", bool(kind) if own is None else own.is_active and bool(kind)
        ),
        promotion_buy_quantity=fields.get("promotion_buy_quantity", own.buy_quantity if own else None),
        promotion_get_quantity=fields.get("promotion_get_quantity", own.get_quantity if own else None),
        promotion_percent=None if reduction is None else reduction.percent,
        promotion_amount=None if reduction is None else reduction.amount,
    )


def _write_gallery(product: Product, fields: Mapping[str, Any]) -> None:
    """The photos that are wanted, the main one first. A main one that is given alone goes before those there are."""
    main = [fields["image_url"]] if fields.get("image_url") else []
    if "gallery_images" in fields:
        urls = [*main, *fields["gallery_images"]]
        set_gallery(product=product, urls=urls, waiting=_waiting(fields, None))
    elif main:
        set_main_picture(product=product, url=main[0])


def _waiting(fields: Mapping[str, Any], variation_id: int | None) -> set[str]:
    """The pictures still to be copied of the product, or of a format, that the call names as such."""
    named = fields.get("pending_images", ())
    return {each["url"] for each in named if each.get("variation_id") == variation_id}


def _version(fields: Mapping[str, Any], *, is_new: bool) -> datetime | None:
    return None if is_new else fields.get("updated_at")


def _stored(product: Product, name: str) -> str | None:
    value = getattr(product, name)
    return None if value is None else str(value)


def _french(row: ProductVariation | None) -> str | None:
    return None if row is None else getattr(row, f"name_{SOURCE_LANGUAGE}")


def _contract_name(name: str) -> str:
    """`name_fr` is `name`, `name_de` is `translations.de.name`."""
    for text in PRODUCT_TEXTS:
        if name == f"{text}_{SOURCE_LANGUAGE}":
            return text
        if name.startswith(f"{text}_") and len(name) == len(text) + 3:
            return f"translations.{name[-2:]}.{text}"
    return {"__all__": "non_field_errors", "buy_quantity": "promotion_buy_quantity"}.get(
        name, {"get_quantity": "promotion_get_quantity"}.get(name, name)
    )


def _known(external_id: str | None) -> int | None:
    if external_id is None:
        return None
    return Product.objects.filter(external_id=external_id).values_list("pk", flat=True).first()
