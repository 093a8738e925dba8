"""Units in stock: held by an order that waits for its payment, returned when it does not come."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.db import models, transaction
from django.db.models import F
from django.db.transaction import TransactionManagementError
from django.utils.translation import gettext as _

from catalog.models import Product, ProductVariation
from catalog.selectors.availability import LOW_STOCK
from shop.core.content_version import content_changed
from shop.core.problems import Problem


@dataclass(frozen=True, slots=True)
class StockUnit:
    """So many units of a product, or of one variation of it.

    The last two say, of held units, which levels they were taken from: one that was made to order when they were
    held, and is counted by now, gets none back.
    """

    product_id: int
    variation_id: int | None
    quantity: int
    product_counted: bool = True
    variation_counted: bool = True


class OutOfStock(Problem):
    """Some of the wanted units are not there. `units` are those that can't be had."""

    def __init__(self, units: Sequence[StockUnit]) -> None:
        super().__init__("out_of_stock", _("Rupture de stock"), 409)
        self.units = tuple(units)


def hold_stock(*, units: Iterable[StockUnit]) -> list[StockUnit]:
    """Take the units out of stock, all of them or none. Returns them as `release_stock` wants them back.

    A product and its variation may both count their units: both are taken then. A level without a number is made
    to order and never runs out. What is marked as unavailable or unpublished can't be held.
    Each level is one guarded `UPDATE`, in the order of the keys, products before variations, so that of two
    buyers of the last unit one gets it and none waits for the other in a circle.

    Raises `OutOfStock` (nothing is taken), `ValueError` for a quantity below 1, and
    `TransactionManagementError` outside a transaction: the units must be returned when the order is not made.
    """
    wanted = _checked(units)
    with transaction.atomic():
        products = _take(
            Product.objects.filter(in_stock=True, is_published=True),
            _sum(wanted, lambda unit: unit.product_id),
        )
        variations = _take(
            ProductVariation.objects.filter(in_stock=True), _sum(wanted, lambda unit: unit.variation_id)
        )
        missing = [
            unit
            for unit in wanted
            if unit.product_id in products.missing or unit.variation_id in variations.missing
        ]
        if missing:
            raise OutOfStock(missing)
    return [
        replace(
            unit,
            product_counted=unit.product_id in products.counted,
            variation_counted=unit.variation_id in variations.counted,
        )
        for unit in wanted
    ]


def release_stock(*, units: Iterable[StockUnit]) -> None:
    """Return held units to the levels they were taken from. Levels that are not counted (any more) and rows
    deleted meanwhile are left alone.

    Raises `ValueError` and `TransactionManagementError` as `hold_stock` does.
    """
    returned = _checked(units)
    _return_units(
        Product.objects.all(), _sum(returned, lambda unit: unit.product_id if unit.product_counted else None)
    )
    _return_units(
        ProductVariation.objects.all(),
        _sum(returned, lambda unit: unit.variation_id if unit.variation_counted else None),
    )


def _checked(units: Iterable[StockUnit]) -> list[StockUnit]:
    if not transaction.get_connection().in_atomic_block:
        raise TransactionManagementError(
            "Stock moves only inside the transaction of the order it belongs to."
        )
    found = list(units)
    if any(unit.quantity < 1 for unit in found):
        raise ValueError("A stock movement is of at least 1 unit.")
    return found


def _sum(units: Iterable[StockUnit], key: Any) -> dict[int, int]:
    totals: dict[int, int] = defaultdict(int)
    for unit in units:
        if key(unit) is not None:
            totals[key(unit)] += unit.quantity
    return dict(sorted(totals.items()))


@dataclass(frozen=True, slots=True)
class _Taken:
    """The keys of the levels that had too few units, and of those that are counted."""

    missing: set[int]
    counted: set[int]


def _take(rows: models.QuerySet[Any], wanted: Mapping[int, int]) -> _Taken:
    """Take what is there."""
    if not wanted:
        return _Taken(set(), set())
    levels = dict(rows.filter(pk__in=wanted).values_list("pk", "stock_quantity"))
    missing = set()
    for pk, quantity in wanted.items():
        if pk not in levels:
            missing.add(pk)
        elif levels[pk] is not None:
            # What was read is only a hint: the row itself decides.
            taken = rows.filter(pk=pk, stock_quantity__gte=quantity).update(
                stock_quantity=F("stock_quantity") - quantity
            )
            if not taken:
                missing.add(pk)
            elif levels[pk] - quantity <= LOW_STOCK:
                # Its pages say how many are left from now on.
                content_changed()
    return _Taken(missing, {pk for pk, level in levels.items() if level is not None})


def _return_units(rows: models.QuerySet[Any], returned: Mapping[int, int]) -> None:
    for pk, quantity in returned.items():
        if rows.filter(pk=pk, stock_quantity__isnull=False).update(
            stock_quantity=F("stock_quantity") + quantity
        ):
            content_changed()
