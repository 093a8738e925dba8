"""Moments at which what public pages show changes by itself: a promotion starts, a season ends.

An app registers, when it is ready, a function that names the next such moment::

    register_boundary("promotions", next_change)

A page or fragment made before a moment is not answered from a cache after it, although nobody changed any content. Nor
is one beyond the midnight that ends its day: pages name dates.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import Error
from django.utils import timezone

from shop.core.dates import shop_day, start_of_day

NextBoundary = Callable[[datetime], datetime | None]


@dataclass(frozen=True, slots=True)
class _Known:
    """The first boundary after `since`, as long as the content has this version."""

    version: str
    since: datetime
    boundary: datetime | None


_registry: dict[str, NextBoundary] = {}
_known: _Known | None = None


def register_boundary(name: str, find: NextBoundary) -> None:
    """Register a function that returns the first of its moments after the one it is given, or None; it may ask a query.

    Where its rows are written `content_changed` is called: the answer is remembered until then, or until its moment.
    """
    _registry[name] = find


def next_boundary(since: datetime, version: str) -> datetime | None:
    """Return the first boundary after a moment. A query for each registered function, none while the answer is known
    for this version of the content. Raises `django.db.Error` while the database is away."""
    global _known
    known = _known
    if (
        known is None
        or known.version != version
        or since < known.since
        or (known.boundary is not None and known.boundary <= since)
    ):
        found = (find(since) for find in _registry.values())
        boundary = min((moment for moment in found if moment is not None), default=None)
        known = _known = _Known(version, since, boundary)
    return known.boundary


def seconds_to_boundary(since: datetime, version: str, *, most: float) -> float:
    """Return how long what was read from `since` on may be answered from a cache: `most`, or until the boundary or the
    midnight after `since`. Nothing (0 or less) when that has passed, or while the database is away and nobody can
    tell."""
    try:
        boundary = next_boundary(since, version)
    except Error:
        return 0
    midnight = start_of_day(shop_day(since) + timedelta(days=1))
    ends = midnight if boundary is None else min(boundary, midnight)
    return min(most, (ends - timezone.now()).total_seconds())
