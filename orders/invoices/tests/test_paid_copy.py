"""Receipts of an order in installments: schedule and mandate with its confirmation, the paid invoice at its end."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from io import BytesIO

import pytest
import time_machine
from django.core import mail
from django.db import transaction
from django.test import Client
from django.urls import reverse
from pypdf import PdfReader

from orders.access import access_token
from orders.invoices.content import paid_copy_data
from orders.invoices.documents import paid_copy
from orders.invoices.facturx import factur_x
from orders.invoices.page_texts import page_texts
from orders.models import Attempt, Invoice, Order, PaymentState
from orders.services.installments.scheduled_payments import receive_installment
from orders.services.refunds.decisions import ReturnedLine, request_refund
from orders.tests.factories import make_order, make_product, pay_order
from orders.tests.installments import offer_installments
from orders.tests.withdrawing import declare
from shop.core.mail_delivery import deliver
from shop.core.models import OutgoingMail

pytestmark = pytest.mark.django_db
NB = "\u00a0"


@pytest.fixture
def order() -> Order:
    offer_installments()
    with time_machine.travel(datetime(2026, 11, 5, 12, tzinfo=UTC)):
        return pay_order(make_order((make_product(price="180.00"), 1), payment_mode="installments"))


def pay(order: Order, position: int, day: int) -> OutgoingMail:
    with transaction.atomic():
        locked = Order.objects.select_for_update().get(pk=order.pk)
        payment = order.payments.get(position=position)
        attempt = Attempt(payment=payment, amount_cents=6000)
        paid_at = datetime(2027, 1, day, 12, tzinfo=UTC)
        assert receive_installment(order=locked, payment=payment, attempt=attempt, paid_at=paid_at)
    return OutgoingMail.objects.get(kind="installment_received", dedupe_key__contains=f":{payment.pk}:")


def test_the_confirmation_carries_schedule_and_mandate(order: Order) -> None:
    row = OutgoingMail.objects.get(kind="order_confirmation")
    deliver(row.pk)
    text = " ".join(mail.outbox[0].body.replace("\u00a0", " ").replace("\u202f", " ").split())
    assert "Échéancier, sans frais" in text
    assert text.count("60,00 €") >= 3
    assert " ".join(order.mandate_text.replace("\u00a0", " ").replace("\u202f", " ").split()) in text


def test_the_last_installment_brings_the_paid_invoice(order: Order) -> None:
    invoice = Invoice.objects.get()
    assert paid_copy(invoice) is None
    second = pay(order, 2, 5)
    assert (second.attachments, second.context["has_paid_copy"]) == ([], False)
    last = pay(order, 3, 20)
    # Without it the mail waits: nothing would follow.
    assert [attachment["required"] for attachment in last.attachments] == [True]
    deliver(last.pk)
    [(name, content, kind)] = mail.outbox[-1].attachments
    assert (name, kind) == (f"facture-{invoice.number}-acquittee.pdf", "application/pdf")
    assert "Votre facture acquittée est jointe" in mail.outbox[-1].body
    pages = PdfReader(BytesIO(content)).pages
    text = " ".join(" ".join(page.extract_text() for page in pages).replace("\u00a0", " ").split())
    assert "Payée le 20 janvier 2027" in text
    assert "Copie acquittée" in text
    assert "payée le 5 janvier 2027" in text
    assert "à venir" not in text
    assert Invoice.objects.get().data == invoice.data


ASK = "Recevoir la facture acquittée"


def page_of(order: Order) -> str:
    page = reverse("orders:order", args=[order.pk])
    return Client().get(page, {"acces": access_token(order)}).content.decode()


def ask(order: Order, token: str) -> int:
    address = reverse("orders:paid-copy", args=[order.pk])
    return Client().post(address, {"acces": token}).status_code


def test_its_customer_has_it_sent_again_once_a_day(order: Order) -> None:
    assert (ASK in page_of(order), ask(order, access_token(order))) == (False, 303)
    assert not OutgoingMail.objects.filter(kind="invoice").exists()
    pay(order, 2, 5)
    pay(order, 3, 20)
    assert ASK in page_of(order)
    assert (ask(order, ""), ask(order, access_token(order)), ask(order, access_token(order))) == (
        404,
        303,
        303,
    )
    row = OutgoingMail.objects.get(kind="invoice")
    deliver(row.pk)
    invoice = Invoice.objects.get()
    name = f"facture-{invoice.number}-acquittee.pdf"
    assert (mail.outbox[-1].to, mail.outbox[-1].attachments) == (
        [order.email],
        [(name, paid_copy(invoice), "application/pdf")],
    )
    assert f"La facture acquittée part par e-mail à {order.email}." in page_of(order)
    assert ASK not in page_of(order)
    with time_machine.travel(datetime.now(UTC) + timedelta(days=1)):
        assert ASK in page_of(order)
        assert ask(order, access_token(order)) == 303
    assert OutgoingMail.objects.filter(kind="invoice").count() == 2


def test_an_installment_that_was_given_up_is_not_paid(order: Order) -> None:
    pay(order, 2, 5)
    order.payments.filter(position=3).update(state=PaymentState.WRITTEN_OFF)
    assert (ASK in page_of(order), ask(order, access_token(order))) == (False, 303)
    assert not OutgoingMail.objects.filter(kind="invoice").exists()
    assert paid_copy(Invoice.objects.get()) is None


def three_pieces() -> Order:
    offer_installments()
    with time_machine.travel(datetime(2026, 11, 5, 12, tzinfo=UTC)):
        return pay_order(make_order((make_product(price="60.00"), 3), payment_mode="installments"))


@pytest.mark.parametrize("is_first", [True, False])
def test_an_installment_that_was_credited_leaves_the_invoice_paid(
    is_first: bool, django_assert_num_queries
) -> None:
    order = three_pieces()
    [item] = order.items.all()
    if not is_first:
        assert pay(order, 2, 5).context["has_paid_copy"] is False
    request_refund(order_id=order.pk, key="one", lines=[ReturnedLine(item.pk, 1)])
    if is_first:
        assert pay(order, 2, 5).context["has_paid_copy"] is True
    invoice = Invoice.objects.get(kind="invoice")
    # Order, pause, state, payments, what was credited.
    with django_assert_num_queries(5):
        data = paid_copy_data(invoice)
    assert data is not None
    payment = data["payment"]
    assert [payment[name] for name in ("paid", "credited", "due", "paid_on")] == [
        "120.00", "60.00", "0.00", "2027-01-05",
    ]  # fmt: skip
    view = page_texts(data)
    assert ["Échéances annulées", f"60,00{NB}€"] in view["remarks"]
    assert [row[3] for row in view["calendar"]["rows"]] == [
        "payée le 5 novembre 2026",
        "payée le 5 janvier 2027",
    ]
    assert ASK in page_of(order)


def test_an_installment_that_a_withdrawal_stopped_is_neither_paid_nor_credited_yet() -> None:
    order = three_pieces()
    [item] = order.items.all()
    case = declare(order, order=order, lines=(ReturnedLine(item.pk, 1),))
    assert pay(order, 2, 5).context["has_paid_copy"] is False
    assert (ASK in page_of(order), case.voided) == (False, Decimal("60.00"))
    request_refund(order_id=order.pk, key="one", lines=[ReturnedLine(item.pk, 1)], withdrawal=case.withdrawal)
    assert ASK in page_of(order)


def test_what_was_paid_early_and_given_back_since_is_paid(order: Order) -> None:
    second, third = order.payments.filter(position__gt=1)
    pay(order, 2, 5)
    order.payments.filter(pk=second.pk).update(state=PaymentState.PARTLY_REFUNDED, amount="120.00")
    order.payments.filter(pk=third.pk).update(state=PaymentState.VOID, merged_into=second)
    invoice = Invoice.objects.get()
    data = paid_copy_data(invoice)
    assert data is not None
    payment = data["payment"]
    assert (payment["paid"], payment["due"], payment["paid_on"]) == ("180.00", "0.00", "2027-01-05")
    assert [(row["position"], row["amount"]) for row in payment["calendar"]] == [(1, "60.00"), (2, "120.00")]
    content = paid_copy(invoice)
    assert content is not None
    # The data inside are those that were issued.
    [inside] = PdfReader(BytesIO(content)).attachments["factur-x.xml"]
    assert inside == factur_x(invoice.data)


def test_242_nonies_a_a_paid_copy_in_another_language_says_so_in_french_too() -> None:
    offer_installments()
    with time_machine.travel(datetime(2026, 11, 5, 12, tzinfo=UTC)):
        order = pay_order(
            make_order((make_product(price="180.00"), 1), payment_mode="installments", language="de")
        )
    for position, day in ((2, 5), (3, 20)):
        pay(order, position, day)
    data = paid_copy_data(order.invoices.get())
    assert data is not None
    found = page_texts(data)
    assert found["panel"][0] == "Bezahlt am 20. Januar 2027"
    assert ["Bezahlt am 20. Januar 2027", "Payée le 20 janvier 2027"] in found["mentions"]
