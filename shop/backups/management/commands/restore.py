"""``manage.py restore``: bring a backup back into an empty machine."""

from argparse import ArgumentParser
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError
from django.utils import timezone

from shop.backups import restoring
from shop.backups.stored_files import DamagedError
from shop.backups.targets import TargetError
from shop.backups.unfinished import begin_restore, end_restore, nobody_else
from shop.backups.vault import ISSUED_NUMBERS, BackupKeyError, Vault, open_vault
from shop.backups.work_folder import InUseError, work_folder
from shop.core.restored import Restored, finish_restore


class Command(BaseCommand):
    help = "Brings a backup back into an empty database, with its files, and makes the shop ready to open."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", nargs="?", default="", help="of the backup; the newest one without")
        parser.add_argument(
            "--from", default="", dest="url", metavar="URL", help="another target than BACKUP_URL"
        )
        parser.add_argument(
            "--identity",
            action="append",
            default=[],
            type=Path,
            metavar="FILE",
            help="secret key of the backups",
        )
        parser.add_argument(
            "--highest-invoice",
            action="append",
            default=[],
            metavar="F-2026-00123",
            help="the last invoice or credit note that somebody received; `none` when none was sent after the backup",
        )
        parser.add_argument(
            "--keep-api-keys",
            action="store_true",
            help="keys of programs stay valid: only when none was revoked since the backup",
        )
        parser.add_argument(
            "--without-lost-files",
            action="store_true",
            help="files that are missing or damaged at the target are named and left out; everything else comes back",
        )
        parser.add_argument(
            "--check", action="store_true", help="only fetch the archive and every file, and check their sums"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            with nullcontext() if options["check"] else nobody_else():
                self._restore(options)
        except (
            restoring.RestoreRefused,
            InUseError,
            DamagedError,
            TargetError,
            BackupKeyError,
            OSError,
            DatabaseError,
        ) as error:
            raise CommandError(str(error)) from error

    def _check_files(self, archive: restoring.Archive, vault: Vault, work: Path) -> None:
        damaged = restoring.damaged_files(archive, vault, work)
        for words in damaged:
            self.stderr.write(words)
        if damaged:
            raise CommandError(f"{len(damaged)} of {len(archive.files)} files are missing or damaged.")
        self.stdout.write("Every file is there as it was stored.")

    def _restore(self, options: dict[str, Any]) -> None:
        highest = None if options["check"] else highest_invoices(options["highest_invoice"])
        vault = open_vault(options["url"], identity_files=options["identity"])
        with work_folder("restore") as work:
            if highest is not None:
                restoring.refuse_unless_empty()
            archive = restoring.fetch_archive(vault, options["name"], work)
            recorded = vault.fetch_record(ISSUED_NUMBERS) or {}
            self.stdout.write(
                f"{archive.name}: version {archive.manifest['version']}, {len(archive.files)} files, "
                f"{sum(table['rows'] for table in archive.manifest['tables'])} rows; every sum of a table fits."
            )
            if highest is None:
                self._check_files(archive, vault, work)
                return
            restoring.refuse_other_version(archive)
            lost: list[str] | None = [] if options["without_lost_files"] else None
            if lost is None:
                restoring.refuse_missing_files(archive, vault)
            written = restoring.bring_files_back(archive, vault, work, lost=lost)
            self.stdout.write(f"{written} files written.")
            for words in lost or ():
                self.stderr.write(f"Lost: {words}")
            # Rows without the steps after them would send mails again, and give numbers.
            begin_restore()
            restoring.bring_rows_back(archive, say=self.stdout.write)
        for year, number in recorded.items():
            highest[int(year)] = max(number, highest.get(int(year), 0))
        restored = Restored(
            name=archive.name,
            made_at=archive.made_at,
            now=timezone.now(),
            highest_invoices=highest,
            keeps_api_keys=options["keep_api_keys"],
        )
        unanswered = list(finish_restore(restored))
        end_restore()
        for note in restored.notes:
            self.stdout.write(f"- {note}")
        for name, error in unanswered:
            self.stderr.write(f"{name} did not answer: {error}")
        if archive.has_other_secret:
            self.stderr.write(
                "SECRET_KEY is another one than the backup's: set the old one in SECRET_KEY_FALLBACKS, or second "
                "factors and the keys of webhooks can't be read."
            )
        missing = [name for name in archive.manifest["secrets"] if name not in ("BACKUP_URL", "DATABASE_URL")]
        self.stdout.write(f"Settings that the shop had, to be set here too: {', '.join(missing) or 'none'}.")
        first = ""
        if unanswered:
            # The shop itself asks for what no call has delivered: it would charge again what was charged since.
            first = f"manage.py ask_stripe_since {archive.name}, or installments may be charged twice; "
        self.stdout.write(f"Restored. Now: {first}manage.py audit_books, then start the shop.")


def highest_invoices(given: list[str]) -> dict[int, int]:
    """Return the last number by year of what was typed. Raises RestoreRefused when nothing was, or no number."""
    if not given:
        raise restoring.RestoreRefused(
            "Say which invoice or credit note was sent last: --highest-invoice F-2026-00123 (look into the workshop's "
            "mailbox and at customers' answers), or `none` when nothing was sold since the backup."
        )
    found: dict[int, int] = {}
    for text in given:
        if text == "none":
            continue
        prefix, _dash, rest = text.strip().upper().partition("-")
        year, _dash, number = rest.partition("-")
        if prefix != "F" or not (year.isdecimal() and len(year) == 4 and number.isdecimal()):
            raise restoring.RestoreRefused(f"{text} is no number of an invoice, such as F-2026-00123.")
        found[int(year)] = max(int(number), found.get(int(year), 0))
    return found
