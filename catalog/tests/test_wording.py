"""Short sentences made from figures."""

import pytest
from django.utils import translation

from catalog.models import Product, Promotion, Variant
from catalog.selectors import wording

NBSP = "\u00a0"
SHOP = wording.ProductionDays(14, 28)


@pytest.mark.parametrize(
    ("quantity", "text"),
    [
        (None, ""),
        (0, ""),
        (1, "Dernière pièce"),
        (2, "Plus que 2 en stock"),
        (3, "Plus que 3 en stock"),
        (4, ""),
    ],
)
def test_the_last_units_are_announced(quantity, text):
    assert wording.stock_text(quantity) == text


def test_one_unit_left_is_not_called_one_of_a_kind():
    """It may be the last of ten: a series is not unique (L121-2)."""
    for language, text in (("en", "Last one in stock"), ("es", "Última unidad"), ("de", "Letztes Stück")):
        with translation.override(language):
            assert wording.stock_text(1) == text


def test_the_sentence_of_a_promotion():
    one = Promotion(type="buy_2_get_1", buy_quantity=2, get_quantity=1)
    three = Promotion(type="buy_4_get_3", buy_quantity=4, get_quantity=3)
    assert (
        wording.promotion_text(one)
        == f"2 achetés, 1 offert{NBSP}: la pièce la moins chère du lot est offerte."
    )
    assert (
        wording.promotion_text(three)
        == f"4 achetés, 3 offerts{NBSP}: les 3 pièces les moins chères du lot sont offertes."
    )


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (None, None, "2 à 4 semaines"),
        (7, 7, "1 semaine"),
        (21, 21, "3 semaines"),
        (7, 28, "1 à 4 semaines"),
        (10, 15, "10 à 15 jours"),
        (1, 1, "1 jour"),
        (3, 3, "3 jours"),
        (0, 0, "0 jour"),
        (7, 10, "7 à 10 jours"),
        (0, 7, "0 à 7 jours"),
    ],
)
def test_delays_are_written_in_weeks_when_they_are_weeks(low, high, expected):
    product = Product(production_days_min=low, production_days_max=high)
    assert wording.production_text(wording.production_days(product, None, SHOP)) == expected


@pytest.mark.parametrize(
    ("of_variant", "of_product", "expected"),
    [
        ((21, 28), (3, 5), (21, 28)),
        ((None, None), (3, 5), (3, 5)),
        ((0, 0), (3, 5), (0, 0)),
        ((None, None), (None, None), (14, 28)),
    ],
)
def test_the_delay_is_the_variants_else_the_products_else_the_shops(of_variant, of_product, expected):
    rows = [
        kind(production_days_min=low, production_days_max=high)
        for kind, (low, high) in ((Variant, of_variant), (Product, of_product))
    ]
    assert wording.production_days(rows[1], rows[0], SHOP) == wording.ProductionDays(*expected)


@pytest.mark.parametrize(
    ("search", "category", "expected"),
    [
        ("zébu", "", "Aucune figurine trouvée pour «\u00a0zébu\u00a0»"),
        ("zébu", "Mangas", "Aucune figurine trouvée pour «\u00a0zébu\u00a0» dans la catégorie Mangas"),
        ("", "Mangas", "Aucune figurine trouvée dans la catégorie «\u00a0Mangas\u00a0»."),
        ("", "", "Aucune figurine disponible pour le moment."),
    ],
)
def test_empty_lists_say_why(search, category, expected):
    assert wording.empty_message(search=search, category=category) == expected


def test_the_teaser_is_the_first_line():
    assert wording.teaser(Product(description_fr="\n  Un riff. \nLe reste.")) == "Un riff."
    assert wording.teaser(Product()) == ""


def test_amounts_are_written_in_the_visitors_language():
    from decimal import Decimal

    assert wording.amount_text(Decimal("49.9")) == f"49,90{NBSP}€"
    with translation.override("en"):
        assert wording.amount_text(Decimal("49.9")) == "€49.90"


@pytest.mark.parametrize(
    ("language", "two_for_one", "four_for_three"),
    [
        ("fr", "2 achetés, 1 offert", "4 achetés, 3 offerts"),
        ("en", "Buy 2, get 1 free", "Buy 4, get 3 free"),
        ("es", "Compre 2 y llévese 1 gratis", "Compre 4 y llévese 3 gratis"),
        ("de", "2 kaufen, 1 gratis", "4 kaufen, 3 gratis"),
    ],
)
def test_quantities_of_an_offer_in_each_language(language, two_for_one, four_for_three):
    with translation.override(language):
        assert wording.quantities_label(2, 1) == two_for_one
        assert wording.quantities_label(4, 3) == four_for_three
