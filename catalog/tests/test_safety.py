"""What a page says of a product's safety (Regulation (EU) 2023/988, art. 19), and that a toy without it is not sold."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.test import Client
from django.utils import translation

from catalog.models import Category, Product, SafetyClass
from catalog.safety import AGES, WARNINGS, Safety, safety_of
from catalog.tests.factories import make_category, make_product
from catalog.tests.staff import send, staff_browser

pytestmark = pytest.mark.django_db

SMALL_PARTS = (
    "Ce n'est pas un jouet\u00a0: petites pièces et parties fragiles, à tenir hors de portée des enfants de moins de "
    "3\u00a0ans."
)
TOY = {"safety_class": "toy", "minimum_age": 3, "warnings_fr": "À monter par un adulte."}


def safety(category: dict[str, Any] | None = None, **fields: Any) -> Safety:
    product = make_product(category=make_category(**(category or {})), **fields)
    return safety_of(Product.objects.select_related("category").get(pk=product.pk))


def test_a_piece_of_which_nothing_is_said_is_a_collectors_piece_from_14_years_on():
    assert safety() == Safety(SafetyClass.COLLECTOR, 14, SMALL_PARTS, "")


def test_every_class_but_toys_has_an_age_and_warnings_of_its_own():
    assert set(AGES) == set(WARNINGS) == set(SafetyClass) - {SafetyClass.TOY}


def test_what_the_category_says_stands_for_its_pieces_and_what_a_piece_says_for_itself():
    category = {"safety_class": "decoration", "minimum_age": 8, "maker": "Maille\nLyon\nmaille@example.com"}
    assert safety(category) == Safety(
        SafetyClass.DECORATION, 8, f"Objet de décoration. {SMALL_PARTS}", "Maille\nLyon\nmaille@example.com"
    )
    own = safety({**category, "slug": "deux"}, minimum_age=10, warnings_fr="Fragile.", maker="Céline")
    assert own == Safety(SafetyClass.DECORATION, 10, "Fragile.", "Céline")


def test_a_piece_of_another_class_does_not_say_what_its_category_says():
    said = safety(
        {"safety_class": "clock", "minimum_age": 5, "warnings_fr": "Pile."}, safety_class="decoration"
    )
    assert said == Safety(SafetyClass.DECORATION, 14, f"Objet de décoration. {SMALL_PARTS}", "")


@pytest.mark.parametrize("missing", ["minimum_age", "warnings_fr"])
@pytest.mark.both_engines
def test_regulation_2023_988_article_19_a_toy_without_age_or_warnings_is_not_published(missing: str):
    empty = {**TOY, missing: None if missing == "minimum_age" else ""}
    hidden = make_product(is_published=False, **empty)
    with pytest.raises(IntegrityError, match="product_toy_has_warnings"), transaction.atomic():
        Product.objects.filter(pk=hidden.pk).update(is_published=True)
    with pytest.raises(IntegrityError, match="category_toy_has_warnings"), transaction.atomic():
        Category.objects.filter(pk=hidden.category_id).update(**empty)
    Product.objects.filter(pk=hidden.pk).update(is_published=True, **TOY)


def test_staff_read_what_a_toy_lacks_and_nothing_is_stored():
    product = make_product(is_published=False)
    staff = staff_browser()
    answer = send(staff, "patch", f"/{product.pk}", {"is_published": True, "safety_class": "toy"})
    assert (answer.status_code, answer.json()["errors"]) == (
        400,
        {
            "minimum_age": ["Un jouet n'est publié qu'avec son âge minimum."],
            "warnings": ["Un jouet n'est publié qu'avec ses avertissements."],
        },
    )
    product.refresh_from_db()
    assert (product.is_published, product.safety_class) == (False, "")


def test_the_page_names_class_age_warnings_and_maker_in_its_language(client: Client):
    product = make_product(maker="Maille & Co\n1 rue du Lac, Lyon\nmaille@example.com")
    page = client.get(f"/de/produkt/{product.pk}-{product.slug}", follow=True).content.decode()
    with translation.override("de"):
        assert safety_of(product).warnings != SMALL_PARTS
        assert safety_of(product).warnings in page
    for said in ("Sammlerstück", "ab 14", "Maille &amp; Co<br>1 rue du Lac, Lyon<br>maille@example.com"):
        assert said in page
    # Nobody wrote a description: no heading over nothing.
    assert 'id="description"' not in page
