"""What staff write of products: one, or several at once, with what changed in the audit trail."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.contrib.auth.base_user import AbstractBaseUser
from django.db import transaction
from django.db.models import Model
from django.utils.translation import gettext as _

from catalog.models import Product, Promotion
from catalog.pricing import has_own_price, offered_variants
from catalog.selectors.variants import variants_of
from catalog.services.prices import refresh_due_promotions
from catalog.services.products import check_prices, conflict, locked_product, save_product, validate
from catalog.services.promotions import OFFER_FIELDS, own_promotion, set_own_promotion
from catalog.services.reports import report_product
from shop.core.audit import record_audit
from shop.core.problems import Problem
from shop.integrations.models import EventKind

Values = Mapping[str, Any]
MOST_AT_ONCE = 500
PROMOTION_FIELDS = (*OFFER_FIELDS, "promotion_percent", "promotion_amount")


@dataclass(frozen=True, slots=True)
class FieldChange:
    """A field that a change gives another value, both as JSON holds them; `is_idle` where nothing that is sold reads
    it."""

    field: str
    before: Any
    after: Any
    is_idle: bool = False


@dataclass(frozen=True, slots=True)
class ProductChange:
    """What a change does to one product."""

    product: Product
    fields: tuple[FieldChange, ...]


def create_product(*, values: Values, actor: AbstractBaseUser | None, source: str = "manual") -> Product:
    """Store a new product. `values` are columns by name, `promotion_…` of its own promotion and `picked_similar`;
    `source` is where it came from.

    Raises `Problem` (400 `invalid`).
    """
    with transaction.atomic():
        product = Product(source=source)
        values = completed_values(product, values)
        _apply(product, values)
        save_product(product=product)
        _save_rest(product, values)
        # Once more: its promotion belongs to it.
        report_product(product.pk, EventKind.PRODUCT_CREATED)
        record_audit("product.added", product, actor=actor, after=_plain_values(values))
    return product


def change_product(
    *,
    product_id: int,
    values: Values,
    actor: AbstractBaseUser | None,
    expected_updated_at: datetime | None = None,
    seen: Values | None = None,
    confirmed_texts: Collection[str] = (),
) -> Product:
    """Change these fields of a product and no other, whatever happened to them meanwhile.

    `expected_updated_at` is the version that the person saw, `seen` the values of fields that change without a new
    version (`stock_quantity`, by orders). Raises `Product.DoesNotExist`, and `Problem`: 400 `invalid`, 409 `conflict`,
    409 `trashed`.
    """
    refresh_due_promotions()
    with transaction.atomic():
        product = locked_product(product_id)
        refuse_trashed(product)
        if any(getattr(product, name) != value for name, value in (seen or {}).items()):
            raise conflict()
        values = completed_values(product, values)
        before = _stored_values(product, values)
        _apply(product, values)
        save_product(
            product=product, expected_updated_at=expected_updated_at, confirmed_texts=confirmed_texts
        )
        _save_rest(product, values)
        _record_changes(product, before, _plain_values(values), actor)
    return product


def preview_changes(*, product_ids: Sequence[int], values: Values) -> list[ProductChange]:
    """What `change_products` would do, nothing stored. Raises what it raises."""
    products = find_products(product_ids)
    return [_preview(product, values) for product in products]


def change_products(
    *, product_ids: Sequence[int], values: Values, actor: AbstractBaseUser | None, preview_key: str = ""
) -> int:
    """Change these fields of all these products or of none; return how many products.

    `preview_key` is what `key_of_versions` said when the person saw the preview. Raises `Problem`: 400 `invalid` with
    the product's name, 404 `unknown_products`, 409 `conflict` and `trashed`.
    """
    refresh_due_promotions()
    with transaction.atomic():
        products = lock_found(product_ids, preview_key)
        for product in products:
            try:
                refuse_trashed(product)
                _refuse_idle_number(product, values)
                # Who has one open that stays as it is need not be told of another version.
                if changed_fields(product, completed_values(product, values)):
                    change_product(product_id=product.pk, values=values, actor=actor)
            except Problem as problem:
                raise named_problem(problem, product) from problem
    return len(products)


def key_of_versions(products: Iterable[Product]) -> str:
    """A short name of these products in these versions, and with these units, which orders change without a new one."""
    versions = "\n".join(
        f"{product.pk} {product.updated_at.isoformat()} {product.stock_quantity}" for product in products
    )
    return hashlib.sha256(versions.encode()).hexdigest()[:32]


def refuse_other_versions(products: Iterable[Product], preview_key: str) -> None:
    """Raises `Problem` (409 `conflict`) unless the products are those that the preview showed; without a key, never."""
    if preview_key and key_of_versions(products) != preview_key:
        raise Problem("conflict", _("Des produits ont changé depuis l'aperçu. Vérifiez à nouveau."), 409)


def lock_found(product_ids: Sequence[int], preview_key: str) -> list[Product]:
    """`find_products`, locked, and in the versions of the preview. Raises `Problem`, also 409 `conflict`."""
    products = find_products(product_ids, lock=True)
    refuse_other_versions(products, preview_key)
    return products


def named_problem(problem: Problem, product: Product) -> Problem:
    """The same refusal, of which one can tell the product that caused it."""
    detail = _("%(product)s\u00a0: %(refusal)s") % {"product": product.name, "refusal": problem.detail}
    return Problem(
        problem.code,
        detail,
        problem.status,
        errors=problem.errors,
        extra={**problem.extra, "product_id": product.pk},
    )


def completed_values(product: Product, values: Values) -> Values:
    """The values with those of its own promotion as they are stored: a named type has its quantities, and no type has
    those of another. Raises `Problem` (400 `invalid`)."""
    given = {name: value for name, value in values.items() if name in PROMOTION_FIELDS}
    if not given:
        return values
    stored = own_promotion_values(getattr(product, "own_promotion", None))
    try:
        wanted = own_promotion_values(own_promotion(**{**stored, **given}))
    except Problem as problem:
        raise Problem(
            problem.code, problem.detail, problem.status, errors=_promotion_errors(problem)
        ) from problem
    return {**values, **{name: wanted[name] for name in given}}


def changed_fields(product: Product, values: Values) -> tuple[FieldChange, ...]:
    """What these values change of a product as it is stored."""
    before, after = _stored_values(product, values), _plain_values(values)
    return tuple(
        FieldChange(name, before[name], after[name], name == "price" and _is_idle_price(product, values))
        for name in after
        if _differs(before[name], after[name])
    )


def check_values(product: Product, values: Values) -> None:
    """Put the values on a product in memory and judge it with its formats. Raises `Problem` (400 `invalid`)."""
    _refuse_idle_number(product, values)
    _apply(product, values)
    validate(product)
    check_prices(product=product, variations=product.variations.all() if product.pk else ())


def _preview(product: Product, values: Values) -> ProductChange:
    try:
        refuse_trashed(product)
        values = completed_values(product, values)
        fields = changed_fields(product, values)
        check_values(product, values)
    except Problem as problem:
        raise named_problem(problem, product) from problem
    return ProductChange(product, fields)


def find_products(product_ids: Sequence[int], *, lock: bool = False) -> list[Product]:
    """These products, in the order of their keys. Raises `Problem` (404 `unknown_products`) when one is missing."""
    rows = Product.objects.select_related("category")
    if lock:
        rows = rows.select_for_update(no_key=True, of=("self",))
    found = list(rows.filter(pk__in=product_ids).order_by("pk"))
    missing = sorted(set(product_ids) - {product.pk for product in found})
    if missing:
        raise Problem(
            "unknown_products",
            _("Un des produits choisis n'existe plus. Rechargez la liste."),
            404,
            extra={"ids": missing},
        )
    return found


def refuse_trashed(product: Product) -> None:
    """Raises `Problem` (409 `trashed`) for a product in the trash, which nobody changes."""
    if product.trashed_at is not None:
        raise Problem("trashed", _("Ce produit est à la corbeille. Restaurez-le d'abord."), 409)


def _apply(product: Product, values: Values) -> None:
    for name, value in values.items():
        if name not in PROMOTION_FIELDS and name != "picked_similar":
            setattr(product, name, value)


def _refuse_idle_number(product: Product, values: Values) -> None:
    """Raises `Problem` (400 `invalid`) for another number of units of a product whose variants each count their own: it
    would sell nothing, and keep nothing from being sold. The product's own page says so before it is typed."""
    units = values.get("stock_quantity")
    if product.pk is None or units is None or units == product.stock_quantity:
        return
    offered = offered_variants(product, variants_of([product.pk])[product.pk])
    if offered and all(row.stock_quantity is not None for row in offered):
        message = _("Chaque déclinaison compte son propre stock\u00a0: changez celui des déclinaisons.")
        raise Problem("invalid", message, errors={"stock_quantity": [message]})


