"""When the shop was last backed up."""

from datetime import datetime, timedelta

from django.conf import settings

from shop.backups.models import Backup

LATE_AFTER = timedelta(hours=26)
"""A day, and the time that a backup takes."""


def last_backup(now: datetime) -> datetime | None:
    """Return the moment whose state the newest whole backup is; None when there is none. One query.

    One that a clock dated in the future is none: it would be fresh for as long as the clock was wrong.
    """
    past = Backup.objects.filter(made_at__lte=now)
    return past.order_by("-made_at").values_list("made_at", flat=True).first()


def backup_is_late(now: datetime) -> bool:
    """Return whether the shop has a target and no backup of the last day. One query, none without a target."""
    if not settings.BACKUP_URL:
        return False
    last = last_backup(now)
    return last is None or now - last > LATE_AFTER
