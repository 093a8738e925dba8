"""Orders as the API lists and shows them to administrators."""

from __future__ import annotations

from datetime import timedelta
from importlib import import_module
from types import SimpleNamespace

import pytest
from django.apps import apps
from django.db import connection
from django.utils import timezone

from orders.journal import record_tracking
from orders.models import Attempt, Order, OrderSearchEntry, OrderStatus
from orders.models.states import ActorKind
from orders.services.fulfilment.archiving import remove_order
from orders.services.fulfilment.delivery_address import DeliveryAddress, correct_delivery_address
from orders.services.fulfilment.status_changes import change_status
from orders.tests.factories import make_order, make_product, pay_order

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module", autouse=True)
def order(module_rows: None) -> Order:
    return pay_order(make_order())


def ids(answer) -> list[str]:
    assert answer.status_code == 200, answer.content
    return [row["id"] for row in answer.json()["results"]]


def test_pending_and_cancelled_only_when_asked_for_and_archived_never(staff_client, order):
    pending, archived = make_order(), pay_order(make_order())
    cancelled = pay_order(make_order())
    Order.objects.filter(pk=cancelled.pk).update(status=OrderStatus.CANCELLED)
    Order.objects.filter(pk=archived.pk).update(status=OrderStatus.DELIVERED)
    remove_order(order_id=archived.pk, actor=None)
    assert ids(staff_client.get("/api/admin/orders")) == [str(order.pk)]
    assert ids(staff_client.get("/api/admin/orders?status=pending")) == []
    assert ids(staff_client.get("/api/admin/orders?include=unpaid")) == [
        str(cancelled.pk), str(pending.pk), str(order.pk)
    ]  # fmt: skip
    assert ids(staff_client.get("/api/admin/orders?include=unpaid&status=pending")) == [str(pending.pk)]
    assert staff_client.get(f"/api/admin/orders/{archived.pk}").status_code == 404


def test_an_order_as_the_panel_reads_it(staff_client, admin, order):
    change_status(order_id=order.pk, status="shipped", actor=admin, tracking_number="6A1", message="Parti.")
    [row] = staff_client.get("/api/admin/orders").json()["results"]
    assert row["total_amount"] == "49.99"
    assert row["email"] == "lea@example.com"
    assert row["customer_name"] == "Léa Martin"
    assert row["user_id"] is None
    assert row["payment_intent_id"] == Attempt.objects.get().intent_id
    assert row["items"][0]["product_name"] == "Golem de poche"
    assert [(step["status"], step["tracking_number"], step["actor"]) for step in row["tracking"]] == [
        ("shipped", "6A1", "admin@example.com"),
        ("confirmed", "", None),
    ]


@pytest.fixture
def walked(monkeypatch, request):
    """How many of the newest orders a search looks through before it searches all."""
    monkeypatch.setattr("orders.selectors.admin_orders.WALKED", request.param)


@pytest.mark.both_engines
@pytest.mark.parametrize("walked", [0, 4000], indirect=True)
@pytest.mark.parametrize(
    "search",
    [
        *("LEA@exam", "éa Mart", "martin lea", "golem de", "69003", "Lyon", "{invoice}"),
        *("6A123", "6A12345", "6A 123 45"),
        *("{id}", "{reference}", "#{reference}", "INV-{reference}", "{dashed}", "{middle}"),
    ],
)
def test_search_finds_any_part(staff_client, order, search, walked):
    other = make_product("Hibou")
    pay_order(
        make_order((other, 1), email="zoe@example.org", first_name="Zoé", last_name="Petit", postal_code="13001",
                   city="Marseille")
    )  # fmt: skip
    record_tracking(order, tracking_number="XX 6A 123 45")
    words = {
        "id": str(order.pk), "reference": order.reference, "dashed": str(order.pk)[4:15], "middle": order.pk.hex[6:14],
        "invoice": order.invoices.get().number,
    }  # fmt: skip
    assert ids(staff_client.get("/api/admin/orders", {"search": search.format(**words)})) == [str(order.pk)]


