"""Writing products: what is checked, what is refreshed, which conflicts are refused."""

from decimal import Decimal

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from catalog.models import PricePoint, Product, ProductVariation, Variant
from catalog.services.categories import save_category
from catalog.services.products import (
    delete_product,
    delete_variation,
    refresh_product,
    refresh_products,
    save_product,
    save_variation,
)
from catalog.tests.factories import (
    change_product,
    change_variant,
    make_category,
    make_finish_category,
    make_image,
    make_product,
    make_variation,
    variant_of,
)
from shop.core.problems import Problem

pytestmark = [pytest.mark.both_engines, pytest.mark.django_db]


def fresh(product: Product) -> Product:
    return Product.objects.get(pk=product.pk)


def test_an_address_is_made_of_each_languages_name():
    product = make_product("L'Ours & l'été", name_en="Bear & Summer", name_de="Bär im Sommer")
    assert (product.slug_fr, product.slug_en, product.slug_es, product.slug_de) == (
        "lours-lete",
        "bear-summer",
        None,
        "baer-im-sommer",
    )


def test_letters_written_as_one_are_spelled_out_in_an_address():
    product = make_product("Cœur d'Œillet", name_de="Großer Strauß")
    assert (product.slug_fr, product.slug_de) == ("coeur-doeillet", "grosser-strauss")
    hidden = make_product("Hase", name_de="Häschen", is_published=False)
    assert (hidden.slug_de, change_product(hidden, name_de="Füchslein").slug_de) == ("haeschen", "fuechslein")


def test_an_address_that_staff_typed_is_kept():
    assert make_product("Ours", slug_fr="grand-ours").slug_fr == "grand-ours"


def test_the_address_of_a_hidden_product_follows_its_name_until_it_is_shown():
    copy = make_product("Ours (copie)", name_en="Bear (copy)", slug_en="my-bear", is_published=False)
    copy = change_product(copy, name_fr="Renard", name_en="Fox", is_published=True)
    assert (copy.slug_fr, copy.slug_en) == ("renard", "my-bear")
    assert change_product(copy, name_fr="Renard roux").slug_fr == "renard"


def test_a_name_without_latin_letters_still_has_an_address():
    assert make_product("龍の夢").slug_fr == "piece"


def test_prices_of_a_plain_product():
    product = make_product(price="40.00")
    assert (product.price_from, product.price_to, product.crossed_out) == (
        Decimal("40.00"),
        Decimal("40.00"),
        None,
    )


def test_prices_of_finishes():
    product = make_product(
        price="129.00", category=make_finish_category(), painted_price="129.00", unpainted_price="62.00"
    )
    assert (product.price_from, product.price_to) == (Decimal("62.00"), Decimal("129.00"))


def test_prices_of_formats_where_the_category_offers_them():
    product = make_product(price="69.00", category=make_category("figurines", offers_formats=True))
    make_variation(product, "Petite", price_adjustment="-20.00")
    make_variation(product, "Grande", price_override="119.00")
    assert (fresh(product).price_from, fresh(product).price_to) == (Decimal("49.00"), Decimal("119.00"))


def test_where_no_format_is_offered_the_default_one_is_what_is_sold():
    product = make_product(price="69.00")
    make_variation(product, "Petite", price_adjustment="-20.00", sort_order=1)
    make_variation(product, "Grande", price_override="119.00", sort_order=2, is_default=True)
    assert (fresh(product).price_from, fresh(product).price_to) == (Decimal("119.00"), Decimal("119.00"))


def test_a_category_that_begins_to_offer_finishes_changes_its_products():
    category = make_category("mangas")
    product = make_product(price="100.00", category=category, painted_price="129.00", unpainted_price="62.00")
    assert fresh(product).price_from == Decimal("100.00")
    category.offers_finishes = True
    save_category(category=category)
    assert (fresh(product).price_from, fresh(product).price_to) == (Decimal("62.00"), Decimal("129.00"))


