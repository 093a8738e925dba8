"""The Celery application: mail, payments and every scheduled job run here."""

import faulthandler
import logging
import os
from time import perf_counter
from typing import Any

from celery import Celery
from celery.signals import (
    beat_init,
    before_task_publish,
    setup_logging,
    task_postrun,
    task_prerun,
    worker_init,
)

from shop.core import broker

logger = logging.getLogger(__name__)

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "shop.settings")

STDERR = 2

broker.register()

app = Celery("shop", amqp=broker.PatientAMQP)
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@app.on_configure.connect
def refuse_wrong_settings(**kwargs: Any) -> None:
    """A value that is none is told in its one sentence, instead of a page of traceback at each start."""
    from django.conf import settings
    from django.core.exceptions import ImproperlyConfigured

    try:
        # The first look loads them.
        _ = settings.DEBUG
    except ImproperlyConfigured as error:
        raise SystemExit(str(error)) from error


@setup_logging.connect
def leave_logging_alone(**kwargs: Any) -> None:
    """The settings say how a line is written, in workers as in web processes: Celery would put its own way in place."""


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


@before_task_publish.connect
def pass_request_id_on(headers: dict[str, Any] | None = None, **kwargs: Any) -> None:
    """The lines of a task name the request that asked for it."""
    from shop.core.log_lines import TASK_HEADER, current_request_id

    number = current_request_id()
    if headers is not None and number:
        headers[TASK_HEADER] = number


@worker_init.connect
def watch_tasks(**kwargs: Any) -> None:
    """Bind the lines of the log to the task that goes on, and count it."""
    task_prerun.connect(_bind_task)
    task_postrun.connect(_count_task)


_running: dict[str, tuple[float, Any]] = {}


def _bind_task(task_id: str, task: Any, **kwargs: Any) -> None:
    from shop.core.log_lines import TASK_HEADER, bind

    context = {"task": task.name, "task_id": task_id}
    number = task.request.get(TASK_HEADER)
    if number:
        context["request_id"] = str(number)
    _running[task_id] = (perf_counter(), bind(context))


def _count_task(task_id: str, task: Any, state: str | None = None, **kwargs: Any) -> None:
    from shop.core.log_lines import unbind
    from shop.watching.metrics import task_seconds

    started, token = _running.pop(task_id)
    unbind(token)
    task_seconds(task.name, state or "unknown").observe(perf_counter() - started)


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


@beat_init.connect
def show_that_beat_runs(**kwargs: Any) -> None:
    """Each message of the beat is noted in the database, which tells a beat that stopped from workers that did."""
    before_task_publish.connect(_note_scheduler)


def _note_scheduler(**kwargs: Any) -> None:
    from django.db import DatabaseError, connection

    from shop.core.jobs import SCHEDULER_PULSE, note_pulse

    try:
        note_pulse(SCHEDULER_PULSE)
    except DatabaseError as error:
        logger.warning("the database does not take the beat's sign of life: %s", type(error).__name__)
    finally:
        connection.close()


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
