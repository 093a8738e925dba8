"""Who gets an invoice's PDF: its customer and staff; for anybody else the order does not exist."""

from __future__ import annotations

import json
import uuid
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.tests.people import make_admin, make_member
from orders.access import access_token, order_url
from orders.invoices.documents import ensure_document
from orders.invoices.issuing import issue_credit_note
from orders.models import Invoice, InvoiceDocument, InvoiceDraft, Order, RefundRequest
from orders.tests.factories import make_order, new_key, pay_order

pytestmark = pytest.mark.django_db


@pytest.fixture
def member() -> Any:
    return make_member()


@pytest.fixture
def order(member: Any) -> Order:
    order = pay_order(make_order(user=member))
    ensure_document(Invoice.objects.get())
    return order


def client_of(user: Any = None) -> Client:
    client = Client()
    if user is not None:
        client.force_login(user)
    return client


def address(order: Order, name: str = "api-order-invoice") -> str:
    return reverse(name, args=[order.pk])


def is_pdf(response: Any) -> bool:
    stored = bytes(InvoiceDocument.objects.get().pdf)
    return (
        response.status_code == 200
        and response["Content-Type"] == "application/pdf"
        and response.content == stored
    )


def test_the_member_gets_it_for_nobody_else_to_keep(order: Order, member: Any) -> None:
    response = client_of(member).get(address(order))
    assert is_pdf(response)
    number = Invoice.objects.get().number
    assert response["Content-Disposition"] == f'inline; filename="facture-{number}.pdf"'
    assert response["Cache-Control"] == "private, no-store"
    assert response["ETag"] == f'"{InvoiceDocument.objects.get().sha256}"'
    assert response["X-Content-Type-Options"] == "nosniff"
    saved = client_of(member).get(address(order), {"download": "1"})
    assert saved["Content-Disposition"] == f'attachment; filename="facture-{number}.pdf"'


def test_a_browser_that_holds_it_is_told_so(order: Order, member: Any) -> None:
    etag = client_of(member).get(address(order))["ETag"]
    response = client_of(member).get(address(order), headers={"if-none-match": etag})
    assert (response.status_code, response.content) == (304, b"")


def test_a_guest_gets_it_by_the_signed_link_only(order: Order) -> None:
    assert is_pdf(Client().get(address(order), {"acces": access_token(order)}))
    for token in ("", "x", access_token(Order(pk=uuid.uuid4()))):
        assert Client().get(address(order), {"acces": token}).status_code == 404


def test_strangers_are_told_that_there_is_none(order: Order) -> None:
    for client in (Client(), client_of(make_member("autre@example.com"))):
        response = client.get(address(order))
        assert response.status_code == 404
        assert response.json()["code"] == "not_found"
        assert client.get(address(order, "api-admin-order-invoice-pdf")).status_code in (401, 403)


def test_administrators_get_every_one(order: Order) -> None:
    admin = client_of(make_admin())
    assert is_pdf(admin.get(address(order)))
    assert is_pdf(admin.get(address(order, "api-admin-order-invoice-pdf")))
    assert is_pdf(admin.get(reverse("staff-invoice-pdf", args=[Invoice.objects.get().pk])))


def test_the_invoice_of_an_archived_order_stays_its_customer_s(order: Order, member: Any) -> None:
    Order.objects.update(archived_at=timezone.now())
    assert is_pdf(client_of(member).get(address(order)))
    assert is_pdf(client_of(make_admin()).get(address(order)))


@pytest.mark.parametrize("number", ["F-2026-99999", "x" * 5000, "\x00", "'; DROP TABLE"])
def test_a_number_that_the_order_has_not_is_not_found(order: Order, member: Any, number: str) -> None:
    assert client_of(member).get(address(order), {"number": number}).status_code == 404


def test_another_order_s_number_is_not_found(order: Order, member: Any) -> None:
    other = pay_order(make_order())
    number = other.invoices.get().number
    assert client_of(member).get(address(order), {"number": number}).status_code == 404


def test_a_credit_note_is_had_by_its_number(order: Order, member: Any) -> None:
    request = RefundRequest.objects.create(
        order=order, key=new_key(), amount=Decimal("5.00"), settled_at=timezone.now()
    )
    note = issue_credit_note(request=request)
    assert note is not None
    ensure_document(note)
    response = client_of(member).get(address(order), {"number": note.number})
    assert response["Content-Disposition"] == f'inline; filename="avoir-{note.number}.pdf"'


def test_before_payment_there_is_none(member: Any) -> None:
    order = make_order(user=member)
    assert client_of(member).get(address(order)).status_code == 404


def test_one_that_is_still_typeset_is_asked_for_again(
    member: Any, queued_tasks: Any, run_on_commit: Any
) -> None:
    order = pay_order(make_order(user=member))
    queued_tasks.calls.clear()
    with run_on_commit():
        response = client_of(member).get(address(order))
    assert (response.status_code, response.json()["code"]) == (503, "document_not_ready")
    assert queued_tasks.names == ["orders.tasks.make_invoice_document"]
    queued_tasks.run()
    assert is_pdf(client_of(member).get(address(order)))


def test_the_order_page_links_to_it(order: Order, member: Any) -> None:
    number = Invoice.objects.get().number
    page = client_of(member).get(reverse("orders:order", args=[order.pk])).content.decode()
    assert f'{address(order)}?number={number}"' in page
    assert f'Facture <span class="document-number">{number}</span>' in page
    signed = Client().get(order_url(order).removeprefix("http://localhost:8000")).content.decode()
    assert f"{address(order)}?number={number}&amp;acces={access_token(order)}" in signed


