"""Products from a file: every line is judged first, then all of them are stored or none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from django.contrib.auth.base_user import AbstractBaseUser
from django.db import transaction
from django.utils.translation import gettext as _

from catalog.models import Product
from catalog.services.prices import refresh_due_promotions
from catalog.services.products import conflict
from catalog.services.staff_products import (
    FieldChange,
    change_product,
    changed_fields,
    check_values,
    completed_values,
    create_product,
    key_of_versions,
    named_problem,
    refuse_other_versions,
)
from shop.core.problems import Problem

REQUIRED = ("name_fr", "category", "price")
MOST_LINES = 1000
GENERAL = "non_field_errors"


class LineAction(StrEnum):
    ADD = "add"
    CHANGE = "change"
    NOTHING = "nothing"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class FileLine:
    """A line of a file: which product it is of, what it calls it, and the values of its other cells, or what is wrong
    with them by field."""

    number: int
    product_id: int | None
    external_id: str
    name: str
    values: Mapping[str, Any]
    errors: Mapping[str, list[str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class LineResult:
    """What a line does, or why it does nothing."""

    number: int
    action: LineAction
    product_id: int | None
    name: str
    fields: tuple[FieldChange, ...] = ()
    errors: Mapping[str, list[str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ImportResult:
    """Every line in the order of the file. `preview_key` names the versions of the products that it was judged by."""

    lines: tuple[LineResult, ...]
    preview_key: str

    def count(self, action: LineAction) -> int:
        """How many lines do this."""
        return sum(line.action == action for line in self.lines)


def preview_import(*, lines: Sequence[FileLine]) -> ImportResult:
    """What the lines would change, nothing stored. Three queries, and a dozen more for each line that changes
    something.

    A line is of the product with its number, else with its external reference; one with a new reference adds a product.
    """
    return _judge(lines, _find(lines))


def import_products(
    *, lines: Sequence[FileLine], actor: AbstractBaseUser | None, preview_key: str = ""
) -> ImportResult:
    """Store what the lines change, all or nothing. Imported again, the same file changes nothing.

    Raises `Problem`: 400 `invalid` when a line is refused (`preview_import` says which), 409 `conflict` when products
    changed since the preview of this key.
    """
    refresh_due_promotions()
    with transaction.atomic():
        products = _find(lines, lock=True)
        refuse_other_versions(products, preview_key)
        result = _judge(lines, products)
        if result.count(LineAction.REFUSED):
            raise Problem("invalid", _("Des lignes sont à corriger\u00a0: rien n'a été importé."))
        for line, judged in zip(lines, result.lines, strict=True):
            _store(line, judged, actor)
    return result


def _find(lines: Sequence[FileLine], *, lock: bool = False) -> list[Product]:
    numbers = {line.product_id for line in lines if line.product_id is not None}
    references = {line.external_id for line in lines if line.external_id}
    keys = set(Product.objects.filter(pk__in=numbers).values_list("pk", flat=True))
    keys |= set(Product.objects.filter(external_id__in=references).values_list("pk", flat=True))
    rows = Product.objects.select_related("category", "own_promotion").prefetch_related("picked_similar")
    if lock:
        rows = rows.select_for_update(no_key=True, of=("self",))
    return list(rows.filter(pk__in=keys).order_by("pk"))


def _judge(lines: Sequence[FileLine], products: Sequence[Product]) -> ImportResult:
    by_number = {product.pk: product for product in products}
    by_reference = {product.external_id: product for product in products if product.external_id}
    owners = [
        by_number.get(line.product_id) if line.product_id is not None else by_reference.get(line.external_id)
        for line in lines
    ]
    numbers = Counter(owner.pk for owner in owners if owner is not None)
    references = Counter(line.external_id for line in lines if line.external_id)
    key = key_of_versions(products)
    judged = []
    for line, owner in zip(lines, owners, strict=True):
        message = ""
        if line.product_id is not None and owner is None:
            message = _("Aucun produit ne porte ce numéro.")
        elif line.product_id is None and not line.external_id:
            message = _(
                "Indiquez le numéro du produit, ou une référence externe pour un nouveau\u00a0:"
                " sans elle, le même fichier l'ajouterait deux fois."
            )
        elif (owner is not None and numbers[owner.pk] > 1) or references[line.external_id] > 1:
            message = _("Une autre ligne du fichier est du même produit.")
        elif owner is not None and owner.trashed_at is not None:
            message = _("Ce produit est à la corbeille. Restaurez-le d'abord.")
        if message or line.errors:
            errors = {**line.errors, **({GENERAL: [message]} if message else {})}
            judged.append(_refused(line, owner, errors))
        else:
            judged.append(_judge_values(line, owner))
    return ImportResult(tuple(judged), key)


def _judge_values(line: FileLine, owner: Product | None) -> LineResult:
    values: Mapping[str, Any] = _values(line)
    product = owner or Product(source="import", is_published=False)
    if owner is None:
        missing = {name: [_("Ce champ est obligatoire.")] for name in REQUIRED if not values.get(name)}
        if missing:
            return _refused(line, None, missing)
    try:
        values = completed_values(product, values)
        fields = changed_fields(product, values) if owner else ()
        if fields or owner is None:
            check_values(product, values)
    except Problem as problem:
        return _refused(line, owner, problem.errors or {GENERAL: [problem.detail]})
    action = LineAction.ADD if owner is None else LineAction.CHANGE if fields else LineAction.NOTHING
    return LineResult(line.number, action, None if owner is None else owner.pk, _name(line, owner), fields)


def _store(line: FileLine, judged: LineResult, actor: AbstractBaseUser | None) -> None:
    values = _values(line)
    try:
        if judged.action == LineAction.ADD:
            # Shown to the shop once somebody has looked at it, unless the file says otherwise.
            create_product(values={"is_published": False, **values}, actor=actor, source="import")
        elif judged.action == LineAction.CHANGE and judged.product_id is not None:
            changed = {change.field for change in judged.fields}
            change_product(
                product_id=judged.product_id,
                values={name: value for name, value in values.items() if name in changed},
                actor=actor,
            )
    except Problem as problem:
        if "external_id" in problem.errors:
            # Another import added the same reference meanwhile.
            raise conflict() from problem
        refused = Product(pk=judged.product_id, name_fr=judged.name)
        raise named_problem(problem, refused) from problem


def _values(line: FileLine) -> dict[str, Any]:
    """The values of a line; a number leads to the product, and its reference is then one of them."""
    values = dict(line.values)
    if line.external_id:
        values["external_id"] = line.external_id
    return values


def _refused(line: FileLine, owner: Product | None, errors: Mapping[str, list[str]]) -> LineResult:
    return LineResult(
        line.number,
        LineAction.REFUSED,
        None if owner is None else owner.pk,
        _name(line, owner),
        errors=errors,
    )


def _name(line: FileLine, owner: Product | None) -> str:
    return line.name or (owner.name if owner else line.external_id)
