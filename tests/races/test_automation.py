"""Programs, and pages of the staff, that send the same product at one instant make it once."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest
from django.test import Client

from catalog.models import Product, ProductVariation
from catalog.tests.factories import make_category
from catalog.tests.staff import send as send_as_staff
from catalog.tests.staff import staff_browser
from shop.core.models import AuditEntry
from shop.integrations.keys import READ_AND_WRITE, create_api_key
from shop.integrations.models import RepeatedCall
from tests.races.concurrency import run_concurrently, values

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]

PROGRAMS = 8
URL = "/functions/v1/product-automation"
BODY: dict[str, Any] = {
    "name": "Golem de poche",
    "price": "49.99",
    "category": "goodies-divers",
    "variations": [{"name": "Petit"}, {"name": "Grand", "price_adjustment": "5.00"}],
}


@pytest.fixture
def key() -> str:
    make_category()
    return create_api_key(name="Import", scopes=READ_AND_WRITE, actor=None).text


def send(
    key: str, body: dict[str, Any], headers: dict[str, str], method: str = "post", url: str = URL
) -> Any:
    call = getattr(Client(), method)
    answer = call(
        url, body, content_type="application/json", headers={"authorization": f"Bearer {key}", **headers}
    )
    return answer.status_code, answer.json().get("id")


@pytest.mark.parametrize(
    ("body", "headers"),
    [({**BODY, "external_id": "ERP-1"}, {}), (BODY, {"idempotency-key": "import-1"})],
    ids=["external_id", "idempotency_key"],
)
def test_same_product_at_one_instant_is_made_once(key: str, body: dict[str, Any], headers: dict[str, str]):
    answers = values(run_concurrently([partial(send, key, body, headers)] * PROGRAMS))
    assert sorted(status for status, _pk in answers) == [200] * (PROGRAMS - 1) + [201]
    assert len({pk for _status, pk in answers}) == 1
    assert (Product.objects.count(), ProductVariation.objects.count()) == (1, 2)
    assert AuditEntry.objects.filter(action="product.created_by_key").count() == 1
    assert RepeatedCall.objects.count() == (1 if headers else 0)


def test_without_an_identifier_each_makes_its_own(key: str):
    """The control: nothing but constraint and marker keeps them apart."""
    answers = values(run_concurrently([partial(send, key, BODY, {})] * PROGRAMS))
    assert [status for status, _pk in answers] == [201] * PROGRAMS
    assert Product.objects.count() == PROGRAMS


def test_changes_of_different_fields_at_one_instant_all_stay(key: str):
    _status, pk = send(key, BODY, {})
    changes = [{"price": "59.00"}, {"description": "Petit."}, {"featured": True}, {"stock_quantity": 7}]
    calls = [partial(send, key, change, {}, "put", f"{URL}?id={pk}") for change in changes]
    assert {status for status, _pk in values(run_concurrently(calls))} == {200}
    product = Product.objects.get()
    assert (str(product.price), product.description_fr, product.featured, product.stock_quantity) == (
        "59.00", "Petit.", True, 7,
    )  # fmt: skip


def test_product_that_a_page_of_the_staff_sends_twice_at_one_instant_is_made_once():
    browser = staff_browser()
    body = {"name": "Golem", "price": "49.99", "category": make_category().slug}
    presses = []
    for _ in range(PROGRAMS):
        client = Client()
        client.cookies = browser.cookies
        presses.append(partial(send_as_staff, client, "post", "", body, {"idempotency-key": "form"}))
    answers = values(run_concurrently(presses))
    assert {answer.status_code for answer in answers} == {201}
    assert len({answer.json()["id"] for answer in answers}) == 1
    assert Product.objects.count() == 1
