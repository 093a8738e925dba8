"""Rows that wait for a moment, also when a clock that was ahead wrote it: after the correction they would stand still
until a date that may be years away."""

from datetime import datetime, timedelta

from django.db.models import Q

CLOCKS_DIFFER = timedelta(minutes=10)
"""By so much the clocks of two machines may."""


def is_misdated(field: str, now: datetime, *, within: timedelta = timedelta(0)) -> Q:
    """Rows whose moment is farther away than `within`, the most that a right clock writes."""
    return Q((f"{field}__gt", now + within + CLOCKS_DIFFER))


def is_due(
    field: str, now: datetime, *, after: timedelta = timedelta(0), within: timedelta = timedelta(0)
) -> Q:
    """Rows whose moment has come, `after` ago or longer, and those that are misdated."""
    return Q((f"{field}__lte", now - after)) | is_misdated(field, now, within=within)


def is_free(lease: str, now: datetime, *, within: timedelta) -> Q:
    """Rows that no worker holds: there is no lease, it is over, or it is longer than any, which is `within`."""
    return Q((lease, None)) | is_due(lease, now, within=within)
