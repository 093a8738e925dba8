"""Loads the demonstration: products, accounts, orders. Running it again adds only what is missing."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.utils import translation

from shop.core.demo import demo_parts


class Command(BaseCommand):
    """`manage.py load_demo [--force]`."""

    help = "Load the demonstration shop (idempotent). Outside DEBUG it needs --force."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--force", action="store_true", help="load it although this is no development machine"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if not settings.DEBUG and not options["force"]:
            raise CommandError(
                "The demonstration has public passwords: it is loaded outside DEBUG only with --force."
            )
        for part in demo_parts():
            with translation.override(settings.LANGUAGE_CODE):
                part.load()
            if options["verbosity"] > 1:
                self.stdout.write(f"loaded {part.name}")
        self.stdout.write("The demonstration is loaded.")
