"""Background work of the pages: thin, safe to run twice."""

import logging
import uuid
from datetime import datetime, time, timedelta

from celery import shared_task
from django.utils import timezone

from shop.core.dates import shop_day
from shop.core.jobs import IMAGE_QUEUE, last_pulse, queue_answers, scheduled_job
from shop.pages.services import cart_reminders, content, data_exports, erasures, retention

logger = logging.getLogger(__name__)

RETENTION_JOB = "retention"
LONGEST_PAUSE = timedelta(days=7)


@shared_task
def derive_banner_files(pk: int) -> None:
    """Make the smaller files of a band's picture."""
    content.derive_banner(pk=pk)


@shared_task
def make_data_export(export_id: str) -> None:
    """Write the archive of a member's data."""
    data_exports.make_export(uuid.UUID(export_id))


@shared_task
def run_erasure(erasure_id: int) -> None:
    """Go on with the erasure of a person."""
    erasures.run_erasure(erasure_id)


@scheduled_job("banner-image-sweep", every=timedelta(minutes=5))
def sweep_banner_images(now: datetime) -> None:
    """Find the pictures whose message or worker was lost."""
    if queue_answers(IMAGE_QUEUE):
        content.enqueue_missing(limit=20)


@scheduled_job("data-exports", every=timedelta(minutes=1))
def make_waiting_exports(now: datetime) -> None:
    """Find the archives whose message or worker was lost."""
    data_exports.make_waiting_exports(now)


@scheduled_job("erasures", every=timedelta(minutes=1))
def run_due_erasures(now: datetime) -> None:
    """Go on with the erasures that wait for an order, a mail, or a worker that was lost."""
    erasures.run_due_erasures(now)


@scheduled_job(RETENTION_JOB, every=timedelta(days=1), at=time(4))
def apply_retention(now: datetime) -> None:
    """Delete and anonymise what was stored long enough. After a long pause nothing, until the next night: a clock that
    is years ahead shows as one, and is set by then."""
    last = last_pulse(RETENTION_JOB)
    if last is not None and timezone.now() - last > LONGEST_PAUSE:
        logger.warning(
            "retention waits a day: it last ran on %s, which a wrong clock would say, too", shop_day(last)
        )
        return
    retention.apply_rules(now)


@scheduled_job("cart-reminders", every=timedelta(minutes=15))
def send_cart_reminders(now: datetime) -> None:
    """Write to members who left a cart and asked to be reminded."""
    cart_reminders.send_due_reminders(now)
