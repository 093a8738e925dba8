"""An order that the books know."""

from __future__ import annotations

import pytest
import time_machine

from orders.tests.books.entries import utc
from orders.tests.factories import make_order, pay_order


@pytest.fixture
def sold():
    """A paid order with its invoice, on 21 November at noon."""
    with time_machine.travel(utc(2026, 11, 21, 11), tick=False):
        return pay_order(make_order())
