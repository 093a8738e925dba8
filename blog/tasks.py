"""Background work of the blog: thin, safe to run twice."""

from datetime import datetime, time, timedelta

from celery import shared_task

from blog.services import pictures, publication
from blog.services.newsletter import sending
from shop.core.jobs import scheduled_job


@scheduled_job("article-trash", every=timedelta(days=1), at=time(4))
def purge_trash(now: datetime) -> None:
    """Delete the articles that have been in the trash for 30 days."""
    publication.purge_trash(now=now)


@scheduled_job("article-pictures", every=timedelta(days=1), at=time(5))
def remove_unused_pictures(now: datetime) -> None:
    """Delete the pictures that no article shows."""
    pictures.remove_unused_pictures(now=now)


@shared_task
def send_letter(campaign_id: int) -> None:
    """Send a part of a letter; nothing happens while another worker does."""
    sending.send_and_go_on(campaign_id)


@scheduled_job("newsletter", every=timedelta(seconds=20), lease=timedelta(seconds=60))
def send_due_letters(now: datetime) -> None:
    """Start the letters whose moment has come, and go on with those whose worker was lost."""
    sending.send_due(now)
