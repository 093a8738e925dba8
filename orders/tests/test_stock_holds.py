"""Units that an order holds: from which number they were taken, and where they go back to."""

import pytest
from django.db import transaction

from catalog.models import Product, ProductVariation, Variant
from catalog.services.products import delete_variation
from catalog.services.stock import OutOfStock
from orders.models import Order, StockHoldState
from orders.selectors.refund_rules import ReturnedLine
from orders.services.status.stock_holds import take_for_order
from orders.services.status.transitions import cancel_unpaid_order
from orders.tests.factories import (
    checkout_body,
    line,
    make_category,
    make_order,
    make_product,
    make_variation,
    pay_order,
)
from orders.tests.refunding import refund

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


def test_units_of_the_product_s_number_return_to_it_when_their_variant_was_deleted(fake_stripe, shopper):
    order = place(shopper, product=5, variant=None)
    delete_variation(variation=ProductVariation.objects.get())
    assert Product.objects.get().stock_quantity == 3
    assert cancel_unpaid_order(order.pk, reason="payment.expired") is True
    assert cancel_unpaid_order(order.pk, reason="payment.expired") is False
    hold = order.stock_holds.get()
    assert (hold.state, hold.variant, Product.objects.get().stock_quantity) == (
        StockHoldState.RELEASED,
        None,
        5,
    )


def released_and_deleted(shopper, *, product: int | None, variant: int | None) -> Order:
    order = place(shopper, product=product, variant=variant)
    cancel_unpaid_order(order.pk, reason="payment.expired")
    delete_variation(variation=ProductVariation.objects.get())
    return order


@pytest.mark.parametrize(("variant", "left", "level"), [(None, 3, "product"), (5, 5, "")])
def test_a_late_payment_takes_the_product_s_units_of_a_deleted_variant_again(
    fake_stripe, shopper, variant, left, level
):
    order = released_and_deleted(shopper, product=5, variant=variant)
    with transaction.atomic():
        take_for_order(order)
    hold = order.stock_holds.get()
    assert (hold.state, hold.level, Product.objects.get().stock_quantity) == (
        StockHoldState.TAKEN,
        level,
        left,
    )


def test_a_late_payment_of_a_deleted_variant_whose_product_is_sold_out_is_refused(fake_stripe, shopper):
    order = released_and_deleted(shopper, product=5, variant=None)
    Product.objects.update(stock_quantity=1)
    with pytest.raises(OutOfStock), transaction.atomic():
        take_for_order(order)
    assert (order.stock_holds.get().state, Product.objects.get().stock_quantity) == (
        StockHoldState.RELEASED,
        1,
    )


@pytest.mark.usefixtures("provider")
@pytest.mark.parametrize(
    ("variant", "restocked", "left"),
    [
        (None, True, 4),
        # Its own number went with it.
        (5, False, 5),
    ],
)
def test_refunded_units_of_a_deleted_variant_go_back_to_the_number_that_is_still_there(
    variant, restocked, left
):
    piece = make_product(price="60.00", stock_quantity=5)
    make_variation(piece, "18 cm", stock_quantity=variant, is_default=True)
    order = pay_order(make_order((piece, 2)))
    delete_variation(variation=ProductVariation.objects.get())
    line_ = refund(order, lines=[ReturnedLine(order.items.get().pk, 1, True)]).lines.get()
    assert (line_.restocked, Product.objects.get().stock_quantity) == (restocked, left)


@pytest.mark.usefixtures("provider")
def test_each_line_of_deleted_variants_finds_its_own_hold():
    """One of the product's number, one of its own: both deleted, the product gets back only what was its."""
    piece = make_product(price="60.00", stock_quantity=5, category=make_category(offers_formats=True))
    own = make_variation(piece, "18 cm", stock_quantity=5)
    shared = make_variation(piece, "30 cm")
    order = pay_order(make_order((piece, 1), (piece, 2), variations=(own, shared)))
    for variation in (own, shared):
        delete_variation(variation=variation)
    first, second = order.items.all()
    assert Product.objects.get().stock_quantity == 3
    rows = refund(order, lines=[ReturnedLine(first.pk, 1, True), ReturnedLine(second.pk, 1, True)]).lines
    assert set(rows.values_list("item", "restocked")) == {(first.pk, False), (second.pk, True)}
    assert Product.objects.get().stock_quantity == 4
