"""Units held and given back, by variant."""

from __future__ import annotations

from functools import partial

import pytest
from django.db import transaction
from django.db.models import QuerySet
from django.db.transaction import TransactionManagementError

from catalog.models import Product, Variant
from catalog.services.products import delete_variation
from catalog.services.stock import OutOfStock, StockUnit, hold_stock, release_stock
from catalog.tests.factories import change_product, change_variant, make_product, make_variation, variant_of
from catalog.tests.stock_levels import counted, levels, painted_and_raw, state, unit

pytestmark = [pytest.mark.both_engines, pytest.mark.django_db]


def test_holding_takes_units_and_releasing_gives_them_back():
    product = make_product(stock_quantity=3)
    held = hold_stock(units=[unit(product, 2)])
    assert (held, levels(product)) == ([counted(product, 2)], [1])
    release_stock(units=held)
    assert levels(product) == [3]


def test_the_last_product_is_held_once():
    product = make_product(stock_quantity=1)
    hold_stock(units=[unit(product)])
    with pytest.raises(OutOfStock) as refusal:
        hold_stock(units=[unit(product)])
    assert (refusal.value.code, refusal.value.status, refusal.value.detail) == (
        "out_of_stock",
        409,
        "Rupture de stock",
    )
    assert refusal.value.units == (counted(product),)
    assert levels(product) == [0]


def test_made_to_order_never_runs_out_and_is_never_counted():
    product = make_product()
    held = hold_stock(units=[unit(product, 500)])
    assert held == [StockUnit(variant_of(product).pk, 500, None)]
    release_stock(units=held)
    assert levels(product) == [None]


def test_the_last_painted_piece_is_sold_once_while_raw_is_made_to_order():
    product, painted, raw = painted_and_raw()
    change_variant(painted, stock_quantity=1)
    assert hold_stock(units=[unit(painted), unit(raw, 5)]) == [
        counted(painted),
        StockUnit(raw.pk, 5, None),
    ]
    assert (levels(product, painted, raw), state(product)) == ([None, 0, None], (True, False))
    with pytest.raises(OutOfStock) as refusal:
        hold_stock(units=[unit(raw), unit(painted)])
    assert refusal.value.units == (counted(painted),)
    hold_stock(units=[unit(raw)])
    assert levels(product, painted, raw) == [None, 0, None]


def test_what_was_made_to_order_when_it_was_held_adds_nothing_to_a_number_counted_since():
    product = make_product()
    small = variant_of(product, make_variation(product))
    held = hold_stock(units=[unit(small)])
    assert held == [StockUnit(small.pk, 1, None)]
    change_product(product, stock_quantity=7)
    change_variant(small, stock_quantity=2)
    release_stock(units=held)
    assert levels(product, small) == [7, 2]


def test_what_was_taken_from_the_product_goes_back_there_though_the_variant_counts_by_now():
    product = make_product(stock_quantity=5)
    small = variant_of(product, make_variation(product))
    held = hold_stock(units=[unit(small, 2)])
    change_variant(small, stock_quantity=9)
    release_stock(units=held)
    assert levels(product, small) == [5, 9]


def test_a_number_that_is_not_counted_any_more_gets_nothing_back():
    product = make_product(stock_quantity=2)
    held = hold_stock(units=[unit(product)])
    change_product(product, stock_quantity=None)
    release_stock(units=held)
    assert levels(product) == [None]


def test_variants_share_the_products_number_and_their_units_are_added_up():
    product = make_product(stock_quantity=3)
    small, large = (variant_of(product, make_variation(product, name)) for name in ("Petite", "Grande"))
    shared = [StockUnit(row.pk, 2, ("product", product.pk)) for row in (small, large)]
    with pytest.raises(OutOfStock) as refusal:
        hold_stock(units=[unit(small, 2), unit(large, 2)])
    assert refusal.value.units == tuple(shared)
    assert levels(product, small, large) == [3, None, None]
    hold_stock(units=[unit(small, 2), unit(large)])
    assert (levels(product), state(product)) == ([0], (False, False))
    for row in (small, large):
        with pytest.raises(OutOfStock):
            hold_stock(units=[unit(row)])


