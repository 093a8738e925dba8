"""The nightly backup starts once a day, and is late after a day and two hours."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
import time_machine

from shop.backups import tasks
from shop.backups.after_restore import note_restore
from shop.backups.models import Backup
from shop.backups.selectors import backed_up_until, backup_is_late
from shop.core.restored import Restored

pytestmark = pytest.mark.django_db

PARIS = ZoneInfo("Europe/Paris")
MORNING = datetime(2026, 11, 23, 2, 30, tzinfo=PARIS)


def backed_up(moment: datetime) -> None:
    Backup.objects.create(name=f"{moment:%d %H}", made_at=moment, finished_at=moment, rows=1, files=0, size=1)


@pytest.mark.parametrize(
    ("last", "now", "due"),
    [
        (None, MORNING, True),
        (MORNING.replace(day=22), MORNING, True),
        (MORNING.replace(minute=1), MORNING, False),
        (MORNING.replace(day=22), MORNING.replace(hour=1), False),
        (MORNING.replace(day=21), MORNING.replace(hour=1), True),
        # On 25 October two o'clock comes twice, on 29 March it does not come.
        (datetime(2026, 10, 25, 0, 1, tzinfo=UTC), datetime(2026, 10, 25, 1, 1, tzinfo=UTC), False),
        (datetime(2026, 10, 24, 0, 1, tzinfo=UTC), datetime(2026, 10, 25, 0, 1, tzinfo=UTC), True),
        (datetime(2026, 3, 28, 1, 1, tzinfo=UTC), datetime(2026, 3, 29, 0, 59, tzinfo=UTC), False),
        (datetime(2026, 3, 28, 1, 1, tzinfo=UTC), datetime(2026, 3, 29, 1, 1, tzinfo=UTC), True),
    ],
)
def test_backup_is_due_from_two_o_clock_until_there_is_one(
    last: datetime | None, now: datetime, due: bool
) -> None:
    if last is not None:
        backed_up(last)
    assert tasks.backup_is_due(now) is due


def test_job_starts_one_process_and_none_without_a_target(
    target: Path, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[list[str]] = []
    monkeypatch.setattr(tasks.subprocess, "Popen", lambda command, **options: started.append(command))
    tasks.start_backup(MORNING)
    assert [command[2] for command in started] == ["backup"]
    backed_up(MORNING)
    tasks.start_backup(MORNING)
    settings.BACKUP_URL = ""
    Backup.objects.all().delete()
    tasks.start_backup(MORNING)
    assert len(started) == 1


def test_restored_shop_is_late_a_day_and_two_hours_after_its_restore(target: Path) -> None:
    """The rows of backups that came back end before that which they came from, days ago."""
    backed_up(MORNING.replace(day=19))
    assert backup_is_late(MORNING)
    with time_machine.travel(MORNING, tick=False):
        note_restore(Restored("2026-11-20T01-00-00Z", made_at=MORNING.replace(day=20), now=MORNING))
    assert backed_up_until(MORNING) == MORNING
    assert tasks.backup_is_due(MORNING)
    assert not backup_is_late(MORNING.replace(day=24, hour=4))
    assert backup_is_late(MORNING.replace(day=24, hour=4, minute=31))
    # A restore of a clock that was ahead says nothing of now.
    assert backup_is_late(MORNING.replace(hour=1))
    backed_up(MORNING.replace(day=24))
    assert backed_up_until(MORNING.replace(day=25)) == MORNING.replace(day=24)
