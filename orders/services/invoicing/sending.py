"""Invoices and credit notes by mail: with the mail that announces what happened, else with one of their own."""

import uuid
from collections.abc import Sequence

from orders.invoices.documents import (
    CREDIT_NOTE,
    DOCUMENT,
    ORDER_INVOICE,
    document_attachment,
    ensure_document,
    file_name,
)
from orders.invoices.issuing import current_invoice
from orders.mails import mail_customer
from orders.models import Invoice, InvoiceKind, Order
from shop.core.mail_content import MailFile, register_attachments
from shop.core.money import amount_string


def mail_documents(invoices: Sequence[Invoice], *, explanation: str = "") -> None:
    """To the customer, once: documents that no other mail brings. The first names the mail."""
    first = invoices[0]
    order = first.order
    mail_customer(
        order,
        "invoice",
        {
            "number": first.number,
            "is_credit_note": first.kind == InvoiceKind.CREDIT_NOTE,
            "is_corrected": "replaces" in first.data,
            "replaced": first.data.get("replaces", {}).get("number", ""),
            "total": amount_string(abs(first.total)),
            "explanation": explanation,
        },
        once=first.pk,
        attachments=[document_attachment(invoice.pk) for invoice in invoices],
    )


def register() -> None:
    """Register the references of `attachments` with the outbox."""
    register_attachments(
        ORDER_INVOICE, lambda key: _file(_of_order(key)), missed=lambda key: _follow(_of_order(key))
    )
    register_attachments(
        CREDIT_NOTE, lambda key: _file(_of_request(key)), missed=lambda key: _follow(_of_request(key))
    )
    register_attachments(DOCUMENT, lambda key: _file(Invoice.objects.filter(pk=int(key)).first()))


def _of_order(key: str) -> Invoice | None:
    order = Order.objects.filter(pk=uuid.UUID(key)).first()
    return current_invoice(order) if order is not None else None


def _of_request(key: str) -> Invoice | None:
    return Invoice.objects.filter(refund_request_id=uuid.UUID(key)).first()


def _file(invoice: Invoice | None) -> MailFile | None:
    if invoice is None:
        return None
    # Made here when the worker that was asked for it has not come to it: one mail instead of two.
    return MailFile(file_name(invoice), bytes(ensure_document(invoice).pdf), "application/pdf")


def _follow(invoice: Invoice | None) -> None:
    if invoice is not None:
        mail_documents([invoice])
