"""Refunds where people meet them: the calls of administrators, the admin's pages, the order's own page."""

from __future__ import annotations

import json
import re
import uuid
from decimal import Decimal
from typing import Any

import pytest
from django.contrib.auth.models import Permission
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
    make_seller,
    new_key,
    pay_order,
)
from orders.tests.memory_provider import MemoryProvider

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]


@pytest.fixture(autouse=True)
def provider(monkeypatch: pytest.MonkeyPatch) -> MemoryProvider:
    make_seller()
    provider = MemoryProvider()
    provider.install(monkeypatch)
    return provider


@pytest.fixture
def order() -> Order:
    """Two pieces at 20.00, delivered for 9.99."""
    return pay_order(make_order((make_product(price="20.00", stock_quantity=5), 2)))


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
    assert told["lines"] == [{"item_id": item.pk, "quantity": 2, "amount": "40.00", "restocked": False}]
    assert told["refunds"] == [
        {
            "id": str(sent.pk), "amount": "49.99", "method": "card", "state": "requested", "provider_id": None,
            "transfer_reference": "", "error": "",
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


def page(order: Order) -> str:
    return reverse("admin:orders_order_refund", args=[order.pk])


def demand(client: Client, order: Order, **values: Any) -> dict[str, Any]:
    key = client.get(page(order)).context["form"]["key"].value()
    return {"scope": "all", "key": str(key), "reason": "Demande de remboursement", **values}


def test_a_refund_is_proposed_confirmed_and_made_once(admin, order):
    assert (
        "Il reste <strong>49,99\u00a0€</strong> à rembourser sur 49,99\u00a0€."
        in admin.get(page(order)).content.decode()
    )
    item = order.items.get()
    values = demand(admin, order, scope="lines", **{f"units_{item.pk}": 1, f"restock_{item.pk}": "on"})
    proposed = admin.post(page(order), values)
    text = proposed.content.decode()
    assert f"Rembourser 20,00\u00a0€ pour la commande {order.reference}\u00a0?" in text
    assert "1 × Golem de poche" in text
    assert "(remis en stock)" in text
    assert not RefundRequest.objects.exists()

    for _click in range(2):
        answer = admin.post(page(order), {**values, "confirmed": "20.00"}, follow=True)
        request = RefundRequest.objects.get()
        assert answer.redirect_chain[0][0] == reverse("admin:orders_refundrequest_change", args=[request.pk])
        assert "Remboursement de 20,00\u00a0€ décidé. Cette page montre son état." in answer.content.decode()
    assert (request.amount, request.actor.email) == (Decimal("20.00"), "chef@example.com")
    assert request.lines.get().restocked is True


def test_a_second_click_after_everything_went_back_says_the_same(admin, order):
    values = {**demand(admin, order, restock_all="on"), "confirmed": "49.99"}
    first = admin.post(page(order), values)
    assert admin.post(page(order), values)["Location"] == first["Location"]
    assert Refund.objects.count() == 1
    assert order.items.get().product.stock_quantity == 5


def test_what_changed_since_it_was_proposed_is_asked_again(admin, order):
    values = {**demand(admin, order), "confirmed": "49.99"}
    request_refund(order_id=order.pk, key="meanwhile", amount=Decimal("9.99"))
    answer = admin.post(page(order), values)
    assert "Rembourser 40,00\u00a0€ pour la commande" in answer.content.decode()
    assert RefundRequest.objects.count() == 1


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"scope": "lines"}, "Indiquez au moins une quantité."),
        ({"scope": "amount"}, "Indiquez un montant."),
        ({"scope": "amount", "amount": "50"}, "remboursement: il reste 49,99\u00a0€ à rembourser."),
        ({"scope": "amount", "amount": "-3"}, "0.01"),
        ({"scope": "everything"}, "everything"),
        ({"key": "x"}, "Corrigez les champs signalés."),
    ],
)  # fmt: skip
def test_a_form_that_can_not_be_refunded_says_why(admin, order, values, message):
    answer = admin.post(page(order), {**demand(admin, order), **values, "confirmed": "50"})
    assert answer.status_code == 200
    assert message.replace("'", "&#x27;") in answer.content.decode()
    assert not RefundRequest.objects.exists()


def test_more_units_than_are_left_are_refused_by_the_form(admin, order):
    item = order.items.get()
    answer = admin.post(page(order), demand(admin, order, scope="lines", **{f"units_{item.pk}": 3}))
    assert answer.status_code == 200
    assert answer.context["form"].errors[f"units_{item.pk}"]


