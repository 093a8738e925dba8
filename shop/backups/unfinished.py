"""A database that a restore or a move has not finished is no shop: nothing else than that command may open it."""

from __future__ import annotations

import logging
from typing import Any

from django.db import DEFAULT_DB_ALIAS, OperationalError, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created

logger = logging.getLogger(__name__)

MARK = "restore_under_way"
"""A table, there for as long as what else is there is no shop."""

REFUSAL = (
    "A restore or a move into this database broke off, or is still under way: what is there is no shop. "
    "Drop the database and start again with a new empty one."
)


def begin_restore() -> None:
    """From now on this process alone opens the database."""
    connection_created.disconnect(refuse_unfinished)
    mark(DEFAULT_DB_ALIAS)


def end_restore() -> None:
    """What was restored is a shop again."""
    unmark(DEFAULT_DB_ALIAS)


def mark(using: str) -> None:
    with connections[using].cursor() as cursor:
        cursor.execute(f"CREATE TABLE {MARK} (step integer)")


def unmark(using: str) -> None:
    with connections[using].cursor() as cursor:
        cursor.execute(f"DROP TABLE {MARK}")


def refuse_unfinished(connection: BaseDatabaseWrapper, **kwargs: Any) -> None:
    """Asked of each new connection until one was good: one query. Raises OperationalError: an outage, as when the
    database is away, for web, workers, beat and commands, whenever they started."""
    if connection.alias != DEFAULT_DB_ALIAS:
        return
    with connection.cursor() as cursor:
        tables = connection.introspection.table_names(cursor)
    if MARK in tables:
        connection.close()
        logger.error(REFUSAL)
        raise OperationalError(REFUSAL)
    if tables:
        connection_created.disconnect(refuse_unfinished)
