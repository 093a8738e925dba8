"""Orders of the same moment: each date counts the pieces of the others."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from functools import partial

import pytest
import time_machine
from django.core.cache import cache

from orders.models import Order
from orders.services.checkout import placement
from orders.tests.factories import make_order, make_product, make_seller, make_zones
from shop.core.models import ShopSettings
from tests.races.concurrency import run_concurrently, values

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]

BUYERS = 12
MONDAY = datetime(2026, 11, 23, 9, tzinfo=UTC)


@pytest.fixture
def limited() -> None:
    make_zones()
    make_seller()
    # Ten a day.
    ShopSettings.objects.update(weekly_capacity=60)
    cache.clear()


def place_together() -> Counter[str]:
    product = make_product("Golem", "60.00")
    with time_machine.travel(MONDAY, tick=False):
        calls = [
            partial(make_order, (product, 5), email=f"b{number}@example.com") for number in range(BUYERS)
        ]
        values(run_concurrently(calls))
    return Counter(f"{day:%d/%m}" for day in Order.objects.values_list("start_by", flat=True))


def test_twelve_orders_of_one_moment_stand_in_line(limited: None) -> None:
    # Five pieces each, ten a day: two orders a day, from Tuesday to Monday, no Sunday.
    assert place_together() == {"24/11": 2, "25/11": 2, "26/11": 2, "27/11": 2, "28/11": 2, "30/11": 2}


def test_control_without_the_lock_they_are_promised_the_same_turn(
    limited: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(placement, "lock_names", lambda names: None)
    assert max(place_together().values()) > 2
