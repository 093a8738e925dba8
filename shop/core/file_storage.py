"""Where private files are, and the end of all: a worker deletes stored files behind the change that gives them up."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from django.core.files.storage import Storage, storages

from shop.core.each_row import STEP_SECONDS, each_row
from shop.core.enqueue import enqueue_after_commit
from shop.core.models import DiscardedFile


def private_storage() -> Storage:
    """Return where files are to which no public address leads: pictures of visitors and pieces, archives."""
    return storages["private"]


def discard_files(names: Iterable[str], storage: Literal["default", "private"]) -> None:
    """Have files of a storage deleted once the caller's transaction, which takes away the rows that name them, is
    committed."""
    rows = [DiscardedFile(storage=storage, name=name) for name in names]
    if rows:
        DiscardedFile.objects.bulk_create(rows, ignore_conflicts=True)
        enqueue_after_commit("shop.core.tasks.delete_discarded_files")


def delete_discarded_files() -> bool:
    """Delete the files that were discarded; False while some are left for the next turn. Safe to repeat.

    Raises OSError: what could not be deleted stays.
    """
    each_row(DiscardedFile.objects.order_by("pk"), _delete, seconds=STEP_SECONDS)
    return not DiscardedFile.objects.exists()


def _delete(row: DiscardedFile) -> bool:
    storages[row.storage].delete(row.name)
    return bool(row.delete()[0])
