"""Transfers that did not reach their customer: taken back in the books, owed again, told to the customer."""

from __future__ import annotations

import json
from datetime import date, datetime
from typing import Any

import pytest
import time_machine
from django.contrib.auth.models import Permission
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from orders.books.audit import audit_books
from orders.books.days import month
from orders.books.receipts import receipts
from orders.books.staff_tasks import staff_tasks
from orders.models import (
    Invoice,
    LedgerEntry,
    OrderStatus,
    PaymentState,
    Refund,
    RefundRequest,
    RefundState,
    TransferReturn,
)
from orders.selectors.refund_retries import retryable_refunds
from orders.selectors.refund_rules import RefundRefused, refundable
from orders.selectors.refunds import progress
from orders.services.refunds.decisions import retry_refund
from orders.services.refunds.sending import send_refund
from orders.services.refunds.transfers import settle_by_transfer, take_transfer_back
from orders.tests.memory_provider import MemoryProvider
from orders.tests.refunding import EUROS, PARIS, bounced, ledger, mails, rows
from shop.core.mail_delivery import render
from shop.core.models import OutgoingMail
from shop.core.tests.reading import text

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]

TODAY = datetime(2026, 12, 9, 11, tzinfo=PARIS)
SENT = date(2026, 12, 3)


@pytest.fixture(scope="module")
def sent(module_provider: MemoryProvider) -> Refund:
    """49.99 that came back from the card on 30 November, sent by transfer on 3 December."""
    failed = bounced(module_provider)
    with time_machine.travel(datetime(2026, 12, 3, 16, tzinfo=PARIS), tick=False):
        return settle_by_transfer(
            refund_id=failed.pk, sent_on=SENT, reference="VIR 118", amount=EUROS("49.99")
        )


@pytest.fixture
def transfer(sent: Refund, provider: MemoryProvider) -> Refund:
    return Refund.objects.get(pk=sent.pk)


@pytest.fixture(autouse=True)
def _today(transfer: Refund):
    with time_machine.travel(TODAY, tick=False):
        yield


def take_back(transfer: Refund, **changes: Any) -> Refund:
    values = {"returned_on": date(2026, 12, 8), "why": TransferReturn.RETURNED, **changes}
    return take_transfer_back(refund_id=transfer.pk, **values)


def refused(code: str, transfer: Refund, **changes: Any) -> RefundRefused:
    before = rows()
    with pytest.raises(RefundRefused) as caught:
        take_back(transfer, **changes)
    assert caught.value.code == code
    assert rows() == before
    return caught.value


def test_the_books_take_it_back_on_its_day_and_the_money_is_owed_again(transfer):
    order = transfer.order
    order.refresh_from_db()
    assert order.status == OrderStatus.REFUNDED
    taken = take_back(transfer)
    order.refresh_from_db()
    assert (taken.pk, taken.state, taken.error) == (transfer.pk, RefundState.FAILED, "transfer_returned")
    entry = LedgerEntry.objects.latest("pk")
    assert (entry.kind, entry.amount, entry.provider_id) == (
        "refund_failed", EUROS("49.99"), f"transfer-{transfer.pk}"
    )  # fmt: skip
    assert (entry.occurred_at, entry.created_at) == (datetime(2026, 12, 8, 12, tzinfo=PARIS), TODAY)
    assert (order.status, order.payments.get().state) == (OrderStatus.CONFIRMED, PaymentState.PAID)
    request = RefundRequest.objects.get()
    assert (progress(request), request.settled_at) == ("failed", None)
    assert [(debt.refund, debt.owed) for debt in retryable_refunds(order)] == [(transfer, EUROS("49.99"))]
    # The credit note stands: nothing more can be credited.
    assert refundable(order) == EUROS("0.00")
    assert [note.total for note in Invoice.objects.filter(kind="credit_note")] == [EUROS("-49.99")]
    assert order.events.get(name="refund.transfer_taken_back").data == {
        "refund": str(transfer.pk), "returned_on": "2026-12-08", "why": "transfer_returned",
    }  # fmt: skip


@pytest.mark.parametrize("day", [SENT, TODAY.date()])
def test_it_may_come_back_on_the_day_of_its_sending_and_today(transfer, day):
    taken = take_back(transfer, returned_on=day)
    assert (taken.state, LedgerEntry.objects.latest("pk").occurred_at.astimezone(PARIS).date()) == (
        RefundState.FAILED,
        day,
    )


def test_the_receipts_book_keeps_both_lines(transfer):
    take_back(transfer)
    note = Invoice.objects.get(kind="credit_note")
    assert [
        (line.day, line.nature, line.method, line.amount, line.document) for line in receipts(month(12, 2026))
    ] == [
        (SENT, "Remboursement", "Virement", EUROS("-49.99"), note.number),
        (date(2026, 12, 8), "Remboursement rejeté", "Virement", EUROS("49.99"), note.number),
    ]


