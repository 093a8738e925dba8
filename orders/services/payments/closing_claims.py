"""Closing a page or canceling a charge at the provider is asked for by one process, however many want it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

from django.db.models import Q
from django.utils import timezone

from orders.models import Attempt

CLAIM_LASTS = timedelta(seconds=30)
"""Longer than any call takes: a claim older than this was left behind by a process that died."""


@contextmanager
def claim_closing(attempt: Attempt) -> Iterator[bool]:
    """Whether this process is the one that asks. The claim stays after success, and is given back by an exception.

    Call it outside transactions: the claim must be seen by the others before the provider is called.
    """
    now = timezone.now()
    rows = Attempt.objects.filter(pk=attempt.pk)
    free = rows.filter(Q(closing_at=None) | Q(closing_at__lt=now - CLAIM_LASTS))
    claimed = bool(free.update(closing_at=now))
    try:
        yield claimed
    except BaseException:
        if claimed:
            rows.filter(closing_at=now).update(closing_at=None)
        raise
