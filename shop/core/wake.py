"""Starting a Celery task once the transaction is committed.

The broker is a wake-up call: each such task has a scheduled job that finds its work in the database, so a
broker that can't be reached delays it and loses nothing.
"""

import logging

from celery import current_app
from django.db import transaction

logger = logging.getLogger(__name__)


def wake(task: str, *args: str | int) -> None:
    """Send `task` (by its dotted name, so that services need not import tasks) after the commit."""
    transaction.on_commit(lambda: _send(task, args))


def _send(task: str, args: tuple[str | int, ...]) -> None:
    try:
        current_app.send_task(task, args=args)
    except Exception as error:  # any broker fault must leave the request unharmed
        logger.warning("broker not reached for %s: %s", task, type(error).__name__)
