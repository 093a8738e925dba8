"""Background work of the webhooks: thin, safe to run twice."""

import uuid
from datetime import datetime, timedelta

from celery import shared_task

from shop.core.jobs import scheduled_job
from shop.integrations import delivery


@shared_task
def dispatch_event(event_id: str) -> None:
    """Write the deliveries of one event."""
    delivery.dispatch(uuid.UUID(event_id))


@shared_task
def deliver_webhook(delivery_id: int) -> None:
    """Make one call; nothing happens when it was made already or is in another worker's hands."""
    delivery.deliver(delivery_id)


@scheduled_job("webhook-sweep", every=timedelta(seconds=20), lease=timedelta(seconds=60))
def sweep_webhooks(now: datetime) -> None:
    """Find the events and deliveries whose message or worker was lost, and those that are to be tried again."""
    delivery.sweep(now)
