"""The Celery application: mail, payments and every scheduled job run here."""

import faulthandler
import os
from typing import Any

from celery import Celery
from celery.signals import beat_init, task_postrun, task_prerun, worker_init

from shop.core import broker

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "shop.settings")

STDERR = 2

broker.register()

app = Celery("shop", amqp=broker.PatientAMQP)
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@worker_init.connect
@beat_init.connect
def allow_longer_waits(**kwargs: Any) -> None:
    """Nobody waits for these processes to answer: they give Redis, and SQLite's file, longer than a request does."""
    from django.conf import settings

    if settings.REDIS_URL:
        app.conf.broker_transport_options = {
            **app.conf.broker_transport_options,
            **settings.REDIS_OPTIONS_OF_WORKERS,
        }
    database = settings.DATABASES["default"]
    if "sqlite3" in database["ENGINE"]:
        database.setdefault("OPTIONS", {})["timeout"] = 20


@worker_init.connect
@beat_init.connect
def refuse_to_start(**kwargs: Any) -> None:
    """Celery runs no system check of its own: like a server, a worker with contradictory settings must not start."""
    from django.core.exceptions import ImproperlyConfigured

    from shop.core.checks import refuse_unsafe_settings

    try:
        refuse_unsafe_settings()
    except ImproperlyConfigured as error:
        # Celery swallows what a signal handler raises, except this.
        raise SystemExit(str(error)) from error


@worker_init.connect
def limit_tasks(**kwargs: Any) -> None:
    """End this process when one task takes longer than ``CELERY_TASK_TIME_LIMIT``: whoever supervises it starts
    another one, and what the task was doing is found again when its lease ends."""
    task_prerun.connect(_start_clock)
    task_postrun.connect(_stop_clock)


def _start_clock(**kwargs: Any) -> None:
    # Python's own watchdog: a thread in C, which needs neither a signal nor the interpreter of a task that hangs.
    # Celery puts a logger in the place of sys.stderr, which is no file.
    faulthandler.dump_traceback_later(app.conf.task_time_limit, exit=True, file=STDERR)


def _stop_clock(**kwargs: Any) -> None:
    faulthandler.cancel_dump_traceback_later()
