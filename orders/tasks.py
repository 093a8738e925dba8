"""Celery tasks and scheduled jobs of orders: thin, repeatable, by id."""

import hashlib
import logging
import uuid
from contextlib import suppress
from datetime import datetime, time, timedelta

from celery import shared_task
from django.conf import settings
from django.core.cache import cache
from django.utils import translation

from orders.books.alerts import alert_turnover, mail_audit
from orders.books.audit import audit_books
from orders.books.chain import extend_chain, mail_month_heads
from orders.invoices.contracts import ensure_contract_document, make_missing_contracts
from orders.invoices.documents import ensure_document, make_missing_documents
from orders.invoices.lost_numbers import issued_numbers
from orders.models import Contract, Invoice, StripeEvent
from orders.services.fulfilment.delivery_promises import report_overdue_orders
from orders.services.payments import checkout_sessions, due_installments, stored_cards
from orders.services.reconciliation import reconcile, webhook_events
from orders.services.reconciliation.nightly import LOOK_BACK, MARGIN, reconcile_days
from orders.services.reconciliation.provider_account import fetch_account
from orders.services.refunds import sending
from orders.services.withdrawals.cases import alert_open_cases
from orders.stripe import gateway
from shop.backups.making import store_record
from shop.backups.vault import ISSUED_NUMBERS
from shop.core.each_row import each_step
from shop.core.jobs import last_pulse, scheduled_job
from shop.core.languages import SOURCE_LANGUAGE

logger = logging.getLogger(__name__)


@shared_task(
    name="orders.tasks.send_refund",
    autoretry_for=(gateway.GatewayUnavailable,),
    retry_backoff=30,
    max_retries=5,
)
def send_refund(refund_id: str) -> None:
    """Send a refund to the provider."""
    sending.send_refund(uuid.UUID(refund_id))


@shared_task(
    name="orders.tasks.close_void_attempts",
    autoretry_for=(gateway.GatewayUnavailable,),
    retry_backoff=30,
    max_retries=5,
)
def close_void_attempts(order_id: str) -> None:
    """Close the payment pages of an order that collects nothing more."""
    checkout_sessions.close_void_attempts(uuid.UUID(order_id))


@shared_task(
    name="orders.tasks.detach_card",
    autoretry_for=(gateway.GatewayUnavailable,),
    retry_backoff=30,
    max_retries=5,
)
def detach_card(payment_method_id: str) -> None:
    """Detach a card that was replaced."""
    stored_cards.delete_discarded_cards(payment_method_id)


@shared_task(
    name="orders.tasks.delete_customer",
    autoretry_for=(gateway.GatewayUnavailable,),
    retry_backoff=30,
    max_retries=5,
)
def delete_customer(customer_id: str) -> None:
    """Delete the customer of an erased order."""
    stored_cards.delete_discarded_customers(customer_id)


@shared_task(name="orders.tasks.process_event")
def process_event(event_id: int) -> None:
    """Process a stored event of the provider; what stops it stands in its row."""
    event = StripeEvent.objects.filter(pk=event_id).first()
    if event is not None:
        with suppress(webhook_events.NotYetKnown, gateway.GatewayError):
            webhook_events.process_event(event)


@scheduled_job("collect-installments", every=timedelta(days=1), at=time(9))
def collect_installments(now: datetime) -> None:
    """Announce, charge and ask for later installments, at an hour at which customers can answer their bank."""
    due_installments.run_round(now)


@scheduled_job("reconcile-payments", every=timedelta(minutes=5))
def reconcile_payments(now: datetime) -> None:
    """Payments and changes of card in doubt, messages that were missed or not acted on, refunds on their way."""
    last = last_pulse("reconcile-payments")
    each_step(
        lambda: reconcile.fetch_missed_events(now, last=last),
        lambda: reconcile.reprocess_events(now),
        lambda: reconcile.reconcile_attempts(now),
        lambda: reconcile.reconcile_card_changes(now),
        lambda: reconcile.send_waiting_refunds(now),
        checkout_sessions.close_void_attempts,
        stored_cards.delete_discarded_cards,
        stored_cards.delete_discarded_customers,
    )