@pytest.mark.both_engines
def test_the_migration_adds_grouped_tracking_numbers_as_one_word(order):
    spaced, plain = make_order(), make_order()
    record_tracking(spaced, tracking_number="XX 6A\u00a0123 45")
    record_tracking(plain, tracking_number="XX6A999")
    after = dict(OrderSearchEntry.objects.values_list("order", "text"))
    OrderSearchEntry.objects.filter(order=spaced).update(text="lea xx 6a 123 45")
    for _again in range(2):
        import_module("orders.migrations.0017_tracking_words").forwards(
            apps, SimpleNamespace(connection=connection)
        )
    assert dict(OrderSearchEntry.objects.values_list("order", "text")) == {
        **after, spaced.pk: "lea xx 6a 123 45 xx6a12345",
    }  # fmt: skip


@pytest.mark.parametrize("walked", [0, 4000], indirect=True)
@pytest.mark.parametrize("search", ["%", "_", "-", "zzz", "'; DROP TABLE", "é" * 100])
def test_search_takes_nothing_for_a_pattern(staff_client, order, search, walked):
    assert ids(staff_client.get("/api/admin/orders", {"search": search})) == []


@pytest.mark.both_engines
@pytest.mark.parametrize("walked", [0, 1, 4, 4000], indirect=True)
def test_pages_follow_each_other_without_gap_or_repeat(staff_client, order, walked):
    expected = [str(row.pk) for row in (order, *(pay_order(make_order()) for _ in range(4)))][::-1]
    pay_order(make_order(email="zoe@example.org", first_name="Zoé", last_name="Petit"))
    found, address = [], "/api/admin/orders?page_size=2&search=lea"
    while address:
        answer = staff_client.get(address)
        found += ids(answer)
        assert len(ids(answer)) <= 2
        address = answer.json()["next"]
    assert found == expected


@pytest.mark.parametrize(
    "query",
    ["status=lost", "include=all", "page_size=0", "page_size=101", "page_size=x", "cursor=%00", "cursor=abc",
     "cursor=MjAyNi0xMS0yMXxhYmM=", "search=" + "a" * 101],
)  # fmt: skip
def test_what_makes_no_sense_is_400(staff_client, order, query):
    answer = staff_client.get(f"/api/admin/orders?{query}")
    if query == "cursor=%00":  # an invisible character is dropped, as from every text
        assert answer.status_code == 200
    else:
        assert (answer.status_code, answer.json()["code"]) == (400, "invalid")


@pytest.mark.both_engines
def test_a_page_costs_the_same_whatever_its_length(staff_client, django_assert_num_queries):
    for _ in range(2):
        pay_order(make_order())
    # Session, user; orders, lines, tracking with actors, payments, attempts.
    with django_assert_num_queries(2 + 5):
        assert len(ids(staff_client.get("/api/admin/orders"))) == 3


@pytest.mark.both_engines
@pytest.mark.parametrize(("walked", "queries"), [(4000, 2), (0, 3)], indirect=["walked"])
def test_a_search_costs_the_same_whatever_it_finds(staff_client, django_assert_num_queries, walked, queries):
    for _ in range(2):
        pay_order(make_order())
    # Session, user; how far the newest reach, who of them matches, where that is not enough who of all does; a page.
    with django_assert_num_queries(2 + queries + 5):
        assert len(ids(staff_client.get("/api/admin/orders?search=lea"))) == 3


def test_late_orders_are_marked_counted_and_found(staff_client, order):
    on_time = pay_order(make_order())
    Order.objects.filter(pk=order.pk).update(promised_by=timezone.localdate() - timedelta(days=1))
    assert ids(staff_client.get("/api/admin/orders?late=true")) == [str(order.pk)]
    flags = {row["id"]: row["flags"] for row in staff_client.get("/api/admin/orders").json()["results"]}
    assert flags == {str(order.pk): ["late"], str(on_time.pk): []}
    assert staff_client.get("/api/admin/orders/counts").json() == {
        "by_status": {"confirmed": 2, "processing": 0}, "late": 1,
    }  # fmt: skip


def test_what_was_corrected_is_found_and_what_was_before_is_not(staff_client, admin, order):
    there = DeliveryAddress(
        address="1 quai Malaquais", postal_code="33000", city="Bordeaux", country="FR", first_name="Léa",
        last_name="Martin",
    )  # fmt: skip
    correct_delivery_address(order_id=order.pk, address=there, by=ActorKind.STAFF, actor=admin)
    assert ids(staff_client.get("/api/admin/orders?search=bordeaux")) == [str(order.pk)]
    assert ids(staff_client.get("/api/admin/orders?search=quai")) == []
