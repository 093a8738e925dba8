"""What other apps add to `/api/me`: accounts, which answers it, knows nothing of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Read = Callable[[int], Any]
Erase = Callable[[Any, str], dict[str, Any]]

_parts: dict[str, Read] = {}
_erasers: list[Erase] = []


def register_me_part(name: str, read: Read) -> None:
    """From now on the member `name` of `/api/me` is what `read` gives for the key of whoever is signed in.

    Call it in an `AppConfig.ready()`. Its queries are paid by every page that a member opens.
    """
    _parts[name] = read


def me_parts(user_id: int) -> dict[str, Any]:
    """Return every registered member's value for one person."""
    return {name: read(user_id) for name, read in _parts.items()}


def register_me_erasure(erase: Erase) -> None:
    """From now on `DELETE /api/me` answers what `erase` gives for who is signed in and a language. Call it in an
    `AppConfig.ready()`."""
    _erasers[:] = [erase]


def erase_me(user: Any, language: str) -> dict[str, Any]:
    """Register the erasure of who is signed in. Raises `Problem` as the registered function does."""
    [erase] = _erasers
    return erase(user, language)
