"""``manage.py move_media --to s3|folder``: copies pictures and private files, verified; run again, it goes on."""

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from shop.core.media_transfer import storage_pairs, transfer_files


class Command(BaseCommand):
    help = (
        "Copies public pictures and private files between DATA_DIR and the buckets of MEDIA_S3_URL, and compares "
        "each copy with its original. Deletes nothing. Run it again after an interruption, and once more after "
        "the shop was restarted with the new setting."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--to", choices=("s3", "folder"), required=True)

    def handle(self, *args: Any, **options: Any) -> None:
        if not settings.MEDIA_S3_URL or not settings.MEDIA_S3_PRIVATE_BUCKET:
            raise CommandError("Set MEDIA_S3_URL and MEDIA_S3_PRIVATE_BUCKET for this command.")
        wrong: list[str] = []
        for kind, (source, target) in zip(
            ("public", "private"), storage_pairs(to_s3=options["to"] == "s3"), strict=True
        ):
            try:
                done = transfer_files(source, target, said=lambda count: self.stdout.write(f"  {count} …"))
            except OSError as error:
                raise CommandError(f"Stopped ({error}). Run the command again: it goes on.") from error
            self.stdout.write(f"{kind}: {done.copied} copied, {done.present} there already.")
            wrong += done.wrong
        if wrong:
            raise CommandError(f"{len(wrong)} copies differ from their original: {', '.join(wrong[:10])}")
