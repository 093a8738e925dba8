"""The migration that gives PostgreSQL an index of parts of words, where it has the extension for it."""

from __future__ import annotations

from importlib import import_module
from types import SimpleNamespace

import pytest
from django.db import connection

pytestmark = pytest.mark.django_db

search_parts = import_module("orders.migrations.0009_search_parts")


def executed(monkeypatch, *, extension: bool, vendor: str = "postgresql") -> list[str]:
    """The first words of what the migration executes on a server that has the extension or has not."""
    statements: list[str] = []
    monkeypatch.setattr(search_parts, "_HAS_EXTENSION", f"SELECT {'1 = 1' if extension else '1 = 0'}")
    editor = SimpleNamespace(
        connection=SimpleNamespace(vendor=vendor, cursor=connection.cursor), execute=statements.append
    )
    search_parts.forwards(None, editor)
    return [" ".join(statement.split()[:3]) for statement in statements]


def test_the_index_is_built_beside_sales_where_the_extension_may_be_added(monkeypatch):
    assert executed(monkeypatch, extension=True) == [
        "CREATE EXTENSION IF",
        "DROP INDEX CONCURRENTLY",
        "CREATE INDEX CONCURRENTLY",
    ]


@pytest.mark.parametrize(("vendor", "extension"), [("postgresql", False), ("sqlite", True)])
def test_nothing_is_built_without_the_extension_or_postgresql(monkeypatch, vendor, extension):
    assert executed(monkeypatch, extension=extension, vendor=vendor) == []


@pytest.mark.postgres
def test_this_server_has_the_index_if_it_has_the_extension():
    with connection.cursor() as cursor:
        cursor.execute(search_parts._HAS_EXTENSION)
        has_extension = cursor.fetchone()[0]
        cursor.execute("SELECT EXISTS (SELECT FROM pg_indexes WHERE indexname = %s)", [search_parts.INDEX])
        assert cursor.fetchone()[0] is has_extension