def test_a_variants_own_number_is_the_only_one_it_draws_on():
    product = make_product(stock_quantity=5)
    small, large = (variant_of(product, make_variation(product, name)) for name in ("Petite", "Grande"))
    change_variant(small, stock_quantity=2)
    held = hold_stock(units=[unit(small, 2)])
    assert (held, levels(product, small)) == ([counted(small, 2)], [5, 0])
    # Empty on its own, whatever the product has.
    with pytest.raises(OutOfStock):
        hold_stock(units=[unit(small)])
    hold_stock(units=[unit(large, 5)])
    assert levels(product, small) == [0, 0]
    release_stock(units=[counted(small)])
    assert levels(product, small) == [0, 1]


def test_all_or_nothing_over_several_numbers_and_every_missing_unit_is_named():
    plenty, scarce, empty = (make_product(stock_quantity=quantity) for quantity in (9, 1, 0))
    own = change_variant(variant_of(plenty, make_variation(plenty)), stock_quantity=4)
    wanted = [unit(own, 2), unit(scarce, 2), unit(empty)]
    with pytest.raises(OutOfStock) as refusal:
        hold_stock(units=wanted)
    assert refusal.value.units == (counted(scarce, 2), counted(empty))
    assert levels(plenty, own, scarce, empty) == [9, 4, 1, 0]


@pytest.mark.parametrize("change", [{"in_stock": False}, {"is_published": False}])
@pytest.mark.parametrize("quantity", [None, 5])
def test_what_is_off_sale_is_not_held(change, quantity):
    product = make_product(stock_quantity=quantity)
    change_product(product, **change)
    with pytest.raises(OutOfStock):
        hold_stock(units=[unit(product)])
    assert levels(product) == [quantity]


@pytest.mark.parametrize("quantity", [None, 5])
def test_a_variant_that_is_off_sale_is_not_held(quantity):
    product = make_product(stock_quantity=3)
    small, large = (variant_of(product, make_variation(product, name)) for name in ("Petite", "Grande"))
    change_variant(small, in_stock=False, stock_quantity=quantity)
    with pytest.raises(OutOfStock) as refusal:
        hold_stock(units=[unit(large), unit(small)])
    assert [missing.variant_id for missing in refusal.value.units] == [small.pk]
    assert levels(product, small) == [3, quantity]


def test_an_unknown_variant_is_not_held():
    with pytest.raises(OutOfStock) as refusal:
        hold_stock(units=[StockUnit(987, 1)])
    assert refusal.value.units == (StockUnit(987, 1),)


def test_giving_back_to_what_was_deleted_changes_nothing_else():
    product = make_product(stock_quantity=3)
    small = make_variation(product, stock_quantity=2)
    held = hold_stock(units=[unit(variant_of(product, small))])
    delete_variation(variation=small)
    release_stock(units=[*held, StockUnit(987, 1, ("product", 654)), StockUnit(987, 1, ("variant", 987))])
    assert levels(product) == [3]


@pytest.mark.parametrize("quantity", [0, -1])
@pytest.mark.parametrize("move", [hold_stock, release_stock])
def test_less_than_one_unit_is_a_mistake(move, quantity):
    product = make_product(stock_quantity=3)
    with pytest.raises(ValueError, match="at least 1 unit"):
        move(units=[unit(product, quantity)])
    assert levels(product) == [3]


