"""A database that a restore or a move has not finished is no shop: nothing else than that command may open it.

Nor does either begin while the shop runs: what is sold meanwhile would be in the database that is left behind.
"""

from __future__ import annotations

import fcntl
import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic, sleep
from typing import Any, NoReturn

from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, OperationalError, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created

from shop.backups.work_folder import InUseError

logger = logging.getLogger(__name__)

MARK = "restore_under_way"
"""A table, there for as long as what else is there is no shop."""

REFUSAL = (
    "A restore or a move into this database broke off, or is still under way: what is there is no shop. "
    "Drop the database and start again with a new empty one."
)
UNDER_WAY = (
    "A restore or a move is under way on this machine: nothing else opens the database until it has ended."
)
IN_USE = "The shop is running, or something else has its database open: stop web, workers and beat on every machine."

GONE_WITHIN = 3.0
"""Seconds after which the server has noticed that somebody left."""

_data_dir: int | None = None
"""DATA_DIR, opened: who has opened the database shares a lock on it for as long as the process lives."""


@contextmanager
def nobody_else() -> Iterator[None]:
    """Inside, no other process of this machine opens the database. Raises InUseError while one has opened it, or, on
    PostgreSQL, one of another machine is connected."""
    try:
        _lock(fcntl.LOCK_EX)
    except BlockingIOError:
        raise InUseError(IN_USE) from None
    try:
        if connections[DEFAULT_DB_ALIAS].vendor == "postgresql":
            _refuse_connected()
        yield
    finally:
        _lock(fcntl.LOCK_SH)


def _refuse_connected() -> None:
    connection = connections[DEFAULT_DB_ALIAS]
    # Its own of before count as well.
    connection.close()
    connection.close_pool()  # type: ignore[attr-defined]
    end = monotonic() + GONE_WITHIN
    while True:
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT FROM pg_stat_activity WHERE datname = current_database() AND usename = current_user"
                " AND backend_type = 'client backend' AND pid <> pg_backend_pid()"
            )
            if not cursor.rowcount:
                return
        if monotonic() >= end:
            raise InUseError(IN_USE)
        sleep(0.1)


def _lock(kind: int) -> None:
    """Raises BlockingIOError."""
    global _data_dir
    folder = os.open(settings.DATA_DIR, os.O_RDONLY) if _data_dir is None else _data_dir
    try:
        fcntl.flock(folder, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(folder)
        _data_dir = None
        raise
    _data_dir = folder


def begin_restore() -> None:
    """From now on this process alone opens the database."""
    connection_created.disconnect(refuse_unfinished)
    with connections[DEFAULT_DB_ALIAS].cursor() as cursor:
        cursor.execute(f"CREATE TABLE {MARK} (step integer)")


def end_restore(using: str = DEFAULT_DB_ALIAS) -> None:
    """What was restored or moved is a shop again."""
    with connections[using].cursor() as cursor:
        cursor.execute(f"DROP TABLE {MARK}")


def refuse_unfinished(connection: BaseDatabaseWrapper, **kwargs: Any) -> None:
    """Asked once of each connection to the server, as the database may be another one behind the next: one query.
    Raises OperationalError: an outage, as when the database is away, for web, workers, beat and commands."""
    if connection.alias != DEFAULT_DB_ALIAS or getattr(connection.connection, "is_of_a_shop", False):
        return
    if _data_dir is None:
        try:
            _lock(fcntl.LOCK_SH)
        except BlockingIOError:
            _refuse(connection, UNDER_WAY)
    with connection.cursor() as cursor:
        tables = connection.introspection.table_names(cursor)
    if MARK in tables:
        _refuse(connection, REFUSAL)
    if tables and connection.vendor == "postgresql":
        connection.connection.is_of_a_shop = True


def _refuse(connection: BaseDatabaseWrapper, words: str) -> NoReturn:
    connection.close()
    logger.error(words)
    raise OperationalError(words)
