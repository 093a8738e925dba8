"""Celery tasks and jobs of invoices: thin, repeatable, by id."""

import logging
from datetime import datetime, time, timedelta

from celery import shared_task
from django.utils import translation

from orders.books.audit import audit_books
from orders.books.audit_alerts import mail_audit
from orders.invoices.documents import ensure_document, make_missing_documents
from orders.models import Invoice
from shop.core.jobs import scheduled_job

logger = logging.getLogger(__name__)


@shared_task(name="orders.tasks.make_invoice_document")
def make_invoice_document(invoice_id: int) -> None:
    invoice = Invoice.objects.filter(pk=invoice_id).first()
    if invoice is not None:
        ensure_document(invoice)


@scheduled_job("invoice-documents", every=timedelta(minutes=5))
def make_lost_documents(now: datetime) -> None:
    """Invoices whose wake-up or worker was lost."""
    make_missing_documents(now)


@scheduled_job("audit-books", every=timedelta(days=1), at=time(4, 30))
def audit_every_night(now: datetime) -> None:
    """Series, chain, documents, orders and ledger; Stripe's account is compared by the job that reconciles."""
    with translation.override("fr"):
        report = audit_books(now, with_provider=False)
    mail_audit(report, now)
    logger.info("audit: %d documents, %d faults", report.documents, len(report.faults))
