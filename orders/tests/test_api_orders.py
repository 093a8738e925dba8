"""`GET /api/orders` and `/api/orders/{id}`: the caller's own, twenty a page, whatever is asked."""

from __future__ import annotations

import uuid

import pytest

from accounts.tests.people import make_member
from catalog.services.products import delete_product, save_product
from orders.models import Order
from orders.tests.factories import make_order, make_product, make_seller, pay_order
from orders.tests.installments import offer_installments

pytestmark = [pytest.mark.both_engines, pytest.mark.django_db]


@pytest.fixture
def member(client):
    make_seller()
    user = make_member()
    client.force_login(user)
    return user


def test_items_tracking_and_payments_due(client, member):
    offer_installments()
    order = pay_order(
        make_order((make_product("Golem", price="200.00"), 1), payment_mode="installments", user=member)
    )
    [found] = client.get("/api/orders").json()
    assert (found["id"], found["reference"], found["status"]) == (str(order.pk), order.reference, "confirmed")
    assert [(item["product_name"], item["price"]) for item in found["items"]] == [("Golem", "200.00")]
    assert [step["status"] for step in found["tracking"]] == ["confirmed"]
    assert [(due["amount"], due["state"]) for due in found["payments"]] == [
        ("66.68", "paid"), ("66.66", "scheduled"), ("66.66", "scheduled"),
    ]  # fmt: skip
    assert client.get(f"/api/orders/{order.pk}").json() == found


def test_a_line_leads_to_its_product_in_the_callers_language_while_that_is_on_sale(client, member):
    golem, elf = make_product("Golem", name_en="Stone Golem"), make_product("Elfe")
    order = pay_order(make_order((golem, 1), (elf, 1), user=member))

    def shown(language: str) -> list[tuple[str, str | None]]:
        answer = client.get(f"/api/orders/{order.pk}", headers={"Accept-Language": language})
        return [(item["product_name"], item["product_url"]) for item in answer.json()["items"]]

    assert shown("fr") == [("Golem", f"/produit/{golem.pk}-golem"), ("Elfe", f"/produit/{elf.pk}-elfe")]
    assert shown("en")[0] == ("Golem", f"/en/product/{golem.pk}-stone-golem")
    golem.is_published = False
    save_product(product=golem)
    delete_product(product=elf)
    assert shown("fr") == [("Golem", None), ("Elfe", None)]


@pytest.mark.parametrize(
    "query", ["user=", "user_id=", "email=autre@example.com&user=", "status=pending&user="]
)
def test_no_parameter_shows_the_orders_of_others(client, member, query):
    other = make_member("autre@example.com")
    pay_order(make_order(user=other))
    own = pay_order(make_order(user=member))
    make_order(user=member)
    answer = client.get(f"/api/orders?{query}{other.pk}")
    assert [order["id"] for order in answer.json()] == [str(own.pk)]


def test_an_order_of_somebody_else_an_unknown_and_an_unpaid_one_are_not_there(client, member):
    other = pay_order(make_order(user=make_member("autre@example.com")))
    for order_id in (other.pk, uuid.uuid4(), make_order(user=member).pk):
        answer = client.get(f"/api/orders/{order_id}")
        assert (answer.status_code, answer.json()["code"]) == (404, "not_found")
    client.logout()
    assert client.get("/api/orders").status_code == 401
    assert client.get(f"/api/orders/{other.pk}").status_code == 401


def test_twenty_a_page_with_the_same_queries(client, member, django_assert_num_queries):
    order = pay_order(make_order(user=member))
    items = list(order.items.all())
    for number in range(1, 25):
        copy = Order.objects.get(pk=order.pk)
        copy.pk = uuid.UUID(int=order.pk.int + number)
        copy.idempotency_key = str(copy.pk)
        copy.save(force_insert=True)
        for item in items:
            item.pk, item.order = None, copy
            item.save(force_insert=True)
    # Session, member; orders, lines, their products, tracking, payments.
    with django_assert_num_queries(2 + 5):
        first = client.get("/api/orders")
    assert len(first.json()) == 20
    assert first["Link"] == '</api/orders?page=2>; rel="next"'
    second = client.get("/api/orders?page=2")
    assert len(second.json()) == 5
    assert second["Link"] == '</api/orders?page=1>; rel="prev"'
    assert client.get("/api/orders?page=9").json() == []
    for number in ("0", "x", "-1"):
        assert client.get(f"/api/orders?page={number}").status_code == 400
