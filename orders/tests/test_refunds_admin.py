"""Refunds where people meet them: the calls of administrators, the admin's pages, the order's own page."""

from __future__ import annotations

import json
import re
import uuid
from decimal import Decimal
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import Role
from accounts.services.roles import grant_role
from orders.access import access_token
from orders.models import Dispute, Order, OrderItem, OrderStatus, Refund, RefundRequest
from orders.selectors.refund_rules import ReturnedLine
from orders.services.refunds.decisions import request_refund
from orders.services.refunds.disputes import sync_disputes
from orders.services.refunds.sending import send_refund, sync_refunds
from orders.tests.factories import (
    make_finished_product,
    make_order,
    make_product,
    new_key,
    pay_order,
)
from orders.tests.memory_provider import MemoryProvider

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]


@pytest.fixture(scope="module")
def paid(module_provider: MemoryProvider) -> Order:
    """Two pieces at 20.00, delivered for 9.99."""
    return pay_order(make_order((make_product(price="20.00", stock_quantity=5), 2)))


@pytest.fixture(autouse=True)
def order(paid: Order, provider: MemoryProvider) -> Order:
    return Order.objects.get(pk=paid.pk)


@pytest.fixture
def admin(client: Client, django_user_model: Any) -> Client:
    user = django_user_model.objects.create_superuser("chef@example.com", "x")
    grant_role(user=user, role=Role.ADMIN)
    client.force_login(user)
    return client


def ask(client: Client, order_id: object, body: Any = None, key: str | None = "", **headers: str) -> Any:
    if key is not None:
        headers["idempotency-key"] = key or new_key()
    return client.post(
        f"/api/admin/orders/{order_id}/refund",
        json.dumps({} if body is None else body),
        content_type="application/json",
        headers=headers,
    )


def send_all() -> None:
    for waiting in Refund.objects.filter(state__in=("requested", "sent")):
        send_refund(waiting.pk)


# --- The calls ----------------------------------------------------------------------------------------


def test_an_empty_demand_refunds_everything(admin, order):
    answer = ask(admin, order.pk)
    assert answer.status_code == 202
    request = RefundRequest.objects.get()
    document = answer.json()
    assert (document["success"], answer["Cache-Control"]) == (True, "no-store")
    told = document["refund"]
    item, sent = order.items.get(), request.refunds.get()
    assert {name: told[name] for name in ("id", "order_id", "amount", "status", "voided", "shipping", "reason")} == {
        "id": str(request.pk), "order_id": str(order.pk), "amount": "49.99", "status": "pending", "voided": "0.00",
        "shipping": "9.99", "reason": "Demande de remboursement",
    }  # fmt: skip
    credited = request.lines.get()
    assert told["lines"] == [
        {"id": credited.pk, "item_id": item.pk, "quantity": 2, "amount": "40.00", "restocked": False}
    ]
    assert told["refunds"] == [
        {
            "id": str(sent.pk), "amount": "49.99", "method": "card", "state": "requested", "provider_id": None,
            "error": "",
        }
    ]  # fmt: skip
    send_all()
    told = admin.get(f"/api/admin/refunds/{request.pk}").json()["refund"]
    assert (told["status"], told["refunds"][0]["provider_id"]) == ("succeeded", "re_1")


def test_lines_with_a_reason_and_the_shelf(admin, order):
    item = order.items.get()
    body = {"lines": [{"item_id": item.pk, "quantity": 1, "restock": True}], "reason": "Abîmée"}
    told = ask(admin, order.pk, body).json()["refund"]
    assert (told["amount"], told["reason"]) == ("20.00", "Abîmée")
    assert told["lines"][0]["restocked"] is True
    assert item.product.__class__.objects.get().stock_quantity == 4


def test_the_same_key_answers_the_same_refund_and_refuses_another_demand(admin, order):
    first = ask(admin, order.pk, {"amount": "5.00"}, key="k-1")
    again = ask(admin, order.pk, {"amount": "5.00"}, key="k-1")
    assert (first.status_code, again.status_code) == (202, 202)
    assert first.json() == again.json()
    other = ask(admin, order.pk, {"amount": "6.00"}, key="k-1")
    assert (other.status_code, other.json()["code"]) == (422, "idempotency_key_reused")
    assert Refund.objects.count() == 1


def test_more_than_is_left_is_a_problem_that_names_what_is_left(admin, order):
    answer = ask(admin, order.pk, {"amount": "50.00"}, **{"accept-language": "fr"})
    assert answer.status_code == 409
    assert answer["Content-Type"] == "application/problem+json"
    assert answer.json() == {
        "type": "about:blank", "title": "Conflit", "status": 409, "code": "refund_too_much", "refundable": "49.99",
        "detail": "Impossible de traiter le remboursement: il reste 49,99\u00a0€ à rembourser.",
    }  # fmt: skip
    assert not RefundRequest.objects.exists()


