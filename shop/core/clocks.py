"""Moments that something waits for or lasts from, also when a clock that was ahead wrote them: after the correction it
would wait or last until a date that may be years away."""

from datetime import UTC, datetime, timedelta

from django.db.models import Q
from django.utils import timezone

CLOCKS_DIFFER = timedelta(minutes=10)
"""By so much the clocks of two machines may."""


def moment_is_misdated(moment: datetime, now: datetime, *, within: timedelta = timedelta(0)) -> bool:
    """Return whether a moment is farther away than `within`, the most that a right clock writes."""
    return moment > now + within + CLOCKS_DIFFER


def moment_is_due(
    moment: datetime, now: datetime, *, after: timedelta = timedelta(0), within: timedelta = timedelta(0)
) -> bool:
    """Return whether a moment has come, `after` ago or longer, or is misdated."""
    return moment <= now - after or moment_is_misdated(moment, now, within=within)


def are_over(seconds: float, since: float) -> bool:
    """Return whether so many seconds have passed since a moment of the epoch, or it is misdated: sessions keep such."""
    moment = datetime.fromtimestamp(since, UTC)
    return moment_is_due(moment, timezone.now(), after=timedelta(seconds=seconds))


def is_misdated(field: str, now: datetime, *, within: timedelta = timedelta(0)) -> Q:
    """Rows of which `moment_is_misdated` is true."""
    return Q((f"{field}__gt", now + within + CLOCKS_DIFFER))


def is_due(
    field: str, now: datetime, *, after: timedelta = timedelta(0), within: timedelta = timedelta(0)
) -> Q:
    """Rows of which `moment_is_due` is true."""
    return Q((f"{field}__lte", now - after)) | is_misdated(field, now, within=within)


def is_free(lease: str, now: datetime, *, within: timedelta) -> Q:
    """Rows that no worker holds: there is no lease, it is over, or it is longer than any, which is `within`."""
    return Q((lease, None)) | is_due(lease, now, within=within)
