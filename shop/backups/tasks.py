"""The nightly backup."""

import subprocess
import sys
from datetime import datetime, time, timedelta

from django.conf import settings
from django.utils import timezone

from shop.backups.selectors import last_backup
from shop.core.jobs import scheduled_job

AT = time(2)


@scheduled_job("backup", every=timedelta(hours=1))
def start_backup(now: datetime) -> None:
    """Start a backup from two o'clock on when the day has none: an hourly try until it is there.

    It runs in a process of its own: pictures of years take longer than a worker may, and keep mails waiting.
    """
    if settings.BACKUP_URL and backup_is_due(now):
        subprocess.Popen(  # noqa: S603 - our own command
            [sys.executable, str(settings.BASE_DIR / "manage.py"), "backup"],
            stdin=subprocess.DEVNULL,
            start_new_session=True,
        )


def backup_is_due(now: datetime) -> bool:
    """Return whether no backup was made since two o'clock of the shop's day. One query."""
    local = timezone.localtime(now)
    due_at = local.replace(hour=AT.hour, minute=0, second=0, microsecond=0, fold=0)
    if local < due_at:
        due_at -= timedelta(days=1)
    last = last_backup(now)
    return last is None or last < due_at