def _is_idle_price(product: Product, values: Values) -> bool:
    """Whether the price of the product will be that of none of its variants, whose finishes or formats have theirs."""
    changed = copy(product)
    for name in ("painted_price", "unpainted_price", "category"):
        setattr(changed, name, values.get(name, getattr(product, name)))
    offered = offered_variants(changed, variants_of([product.pk])[product.pk])
    return bool(offered) and all(has_own_price(changed, row) for row in offered)


def _save_rest(product: Product, values: Values) -> None:
    if "picked_similar" in values:
        product.picked_similar.set(row for row in values["picked_similar"] if row.pk != product.pk)
    promotion = {name: value for name, value in values.items() if name in PROMOTION_FIELDS}
    if not promotion:
        return
    own = Promotion.objects.filter(product=product).first()
    wanted = {**own_promotion_values(own), **promotion}
    if wanted != own_promotion_values(own):
        set_own_promotion(product=product, **wanted)
        product.refresh_from_db(fields=["price_from", "price_to", "crossed_out", "running_promotion"])


def own_promotion_values(own: Promotion | None) -> dict[str, Any]:
    """The fields `promotion_…` of a product whose own promotion this is."""
    return {
        "promotion_active": own is not None and own.is_active,
        "promotion_type": "" if own is None else own.type,
        "promotion_buy_quantity": None if own is None else own.buy_quantity,
        "promotion_get_quantity": None if own is None else own.get_quantity,
        "promotion_percent": None if own is None else own.percent,
        "promotion_amount": None if own is None else own.amount,
    }


