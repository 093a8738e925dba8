"""`/functions/v1/product-automation`: who may read and write, what is listed, and what is reported to programs."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from catalog.api import automation
from catalog.models import Product
from catalog.selectors.product_documents import product_documents
from catalog.services.categories import save_category
from catalog.services.promotions import delete_promotion
from catalog.tests.factories import (
    change_product,
    change_variant,
    make_finish_category,
    make_product,
    make_promotion,
    make_user,
    make_variation,
    variant_of,
)
from catalog.tests.programs import URL, Program, minimal
from shop.integrations.endpoints import create_endpoint
from shop.integrations.keys import READ_ONLY, create_api_key
from shop.integrations.models import Scope, WebhookEvent

pytestmark = pytest.mark.django_db


def test_a_product_that_a_program_makes_is_reported_once_and_whole(program: Program):
    create_endpoint(
        url="https://example.com/hook", description="", kinds=["product.created"], actor=make_user()
    )
    made = program.post(minimal(variations=[{"name": "Grand"}])).json()
    event = WebhookEvent.objects.get()
    assert ("seen_stock_quantity" in made, '"seen_stock_quantity"' in json.dumps(event.data)) == (True, False)
    assert [row["name"] for row in event.data["product"]["variations"]] == ["Grand"]


def test_unknown_products_and_pages_are_404(program: Program):
    assert program.put(999, {"price": "1.00"}).json()["code"] == "not_found"
    assert program.put("abc", {"price": "1.00"}).status_code == 400
    assert program.put("", {"price": "1.00"}).status_code == 400
    assert program.get("?page=2").status_code == 404
    assert program.get("?page=0").status_code == 404
    refused = program.get("?page=x")
    assert (refused.status_code, list(refused.json()["errors"])) == (400, ["page"])
    assert program.get().json() == {"count": 0, "next": None, "previous": None, "results": []}


def test_list_gives_all_products_in_pages_with_a_steady_number_of_queries(
    program: Program, django_assert_num_queries: Any
):
    for number in range(51):
        make_product(f"Pièce {number}", is_published=number % 2 == 0)
    program.get()
    # Limits of network and key: a read and a write each. The key. The count, the keys, the six of the documents.
    with django_assert_num_queries(4 + 1 + 2 + 6):
        page = program.get().json()
    assert (page["count"], len(page["results"]), page["previous"]) == (51, 50, None)
    assert page["next"] == f"http://localhost:8000{URL}?page=2"
    assert len(program.get("?page=2").json()["results"]) == 1
    assert program.get("?external_id=none").json()["count"] == 0


@pytest.mark.parametrize(
    "header", [None, "", "Bearer", "Bearer x", "Basic abc", "Bearer atelier_000000000000_" + "a" * 43]
)
def test_without_a_right_key_nothing_is_answered(program: Program, header: str | None):
    headers = {} if header is None else {"authorization": header}
    for method in ("get", "post", "put"):
        answer = getattr(Client(), method)(URL, content_type="application/json", headers=headers)
        assert (answer.status_code, answer.json()["code"]) == (401, "invalid_key")
        assert answer.headers["WWW-Authenticate"] == "Bearer"


def test_key_that_reads_writes_nothing(program: Program):
    reader = Program(create_api_key(name="Lecture", scopes=READ_ONLY, actor=None))
    assert reader.get().status_code == 200
    answer = reader.post(minimal())
    assert (answer.status_code, answer.json()["code"]) == (403, "scope_missing")
    assert reader.put(1, {}).status_code == 403
    assert reader._send("delete", URL).status_code == 405
    assert not Product.objects.exists()


def test_session_of_an_admin_opens_nothing(program: Program, admin_client: Client):
    assert admin_client.get(URL).status_code == 401


def test_key_is_in_no_log(program: Program, caplog: pytest.LogCaptureFixture):
    program.post({})
    program.put(1, {"price": "x"})
    Client().get(URL, headers={"authorization": f"Bearer {program.key.text[:-1]}x"})
    assert program.key.text[-12:-4] not in caplog.text


def test_stock_is_read_by_its_own_scope(program: Program, django_assert_num_queries: Any):
    product = make_product(stock_quantity=4)
    small = make_variation(product, "Petit", stock_quantity=1, sku="P")
    make_variation(product, "Grand")
    assert program._send("get", "/functions/v1/stock").status_code == 403
    reader = Program(create_api_key(name="Stock", scopes=[Scope.READ_STOCK], actor=None))
    reader._send("get", "/functions/v1/stock")
    # Limits of network and key: a read and a write each. The key. The count, the page, all variants of its products.
    with django_assert_num_queries(4 + 1 + 3):
        document = reader._send("get", "/functions/v1/stock").json()
    rows = {row["sku"]: row for row in document["results"] if row["variation_id"]}
    assert (rows["P"]["stock_quantity"], rows["P"]["variation_id"]) == (1, small.pk)
    assert rows[""]["stock_quantity"] == 4
    assert reader.get().status_code == 403


def test_stock_of_what_is_not_offered_is_not_in_stock():
    product = make_product(category=make_finish_category(), painted_price="60.00", unpainted_price="40.00")
    change_variant(variant_of(product, finish="unpainted"), stock_quantity=3)
    change_product(product, unpainted_price=None)
    reader = Program(create_api_key(name="Stock", scopes=[Scope.READ_STOCK], actor=None))
    rows = reader._send("get", "/functions/v1/stock").json()["results"]
    assert [(row["finish"], row["stock_quantity"], row["in_stock"]) for row in rows] == [
        ("painted", None, True),
        ("unpainted", 3, False),
    ]


def test_what_is_in_the_trash_is_nowhere_and_what_is_archived_says_so(program: Program):
    trashed, archived = make_product("Golem"), make_product("Hibou")
    Product.objects.filter(pk=trashed.pk).update(trashed_at=timezone.now(), is_published=False)
    Product.objects.filter(pk=archived.pk).update(archived_at=timezone.now(), is_published=False)
    listed = program.get().json()
    assert [(row["id"], row["archived"]) for row in listed["results"]] == [(archived.pk, True)]
    assert program.get(f"?id={trashed.pk}").json()["count"] == 0
    reader = Program(create_api_key(name="Stock", scopes=[Scope.READ_STOCK], actor=None))
    [stock] = reader._send("get", "/functions/v1/stock").json()["results"]
    assert stock["product_id"] == archived.pk
    assert program.put(trashed.pk, {"price": "1.00"}).status_code == 404
    assert Product.objects.get(pk=trashed.pk).price == Decimal("40.00")
    assert program.put(archived.pk, {"price": "41.00"}).status_code == 200


def test_what_a_promotion_or_a_category_changes_of_products_is_reported():
    create_endpoint(
        url="https://example.com/hook", description="", kinds=["product.updated"], actor=make_user()
    )
    products = [make_product("Golem"), make_product("Hibou")]
    WebhookEvent.objects.all().delete()
    promotion = make_promotion(*products, name="Week-end", percent=50, type="percent")
    told = {event.subject: event.data["product"]["price_from"] for event in WebhookEvent.objects.all()}
    assert told == {f"product:{product.pk}": "20.00" for product in products}
    assert not [
        event for event in WebhookEvent.objects.all() if "seen_stock_quantity" in json.dumps(event.data)
    ]
    # What still waits is told once, as it is by then.
    category = products[0].category
    category.name_fr = "Créatures"
    save_category(category=category)
    delete_promotion(promotion=promotion)
    assert WebhookEvent.objects.count() == 2
    for event in WebhookEvent.objects.all():
        assert (event.data["product"]["category"], event.data["product"]["price_from"]) == (
            "Créatures",
            "40.00",
        )


def test_product_deleted_while_it_is_read_is_left_out_and_not_found(program: Program, monkeypatch):
    stays, goes = make_product("Lynx"), make_product("Ours")

    def documents_without_it(keys: list[int]) -> Any:
        Product.objects.filter(pk=goes.pk).delete()
        return product_documents(keys)

    monkeypatch.setattr(automation, "product_documents", documents_without_it)
    assert [row["id"] for row in program.get().json()["results"]] == [stays.pk]
    goes = make_product("Ours")
    answer = program.put(goes.pk, {"featured": True})
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")
