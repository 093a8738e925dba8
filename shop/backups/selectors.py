"""When the shop was last backed up."""

from datetime import datetime, timedelta

from django.conf import settings

from shop.backups.models import Backup
from shop.core.jobs import last_pulse

LATE_AFTER = timedelta(hours=26)
"""A day, and the time that a backup takes."""
RESTORED_PULSE = "restored"
"""The row of the last restore."""


def last_backup(now: datetime) -> datetime | None:
    """Return the moment whose state the newest whole backup is; None when there is none. One query.

    One that a clock dated in the future is none: it would be fresh for as long as the clock was wrong.
    """
    past = Backup.objects.filter(made_at__lte=now)
    return past.order_by("-made_at").values_list("made_at", flat=True).first()


def backed_up_until(now: datetime) -> datetime | None:
    """Return the moment after which nothing that happened is in a backup; None when nothing ever was.

    Where that is long ago, it may be the end of a restore: all that the shop had then is in the backup that it was
    brought back from. Two queries at most.
    """
    last = last_backup(now)
    if last is not None and now - last <= LATE_AFTER:
        return last
    moments = (last, last_pulse(RESTORED_PULSE))
    return max((moment for moment in moments if moment is not None and moment <= now), default=None)


def backup_is_late(now: datetime) -> bool:
    """Return whether the shop has a target and nothing of its last day is in a backup. Two queries at most, none
    without a target."""
    if not settings.BACKUP_URL:
        return False
    until = backed_up_until(now)
    return until is None or now - until > LATE_AFTER
