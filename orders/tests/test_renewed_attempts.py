"""A try whose page can't be had is replaced by another one, and only such a one: two pages must never both be paid."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from orders.models import Attempt
from orders.services.placement import renew_attempt
from orders.tests.factories import make_order, make_seller
from orders.tests.refunding import rows

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]


@pytest.fixture
def attempt() -> Attempt:
    """Told to the provider, and no page was answered."""
    make_seller()
    make_order()
    Attempt.objects.update(state="sent", sent_at=timezone.now())
    return Attempt.objects.get()


KEPT: dict[str, dict[str, Any]] = {
    "has its page": {"session_id": "cs_1"},
    "paid": {"state": "succeeded"},
    "on its way": {"state": "processing"},
    "to be looked at": {"state": "review"},
    "never told": {"state": "prepared"},
    "over": {"state": "canceled"},
}


@pytest.mark.parametrize("case", list(KEPT))
@pytest.mark.parametrize("only_when_old", [False, True])
def test_a_try_that_has_a_page_or_moved_on_is_not_replaced(attempt, case, only_when_old):
    Attempt.objects.update(**KEPT[case], expires_at=timezone.now() - timedelta(hours=1))
    before = list(Attempt.objects.values()), rows()
    assert renew_attempt(attempt, only_when_old=only_when_old) is None
    assert (list(Attempt.objects.values()), rows()) == before


def test_a_young_one_is_replaced_only_when_its_key_failed(attempt):
    Attempt.objects.update(expires_at=timezone.now() + timedelta(minutes=31))
    assert renew_attempt(attempt, only_when_old=True) is None
    assert Attempt.objects.get().state == "sent"
    new = renew_attempt(attempt)
    assert new is not None
    assert list(Attempt.objects.order_by("number").values_list("number", "state")) == [
        (1, "canceled"),
        (2, "prepared"),
    ]
    assert new.idempotency_key != attempt.idempotency_key
    assert renew_attempt(attempt) is None


def test_one_whose_page_would_live_too_short_is_replaced(attempt):
    Attempt.objects.update(expires_at=timezone.now() + timedelta(minutes=29))
    new = renew_attempt(attempt, only_when_old=True)
    assert new is not None
    assert (new.number, new.amount_cents) == (2, attempt.amount_cents)
    assert new.expires_at > timezone.now() + timedelta(minutes=30)
