"""``manage.py backup``: store a backup at BACKUP_URL, or list those that are there."""

import sqlite3
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError

from shop.backups.making import BackupRefused, backup_names, make_backup
from shop.backups.targets import TargetError, open_target
from shop.backups.vault import BackupKeyError, Vault, open_vault


class Command(BaseCommand):
    help = (
        "Stores database, media and private files at BACKUP_URL and deletes backups that have had their time."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--to", default="", metavar="URL", help="another target than BACKUP_URL")
        parser.add_argument(
            "--list", action="store_true", help="name the backups that are there, newest first"
        )
        parser.add_argument(
            "--new-target",
            action="store_true",
            help="BACKUP_URL is another one than before: that none of the earlier backups is there is right; "
            "or SITE_URL is, and those that are there are this shop's",
        )
        parser.add_argument(
            "--without-lost-files",
            action="store_true",
            help="most of the files of the last backup are gone for good: store what is left",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            vault = open_vault(options["to"])
            if options["list"]:
                for name in backup_names(vault):
                    self.stdout.write(name)
                return
            backup = make_backup(
                vault,
                elsewhere=_is_elsewhere(vault),
                to_new_target=options["new_target"],
                without_lost_files=options["without_lost_files"],
            )
        except (BackupRefused, TargetError, BackupKeyError, OSError, DatabaseError, sqlite3.Error) as error:
            raise CommandError(str(error)) from error
        seconds = (backup.finished_at - backup.made_at).total_seconds()
        self.stdout.write(
            f"{backup.name}: {backup.rows} rows, {backup.files} files, archive of {backup.size / 1e6:.1f} MB, "
            f"{seconds:.0f} s."
        )


def _is_elsewhere(vault: Vault) -> bool:
    """Whether the target is not the shop's own, which may have been named by another address."""
    return not settings.BACKUP_URL or vault.target.place != open_target(settings.BACKUP_URL).place