@scheduled_job("reconcile-books", every=timedelta(days=1), at=time(3, 30))
def reconcile_books(now: datetime) -> None:
    """The ledger against the provider's account, at least since the last time. While the provider is away the job
    fails, and is tried again."""
    last = last_pulse("reconcile-books") or now
    try:
        report = reconcile_days(now, since=min(now - LOOK_BACK, last - MARGIN))
    except gateway.GatewayNotConfigured:
        return
    logger.info(
        "books: %d movements looked at, %d healed, %d open", report.looked_at, report.healed, report.open
    )


@scheduled_job("fetch-provider-account", every=timedelta(days=1), at=time(4, 30))
def fetch_provider_account(now: datetime) -> None:
    """The provider's fees and payouts. While the provider is away the job fails, and is tried again."""
    try:
        lines, payouts = fetch_account(now)
    except gateway.GatewayNotConfigured:
        return
    logger.info("provider's account: %d new lines, %d new payouts", lines, payouts)


@scheduled_job("turnover-alerts", every=timedelta(days=1), at=time(7))
def alert_about_turnover(now: datetime) -> None:
    """Ceilings that come near."""
    alert_turnover(now)


@scheduled_job("overdue-deliveries", every=timedelta(days=1), at=time(8))
def announce_overdue_deliveries(now: datetime) -> None:
    """Promised dates that have passed: customers learn what they may do."""
    report_overdue_orders(now)


@scheduled_job("withdrawal-alerts", every=timedelta(days=1), at=time(8))
def alert_withdrawals(now: datetime) -> None:
    """Refunds of declarations that are due soon, or now."""
    alert_open_cases(now)


@shared_task(name="orders.tasks.make_invoice_document")
def make_invoice_document(invoice_id: int) -> None:
    """Typeset and store the PDF of an invoice."""
    invoice = Invoice.objects.filter(pk=invoice_id).first()
    if invoice is not None:
        ensure_document(invoice)


@shared_task(name="orders.tasks.make_contract_document")
def make_contract_document(contract_id: int) -> None:
    """Typeset and store the PDF of a contract."""
    contract = Contract.objects.filter(pk=contract_id).first()
    if contract is not None:
        ensure_contract_document(contract)


@scheduled_job("invoice-documents", every=timedelta(minutes=5))
def make_lost_documents(now: datetime) -> None:
    """Invoices and contracts whose message or worker was lost."""
    each_step(lambda: make_missing_documents(now), lambda: make_missing_contracts(now))


@scheduled_job("books-chain", every=timedelta(minutes=5))
def chain_books(now: datetime) -> None:
    """Documents and movements that joined the books since."""
    extend_chain()


@scheduled_job("issued-numbers", every=timedelta(minutes=5))
def store_issued_numbers(now: datetime) -> None:
    """The last number of each series, beside the backups: a restore knows which were given since."""
    if not settings.BACKUP_URL:
        return
    numbers = issued_numbers()
    # Another target, or a first key, has none of what was stored before.
    where = f"{settings.BACKUP_URL} {settings.BACKUP_RECIPIENTS}"
    stored = [hashlib.sha256(where.encode()).hexdigest(), numbers]
    if stored != cache.get(ISSUED_NUMBERS):
        store_record(ISSUED_NUMBERS, numbers)
        cache.set(ISSUED_NUMBERS, stored, timeout=None)


@scheduled_job("books-head", every=timedelta(days=1), at=time(5))
def mail_head_of_month(now: datetime) -> None:
    """The head of the chain at the end of each month, by mail."""
    mail_month_heads(now)


@scheduled_job("audit-books", every=timedelta(days=1), at=time(4, 30))
def audit_every_night(now: datetime) -> None:
    """Series, chain, documents, orders and ledger; Stripe's account is compared by the job that reconciles."""
    with translation.override(SOURCE_LANGUAGE):
        report = audit_books(now, with_provider=False)
    mail_audit(report, now)
    logger.info("audit: %d documents, %d faults", report.documents, len(report.faults))
