"""Scheduled work of the accounts app."""

from datetime import datetime, time, timedelta

from accounts.services.email_changes import purge_email_changes
from accounts.services.signing_up import purge_sign_ups as purge_old_sign_ups
from accounts.sessions import purge_ended_sessions as purge_sessions_that_ended
from shop.core.jobs import scheduled_job


@scheduled_job("purge-sign-ups", every=timedelta(days=1), at=time(4))
def purge_sign_ups(now: datetime) -> None:
    """Forget the sign-ups, and the changes of address, that nobody confirmed."""
    purge_old_sign_ups(now)
    purge_email_changes(now)


@scheduled_job("purge-ended-sessions", every=timedelta(days=1), at=time(4))
def purge_ended_sessions(now: datetime) -> None:
    """Delete sessions that expired."""
    purge_sessions_that_ended(now)
