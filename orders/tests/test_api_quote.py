"""`POST /api/cart/quote`: the server makes every price."""

import copy
import json
import random
from decimal import Decimal

import pytest
from django.test import Client

from orders.api.serializers import CheckoutSerializer, QuoteSerializer
from orders.tests.factories import (
    checkout_body,
    line,
    make_category,
    make_finished_product,
    make_product,
    make_variation,
)

pytestmark = pytest.mark.django_db


def quote(client: Client, lines, language="fr", **more):
    return client.post(
        "/api/cart/quote",
        json.dumps({"lines": lines, **more}),
        content_type="application/json",
        headers={"accept-language": language},
    )


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


@pytest.mark.parametrize("country", ["France", "XX", "", "F", "🇫🇷", 33, ["FR"]])
def test_a_country_that_is_no_iso_code_is_refused(client, country):
    answer = quote(client, [], country=country)
    assert answer.status_code == 400
    assert answer["Content-Type"] == "application/problem+json"
    assert list(answer.json()["errors"]) == ["country"]


def test_an_empty_cart_costs_nothing(client):
    answer = quote(client, []).json()
    assert (answer["total"], answer["shipping_cost"], answer["item_count"]) == ("0.00", "0.00", 0)
    assert answer["lead_time"] is None


def test_amounts_sent_by_the_browser_are_ignored(client):
    product = make_product(price="60.00")
    tampered = {**line(product), "price": "0.01", "unit_price": "0.01", "line_total": 1, "free_quantity": 9}
    answer = quote(client, [tampered], totalAmount=1, shippingCost=0, promotionSavings=999).json()
    assert (answer["total"], answer["lines"][0]["unit_price"]) == ("60.00", "60.00")


AMOUNTS = (
    *(
        "price",
        "unit_price",
        "line_total",
        "original_total",
        "subtotal",
        "total",
        "totalAmount",
        "total_amount",
        "tax",
    ),
    *(
        "shippingCost",
        "shipping_cost",
        "shipping_zone",
        "promotionSavings",
        "promotion_savings",
        "discount",
        "coupon",
    ),
    *(
        "free_quantity",
        "free_units",
        "currency",
        "amount_cents",
        "status",
        "is_paid",
        "user",
        "user_id",
        "installments",
    ),
)


def test_nothing_of_five_hundred_tampered_orders_but_the_fields_of_an_order_is_read():
    """A price, a total, a status or an owner that somebody adds, wherever, is not there for what places the order."""
    chance = random.Random(5)
    body = checkout_body([line(make_product(price="20.00"), 2)], "49.99")
    honest = CheckoutSerializer(data=body)
    assert honest.is_valid(), honest.errors
    for _body in range(500):
        tampered = copy.deepcopy(body)
        for place in (tampered, tampered["lines"][0], tampered["customer"]):
            for name in chance.sample(AMOUNTS, 4):
                place[name] = chance.choice(("0.01", 0, -1, 999, True, None, "FREE", [], {"price": "0.01"}))
        read = CheckoutSerializer(data=tampered)
        assert read.is_valid(), tampered
        assert read.validated_data == honest.validated_data, tampered


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


@pytest.mark.parametrize("quantity", [0, -1, 1.5, True, "1", "1e3", "٣", 10**9, 100, None, [], {}, "NaN"])
def test_a_quantity_that_is_no_whole_number_from_1_to_99_is_refused(client, quantity):
    answer = quote(client, [{"product_id": make_product().pk, "quantity": quantity}])
    assert answer.status_code == 400
    assert answer.json()["code"] == "invalid"
    assert list(answer.json()["errors"]) == ["lines.0.quantity"]


@pytest.mark.parametrize("product_id", ["1", 0, -1, 1.0, 2**63, 10**30, None, True, "../1"])
def test_a_product_id_that_is_no_id_is_refused(client, product_id):
    answer = quote(client, [{"product_id": product_id, "quantity": 1}])
    assert answer.status_code == 400
    assert list(answer.json()["errors"]) == ["lines.0.product_id"]


@pytest.mark.parametrize(
    "body",
    ["[]", "null", '"x"', "{", "{\"lines\":[],\"lines\":[]}", '{"lines":NaN}', "[" * 5000, '{"a":"\\ud800"}',
     '{"lines":"\\u0000"}', b"\xff\xfe", '{"lines":' + "[" * 30 + "]" * 30 + "}"],
)  # fmt: skip
def test_a_body_that_is_no_plain_json_object_is_refused(client, body):
    answer = client.post("/api/cart/quote", body, content_type="application/json")
    assert answer.status_code == 400
    assert answer["Content-Type"] == "application/problem+json"
    assert answer.json()["code"] == "malformed"
    assert answer.json()["detail"] == "La requête n'est pas lisible."


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "application/json; charset=utf-7"]
)
def test_other_content_types_are_refused(client, kind):
    answer = client.post("/api/cart/quote", b"{}", content_type=kind)
    assert (answer.status_code, answer.json()["code"]) == (415, "unsupported_media_type")


def test_too_many_lines_are_refused(client):
    product = make_product()
    answer = quote(client, [line(product)] * 41)
    assert (answer.status_code, list(answer.json()["errors"])) == (400, ["lines"])


def test_refusals_speak_the_visitors_language(client):
    assert quote(client, "x", language="de").json()["detail"] != quote(client, "x").json()["detail"]


def test_no_other_method_is_answered(client):
    assert client.get("/api/cart/quote").status_code == 405
    assert client.delete("/api/cart/quote").json()["code"] == "method_not_allowed"


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
