"""`POST /api/orders/{id}/withdrawal`: the member's own order, filed as on the page."""

from __future__ import annotations

import json
import uuid

import pytest
from django.test import Client

from catalog.tests.factories import make_user
from orders.models import OrderEvent, Withdrawal
from orders.tests.factories import make_order, make_product, pay_order
from shop.core.models import OutgoingMail

pytestmark = pytest.mark.django_db


@pytest.fixture
def member(client):
    client.force_login(make_user("lea@example.com"))
    return client


@pytest.fixture
def order(member):
    from accounts.models import User

    return pay_order(make_order((make_product(), 3), user=User.objects.get(email="lea@example.com")))


def post(client, order_id, body=None, **headers):
    return client.post(
        f"/api/orders/{order_id}/withdrawal",
        json.dumps({} if body is None else body),
        content_type="application/json",
        headers=headers,
    )


def filed():
    return (Withdrawal.objects.count(), OutgoingMail.objects.count(), OrderEvent.objects.count())


def test_a_whole_order_is_filed_and_acknowledged(member, order):
    answer = post(member, order.pk, {"reason": "Trop\r\ngrand."}, **{"accept-language": "en"})

    withdrawal = Withdrawal.objects.get()
    assert answer.status_code == 202
    assert answer.json() == {
        "reference": withdrawal.reference,
        "declared_at": answer.json()["declared_at"],
        "statement": withdrawal.statement,
    }
    assert answer["Cache-Control"] == "no-store"
    assert (withdrawal.order, withdrawal.reason, withdrawal.language) == (order, "Trop\ngrand.", "en")
    assert withdrawal.statement.startswith("I hereby give notice that I withdraw from the contract")
    assert OutgoingMail.objects.get(kind="withdrawal_received").to == "lea@example.com"


def test_a_part_is_filed_with_its_lines(member, order):
    item = order.items.get()

    assert post(member, order.pk, {"items": [{"item_id": item.pk, "quantity": 2}]}).status_code == 202
    assert list(Withdrawal.objects.get().lines.values_list("item", "quantity")) == [(item.pk, 2)]


def test_repeating_it_files_nothing_more(member, order):
    first, second = post(member, order.pk), post(member, order.pk)

    assert (first.status_code, second.status_code) == (202, 202)
    assert first.json() == second.json()
    assert Withdrawal.objects.count() == 1


def test_another_key_says_that_further_units_come_back(member, order):
    body = {"items": [{"item_id": order.items.get().pk, "quantity": 1}]}
    answers = [post(member, order.pk, body, **{"idempotency-key": key}) for key in ("a", "a", "b")]
    answers += [post(member, order.pk, body), post(member, order.pk, body)]

    assert [answer.status_code for answer in answers] == [202] * 5
    first, again, second, third, fourth = (answer.json()["reference"] for answer in answers)
    assert (first == again, third == fourth, len({first, second, third})) == (True, True, 3)
    assert list(Withdrawal.objects.values_list("lines__quantity", flat=True)) == [1, 1, 1]


@pytest.mark.parametrize("key", ["", "é", "k" * 256])
def test_a_key_that_cannot_be_stored_is_refused(member, order, key):
    answer = post(member, order.pk, **{"idempotency-key": key})

    assert (answer.status_code, answer.json()["code"]) == (400, "idempotency_key_required")
    assert not Withdrawal.objects.exists()


@pytest.mark.parametrize(
    ("items", "code"),
    [
        ([], "invalid_lines"),
        ([{"item_id": 1_000_000_000, "quantity": 1}], "invalid_lines"),
        ([{"item_id": "own", "quantity": 4}], "invalid_lines"),
        ([{"item_id": "own", "quantity": 0}], "invalid"),
        ([{"item_id": "own", "quantity": 1}, {"item_id": "own", "quantity": 1}], "invalid"),
        ([{"item_id": 10**30, "quantity": 1}], "invalid_lines"),
        ("all", "invalid"),
        ([None], "invalid"),
    ],
)
def test_wrong_items_are_refused_and_nothing_is_filed(member, order, items, code):
    own = order.items.get().pk
    if isinstance(items, list):
        items = [
            item and {**item, "item_id": own if item["item_id"] == "own" else item["item_id"]}
            for item in items
        ]
    before = filed()

    answer = post(member, order.pk, {"items": items})

    assert (answer.status_code, answer.json()["code"]) == (400, code)
    assert filed() == before


def test_a_misspelt_name_does_not_become_the_whole_order(member, order):
    before = filed()

    answer = post(member, order.pk, {"item": [{"item_id": order.items.get().pk, "quantity": 1}]})

    assert (answer.status_code, list(answer.json()["errors"])) == (400, ["item"])
    assert filed() == before


def test_only_the_owner_may_withdraw(member, order):
    unpaid = make_order(user=order.user)
    before = filed()
    stranger = Client()
    assert post(stranger, order.pk).status_code == 401
    stranger.force_login(make_user("other@example.com"))
    for client, wanted in ((stranger, order.pk), (member, uuid.uuid4())):
        answer = post(client, wanted)
        assert (answer.status_code, answer.json()["detail"]) == (404, "Commande introuvable.")
    assert post(member, unpaid.pk).status_code == 404
    assert filed() == before


def test_a_foreign_page_can_not_send_it(order):
    client = Client(enforce_csrf_checks=True)
    client.force_login(order.user)

    assert post(client, order.pk).status_code == 403
    assert not Withdrawal.objects.exists()
