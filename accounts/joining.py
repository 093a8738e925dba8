"""Orders that become an account's once its address is proved: `orders` does it, accounts knows nothing of orders."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence

from accounts.models import User

Join = Callable[[User, Sequence[uuid.UUID]], None]

_joiners: list[Join] = []


def register_orders(join: Join) -> None:
    """From now on `join(user, order_ids)` is called. Call it in an `AppConfig.ready()`; again changes nothing."""
    if join not in _joiners:
        _joiners.append(join)


def join_orders(user: User, order_ids: Sequence[uuid.UUID]) -> None:
    """Give these orders to an account whose address was proved, in the caller's transaction."""
    for join in _joiners:
        join(user, order_ids)
