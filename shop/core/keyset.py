"""Pages of a list that follow each other by moment and key: the last is read as quickly as the first."""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode
from datetime import datetime
from typing import Any, TypeVar

from django.db.models import Model, QuerySet

Row = TypeVar("Row", bound=Model)


class BadCursor(ValueError):
    """A cursor that no page gave."""


def write_cursor(moment: datetime, key: Any) -> str:
    """Return what names the row of that moment and key in an address."""
    return urlsafe_b64encode(f"{moment.isoformat()}|{key}".encode()).decode()


def read_cursor(cursor: str) -> tuple[datetime, str]:
    """Return the moment and the key. Raises BadCursor."""
    try:
        moment, _bar, key = urlsafe_b64decode(cursor.encode()).decode().partition("|")
        read = datetime.fromisoformat(moment)
    except (ValueError, OverflowError) as error:
        raise BadCursor(cursor) from error
    if read.tzinfo is None or not key:
        raise BadCursor(cursor)
    return read, key


def rows_after(rows: QuerySet[Row], cursor: str, *, moment: str) -> QuerySet[Row]:
    """Return the rows, newest first by the column `moment` and an integer key, that follow the one of `cursor`.

    Raises BadCursor.
    """
    rows = rows.order_by(f"-{moment}", "-pk")
    if not cursor:
        return rows
    when, key = read_cursor(cursor)
    if not key.isdecimal() or len(key) > 18:
        raise BadCursor(cursor)
    # The first condition lets an index begin where the page does.
    return rows.filter(**{f"{moment}__lte": when}).exclude(**{moment: when, "pk__gte": int(key)})
