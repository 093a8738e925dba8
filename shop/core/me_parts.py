"""What other apps add to `/api/me`: accounts, which answers it, knows nothing of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Read = Callable[[int], Any]

_parts: dict[str, Read] = {}


def register_me_part(name: str, read: Read) -> None:
    """From now on the member `name` of `/api/me` is what `read` gives for the key of whoever is signed in.

    Call it in an `AppConfig.ready()`. Its queries are paid by every page that a member opens.
    """
    _parts[name] = read


def me_parts(user_id: int) -> dict[str, Any]:
    """Return every registered member's value for one person."""
    return {name: read(user_id) for name, read in _parts.items()}
