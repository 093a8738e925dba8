"""Rows that are added and never changed: proofs, and journals of decisions (art. 242 nonies A CGI ann. II, L221-21).

The database refuses changes by triggers; the models refuse them before they get there.

Where the law ends a row's life, the triggers let through what a condition allows: SQL that both engines read, with the
row as OLD and NEW.
"""

from __future__ import annotations

from typing import Any, NoReturn

from django.db import models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

from .schema_step import SchemaStep

NEVER = "FALSE"


def append_only(table: str, *, update_if: str = NEVER, delete_if: str = NEVER) -> SchemaStep:
    """Return a migration step after which the database refuses UPDATE, DELETE and, on PostgreSQL, TRUNCATE of `table`,
    but for the rows that a condition names. Reversed, nothing is refused.

    The error is an IntegrityError or InternalError of the database, whoever asks: the shop, the admin or a console.
    SQLite rebuilds a table for most changes and drops its triggers: a migration that changes such a table ends with
    this step again. It refuses to rebuild a table that a condition of another table reads: release that one first.
    """

    def guard(apps: Any, schema_editor: BaseDatabaseSchemaEditor) -> None:
        vendor = schema_editor.connection.vendor
        for statement in release_statements(table, vendor) + guard_statements(
            table, vendor, update_if=update_if, delete_if=delete_if
        ):
            schema_editor.execute(statement, params=None)

    def release(apps: Any, schema_editor: BaseDatabaseSchemaEditor) -> None:
        for statement in release_statements(table, schema_editor.connection.vendor):
            schema_editor.execute(statement, params=None)

    return SchemaStep(guard, release)


def guard_statements(table: str, vendor: str, *, update_if: str = NEVER, delete_if: str = NEVER) -> list[str]:
    """Return the SQL that creates the triggers `<table>_no_update`, `<table>_no_delete` and, on PostgreSQL,
    `<table>_no_truncate`.
    """
    message = f"rows of {table} are never changed or deleted"
    if vendor == "postgresql":
        return [
            f"CREATE FUNCTION {table}_refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
            f"IF TG_OP = 'UPDATE' THEN IF {update_if} THEN RETURN NEW; END IF; "
            f"ELSIF TG_OP = 'DELETE' THEN IF {delete_if} THEN RETURN OLD; END IF; END IF; "
            f"RAISE EXCEPTION '{message}' USING ERRCODE = 'restrict_violation'; END $$",
            f"CREATE TRIGGER {table}_no_update BEFORE UPDATE ON {table} "
            f"FOR EACH ROW EXECUTE FUNCTION {table}_refuse()",
            f"CREATE TRIGGER {table}_no_delete BEFORE DELETE ON {table} "
            f"FOR EACH ROW EXECUTE FUNCTION {table}_refuse()",
            f"CREATE TRIGGER {table}_no_truncate BEFORE TRUNCATE ON {table} "
            f"FOR EACH STATEMENT EXECUTE FUNCTION {table}_refuse()",
        ]
    return [
        f"CREATE TRIGGER {table}_no_update BEFORE UPDATE ON {table} WHEN ({update_if}) IS NOT TRUE "
        f"BEGIN SELECT RAISE(ABORT, '{message}'); END",
        f"CREATE TRIGGER {table}_no_delete BEFORE DELETE ON {table} WHEN ({delete_if}) IS NOT TRUE "
        f"BEGIN SELECT RAISE(ABORT, '{message}'); END",
    ]


def release_statements(table: str, vendor: str) -> list[str]:
    """Return the SQL that drops the triggers, whether they exist or not."""
    if vendor == "postgresql":
        return [
            f"DROP TRIGGER IF EXISTS {table}_no_update ON {table}",
            f"DROP TRIGGER IF EXISTS {table}_no_delete ON {table}",
            f"DROP TRIGGER IF EXISTS {table}_no_truncate ON {table}",
            f"DROP FUNCTION IF EXISTS {table}_refuse()",
        ]
    return [
        f"DROP TRIGGER IF EXISTS {table}_no_update",
        f"DROP TRIGGER IF EXISTS {table}_no_delete",
    ]


class AppendOnlyError(TypeError):
    """Raised by whoever tries to change or delete such a row."""


class AppendOnlyQuerySet(models.QuerySet[Any]):
    """Refuses every bulk change."""

    def update(self, **kwargs: Any) -> NoReturn:
        raise AppendOnlyError(f"Rows of {self.model._meta.label} are never changed.")

    def delete(self) -> NoReturn:
        raise AppendOnlyError(f"Rows of {self.model._meta.label} are never deleted.")

    def bulk_update(self, objs: Any, fields: Any, batch_size: int | None = None) -> NoReturn:
        raise AppendOnlyError(f"Rows of {self.model._meta.label} are never changed.")


class AppendOnlyModel(models.Model):
    """A row that can be inserted, and no more."""

    objects = AppendOnlyQuerySet.as_manager()

    class Meta:
        abstract = True

    def save(self, *args: Any, **kwargs: Any) -> None:
        if not self._state.adding:
            raise AppendOnlyError(f"Rows of {self._meta.label} are never changed.")
        super().save(*args, **kwargs)

    def delete(self, using: str | None = None, keep_parents: bool = False) -> NoReturn:
        raise AppendOnlyError(f"Rows of {self._meta.label} are never deleted.")
