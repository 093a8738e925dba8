"""Indexes of foreign keys that another index of their table begins with: every row is written to both, one is read."""

from __future__ import annotations

from typing import Any

from django.db.backends.base.schema import BaseDatabaseSchemaEditor

from .schema_step import SchemaStep


def drop_covered(name: str, columns: str) -> SchemaStep:
    """Return a migration step that drops an index while the shop sells, for one that is not atomic.

    `columns` is what it was on, `orders_order (user_id)`: reversed, it is made again. The field's state is the caller's
    (`SeparateDatabaseAndState`): AlterField makes the foreign key anew, which reads the table under a lock, and on
    SQLite the whole table, without its triggers.
    """

    def drop(apps: Any, schema_editor: BaseDatabaseSchemaEditor) -> None:
        schema_editor.execute(f"DROP INDEX {_beside_sales(schema_editor)} IF EXISTS {name}")

    def make(apps: Any, schema_editor: BaseDatabaseSchemaEditor) -> None:
        schema_editor.execute(
            f"CREATE INDEX {_beside_sales(schema_editor)} IF NOT EXISTS {name} ON {columns}"
        )

    return SchemaStep(drop, make)


def _beside_sales(schema_editor: BaseDatabaseSchemaEditor) -> str:
    return "CONCURRENTLY" if schema_editor.connection.vendor == "postgresql" else ""