# --- The values of an invoice -------------------------------------------------------------------------


def post(client: Client, order: Order, **values: str) -> Any:
    return client.post(
        address(order, "api-admin-order-invoice"), json.dumps(values), content_type="application/json"
    )


def test_staff_read_and_edit_the_draft() -> None:
    order = make_order()
    admin = client_of(make_admin())
    answer = admin.get(address(order, "api-admin-order-invoice")).json()
    assert answer == {
        "number": None,
        "version": 1,
        "invoiceNumber": f"INV-{order.reference}",
        "invoiceDate": None,
        "dueDate": None,
        "customerName": "Léa Martin",
        "customerEmail": "lea@example.com",
        "customerAddress": "3 rue des Carmes\n69003 Lyon\nFrance",
        "customerNumber": "",
        "items": [{"name": "Golem de poche", "quantity": 1, "price": "40.00"}],
        "subtotal": "40.00",
        "shipping": "9.99",
        "total": "49.99",
        "notes": "",
        "url": None,
    }
    edited = post(admin, order, customerName="SARL Martin", notes="Bon 12")
    assert (edited.status_code, edited.json()["customerName"], edited.json()["notes"]) == (
        200,
        "SARL Martin",
        "Bon 12",
    )
    assert pay_order(order).invoices.get().data["customer"]["name"] == "SARL Martin"


def test_staff_correct_an_issued_invoice(order: Order) -> None:
    admin = client_of(make_admin())
    refused = post(admin, order, customerName="SARL Martin")
    assert (refused.status_code, refused.json()["code"]) == (400, "explanation_required")
    assert list(refused.json()["errors"]) == ["explanation"]
    assert (Invoice.objects.count(), InvoiceDraft.objects.count()) == (1, 0)
    answer = post(admin, order, customerName="SARL Martin", explanation="Nom oublié")
    assert (answer.status_code, answer.json()["version"]) == (200, 2)
    assert answer.json()["customerName"] == "SARL Martin"
    assert Invoice.objects.count() == 3


@pytest.mark.parametrize("who", ["nobody", "member"])
def test_nobody_else_edits(order: Order, member: Any, who: str) -> None:
    client = client_of(member if who == "member" else None)
    response = post(client, order, customerName="X", explanation="Y")
    assert response.status_code == (403 if who == "member" else 401)
    assert Invoice.objects.count() == 1


def test_an_unknown_order_is_not_found() -> None:
    admin = client_of(make_admin())
    unknown = Order(pk=uuid.uuid4())
    assert post(admin, unknown, notes="x").status_code == 404
    assert admin.get(address(unknown, "api-admin-order-invoice")).status_code == 404
    assert admin.get(address(unknown, "api-admin-order-invoice-pdf")).status_code == 404


# --- The staff area -----------------------------------------------------------------------------------


def test_staff_list_invoices_with_their_sum(order: Order, django_assert_num_queries: Any) -> None:
    """Session, person, a page of documents, their sum."""
    admin = client_of(make_admin())
    listing = reverse("staff-invoices")
    admin.get(listing)
    with django_assert_num_queries(4):
        page = admin.get(listing).content.decode()
    assert Invoice.objects.get().number in page
    assert "1 document, total 49,99" in page
    day = timezone.localtime(Invoice.objects.get().issued_at).date()
    for asked, count in (
        ({"liste": "avoirs"}, 0),
        ({"q": order.reference}, 1),
        ({"q": "F-1999"}, 0),
        ({"du": day.isoformat(), "au": day.isoformat()}, 1),
        ({"du": (day + timedelta(days=1)).isoformat()}, 0),
        ({"du": "x", "au": "2026-13-45"}, 1),
    ):
        answer = admin.get(listing, asked)
        assert (answer.context["sums"]["count"], len(answer.context["list"].rows)) == (count, count), asked


def test_staff_correct_an_invoice_with_a_reason(order: Order) -> None:
    admin = client_of(make_admin())
    url = reverse("staff-order-invoice", args=[order.pk])
    assert "Rectifier la facture" in admin.get(url).content.decode()
    refused = admin.post(url, {"customer_name": "SARL Martin"})
    assert (refused.status_code, Invoice.objects.count()) == (200, 1)
    sent = {"customer_name": "SARL Martin", "explanation": "Nom oublié"}
    late = admin.post(url, {**sent, "seen": "F-2026-99999"}).content.decode()
    assert "La facture a changé entre-temps." in late
    # What was sent is shown again, unsaved: it stays a draft of this browser, and leaving asks.
    assert " data-staff-form data-unsaved>" in late
    assert " data-staff-form>" in admin.get(url).content.decode()
    assert (Invoice.objects.count(), InvoiceDraft.objects.count()) == (1, 0)
    done = admin.post(url, sent)
    assert done.status_code == 302
    assert [invoice.kind for invoice in Invoice.objects.order_by("sequence")] == [
        "invoice",
        "credit_note",
        "invoice",
    ]


def test_a_correction_that_changes_nothing_says_that_nothing_is_issued(order: Order) -> None:
    admin = client_of(make_admin())
    number = Invoice.objects.get().number
    sent = {"explanation": "Nouvelle adresse", "seen": number}
    page = admin.post(reverse("staff-order-invoice", args=[order.pk]), sent).content.decode()
    assert f"Rien n&#x27;est émis\u00a0: la facture {number} porte déjà ces valeurs." in page
    assert 'value="Nouvelle adresse"' in page
    assert f"Facture {number} émise." not in page
    assert (Invoice.objects.count(), InvoiceDraft.objects.count()) == (1, 0)
