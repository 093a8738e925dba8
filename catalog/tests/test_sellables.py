"""What a cart line may be, asked for many lines at once."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from django.utils import translation

from catalog.models import Product, Promotion
from catalog.selectors import sellables
from catalog.selectors.products import find_product
from catalog.selectors.sellables import SellableKey, find_sellables
from catalog.services.promotions import save_promotion
from catalog.tests.factories import (
    change_variant,
    make_category,
    make_finish_category,
    make_image,
    make_product,
    make_variation,
    variant_of,
)

pytestmark = [pytest.mark.both_engines, pytest.mark.django_db]


def find(product: Product, variation_id: int | None = None, finish: str = ""):
    key = SellableKey(product.pk, variation_id, finish)
    return find_sellables([key])[key]


def painted_product(**fields) -> Product:
    return make_product(
        "Lame d'automne",
        "129.00",
        category=make_finish_category(offers_formats=True),
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
    assert (found.finish, found.variation_id, found.buy, found.get) == ("", None, None, None)
    assert found.url == f"/produit/{product.pk}-porte-cle-renard"
    assert (found.production_days_min, found.production_days_max) == (14, 28)


def test_texts_and_address_follow_the_language():
    product = make_product("Porte-clé renard", "12.00", name_en="Fox Keyring")
    with translation.override("en"):
        found = find(product)
    assert (found.name, found.url) == ("Fox Keyring", f"/en/product/{product.pk}-fox-keyring")


def test_defaults_are_filled_in():
    product = painted_product()
    make_variation(product, "Petite", price_adjustment="-10.00", sort_order=1)
    large = make_variation(product, "Grande", price_adjustment="20.00", is_default=True, sort_order=2)
    sold = change_variant(variant_of(product, large, "painted"), sku="LAM-18-P")
    found = find(product)
    assert (found.variant_id, found.variation_id, found.finish, found.unit_price) == (
        sold.pk,
        large.pk,
        "painted",
        Decimal("149.00"),
    )
    assert (found.variation_name, found.sku) == ("Grande", "LAM-18-P")


def test_a_choice_is_a_row_with_a_price_and_a_reference():
    product = painted_product()
    small = make_variation(product, "Petite", price_adjustment="-10.00")
    make_variation(product, "Grande", is_default=True)
    raw = change_variant(variant_of(product, small, "unpainted"), sku="LAM-09-B")
    found = find(product, small.pk, "unpainted")
    assert (found.variant_id, found.variation_id, found.finish, found.unit_price, found.sku) == (
        raw.pk,
        small.pk,
        "unpainted",
        Decimal("52.00"),
        "LAM-09-B",
    )
    assert find(product, small.pk, "painted").sku == ""


def test_a_choice_at_a_price_of_its_own():
    product = painted_product()
    small = make_variation(product, "Petite", price_adjustment="-10.00")
    change_variant(variant_of(product, small, "unpainted"), price=Decimal("49.90"))
    assert find(product, small.pk, "unpainted").unit_price == Decimal("49.90")
    assert find(product, small.pk, "painted").unit_price == Decimal("119.00")


def test_a_finish_has_its_own_weight_and_delay_else_those_of_the_product():
    product = painted_product(weight_grams=400, production_days_min=3, production_days_max=5)
    change_variant(
        variant_of(product, finish="painted"),
        weight_grams=450,
        production_days_min=21,
        production_days_max=28,
    )
    found = {finish: find(product, None, finish) for finish in ("painted", "unpainted")}
    assert [
        (row.weight_grams, row.production_days_min, row.production_days_max) for row in found.values()
    ] == [(450, 21, 28), (400, 3, 5)]


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


def test_of_a_category_without_the_choice_the_default_format_alone_is_sold():
    product = make_product()
    small = make_variation(product, "Petite", price_override="35.00")
    large = make_variation(product, "Grande", is_default=True)
    assert (find(product).variation_id, find(product, large.pk).problem) == (large.pk, None)
    assert (find(product, small.pk).problem, find(product, small.pk).unit_price) == (
        "unknown_variation",
        None,
    )


def test_a_format_out_of_stock():
    product = make_product(category=make_category("figurines", offers_formats=True))
    small = make_variation(product, "Petite", in_stock=False)
    large = make_variation(product, "Grande", is_default=True)
    assert find(product, small.pk).problem == "out_of_stock"
    assert find(product, large.pk).problem is None


def test_a_finish_out_of_stock():
    product = painted_product()
    change_variant(variant_of(product, finish="painted"), stock_quantity=0)
    found = find(product)
    assert (found.finish, found.problem, found.unit_price) == ("painted", "out_of_stock", Decimal("129.00"))
    assert (find(product, None, "unpainted").problem, find(product, None, "unpainted").available) == (
        None,
        True,
    )


@pytest.mark.parametrize(
    ("of_product", "of_variant", "expected", "kind"),
    [
        (None, None, None, None),
        (5, None, 5, "product"),
        (None, 2, 2, "variant"),
        (5, 2, 2, "variant"),
        (1, 2, 2, "variant"),
        (0, 2, 2, "variant"),
        (5, 0, 0, "variant"),
    ],
)
def test_a_variant_draws_on_its_own_number_else_on_the_products(of_product, of_variant, expected, kind):
    product = make_product(stock_quantity=of_product)
    row = variant_of(product, make_variation(product, stock_quantity=of_variant))
    found = find(product)
    assert (found.available_quantity, found.available) == (expected, expected != 0)
    keys = {"product": product.pk, "variant": row.pk}
    assert found.stock_level == (None if kind is None else (kind, keys[kind]))


def test_units_held_for_who_asks_count_as_left():
    product = painted_product(stock_quantity=0)
    painted = change_variant(variant_of(product, finish="painted"), stock_quantity=0)
    keys = {finish: SellableKey(product.pk, None, finish) for finish in ("painted", "unpainted")}
    found = find_sellables(list(keys.values()), own={("variant", painted.pk): 1})
    assert [found[key].available_quantity for key in keys.values()] == [1, 0]
    found = find_sellables(list(keys.values()), own={("product", product.pk): 2})
    assert [(found[key].available_quantity, found[key].problem) for key in keys.values()] == [
        (0, "out_of_stock"),
        (2, None),
    ]


def test_a_running_promotion():
    found = find(make_product(promotion_active=True, promotion_type="buy_4_get_3"))
    assert (found.buy, found.get, found.promotion_badge) == (4, 3, "4 ACHETÉS 3 OFFERTS")


def test_a_promotion_that_is_off():
    found = find(make_product(promotion_type="buy_4_get_3"))
    assert (found.buy, found.get, found.promotion_badge) == (None, None, "")


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


def test_a_change_is_seen_by_the_next_call():
    product = make_product(price="1.90")
    assert find(product).unit_price == Decimal("1.90")
    Product.objects.filter(pk=product.pk).update(price="7.25", in_stock=False)
    assert (find(product).unit_price, find(product).available) == (Decimal("7.25"), False)


def test_without_a_default_the_first_format_in_the_shops_order_is_chosen():
    product = make_product()
    for name, place in (("B", 1), ("A", 2), ("C", 0)):
        make_variation(product, name, sort_order=place)
    assert find(product).variation_name == "C"
    read = [row.variation.name for row in sellables._read_variants([product.pk]) if row.variation]
    assert read == ["C", "B", "A"]


@pytest.mark.parametrize("key", [(None, "painted"), (None, "unpainted")])
def test_the_crossed_out_price_is_that_of_the_product_s_page(key, django_assert_num_queries, time_machine):
    time_machine.move_to(datetime(2026, 3, 1, tzinfo=UTC), tick=False)
    product = painted_product()
    time_machine.shift(timedelta(days=31))
    save_promotion(promotion=Promotion(name="Soldes", type="percent", percent=20), products=[product])
    find(product)
    # One more for the prices over time.
    with django_assert_num_queries(4):
        found = find(product, *key)
    page = find_product(product.pk)
    [offer] = [offer for offer in page.offers if offer.finish == key[1]]
    assert (found.unit_price, found.original_price) == (offer.price, offer.original_price)
    assert found.original_price == (Decimal("129.00") if key[1] == "painted" else Decimal("62.00"))


def test_a_price_without_thirty_days_of_history_is_not_crossed_out():
    product = painted_product()
    save_promotion(promotion=Promotion(name="Soldes", type="percent", percent=20), products=[product])
    assert find(product).original_price is None
