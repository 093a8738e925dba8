"""What the database itself refuses, whoever writes."""

from decimal import Decimal

import pytest
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction

from catalog.models import Category, Notice, Product, ProductImage, ProductVariation, Variant
from catalog.tests.factories import (
    change_variant,
    make_category,
    make_image,
    make_product,
    make_variation,
    variant_of,
)

pytestmark = [pytest.mark.both_engines, pytest.mark.django_db]


@pytest.mark.parametrize(
    "values",
    [
        {"price": Decimal("-0.01")},
        {"original_price": Decimal("-1")},
        {"painted_price": Decimal("-1")},
        {"unpainted_price": Decimal("-1")},
        {"stock_quantity": -1},
        {"height_cm": Decimal("0")},
        {"production_days_min": 5},
        {"production_days_max": 5},
        {"production_days_min": 6, "production_days_max": 5},
        {"external_id": ""},
    ],
    ids=str,
)
def test_the_database_refuses_impossible_products(values):
    product = make_product()
    with pytest.raises(IntegrityError), transaction.atomic():
        Product.objects.filter(pk=product.pk).update(**values)
    assert Product.objects.get().price == Decimal("40.00")


@pytest.mark.parametrize("price", ["-1", "0.00"])
def test_the_database_refuses_impossible_formats(price):
    make_variation(make_product())
    with pytest.raises(IntegrityError, match="variation_override_positive"), transaction.atomic():
        ProductVariation.objects.update(price_override=Decimal(price))


@pytest.mark.parametrize(
    ("values", "constraint"),
    [
        ({"price": Decimal("-0.01")}, "variant_price_of_a_format"),
        ({"price": Decimal("40.00"), "variation": None}, "variant_price_of_a_format"),
        # Named by the engine: the check of a positive column.
        ({"stock_quantity": -1}, "stock_quantity"),
        ({"weight_grams": -1}, "weight_grams"),
        ({"finish": "golden"}, "variant_finish_known"),
        ({"height_cm": Decimal("0")}, "variant_height_positive"),
        ({"production_days_min": 5}, "variant_production_ordered"),
        ({"production_days_max": 5}, "variant_production_ordered"),
        ({"production_days_min": 6, "production_days_max": 5}, "variant_production_ordered"),
    ],
    ids=str,
)
def test_the_database_refuses_impossible_variants(values, constraint):
    product = make_product()
    variant = variant_of(product, make_variation(product))
    with pytest.raises(IntegrityError, match=constraint), transaction.atomic():
        Variant.objects.filter(pk=variant.pk).update(**values)
    assert Variant.objects.get(pk=variant.pk).price is None


def test_a_format_and_finish_of_a_product_is_one_row():
    plain, product = make_product(), make_product("Golem")
    small = make_variation(product)
    for piece, row in ((product, small), (plain, None)):
        with pytest.raises(IntegrityError), transaction.atomic():
            Variant.objects.create(product=piece, variation=row, finish="")
        assert piece.variants.values_list("variation", "finish").get() == (row and row.pk, "")


def test_a_wish_is_of_one_thing_and_once_an_address():
    product = make_product()
    variant = variant_of(product)
    asked = {"email": "a@example.com", "language": "fr"}
    Notice.objects.create(**asked, token="1", product=product)
    Notice.objects.create(**asked, token="2", product=product, variant=variant)
    refused = (
        {"product": product},
        {"product": product, "variant": variant},
        {"variant": variant},
        {"category": product.category, "variant": variant},
    )
    for fields in refused:
        with pytest.raises(IntegrityError), transaction.atomic():
            Notice.objects.create(**asked, token="3", **fields)
    assert Notice.objects.count() == 2


def test_one_default_variation_a_product():
    first, second = make_product(), make_product()
    make_variation(first, is_default=True)
    make_variation(second, is_default=True)
    other = make_variation(first, "Grande")
    with pytest.raises(IntegrityError), transaction.atomic():
        ProductVariation.objects.filter(pk=other.pk).update(is_default=True)
    assert ProductVariation.objects.filter(is_default=True).count() == 2


def test_a_reference_is_given_once_and_none_is_no_reference():
    product = make_product()
    change_variant(variant_of(product), sku="LAM-09")
    other, third = (variant_of(make_product(name)) for name in ("Golem", "Ours"))
    with pytest.raises(IntegrityError), transaction.atomic():
        Variant.objects.filter(pk=other.pk).update(sku="LAM-09")
    assert list(Variant.objects.filter(sku="").order_by("pk")) == [other, third]


def test_external_ids_are_unique_and_optional():
    make_product(external_id="a-1")
    make_product()
    make_product()
    with pytest.raises(IntegrityError), transaction.atomic():
        Product.objects.filter(external_id=None).update(external_id="a-1")


@pytest.mark.parametrize("values", [{"kind": "secret"}, {"slug": ""}], ids=str)
def test_the_database_refuses_impossible_categories(values):
    make_category()
    with pytest.raises(IntegrityError), transaction.atomic():
        Category.objects.update(**values)


@pytest.mark.parametrize("values", [{"width": 0}, {"height": 0}, {"finish": "golden"}], ids=str)
def test_the_database_refuses_impossible_photos(values):
    make_image(make_product())
    with pytest.raises(IntegrityError), transaction.atomic():
        ProductImage.objects.update(**values)


def test_a_category_with_products_is_not_deleted():
    product = make_product()
    with pytest.raises(IntegrityError), transaction.atomic():
        product.category.delete()
    assert Product.objects.get().category == product.category


@pytest.mark.parametrize(
    ("values", "field", "message"),
    [
        ({"production_days_min": 5}, "production_days_max", "Indiquez les deux délais ou aucun."),
        (
            {"production_days_min": 9, "production_days_max": 5},
            "production_days_max",
            "Le délai maximum est plus court que le minimum.",
        ),
        (
            {"production_days_min": 9, "production_days_max": 366},
            "production_days_max",
            "Un délai de plus d'un an ne peut pas être promis.",
        ),
    ],
)
def test_a_refusal_names_the_field(values, field, message):
    with pytest.raises(ValidationError) as refusal:
        Product(**values).clean()
    assert refusal.value.message_dict[field] == [message]


def test_texts_fall_back_to_french():
    from django.utils import translation

    product = make_product("Lame d'automne", name_en="Autumn Blade", name_es="")
    for language, name in (
        ("fr", "Lame d'automne"),
        ("en", "Autumn Blade"),
        ("es", "Lame d'automne"),
        ("de", "Lame d'automne"),
    ):
        with translation.override(language):
            assert Product.objects.get(pk=product.pk).name == name
