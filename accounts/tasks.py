"""Scheduled work of the accounts app."""

from datetime import datetime, time, timedelta

from accounts import limits
from shop.core.jobs import scheduled_job


@scheduled_job("purge-attempt-counters", every=timedelta(days=1), at=time(4))
def purge_attempt_counters(now: datetime) -> None:
    """Forget the counts of tries whose window is over."""
    limits.purge_expired(now)