def _promotion_errors(problem: Problem) -> dict[str, list[str]]:
    return {
        name if name.startswith("promotion_") else f"promotion_{name}": messages
        for name, messages in problem.errors.items()
    }


def _stored_values(product: Product, values: Values) -> dict[str, Any]:
    own = own_promotion_values(
        getattr(product, "own_promotion", None) if any(name in PROMOTION_FIELDS for name in values) else None
    )
    found = {}
    for name in values:
        if name == "picked_similar":
            found[name] = _plain(product.picked_similar.all()) if product.pk else []
        else:
            found[name] = _plain(own[name] if name in own else getattr(product, name))
    return found


def _plain_values(values: Values) -> dict[str, Any]:
    return {name: _plain(value) for name, value in values.items()}


def _plain(value: Any) -> Any:
    """What JSON can hold of a value: amounts as strings, rows by name and key."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, Decimal):
        return f"{value:f}"
    if isinstance(value, Model):
        return f"{value} ({value.pk})"
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, Iterable):
        return sorted((_plain(each) for each in value), key=str)
    return str(value)


def _differs(before: Any, after: Any) -> bool:
    empty: tuple[Any, ...] = (None, "", [])
    return bool(before != after) and not (before in empty and after in empty)


def _record_changes(
    product: Product, before: Mapping[str, Any], after: Mapping[str, Any], actor: AbstractBaseUser | None
) -> None:
    changed = [name for name in after if _differs(before[name], after[name])]
    if changed:
        record_audit(
            "product.changed",
            product,
            actor=actor,
            before={name: before[name] for name in changed},
            after={name: after[name] for name in changed},
        )
