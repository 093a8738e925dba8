"""Backups of a few tables, at a given moment."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import time_machine

from shop.backups.making import make_backup
from shop.backups.models import Backup
from shop.backups.restoring import fetch_archive
from shop.backups.vault import open_vault

NIGHT = datetime(2026, 11, 23, 2, tzinfo=UTC)


def backup_at(moment: datetime) -> Backup:
    with time_machine.travel(moment, tick=False):
        return make_backup()


def stored_at(target: Path, picture: str, work: Path) -> Path:
    """Where the target keeps a private file; others of the same content may be there."""
    files = fetch_archive(open_vault(), "", work).files
    (found,) = (file for file in files if (file.storage, file.name) == ("private", picture))
    return target / found.object_name
