"""``manage.py read_bounce [FILE …]``: reports of mail servers, from files or from standard input."""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from blog.services.newsletter.suspensions import suspend_reported


class Command(BaseCommand):
    help = "Suspends the addresses of the newsletter that a delivery or feedback report names."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("files", nargs="*", type=Path, help="One mail each; without any, standard input.")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            mails = [path.read_bytes() for path in options["files"]] or [sys.stdin.buffer.read()]
        except OSError as error:
            raise CommandError(str(error)) from error
        named, done = (sum(counts) for counts in zip(*map(suspend_reported, mails), strict=True))
        self.stdout.write(f"{named} address(es) named, {done} suspended.")