@pytest.mark.parametrize("owned", [False, True])
def test_the_row_decides_and_not_what_was_read_before(monkeypatch, owned):
    """A rival takes the last piece between the reading of the number and the guarded update."""
    product = make_product(stock_quantity=1)
    row: Product | Variant = product
    if owned:
        row = change_variant(variant_of(product), stock_quantity=1)
    sold_in_between = []
    original = QuerySet.update

    def after_a_rival(self, **values):
        if not sold_in_between:
            sold_in_between.append(original(type(row).objects.filter(pk=row.pk), stock_quantity=0))
        return original(self, **values)

    wanted = [unit(product)]
    monkeypatch.setattr(QuerySet, "update", after_a_rival)
    with pytest.raises(OutOfStock):
        hold_stock(units=wanted)
    monkeypatch.undo()
    assert sold_in_between == [1]
    assert levels(row) == [1]  # the rival's own update was undone with the refused hold's savepoint


def ordered_by_key(statement: str) -> bool:
    """Django names the place of a column that is selected too."""
    columns = statement.partition(" FROM ")[0].split(", ")
    place = next(number for number, column in enumerate(columns, start=1) if '"id"' in column)
    return f"ORDER BY {place} ASC" in statement


def test_holding_locks_the_products_first_and_then_writes_in_the_order_of_the_keys(
    django_assert_num_queries,
):
    first, second = make_product(stock_quantity=5), make_product(stock_quantity=5)
    small = change_variant(variant_of(first, make_variation(first)), stock_quantity=5)
    wanted = [unit(second), unit(small), unit(variant_of(first, make_variation(first, "Grande")))]
    # savepoint, lock of the products with their numbers, variants with theirs, 3 updates, release of the savepoint
    with django_assert_num_queries(7) as queries:
        held = hold_stock(units=wanted)
    statements = [query["sql"] for query in queries.captured_queries]
    lock = statements[1]
    assert lock.startswith('SELECT "catalog_product"')
    assert ordered_by_key(lock)
    assert [sql.split('"')[1] for sql in statements[3:6]] == [
        "catalog_product",
        "catalog_product",
        "catalog_variant",
    ]
    for statement, pk in zip(statements[3:6], (first.pk, second.pk, small.pk), strict=True):
        assert f'"id" = {pk}' in statement
    # savepoint-free: lock, 3 updates, and what lists say: products, variants
    with django_assert_num_queries(6) as queries:
        release_stock(units=held)
    statements = [query["sql"] for query in queries.captured_queries]
    assert ordered_by_key(statements[0])
    assert [sql.split(" ")[0] for sql in statements] == ["SELECT", *["UPDATE"] * 3, "SELECT", "SELECT"]


@pytest.mark.postgres
def test_holding_and_releasing_lock_the_products_for_update(django_assert_num_queries):
    """SQLite has one writer at a time and knows no such lock."""
    product = make_product(stock_quantity=5)
    small = change_variant(variant_of(product, make_variation(product)), stock_quantity=5)
    # savepoint, lock, variants, update, end of the savepoint; lock, update, products, variants
    moves = (5, partial(hold_stock, units=[unit(small)])), (4, partial(release_stock, units=[counted(small)]))
    for count, move in moves:
        with django_assert_num_queries(count) as queries:
            move()
        locks = [
            sql for query in queries.captured_queries if (sql := query["sql"]).endswith("FOR NO KEY UPDATE")
        ]
        assert [sql.split("FROM")[1].split()[0] for sql in locks] == ['"catalog_product"']


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("move", [hold_stock, release_stock])
def test_stock_moves_only_inside_a_transaction(move):
    product = make_product(stock_quantity=3)
    with pytest.raises(TransactionManagementError, match="inside the transaction of the order"):
        move(units=[counted(product)])
    assert levels(product) == [3]


@pytest.mark.django_db(transaction=True)
def test_an_order_that_is_not_made_gives_its_units_back():
    product = make_product(stock_quantity=1)

    @transaction.atomic
    def place_an_order_that_fails() -> None:
        hold_stock(units=[unit(product)])
        assert state(product) == (False, False)
        raise RuntimeError("the order failed")

    with pytest.raises(RuntimeError, match="the order failed"):
        place_an_order_that_fails()
    assert (levels(product), state(product)) == ([1], (True, True))
