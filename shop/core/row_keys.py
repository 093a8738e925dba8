"""Keys of rows as forms, addresses and searches bring them."""

from __future__ import annotations

# No row has more, and every one of them fits: SQLite answers with an error beyond 64 bits.
_MOST_DIGITS = 18


def read_key(text: str) -> int | None:
    """Return the key that a text is. None for any other text: a sign, a space, digits of another script, too many."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= _MOST_DIGITS else None
