"""The migration that gives PostgreSQL an index of parts of words, where it has the extension for it."""

from __future__ import annotations

from importlib import import_module
from types import SimpleNamespace

import pytest
from django.db import connection

pytestmark = [pytest.mark.both_engines, pytest.mark.django_db(transaction=True)]

search_parts = import_module("orders.migrations.0009_search_parts")


def index_statement(monkeypatch, extension: bool) -> list[str]:
    """The first words of what the migration executes on a server that has the extension or has not."""
    executed: list[str] = []
    monkeypatch.setattr(search_parts, "_HAS_EXTENSION", f"SELECT {'1 = 1' if extension else '1 = 0'}")
    editor = SimpleNamespace(
        connection=SimpleNamespace(vendor="postgresql", cursor=connection.cursor), execute=executed.append
    )
    search_parts.forwards(None, editor)
    return [" ".join(statement.split()[:3]) for statement in executed]


def test_the_index_is_built_beside_sales_where_the_extension_may_be_added(monkeypatch):
    assert index_statement(monkeypatch, extension=True) == [
        "CREATE EXTENSION IF",
        "DROP INDEX CONCURRENTLY",
        "CREATE INDEX CONCURRENTLY",
    ]


def test_without_the_extension_nothing_is_built(monkeypatch):
    assert index_statement(monkeypatch, extension=False) == []


def test_the_question_for_the_extension_is_understood():
    if connection.vendor != "postgresql":
        with connection.schema_editor() as editor:
            search_parts.forwards(None, editor)
            search_parts.backwards(None, editor)
        return
    with connection.cursor() as cursor:
        cursor.execute(search_parts._HAS_EXTENSION)
        assert cursor.fetchone()[0] in (True, False)
