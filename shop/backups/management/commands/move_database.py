"""``manage.py move_database --to URL``: the shop's rows into another database, each compared."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError

from shop.backups.moving import MoveRefused, move_database
from shop.backups.work_folder import InUseError


class Command(BaseCommand):
    help = "Writes every row into the empty database of --to and compares each. Stop web, workers and beat before."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--to", required=True, metavar="DATABASE_URL")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            count = move_database(options["to"], say=self.stdout.write)
        except (MoveRefused, InUseError, OSError, DatabaseError) as error:
            raise CommandError(str(error)) from error
        self.stdout.write(
            f"{count} rows moved, each the same on both sides. Now set DATABASE_URL and start the shop."
        )
