"""Limits hold when everybody tries at one instant."""

from __future__ import annotations

from datetime import timedelta
from functools import partial

import pytest
from django.db.models import F
from django.utils import timezone

from shop.core import limits
from shop.core.limits import Limit, Subject
from shop.core.models import AttemptCounter
from tests.races.concurrency import Meeting, run_concurrently, values

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]

ATTEMPTS = 50
LIMIT = Limit("race", 7, timedelta(minutes=5), Subject.NETWORK)


@pytest.mark.parametrize("state", ["new", "half", "ended"])
def test_fifty_attempts_at_once_pass_exactly_as_often_as_allowed(state):
    left = LIMIT.attempts
    if state != "new":
        used = 3
        for _ in range(used):
            limits.consume(LIMIT, "192.0.2.1")
        left -= used if state == "half" else 0
    if state == "ended":
        AttemptCounter.objects.update(expires_at=timezone.now() - timedelta(seconds=1))

    passed = values(run_concurrently([partial(limits.consume, LIMIT, "192.0.2.1")] * ATTEMPTS))

    assert passed.count(True) == left
    assert AttemptCounter.objects.get().count == LIMIT.attempts


def test_without_the_guard_more_pass(monkeypatch):
    """The control: a count that is read first and written afterwards lets everybody through."""
    callers = 12
    meeting = Meeting(callers)
    limits.consume(LIMIT, "192.0.2.1")

    def count_unguarded(key, limit, now):
        meeting.wait()
        return bool(AttemptCounter.objects.filter(key=key).update(count=F("count") + 1))

    monkeypatch.setattr(limits, "_count", count_unguarded)
    passed = values(run_concurrently([partial(limits.consume, LIMIT, "192.0.2.1")] * callers))

    assert passed.count(True) == callers > LIMIT.attempts - 1