def test_the_audit_tells_of_a_credit_note_whose_money_came_back_until_it_is_made_good(transfer):
    def faults() -> list[tuple[str, str]]:
        found = audit_books(timezone.now(), with_provider=False).faults
        return [
            (fault.subject, fault.detail) for fault in found if fault.check not in ("document", "contract")
        ]

    assert faults() == []
    take_back(transfer)
    note = Invoice.objects.get(kind="credit_note")
    assert faults() == [(note.number, "son remboursement a échoué après l'émission")]
    settle_by_transfer(
        refund_id=transfer.pk, sent_on=date(2026, 12, 9), reference="VIR 131", amount=EUROS("49.99")
    )
    assert faults() == []


def test_a_second_transfer_completes_the_decision_without_a_second_credit_note(transfer):
    take_back(transfer)
    second = settle_by_transfer(
        refund_id=transfer.pk, sent_on=date(2026, 12, 9), reference="VIR 131", amount=EUROS("49.99")
    )
    assert (second.replaces, second.state, second.settled_at) == (transfer, RefundState.SUCCEEDED, TODAY)
    order = transfer.order
    order.refresh_from_db()
    assert (order.status, retryable_refunds(order)) == (OrderStatus.REFUNDED, [])
    assert sum(amount for _kind, amount in ledger(order)) == EUROS("0.00")
    assert Invoice.objects.filter(kind="credit_note").count() == 1
    assert mails(order) == [
        "refund_done", "refund_done", "refund_done", "refund_failed_alert", "refund_transfer_returned",
    ]  # fmt: skip


def test_or_the_card_takes_it_after_all(transfer):
    take_back(transfer)
    again = retry_refund(refund_id=transfer.pk)
    assert (again.method, again.amount) == ("card", EUROS("49.99"))
    send_refund(again.pk)
    again.refresh_from_db()
    assert again.state == RefundState.SUCCEEDED
    assert sum(amount for _kind, amount in ledger(transfer.order)) == EUROS("0.00")


def test_said_twice_it_is_written_once(transfer):
    first = take_back(transfer)
    before = rows()
    assert take_back(transfer, returned_on=date(2026, 12, 9), why=TransferReturn.MISTAKEN) == first
    assert rows() == before


@pytest.mark.parametrize(
    ("day", "reason"),
    [
        (date(2026, 12, 10), "la date du retour est dans l'avenir."),
        (date(2026, 12, 2), "la date du retour est d'avant le virement."),
    ],
)
def test_days_that_can_not_be(transfer, day, reason):
    problem = refused("refund_invalid", transfer, returned_on=day)
    assert (problem.status, problem.detail) == (400, f"Impossible de traiter le remboursement: {reason}")


def test_returned_on_its_own_day_it_stands_after_the_transfer(transfer):
    assert take_back(transfer, returned_on=SENT).settled_at == transfer.settled_at


def test_a_refund_on_the_card_comes_back_by_the_provider_s_word_only(transfer):
    assert transfer.replaces is not None
    problem = refused("refund_not_transferred", transfer.replaces)
    assert problem.detail == (
        "Impossible de traiter le remboursement: ce remboursement n'a pas été réglé par virement."
    )


@pytest.mark.parametrize(
    ("why", "sentence"),
    [
        (
            TransferReturn.RETURNED,
            "La banque nous a renvoyé le virement de 49,99 € du 3 décembre 2026 pour la commande",
        ),
        (TransferReturn.MISTAKEN, "Il avait été noté par erreur et n'est pas parti"),
    ],
)
def test_the_customer_reads_what_happened(transfer, why, sentence):
    take_back(transfer, why=why)
    mail = OutgoingMail.objects.get(kind="refund_transfer_returned")
    assert (mail.to, mail.language) == (transfer.order.email, "fr")
    written = render(mail)
    for body in (written.text, written.html):
        plain = body.replace("&#x27;", "'").replace("\u00a0", " ").replace("\u202f", " ")
        assert sentence in plain
        assert "VIR 118" in plain


# --- In the administration ----------------------------------------------------------------------------------


def page(transfer: Refund) -> str:
    return reverse("staff-order-transfer-returned", args=[transfer.order_id])


def answers(transfer: Refund, /, **changes: str) -> dict[str, str]:
    return {
        "transfer": str(transfer.pk),
        "why": "transfer_returned",
        "returned_on": "2026-12-08",
        **changes,
    }


