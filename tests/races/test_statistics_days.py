"""Two jobs that close the same day at one moment: its visits are counted once."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from functools import partial
from typing import Any

import pytest

from shop.statistics import days
from shop.statistics.batch import Batch, CountKey, VisitKey, VisitNews
from shop.statistics.models import DailyCount, Visit
from shop.statistics.writing import write_batch
from tests.races.concurrency import Rendezvous, run_concurrently, values

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
