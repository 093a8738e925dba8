"""Is the process alive, and can it serve? Two plain answers: for load balancers, and for monitors."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from threading import Thread
from time import monotonic
from typing import Any, ClassVar
from uuid import uuid4

from celery import current_app
from django.apps import apps
from django.conf import settings
from django.core.cache import cache
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.utils import timezone
from django.views.decorators.cache import never_cache

from shop.core.deadlines import deadline
from shop.core.jobs import run_job
from shop.core.readings import Reading, read_ages

logger = logging.getLogger(__name__)

# The whole answer must come within 2 s, so a dependency that keeps silent longer counts as down.
DEADLINE_SECONDS = 1.5
# What is left of them for the one question that is asked last.
BACKGROUND_SECONDS = 0.4
READINGS_SECONDS = 5.0
# The age of what the workers did last, and the job that mails what is late (shop.watching).
WORKERS_AGE = "workers"
ALERTS_JOB = "alerts"


@never_cache
def healthz(request: HttpRequest) -> HttpResponse:
    """200 while the process answers at all; asks nothing of the database, the cache or the broker."""
    return HttpResponse("ok", content_type="text/plain")


@never_cache
def readyz(request: HttpRequest) -> HttpResponse:
    """200 when database, cache and broker answer and no migration is missing, else 503 naming what fails, and nothing
    more.

    For monitors: a load balancer would take away every server that still sells without Redis, or shows the pages it
    kept. What is late in the background is told and stays a 200: pages and orders need no worker at once.
    """
    unavailable = unavailable_services()
    # Without a broker no worker sends the alerts either; without a database nobody can.
    running = {} if "database" in unavailable else background()
    if unavailable:
        return JsonResponse({"status": "unavailable", "unavailable": unavailable}, status=503)
    return JsonResponse({"status": "ready", **running})


class HealthMiddleware:
    """Answers both before anything else of the shop is asked.

    A prober calls by address, not by name, so this stands before the host is checked or HTTPS is demanded.
    """

    views: ClassVar = {"/healthz": healthz, "/readyz": readyz}

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        view = self.views.get(request.path_info)
        return view(request) if view else self.get_response(request)


def check_database() -> None:
    """Ask the database for a row, over a connection of this thread's own. Raises what the driver raises, and
    ConnectionError for a PostgreSQL that takes no writes (a replica, an operator's setting): it sells nothing."""
    postgres = connection.vendor == "postgresql"
    question = "SELECT current_setting('transaction_read_only')" if postgres else "SELECT 1"
    try:
        with deadline(DEADLINE_SECONDS), connection.cursor() as cursor:
            cursor.execute(question)
            if cursor.fetchone() == ("on",):
                raise ConnectionError("The database is read-only.")
    finally:
        # Runs in a thread of its own, whose connection nobody else would close.
        connection.close()


_is_migrated = False


def check_migrations() -> None:
    """Raise ConnectionError while the database has not all migrations of this version: two queries, asked until it has
    them, and never again by this process."""
    global _is_migrated
    if _is_migrated:
        return
    try:
        with deadline(DEADLINE_SECONDS):
            missing = migrations_on_disk().difference(MigrationRecorder(connection).applied_migrations())
    finally:
        connection.close()
    if missing:
        raise ConnectionError("The database waits for `manage.py migrate`.")
    _is_migrated = True


def migrations_on_disk() -> set[tuple[str, str]]:
    """Return app and name of every migration of this version, by the names of their files: loading them takes 150 ms,
    and memory for good."""
    return {
        (app.label, path.stem)
        for app in apps.get_app_configs()
        for path in Path(app.path, "migrations").glob("[!_]*.py")
    }


def check_cache() -> None:
    """Write a key and read it again. Raises ConnectionError."""
    key, value = f"readyz-{uuid4().hex}", uuid4().hex
    cache.set(key, value, timeout=10)
    if cache.get(key) != value:
        raise ConnectionError("The cache does not keep what it is given.")
    cache.delete(key)


def check_broker() -> None:
    """Connect to Redis, or look whether the queue's folder can be written to. Raises what fails."""
    if settings.REDIS_URL:
        with current_app.connection_for_write() as broker:
            broker.ensure_connection(max_retries=0)
    elif not os.access(settings.CELERY_BROKER_TRANSPORT_OPTIONS["data_folder_out"], os.W_OK):
        raise ConnectionError("The queue's folder cannot be written to.")


CHECKS: dict[str, Callable[[], None]] = {
    "database": check_database,
    "migrations": check_migrations,
    "cache": check_cache,
    "broker": check_broker,
}

# A start is no fault, and a monitor may ask every few seconds.
ALARM_SECONDS = 180.0
_next_alarm = monotonic() + ALARM_SECONDS

# Few threads, kept for the life of the process: a dependency that hangs can hold these, never more.
_probes = ThreadPoolExecutor(max_workers=2 * len(CHECKS), thread_name_prefix="readyz")


def background() -> dict[str, Any]:
    """Return what `/readyz` says about background work: `running`, `late` or `unknown`, and the ages that are watched.

    `unknown` when the database does not tell in time. While it is late an error is logged now and then, and this
    process sends the alerts that no worker sends. As many queries as there are ages, at most every five seconds.
    """
    try:
        readings = _probes.submit(_readings).result(timeout=BACKGROUND_SECONDS)
    except Exception:
        return {"background": "unknown"}
    global _next_alarm
    late = any(reading.is_late for reading in readings if reading.of.name == WORKERS_AGE)
    if late and monotonic() > _next_alarm:
        _next_alarm = monotonic() + ALARM_SECONDS
        logger.error("Background work is late: look at the workers, the beat and the broker.")
        Thread(target=_run_alerts, name="alerts", daemon=True).start()
    return {
        "background": "late" if late else "running",
        "ages": {reading.of.name: _age(reading) for reading in readings},
    }


def _age(reading: Reading) -> dict[str, Any]:
    return {
        "seconds": None if reading.age is None else round(reading.age.total_seconds()),
        "limit": round(reading.of.limit.total_seconds()),
        "late": reading.is_late,
    }


_last_readings: tuple[float, list[Reading]] = (0.0, [])


def _readings() -> list[Reading]:
    """Return the ages, five seconds old at most: anybody may ask."""
    global _last_readings
    read_at, readings = _last_readings
    if monotonic() - read_at < READINGS_SECONDS and readings:
        return readings
    try:
        readings = read_ages(timezone.now())
    finally:
        connection.close()
    _last_readings = (monotonic(), readings)
    return readings


def _run_alerts() -> None:
    try:
        run_job(ALERTS_JOB)
    except Exception:
        # Nobody waits for this thread: what stopped it must not be lost with it.
        logger.exception("The alerts could not be sent from here.")
    finally:
        connection.close()


def unavailable_services() -> list[str]:
    """Return the names of the services that fail or do not answer in time, asked all at once."""
    pending: dict[str, Future[None]] = {name: _probes.submit(check) for name, check in CHECKS.items()}
    down: list[str] = []
    remaining = DEADLINE_SECONDS
    for name, probe in pending.items():
        started = monotonic()
        try:
            probe.result(timeout=max(0.0, remaining))
        except Exception:
            probe.cancel()
            down.append(name)
        remaining -= monotonic() - started
    # What it lacks can't be told of a database that does not answer.
    return [name for name in down if name != "migrations" or "database" not in down]
