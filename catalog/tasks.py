"""Background work of the catalogue: thin, safe to run twice."""

from datetime import datetime, timedelta

from celery import shared_task

from catalog.services import images
from shop.core.jobs import scheduled_job

# What a worker draws in about a minute.
SWEEP_LIMIT = 100


@shared_task
def derive_image_files(kind: str, pk: int) -> None:
    """Make the smaller files of one picture."""
    images.derive(kind=kind, pk=pk)


@scheduled_job("image-sweep", every=timedelta(minutes=5))
def sweep_images(now: datetime) -> None:
    """Find the pictures whose wake-up or worker was lost."""
    images.wake_missing(limit=SWEEP_LIMIT)
