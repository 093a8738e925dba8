"""Pages of a list that follow each other by moment and key: the last is read as quickly as the first."""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import dataclass
from datetime import UTC, datetime, time
from typing import Any, Generic, TypeVar

from django.core.exceptions import ValidationError
from django.db.models import Model, QuerySet
from django.utils import timezone

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
    except ValueError as error:
        raise BadCursor(cursor) from error
    if not key:
        raise BadCursor(cursor)
    return read_moment(moment), key


def read_moment(text: str) -> datetime:
    """Return the moment of a cursor, one that databases keep. Raises BadCursor."""
    try:
        moment = datetime.fromisoformat(text)
        # What has no zone is no moment, and the calendar's ends are none where the shop or the database is.
        for zone in (timezone.get_default_timezone(), UTC):
            timezone.make_naive(moment, zone)
    except (ValueError, OverflowError) as error:
        raise BadCursor(text) from error
    return moment


def rows_after(rows: QuerySet[Row], cursor: str, *, moment: str, oldest_first: bool = False) -> QuerySet[Row]:
    """Return the rows, by the column `moment` and the key, that follow the one of `cursor`.

    `moment` is a moment or a day that is never empty, of the row or of one that it points to. Raises BadCursor.
    """
    sign = "" if oldest_first else "-"
    rows = rows.order_by(f"{sign}{moment}", f"{sign}pk")
    if not cursor:
        return rows
    when, text = read_cursor(cursor)
    try:
        key = rows.model._meta.pk.to_python(text)
    except ValidationError as error:
        raise BadCursor(cursor) from error
    onwards, passed = ("gte", "lte") if oldest_first else ("lte", "gte")
    # The first condition lets an index begin where the page does.
    return rows.filter(**{f"{moment}__{onwards}": when}).exclude(**{moment: when, f"pk__{passed}": key})


@dataclass(frozen=True, slots=True)
class KeysetPage(Generic[Row]):
    """A page of rows, and the cursor of the next one, "" at the end."""

    rows: list[Row]
    next_cursor: str


def read_page(
    rows: QuerySet[Row], cursor: str, *, moment: str, size: int, oldest_first: bool = False
) -> KeysetPage[Row]:
    """Return `size` rows at most of `rows_after`. One query. Raises BadCursor."""
    found = list(rows_after(rows, cursor, moment=moment, oldest_first=oldest_first)[: size + 1])
    page = found[:size]
    if len(found) <= size:
        return KeysetPage(page, "")
    last: Any = page[-1]
    for name in moment.split("__"):
        last = getattr(last, name)
    when = last if isinstance(last, datetime) else datetime.combine(last, time(12), tzinfo=UTC)
    return KeysetPage(page, write_cursor(when, page[-1].pk))
