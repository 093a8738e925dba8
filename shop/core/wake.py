"""Starting a Celery task once the transaction is committed.

The broker is a wake-up call: each such task has a scheduled job that finds its work in the database, so a
broker that can't be reached delays it and loses nothing.
"""

import logging
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.utils.module_loading import import_string

if TYPE_CHECKING:
    from celery import Task

logger = logging.getLogger(__name__)


def wake(path: str, *args: str | int) -> None:
    """Queue the task at the dotted `path` after the commit. By its path: services need not import tasks."""
    transaction.on_commit(lambda: _queue(path, args))


def _queue(path: str, args: tuple[str | int, ...]) -> None:
    task: Task[Any, Any] = import_string(path)
    try:
        task.apply_async(args=args)
    except Exception as error:  # any broker fault must leave the request unharmed
        logger.warning("broker not reached for %s: %s", path, type(error).__name__)
