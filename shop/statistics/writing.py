"""Adding what was counted to the rows of the database: one statement a table, for rows that are there and new ones.

The ORM knows no update that adds to what another process wrote meanwhile. Rows are written in one order, so that two
processes that write the same ones wait for each other and never crosswise.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from django.db import connection, models, transaction
from django.utils import timezone

from shop.core.transaction_locks import lock_names
from shop.statistics.batch import Batch, CountKey, VisitKey, VitalKey
from shop.statistics.models import DailyCount, DailyVital, Visit

DAYS_LOCK = "statistics-days"
"""Held by who closes a day, and by who still writes visits of one: a visit is not deleted without being counted."""

_FIRST = "CASE WHEN {table}.{column} = '' THEN excluded.{column} ELSE {table}.{column} END"
_EITHER = "({table}.{column} OR excluded.{column})"
_SUM = "{table}.{column} + excluded.{column}"
_VISIT_COLUMNS = ("source", "campaign", "saw_product", "added_to_cart", "saw_checkout")


def write_batch(batch: Batch) -> None:
    """Add the sums in one short transaction."""
    with transaction.atomic():
        today = timezone.localdate()
        if any(key.day < today for key in batch.visits):
            lock_names([DAYS_LOCK])
        add_counts((key, count) for key, count in batch.counts.items())
        _upsert(
            DailyVital,
            VitalKey._fields,
            {"count": _SUM},
            ([*key, count] for key, count in batch.vitals.items()),
        )
        _upsert(
            Visit,
            VisitKey._fields,
            {column: _FIRST if column in ("source", "campaign") else _EITHER for column in _VISIT_COLUMNS},
            (
                [*key, *(getattr(news, name) for name in _VISIT_COLUMNS), news.language, news.device]
                for key, news in batch.visits.items()
            ),
            only_new=("language", "device"),
        )


def add_counts(counts: Iterable[tuple[CountKey, int]]) -> None:
    """Add to the sums of days."""
    _upsert(DailyCount, CountKey._fields, {"count": _SUM}, ([*key, count] for key, count in counts))


def _upsert(
    model: type[models.Model],
    keys: Sequence[str],
    changes: dict[str, str],
    rows: Iterable[Sequence[Any]],
    *,
    only_new: Sequence[str] = (),
) -> None:
    """Write rows of `keys`, `changes` and `only_new`, in that order: a row with the same keys is changed instead."""
    ordered = sorted(rows, key=lambda row: tuple(str(value) for value in row[: len(keys)]))
    if not ordered:
        return
    quote = connection.ops.quote_name
    table = quote(model._meta.db_table)
    defaults = {"is_demonstration": False} if model is not Visit else {}
    columns = [*keys, *changes, *only_new, *defaults]
    sets = ", ".join(
        f"{quote(name)} = {change.format(table=table, column=quote(name))}"
        for name, change in changes.items()
    )
    statement = f"""
        INSERT INTO {table} ({", ".join(map(quote, columns))}) VALUES ({", ".join(["%s"] * len(columns))})
        ON CONFLICT ({", ".join(map(quote, keys))}) DO UPDATE SET {sets}
    """  # noqa: S608 (the model's own names)
    day = list(keys).index("day")
    adapted = [
        [
            *row[:day],
            connection.ops.adapt_datefield_value(row[day]),
            *row[day + 1 :],
            *defaults.values(),
        ]
        for row in ordered
    ]
    with connection.cursor() as cursor:
        cursor.executemany(statement, adapted)
