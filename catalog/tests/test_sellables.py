"""What a cart line may be, asked for many lines at once."""

from decimal import Decimal

import pytest
from django.core.cache import cache
from django.utils import translation

from catalog.models import Product
from catalog.selectors import sellables
from catalog.selectors.sellables import SellableKey, find_sellables
from catalog.tests.factories import (
    make_category,
    make_finish_category,
    make_image,
    make_product,
    make_variation,
)

pytestmark = [pytest.mark.both_engines, pytest.mark.django_db]


def find(product: Product, variation_id: int | None = None, finish: str = ""):
    key = SellableKey(product.pk, variation_id, finish)
    return find_sellables([key])[key]


def painted_product(**fields) -> Product:
    return make_product(
        "Lame d'automne",
        "129.00",
        category=make_finish_category(),
        painted_price="129.00",
        unpainted_price="62.00",
        **fields,
    )


def test_a_plain_product():
    product = make_product("Porte-clé renard", "12.00", name_en="Fox Keyring")
    found = find(product)
    assert (found.name, found.category_name, found.variation_name, found.sku) == (
        "Porte-clé renard",
        "Goodies Divers",
        "",
        "",
    )
    assert (found.unit_price, found.available, found.available_quantity, found.problem) == (
        Decimal("12.00"),
        True,
        None,
        None,
    )
    assert (found.finish, found.variation_id, found.buy, found.get, found.promotion_type) == (
        "",
        None,
        None,
        None,
        "",
    )
    assert found.url == f"/produit/{product.pk}-porte-cle-renard"
    assert (found.production_days_min, found.production_days_max) == (14, 28)


def test_texts_and_address_follow_the_language():
    product = make_product("Porte-clé renard", "12.00", name_en="Fox Keyring")
    with translation.override("en"):
        found = find(product)
    assert (found.name, found.url) == ("Fox Keyring", f"/en/produit/{product.pk}-fox-keyring")


def test_defaults_are_filled_in():
    product = painted_product()
    make_variation(product, "Petite", price_adjustment="-10.00", sort_order=1)
    large = make_variation(
        product, "Grande", price_adjustment="20.00", is_default=True, sku="LAM-18", sort_order=2
    )
    found = find(product)
    assert (found.variation_id, found.finish, found.unit_price) == (large.pk, "painted", Decimal("149.00"))
    assert (found.variation_name, found.sku) == ("Grande", "LAM-18")


def test_a_choice_is_priced():
    product = painted_product()
    small = make_variation(product, "Petite", price_adjustment="-10.00")
    make_variation(product, "Grande", is_default=True)
    found = find(product, small.pk, "unpainted")
    assert (found.variation_id, found.finish, found.unit_price) == (small.pk, "unpainted", Decimal("52.00"))


def test_an_unknown_product():
    key = SellableKey(4321, 5, "painted")
    found = find_sellables([key])[key]
    assert (found.problem, found.available, found.unit_price, found.available_quantity) == (
        "unknown_product",
        False,
        None,
        0,
    )
    assert (found.product_id, found.variation_id, found.finish, found.name, found.url) == (
        4321,
        5,
        "painted",
        "",
        "",
    )


@pytest.mark.parametrize("product_id", [0, -1, 2**63, 10**30])
def test_keys_that_no_row_can_have_are_unknown(product_id):
    key = SellableKey(product_id, None, "")
    assert find_sellables([key])[key].problem == "unknown_product"


def test_an_unpublished_product_is_unknown():
    assert find(make_product(is_published=False)).problem == "unknown_product"


def test_a_variation_of_another_product_is_unknown():
    product, other = make_product(), make_product("Autre")
    foreign = make_variation(other)
    found = find(product, foreign.pk)
    assert (found.problem, found.available, found.unit_price) == ("unknown_variation", False, None)
    assert found.variation_id == foreign.pk


@pytest.mark.parametrize("finish", ["painted", "golden"])
def test_a_finish_without_a_price_is_not_sold(finish):
    product = make_product(category=make_finish_category(), unpainted_price="62.00")
    found = find(product, None, finish)
    assert (found.problem, found.available, found.unit_price) == ("finish_unavailable", False, None)


def test_a_finish_where_there_is_no_choice_is_not_sold():
    assert find(make_product(), None, "painted").problem == "finish_unavailable"


@pytest.mark.parametrize("fields", [{"in_stock": False}, {"stock_quantity": 0}])
def test_out_of_stock_keeps_its_price(fields):
    found = find(make_product(**fields))
    assert (found.problem, found.available, found.unit_price) == ("out_of_stock", False, Decimal("40.00"))


def test_a_variation_out_of_stock():
    product = make_product()
    small = make_variation(product, "Petite", in_stock=False)
    large = make_variation(product, "Grande", is_default=True)
    assert find(product, small.pk).problem == "out_of_stock"
    assert find(product, large.pk).problem is None


