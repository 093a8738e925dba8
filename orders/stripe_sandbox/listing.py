"""Lists of objects: filters, pages, newest first."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet

from orders.stripe_sandbox.errors import Document, invalid, no_such_reference
from orders.stripe_sandbox.models import StoredObject

DEFAULT_LIMIT = 10
MAX_LIMIT = 100


def list_objects(kind: str, url: str, params: dict[str, Any], **filters: Any) -> Document:
    """A page of a list. `filters` are columns; None and "" don't count.

    Raises ApiError (400) for a limit outside 1 to 100 or an unknown cursor.
    """
    given = {name: value for name, value in filters.items() if value is not None and value != ""}
    rows = StoredObject.objects.filter(kind=kind, **given)
    created = params.get("created")
    if isinstance(created, dict):
        rows = rows.filter(**{f"created__{bound}": value for bound, value in created.items()})
    elif created is not None:
        rows = rows.filter(created=created)
    page, has_more = _page(rows, params)
    return as_list(url, [row.body for row in page], has_more=has_more)


def list_documents(url: str, documents: list[Document], params: dict[str, Any]) -> Document:
    """A page of a short list kept inside another object, in its own order."""
    limit = _limit(params)
    start = 0
    if after := params.get("starting_after"):
        places = [place for place, document in enumerate(documents) if document["id"] == after]
        if not places:
            raise no_such_reference("item", after, param="starting_after")
        start = places[0] + 1
    return as_list(url, documents[start : start + limit], has_more=len(documents) > start + limit)


def as_list(url: str, data: list[Document], *, has_more: bool = False) -> Document:
    return {"object": "list", "url": url, "has_more": has_more, "data": data}


def _limit(params: dict[str, Any]) -> int:
    limit = params.get("limit", DEFAULT_LIMIT)
    if not isinstance(limit, int) or not 1 <= limit <= MAX_LIMIT:
        raise invalid(f"This value must be between 1 and {MAX_LIMIT}.", param="limit")
    return limit


def _page(rows: QuerySet[StoredObject], params: dict[str, Any]) -> tuple[list[StoredObject], bool]:
    limit = _limit(params)
    after, before = params.get("starting_after"), params.get("ending_before")
    if after and before:
        raise invalid("You can't use `starting_after` and `ending_before` together.", param="ending_before")
    if before:
        found = list(rows.filter(number__gt=_place(before, "ending_before")).order_by("number")[: limit + 1])
        return found[:limit][::-1], len(found) > limit
    if after:
        rows = rows.filter(number__lt=_place(after, "starting_after"))
    found = list(rows.order_by("-number")[: limit + 1])
    return found[:limit], len(found) > limit


def _place(object_id: str, param: str) -> int:
    row = StoredObject.objects.filter(id=object_id).first()
    if row is None:
        raise no_such_reference("object", object_id, param=param)
    return row.number
