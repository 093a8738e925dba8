"""Orders for programs: reported when they change, read with a key."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.tests.people import make_admin
from orders.models import Order
from orders.services.fulfilment.status_changes import update_status
from orders.services.status.stock_holds import release_for_order
from orders.tests.factories import make_order, make_product, pay_order
from shop.integrations.endpoints import create_endpoint
from shop.integrations.keys import READ_AND_WRITE, create_api_key
from shop.integrations.models import CHOSEN_KINDS, Scope, WebhookEvent

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]
URL = "/functions/v1/orders"


@pytest.fixture
def listening() -> None:
    create_endpoint(url="https://example.com/hook", description="", kinds=CHOSEN_KINDS, actor=make_admin())


def kinds() -> list[str]:
    rows = WebhookEvent.objects.filter(kind__startswith="order.").order_by("created_at", "pk")
    return list(rows.values_list("kind", flat=True))


@pytest.mark.usefixtures("listening")
def test_paid_order_and_its_steps_are_reported_without_the_customer():
    order = make_order((make_product("Golem", price="60.00"), 2))
    assert kinds() == []
    pay_order(order)
    update_status(order_id=order.pk, status="shipped", actor=None)
    assert kinds() == ["order.confirmed", "order.status_changed"]
    paid, shipped = (
        WebhookEvent.objects.get(kind=kind).data for kind in ("order.confirmed", "order.status_changed")
    )
    assert (paid["order"]["status"], paid["previous_status"]) == ("confirmed", "pending")
    assert (shipped["order"]["status"], shipped["previous_status"]) == ("shipped", "confirmed")
    assert paid["order"]["items"][0] | {"product_id": 0, "variant_id": 0} == {
        "product_id": 0, "variant_id": 0, "sku": "", "name": "Golem", "variation": None, "finish": None,
        "quantity": 2, "free_quantity": 0, "unit_price": "60.00", "line_total": "120.00",
    }  # fmt: skip
    order.refresh_from_db()
    written = json.dumps([paid, shipped], ensure_ascii=False)
    for personal in (order.email, order.customer_name, order.address, order.city):
        assert personal
        assert personal not in written


@pytest.mark.usefixtures("listening")
def test_units_held_for_an_order_and_given_back_are_reported():
    product = make_product(price="60.00", stock_quantity=5)
    WebhookEvent.objects.all().delete()
    order = make_order((product, 2))
    event = WebhookEvent.objects.get(kind="stock.changed")
    assert (event.data["stock"]["product_id"], event.data["stock"]["stock_quantity"]) == (product.pk, 3)
    release_for_order(order)
    # One that waits says the number of now.
    event = WebhookEvent.objects.get(kind="stock.changed")
    assert (event.data["stock"]["product_id"], event.data["stock"]["stock_quantity"]) == (product.pk, 5)


def test_program_reads_paid_orders_with_their_customers(django_assert_num_queries: Any):
    key = create_api_key(name="Expédition", scopes=[Scope.READ_ORDERS], actor=None)
    headers = {"authorization": f"Bearer {key.text}"}
    make_order()
    orders = [pay_order(make_order())]
    Client().get(URL, headers=headers)
    with CaptureQueriesContext(connection) as one:
        Client().get(URL, headers=headers)
    orders += [pay_order(make_order()) for _ in range(2)]
    with django_assert_num_queries(len(one)):
        answer = Client().get(URL, headers=headers)
    # Limits of network and key: a read and a write each. The key. What the list of staff reads.
    assert len(one) <= 4 + 1 + 6
    assert (answer.status_code, answer.headers["Cache-Control"]) == (200, "no-store")
    results = answer.json()["results"]
    assert {row["id"] for row in results} == {str(order.pk) for order in orders}
    order = orders[0]
    row = next(row for row in results if row["id"] == str(order.pk))
    assert row["customer"]["email"] == order.email
    assert row["delivery_address"]["city"] == order.city
    assert Client().get(f"{URL}?status=shipped", headers=headers).json()["results"] == []
    for query, status in (("status=pending", 400), ("status=x", 400), ("cursor=x", 404)):
        assert Client().get(f"{URL}?{query}", headers=headers).status_code == status


def test_program_reads_a_paid_order_that_was_cancelled_and_none_that_nobody_paid():
    key = create_api_key(name="Compta", scopes=[Scope.READ_ORDERS], actor=None)
    headers = {"authorization": f"Bearer {key.text}"}
    paid, unpaid = pay_order(make_order()), make_order()
    update_status(order_id=paid.pk, status="cancelled", actor=make_admin())
    Order.objects.filter(pk=unpaid.pk).update(status="cancelled")
    for query in ("", "?status=cancelled"):
        [row] = Client().get(f"{URL}{query}", headers=headers).json()["results"]
        assert (row["id"], row["status"]) == (str(paid.pk), "cancelled")
        assert row["paid_at"]
        assert row["cancelled_at"]
    assert Client().get(f"{URL}?status=confirmed", headers=headers).json()["results"] == []


def test_key_for_products_reads_no_orders():
    key = create_api_key(name="Import", scopes=READ_AND_WRITE, actor=None)
    answer = Client().get(URL, headers={"authorization": f"Bearer {key.text}"})
    assert (answer.status_code, answer.json()["code"]) == (403, "scope_missing")
    assert Client().get(URL).status_code == 401
