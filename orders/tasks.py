"""Celery tasks and scheduled jobs of orders: thin, repeatable, by id."""

import uuid
from datetime import datetime, time, timedelta

from celery import shared_task

from orders.invoices.tasks import make_invoice_document as make_invoice_document
from orders.services.payments import closing, discarded, due_installments
from orders.services.reconciliation import reconcile
from orders.services.refunds import sending
from orders.stripe import gateway
from shop.core.jobs import scheduled_job


@shared_task(
    name="orders.tasks.send_refund",
    autoretry_for=(gateway.GatewayUnavailable,),
    retry_backoff=30,
    max_retries=5,
)
def send_refund(refund_id: str) -> None:
    sending.send_refund(uuid.UUID(refund_id))


@shared_task(
    name="orders.tasks.close_void_attempts",
    autoretry_for=(gateway.GatewayUnavailable,),
    retry_backoff=30,
    max_retries=5,
)
def close_void_attempts(order_id: str) -> None:
    closing.close_void_attempts(uuid.UUID(order_id))


@shared_task(
    name="orders.tasks.forget_card",
    autoretry_for=(gateway.GatewayUnavailable,),
    retry_backoff=30,
    max_retries=5,
)
def forget_card(payment_method_id: str) -> None:
    discarded.delete_discarded_cards(payment_method_id)


@scheduled_job("collect-instalments", every=timedelta(days=1), at=time(9))
def collect_instalments(now: datetime) -> None:
    """Later thirds: announced, charged, asked for. At an hour at which customers are awake to answer their bank."""
    due_installments.run_round(now)


@scheduled_job("reconcile-payments", every=timedelta(minutes=5))
def reconcile_payments(now: datetime) -> None:
    """Payments and changes of card in doubt, messages that were missed or not acted on, refunds on their way."""
    reconcile.fetch_missed_events(now)
    reconcile.reprocess_events(now)
    reconcile.reconcile_attempts(now)
    reconcile.reconcile_card_changes(now)
    reconcile.send_waiting_refunds(now)
    closing.close_void_attempts()
    discarded.delete_discarded_cards()
