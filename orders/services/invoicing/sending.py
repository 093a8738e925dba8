"""Invoices and credit notes by mail: with the mail that announces what happened, else with one of their own."""

import uuid
from collections.abc import Sequence

from orders.invoices.contracts import CONTRACT, contract_file_name, ensure_contract_document
from orders.invoices.documents import (
    CREDIT_NOTE,
    DOCUMENT,
    ORDER_INVOICE,
    PAID_COPY,
    document_attachment,
    ensure_document,
    file_name,
    paid_copy,
)
from orders.invoices.issuing import current_invoice
from orders.mails import mail_customer
from orders.models import Contract, Invoice, InvoiceKind
from shop.core.mail_content import Attachment, MailFile, register_attachments
from shop.core.money import amount_string

INVOICE_MAIL = "invoice"


def mail_documents(
    invoices: Sequence[Invoice],
    *,
    explanation: str = "",
    once: object = None,
    attachments: Sequence[Attachment] | None = None,
) -> None:
    """To the customer, once: documents that no other mail brings. The first names the mail, unless `once` does; they
    are attached themselves, unless `attachments` are."""
    first = invoices[0]
    order = first.order
    mail_customer(
        order,
        INVOICE_MAIL,
        {
            "number": first.number,
            "is_credit_note": first.kind == InvoiceKind.CREDIT_NOTE,
            "is_corrected": "replaces" in first.data,
            "replaced": first.data.get("replaces", {}).get("number", ""),
            "total": amount_string(abs(first.total)),
            "explanation": explanation,
        },
        once=once or first.pk,
        attachments=attachments or [document_attachment(invoice.pk) for invoice in invoices],
    )


def register() -> None:
    """Register the references of `attachments` with the outbox."""
    register_attachments(
        ORDER_INVOICE, lambda key: _file(_of_order(key)), missed=lambda key: _follow(_of_order(key))
    )
    register_attachments(
        CREDIT_NOTE, lambda key: _file(_of_request(key)), missed=lambda key: _follow(_of_request(key))
    )
    register_attachments(CONTRACT, lambda key: _contract(Contract.objects.filter(pk=int(key)).first()))
    register_attachments(PAID_COPY, lambda key: _paid_copy(_of_order(key)))
    register_attachments(DOCUMENT, lambda key: _file(Invoice.objects.filter(pk=int(key)).first()))


def _of_order(key: str) -> Invoice | None:
    return current_invoice(uuid.UUID(key))


def _of_request(key: str) -> Invoice | None:
    return Invoice.objects.filter(refund_request_id=uuid.UUID(key)).first()


def _file(invoice: Invoice | None) -> MailFile | None:
    if invoice is None:
        return None
    return MailFile(file_name(invoice), bytes(ensure_document(invoice).pdf), "application/pdf")


def _contract(contract: Contract | None) -> MailFile | None:
    if contract is None:
        return None
    content = bytes(ensure_contract_document(contract).pdf)
    return MailFile(contract_file_name(contract), content, "application/pdf")


def _paid_copy(invoice: Invoice | None) -> MailFile | None:
    content = None if invoice is None else paid_copy(invoice)
    if invoice is None or content is None:
        return None
    name = file_name(invoice).replace(".pdf", "-acquittee.pdf")
    return MailFile(name, content, "application/pdf")


def _follow(invoice: Invoice | None) -> None:
    if invoice is not None:
        mail_documents([invoice])
