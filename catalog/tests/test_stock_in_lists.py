"""What lists and pages say of a product while its units are held, given back and counted anew."""

from __future__ import annotations

import pytest
from django.db.models import F

from catalog.models import Product, Variant
from catalog.selectors.availability import LOW_STOCK
from catalog.services.categories import save_category
from catalog.services.products import delete_variation
from catalog.services.stock import OutOfStock, hold_stock, refresh_availability, release_stock
from catalog.tests.factories import (
    change_product,
    change_variant,
    make_category,
    make_product,
    make_variation,
)
from catalog.tests.stock_levels import levels, painted_and_raw, state, unit

pytestmark = [pytest.mark.both_engines, pytest.mark.django_db]


@pytest.mark.parametrize(
    ("of_product", "of_painted", "of_raw", "expected"),
    [
        (None, None, None, (True, False)),
        (3, None, None, (True, True)),
        (0, None, None, (False, False)),
        (None, 0, None, (True, False)),
        (None, 2, None, (True, True)),
        (0, 2, None, (True, True)),
        (3, 0, 0, (False, False)),
        (3, 0, None, (True, True)),
    ],
)
def test_lists_say_what_some_variant_can_do(of_product, of_painted, of_raw, expected):
    product, painted, raw = painted_and_raw(stock_quantity=of_product)
    change_variant(painted, stock_quantity=of_painted)
    change_variant(raw, stock_quantity=of_raw)
    assert state(product) == expected
    for change in ({"in_stock": False}, {"is_published": False}):
        assert state(change_product(product, **change)) == (False, False)
        assert state(change_product(product, in_stock=True, is_published=True)) == expected


def test_lists_follow_the_last_unit_of_each_variant_and_its_return():
    product, painted, raw = painted_and_raw(stock_quantity=0)
    for row in (painted, raw):
        change_variant(row, stock_quantity=1)
    assert state(product) == (True, True)
    first = hold_stock(units=[unit(painted)])
    assert state(product) == (True, True)
    hold_stock(units=[unit(raw)])
    assert state(product) == (False, False)
    release_stock(units=first)
    assert state(product) == (True, True)


def test_lists_follow_what_staff_change():
    product, painted, raw = painted_and_raw()
    change_variant(painted, stock_quantity=4)
    assert state(product) == (True, True)
    change_variant(painted, in_stock=False)
    assert state(product) == (True, False)
    change_variant(raw, in_stock=False)
    assert state(product) == (False, False)
    # A finish without a price is not on sale, whatever its row says.
    change_variant(raw, in_stock=True, stock_quantity=2)
    change_product(product, unpainted_price=None)
    assert state(product) == (False, False)
    change_variant(painted, in_stock=True)
    assert state(product) == (True, True)


def test_lists_follow_the_category_and_the_formats():
    category = make_category("bust")
    product = make_product(category=category)
    small = make_variation(product, "Petite", in_stock=False, is_default=True)
    make_variation(product, "Grande", stock_quantity=1)
    assert state(product) == (False, False)
    category.offers_formats = True
    save_category(category=category)
    assert state(product) == (True, True)
    category.offers_formats = False
    save_category(category=category)
    delete_variation(variation=small)
    assert state(product) == (True, True)


def test_only_what_changed_is_written(django_assert_num_queries):
    same, other = make_product(stock_quantity=1), make_product(stock_quantity=1)
    Product.objects.filter(pk=other.pk).update(is_available=False)
    # products, variants, the one that changed
    with django_assert_num_queries(3):
        refresh_availability(product_ids=[same.pk, other.pk])
    assert (state(same), state(other)) == ((True, True), (True, True))


def test_the_last_unit_and_every_return_reach_the_pages_at_once(client, run_on_commit):
    product, painted, _raw = painted_and_raw()
    change_variant(painted, stock_quantity=LOW_STOCK + 2)
    address = f"/produit/{product.pk}-{product.slug_fr}?finition=painted"

    def in_words() -> bool:
        return '<p class="button-reason">Rupture de stock</p>' in client.get(address).content.decode()

    assert in_words() is False
    with run_on_commit() as callbacks:
        hold_stock(units=[unit(painted)])
    # Pages say how many are left only of the last few.
    assert callbacks == []
    with run_on_commit() as callbacks:
        hold_stock(units=[unit(painted)])
    assert len(callbacks) == 1
    assert f"Plus que {LOW_STOCK} en stock" in client.get(address).content.decode()
    with run_on_commit():
        held = hold_stock(units=[unit(painted, LOW_STOCK)])
    assert in_words() is True
    with run_on_commit():
        release_stock(units=held)
    assert in_words() is False


def test_a_refused_hold_leaves_what_lists_say():
    product, painted, raw = painted_and_raw()
    for row in (painted, raw):
        change_variant(row, stock_quantity=1)
    with pytest.raises(OutOfStock):
        hold_stock(units=[unit(painted), unit(raw, 2)])
    assert (levels(painted, raw), state(product)) == ([1, 1], (True, True))
    Variant.objects.filter(pk=raw.pk).update(stock_quantity=F("stock_quantity") - 1)
    hold_stock(units=[unit(painted)])
    assert state(product) == (False, False)
