"""What lists and pages say of a product while its units are held, given back and counted anew."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

import pytest
import time_machine
from django.db.models import F
from django.utils import timezone

from catalog.models import Product, Variant
from catalog.selectors.availability import LOW_STOCK
from catalog.selectors.cards import cards_of_keys
from catalog.selectors.products import find_product
from catalog.services.categories import save_category
from catalog.services.products import delete_variation
from catalog.services.stock import OutOfStock, hold_stock, refresh_availability, release_stock
from catalog.tests.factories import (
    change_product,
    change_variant,
    make_category,
    make_product,
    make_promotion,
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


@pytest.mark.parametrize("original", [None, "150.00"])
def test_the_range_of_prices_is_that_of_what_can_be_bought(
    client, original, django_assert_num_queries, run_on_commit
):
    """In lists, on the page and for programs, from the sale of the last unit on; all prices once nothing is left."""
    product, painted, raw = painted_and_raw(original_price=original)
    change_variant(raw, stock_quantity=1)

    def said() -> list[tuple[str, str]]:
        row = Product.objects.get(pk=product.pk)
        page = find_product(product.pk)
        [card] = cards_of_keys([product.pk])
        full = client.get(f"/api/products/{product.pk}").json()
        return [
            *((str(each.price), str(each.price_to or each.price)) for each in (page, card)),
            (str(row.price_from), str(row.price_to)),
            (full["price_from"], full["price_to"]),
        ]

    def listed(query: str) -> bool:
        content = client.get(f"/produits?{query}").content.decode()
        return f"/produit/{product.pk}-" in content

    assert said() == [("62.00", "129.00")] * 4
    assert listed("price_max=70&availability=available") is True
    # The product, its variant's number, product and variants, the crossed-out price's history, what changed.
    with run_on_commit(), django_assert_num_queries(6 if original is None else 7):
        held = hold_stock(units=[unit(raw)], savepoint=False)
    assert said() == [("129.00", "129.00")] * 4
    assert listed("price_max=70&availability=available") is False
    with run_on_commit():
        change_variant(painted, in_stock=False)
    assert said() == [("62.00", "129.00")] * 4
    with run_on_commit():
        release_stock(units=held)
    assert said() == [("62.00", "62.00")] * 4
    assert listed("price_max=70&availability=available") is True


def test_what_is_crossed_out_in_lists_can_be_bought():
    with time_machine.travel(timezone.now() - timedelta(days=60), tick=False):
        product, painted, _raw = painted_and_raw()
    make_promotion(product, percent=50)
    columns = Product.objects.values_list("price_from", "price_to", "crossed_out", "reduced_price")
    assert columns.get() == (31, Decimal("64.50"), 129, Decimal("64.50"))
    change_variant(painted, stock_quantity=1)
    hold_stock(units=[unit(painted)])
    assert columns.get() == (31, 31, 62, 31)


def test_a_card_speaks_of_the_choice_that_its_page_opens_on():
    """Its units and its delay, not those of the first one, which is sold out."""
    product, painted, raw = painted_and_raw()
    change_variant(painted, stock_quantity=0, production_days_min=30, production_days_max=40)
    change_variant(raw, stock_quantity=2, production_days_min=3, production_days_max=4)
    [card] = cards_of_keys([product.pk])
    assert (card.available_quantity, card.stock_text) == (2, "Plus que 2 en stock")
    assert (card.production_days_min, card.production_days_max) == (3, 4)


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
