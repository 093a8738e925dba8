"""What every case stands on: the payment sandbox, browsers, and one order that waits for its payment."""

from __future__ import annotations

import pytest

from orders.models import Order
from orders.tests.bank import Bank
from orders.tests.conftest import _zones, bank, clock, sandbox_process, shopper  # noqa: F401 - fixtures
from tests.payment_faults.outcomes import new_order
from tests.races.conftest import Buyer, figures, shop_address, wide_pool  # noqa: F401 - fixtures


@pytest.fixture
def buyer() -> Buyer:
    """The browser that made ``order``."""
    return Buyer()


@pytest.fixture
def order(bank: Bank, buyer: Buyer) -> Order:  # noqa: F811
    """The only piece, 60.00, ordered, and its payment page open."""
    return new_order(buyer)