@pytest.mark.parametrize(
    "body",
    [
        {"amount": "-1"}, {"amount": "1.001"}, {"amount": "NaN"}, {"amount": "beaucoup"}, {"amount": []},
        {"amonut": "5.00"}, {"lines": {}}, {"lines": [{}]}, {"lines": [{"item_id": True, "quantity": 1}]},
        {"lines": [{"item_id": 1, "quantity": 0}]}, {"lines": [{"item_id": 2**63, "quantity": 1}]},
        {"lines": [{"item_id": 1, "quantity": 1.5}]}, {"lines": []}, {"lines": [{"item_id": 1}] * 1000},
        {"reason": "x" * 501}, {"reason": 7}, {"amount": "99999999999.00"}, {"amount": "0.00"},
        {"amount": ""}, {"amount": " "}, {"expected_left": ""},
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_refused_and_refunds_nothing(admin, order, body):
    answer = ask(admin, order.pk, body)
    assert answer.status_code == 400, answer.content
    assert not RefundRequest.objects.exists()


def test_who_may_not_and_what_is_not_there(client, admin, order, django_user_model):
    assert ask(admin, order.pk, key=None).status_code == 400
    assert ask(admin, uuid.uuid4()).status_code == 404
    assert admin.get(f"/api/admin/refunds/{uuid.uuid4()}").status_code == 404
    member = Client()
    member.force_login(django_user_model.objects.create_user("membre@example.com", "x"))
    assert ask(member, order.pk).status_code == 403
    assert ask(Client(), order.pk).status_code == 401
    assert member.get(f"/api/admin/refunds/{uuid.uuid4()}").status_code == 403
    staff = django_user_model.objects.create_user("aide@example.com", "x", is_staff=True)
    helper = Client()
    helper.force_login(staff)
    assert ask(helper, order.pk).status_code == 403
    assert not RefundRequest.objects.exists()


# --- The admin's pages --------------------------------------------------------------------------------


def preview(client: Client, order: Order, **demand: Any) -> Any:
    return client.post(
        f"/api/admin/orders/{order.pk}/refund/preview", demand, content_type="application/json"
    ).json()


def test_what_changed_since_it_was_proposed_is_asked_again(admin, order):
    left = preview(admin, order)["left"]
    assert left == "49.99"
    request_refund(order_id=order.pk, key="meanwhile", amount=Decimal("9.99"))
    answer = ask(admin, order.pk, {"expected_left": left})
    assert (answer.status_code, answer.json()["code"]) == (409, "refund_changed")
    assert answer.json()["detail"].endswith(
        "il reste maintenant 40,00\u00a0€ à rembourser. Vérifiez, puis confirmez à nouveau."
    )
    assert RefundRequest.objects.count() == 1
    assert ask(admin, order.pk, {"expected_left": "40.00"}).status_code == 202


def test_two_people_who_were_shown_the_same_part_refund_it_once(admin, order):
    demand = {"amount": "9.99", "expected_left": preview(admin, order, amount="9.99")["left"]}
    assert ask(admin, order.pk, demand).status_code == 202
    answer = ask(admin, order.pk, demand)
    assert (answer.status_code, answer.json()["code"]) == (409, "refund_changed")
    assert RefundRequest.objects.get().amount == Decimal("9.99")


def test_goods_are_put_back_later(admin, order):
    item = order.items.get()
    request = request_refund(order_id=order.pk, key="k", lines=[ReturnedLine(item.pk, 1)])
    line = request.lines.get()
    address = f"/api/admin/refunds/{request.pk}/lines/{line.pk}/restock"
    answer = admin.post(address)
    assert answer.json()["refund"]["lines"][0]["restocked"] is True
    again = admin.post(address)
    assert (again.status_code, again.json()["detail"]) == (
        409, "Cet article est déjà en stock, ou n'est plus au catalogue.",
    )  # fmt: skip
    assert order.items.get().product.stock_quantity == 4
    assert admin.post(f"/api/admin/refunds/{request.pk}/lines/{line.pk + 1}/restock").status_code == 404


def test_there_is_nothing_to_refund_where_nothing_is_left_or_was_paid(admin, order):
    assert admin.get(f"/api/admin/orders/{order.pk}").json()["may"]["refund"] is True
    request_refund(order_id=order.pk, key="all")
    send_all()
    order.refresh_from_db()
    assert order.status == OrderStatus.REFUNDED
    assert admin.get(f"/api/admin/orders/{order.pk}").json()["may"]["refund"] is False
    assert admin.get(f"/api/admin/orders/{make_order().pk}").json()["may"]["refund"] is False


def test_lists_show_states_and_what_failed_is_tried_again(admin, order, provider):
    request = request_refund(order_id=order.pk, key="all")
    send_all()
    failed = Refund.objects.get()
    provider.settle_refund(failed.provider_id, "failed")
    sync_refunds(failed.attempt.intent_id)
    decisions, refunds = reverse("admin:orders_refundrequest_changelist"), reverse("staff-refunds")
    assert "Échoué" in admin.get(decisions).content.decode()
    text = admin.get(refunds).content.decode()
    assert (
        "La carte du client n&#x27;existe plus\u00a0: réessayez plus tard, ou convenez d&#x27;un virement."
        in text
    )
    detail = admin.get(reverse("admin:orders_refundrequest_change", args=[request.pk]))
    assert "La carte du client n&#x27;existe plus" in detail.content.decode()
    again = reverse("staff-refund-retry", args=[failed.pk])
    assert again in text
    assert "La carte du client n&#x27;existe plus" in admin.get(again).content.decode()
    assert Refund.objects.count() == 1
    for _click in range(2):
        admin.post(again)
    assert Refund.objects.exclude(pk=failed.pk).get().replaces == failed
    send_all()
    assert "Effectué" in admin.get(decisions).content.decode()


def test_disputes_are_listed_and_block_the_page_with_the_reason(admin, order, provider):
    dispute_id = provider.open_dispute(order.payments.get().attempts.get())
    sync_disputes(order.payments.get().attempts.get().intent_id)
    listed = admin.get(reverse("staff-disputes")).content.decode()
    assert "Réponse attendue" in listed
    assert Dispute.objects.get().provider_id == dispute_id
    assert preview(admin, order)["detail"].endswith(
        "la banque du client conteste ce paiement. Répondez d'abord au litige."
    )
    assert not RefundRequest.objects.exists()


# --- The customer's page ------------------------------------------------------------------------------


def test_the_order_page_shows_refunds_and_their_state(client, order, provider):
    address = f"{reverse('orders:order', args=[order.pk])}?acces={access_token(order)}"
    assert "Remboursements" not in client.get(address).content.decode()
    provider.begins = "pending"
    request_refund(order_id=order.pk, key="a", amount=Decimal("5.00"), reason="Un éclat <b>")
    send_all()
    text = client.get(address).content.decode()
    assert "Remboursements" in text
    assert "5,00\u00a0€" in text
    assert ", en cours" in text
    assert "Un éclat &lt;b&gt;" in text
    sent = Refund.objects.get()
    provider.settle_refund(sent.provider_id, "succeeded")
    sync_refunds(sent.attempt.intent_id)
    assert "Fait le " in client.get(address).content.decode()
    provider.settle_refund(sent.provider_id, "failed")
    sync_refunds(sent.attempt.intent_id)
    assert (
        "La banque ne l'a pas accepté\u00a0: nous nous en occupons." in client.get(address).content.decode()
    )


def test_two_finishes_of_one_piece_are_told_apart(admin):
    witch = make_finished_product("Sorcière de minuit", painted="80.00", unpainted="40.00")
    order = pay_order(make_order((witch, 1), (make_product("Golem de poche"), 1)))
    painted, raw = order.items.all()
    OrderItem.objects.filter(pk=painted.pk).update(finish="painted")
    OrderItem.objects.filter(pk=raw.pk).update(finish="unpainted", product_name=painted.product_name)
    lines = admin.get(f"/api/admin/orders/{order.pk}").json()["lines"]
    assert [(line["product_name"], line["detail"]) for line in lines] == [
        ("Sorcière de minuit", "Peint"), ("Sorcière de minuit", "Non peint"),
    ]  # fmt: skip
    request = request_refund(order_id=order.pk, key=new_key(), lines=[ReturnedLine(raw.pk, 1)])
    detail = admin.get(reverse("admin:orders_refundrequest_change", args=[request.pk])).content.decode()
    assert "Sorcière de minuit (Non peint)" in detail


def test_amounts_are_french_and_no_key_is_shown(admin, order):
    request = request_refund(order_id=order.pk, key=new_key(), amount=Decimal("26.38"))
    shown = admin.get(reverse("admin:orders_refundrequest_change", args=[request.pk])).content.decode()
    assert str(request) == f"{order.reference} · 26,38\u00a0€"
    assert str(request.refunds.get()) == f"{order.reference} · 26,38\u00a0€"
    assert "26.38\u00a0€" not in shown
    assert "26.38 €" not in shown
    assert str(request.pk) not in re.sub(r"<[^>]+>", " ", shown)
