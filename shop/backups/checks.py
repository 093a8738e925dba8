"""Backups that could not be made, or opened, found before the night (`manage.py check`, and every start)."""

from typing import Any

from django.conf import settings
from django.core import checks

from shop.core.checks import TAG


@checks.register(TAG)
def check_backup_settings(**kwargs: Any) -> list[checks.CheckMessage]:
    """An address that is none, or a key that is none, is told at once: the night's backup would fail unseen."""
    if not settings.BACKUP_URL:
        return []
    # The library that encrypts is loaded by who needs it.
    from shop.backups.targets import TargetError
    from shop.backups.vault import BackupKeyError, open_vault

    try:
        open_vault()
    except (TargetError, BackupKeyError) as error:
        hint = (
            "BACKUP_URL=/srv/shop-backup or https://KEY:SECRET@s3.example.com/bucket/shop (in a secret / is written "
            "%2F, @ %40, # %23), BACKUP_RECIPIENTS=age1…"
        )
        return [checks.Error(f"Nothing can be backed up: {error}", hint=hint, id="shop.E050")]
    return []


@checks.register(TAG, deploy=True)
def check_backup_is_set(**kwargs: Any) -> list[checks.CheckMessage]:
    """A shop that sells has a backup elsewhere, which nobody opens who finds it."""
    if settings.DEBUG:
        return []
    if not settings.BACKUP_URL:
        return [
            checks.Warning(
                "BACKUP_URL is empty: nothing is backed up.",
                hint="Name a folder of another disk, or a bucket; docs/operator.md, Backups.",
                id="shop.W051",
            )
        ]
    if not settings.BACKUP_RECIPIENTS:
        return [
            checks.Warning(
                "BACKUP_RECIPIENTS is empty: who reads BACKUP_URL reads all customers and orders.",
                hint="Make a key with age-keygen on another machine; docs/operator.md, Backups.",
                id="shop.W052",
            )
        ]
    return []
