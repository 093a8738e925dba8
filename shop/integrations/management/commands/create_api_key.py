"""``manage.py create_api_key NAME [--read-only] [--until DAY]``: a key for a program, printed once."""

from __future__ import annotations

from argparse import ArgumentParser
from datetime import date
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from shop.core.problems import Problem
from shop.integrations.keys import READ_AND_WRITE, READ_ONLY, create_api_key
from shop.integrations.models import Scope


class Command(BaseCommand):
    help = "Makes a key that reads and writes products, and prints it once."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name")
        chosen = parser.add_mutually_exclusive_group()
        chosen.add_argument(
            "--read-only", action="store_true", help="the key reads products and nothing else"
        )
        chosen.add_argument(
            "--scope", action="append", choices=Scope.values, help="instead: what it opens; may be repeated"
        )

        parser.add_argument(
            "--until",
            type=date.fromisoformat,
            metavar="YYYY-MM-DD",
            help="the last day on which it opens anything",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        scopes = options["scope"] or (READ_ONLY if options["read_only"] else READ_AND_WRITE)
        try:
            key = create_api_key(name=options["name"], scopes=scopes, actor=None, last_day=options["until"])
        except Problem as problem:
            raise CommandError(
                " ".join(line for lines in problem.errors.values() for line in lines)
            ) from problem
        # Alone on its line, so that a script can take it.
        self.stdout.write(key.text)
