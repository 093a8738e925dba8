"""« Réglé par virement » in the admin: asked, shown, written once."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from orders.books.staff_tasks import staff_tasks
from orders.models import Order, Refund, RefundState
from orders.services.refunds.sending import sync_refunds
from orders.stripe import gateway
from orders.tests.factories import make_order, make_product, pay_order
from orders.tests.memory_provider import MemoryProvider
from orders.tests.refunding import EUROS, refund, rows, send_all
from shop.core.tests.reading import text

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]


@pytest.fixture(scope="module")
def bounced(module_provider: MemoryProvider) -> Refund:
    """All 49.99 of an order went back and bounced."""
    refund(pay_order(make_order((make_product(stock_quantity=3), 1))))
    send_all()
    sent = Refund.objects.get()
    module_provider.settle_refund(str(sent.provider_id), "failed")
    sync_refunds(str(sent.attempt.intent_id))
    return sent


@pytest.fixture
def failed(bounced: Refund, provider: MemoryProvider) -> Refund:
    return Refund.objects.get(pk=bounced.pk)


def page(order: Order) -> str:
    return reverse("staff-order-transfer", args=[order.pk])


def answers(failed: Refund, **changes: str) -> dict[str, str]:
    return {
        "refund": str(failed.pk),
        "sent_on": timezone.localdate().isoformat(),
        "reference": "VIR 118",
        **changes,
    }


def test_the_button_shows_while_a_failed_refund_waits(staff_client, failed):
    change = reverse("admin:orders_order_change", args=[failed.order_id])
    assert f'href="{page(failed.order)}"' in text(staff_client.get(change))
    staff_client.post(page(failed.order), answers(failed, confirmed="49.99"))
    assert f'href="{page(failed.order)}"' not in text(staff_client.get(change))
    assert "Aucun remboursement de cette commande n'attend de virement." in text(
        staff_client.get(page(failed.order))
    )


def test_it_asks_shows_and_writes_once(staff_client, failed):
    asked = text(staff_client.get(page(failed.order)))
    assert "49,99 €, échoué le" in asked
    assert "La carte du client n'existe plus" in asked
    before = rows()
    shown = text(staff_client.post(page(failed.order), answers(failed)))
    assert "Avez-vous viré 49,99 € au client ?" in shown
    assert "Oui, 49,99 € sont virés" in shown
    assert rows() == before

    for _click in range(2):
        answer = staff_client.post(page(failed.order), answers(failed, confirmed="49.99"))
        assert answer.status_code == 302
        assert answer["Location"] == reverse("staff-order", args=[failed.order_id])
    made = Refund.objects.get(method="transfer")
    assert (made.replaces, made.amount, made.transfer_reference, made.state) == (
        failed, EUROS("49.99"), "VIR 118", RefundState.SUCCEEDED
    )  # fmt: skip
    event = failed.order.events.get(name="refund.transferred")
    assert event.actor is not None
    assert event.actor.email == "admin@example.com"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"sent_on": ""}, "Ce champ est obligatoire."),
        ({"sent_on": "hier"}, "Saisissez une date valide."),
        ({"reference": " "}, "Ce champ est obligatoire."),
        ({"reference": "x" * 101}, "Assurez-vous que cette valeur comporte au plus 100 caractères"),
        ({"refund": "autre"}, "Sélectionnez un choix valide."),
        (
            {"sent_on": (timezone.localdate() + timedelta(days=2)).isoformat()},
            "Cette date est dans l'avenir.",
        ),
        ({"sent_on": "2020-01-01"}, "Le remboursement n'a échoué que le"),
    ],
)
def test_answers_that_make_no_sense_write_nothing(staff_client, failed, changes, message):
    before = rows()
    answer = staff_client.post(page(failed.order), answers(failed, confirmed="49.99", **changes))
    assert answer.status_code == 200
    assert message in text(answer)
    assert rows() == before


def test_an_amount_that_changed_since_is_shown_again(staff_client, failed, provider):
    """Somebody gives a part back at the provider while the page is open: it is heard of before anything is written."""
    provider.refund_elsewhere(failed.attempt, 2000)
    shown = text(staff_client.post(page(failed.order), answers(failed, confirmed="49.99")))
    assert "Avez-vous viré 29,99 € au client ?" in shown
    assert not Refund.objects.filter(method="transfer").exists()
    assert staff_client.post(page(failed.order), answers(failed, confirmed="29.99")).status_code == 302
    assert Refund.objects.get(method="transfer").amount == EUROS("29.99")


def test_it_is_written_while_the_provider_is_away(staff_client, failed, monkeypatch):
    def away(intent_id: str) -> None:
        raise gateway.GatewayUnavailable("no answer")

    monkeypatch.setattr(gateway, "list_refunds", away)
    assert staff_client.post(page(failed.order), answers(failed, confirmed="49.99")).status_code == 302
    assert Refund.objects.get(method="transfer").amount == EUROS("49.99")


def test_only_who_may_refund_gets_there(client, failed, django_user_model):
    user = django_user_model.objects.create_user("aide@example.com", "x", is_staff=True)
    user.user_permissions.add(Permission.objects.get(codename="view_order"))
    client.force_login(user)
    before = rows()
    assert client.get(page(failed.order)).status_code == 403
    assert client.post(page(failed.order), answers(failed, confirmed="49.99")).status_code == 403
    assert rows() == before


def test_the_list_of_refunds_leads_there(staff_client, failed):
    listing = reverse("staff-refunds")
    leads = f"{page(failed.order)}?refund={failed.pk}"
    assert f'href="{leads}"' in text(staff_client.get(listing))
    assert f'value="{failed.pk}"' in text(staff_client.get(leads))
    staff_client.post(page(failed.order), answers(failed, confirmed="49.99"))
    assert staff_client.get(listing).context["list"].rows == []
    sent = staff_client.get(listing, {"liste": "virements"})
    assert [refund.transfer_reference for refund in sent.context["list"].rows] == ["VIR 118"]
    assert reverse("staff-order-transfer-returned", args=[failed.order_id]) in text(sent)


def test_what_was_settled_waits_for_nobody(staff_client, failed):
    waiting = [task.several for task in staff_tasks(timezone.localdate())]
    assert "Remboursements échoués" in waiting
    staff_client.post(page(failed.order), answers(failed, confirmed="49.99"))
    assert "Remboursements échoués" not in [task.several for task in staff_tasks(timezone.localdate())]


# --- The call ---------------------------------------------------------------------------------------------


def told(failed: Refund, **changes: Any) -> dict[str, Any]:
    return {
        "refund_id": str(failed.pk),
        "sent_on": timezone.localdate().isoformat(),
        "reference": "VIR 118",
        "amount": "49.99",
        **changes,
    }


def call(staff_client: Client, failed: Refund, body: Any, request_id: object = None) -> Any:
    address = f"/api/admin/refunds/{request_id or failed.request_id}/transfer"
    return staff_client.post(address, json.dumps(body), content_type="application/json")


def test_the_call_answers_the_decision_with_its_movements_once(staff_client, failed):
    for _again in range(2):
        answer = call(staff_client, failed, told(failed))
        assert answer.status_code == 200, answer.content
        refund = answer.json()["refund"]
        assert (answer.json()["success"], refund["status"]) == (True, "succeeded")
        assert [
            (row["method"], row["state"], row["amount"], row["provider_id"]) for row in refund["refunds"]
        ] == [("card", "failed", "49.99", failed.provider_id), ("transfer", "succeeded", "49.99", None)]
        assert Refund.objects.get(method="transfer").transfer_reference == "VIR 118"


@pytest.mark.parametrize(
    ("changes", "status", "code"),
    [
        ({"amount": "49.98"}, 409, "refund_amount_changed"),
        ({"amount": "0.00"}, 400, "invalid"),
        ({"sent_on": "hier"}, 400, "invalid"),
        ({"sent_on": "2020-01-01"}, 400, "refund_invalid"),
        ({"reference": ""}, 400, "invalid"),
        ({"refund_id": "00000000-0000-4000-8000-000000000000"}, 404, "not_found"),
    ],
)
def test_a_call_that_makes_no_sense_writes_nothing(staff_client, failed, changes, status, code):
    before = rows()
    answer = call(staff_client, failed, told(failed, **changes))
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert rows() == before


def test_the_call_is_for_administrators_and_for_the_decision_s_own_refunds(client, staff_client, failed):
    before = rows()
    other = "00000000-0000-4000-8000-000000000000"
    assert call(staff_client, failed, told(failed), request_id=other).status_code == 404
    assert call(Client(), failed, told(failed)).status_code in (401, 403)
    assert rows() == before
