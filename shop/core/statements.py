"""Statements that are written once, for the few queries that run at every call of the shop.

Django writes the SQL of a query anew each time, which for a row or two takes ten times longer than running it. What is
read is the same: the rows of this moment.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import lru_cache
from typing import Any, Generic, TypeVar

from django.db import DEFAULT_DB_ALIAS, connections, models

Row = TypeVar("Row", bound=models.Model)
_Statement = tuple[str, tuple[tuple[int, list[Callable[..., Any]], Any], ...]]


class RowsByKey(Generic[Row]):
    """Rows of `model`, and of what `joined` names, for a list of keys of one column.

    `RowsByKey(Product, "pk", ("price", "in_stock"), joined={"category": ("position",)})`. Fields are those of the table
    (`name_fr`, not a translated `name`); the primary key is always among them. Reading another one later costs a query,
    as with `only()`. Lists whose lengths round up to the same power of two share a statement.
    """

    def __init__(
        self,
        model: type[Row],
        key: str,
        fields: Collection[str],
        *,
        joined: dict[str, Collection[str]] | None = None,
        order_by: Sequence[str] = (),
    ) -> None:
        self._model = model
        self._key = key
        self._order_by = order_by
        self._fields = _in_table_order(model, fields)
        self._joined = [
            (name, related, _in_table_order(related, columns))
            for name, columns in (joined or {}).items()
            if (related := _related(model, name))
        ]
        self._columns = [*self._fields]
        for name, _, columns in self._joined:
            self._columns += [f"{name}__{column}" for column in columns]
        self._write = lru_cache(maxsize=None)(self._written)

    def find(self, keys: Collection[int]) -> Iterator[Row]:
        """One query; none without keys."""
        if not keys:
            return
        size = 1 << (len(keys) - 1).bit_length()
        last = next(iter(keys))
        wanted = [*keys, *[last] * (size - len(keys))]
        connection = connections[DEFAULT_DB_ALIAS]
        sql, converters = self._write(connection.vendor, size)
        with connection.cursor() as cursor:
            cursor.execute(sql, wanted)
            found = cursor.fetchall()
        for values in found:
            read = list(values)
            for place, convert, expression in converters:
                for converter in convert:
                    read[place] = converter(read[place], expression, connection)
            yield self._row(read)

    def _row(self, values: list[Any]) -> Row:
        end = len(self._fields)
        row = self._model.from_db(DEFAULT_DB_ALIAS, self._fields, values[:end])
        for name, related, columns in self._joined:
            start, end = end, end + len(columns)
            setattr(row, name, related.from_db(DEFAULT_DB_ALIAS, columns, values[start:end]))
        return row

    def _written(self, vendor: str, size: int) -> _Statement:
        # Not the model's manager, which would add to it.
        rows: models.QuerySet[Row] = models.QuerySet(self._model).filter(
            **{f"{self._key}__in": range(1, size + 1)}
        )
        compiler = (
            rows.order_by(*self._order_by).values_list(*self._columns).query.get_compiler(DEFAULT_DB_ALIAS)
        )
        sql, parameters = compiler.as_sql()
        assert sorted(parameters) == list(range(1, size + 1)), "Only the keys may vary."
        converters = compiler.get_converters([column for column, _, _ in compiler.select or []])
        return sql, tuple((place, *found) for place, found in converters.items())


def _in_table_order(model: type[models.Model], fields: Collection[str]) -> list[str]:
    """As `from_db` takes them."""
    known = [field.attname for field in model._meta.concrete_fields]
    wanted = {model._meta.pk.attname if name == "pk" else name for name in ("pk", *fields)}
    assert wanted <= set(known), f"{model.__name__} has no {wanted - set(known)}"
    return [name for name in known if name in wanted]


def _related(model: type[models.Model], name: str) -> type[models.Model]:
    related = model._meta.get_field(name).related_model
    assert isinstance(related, type)
    return related
