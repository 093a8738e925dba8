"""Two people at one product: a grid, an order of photos, and a sale while stock is counted."""

from __future__ import annotations

from functools import partial

import pytest
from django.db import transaction

from catalog.models import Variant
from catalog.services import product_copies
from catalog.services.gallery import arrange_pictures
from catalog.services.stock import StockUnit, hold_stock
from catalog.services.variant_grid import GridRow, add_format, grid_version, save_grid
from catalog.tests.factories import make_image, make_product, make_variation, variant_of
from shop.core.problems import Problem
from tests.races.concurrency import Started, run_concurrently, wait_until_blocked

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]

PEOPLE = 8


def refusals(outcomes) -> list[str]:
    for outcome in outcomes:
        if outcome.error is not None and not isinstance(outcome.error, Problem):
            raise outcome.error
    return [outcome.error.code for outcome in outcomes if outcome.error is not None]


def test_grid_saved_by_many_from_one_version_is_written_by_one():
    product = make_product()
    row = variant_of(product, make_variation(product, "Grand"))
    version = grid_version(list(product.variations.all()), list(product.variants.all()), [])

    def save(number: int) -> None:
        rows = [GridRow(row.pk, {"sku": f"REF-{number}"})]
        save_grid(product_id=product.pk, rows=rows, version=version, actor=None)

    outcomes = run_concurrently([lambda number=number: save(number) for number in range(PEOPLE)])
    assert refusals(outcomes) == ["conflict"] * (PEOPLE - 1)
    [won] = [number for number, outcome in enumerate(outcomes) if outcome.error is None]
    row.refresh_from_db()
    assert row.sku == f"REF-{won}"


def test_stock_counted_during_a_sale_loses_no_unit():
    product = make_product()
    row = variant_of(product, make_variation(product, "Grand"))
    Variant.objects.filter(pk=row.pk).update(stock_quantity=5)
    version = grid_version(list(product.variations.all()), list(product.variants.all()), [])

    def count() -> None:
        rows = [GridRow(row.pk, {"stock_quantity": 9}, seen_stock=5)]
        save_grid(product_id=product.pk, rows=rows, version=version, actor=None)

    def sell() -> None:
        with transaction.atomic():
            hold_stock(units=[StockUnit(row.pk, 1)])

    counted, sold = run_concurrently([count, sell])
    assert sold.error is None
    row.refresh_from_db()
    # Counted before the sale, or refused because of it.
    expected = 8 if counted.error is None else 4
    assert (refusals([counted]), row.stock_quantity) == ([] if expected == 8 else ["invalid"], expected)


def test_order_of_photos_seen_by_many_is_changed_by_one():
    product = make_product()
    keys = [make_image(product, position).pk for position in range(1, 5)]

    def arrange(first: int) -> None:
        ids = [first, *(key for key in keys if key != first)]
        arrange_pictures(product_id=product.pk, ids=ids, seen_ids=keys, actor=None)

    outcomes = run_concurrently([lambda key=key: arrange(key) for key in keys[1:]])
    assert refusals(outcomes) == ["conflict"] * 2
    [won] = [key for key, outcome in zip(keys[1:], outcomes, strict=True) if outcome.error is None]
    assert product.images.order_by("position").first().pk == won


def test_format_added_while_its_product_is_copied_is_added_after_the_copy(monkeypatch):
    product = make_product()
    make_variation(product, "Grand")
    copy_variants, others = product_copies._copy_variants, []

    def with_somebody_else(*args) -> None:
        add = partial(add_format, product_id=product.pk, values={"name_fr": "Petit"}, actor=None)
        others.append(Started(add))
        wait_until_blocked()
        copy_variants(*args)

    monkeypatch.setattr(product_copies, "_copy_variants", with_somebody_else)
    copy = product_copies.duplicate_product(product_id=product.pk, actor=None)
    others[0].value()
    assert [row.name_fr for row in copy.variations.all()] == ["Grand"]
    assert [row.name_fr for row in product.variations.all()] == ["Grand", "Petit"]
