"""Markdown of staff with places (`{{ production_delay }}`) that figures and values of the shop are put into."""

from __future__ import annotations

import re
from collections.abc import Mapping

PLACEHOLDER = re.compile(r"\{\{ ?(\w+) ?\}\}")
_SPECIAL = re.compile(r"([\\`*_{}\[\]()#+\-.!|<>~&])")


def escape(value: str) -> str:
    """Return the value as Markdown that reads as exactly this text."""
    return _SPECIAL.sub(r"\\\1", value)


def unescape(value: str) -> str:
    """Return what `escape` was given."""
    return re.sub(r"\\(.)", r"\1", value)


def fill(text: str, values: Mapping[str, str]) -> str:
    """Put the values into their places; a place without a value stays as it was written."""
    return PLACEHOLDER.sub(lambda place: values.get(place[1], place[0]), text)
