"""An order that can leave in several parcels."""

from __future__ import annotations

import pytest

from orders.models import Order
from orders.tests.factories import make_order, make_product, pay_order


@pytest.fixture
def order() -> Order:
    return pay_order(make_order((make_product("Golem"), 2), (make_product("Hibou"), 1)))
