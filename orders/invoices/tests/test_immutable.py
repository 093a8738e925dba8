"""Nobody changes or deletes what was issued: the database itself refuses (art. 242 nonies A CGI ann. II)."""

from __future__ import annotations

import pytest
from django.db import DatabaseError, connection, transaction

from orders.invoices.documents import ensure_document
from orders.models import Invoice, InvoiceDocument

pytestmark = [pytest.mark.both_engines, pytest.mark.django_db]


@pytest.fixture
def issued(paid) -> Invoice:
    invoice = paid().invoices.get()
    ensure_document(invoice)
    return invoice


def run(statement: str) -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE orders_invoice SET total = 1",
        "UPDATE orders_invoice SET data = '{}'",
        "UPDATE orders_invoice SET number = 'F-2026-99999'",
        "UPDATE orders_invoice SET hash = ''",
        "DELETE FROM orders_invoice",
        "UPDATE orders_invoicedocument SET sha256 = ''",
        "DELETE FROM orders_invoicedocument",
    ],
)
def test_sql_is_refused(issued: Invoice, statement: str) -> None:
    before = Invoice.objects.values().get(), InvoiceDocument.objects.values("sha256").get()
    with pytest.raises(DatabaseError, match="never changed or deleted"):
        run(statement)
    assert (Invoice.objects.values().get(), InvoiceDocument.objects.values("sha256").get()) == before


def test_the_model_is_refused_too(issued: Invoice) -> None:
    number = issued.number
    issued.number = "F-2026-99999"
    with pytest.raises(DatabaseError, match="never changed or deleted"), transaction.atomic():
        issued.save()
    assert Invoice.objects.get().number == number
