"""When a piece leaves the workshop: `orders` knows what is still to be made, and registers its answer here."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

Find = Callable[[int, int, int | None], date | None]

_finders: list[Find] = []


def register_dispatch(find: Find) -> None:
    """From now on `find(days_min, days_max, available_quantity)` is asked. Call it in an `AppConfig.ready()`; again
    changes nothing."""
    if find not in _finders:
        _finders.append(find)


def dispatch_from(days_min: int, days_max: int, available_quantity: int | None) -> date | None:
    """Return the first day on which a piece ordered today may leave, by its production days and the units in stock
    (None: made to order); None when nobody knows."""
    found = (find(days_min, days_max, available_quantity) for find in _finders)
    return next((day for day in found if day is not None), None)
