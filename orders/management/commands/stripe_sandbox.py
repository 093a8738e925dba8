"""``manage.py stripe_sandbox``: starts the local stand-in for Stripe as a process of its own."""

import os
import sys
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser

OPTIONS = ("host", "port", "public-url", "data-dir", "webhook-url", "secret-key", "webhook-secret")


class Command(BaseCommand):
    help = "Starts the local stand-in for Stripe (python -m orders.stripe_sandbox). No money moves."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        for option in OPTIONS:
            parser.add_argument(f"--{option}")

    def handle(self, *args: Any, **options: Any) -> None:
        given = {
            "data-dir": str(settings.DATA_DIR),
            "secret-key": settings.STRIPE_SECRET_KEY,
            "webhook-secret": settings.STRIPE_WEBHOOK_SECRET,
            "webhook-url": f"http://127.0.0.1:{settings.PORT}/webhooks/stripe",
        }
        given |= {name: value for name in OPTIONS if (value := options[name.replace("-", "_")]) is not None}
        command = [sys.executable, "-m", "orders.stripe_sandbox"]
        for name, value in given.items():
            if value:
                command += [f"--{name}", value]
        # The shop's settings module must not follow into the other project.
        environment = {name: value for name, value in os.environ.items() if name != "DJANGO_SETTINGS_MODULE"}
        environment["DEBUG"] = "1" if settings.DEBUG else "0"
        os.chdir(settings.BASE_DIR)
        os.execve(sys.executable, command, environment)  # noqa: S606
