"""The beat after a clock that was ahead."""

from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from celery import current_app

from shop.core.beat import BeatScheduler

NOON = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
TICK = timedelta(seconds=20)


@pytest.fixture
def ticks(monkeypatch):
    """The tasks that were sent, by name."""
    sent = []
    monkeypatch.setattr(
        BeatScheduler, "apply_entry", lambda self, entry, producer=None: sent.append(entry.task)
    )
    return sent


def start(folder):
    return BeatScheduler(app=current_app, schedule_filename=str(folder / "schedule"))


def go_on(scheduler):
    """As the beat does, which asks again at once after a task."""
    while not (pause := scheduler.tick()):
        pass
    return pause


@pytest.mark.parametrize("restarted", [False, True])
def test_it_ticks_on_after_a_clock_that_was_ahead(ticks, tmp_path, restarted):
    with time_machine.travel(NOON + timedelta(days=800), tick=False) as clock:
        scheduler = start(tmp_path)
        go_on(scheduler)
        clock.shift(TICK)
        go_on(scheduler)
        assert ticks == ["shop.core.tasks.run_due_jobs"]
        clock.move_to(NOON)
        if restarted:
            scheduler.close()
            scheduler = start(tmp_path)
        assert go_on(scheduler) <= TICK.total_seconds()
        clock.shift(TICK)
        go_on(scheduler)
        scheduler.close()
    assert ticks == ["shop.core.tasks.run_due_jobs"] * 2


def test_the_shop_starts_it():
    assert current_app.conf.beat_scheduler == "shop.core.beat:BeatScheduler"
