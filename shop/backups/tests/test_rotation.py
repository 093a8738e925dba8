"""Which backups stay."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from shop.backups.rotation import Rotation

LAST = datetime(2026, 11, 23, 2, tzinfo=UTC)
NIGHTS = [LAST - timedelta(days=day) for day in range(400)]


def days_ago(rotation: Rotation, moments: list[datetime]) -> list[int]:
    return sorted((LAST - moment).days for moment in rotation.stays(moments, now=LAST))


def test_rotation_of_a_year_keeps_the_newest_of_each_day_week_and_month() -> None:
    # 23 November 2026 is a Monday: weeks end the day before, months on the 31st, the 30th …
    assert days_ago(Rotation(days=3, weeks=3, months=3), NIGHTS) == [0, 1, 2, 8, 23, 54]


def test_rotation_counts_days_with_a_backup_not_days_of_the_calendar() -> None:
    assert days_ago(
        Rotation(days=2, weeks=0, months=0), [LAST - timedelta(days=9), LAST - timedelta(days=40)]
    ) == [
        9,
        40,
    ]


def test_two_backups_of_a_day_leave_the_later_one_once_the_days_are_over() -> None:
    rotation, hour, days = Rotation(days=7, weeks=4, months=12), timedelta(hours=1), timedelta(days=7)
    both = [LAST - hour, LAST]
    assert rotation.stays(both, now=LAST + days - 2 * hour) == set(both)
    assert rotation.stays(both, now=LAST + days - hour) == {LAST}


def test_the_newest_backup_stays_whatever_the_rotation_says() -> None:
    assert days_ago(Rotation(days=0, weeks=0, months=0), NIGHTS) == [0]
