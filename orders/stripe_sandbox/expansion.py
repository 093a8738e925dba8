"""`expand[]`: replaces ids by the objects they name."""

from __future__ import annotations

from typing import Any

from orders.stripe_sandbox.errors import Document, invalid
from orders.stripe_sandbox.listing import as_list
from orders.stripe_sandbox.models import StoredObject

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
