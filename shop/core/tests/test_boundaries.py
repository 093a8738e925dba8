"""What was read before a boundary is not answered after it."""

from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from django.db import OperationalError

from shop.core import boundaries
from shop.core.boundaries import next_boundary, register_boundary, seconds_to_boundary

NOW = datetime(2026, 11, 27, 8, 0, tzinfo=UTC)
SECOND = timedelta(seconds=1)


@pytest.fixture(autouse=True)
def _empty(monkeypatch):
    monkeypatch.setattr(boundaries, "_registry", {})
    monkeypatch.setattr(boundaries, "_known", None)


def register(name: str, *moments: datetime) -> list[datetime]:
    asked: list[datetime] = []

    def find(since: datetime) -> datetime | None:
        asked.append(since)
        return min((moment for moment in moments if moment > since), default=None)

    register_boundary(name, find)
    return asked


def test_the_first_of_all_registered_counts():
    register("seasons", NOW + 9 * SECOND)
    register("promotions", NOW + 5 * SECOND)
    assert next_boundary(NOW, "1") == NOW + 5 * SECOND


def test_it_is_asked_for_once_a_version_until_it_has_passed():
    asked = register("promotions", NOW + 5 * SECOND, NOW + 9 * SECOND)
    for seconds in (0, 4):
        next_boundary(NOW + seconds * SECOND, "1")
    assert asked == [NOW]
    assert next_boundary(NOW + 5 * SECOND, "1") == NOW + 9 * SECOND
    next_boundary(NOW + 6 * SECOND, "2")
    assert asked == [NOW, NOW + 5 * SECOND, NOW + 6 * SECOND]


@pytest.mark.parametrize(("now", "seconds"), [(0, 5), (4, 1), (5, 0), (6, -1)])
def test_what_was_read_before_it_lasts_until_it_and_is_not_stored_after_it(now, seconds):
    register("promotions", NOW + 5 * SECOND)
    with time_machine.travel(NOW + now * SECOND, tick=False):
        assert seconds_to_boundary(NOW, "1", most=60) == seconds


@pytest.mark.parametrize(
    ("since", "now", "most", "seconds"),
    [
        ("2026-11-27T08:00Z", "2026-11-27T08:00Z", 60, 60),
        ("2027-01-12T22:59:50Z", "2027-01-12T22:59:55Z", 60, 5),
        # Made in the last moment of a day, and stored in the first of the next: it names yesterday's dates.
        ("2027-01-12T22:59:59Z", "2027-01-12T23:00:01Z", 60, -1),
        # The Sunday of 23 hours, and that of 25, half an hour after they began.
        ("2027-03-27T23:30Z", "2027-03-27T23:30Z", 86400, 81000),
        ("2027-10-30T22:30Z", "2027-10-30T22:30Z", 90000, 88200),
    ],
)
def test_without_one_everything_lasts_as_long_as_it_may_and_no_longer_than_its_day(since, now, most, seconds):
    with time_machine.travel(now, tick=False):
        assert seconds_to_boundary(datetime.fromisoformat(since), "1", most=most) == seconds


def test_nothing_is_stored_while_nobody_can_tell():
    def find(since: datetime) -> datetime | None:
        raise OperationalError("away")

    register_boundary("promotions", find)
    assert seconds_to_boundary(NOW, "1", most=60) == 0
