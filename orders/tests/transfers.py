"""A refund that a card could not take, settled by transfer."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

import pytest
import time_machine

from orders.models import Refund
from orders.selectors.refund_rules import RefundRefused
from orders.services.refunds.transfers import settle_by_transfer
from orders.tests.memory_provider import MemoryProvider
from orders.tests.refunding import PARIS, bounced, rows

TODAY = datetime(2026, 12, 4, 11, tzinfo=PARIS)


@pytest.fixture(scope="module")
def returned(module_provider: MemoryProvider) -> Refund:
    return bounced(module_provider)


@pytest.fixture
def failed(returned: Refund, provider: MemoryProvider) -> Refund:
    return Refund.objects.get(pk=returned.pk)


@pytest.fixture
def day_of_transfers(failed: Refund):
    with time_machine.travel(TODAY, tick=False):
        yield


def transfer(failed: Refund, **changes: Any) -> Refund:
    values = {"sent_on": date(2026, 12, 3), "reference": " VIR 118 ", "amount": failed.amount, **changes}
    return settle_by_transfer(refund_id=failed.pk, **values)


def refused(code: str, failed: Refund, **changes: Any) -> RefundRefused:
    before = rows()
    with pytest.raises(RefundRefused) as caught:
        transfer(failed, **changes)
    assert caught.value.code == code
    assert rows() == before
    return caught.value
