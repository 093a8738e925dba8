"""Triggers that refuse any change or deletion of a row (art. 242 nonies A CGI ann. II, L221-21)."""

from __future__ import annotations

from typing import Any

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


def append_only(table: str) -> migrations.RunPython:
    """Return a migration step after which the database refuses UPDATE and DELETE of rows of `table`.

    The error is an IntegrityError or InternalError of the database, whoever asks: the shop, the admin or a console.
    SQLite rebuilds a table for most changes and drops its triggers: a migration that changes such a table ends with
    this step again.
    """

    def guard(apps: Any, schema_editor: BaseDatabaseSchemaEditor) -> None:
        vendor = schema_editor.connection.vendor
        for statement in release_statements(table, vendor) + guard_statements(table, vendor):
            schema_editor.execute(statement, params=None)

    def release(apps: Any, schema_editor: BaseDatabaseSchemaEditor) -> None:
        for statement in release_statements(table, schema_editor.connection.vendor):
            schema_editor.execute(statement, params=None)

    return migrations.RunPython(guard, release)


def guard_statements(table: str, vendor: str) -> list[str]:
    """Return the SQL that creates the two triggers, `<table>_no_update` and `<table>_no_delete`."""
    message = f"rows of {table} are never changed or deleted"
    if vendor == "postgresql":
        return [
            f"CREATE FUNCTION {table}_refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
            f"RAISE EXCEPTION '{message}' USING ERRCODE = 'restrict_violation'; END $$",
            f"CREATE TRIGGER {table}_no_update BEFORE UPDATE ON {table} "
            f"FOR EACH ROW EXECUTE FUNCTION {table}_refuse()",
            f"CREATE TRIGGER {table}_no_delete BEFORE DELETE ON {table} "
            f"FOR EACH ROW EXECUTE FUNCTION {table}_refuse()",
        ]
    return [
        f"CREATE TRIGGER {table}_no_update BEFORE UPDATE ON {table} "
        f"BEGIN SELECT RAISE(ABORT, '{message}'); END",
        f"CREATE TRIGGER {table}_no_delete BEFORE DELETE ON {table} "
        f"BEGIN SELECT RAISE(ABORT, '{message}'); END",
    ]


def release_statements(table: str, vendor: str) -> list[str]:
    """Return the SQL that drops the triggers, whether they exist or not."""
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
