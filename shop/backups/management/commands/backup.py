"""``manage.py backup``: store a backup at BACKUP_URL, or list those that are there."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from shop.backups.making import BackupRefused, backup_names, make_backup
from shop.backups.targets import TargetError
from shop.backups.vault import BackupKeyError, open_vault


class Command(BaseCommand):
    help = (
        "Stores database, media and private files at BACKUP_URL and deletes backups that have had their time."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--to", default="", metavar="URL", help="another target than BACKUP_URL")
        parser.add_argument(
            "--list", action="store_true", help="name the backups that are there, newest first"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            vault = open_vault(options["to"])
            if options["list"]:
                for name in backup_names(vault):
                    self.stdout.write(name)
                return
            backup = make_backup(vault)
        except (BackupRefused, TargetError, BackupKeyError, OSError) as error:
            raise CommandError(str(error)) from error
        seconds = (backup.finished_at - backup.made_at).total_seconds()
        self.stdout.write(
            f"{backup.name}: {backup.rows} rows, {backup.files} files, archive of {backup.size / 1e6:.1f} MB, "
            f"{seconds:.0f} s."
        )
