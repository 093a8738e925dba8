"""Run beside the test that kills it: ``queue <number>``, ``work`` or ``supervise``."""

from __future__ import annotations

import os
import sys
from datetime import timedelta

import django

os.environ["DJANGO_SETTINGS_MODULE"] = "tests.faults.worker_settings"
django.setup()

from django.conf import settings  # noqa: E402
from django.db import transaction  # noqa: E402

from shop.celery import app  # noqa: E402
from shop.core import mail_delivery  # noqa: E402
from shop.core.mail import queue_mail  # noqa: E402
from shop.core.management.commands.run_shop import programs  # noqa: E402
from shop.core.supervisor import Supervisor  # noqa: E402


def queue(number: int) -> None:
    for index in range(number):
        with transaction.atomic():
            queue_mail(
                kind="account_exists",
                to=f"n{index}@example.com",
                language="fr",
                context={"signin_url": "https://example.com/", "reset_url": "https://example.com/"},
            )


def work() -> None:
    """A worker with its beat, as the shop runs it, but with a lease short enough to wait for."""
    mail_delivery.LEASE = timedelta(seconds=float(os.environ["LEASE_SECONDS"]))
    schedule = os.path.join(os.environ["DATA_DIR"], "beat")
    app.worker_main(["worker", "-B", "-s", schedule, "--loglevel", "WARNING"])


def supervise() -> None:
    """The workers and the beat as `make run` runs them, without its web server."""
    supervisor = Supervisor(folder=settings.BASE_DIR)
    supervisor.catch_signals()
    for program in programs(host="127.0.0.1", sandbox=None, reload=False):
        if program.name != "web":
            supervisor.start(program)
    supervisor.watch()
    supervisor.stop()


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["queue", number]:
            queue(int(number))
        case ["work"]:
            work()
        case ["supervise"]:
            supervise()
