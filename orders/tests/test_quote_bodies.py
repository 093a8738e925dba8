"""What a browser may send to be priced: nothing but lines and a place, whatever else it adds."""

import copy
import random

import pytest

from orders.api.serializers import CheckoutSerializer
from orders.tests.factories import checkout_body, line, make_product
from orders.tests.quotes import quote

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("country", ["France", "XX", "", "F", "🇫🇷", 33, ["FR"]])
def test_a_country_that_is_no_iso_code_is_refused(client, country):
    answer = quote(client, [], country=country)
    assert answer.status_code == 400
    assert answer["Content-Type"] == "application/problem+json"
    assert list(answer.json()["errors"]) == ["country"]


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
