"""Units that an order keeps: from which levels they were taken, and where they go back to."""

import pytest
from django.db import transaction

from catalog.models import Product, ProductVariation
from orders.models import Order, StockHoldState
from orders.services.status.stock_holds import take_for_order
from orders.services.status.transitions import cancel_unpaid_order
from orders.tests.factories import checkout_body, line, make_product, make_variation

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]


def levels() -> tuple[int | None, int | None]:
    return Product.objects.get().stock_quantity, ProductVariation.objects.get().stock_quantity


def place(shopper, *, product: int | None, variation: int | None) -> Order:
    piece = make_product(price="60.00", stock_quantity=product)
    format_ = make_variation(piece, "18 cm", stock_quantity=variation, is_default=True)
    answer = shopper.checkout(checkout_body([line(piece, 2, variation_id=format_.pk)], "120.00"))
    assert answer.status_code == 201
    return Order.objects.get()


@pytest.mark.parametrize(
    ("product", "variation", "counted", "held", "released"),
    [
        (None, None, (False, False), (None, None), (9, 9)),
        (None, 5, (False, True), (None, 3), (9, 11)),
        (5, None, (True, False), (3, None), (11, 9)),
        (5, 5, (True, True), (3, 3), (11, 11)),
    ],
)
def test_only_levels_that_were_counted_when_the_order_was_placed_get_units_back(
    fake_stripe, shopper, product, variation, counted, held, released
):
    order = place(shopper, product=product, variation=variation)
    hold = order.stock_holds.get()
    assert (hold.product_counted, hold.variation_counted) == counted
    assert levels() == held
    # Staff count nine of each, while the order waits for its payment.
    Product.objects.update(stock_quantity=9)
    ProductVariation.objects.update(stock_quantity=9)
    assert cancel_unpaid_order(order.pk, reason="payment.expired") is True
    assert levels() == released


def test_units_that_are_taken_again_come_from_the_levels_counted_by_then(fake_stripe, shopper):
    order = place(shopper, product=None, variation=5)
    cancel_unpaid_order(order.pk, reason="payment.expired")
    Product.objects.update(stock_quantity=9)
    ProductVariation.objects.update(stock_quantity=None)
    with transaction.atomic():
        take_for_order(order)
    hold = order.stock_holds.get()
    assert (hold.state, hold.product_counted, hold.variation_counted) == (StockHoldState.TAKEN, True, False)
    assert levels() == (7, None)
