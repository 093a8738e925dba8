"""Two jobs that close the same day at one moment, and a visit that is written meanwhile: each is counted once."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from functools import partial
from typing import Any

import pytest

from shop.statistics import days, writing
from shop.statistics.batch import Batch, CountKey, VisitKey, VisitNews
from shop.statistics.models import DailyCount, Visit
from shop.statistics.writing import write_batch
from tests.races.concurrency import Rendezvous, Started, run_concurrently, values, wait_until_blocked

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]

TODAY = date(2026, 11, 23)


@pytest.mark.parametrize(("locked", "counted"), [(True, 1), (False, 2)], ids=["locked", "control"])
def test_two_who_close_a_day_count_its_visits_once(
    monkeypatch: pytest.MonkeyPatch, locked: bool, counted: int
) -> None:
    write_batch(Batch(visits={VisitKey(date(2026, 11, 22), "1"): VisitNews("fr", "phone")}))
    inside = Rendezvous(0.5 if locked else 30.0)

    def meet(write: Any, counts: Iterable[tuple[CountKey, int]]) -> None:
        found = list(counts)
        if found:
            inside.enter()
        write(found)

    monkeypatch.setattr(days, "add_counts", partial(meet, days.add_counts))
    if not locked:
        monkeypatch.setattr(days, "lock_names", lambda names: None)
    outcomes = run_concurrently([partial(days.close_days, TODAY)] * 2)
    assert sorted(values(outcomes)) == [0, 1]
    assert inside.together == (0 if locked else 2)
    assert not Visit.objects.exists()
    assert DailyCount.objects.get(measure="visit").count == counted


@pytest.mark.parametrize(("locked", "left"), [(True, 1), (False, 0)], ids=["locked", "control"])
def test_a_visit_that_is_written_while_its_day_is_closed_waits_to_be_counted(
    monkeypatch: pytest.MonkeyPatch, locked: bool, left: int
) -> None:
    """What the database did not take in the last minutes of a day is written when it is back, as the day is closed."""
    first, late = (
        Batch(visits={VisitKey(date(2026, 11, 22), key): VisitNews("fr", "phone")}) for key in "12"
    )
    write_batch(first)
    writers: list[Started] = []

    def write_late(write: Any, counts: Iterable[tuple[CountKey, int]]) -> None:
        writers.append(Started(partial(write_batch, late)))
        if locked:
            wait_until_blocked()
        else:
            writers[0].value()
        write(counts)

    monkeypatch.setattr(days, "add_counts", partial(write_late, days.add_counts))
    if not locked:
        monkeypatch.setattr(writing, "lock_names", lambda names: None)
    days.close_days(TODAY)
    writers[0].value()
    assert (DailyCount.objects.get(measure="visit").count, Visit.objects.count()) == (1, left)
