"""The folder in which a backup or a restore works."""

from __future__ import annotations

import fcntl
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings


class InUseError(Exception):
    """Another process does the same. The text says so."""


@contextmanager
def work_folder(name: str) -> Iterator[Path]:
    """An empty folder of `DATA_DIR`, of one process at a time; what one that was killed left in it, every row of the
    shop, goes first.

    Raises InUseError.
    """
    with (settings.DATA_DIR / f"{name}.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InUseError(f"Another {name} is under way.") from None
        work: Path = settings.DATA_DIR / f"{name}.work"
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir(mode=0o700)
        try:
            yield work
        finally:
            shutil.rmtree(work, ignore_errors=True)
