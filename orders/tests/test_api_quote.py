"""`POST /api/cart/quote`: the server makes every price."""

import json
from decimal import Decimal

import pytest

from orders.api.serializers import QuoteSerializer
from orders.tests.factories import line, make_category, make_finished_product, make_product, make_variation
from orders.tests.quotes import quote

pytestmark = pytest.mark.django_db


def test_a_cart_is_priced_with_delivery_below_the_free_threshold(client):
    answer = quote(client, [line(make_product(price="20.00"), 2)]).json()
    assert answer["item_count"] == 2
    assert (answer["original_total"], answer["promotion_savings"], answer["subtotal"]) == (
        "40.00",
        "0.00",
        "40.00",
    )
    assert (answer["shipping_zone"], answer["shipping_cost"], answer["total"]) == (
        "france-europe",
        "9.99",
        "49.99",
    )
    assert answer["free_shipping_missing"] == "10.00"
    assert answer["free_shipping_share"] == 80
    assert answer["country"] == "FR"


@pytest.mark.parametrize(
    ("price", "shipping", "total", "missing"),
    [
        ("49.99", "9.99", "59.98", "0.01"),
        ("50.00", "0.00", "50.00", "0.00"),
        ("50.01", "0.00", "50.01", "0.00"),
    ],
)
def test_delivery_is_free_from_fifty_euros_after_promotions(client, price, shipping, total, missing):
    answer = quote(client, [line(make_product(price=price))]).json()
    assert (answer["shipping_cost"], answer["total"], answer["free_shipping_missing"]) == (
        shipping,
        total,
        missing,
    )


@pytest.mark.parametrize(
    ("country", "zone", "shipping"),
    [
        ("FR", "france-europe", "0.00"),
        ("ch", "france-europe", "0.00"),
        ("NO", "france-europe", "0.00"),
        ("GB", "rest-of-world", "49.99"),
        ("BR", "rest-of-world", "49.99"),
        ("ZZ", "rest-of-world", "49.99"),
        ("Autre", "rest-of-world", "49.99"),
    ],
)
def test_the_zone_comes_from_the_iso_code(client, country, zone, shipping):
    answer = quote(client, [line(make_product(price="60.00"))], country=country).json()
    assert (answer["shipping_zone"], answer["shipping_cost"]) == (zone, shipping)


def test_an_empty_cart_costs_nothing(client):
    answer = quote(client, []).json()
    assert (answer["total"], answer["shipping_cost"], answer["item_count"]) == ("0.00", "0.00", 0)
    assert answer["lead_time"] is None


def test_finishes_have_their_own_price_and_the_painted_one_is_the_default(client):
    product = make_finished_product()
    answer = quote(
        client, [line(product), line(product, finish="unpainted"), line(product, finish="painted")]
    ).json()
    assert [(row["key"], row["finish"], row["unit_price"], row["quantity"]) for row in answer["lines"]] == [
        (f"{product.pk}::painted", "painted", "80.00", 2),
        (f"{product.pk}::unpainted", "unpainted", "40.00", 1),
    ]
    assert answer["lines"][0]["finish_label"] == "Peint"


def test_a_finish_without_a_price_is_refused_and_the_rest_is_priced(client):
    only_painted = make_finished_product(unpainted=None)
    other = make_product(price="10.00")
    answer = quote(client, [line(only_painted, finish="unpainted"), line(other)]).json()
    refused, kept = answer["lines"]
    assert (refused["available"], refused["problem"], refused["line_total"]) == (
        False,
        "finish_unavailable",
        "0.00",
    )
    assert refused["problem_detail"] == "Cette finition n'est pas proposée pour cette pièce."
    assert kept["available"] is True
    assert answer["subtotal"] == "10.00"


def test_a_variation_of_another_product_is_refused(client):
    formats = make_category(
        "figurines", name="Nos Figurines", kind="collection", offers_formats=True, colour="figurines"
    )
    mine, other = make_product("A", category=formats), make_product("B", category=formats)
    foreign = make_variation(other, "18 cm", price_override=Decimal("90.00"), is_default=True)
    answer = quote(client, [line(mine, variation_id=foreign.pk)]).json()
    assert (answer["lines"][0]["problem"], answer["total"]) == ("unknown_variation", "0.00")


def test_variations_replace_or_adjust_the_price(client):
    formats = make_category(
        "figurines", name="Nos Figurines", kind="collection", offers_formats=True, colour="figurines"
    )
    product = make_product(price="30.00", category=formats)
    fixed = make_variation(product, "18 cm", price_override=Decimal("75.00"), is_default=True)
    more = make_variation(product, "12 cm", price_adjustment=Decimal("5.50"))
    less = make_variation(product, "9 cm", price_adjustment=Decimal("-4.00"))
    answer = quote(client, [line(product, variation_id=item.pk) for item in (fixed, more, less)]).json()
    assert [row["unit_price"] for row in answer["lines"]] == ["75.00", "35.50", "26.00"]


def test_an_unknown_product_is_named_and_counts_for_nothing(client):
    answer = quote(client, [{"product_id": 987654, "quantity": 1}]).json()
    assert (answer["lines"][0]["problem"], answer["total"]) == ("unknown_product", "0.00")
    assert answer["lines"][0]["problem_detail"] == "Cette pièce n'est plus au catalogue."


