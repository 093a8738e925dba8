"""Lists of the staff area: in parts, searched, a page at a time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar
from urllib.parse import urlencode

from django.db.models import Model, QuerySet
from django.http import HttpRequest, QueryDict

from shop.core.keyset import BadCursor, KeysetPage, read_page
from shop.core.searching import rows_with_words

PAGE_SIZE = 50

Row = TypeVar("Row", bound=Model)


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a list: its word in the address, what people read, its rows (all of them without `narrow`), where it
    begins, and what it says when it has none, where that is more than that there is none."""

    word: str
    label: str
    narrow: Callable[[QuerySet[Any]], QuerySet[Any]] | None = None
    oldest_first: bool = False
    empty: str = ""


@dataclass(frozen=True, slots=True)
class PartLink:
    """A part that can be chosen."""

    label: str
    url: str
    is_open: bool


@dataclass(frozen=True, slots=True)
class StaffList(Generic[Row]):
    """A page of a list, and the links around it. `next_url` is empty at the end, `first_url` on the first page;
    `matching` are the rows of every page, `part` is the word of the one that is open and `empty` what it says without
    rows, `kept` what a new search keeps of the address."""

    rows: list[Row]
    matching: QuerySet[Row]
    part: str
    empty: str
    parts: list[PartLink]
    search: str
    kept: dict[str, str]
    next_url: str
    first_url: str


def staff_list(
    request: HttpRequest,
    rows: QuerySet[Row],
    parts: Sequence[Part],
    *,
    searched: Sequence[str],
    moment: str,
    kept: Mapping[str, str] | None = None,
) -> StaffList[Row]:
    """Return the page that the address asks for: `liste` a part, `q` words, `apres` the place. One query.

    The first part is shown unless another is asked for; words alone are looked for in the part that has all rows. What
    can't be read in the address is left aside. `kept` is what else of the address narrowed the rows.
    """
    search = request.GET.get("q", "").strip()
    asked = request.GET.get("liste", "")
    part = next((part for part in parts if part.word == asked), None)
    if part is None:
        part = next((part for part in parts if search and part.narrow is None), parts[0])
    found = rows if part.narrow is None else part.narrow(rows)
    found = rows_with_words(found, search, searched)
    cursor = request.GET.get("apres", "")
    try:
        page = _page(found, cursor, moment, part)
    except BadCursor:
        cursor = ""
        page = _page(found, cursor, moment, part)
    stay = {"q": search, **(kept or {})}
    here = {"liste": part.word, **stay}
    return StaffList(
        rows=page.rows,
        matching=found,
        part=part.word,
        empty=part.empty,
        parts=[PartLink(to.label, _address({"liste": to.word, **stay}), to is part) for to in parts],
        search=search,
        kept={name: value for name, value in (kept or {}).items() if value},
        next_url=_address({**here, "apres": page.next_cursor}) if page.next_cursor else "",
        first_url=_address(here) if cursor else "",
    )


def _page(rows: QuerySet[Row], cursor: str, moment: str, part: Part) -> KeysetPage[Row]:
    return read_page(rows, cursor, moment=moment, size=PAGE_SIZE, oldest_first=part.oldest_first)


def _address(values: Mapping[str, str]) -> str:
    return f"?{urlencode({name: value for name, value in values.items() if value})}"


def new_place(rows: Sequence[Model], place: int, asked: QueryDict) -> int:
    """Return where the row of `place` goes, counted without it. What names no other row leaves it there."""
    last = len(rows) - 1
    before = asked.get("avant")
    if before is None:
        return min(max(place + (1 if asked.get("vers") == "bas" else -1), 0), last)
    if before == "fin":
        return last
    others = [str(row.pk) for row in rows if row is not rows[place]]
    return others.index(before) if before in others else place
