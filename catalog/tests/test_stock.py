"""Units held and given back."""

import pytest
from django.db import transaction
from django.db.models import F
from django.db.transaction import TransactionManagementError

from catalog.models import Product, ProductVariation
from catalog.services.stock import OutOfStock, StockUnit, hold_stock, release_stock
from catalog.tests.factories import make_product, make_variation

pytestmark = [pytest.mark.both_engines, pytest.mark.django_db]


def levels(*products: Product) -> list[int | None]:
    return [Product.objects.get(pk=product.pk).stock_quantity for product in products]


def level(variation: ProductVariation) -> int | None:
    return ProductVariation.objects.get(pk=variation.pk).stock_quantity


def test_holding_takes_units_and_releasing_gives_them_back():
    product = make_product(stock_quantity=3)
    hold_stock(units=[StockUnit(product.pk, None, 2)])
    assert levels(product) == [1]
    release_stock(units=[StockUnit(product.pk, None, 2)])
    assert levels(product) == [3]


def test_the_last_product_is_held_once():
    product = make_product(stock_quantity=1)
    hold_stock(units=[StockUnit(product.pk, None, 1)])
    with pytest.raises(OutOfStock) as refusal:
        hold_stock(units=[StockUnit(product.pk, None, 1)])
    assert (refusal.value.code, refusal.value.status, refusal.value.detail) == (
        "out_of_stock",
        409,
        "Rupture de stock",
    )
    assert refusal.value.units == (StockUnit(product.pk, None, 1),)
    assert levels(product) == [0]


def test_made_to_order_never_runs_out_and_is_never_counted():
    product = make_product()
    hold_stock(units=[StockUnit(product.pk, None, 500)])
    release_stock(units=[StockUnit(product.pk, None, 500)])
    assert levels(product) == [None]


def test_what_was_made_to_order_when_it_was_held_adds_nothing_to_a_level_counted_since():
    product = make_product()
    small = make_variation(product, stock_quantity=2)
    held = hold_stock(units=[StockUnit(product.pk, small.pk, 1)])
    assert held == [StockUnit(product.pk, small.pk, 1, product_counted=False, variation_counted=True)]
    Product.objects.update(stock_quantity=7)
    release_stock(units=held)
    assert (levels(product), level(small)) == ([7], 2)


def test_a_level_that_is_not_counted_any_more_gets_nothing_back():
    product = make_product(stock_quantity=2)
    held = hold_stock(units=[StockUnit(product.pk, None, 1)])
    Product.objects.update(stock_quantity=None)
    release_stock(units=held)
    assert levels(product) == [None]


def test_units_of_several_lines_are_added_up():
    product = make_product(stock_quantity=3)
    small, large = make_variation(product, "Petite"), make_variation(product, "Grande")
    with pytest.raises(OutOfStock) as refusal:
        hold_stock(units=[StockUnit(product.pk, small.pk, 2), StockUnit(product.pk, large.pk, 2)])
    assert refusal.value.units == (StockUnit(product.pk, small.pk, 2), StockUnit(product.pk, large.pk, 2))
    assert levels(product) == [3]


def test_both_levels_count():
    product = make_product(stock_quantity=5)
    small = make_variation(product, stock_quantity=2)
    hold_stock(units=[StockUnit(product.pk, small.pk, 2)])
    assert (levels(product), level(small)) == ([3], 0)
    release_stock(units=[StockUnit(product.pk, small.pk, 1)])
    assert (levels(product), level(small)) == ([4], 1)


def test_a_short_variation_gives_the_product_its_units_back():
    product = make_product(stock_quantity=5)
    small = make_variation(product, stock_quantity=1)
    with pytest.raises(OutOfStock):
        hold_stock(units=[StockUnit(product.pk, small.pk, 2)])
    assert (levels(product), level(small)) == ([5], 1)


def test_all_or_nothing_over_several_products_and_every_missing_unit_is_named():
    plenty, scarce, empty = (make_product(stock_quantity=quantity) for quantity in (9, 1, 0))
    wanted = [StockUnit(plenty.pk, None, 2), StockUnit(scarce.pk, None, 2), StockUnit(empty.pk, None, 1)]
    with pytest.raises(OutOfStock) as refusal:
        hold_stock(units=wanted)
    assert refusal.value.units == tuple(wanted[1:])
    assert levels(plenty, scarce, empty) == [9, 1, 0]