def test_more_than_the_stock_says_how_many_are_left(client):
    product = make_product(stock_quantity=2)
    refused = quote(client, [line(product, 3)]).json()["lines"][0]
    assert (refused["problem"], refused["available_quantity"]) == ("insufficient_stock", 2)
    assert refused["problem_detail"] == "Il n'en reste que 2 exemplaires."


@pytest.mark.parametrize(
    ("stock", "problem", "left"),
    [
        ({}, "too_many", 99),
        ({"stock_quantity": 5}, "too_many", 5),
        ({"stock_quantity": 150}, "too_many", 99),
        # Why it can't be bought at all is said first.
        ({"stock_quantity": 5, "in_stock": False}, "out_of_stock", 5),
    ],
)
def test_more_than_99_of_one_article_are_refused(client, stock, problem, left):
    product = make_product(**stock)
    [refused] = quote(client, [line(product, 60), line(product, 60)]).json()["lines"]
    assert (refused["quantity"], refused["problem"], refused["available_quantity"]) == (120, problem, left)


def test_two_finishes_of_a_unique_piece_share_its_stock(client):
    product = make_finished_product(stock_quantity=1)
    first, second = quote(
        client, [line(product, finish="painted"), line(product, finish="unpainted")]
    ).json()["lines"]
    assert first["available"] is True
    assert (second["available"], second["problem"]) == (False, "out_of_stock")


def test_the_answer_is_what_the_serializer_describes(client):
    offer = {"promotion_active": True, "promotion_type": "buy_2_get_1"}
    dear, left = make_product("Grand", "130.00", **offer), make_product("Dernier", stock_quantity=1)
    crossed = make_product("Soldé", "5.00", original_price="7.50")
    for lines in ([], [line(dear), line(left, 2), line(crossed), line(dear, variation_id=99)]):
        answer = quote(client, lines, country="US", postal_code="1").json()
        # Its fields in its order, each as its field writes it.
        assert json.dumps(QuoteSerializer(answer).data) == json.dumps(answer)


def test_installments_show_their_plan_and_are_not_offered(client):
    answer = quote(client, [line(make_product(price="150.00"))]).json()["installments"]
    assert answer["available"] is False
    assert answer["minimum"] == "150.00"
    assert [part["amount"] for part in answer["plan"]] == ["50.00", "50.00", "50.00"]
    assert quote(client, [line(make_product("B", price="149.99"))]).json()["installments"]["plan"] == []


def test_postcode_and_named_country_decide_delivery_and_customs(client):
    product = make_product(price="30.00", weight_grams=1500)
    figures = [
        (answer["shipping_zone"], answer["shipping_cost"], answer["total"], answer["customs_notice"])
        for address in (
            {"country": "FR", "postal_code": "69003"},
            {"country": "FR", "postal_code": "97400"},
            {"country": "RE"},
            {"country": "ZZ", "custom_country": "Pologne"},
            {"country": "ZZ", "custom_country": "La Lune"},
        )
        for answer in [quote(client, [line(product)], **address).json()]
    ]
    assert figures == [
        ("france-europe", "9.99", "39.99", False),
        ("overseas-france", "27.99", "57.99", True),
        ("overseas-france", "27.99", "57.99", True),
        ("rest-of-union", "14.99", "44.99", False),
        ("rest-of-world", "49.99", "79.99", True),
    ]


def test_an_unknown_weight_counts_as_the_shop_s_default(client):
    product = make_product(price="30.00")
    costs = [
        quote(client, [line(product, count)], country="RE").json()["shipping_cost"] for count in (1, 2, 3, 5)
    ]
    assert costs == ["19.99", "19.99", "27.99", "39.99"]


@pytest.mark.parametrize(
    ("language", "error"),
    [
        ("fr", "Ce code postal n'existe pas dans ce pays. Exemple\u00a0: 33380."),
        ("de", "Diese Postleitzahl gibt es in diesem Land nicht. Beispiel: 33380."),
    ],
)
def test_the_quote_says_what_is_wrong_with_a_postcode(client, language, error):
    lines = [line(make_product())]

    def said(**address: str) -> tuple[str, str]:
        answer = quote(client, lines, language, **address).json()
        return answer["postal_code_error"], answer["postal_code_notice"]

    assert said(postal_code="ABCDE") == (error, "")
    assert said(postal_code="69003") == said(postal_code="") == said() == ("", "")
    assert quote(client, lines, postal_code="1" * 21).status_code == 400


def test_the_quote_says_what_is_doubtful_about_a_postcode(client):
    answer = quote(client, [line(make_product())], country="BR", postal_code="12").json()
    assert answer["postal_code_error"] == ""
    assert answer["postal_code_notice"] == (
        "Ce code postal est inhabituel pour ce pays. Vérifiez-le, vous pouvez continuer."
    )


def test_the_quote_costs_the_same_queries_for_one_line_and_for_forty(client, django_assert_max_num_queries):
    # Zones with weight steps, territories, settings, closures, products with category, variants and pictures: 7, for
    # any number of lines.
    products = [make_product(f"Pièce {number}", "5.00") for number in range(40)]
    for lines in ([line(products[0])], [line(product) for product in products]):
        with django_assert_max_num_queries(7):
            assert quote(client, lines).status_code == 200
