"""Background work of the catalogue: thin, safe to run twice."""

from datetime import datetime, time, timedelta

from celery import shared_task

from catalog.services import media, picture_imports, product_removal
from catalog.services.favourites import watch_favourites
from catalog.services.notices import send_due_notices
from catalog.services.prices import refresh_due_promotions
from catalog.services.products import refresh_undated_products
from shop.core.each_row import each_step
from shop.core.jobs import IMAGE_QUEUE, queue_answers, scheduled_job

# What a worker draws in about a minute.
SWEEP_LIMIT = 100


@shared_task
def derive_image_files(kind: str, pk: int) -> None:
    """Make the smaller files of one picture."""
    media.derive_files(kind=kind, pk=pk)


@scheduled_job("image-sweep", every=timedelta(minutes=5))
def sweep_images(now: datetime) -> None:
    """Enqueue again the pictures whose message or worker was lost."""
    if queue_answers(IMAGE_QUEUE):
        media.enqueue_missing(limit=SWEEP_LIMIT)


@shared_task
def fetch_picture(import_id: int) -> None:
    """Copy one picture that a program named by its address."""
    picture_imports.fetch_picture(import_id=import_id)


@scheduled_job("picture-imports", every=timedelta(minutes=1))
def sweep_picture_imports(now: datetime) -> None:
    """Enqueue again the pictures to be copied whose message or worker was lost, and those to be tried again."""
    if queue_answers(IMAGE_QUEUE):
        picture_imports.enqueue_due(now=now, limit=SWEEP_LIMIT)


@scheduled_job("retired-pictures", every=timedelta(days=1), at=time(4))
def remove_retired_files(now: datetime) -> None:
    """Delete the files of removed pictures that no order shows."""
    media.remove_retired_files(now=now)


@scheduled_job("product-trash", every=timedelta(days=1), at=time(4))
def purge_trash(now: datetime) -> None:
    """Delete the products that have been in the trash for 30 days."""
    product_removal.purge_trash(now=now)


@scheduled_job("promotions", every=timedelta(minutes=1))
def refresh_promotions(now: datetime) -> None:
    """Record the starts and ends of promotions, and refresh what orders lists. Prices follow the clock alone."""
    each_step(lambda: refresh_due_promotions(now=now), refresh_undated_products)


@scheduled_job("notices", every=timedelta(minutes=5))
def send_notices(now: datetime) -> None:
    """Write to those who wait for a product or a collection."""
    each_step(send_due_notices, lambda: watch_favourites(now=now))
