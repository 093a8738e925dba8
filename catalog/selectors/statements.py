"""Statements that are written out: those of a quote take Django longer to write than the database to answer."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import UTC
from functools import cache
from typing import Any, Generic, TypeVar

from django.db import connection
from django.db.models import DateTimeField, Model

Row = TypeVar("Row", bound=Model)


class Part(Generic[Row]):
    """Columns of one table within a statement. `raw()` takes longer to find out whose they are."""

    def __init__(self, model: type[Row], table: str, names: frozenset[str]) -> None:
        self._model = model
        # In the order of the model's columns: `from_db` reads the values so.
        self._fields = [field for field in model._meta.concrete_fields if field.attname in names]
        self._moments = [n for n, field in enumerate(self._fields) if isinstance(field, DateTimeField)]
        self._names = names
        self.columns = ", ".join(f"{table}.{field.column}" for field in self._fields)

    def read(self, values: Sequence[Any]) -> tuple[Row, Sequence[Any]]:
        """Return the row that the values begin with, and the values behind it."""
        # They come as the engine has them: SQLite knows no decimals and no time zones.
        own = [field.to_python(value) for field, value in zip(self._fields, values, strict=False)]
        for number in self._moments:
            if own[number] is not None and own[number].tzinfo is None:
                own[number] = own[number].replace(tzinfo=UTC)
        return self._model.from_db(connection.alias, self._names, own), values[len(own) :]


@cache
def part_of(model: type[Row], table: str, names: frozenset[str]) -> Part[Row]:
    """The part of a statement that reads these columns of a model, whose table the statement calls `table`."""
    return Part(model, table, names)


def columns_of(model: type[Model]) -> frozenset[str]:
    """Every column of a model, as its attributes are called."""
    return frozenset(field.attname for field in model._meta.concrete_fields)


def marks(keys: Collection[int]) -> str:
    """As many placeholders as there are keys."""
    return ", ".join(["%s"] * len(keys))


def rows_of(query: str, parameters: Sequence[Any]) -> list[tuple[Any, ...]]:
    """The rows of a statement. One query."""
    with connection.cursor() as cursor:
        cursor.execute(query, parameters)
        return list(cursor.fetchall())
