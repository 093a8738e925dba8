"""The database as it is at one moment, for as long as it is read."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connection, connections
from django.db.utils import load_backend

from shop.backups.rows import one_moment, stored_models

COPY = "backup_copy"


@contextmanager
def snapshot(work: Path) -> Iterator[str]:
    """Yield the alias of a database that stands still. The shop goes on selling.

    PostgreSQL gives one snapshot to a transaction, in which a table is empty that a migration writes anew afterwards:
    all are locked first, so that migrations wait. Of SQLite a copy is made in `work` by its online backup: reading the
    file itself for minutes would let its journal grow without end.
    """
    if connection.vendor == "postgresql":
        with one_moment(DEFAULT_DB_ALIAS):
            tables = ", ".join(connection.ops.quote_name(model._meta.db_table) for model in stored_models())
            with connection.cursor() as cursor:
                cursor.execute(f"LOCK TABLE {tables} IN ACCESS SHARE MODE")
            yield DEFAULT_DB_ALIAS
        return
    path = work / "copy.sqlite3"
    connection.ensure_connection()
    with closing(sqlite3.connect(path)) as copy:
        connection.connection.backup(copy)
    with extra_database(COPY, {**connection.settings_dict, "NAME": str(path), "CONN_MAX_AGE": 0}):
        yield COPY
    path.unlink()


@contextmanager
def extra_database(alias: str, values: dict[str, Any]) -> Iterator[None]:
    """Have Django know one more database; its connection is closed at the end."""
    connection = load_backend(str(values["ENGINE"])).DatabaseWrapper(values, alias)
    connections[alias] = connection
    try:
        yield
    finally:
        connection.close()
        del connections[alias]
