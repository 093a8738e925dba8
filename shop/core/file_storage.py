"""Where files are stored, and their end: a worker deletes those that no row came to name, or names any more."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Literal

from django.core.files.base import ContentFile
from django.core.files.storage import Storage, storages
from django.utils import timezone

from shop.core.each_row import STEP_SECONDS, each_row
from shop.core.enqueue import enqueue_after_commit
from shop.core.models import DiscardedFile

StorageName = Literal["default", "private"]

STAYS = timedelta(days=1)
"""How long a file stays that no row names yet, and a public one that none names any more: an order that is being placed
and a page in a cache show it still."""


def private_storage() -> Storage:
    """Return where files are to which no public address leads: pictures of visitors and pieces, archives."""
    return storages["private"]


def store_file(name: str, content: bytes, storage: StorageName) -> None:
    """Store a file that a row will name: before the transaction of that row, as a storage may take seconds to answer.

    Wherever this process ends, the file is deleted a day later, unless that transaction calls `keep_files`.
    """
    DiscardedFile.objects.create(storage=storage, name=name, discarded_at=timezone.now() + STAYS)
    storages[storage].save(name, ContentFile(content))


def keep_files(names: Iterable[str], storage: StorageName) -> None:
    """Say in the caller's transaction, which writes the rows that name them, that these stored files stay."""
    DiscardedFile.objects.filter(storage=storage, name__in=names).delete()


def discard_files(names: Iterable[str], storage: StorageName) -> None:
    """Have files of a storage deleted once the caller's transaction, which takes away the rows that name them, is
    committed: private ones at once, public ones a day later."""
    due = timezone.now() + (STAYS if storage == "default" else timedelta())
    rows = [DiscardedFile(storage=storage, name=name, discarded_at=due) for name in names]
    if rows:
        DiscardedFile.objects.bulk_create(rows, ignore_conflicts=True)
        enqueue_after_commit("shop.core.tasks.delete_discarded_files")


def delete_discarded_files(now: datetime | None = None) -> bool:
    """Delete the discarded files that are due; False while some are left for the next turn. Safe to repeat.

    Raises OSError: what could not be deleted stays.
    """
    due = DiscardedFile.objects.filter(discarded_at__lte=now or timezone.now())
    each_row(due.order_by("pk"), _delete, seconds=STEP_SECONDS)
    return not due.exists()


def _delete(row: DiscardedFile) -> bool:
    storages[row.storage].delete(row.name)
    return bool(row.delete()[0])
