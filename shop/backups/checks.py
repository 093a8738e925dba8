"""Backups that could not be made, or opened, found before the night (`manage.py check`, and every start)."""

import os
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
    if is_on_the_disk_of_the_shop(settings.BACKUP_URL):
        return [
            # No warning: somebody else may fetch that folder every night.
            checks.Info(
                "BACKUP_URL is a folder of the disk that DATA_DIR is on: what breaks the disk takes both.",
                hint="Mount another disk at it, or name a bucket; docs/operator.md, Backups.",
                id="shop.I053",
            )
        ]
    return []


def is_on_the_disk_of_the_shop(url: str) -> bool:
    """Return whether a target is a folder on the file system of DATA_DIR; one that is not made yet will be in the
    nearest that is there. What is no target is told as E050."""
    from shop.backups.targets import FolderTarget, TargetError, open_target

    try:
        target = open_target(url)
    except TargetError:
        return False
    if not isinstance(target, FolderTarget):
        return False
    places = (
        next(at for at in (place, *place.parents) if os.access(at, os.F_OK))
        for place in (target.folder, settings.DATA_DIR)
    )
    return len({place.stat().st_dev for place in places}) == 1
