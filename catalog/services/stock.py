"""Units in stock: held by an order that waits for its payment, returned when it does not come."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import Any

from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.db.transaction import TransactionManagementError
from django.utils.translation import gettext as _

from catalog import pricing
from catalog.models import Product, Variant
from catalog.selectors.availability import LOW_STOCK, Level, listed_columns, listed_offers
from catalog.selectors.products import price_histories
from catalog.selectors.variants import variants_of
from catalog.services.reports import report_stock
from shop.core.content_version import content_changed
from shop.core.problems import Problem


@dataclass(frozen=True, slots=True)
class StockUnit:
    """So many units of a variant.

    `level` says, of held units, which number they were taken from; None for made to order. One that was made to order
    when they were held, and is counted by now, gets none back. `variant_id` is None once the variant was deleted:
    units that it drew from its product's number stay that product's.
    """

    variant_id: int | None
    quantity: int
    level: Level | None = None


class OutOfStock(Problem):
    """Some of the wanted units are not there. `units` are those that can't be had."""

    def __init__(self, units: Sequence[StockUnit]) -> None:
        super().__init__("out_of_stock", _("Rupture de stock"), 409)
        self.units = tuple(units)


def hold_stock(*, units: Iterable[StockUnit], savepoint: bool = True) -> list[StockUnit]:
    """Take the units out of stock, all of them or none. Returns them as `release_stock` wants them back.

    A variant draws on its own number, else on its product's; without either it is made to order and never runs out.
    Units of a deleted variant come from the `level` that they name. What is marked as unavailable or unpublished can't
    be held. The products, made to order too, are locked in the order of their keys, then each number is one guarded
    `UPDATE`: of two buyers of the last unit one gets it, none waits for the other in a circle, and a format that is
    being deleted is gone before the order that names it.

    Raises `OutOfStock` (nothing is taken; without `savepoint` the caller's transaction has to end), `ValueError` for a
    quantity below 1, and `TransactionManagementError` outside a transaction: the units must be returned when the order
    is not made.
    """
    wanted = _checked(units)
    with transaction.atomic(savepoint=savepoint):
        sources = [unit.level if unit.variant_id is None else ("variant", unit.variant_id) for unit in wanted]
        products = _lock_products(source for source in sources if source is not None)
        on_sale = Variant.objects.filter(in_stock=True, product__in_stock=True, product__is_published=True)
        rows = on_sale.filter(pk__in=[unit.variant_id for unit in wanted])
        numbers = list(rows.values_list("pk", "stock_quantity", "product_id"))
        levels = {pk: _level(pk, own, product, products[product]) for pk, own, product in numbers}
        taken = [
            unit if unit.variant_id is None else replace(unit, level=levels.get(unit.variant_id))
            for unit in wanted
        ]
        left: dict[Level, int | None] = {("product", pk): number for pk, number in products.items()}
        lacking = _take(_totals(taken), left | {("variant", pk): own for pk, own, _product in numbers})
        missing = [unit for unit in taken if unit.variant_id not in {None, *levels} or unit.level in lacking]
        if missing:
            raise OutOfStock(missing)
    return taken


def release_stock(*, units: Iterable[StockUnit]) -> None:
    """Return held units to the numbers they were taken from. Numbers that are not counted (any more) and rows
    deleted meanwhile are left alone.

    Raises `ValueError` and `TransactionManagementError` as `hold_stock` does.
    """
    returned = _totals(_checked(units))
    if not returned:
        return
    products = _lock_products(returned)
    for (kind, pk), quantity in sorted(returned.items()):
        rows = _ROWS[kind].objects.filter(pk=pk, stock_quantity__isnull=False)
        rows.update(stock_quantity=F("stock_quantity") + quantity)
    report_stock(returned)
    refresh_availability(product_ids=products)


