"""Reads the nested form encoding of Stripe's API: ``line_items[0][price_data][currency]=eur``."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import parse_qsl

from orders.stripe_sandbox.errors import invalid

MAX_FIELDS = 5000
MAX_DEPTH = 8
_KEY = re.compile(r"^([^\[\]]+)((?:\[[^\[\]]*\])*)$")
_PART = re.compile(r"\[([^\[\]]*)\]")


def parse_form(text: str) -> dict[str, Any]:
    """A tree of dicts whose leaves are strings; lists stay dicts with the keys "0", "1" …

    Raises ApiError (400) for what is not UTF-8, not of this form, or contradicts itself.
    """
    try:
        pairs = parse_qsl(text, keep_blank_values=True, errors="strict", max_num_fields=MAX_FIELDS)
    except ValueError as error:
        raise invalid("Invalid request body: it could not be read as a form.") from error
    tree: dict[str, Any] = {}
    for key, value in pairs:
        match = _KEY.match(key)
        if match is None:
            raise invalid(f"Invalid parameter name: {key}", param=key)
        path = [match.group(1), *_PART.findall(match.group(2))]
        if len(path) > MAX_DEPTH:
            raise invalid(f"Parameter is nested too deeply: {key}", param=key)
        _put(tree, path, value, key)
    return tree


def _put(tree: dict[str, Any], path: list[str], value: str, key: str) -> None:
    node = tree
    for part in path[:-1]:
        child = node.setdefault(part or str(len(node)), {})
        if not isinstance(child, dict):
            raise invalid(f"Parameter is given as a value and as a hash: {key}", param=key)
        node = child
    last = path[-1] or str(len(node))
    if isinstance(node.get(last), dict):
        raise invalid(f"Parameter is given as a value and as a hash: {key}", param=key)
    node[last] = value