@pytest.mark.parametrize("change", [{"in_stock": False}, {"is_published": False}])
@pytest.mark.parametrize("quantity", [None, 5])
def test_what_is_off_sale_is_not_held(change, quantity):
    product = make_product(stock_quantity=quantity)
    Product.objects.update(**change)
    with pytest.raises(OutOfStock):
        hold_stock(units=[StockUnit(product.pk, None, 1)])
    assert levels(product) == [quantity]


def test_a_variation_that_is_off_sale_is_not_held():
    product = make_product()
    small = make_variation(product, in_stock=False)
    with pytest.raises(OutOfStock):
        hold_stock(units=[StockUnit(product.pk, small.pk, 1)])


def test_an_unknown_product_is_not_held():
    with pytest.raises(OutOfStock) as refusal:
        hold_stock(units=[StockUnit(987, None, 1)])
    assert refusal.value.units == (StockUnit(987, None, 1),)


def test_giving_back_to_what_was_deleted_changes_nothing():
    release_stock(units=[StockUnit(987, 654, 1)])
    assert not Product.objects.exists()


@pytest.mark.parametrize("quantity", [0, -1])
@pytest.mark.parametrize("move", [hold_stock, release_stock])
def test_less_than_one_unit_is_a_mistake(move, quantity):
    product = make_product(stock_quantity=3)
    with pytest.raises(ValueError, match="at least 1 unit"):
        move(units=[StockUnit(product.pk, None, quantity)])
    assert levels(product) == [3]


def test_the_row_decides_and_not_what_was_read_before(monkeypatch):
    """A rival takes the last piece between the reading of the level and the guarded update."""
    product = make_product(stock_quantity=1)
    read = Product.objects.none().values_list

    def after_a_rival(self, *fields, **options):
        rows = list(original(self, *fields, **options))
        Product.objects.filter(pk=product.pk).update(stock_quantity=F("stock_quantity") - 1)
        return rows

    original = type(read.__self__).values_list
    monkeypatch.setattr(type(read.__self__), "values_list", after_a_rival)
    with pytest.raises(OutOfStock):
        hold_stock(units=[StockUnit(product.pk, None, 1)])
    monkeypatch.undo()
    assert levels(product) == [1]  # the rival's own update was undone with the refused hold's savepoint


def test_holding_locks_in_the_order_of_the_keys(django_assert_num_queries):
    first, second = make_product(stock_quantity=5), make_product(stock_quantity=5)
    small = make_variation(first, stock_quantity=5)
    wanted = [StockUnit(second.pk, None, 1), StockUnit(first.pk, small.pk, 1)]
    # savepoint, levels of products, 2 updates, levels of variations, 1 update, release of the savepoint
    with django_assert_num_queries(7) as queries:
        hold_stock(units=wanted)
    updates = [query["sql"] for query in queries.captured_queries if query["sql"].startswith("UPDATE")]
    assert ["catalog_productvariation" in sql for sql in updates] == [False, False, True]
    assert f'"id" = {first.pk}' in updates[0]
    assert f'"id" = {second.pk}' in updates[1]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("move", [hold_stock, release_stock])
def test_stock_moves_only_inside_a_transaction(move):
    product = make_product(stock_quantity=3)
    with pytest.raises(TransactionManagementError, match="inside the transaction of the order"):
        move(units=[StockUnit(product.pk, None, 1)])
    assert levels(product) == [3]


@pytest.mark.django_db(transaction=True)
def test_an_order_that_is_not_made_gives_its_units_back():
    product = make_product(stock_quantity=3)

    @transaction.atomic
    def place_an_order_that_fails() -> None:
        hold_stock(units=[StockUnit(product.pk, None, 1)])
        raise RuntimeError("the order failed")

    with pytest.raises(RuntimeError, match="the order failed"):
        place_an_order_that_fails()
    assert levels(product) == [3]
