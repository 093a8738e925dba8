"""Rows that the database itself keeps from being changed or deleted (art. 242 nonies A CGI ann. II, L221-21)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


def append_only(table: str, *, columns: Sequence[str] = ()) -> migrations.RunPython:
    """Return a migration step after which `table` refuses DELETE, and UPDATE of `columns` (of every column without
    them).

    The error is an IntegrityError or InternalError of the database, whoever asks: the shop, the admin or a console.
    """

    return migrations.RunPython(_step(guard_statements, table, columns), _step(release_statements, table))


def changeable(table: str) -> migrations.RunPython:
    """Return a migration step that lifts `append_only`, so that later steps may change the table; guard it again
    after them.

    SQLite rebuilds a table for most changes and would lose the triggers without a word.
    """
    return migrations.RunPython(_step(release_statements, table), _step(guard_statements, table))


def _step(write: Callable[..., list[str]], table: str, *options: Sequence[str]) -> Callable[..., None]:
    def run(apps: Any, schema_editor: BaseDatabaseSchemaEditor) -> None:
        for statement in write(table, schema_editor.connection.vendor, *options):
            schema_editor.execute(statement, params=None)

    return run


def guard_statements(table: str, vendor: str, columns: Sequence[str] = ()) -> list[str]:
    """Return the SQL that sets the two triggers, `<table>_no_update` and `<table>_no_delete`."""
    update = f"UPDATE OF {', '.join(columns)}" if columns else "UPDATE"
    message = f"rows of {table} are never changed or deleted"
    if vendor == "postgresql":
        return [
            f"CREATE FUNCTION {table}_refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
            f"RAISE EXCEPTION '{message}' USING ERRCODE = 'restrict_violation'; END $$",
            f"CREATE TRIGGER {table}_no_update BEFORE {update} ON {table} "
            f"FOR EACH ROW EXECUTE FUNCTION {table}_refuse()",
            f"CREATE TRIGGER {table}_no_delete BEFORE DELETE ON {table} "
            f"FOR EACH ROW EXECUTE FUNCTION {table}_refuse()",
        ]
    return [
        f"CREATE TRIGGER {table}_no_update BEFORE {update} ON {table} "
        f"BEGIN SELECT RAISE(ABORT, '{message}'); END",
        f"CREATE TRIGGER {table}_no_delete BEFORE DELETE ON {table} "
        f"BEGIN SELECT RAISE(ABORT, '{message}'); END",
    ]


def release_statements(table: str, vendor: str) -> list[str]:
    """Return the SQL that drops the triggers."""
    if vendor == "postgresql":
        return [
            f"DROP TRIGGER IF EXISTS {table}_no_update ON {table}",
            f"DROP TRIGGER IF EXISTS {table}_no_delete ON {table}",
            f"DROP FUNCTION IF EXISTS {table}_refuse()",
        ]
    return [
        f"DROP TRIGGER IF EXISTS {table}_no_update",
        f"DROP TRIGGER IF EXISTS {table}_no_delete",
    ]
