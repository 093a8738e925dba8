"""``manage.py ask_stripe_since BACKUP``: what a restore asks of Stripe, when Stripe was away."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from orders.after_restore import ask_provider
from orders.stripe import gateway
from shop.backups.making import made_at_of
from shop.core.restored import Restored


class Command(BaseCommand):
    help = (
        "Books what Stripe knows since a backup that was restored, and skips the numbers of lost documents."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("backup", help="its name, such as 2026-11-23T02-00-00Z")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            made_at = made_at_of(options["backup"])
        except ValueError as error:
            raise CommandError("A backup is named like 2026-11-23T02-00-00Z.") from error
        restored = Restored(name=options["backup"], made_at=made_at, now=timezone.now())
        try:
            ask_provider(restored)
        except gateway.GatewayError as error:
            raise CommandError(f"Stripe could not be asked: {error}") from error
        for note in restored.notes:
            self.stdout.write(note)
