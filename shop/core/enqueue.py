"""Handing Celery tasks to the broker.

A message only starts the work sooner: each such task has a scheduled job that finds its work in the database, so a
broker that can't be reached delays it and loses nothing.
"""

import logging
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.db import transaction
from django.utils.module_loading import import_string

from shop.core.circuit import CallRefused

if TYPE_CHECKING:
    from celery import Task

logger = logging.getLogger(__name__)


def enqueue_after_commit(path: str, *args: str | int) -> None:
    """Publish the task at the dotted `path` after the commit. By its path: services need not import tasks."""
    transaction.on_commit(lambda: enqueue(path, *args))


def enqueue(path: str, *args: str | int, **options: Any) -> None:
    """Publish the task at the dotted `path` now, with `options` of Celery's `apply_async`."""
    publish(import_string(path), *args, **options)


def publish(task: "Task[Any, Any]", *args: str | int, **options: Any) -> None:
    """Send a task to the broker, whose faults leave the caller unharmed.

    One try of a quarter of a second. A Redis that did not answer the last call, cache or broker, is not asked.
    """
    try:
        with _calling():
            task.apply_async(args=args, **options)
    except CallRefused:
        return
    except Exception as error:
        logger.warning("broker not reached for %s: %s", task.name, type(error).__name__)


def _calling() -> AbstractContextManager[None]:
    """Around one call. Raises CallRefused instead of letting it through."""
    if not settings.REDIS_URL:
        return nullcontext()
    from shop.core import redis_cache

    return redis_cache.redis_circuit.call()
