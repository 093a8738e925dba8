"""The stored PDF of an invoice: made once by a worker after the commit, then only read."""

import hashlib
import logging
from datetime import datetime, timedelta

from django.db import IntegrityError, transaction

from orders.invoices.document import typeset
from orders.models import Invoice, InvoiceDocument, InvoiceKind

logger = logging.getLogger(__name__)

SWEEP_AFTER = timedelta(minutes=2)
SWEEP_AT_ONCE = 200


def ensure_document(invoice: Invoice) -> InvoiceDocument:
    """The document of an invoice, typeset now if nobody did yet.

    Two workers that typeset at once make the same bytes; the database keeps the first row, and both return it.
    """
    known = InvoiceDocument.objects.filter(invoice=invoice).first()
    if known is not None:
        return known
    pdf = typeset(invoice.data)
    try:
        with transaction.atomic():
            return InvoiceDocument.objects.create(
                invoice=invoice, pdf=pdf, sha256=hashlib.sha256(pdf).hexdigest()
            )
    except IntegrityError:
        return InvoiceDocument.objects.get(invoice=invoice)


def file_name(invoice: Invoice) -> str:
    """`facture-F-2026-00001.pdf`, `avoir-F-2026-00002.pdf`."""
    word = "avoir" if invoice.kind == InvoiceKind.CREDIT_NOTE else "facture"
    return f"{word}-{invoice.number}.pdf"


def make_missing_documents(now: datetime) -> int:
    """Typeset what a lost wake-up or a dead worker left without a document; returns how many were made.

    One that can't be typeset is logged and does not keep the others waiting.
    """
    made = 0
    lost = Invoice.objects.filter(document=None, issued_at__lt=now - SWEEP_AFTER).order_by("pk")
    for invoice in lost[:SWEEP_AT_ONCE]:
        try:
            ensure_document(invoice)
            made += 1
        except Exception:
            logger.exception("invoice %s has no document", invoice.number)
    return made
