"""Case 32: installments add up to the cent wherever they are told."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

import pytest

from orders.selectors.installments import outstanding
from orders.tests.fake_stripe import FakeStripe
from orders.tests.installments import FIRST_DAY, Clock, charged, installments, page_of, payment_of, place
from shop.core.models import ShopSettings
from shop.core.shop_settings import save_shop_settings
from tests.races.conftest import Buyer

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]


@pytest.mark.parametrize(
    ("price", "first", "later"),
    [("100.01", 3335, 3333), ("150.00", 5000, 5000), ("150.01", 5001, 5000), ("199.99", 6667, 6666)],
)
def test_case_32_installments_add_up_to_the_cent(
    fake_stripe: FakeStripe, buyer: Buyer, clock: Clock, price: str, first: int, later: int
):
    """100.01 and 150.00 in installments, sums equal: quote, checkout, verify, page, order and charges."""
    shop = ShopSettings.objects.get(pk=1)
    shop.installments_minimum = Decimal("100.00")
    save_shop_settings(shop)
    found = place(buyer, price=price)
    page = page_of(payment_of(found, 1))
    fake_stripe.control(f"sessions/{page}/pay")
    verified = buyer.verify(page).json()
    clock.run_until(FIRST_DAY + timedelta(days=60))

    assert charged(fake_stripe) == [first, later, later]
    assert first + 2 * later == int(Decimal(price) * 100)
    amounts = [f"{cents // 100}.{cents % 100:02d}" for cents in (first, later, later)]
    assert [part["amount"] for part in verified["installment_plan"]] == amounts
    assert [amount for amount, _day, _state in installments(found)] == amounts
    assert outstanding(found) == 0
