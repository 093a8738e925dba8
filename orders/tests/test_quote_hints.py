"""The free units of a quote, and what it says of those that are missing."""

from decimal import Decimal

import pytest

from orders.tests.factories import line, make_product
from orders.tests.quotes import quote

pytestmark = pytest.mark.django_db


def test_the_cheapest_units_of_a_pool_are_free_and_the_missing_piece_is_told(client):
    promotion = {"promotion_active": True, "promotion_type": "buy_2_get_1"}
    cheap, dear = make_product("Petit", "10.00", **promotion), make_product("Grand", "30.00", **promotion)
    answer = quote(client, [line(dear, 2), line(cheap, 1)]).json()
    assert [row["free_quantity"] for row in answer["lines"]] == [0, 1]
    assert (answer["promotion_savings"], answer["subtotal"]) == ("10.00", "60.00")
    two = quote(client, [line(dear, 2)]).json()
    assert two["next_free"] == [
        {
            "label": "2 achetés, 1 offert",
            "text": "Il vous manque votre pièce offerte\u00a0: ajoutez encore 1 × Grand (2 achetés, 1 offert).",
            "keys": [f"{dear.pk}::"],
            "names": ["Grand"],
            "missing": 1,
            "suggestion": {
                "product_id": dear.pk, "variation_id": None, "finish": None, "name": "Grand", "quantity": 1,
            },
        }
    ]  # fmt: skip
    [one] = quote(client, [line(dear, 1)]).json()["next_free"]
    assert one["text"] == "Encore 2 × Grand et une pièce est offerte (2 achetés, 1 offert)."


@pytest.mark.parametrize(
    ("quantity", "text"),
    [
        (3, "Encore 3 × Grand et 2 pièces sont offertes (4 achetés, 2 offerts)."),
        (4, "Il vous manque vos 2 pièces offertes\u00a0: ajoutez encore 2 × Grand (4 achetés, 2 offerts)."),
        (5, "Il vous manque votre pièce offerte\u00a0: ajoutez encore 1 × Grand (4 achetés, 2 offerts)."),
    ],
)
def test_a_hint_of_one_piece_counts_what_is_missing_of_it(client, quantity, text):
    offer = {"promotion_active": True, "promotion_type": "buy_n_get_m"}
    product = make_product("Grand", **offer, promotion_buy_quantity=4, promotion_get_quantity=2)
    [hint] = quote(client, [line(product, quantity)]).json()["next_free"]
    assert hint["text"] == text


@pytest.mark.parametrize(
    ("second", "text"),
    [
        (1, "Encore 4 pièces parmi Grand, Petit et les 2 moins chères sont offertes (4 achetés, 2 offerts)."),
        (
            3,
            "Il vous manque vos 2 pièces offertes\u00a0: ajoutez-les parmi Grand, Petit (4 achetés, 2 offerts).",
        ),
        (
            4,
            "Il vous manque votre pièce offerte\u00a0: ajoutez-la parmi Grand, Petit (4 achetés, 2 offerts).",
        ),
    ],
)
def test_a_hint_of_several_pieces_names_them(client, second, text):
    offer = {"promotion_active": True, "promotion_type": "buy_n_get_m"}
    quantities = {"promotion_buy_quantity": 4, "promotion_get_quantity": 2}
    big, small = (make_product(name, **offer, **quantities) for name in ("Grand", "Petit"))
    [hint] = quote(client, [line(big, 1), line(small, second)]).json()["next_free"]
    assert hint["text"] == text


def test_each_hint_of_two_offers_followed_gives_its_free_units(client):
    two = {"promotion_active": True, "promotion_type": "buy_2_get_1"}
    four = {"promotion_active": True, "promotion_type": "buy_4_get_3"}
    lines = [
        line(make_product("Golem de poche", "30.00", **two), 1),
        line(make_product("Ours boulanger", "10.00", stock_quantity=1, **two), 1),
        line(make_product("Hibou", "20.00", **four), 5),
    ]
    for _ in range(2):
        hint = quote(client, lines).json()["next_free"][0]
        asked = {name: hint["suggestion"][name] for name in ("product_id", "variation_id", "finish")}
        before = quote(client, lines).json()["promotion_savings"]
        lines.append({**asked, "quantity": hint["suggestion"]["quantity"]})
        after = quote(client, lines).json()
        assert Decimal(after["promotion_savings"]) > Decimal(before)
    # The unique bear was not suggested: none is left. The last group offers three owls.
    assert after["promotion_savings"] == "70.00"
    assert after["next_free"] == []


def test_a_hint_without_a_piece_left_suggests_none(client):
    unique = make_product("Unique", promotion_active=True, promotion_type="buy_2_get_1", stock_quantity=1)
    [hint] = quote(client, [line(unique, 1)]).json()["next_free"]
    assert hint["suggestion"] is None


def test_a_hint_names_three_pieces_and_says_that_there_are_more(client):
    offer = {"promotion_active": True, "promotion_type": "buy_n_get_m"}
    quantities = {"promotion_buy_quantity": 5, "promotion_get_quantity": 2}
    lines = [line(make_product(name, **offer, **quantities), 1) for name in ("A", "B", "C", "D")]
    [hint] = quote(client, lines).json()["next_free"]
    assert hint["text"] == (
        "Encore 3 pièces parmi A, B, C… et les 2 moins chères sont offertes (5 achetés, 2 offerts)."
    )
    assert hint["names"] == ["A", "B", "C", "D"]