@pytest.mark.parametrize(
    ("of_product", "of_variation", "expected"),
    [(None, None, None), (5, None, 5), (None, 2, 2), (5, 2, 2), (1, 2, 1)],
)
def test_the_scarcer_level_decides(of_product, of_variation, expected):
    product = make_product(stock_quantity=of_product)
    make_variation(product, stock_quantity=of_variation)
    found = find(product)
    assert found.available_quantity == expected
    assert (found.product_stock, found.variation_stock) == (of_product, of_variation)


def test_a_running_promotion():
    found = find(make_product(promotion_active=True, promotion_type="buy_4_get_3"))
    assert (found.buy, found.get, found.promotion_type, found.promotion_badge) == (
        4,
        3,
        "buy_4_get_3",
        "4 ACHETÉS 3 OFFERTS",
    )


def test_a_promotion_that_is_off():
    found = find(make_product(promotion_type="buy_4_get_3"))
    assert (found.buy, found.get, found.promotion_type, found.promotion_badge) == (None, None, "", "")


def test_own_production_time():
    found = find(make_product(production_days_min=3, production_days_max=5))
    assert (found.production_days_min, found.production_days_max) == (3, 5)


def test_the_photo_is_that_of_the_choice():
    product = painted_product()
    make_image(product, 1, finish="painted", alt_fr="Peinte")
    make_image(product, 2, finish="unpainted", alt_fr="Grise")
    assert find(product, None, "unpainted").image.alt == "Grise"
    assert find(product).image.alt == "Peinte"
    assert find(make_product("Sans photo")).image is None


def test_three_queries_however_many_lines(django_assert_num_queries):
    category = make_category("figurines", offers_formats=True)
    products = [make_product(f"Pièce {number}", category=category) for number in range(6)]
    for product in products:
        make_variation(product)
        make_image(product)
    keys = [SellableKey(product.pk, None, "") for product in products] + [SellableKey(10**9, None, "")]
    find_sellables(keys)
    # products with categories, variations, photos; the shop's settings are cached
    with django_assert_num_queries(3):
        assert len(find_sellables(keys)) == 7
    cache.clear()
    with django_assert_num_queries(4):
        find_sellables(keys)
    with django_assert_num_queries(0):
        assert find_sellables([]) == {}


@pytest.mark.parametrize("language", ["fr", "en", "es", "de"])
@pytest.mark.parametrize("size", range(1, 8))
def test_rows_of_the_written_statements_are_those_of_the_models(size, language, django_assert_num_queries):
    painted, plain = make_finish_category("mangas"), make_category("goodies")
    for number in range(1, 8):
        product = make_product(
            f"Pièce {number}",
            f"{number}.90",
            category=painted if number % 2 else plain,
            name_de=f"Stück {number}",
        )
        make_variation(product, price_override=f"{number}.10", is_default=True)
    expected = {row.pk: row for row in Product.objects.select_related("category").order_by("pk")[:size]}
    with translation.override(language):
        with django_assert_num_queries(2):
            products = {row.pk: row for row in sellables._read_products(list(expected))}
            variations = {row.product_id: row for row in sellables._read_variations(list(expected))}
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
        for pk, product in expected.items():
            with django_assert_num_queries(0):
                read = [getattr(products[pk], field) for field in fields]
                category = (products[pk].category.name, products[pk].category.offers_finishes)
            assert read == [getattr(product, field) for field in fields]
            assert category == (product.category.name, product.category.offers_finishes)
            assert isinstance(products[pk].price, Decimal)
            assert products[pk].in_stock is True
            stored = product.variations.get()
            with django_assert_num_queries(0):
                found = {
                    field.attname: getattr(variations[pk], field.attname) for field in stored._meta.fields
                }
            assert found == {field.attname: getattr(stored, field.attname) for field in stored._meta.fields}


def test_unknown_keys_read_no_row_and_no_keys_ask_nothing(django_assert_num_queries):
    with django_assert_num_queries(2):
        assert list(sellables._read_products([2**62, 2**61, 2**60])) == []
        assert list(sellables._read_variations([2**62, 2**61, 2**60])) == []
    with django_assert_num_queries(0):
        assert list(sellables._read_products([])) == []
        assert list(sellables._read_variations([])) == []


def test_a_change_is_seen_by_the_next_call():
    product = make_product(price="1.90")
    assert find(product).unit_price == Decimal("1.90")
    Product.objects.filter(pk=product.pk).update(price="7.25", in_stock=False)
    assert (find(product).unit_price, find(product).available) == (Decimal("7.25"), False)


def test_without_a_default_the_first_variation_in_the_shops_order_is_chosen():
    product = make_product()
    for name, place in (("B", 1), ("A", 2), ("C", 0)):
        make_variation(product, name, sort_order=place)
    assert find(product).variation_name == "C"
    assert [row.name for row in sellables._read_variations([product.pk])] == ["C", "B", "A"]
