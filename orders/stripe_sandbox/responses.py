"""What answers are made of: lists, with their filters and pages, and objects in place of their ids (`expand[]`)."""

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
    """A page of a short list inside another object, in its own order."""
    limit = _limit(params)
    start = 0
    if after := params.get("starting_after"):
        places = [place for place, document in enumerate(documents) if document["id"] == after]
        if not places:
            raise no_such_reference("item", after, param="starting_after")
        start = places[0] + 1
    return as_list(url, documents[start : start + limit], has_more=len(documents) > start + limit)


def as_list(url: str, data: list[Document], *, has_more: bool = False) -> Document:
    """Return a list object of Stripe's API."""
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


MAX_DEPTH = 4
_EXPANDABLE = {
    "checkout.session": {
        "customer",
        "payment_intent",
        "setup_intent",
        "subscription",
        "invoice",
        "payment_link",
    },
    "payment_intent": {
        "customer",
        "latest_charge",
        "payment_method",
        "review",
        "on_behalf_of",
        "application",
    },
    "setup_intent": {"customer", "latest_attempt", "mandate", "payment_method"},
    "setup_attempt": {"application", "customer", "on_behalf_of", "payment_method", "setup_intent"},
    "charge": {"balance_transaction", "customer", "failure_balance_transaction", "payment_intent", "review"},
    "refund": {
        "balance_transaction",
        "charge",
        "failure_balance_transaction",
        "payment_intent",
        "payment_method",
    },
    "payment_method": {"customer"},
    "dispute": {"charge", "payment_intent"},
    "balance_transaction": {"source"},
    "price": {"product"},
    "customer": {"default_source"},
}


def expand(document: Document, paths: list[str] | None) -> Document:
    """The document with every path expanded. Raises ApiError (400) for what Stripe doesn't expand."""
    for number, path in enumerate(paths or []):
        parts = path.split(".")
        if len(parts) > MAX_DEPTH:
            raise invalid(
                f"You cannot expand more than {MAX_DEPTH} levels of a property: {path}", param="expand"
            )
        _walk(document, parts, path, f"expand[{number}]")
    return document


def _walk(node: Any, parts: list[str], path: str, param: str) -> None:
    if node is None or not parts:
        return
    if isinstance(node, list):
        for item in node:
            _walk(item, parts, path, param)
        return
    name, rest = parts[0], parts[1:]
    if not isinstance(node, dict):
        raise _refused(path, param)
    kind = str(node.get("object", ""))
    if (kind, name) in (("checkout.session", "line_items"), ("charge", "refunds")):
        if not isinstance(node.get(name), dict):
            node[name] = _included(kind, node["id"])
    elif name in _EXPANDABLE.get(kind, ()):
        if isinstance(node.get(name), str):
            row = StoredObject.objects.filter(id=node[name]).first()
            node[name] = row.body if row is not None else node[name]
    elif not rest or not isinstance(node.get(name), dict | list):
        raise _refused(path, param)
    _walk(node.get(name), rest, path, param)


def _included(kind: str, object_id: str) -> Document:
    if kind == "checkout.session":
        lines = StoredObject.objects.get(id=object_id).private["line_items"]
        return as_list(f"/v1/checkout/sessions/{object_id}/line_items", lines)
    refunds = StoredObject.objects.filter(kind="refund", charge=object_id).order_by("-number")
    return as_list(f"/v1/charges/{object_id}/refunds", [row.body for row in refunds])


def _refused(path: str, param: str) -> Exception:
    return invalid(
        f"This property cannot be expanded ({path}). You may want to try expanding 'data.{path}' for lists.",
        param=param,
    )