def test_a_category_that_is_renamed_is_found_under_its_new_name():
    category = make_category("mangas", name_fr="Mangas")
    product = make_product("Ours", category=category)
    assert fresh(product).search_text == " mangas ours"
    category.name_fr = "Animés"
    save_category(category=category)
    assert fresh(product).search_text == " animes ours"


def test_the_search_text_holds_every_language():
    product = make_product(
        "Ours boulanger",
        name_en="Baker Bear",
        description_es="El oso",
        full_description_de="Der Bär",
        category=make_category("bust", name_fr="Bust"),
    )
    assert product.search_text == " baker bar bear boulanger bust der el oso ours"


def test_a_refresh_is_no_new_version():
    product = make_product()
    refresh_product(product_id=product.pk)
    assert fresh(product).updated_at == product.updated_at


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("price", Decimal("-0.01")),
        ("price", Decimal("NaN")),
        ("price", Decimal("Infinity")),
        ("price", Decimal("19.999")),
        ("price", Decimal("1e9")),
        ("price", "1e400"),
        ("price", "douze"),
        ("price", None),
        ("painted_price", Decimal("-1")),
        ("original_price", Decimal("-1")),
        ("stock_quantity", -1),
        ("name_fr", ""),
        ("slug_fr", "a b"),
    ],
)
def test_an_impossible_product_is_refused_whole(field, value):
    product = make_product(price="40.00", stock_quantity=3)
    setattr(product, field, value)
    product.featured = True
    with pytest.raises(Problem) as refusal:
        save_product(product=product)
    assert (refusal.value.code, refusal.value.status) == ("invalid", 400)
    assert list(refusal.value.errors) == [field]
    assert (fresh(product).price, fresh(product).stock_quantity, fresh(product).featured) == (
        Decimal("40.00"),
        3,
        False,
    )
    assert PricePoint.objects.count() == 1


def test_conditions_are_asked_in_one_query_and_refused_each_in_its_own_words():
    with CaptureQueriesContext(connection) as statements:
        product = make_product(is_published=True)
    assert sum('"_check"' in statement["sql"] for statement in statements) == 1
    product.archived_at = timezone.now()
    product.external_id = ""
    with pytest.raises(Problem) as refusal:
        save_product(product=product)
    assert refusal.value.errors == {
        "__all__": [
            "Un produit archivé ou à la corbeille ne peut pas être publié.",
            "La contrainte « product_external_id_not_empty » n’est pas respectée.",
        ]
    }
    assert (fresh(product).archived_at, fresh(product).external_id) == (None, None)


@pytest.mark.parametrize("difference", ["-50.00", "-500.00"])
def test_a_difference_that_leaves_nothing_of_the_price_is_refused(difference):
    product = make_product(price="50.00")
    with pytest.raises(Problem) as refusal:
        make_variation(product, price_adjustment=difference)
    assert refusal.value.errors == {"price_adjustment": ["Cet écart donnerait un prix nul ou négatif."]}
    assert not ProductVariation.objects.exists()


def test_a_difference_is_checked_against_the_cheapest_finish():
    product = make_product(
        price="129.00", category=make_finish_category(), painted_price="129.00", unpainted_price="62.00"
    )
    make_variation(product, "Petite", price_adjustment="-61.99")
    with pytest.raises(Problem):
        make_variation(product, "Mini", price_adjustment="-62.00")
    assert ProductVariation.objects.count() == 1


def test_a_price_lowered_below_a_difference_is_refused():
    product = make_product(price="50.00")
    make_variation(product, price_adjustment="-40.00")
    product.price = Decimal("39.99")
    with pytest.raises(Problem) as refusal:
        save_product(product=product)
    assert refusal.value.errors == {"price_adjustment": ["Cet écart donnerait un prix nul ou négatif."]}
    assert fresh(product).price == Decimal("50.00")


def test_a_fixed_price_needs_no_difference():
    product = make_product(price="50.00")
    row = make_variation(product, price_override="10.00", price_adjustment="-500.00")
    assert row.pk


