"""The call that files a withdrawal."""

from __future__ import annotations

import json
from uuid import uuid4

import pytest
from django.urls import reverse

from accounts.models import User
from catalog.tests.factories import make_user
from orders.models import (
    Withdrawal,
    WithdrawalState,
)
from orders.selectors.refund_rules import ReturnedLine
from orders.services.fulfilment.status_changes import update_status
from orders.services.withdrawals.staff_filing import file_received
from orders.tests.factories import make_product, new_key
from orders.tests.filing.letters import filed, letter, paid_order
from shop.core.tests.reading import text

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]


def ask(client, order_id, body, key=""):
    return client.post(
        f"/api/admin/orders/{order_id}/withdrawals",
        json.dumps(body),
        content_type="application/json",
        headers={"idempotency-key": key or new_key()},
    )


BODY = {"channel": "letter", "sent_on": "2026-11-20", "received_on": "2026-11-23"}


def test_the_call_files_it_and_answers_what_came_of_it(admin, operator):
    order = paid_order((make_product(), 2))
    item, key = order.items.get(), new_key()
    body = {
        **BODY,
        "items": [{"item_id": item.pk, "quantity": 1}],
        "words": "Une\r\nseule.",
        "email": "Lea@ÉPI.fr",
    }

    answer = ask(admin, order.pk, body, key)

    withdrawal = Withdrawal.objects.get()
    assert (answer.status_code, answer["Cache-Control"]) == (201, "no-store")
    assert answer.json() == {
        "success": True,
        "withdrawal": {
            "id": str(withdrawal.pk), "reference": withdrawal.reference, "order_id": str(order.pk), "channel": "letter",
            "sent_on": "2026-11-20", "received_on": "2026-11-23", "statement": withdrawal.statement,
            "lines": [{"item_id": item.pk, "quantity": 1}], "in_time": True, "state": "declared",
            "refund_by": "2026-12-07", "voided": "0.00",
        },
    }  # fmt: skip
    assert withdrawal.statement.endswith("Texte reçu\u00a0:\nUne\nseule.")
    assert (withdrawal.name, withdrawal.email, withdrawal.filed_by) == (
        "Léa Martin", "lea@xn--pi-9ia.fr", operator,
    )  # fmt: skip
    before = filed()
    assert ask(admin, order.pk, body, key).json() == answer.json()
    assert ask(admin, order.pk, {**body, "words": "Toutes."}, key).status_code == 422
    assert filed() == before


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"channel": "site"}, "channel"),
        ({"sent_on": "hier"}, "sent_on"),
        ({"sent_on": "2026-11-24"}, "sent_on"),
        ({"received_on": None}, "received_on"),
        ({"items": []}, "items"),
        ({"items": [{"item_id": 1, "quantity": 0}]}, "items.0.quantity"),
        ({"items": [{"item_id": 2**70, "quantity": 1}]}, "items"),
        ({"email": "x"}, "email"),
        ({"email": "v\u0131ctim@example.com"}, "email"),
        ({"item": []}, "item"),
    ],
)
def test_the_call_refuses_what_it_does_not_understand(admin, changes, field):
    order = paid_order()
    before = filed()

    answer = ask(admin, order.pk, {**BODY, **changes})

    assert (answer.status_code, answer["Content-Type"]) == (400, "application/problem+json")
    assert field in answer.json()["errors"]
    assert filed() == before


def test_the_call_is_for_administrators_and_known_orders(client, admin):
    order = paid_order()
    before = filed()
    assert ask(admin, uuid4(), BODY).json()["code"] == "not_found"
    without = admin.post(
        f"/api/admin/orders/{order.pk}/withdrawals", json.dumps(BODY), content_type="application/json"
    )
    assert without.json()["code"] == "idempotency_key_required"
    client.force_login(make_user("member@example.com"))
    assert ask(client, order.pk, BODY).status_code == 403
    client.logout()
    assert ask(client, order.pk, BODY).status_code in (401, 403)
    assert filed() == before
    assert User.objects.count() == 2


def test_the_return_of_a_filed_part_is_refunded_like_any_other(admin, operator):
    order = paid_order((make_product(), 2))
    update_status(order_id=order.pk, status="shipped", actor=None)
    item = order.items.get()
    case = file_received(
        declaration=letter(order, operator, lines=(ReturnedLine(item.pk, 1),)), key=new_key()
    ).case
    assert case.state == WithdrawalState.GOODS_AWAITED

    shown = text(admin.get(reverse("staff-withdrawal-refund", args=[case.pk])))

    assert "Rembourser 40,00 €" in shown
