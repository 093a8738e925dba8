"""How the database is emptied between tests that commit, and what SQLite is kept from forgiving."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from django.db import connection, transaction
from django.db.models.sql.compiler import SQLCompiler
from django.db.models.sql.constants import LOUTER
from django.test import TransactionTestCase

# The same rows for every test: what `migrate` writes about the models themselves.
UNCHANGED = {"django_migrations", "django_content_type", "auth_permission"}

_flush = TransactionTestCase._fixture_teardown


def empty_tables(test_case: TransactionTestCase | None = None) -> None:
    """Delete every row, past the triggers that refuse it, in place of Django's flush.

    Flush takes half a second: on PostgreSQL it makes new files for each table and index, and on both engines it writes
    content types and permissions again. It stays where the role of TEST_DATABASE_URL may not switch triggers off.
    """
    if connection.vendor == "sqlite":
        _empty_sqlite()
    elif _may_switch_triggers_off():
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(
                f"DO $$ BEGIN SET LOCAL session_replication_role = replica; {'; '.join(_deletions())}; END $$"
            )
    else:
        _switch_guards("DISABLE")
        _flush(test_case or TransactionTestCase())
        _switch_guards("ENABLE")


def _empty_sqlite() -> None:
    # SQLite has no switch for triggers: those that refuse are dropped and made again.
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(
            "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND name LIKE '%\\_no\\_delete' ESCAPE '\\'"
        )
        guards = cursor.fetchall()
        for name, _ in guards:
            cursor.execute(f'DROP TRIGGER "{name}"')
        for deletion in _deletions():
            cursor.execute(deletion)
        for _, statement in guards:
            cursor.execute(statement)


def _deletions() -> list[str]:
    # Tests of migrations leave tables out for a while.
    existing = set(connection.introspection.table_names())
    return [
        f"DELETE FROM {connection.ops.quote_name(table)}"
        for table in _tables_of_models()
        if table in existing
    ]


@cache
def _tables_of_models() -> list[str]:
    tables = connection.introspection.django_table_names(include_views=False)
    return [table for table in tables if table not in UNCHANGED]


def _switch_guards(verb: str) -> None:
    """Flush truncates, which tables that are only added to refuse; their owner may switch that off."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT tgrelid::regclass::text, tgname FROM pg_trigger WHERE tgname LIKE '%\\_no\\_truncate'"
        )
        for table, trigger in cursor.fetchall():
            cursor.execute(f"ALTER TABLE {table} {verb} TRIGGER {trigger}")


@cache
def _may_switch_triggers_off() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_setting('is_superuser')")
        return bool(cursor.fetchone()[0] == "on")


class NotLockable(AssertionError):
    """A statement whose rows PostgreSQL refuses to lock."""


@contextmanager
def locks_of_postgresql() -> Iterator[None]:
    """Refuse what PostgreSQL does not lock: rows that may be missing (an outer join), groups and distinct rows. SQLite
    knows no `FOR UPDATE`, so nobody would hear of it before production."""
    compile_statement = SQLCompiler.as_sql

    def checked(compiler: SQLCompiler, *args: Any, **options: Any) -> Any:
        statement = compile_statement(compiler, *args, **options)
        query = compiler.query
        if query.select_for_update:
            joins = [join for alias, join in query.alias_map.items() if query.alias_refcount[alias]]
            may_be_missing = any(getattr(join, "join_type", None) == LOUTER for join in joins)
            if (may_be_missing and not query.select_for_update_of) or query.distinct or query.group_by:
                raise NotLockable(statement[0])
        return statement

    SQLCompiler.as_sql = checked  # type: ignore[method-assign]
    try:
        yield
    finally:
        SQLCompiler.as_sql = compile_statement  # type: ignore[method-assign]