@pytest.mark.parametrize("value", [Decimal("-1"), Decimal("NaN"), "1e400"])
def test_an_impossible_fixed_price_is_refused(value):
    product = make_product()
    with pytest.raises(Problem) as refusal:
        save_variation(variation=ProductVariation(product=product, name_fr="Petite", price_override=value))
    assert list(refusal.value.errors) == ["price_override"]
    assert not ProductVariation.objects.exists()


def test_a_new_default_takes_the_mark_from_the_old_one():
    product = make_product()
    first = make_variation(product, "Petite", is_default=True)
    second = make_variation(product, "Grande")
    second.is_default = True
    save_variation(variation=second)
    assert dict(product.variations.values_list("pk", "is_default")) == {first.pk: False, second.pk: True}


def test_a_reference_that_exists_is_refused():
    product = make_product()
    change_variant(variant_of(product), sku="LAM-09")
    other = variant_of(make_product("Golem"))
    with pytest.raises(Problem) as refusal:
        change_variant(other, sku="LAM-09", stock_quantity=4)
    assert refusal.value.errors == {"__all__": ["Cette référence est déjà celle d'une autre déclinaison."]}
    assert list(Variant.objects.order_by("pk").values_list("sku", "stock_quantity")) == [
        ("LAM-09", None),
        ("", None),
    ]


def rows_of(product: Product) -> list[tuple[str, str]]:
    return [(row.variation.name if row.variation else "", row.finish) for row in product.variants.all()]


def test_a_product_has_a_row_for_each_format_and_finish_on_sale():
    product = make_product(price="129.00", category=make_finish_category(), painted_price="129.00")
    assert rows_of(product) == [("", "painted")]
    product.unpainted_price = Decimal("62.00")
    save_product(product=product)
    assert rows_of(product) == [("", "painted"), ("", "unpainted")]
    make_variation(product, "18 cm")
    make_variation(product, "30 cm")
    formats, finishes = ("18 cm", "30 cm"), ("painted", "unpainted")
    assert sorted(rows_of(product)) == [(name, finish) for name in formats for finish in finishes]
    assert rows_of(make_product()) == [("", "")]


def test_rows_stay_the_same_when_finishes_go_and_come_back():
    """One is sold without a finish meanwhile, with its units: what is sold of them is gone."""
    category = make_finish_category()
    product = make_product(price="129.00", category=category, painted_price="129.00", unpainted_price="62.00")
    painted = change_variant(variant_of(product, finish="painted"), sku="LAM-P", stock_quantity=4)
    category.offers_finishes = False
    save_category(category=category)
    assert rows_of(product) == [("", ""), ("", "unpainted")]
    change_variant(variant_of(product), stock_quantity=3)
    category.offers_finishes = True
    save_category(category=category)
    found = variant_of(product, finish="painted")
    assert (found.pk, found.sku, found.stock_quantity) == (painted.pk, "LAM-P", 3)
    assert product.variants.count() == 2


def test_refreshing_adds_no_row_twice_and_no_query_for_rows_that_are_there(django_assert_num_queries):
    product = make_product()
    make_variation(product)
    rows = set(Variant.objects.values_list("pk", flat=True))
    # savepoint, lock, variants, formats, promotions, prices over time, search entries, the end of the savepoint
    with django_assert_num_queries(8):
        refresh_product(product_id=product.pk)
    assert set(Variant.objects.values_list("pk", flat=True)) == rows


def test_refreshing_many_costs_one_query_for_each_that_shows_something_else(django_assert_num_queries):
    category = make_category("figurines", offers_formats=True)
    same, dearer, sold = (make_product(name, category=category) for name in ("Golem", "Lame", "Fée"))
    Product.objects.filter(pk=dearer.pk).update(price=Decimal("41.00"))
    Product.objects.filter(pk=sold.pk).update(stock_quantity=0)
    for product in (same, dearer, sold):
        ProductVariation.objects.create(product=product, name="Petite")
    # 8 as for one, the rows added and read again, a price over time; the two that show something else
    with django_assert_num_queries(8 + 2 + 1 + 2):
        refresh_products(product_ids=[same.pk, dearer.pk, sold.pk])
    assert [fresh(each).price_from for each in (same, dearer, sold)] == [40, 41, 40]
    assert [fresh(each).is_available for each in (same, dearer, sold)] == [True, True, False]
    assert [each.variants.exclude(variation=None).count() for each in (same, dearer, sold)] == [1, 1, 1]


