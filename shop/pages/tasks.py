"""Background work of the pages: thin, safe to run twice."""

from datetime import datetime, time, timedelta

from celery import shared_task

from shop.core.jobs import scheduled_job
from shop.pages.services import contact, content


@shared_task
def derive_banner_files(pk: int) -> None:
    """Make the smaller files of a band's picture."""
    content.derive_banner(pk=pk)


@scheduled_job("banner-image-sweep", every=timedelta(minutes=5))
def sweep_banner_images(now: datetime) -> None:
    """Find the pictures whose message or worker was lost."""
    content.enqueue_missing(limit=20)


@scheduled_job("purge-contact-requests", every=timedelta(days=1), at=time(4))
def purge_contact_requests(now: datetime) -> None:
    """Forget what visitors wrote once its time is over."""
    contact.purge_old(now)
