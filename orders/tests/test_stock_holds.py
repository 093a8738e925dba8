"""Units that an order holds: from which number they were taken, and where they go back to."""

import pytest
from django.db import transaction

from catalog.models import Product, ProductVariation, Variant
from orders.models import Order, StockHoldState
from orders.services.status.stock_holds import take_for_order
from orders.services.status.transitions import cancel_unpaid_order
from orders.tests.factories import checkout_body, line, make_product, make_variation

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]


def sold() -> Variant:
    return ProductVariation.objects.get().variants.get()


def numbers() -> tuple[int | None, int | None]:
    """What is counted of the product, and of the variant that the order is of."""
    return Product.objects.get().stock_quantity, sold().stock_quantity


def place(shopper, *, product: int | None, variant: int | None) -> Order:
    piece = make_product(price="60.00", stock_quantity=product)
    format_ = make_variation(piece, "18 cm", stock_quantity=variant, is_default=True)
    answer = shopper.checkout(checkout_body([line(piece, 2, variation_id=format_.pk)], "120.00"))
    assert answer.status_code == 201
    return Order.objects.get()


@pytest.mark.parametrize(
    ("product", "variant", "level", "held", "released"),
    [
        (None, None, "", (None, None), (9, 9)),
        (None, 5, "variant", (None, 3), (9, 11)),
        (5, None, "product", (3, None), (11, 9)),
        # The variant's own number goes before the product's.
        (5, 5, "variant", (5, 3), (9, 11)),
    ],
)
def test_only_the_number_they_were_taken_from_gets_units_back(
    fake_stripe, shopper, product, variant, level, held, released
):
    order = place(shopper, product=product, variant=variant)
    hold = order.stock_holds.get()
    assert (hold.variant, hold.level) == (sold(), level)
    assert order.items.get().variant == sold()
    assert numbers() == held
    # Staff count nine of each, while the order waits for its payment.
    Product.objects.update(stock_quantity=9)
    Variant.objects.update(stock_quantity=9)
    assert cancel_unpaid_order(order.pk, reason="payment.expired") is True
    assert numbers() == released


def test_units_that_are_taken_again_come_from_the_number_counted_by_then(fake_stripe, shopper):
    order = place(shopper, product=None, variant=5)
    cancel_unpaid_order(order.pk, reason="payment.expired")
    Product.objects.update(stock_quantity=9)
    Variant.objects.update(stock_quantity=None)
    with transaction.atomic():
        take_for_order(order)
    hold = order.stock_holds.get()
    assert (hold.state, hold.level) == (StockHoldState.TAKEN, "product")
    assert numbers() == (7, None)


def test_a_variant_deleted_meanwhile_gets_nothing_back_and_breaks_nothing(fake_stripe, shopper):
    order = place(shopper, product=5, variant=5)
    ProductVariation.objects.get().delete()
    assert cancel_unpaid_order(order.pk, reason="payment.expired") is True
    hold = order.stock_holds.get()
    assert (hold.state, hold.variant, Product.objects.get().stock_quantity) == (
        StockHoldState.RELEASED,
        None,
        5,
    )