def test_goods_are_put_back_later_from_the_page(admin, order):
    item = order.items.get()
    request = request_refund(order_id=order.pk, key="k", lines=[ReturnedLine(item.pk, 1)])
    line = request.lines.get()
    for text in (
        "Article remis en stock.",
        "Cet article est déjà en stock, ou n&#x27;est plus au catalogue.",
    ):
        assert text in admin.post(page(order), {"line": line.pk}, follow=True).content.decode()
    assert order.items.get().product.stock_quantity == 4
    for senseless in ("", "x", "0", "9" * 40, "²"):
        assert admin.post(page(order), {"line": senseless}).status_code == 302


def test_the_button_shows_only_where_there_is_something_to_refund(admin, order):
    label = f'<a href="{page(order)}">Rembourser</a>'
    change = reverse("admin:orders_order_change", args=[order.pk])
    assert label in admin.get(change).content.decode()
    request_refund(order_id=order.pk, key="all")
    send_all()
    order.refresh_from_db()
    assert order.status == OrderStatus.REFUNDED
    assert label not in admin.get(change).content.decode()
    waiting = make_order()
    assert (
        "Rembourser</a>"
        not in admin.get(reverse("admin:orders_order_change", args=[waiting.pk])).content.decode()
    )


def test_who_may_only_look_can_not_refund(order, client, django_user_model):

    helper = django_user_model.objects.create_user("aide@example.com", "x", is_staff=True)
    helper.user_permissions.add(Permission.objects.get(codename="view_order"))
    client.force_login(helper)
    assert client.get(page(order)).status_code == 403
    assert client.post(page(order), {"scope": "all"}).status_code == 403
    assert not RefundRequest.objects.exists()


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
    answer = admin.post(page(order), {**demand(admin, order), "confirmed": "0.00"})
    assert (
        "la banque du client conteste ce paiement. Répondez d&#x27;abord au litige."
        in answer.content.decode()
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


def test_refund_pages_two_finishes_of_one_piece_are_told_apart(admin):
    witch = make_finished_product("Sorcière de minuit", painted="80.00", unpainted="40.00")
    order = pay_order(make_order((witch, 1), (make_product("Golem de poche"), 1)))
    painted, raw = order.items.all()
    OrderItem.objects.filter(pk=painted.pk).update(finish="painted")
    OrderItem.objects.filter(pk=raw.pk).update(finish="unpainted", product_name=painted.product_name)
    page = reverse("admin:orders_order_refund", args=[order.pk])
    shown = admin.get(page).content.decode()
    assert "Quantité\u00a0: Sorcière de minuit (Peint)" in shown
    assert "Quantité\u00a0: Sorcière de minuit (Non peint)" in shown
    asked = {"scope": "lines", f"units_{raw.pk}": "1", "reason": "Ébréchée", "key": new_key()}
    assert "1 × Sorcière de minuit (Non peint)" in admin.post(page, asked).content.decode()
    request = request_refund(order_id=order.pk, key=new_key(), lines=[ReturnedLine(raw.pk, 1)])
    assert "1 × Sorcière de minuit (Non peint)" in admin.get(page).content.decode()
    detail = admin.get(reverse("admin:orders_refundrequest_change", args=[request.pk])).content.decode()
    assert "Sorcière de minuit (Non peint)" in detail


def test_refund_pages_one_free_piece_is_written_in_the_singular(admin, order):
    order.items.update(quantity=1, free_quantity=1, line_total="0.00")
    shown = admin.get(reverse("admin:orders_order_refund", args=[order.pk])).content.decode()
    assert "(1 pièce, offerte)" in shown
    assert "1 pièces" not in shown


def test_refund_pages_amounts_are_french_and_no_key_is_shown(admin, order):
    page = reverse("admin:orders_order_refund", args=[order.pk])
    asked = {"scope": "amount", "amount": "26.38", "reason": "Geste", "key": new_key()}
    answer = admin.post(page, {**asked, "confirmed": "26.38"}, follow=True)
    request = RefundRequest.objects.get()
    shown = answer.content.decode()
    assert "Remboursement de 26,38\u00a0€ décidé. Cette page montre son état." in shown
    assert str(request) == f"{order.reference} · 26,38\u00a0€"
    assert str(request.refunds.get()) == f"{order.reference} · 26,38\u00a0€"
    assert "26.38\u00a0€" not in shown
    assert "26.38 €" not in shown
    visible = re.sub(r"<[^>]+>", " ", shown)
    assert str(request.pk) not in visible
