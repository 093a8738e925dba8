"""Moments that a clock wrote which may have been ahead: what Python says of one, and which rows the database finds."""

from datetime import UTC, datetime, timedelta

import pytest

from shop.core.clocks import (
    CLOCKS_DIFFER,
    are_over,
    is_due,
    is_free,
    is_misdated,
    moment_is_due,
    moment_is_misdated,
)
from shop.core.models import ScheduledJob

NOW = datetime(2026, 11, 23, 8, tzinfo=UTC)
HOUR = timedelta(hours=1)
NOTHING = timedelta(0)
INSTANT = timedelta(microseconds=1)


def is_found(rule) -> bool:
    return ScheduledJob.objects.filter(rule).exists()


@pytest.mark.django_db
@pytest.mark.both_engines
@pytest.mark.parametrize(
    ("moment", "after", "within", "due", "misdated"),
    [
        (NOW, NOTHING, NOTHING, True, False),
        (NOW + INSTANT, NOTHING, NOTHING, False, False),
        (NOW - HOUR, HOUR, NOTHING, True, False),
        (NOW - HOUR + INSTANT, HOUR, NOTHING, False, False),
        (NOW + CLOCKS_DIFFER, NOTHING, NOTHING, False, False),
        (NOW + CLOCKS_DIFFER + INSTANT, NOTHING, NOTHING, True, True),
        (NOW + HOUR + CLOCKS_DIFFER, NOTHING, HOUR, False, False),
        (NOW + HOUR + CLOCKS_DIFFER + INSTANT, HOUR, HOUR, True, True),
    ],
)
def test_a_moment_and_its_row_are_due_at_the_same_instant(moment, after, within, due, misdated):
    ScheduledJob.objects.create(name="job", locked_until=moment)
    assert moment_is_due(moment, NOW, after=after, within=within) is due
    assert is_found(is_due("locked_until", NOW, after=after, within=within)) is due
    assert moment_is_misdated(moment, NOW, within=within) is misdated
    assert is_found(is_misdated("locked_until", NOW, within=within)) is misdated


@pytest.mark.django_db
@pytest.mark.both_engines
@pytest.mark.parametrize(
    ("lease", "free"),
    [(None, True), (NOW, True), (NOW + INSTANT, False), (NOW + HOUR + CLOCKS_DIFFER + INSTANT, True)],
)
def test_a_row_is_free_without_a_lease_that_a_right_clock_could_have_written(lease, free):
    ScheduledJob.objects.create(name="job", locked_until=lease)
    assert is_found(is_free("locked_until", NOW, within=HOUR)) is free


@pytest.mark.parametrize(
    ("ago", "over"), [(600, True), (599, False), (0, False), (-600, False), (-601, True)]
)
def test_seconds_of_a_session_are_over_when_they_have_passed_or_lie_ahead(time_machine, ago, over):
    time_machine.move_to(NOW, tick=False)
    assert are_over(600, NOW.timestamp() - ago) is over
