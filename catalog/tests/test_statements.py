"""Rows by statements that were written once are the rows that Django's own query finds."""

from decimal import Decimal

import pytest

from catalog.models import Product, ProductVariation
from catalog.tests.factories import make_category, make_finish_category, make_product
from shop.core.statements import RowsByKey

pytestmark = [pytest.mark.both_engines, pytest.mark.django_db]

FIELDS = ("price", "painted_price", "in_stock", "stock_quantity", "name_fr", "name_de", "category_id")
PRODUCTS = RowsByKey(Product, "pk", FIELDS, joined={"category": ("name_fr", "offers_finishes")})


@pytest.fixture
def pieces() -> list[Product]:
    painted = make_finish_category("mangas")
    plain = make_category("goodies")
    return [
        make_product(f"Pièce {number}", category=painted if number % 2 else plain, price=f"{number}.90")
        for number in range(1, 8)
    ]


@pytest.mark.parametrize("size", range(1, 8))
def test_any_number_of_keys_finds_its_rows_in_one_query(pieces, size, django_assert_num_queries):
    wanted = [piece.pk for piece in pieces[:size]]
    with django_assert_num_queries(1):
        found = {row.pk: row for row in PRODUCTS.find(wanted)}
        read = {
            pk: [
                *(getattr(row, field) for field in FIELDS),
                row.category.name_fr,
                row.category.offers_finishes,
            ]
            for pk, row in found.items()
        }
    assert read == {
        piece.pk: [
            *(getattr(piece, field) for field in FIELDS),
            piece.category.name_fr,
            piece.category.offers_finishes,
        ]
        for piece in pieces[:size]
    }
    assert all(isinstance(row.price, Decimal) and row.in_stock is True for row in found.values())


def test_keys_of_no_row_find_nothing_and_no_keys_ask_nothing(pieces, django_assert_num_queries):
    with django_assert_num_queries(1):
        assert list(PRODUCTS.find([2**62, 2**61, 2**60])) == []
    with django_assert_num_queries(0):
        assert list(PRODUCTS.find([])) == []


def test_rows_are_those_of_this_moment(pieces):
    piece = pieces[0]
    assert [row.price for row in PRODUCTS.find([piece.pk])] == [Decimal("1.90")]
    Product.objects.filter(pk=piece.pk).update(price="7.25", in_stock=False)
    assert [(row.price, row.in_stock) for row in PRODUCTS.find([piece.pk])] == [(Decimal("7.25"), False)]


def test_rows_keep_their_order_and_a_field_that_was_not_read_is_read_later(pieces, django_assert_num_queries):
    for name, place in (("B", 1), ("A", 2), ("C", 0)):
        ProductVariation.objects.create(product=pieces[0], name=name, sort_order=place)
    rows = RowsByKey(ProductVariation, "product_id", ("name_fr", "product_id"), order_by=("sort_order", "pk"))
    with django_assert_num_queries(1):
        found = list(rows.find([pieces[0].pk, pieces[1].pk]))
    with django_assert_num_queries(1):
        assert found[0].sort_order == 0
    assert [row.name_fr for row in found] == ["C", "B", "A"]


def test_a_field_that_the_table_has_not_is_refused():
    with pytest.raises(AssertionError, match="Product has no"):
        RowsByKey(Product, "pk", ("colour",))
