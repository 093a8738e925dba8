"""An order that its customer may withdraw from."""

from __future__ import annotations

import pytest

from orders.tests.factories import make_order, make_product, pay_order


@pytest.fixture
def order():
    return pay_order(make_order((make_product(), 3)))
