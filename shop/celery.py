"""The Celery application: mail, payments and every scheduled job run here."""

import os
from typing import Any

from celery import Celery
from celery.signals import beat_init, worker_init

from shop.core import broker

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "shop.settings")

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
