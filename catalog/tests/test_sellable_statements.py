"""The statements that read what is sold: as few as can be, written out, and true to the models."""

from datetime import UTC, datetime
from decimal import Decimal
from itertools import chain

import pytest
from django.core.cache import cache
from django.utils import timezone, translation

from catalog.models import Product, ProductVariation, Variant
from catalog.pricing import ProductPromotion
from catalog.selectors import sellables
from catalog.selectors.promotions import promotions_of
from catalog.selectors.sellables import SellableKey, find_sellables
from catalog.selectors.variants import variants_of
from catalog.tests.factories import (
    change_variant,
    make_category,
    make_finish_category,
    make_image,
    make_product,
    make_promotion,
    make_variation,
)

pytestmark = [pytest.mark.both_engines, pytest.mark.django_db]

END = datetime(2100, 1, 1, tzinfo=UTC)


def test_three_queries_however_many_lines(django_assert_num_queries):
    category = make_category("figurines", offers_formats=True)
    products = [make_product(f"Pièce {number}", category=category) for number in range(6)]
    for product in products:
        make_variation(product)
        make_image(product)
    keys = [SellableKey(product.pk, None, "") for product in products] + [SellableKey(10**9, None, "")]
    find_sellables(keys)
    # products with categories, variants with formats, photos; the shop's settings are cached
    with django_assert_num_queries(3):
        assert len(find_sellables(keys)) == 7
    cache.clear()
    with django_assert_num_queries(4):
        find_sellables(keys)
    with django_assert_num_queries(0):
        assert find_sellables([]) == {}


@pytest.mark.parametrize("language", ["fr", "en", "es", "de"])
def test_rows_of_the_written_statements_are_those_of_the_models(language, django_assert_num_queries):
    painted, plain = make_finish_category("mangas"), make_category("goodies")
    for number in range(1, 8):
        product = make_product(
            f"Pièce {number}",
            f"{number}.90",
            category=painted if number % 2 else plain,
            name_de=f"Stück {number}",
        )
        row = make_variation(product, price_override=f"{number}.10", is_default=True)
        change_variant(
            row.variants.first(),
            price=Decimal(f"{number}.05"),
            sku=f"P-{number}",
            stock_quantity=number,
            weight_grams=100 + number,
            production_days_min=1,
            production_days_max=number,
            dimensions=f"{number} cm",
            height_cm=Decimal(f"{number}.5"),
        )
        if number <= 2:
            make_promotion(product, type="amount", percent=None, amount="0.10", ends_at=END)
    make_promotion(categories=[painted], percent=10)
    for size in range(1, 8):
        compare_rows(size, language, django_assert_num_queries)


def compare_rows(size: int, language: str, assert_num_queries) -> None:
    """What is read of the first `size` products."""
    expected = {row.pk: row for row in Product.objects.select_related("category").order_by("pk")[:size]}
    with translation.override(language):
        with assert_num_queries(2):
            products, promotions = sellables._read_products(list(expected), timezone.now())
            variants = list(sellables._read_variants(list(expected)))
        fields = (
            *("name", "slug", "description", "price", "painted_price", "unpainted_price", "in_stock"),
            *("stock_quantity", "is_published"),
            *(
                "production_days_min",
                "production_days_max",
            ),
            *("hs_code", "origin_country", "weight_grams", "category_id"),
        )
        assert list(products.keys() ^ expected.keys()) == []
        assert [(pk, read_promotions(promotions[pk])) for pk in expected] == [
            (pk, read_promotions(found))
            for pk, found in promotions_of(list(expected), timezone.now()).items()
        ]
        for pk, product in expected.items():
            with assert_num_queries(0):
                read = [getattr(products[pk], field) for field in fields]
                category = (products[pk].category.name, products[pk].category.offers_finishes)
            assert read == [getattr(product, field) for field in fields]
            assert category == (product.category.name, product.category.offers_finishes)
            assert isinstance(products[pk].price, Decimal)
            assert products[pk].in_stock is True
        rows = list(variants_of(list(expected)).values())
        by_product = [[row for row in variants if row.product_id == pk] for pk in expected]
        for found, expected_row in zip(
            chain.from_iterable(by_product), chain.from_iterable(rows), strict=True
        ):
            with assert_num_queries(0):
                assert columns(found) == columns(expected_row)
                assert (found.variation is None) == (expected_row.variation is None)
                assert found.label == expected_row.label
                if found.variation is not None:
                    assert read_format(found.variation) == read_format(expected_row.variation)


def read_promotions(found: list[ProductPromotion]) -> list[tuple[object, ...]]:
    """What the written statement reads of promotions."""
    fields = ("id", "type", "buy_quantity", "get_quantity", "percent", "amount", "starts_at", "ends_at")
    return sorted((*(getattr(row.promotion, field) for field in fields), row.is_chosen) for row in found)


def columns(row: Variant) -> dict[str, object]:
    return {field.attname: getattr(row, field.attname) for field in row._meta.fields}


def read_format(row: ProductVariation) -> tuple[object, ...]:
    """What the written statement reads of a format."""
    return (row.pk, row.name, row.price_adjustment, row.price_override, row.is_default)


def test_unknown_keys_read_no_row_and_no_keys_ask_nothing(django_assert_num_queries):
    with django_assert_num_queries(2):
        assert sellables._read_products([2**62, 2**61, 2**60], timezone.now()) == ({}, {})
        assert list(sellables._read_variants([2**62, 2**61, 2**60])) == []
    with django_assert_num_queries(0):
        assert sellables._read_products([], timezone.now()) == ({}, {})
        assert list(sellables._read_variants([])) == []
