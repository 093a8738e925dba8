"""Addresses and bodies of calls, as the description of the API has them, and values in each of their places."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import Any

from drf_spectacular.generators import SchemaGenerator

PARAMETERS = (
    "acces", "apres", "au", "categorie", "cle", "commande", "cursor", "d", "du", "ecart", "etat", "finition", "format",
    "from", "id", "ids", "liste", "month", "number", "objet", "order", "ordering", "page", "periode", "person",
    "produit", "produits", "q", "recherche", "refund", "search", "session_id", "shipment", "since", "sort", "status",
    "statut", "suite", "tab", "tag", "to", "until", "year",
)  # fmt: skip
VALUE = re.compile(r"\(\?P<.*?\)|<.*?>|{.*?}")
PLAIN = {
    "uuid": "00000000-0000-0000-0000-000000000001",
    "email": "a@example.com",
    "date": "2026-12-01",
    "date-time": "2026-12-01T10:00:00Z",
    "decimal": "1.00",
    "uri": "https://example.com/x",
}
NAMED = {
    "category": "mangas",
    "country": "FR",
    "email": "a@example.com",
    "postalCode": "75011",
    "postal_code": "75011",
}
# What its sender saw: where that is out of date, nothing else is looked at.
SEEN = ("version", "expected_updated_at", "base_updated_at", "seen_ids", "seen_stock_quantity")


def shape(path: str) -> str:
    """`/api/orders/{}`: an address, whatever its values are called, of a route or of the description."""
    return "/" + VALUE.sub("{}", re.sub(r"[\^$\\]", "", path)).lstrip("/")


def bodies() -> dict[str, dict[str, Any]]:
    """A plausible body of each call that takes JSON, by its shape and method."""
    description = SchemaGenerator().get_schema(request=None, public=True)  # type: ignore[no-untyped-call]
    parts = description["components"]["schemas"]
    found: dict[str, dict[str, Any]] = {}
    for path, methods in description["paths"].items():
        for method, call in methods.items():
            content = call.get("requestBody", {}).get("content", {}).get("application/json")
            if content:
                found.setdefault(shape(path), {})[method] = plausible(content["schema"], parts)
    return found


def plausible(schema: dict[str, Any], parts: dict[str, Any]) -> Any:
    if "$ref" in schema:
        return plausible(parts[schema["$ref"].rpartition("/")[2]], parts)
    for combined in ("allOf", "oneOf", "anyOf"):
        if combined in schema:
            return plausible(schema[combined][0], parts)
    if "enum" in schema:
        return schema["enum"][0]
    match schema.get("type"):
        case "object":
            fields = schema.get("properties", {}).items()
            return {name: named(name, field, parts) for name, field in fields if not field.get("readOnly")}
        case "array":
            return [plausible(schema.get("items", {}), parts)]
        case "integer" | "number":
            return 1
        case "boolean":
            return True
    return PLAIN.get(schema.get("format", ""), "abc")


def named(name: str, schema: dict[str, Any], parts: dict[str, Any]) -> Any:
    value = plausible(schema, parts)
    return NAMED.get(name, value) if value == "abc" else value


def places(body: Any, place: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Every place of a body with what stands there, itself included."""
    yield place, body
    inner = body.items() if isinstance(body, dict) else enumerate(body) if isinstance(body, list) else ()
    for key, value in inner:
        yield from places(value, (*place, key))


def everywhere(body: Any, value: Any, but: Collection[str] = (), place: tuple[Any, ...] = ()) -> Any:
    """Return the body with another value in each of its innermost places but those whose names are given."""
    if dotted(place) in but:
        return body
    if isinstance(body, dict):
        return {name: everywhere(inner, value, but, (*place, name)) for name, inner in body.items()}
    if isinstance(body, list):
        return [everywhere(inner, value, but, (*place, index)) for index, inner in enumerate(body)]
    return value


def dotted(place: tuple[Any, ...]) -> str:
    """`lines.0.quantity`, as answers name a place."""
    return ".".join(map(str, place))


def without(body: Any, names: Collection[str], place: tuple[Any, ...] = ()) -> Any:
    """Return the body without the places of these names."""
    inner = body.items() if isinstance(body, dict) else enumerate(body) if isinstance(body, list) else None
    if inner is None:
        return body
    left = {
        key: without(part, names, (*place, key)) for key, part in inner if dotted((*place, key)) not in names
    }
    return left if isinstance(body, dict) else list(left.values())


def put(body: Any, place: tuple[Any, ...], value: Any) -> Any:
    """Return the body with another value in one place."""
    if not place:
        return value
    key, *rest = place
    copy = dict(body) if isinstance(body, dict) else list(body)
    copy[key] = put(body[key], tuple(rest), value)
    return copy
