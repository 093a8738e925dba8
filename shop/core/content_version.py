"""The version of what public pages show: every process of every machine sees at once that it has changed.

Without Redis it is the length of a file in `DATA_DIR`, which each change makes longer by a byte: asking costs a look
at the file's entry and reads nothing. With Redis it is a random number there, which the cache stores unsigned: one that
was written under another SECRET_KEY is read too. While Redis is away the file tells the processes of this machine;
those of others see a change when their pages end (`PAGE_CACHE_SECONDS`), or sooner, once a process of this machine
reaches Redis again: a second file notes that Redis has not heard of it.

A process uses what Redis said for `SHARED_SECONDS`, counted from before it asked, and forgets it when it changes the
content itself. Staff's calls are answered that much later when they have changed something (`shop.core.public_pages`):
whoever has seen a change saved sees it everywhere.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from secrets import randbits
from time import monotonic

from django.conf import settings
from django.core.cache import caches
from django.db import transaction
from django.db.models import Model

SHARED_SECONDS = 0.05

_KEY = "content-version"
# What Redis said last, and until when it is used.
_known: tuple[float, str | None] = (0.0, None)


def content_version() -> str | None:
    """Return the version, None while nobody can tell: nothing may be cached or answered from a cache then. With Redis
    it may be `SHARED_SECONDS` old."""
    if not settings.REDIS_URL:
        return _version_of_the_machine()
    until, known = _known
    return known if known is not None and monotonic() < until else current_content_version()


def current_content_version() -> str | None:
    """Return the version as it is now, None while nobody can tell."""
    global _known
    if not settings.REDIS_URL:
        return _version_of_the_machine()
    until = monotonic() + SHARED_SECONDS
    shared = _shared_version()
    _known = (until, shared)
    return shared or _version_of_the_machine()


def agreed_content_version() -> str | None:
    """Return the version that all machines agree on at this moment, for what takes money. None while Redis is away: the
    rows are read then."""
    return _shared_version() if settings.REDIS_URL else _version_of_the_machine()


def content_changed() -> None:
    """Drop all that is cached of public pages, whose content has changed, once the transaction is committed."""
    transaction.on_commit(_change, robust=True)


def save_shown(row: Model) -> None:
    """Store a row that public pages show: they do so at once."""
    with transaction.atomic():
        row.save()
        content_changed()


def delete_shown(row: Model) -> None:
    """Delete a row that public pages show: they forget it at once."""
    with transaction.atomic():
        row.delete()
        content_changed()


def _change() -> None:
    global _known
    if settings.REDIS_URL:
        _tell()
        _known = (0.0, None)
    with _file().open("ab") as stream:
        stream.write(b".")


def _tell() -> None:
    """Give the content another version in Redis; leave a note where that did not arrive."""
    shared, version = caches["shared"], randbits(60)
    # Forgotten first: a Redis that is full refuses to write and still deletes.
    shared.delete(_KEY)
    shared.set(_KEY, version, None)
    if shared.get(_KEY) != version:
        _untold().touch()


def _shared_version() -> str | None:
    shared = caches["shared"]
    found: int | None = shared.get(_KEY)
    if found is None:
        # Never set, or forgotten by Redis. Whoever comes first names it.
        shared.add(_KEY, randbits(60), None)
        found = shared.get(_KEY)
    if found is not None:
        with suppress(OSError):
            # Taken away first: one process tells it, and what is changed from here on leaves a note of its own.
            _untold().unlink()
            _tell()
            found = shared.get(_KEY)
    return None if found is None else str(found)


def _version_of_the_machine() -> str | None:
    try:
        entry = os.stat(_file())
    except FileNotFoundError:
        return "0"
    except OSError:
        return None
    return f"{entry.st_ino}-{entry.st_size}"


def _file() -> Path:
    path: Path = settings.DATA_DIR / "content-version"
    return path


def _untold() -> Path:
    path: Path = settings.DATA_DIR / "content-version-untold"
    return path
