"""Keys of rows as forms, addresses and searches bring them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

# As arguments of a field. SQLite answers with an error beyond 64 bits.
ROW_KEY: Final[dict[str, Any]] = {"min_value": 1, "max_value": 2**63 - 1}
# No row has more, and every one of them fits.
_MOST_DIGITS = 18


def read_key(text: str) -> int | None:
    """Return the key that a text is. None for any other text: a sign, a space, digits of another script, too many."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= _MOST_DIGITS else None


def read_keys(texts: Iterable[str]) -> list[int]:
    """Return the keys among texts, in their order."""
    return [key for key in map(read_key, texts) if key is not None]
