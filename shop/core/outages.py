"""Which errors mean that the database or the disk can't be used now, through no fault of the request."""

from __future__ import annotations

import errno
import sqlite3

from django.db import DatabaseError, InterfaceError, InternalError, OperationalError

RETRY_AFTER_SECONDS = 10

# Busy, locked, out of memory, read-only, input/output, full, can't be opened, locking protocol. The rest of
# SQLite's operational errors are mistakes in a statement.
_SQLITE = frozenset((5, 6, 7, 8, 10, 13, 14, 15))
# A server that only reads (a standby, or a full disk), and one that ended a transaction that idled.
_POSTGRES_INTERNAL = frozenset(("25006", "25P03"))
_DISK = frozenset((errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO))


def is_outage(error: BaseException) -> bool:
    """Whether the same request is likely to succeed once the database or the disk is well again."""
    if isinstance(error, OSError):
        return error.errno in _DISK
    if not isinstance(error, DatabaseError | InterfaceError):
        return False
    cause = error.__cause__
    if isinstance(cause, sqlite3.Error):
        return getattr(cause, "sqlite_errorcode", 0) & 0xFF in _SQLITE
    if isinstance(error, InternalError):
        return getattr(cause, "sqlstate", None) in _POSTGRES_INTERNAL
    return isinstance(error, OperationalError | InterfaceError)
