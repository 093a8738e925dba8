"""``manage.py read_bounce [FILE …]``: reports of mail servers, from files or from standard input."""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from blog.services.newsletter.suspensions import read_report, suspend_address


class Command(BaseCommand):
    help = "Suspends the addresses of the newsletter that a delivery or feedback report names."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("files", nargs="*", type=Path, help="One mail each; without any, standard input.")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            mails = [path.read_bytes() for path in options["files"]] or [sys.stdin.buffer.read()]
        except OSError as error:
            raise CommandError(str(error)) from error
        named = [each for mail in mails for each in read_report(mail)]
        done = sum(suspend_address(address, reason) for address, reason in named)
        self.stdout.write(f"{len(named)} address(es) named, {done} suspended.")
