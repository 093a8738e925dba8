"""Celery tasks and jobs of invoices: thin, repeatable, by id."""

from datetime import datetime, timedelta

from celery import shared_task

from orders.invoices.documents import ensure_document, make_missing_documents
from orders.models import Invoice
from shop.core.jobs import scheduled_job


@shared_task(name="orders.tasks.make_invoice_document")
def make_invoice_document(invoice_id: int) -> None:
    invoice = Invoice.objects.filter(pk=invoice_id).first()
    if invoice is not None:
        ensure_document(invoice)


@scheduled_job("invoice-documents", every=timedelta(minutes=5))
def make_lost_documents(now: datetime) -> None:
    """Invoices whose wake-up or worker was lost."""
    make_missing_documents(now)