def test_the_button_shows_while_a_transfer_stands(staff_client, transfer):
    change = reverse("admin:orders_order_change", args=[transfer.order_id])
    assert f'href="{page(transfer)}"' in text(staff_client.get(change))
    staff_client.post(page(transfer), answers(transfer))
    assert f'href="{page(transfer)}"' not in text(staff_client.get(change))
    assert "Aucun virement n'est noté pour cette commande." in text(staff_client.get(page(transfer)))


def test_it_asks_and_writes_once(staff_client, transfer):
    asked = text(staff_client.get(page(transfer)))
    assert "49,99 €, viré le 3 décembre 2026 (VIR 118)" in asked
    waiting = [task.several for task in staff_tasks(timezone.localdate())]
    assert "Remboursements échoués" not in waiting
    shown = text(staff_client.post(page(transfer), answers(transfer, why="transfer_mistaken"), follow=True))
    assert "Retour du virement de 49,99 € enregistré." in shown
    assert "Ce virement avait été noté par erreur" in text(staff_client.get(reverse("staff-refunds")))
    order_page = text(staff_client.get(reverse("admin:orders_order_change", args=[transfer.order_id])))
    assert "Ce virement avait été noté par erreur" in order_page
    assert "La carte du client n'existe plus" in order_page
    before = rows()
    again = staff_client.post(page(transfer), answers(transfer), follow=True)
    assert "Ce retour est déjà enregistré." in text(again)
    assert rows() == before
    event = transfer.order.events.get(name="refund.transfer_taken_back")
    assert (event.actor.email, event.data["why"]) == ("admin@example.com", "transfer_mistaken")
    assert "Remboursements échoués" in [task.several for task in staff_tasks(timezone.localdate())]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"returned_on": ""}, "Ce champ est obligatoire."),
        ({"returned_on": "hier"}, "Saisissez une date valide."),
        ({"transfer": "autre"}, "Sélectionnez un choix valide."),
        ({"why": "autre"}, "Sélectionnez un choix valide."),
        ({"returned_on": "2026-12-10"}, "Cette date est dans l'avenir."),
        ({"returned_on": "2026-12-02"}, "Le virement n'est parti que le 3 décembre 2026."),
    ],
)
def test_answers_that_make_no_sense_write_nothing(staff_client, transfer, changes, message):
    before = rows()
    answer = staff_client.post(page(transfer), answers(transfer, **changes))
    assert answer.status_code == 200
    assert message in text(answer)
    assert rows() == before


def test_only_who_may_refund_gets_there(client, transfer, django_user_model):
    user = django_user_model.objects.create_user("aide@example.com", "x", is_staff=True)
    user.user_permissions.add(Permission.objects.get(codename="view_order"))
    client.force_login(user)
    before = rows()
    assert client.get(page(transfer)).status_code == 403
    assert client.post(page(transfer), answers(transfer)).status_code == 403
    assert rows() == before


# --- The call ---------------------------------------------------------------------------------------------


def call(staff_client: Client, transfer: Refund, request_id: object = None, **changes: Any) -> Any:
    body = {
        "refund_id": str(transfer.pk),
        "returned_on": "2026-12-08",
        "why": "transfer_returned",
        **changes,
    }
    address = f"/api/admin/refunds/{request_id or transfer.request_id}/transfer/returned"
    return staff_client.post(address, json.dumps(body), content_type="application/json")


def test_the_call_answers_the_decision_that_is_open_again(staff_client, transfer):
    for _again in range(2):
        answer = call(staff_client, transfer)
        assert answer.status_code == 200, answer.content
        told = answer.json()["refund"]
        assert (answer.json()["success"], told["status"]) == (False, "failed")
        assert RefundRequest.objects.get(pk=told["id"]).settled_at is None
        assert [(row["method"], row["state"], row["error"]) for row in told["refunds"]] == [
            ("card", "failed", "expired_or_canceled_card"),
            ("transfer", "failed", "transfer_returned"),
        ]


@pytest.mark.parametrize(
    ("changes", "status", "code"),
    [
        ({"why": "lost"}, 400, "invalid"),
        ({"returned_on": "hier"}, 400, "invalid"),
        ({"returned_on": "2020-01-01"}, 400, "refund_invalid"),
        ({"refund_id": "00000000-0000-4000-8000-000000000000"}, 404, "not_found"),
        ({"request_id": "00000000-0000-4000-8000-000000000000"}, 404, "not_found"),
    ],
)
def test_a_call_that_makes_no_sense_writes_nothing(staff_client, transfer, changes, status, code):
    before = rows()
    answer = call(staff_client, transfer, **changes)
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert call(Client(), transfer).status_code in (401, 403)
    assert rows() == before
