"""No card can be charged less than 0.50 €: an order below is refused before anything is written."""

from __future__ import annotations

from decimal import Decimal

import pytest

from catalog.models import Product
from orders.models import Attempt, Order, StockHold
from orders.models.zone import ShippingZone
from orders.tests.factories import make_order, make_product, make_zones
from shop.core.problems import Problem

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]


@pytest.fixture(autouse=True)
def _delivered_for_nothing() -> None:
    make_zones()
    ShippingZone.objects.update(rate=Decimal("0.00"))


@pytest.mark.parametrize("price", ["0.01", "0.49"])
def test_an_order_that_no_card_can_pay_is_refused_and_nothing_is_written(price: str):
    product = make_product(price=price, stock_quantity=1)
    with pytest.raises(Problem) as refused:
        make_order((product, 1))
    assert (refused.value.code, refused.value.status) == ("total_too_small", 400)
    assert refused.value.detail == "Le montant minimum d'une commande est de 0,50\u00a0€."
    assert not Order.objects.exists()
    assert not Attempt.objects.exists()
    assert not StockHold.objects.exists()
    assert Product.objects.get().stock_quantity == 1


def test_the_smallest_order_is_taken():
    assert make_order((make_product(price="0.50"), 1)).total == Decimal("0.50")