def lock_products(*, product_ids: Iterable[int | None] | QuerySet[Any]) -> list[int]:
    """Lock these products in the order of their keys, and return the keys of those that exist.

    Before the rows of orders that point at their variants: deleting a variant changes those after its product's lock.
    """
    return list(_lock(Q(pk__in=product_ids)))


def refresh_availability(*, product_ids: Collection[int]) -> None:
    """Bring what the rows of these products say of their variants up to date, under the promotion that is recorded. Two
    queries, one more where a price may be crossed out, and one for each that changed.

    The products must be locked by the caller: two buyers of the last units of two variants would otherwise each see
    the other's unit still there.
    """
    rows = Product.objects.filter(pk__in=product_ids).select_related("category", "running_promotion")
    products = list(rows.order_by("pk"))
    variants = variants_of([product.pk for product in products])
    histories = price_histories(
        [row.pk for row in products if pricing.may_cross_out(row, row.running_promotion)]
    )
    for product in products:
        before, promotion = copy(product), product.running_promotion
        found = listed_offers(product, pricing.offers(product, variants[product.pk], promotion))
        pricing.fill_listed(product, found, promotion, histories.get(product.pk, {}))
        columns: dict[str, Any] = listed_columns(product, variants[product.pk])
        columns |= {name: getattr(product, name) for name in _PRICES}
        if any(getattr(before, name) != value for name, value in columns.items()):
            Product.objects.filter(pk=product.pk).update(**columns)
    if products:
        content_changed()


_PRICES = ("price_from", "price_to", "crossed_out", "reduced_price")
_ROWS: dict[str, type[Product] | type[Variant]] = {"product": Product, "variant": Variant}


def _level(variant: int, own: int | None, product: int, shared: int | None) -> Level | None:
    if own is not None:
        return ("variant", variant)
    return None if shared is None else ("product", product)


def _checked(units: Iterable[StockUnit]) -> list[StockUnit]:
    if not transaction.get_connection().in_atomic_block:
        raise TransactionManagementError(
            "Stock moves only inside the transaction of the order it belongs to."
        )
    found = list(units)
    if any(unit.quantity < 1 for unit in found):
        raise ValueError("A stock movement is of at least 1 unit.")
    return found


def _totals(units: Iterable[StockUnit]) -> Counter[Level]:
    totals: Counter[Level] = Counter()
    for unit in units:
        if unit.level is not None:
            totals[unit.level] += unit.quantity
    return totals


def _take(wanted: Mapping[Level, int], before: Mapping[Level, int | None]) -> set[Level]:
    """Take what is there; returns the numbers that had too few units. `before` are the numbers of the locked products
    and of their variants."""
    lacking = set()
    for (kind, pk), quantity in sorted(wanted.items()):
        enough = _ROWS[kind].objects.filter(pk=pk, stock_quantity__gte=quantity)
        if not enough.update(stock_quantity=F("stock_quantity") - quantity):
            lacking.add((kind, pk))
    if not lacking:
        report_stock(wanted)
    if not lacking and any(
        (before[level] or 0) - quantity <= LOW_STOCK for level, quantity in wanted.items()
    ):
        # Its pages say how many are left from now on. Only a number that is not counted is None, and that one lacks.
        refresh_availability(product_ids=[pk for kind, pk in before if kind == "product"])
    return lacking


def _lock_products(levels: Iterable[Level]) -> dict[int, int | None]:
    """Lock the products of these numbers, as `lock_products` does; returns each with its own number of units."""
    of = list(levels)
    wanted = Q(pk__in=[pk for kind, pk in of if kind == "product"])
    if variants := [pk for kind, pk in of if kind == "variant"]:
        wanted |= Q(pk__in=Variant.objects.filter(pk__in=variants).order_by().values("product"))
    return _lock(wanted)


def _lock(condition: Q) -> dict[int, int | None]:
    rows = Product.objects.select_for_update(no_key=True).filter(condition).order_by("pk")
    return dict(rows.values_list("pk", "stock_quantity"))