def test_a_variants_own_price_is_shown_recorded_and_never_crossed_out():
    product = make_product(
        price="69.00", original_price="89.00", category=make_category("figurines", offers_formats=True)
    )
    small = make_variation(product, "Petite", price_adjustment="-20.00", is_default=True)
    make_variation(product, "Grande", price_override="119.00")
    assert (fresh(product).price_from, fresh(product).price_to) == (Decimal("49.00"), Decimal("119.00"))
    change_variant(variant_of(product, small), price=Decimal("45.50"))
    assert (fresh(product).price_from, fresh(product).crossed_out) == (Decimal("45.50"), None)
    assert list(
        PricePoint.objects.filter(variation=small).order_by("pk").values_list("amount", flat=True)
    ) == [Decimal("49.00"), Decimal("45.50")]


@pytest.mark.parametrize(
    ("with_format", "fields", "errors"),
    [
        (False, {"price": Decimal("40.00")}, {"__all__": ["Sans format, le prix est celui du produit."]}),
        (True, {"price": Decimal("-1")}, "price"),
        (True, {"price": Decimal("NaN")}, "price"),
        (True, {"price": Decimal("19.999")}, "price"),
        (True, {"stock_quantity": -1}, "stock_quantity"),
        (True, {"weight_grams": -1}, "weight_grams"),
        (True, {"height_cm": Decimal("0")}, "height_cm"),
        (True, {"sku": "x" * 81}, "sku"),
        (
            True,
            {"production_days_min": 5},
            {"__all__": ["Indiquez les deux délais, le plus court d'abord, ou aucun."]},
        ),
        (
            True,
            {"production_days_min": 6, "production_days_max": 5},
            {"__all__": ["Indiquez les deux délais, le plus court d'abord, ou aucun."]},
        ),
    ],
    ids=str,
)
def test_an_impossible_variant_is_refused_whole(with_format, fields, errors):
    product = make_product(price="40.00")
    variant = variant_of(product, make_variation(product) if with_format else None)
    before = Variant.objects.filter(pk=variant.pk).values().get()
    with pytest.raises(Problem) as refusal:
        change_variant(variant, in_stock=False, **fields)
    assert (refusal.value.code, refusal.value.status) == ("invalid", 400)
    if isinstance(errors, str):
        assert errors in refusal.value.errors
    else:
        assert refusal.value.errors == errors
    assert Variant.objects.filter(pk=variant.pk).values().get() == before
    assert fresh(product).is_available is True


def test_deleting_a_variation_refreshes_the_prices():
    product = make_product(price="69.00", category=make_category("figurines", offers_formats=True))
    cheap = make_variation(product, "Petite", price_override="49.00")
    make_variation(product, "Grande")
    delete_variation(variation=cheap)
    assert fresh(product).price_from == Decimal("69.00")


def test_deleting_a_product_takes_variations_and_photos_with_it():
    product = make_product()
    make_variation(product)
    make_image(product)
    delete_product(product=product)
    assert not Product.objects.exists()
    assert not ProductVariation.objects.exists()
    assert not Variant.objects.exists()


def test_saving_an_old_version_is_refused():
    product = make_product()
    seen = product.updated_at
    mine, theirs = fresh(product), fresh(product)
    theirs.featured = True
    save_product(product=theirs, expected_updated_at=seen)
    mine.in_stock = False
    with pytest.raises(Problem) as refusal:
        save_product(product=mine, expected_updated_at=seen)
    assert (refusal.value.code, refusal.value.status) == ("conflict", 409)
    assert (fresh(product).featured, fresh(product).in_stock) == (True, True)


def test_saving_again_without_a_version_is_always_allowed():
    product = make_product()
    other = fresh(product)
    save_product(product=other)
    save_product(product=product)
    assert fresh(product).name == "Lame d'automne"
