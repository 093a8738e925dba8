"""Units that an order holds: from which number they were taken, and where they go back to."""

from decimal import Decimal
from typing import Any

import pytest
from django.db import transaction

from catalog.models import Category, Product, ProductVariation, Variant
from catalog.selectors.staff_variants import variant_grid
from catalog.services.products import delete_variation, save_product
from catalog.services.stock import OutOfStock, StockUnit, hold_stock
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
    return Variant.objects.get()


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


@pytest.mark.parametrize(("product", "variant", "held"), [(None, 5, 2), (5, None, 0), (None, None, 0)])
def test_grid_says_how_many_units_of_a_variant_unpaid_orders_hold(
    fake_stripe, shopper, product, variant, held
):
    order = place(shopper, product=product, variant=variant)
    grid = variant_grid(Product.objects.get().pk)
    assert grid is not None
    assert grid.held == {sold().pk: held}
    cancel_unpaid_order(order.pk, reason="payment.expired")
    grid = variant_grid(Product.objects.get().pk)
    assert grid is not None
    assert grid.held == {sold().pk: 0}


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


@pytest.mark.parametrize(
    ("product", "variant", "held", "released"),
    [(5, None, (3, None), (5, None)), (None, 5, (None, 3), (None, 5)), (9, 5, (9, 3), (9, 5))],
)
def test_units_of_a_deleted_last_format_return_to_what_takes_its_place(
    fake_stripe, shopper, product, variant, held, released
):
    order = place(shopper, product=product, variant=variant)
    delete_variation(variation=ProductVariation.objects.get())
    assert numbers() == held
    assert cancel_unpaid_order(order.pk, reason="payment.expired") is True
    assert cancel_unpaid_order(order.pk, reason="payment.expired") is False
    hold = order.stock_holds.get()
    assert (hold.state, hold.variant, numbers()) == (StockHoldState.RELEASED, sold(), released)


def unique_piece(**fields: Any) -> Product:
    """One unit, counted where neither a format nor a finish is chosen."""
    piece = make_product(price="60.00", **fields)
    Variant.objects.update(stock_quantity=1)
    return piece


def get_a_format(piece: Product) -> None:
    make_variation(piece, "18 cm")


def get_finishes(piece: Product) -> None:
    Category.objects.update(offers_finishes=True)
    piece.painted_price, piece.unpainted_price = Decimal("60.00"), Decimal("40.00")
    save_product(product=piece)


def lose_and_get_finishes(piece: Product) -> None:
    get_finishes(piece)
    Category.objects.update(offers_finishes=False)
    save_product(product=piece)
    get_finishes(piece)


@pytest.mark.parametrize(
    ("change", "place_of_it"),
    [
        (get_a_format, ("18 cm", "")),
        (get_finishes, ("", "painted")),
        (lose_and_get_finishes, ("", "painted")),
    ],
)
def test_a_unique_piece_is_sold_once_while_it_gets_a_choice(change, place_of_it):
    order = make_order((unique_piece(), 1))
    change(Product.objects.get())
    counted = Variant.objects.filter(stock_quantity__isnull=False)
    assert cancel_unpaid_order(order.pk, reason="payment.expired") is True
    row = counted.get()
    assert ((row.variation.name if row.variation else "", row.finish), row.stock_quantity) == (place_of_it, 1)
    # The payment comes late, after all; a second one finds nothing to take.
    with transaction.atomic():
        take_for_order(order)
    assert (counted.get(), counted.get().stock_quantity) == (row, 0)
    with pytest.raises(OutOfStock), transaction.atomic():
        hold_stock(units=[StockUnit(row.pk, 1)])


def test_a_unique_piece_that_another_customer_has_by_then_is_refused_to_a_late_payment(fake_stripe):
    order = make_order((unique_piece(), 1))
    get_a_format(Product.objects.get())
    cancel_unpaid_order(order.pk, reason="payment.expired")
    make_order((Product.objects.get(), 1))
    with pytest.raises(OutOfStock), transaction.atomic():
        take_for_order(order)
    assert list(Variant.objects.values_list("stock_quantity", flat=True)) == [0]


def released_and_deleted(shopper, *, product: int | None, variant: int | None) -> Order:
    order = place(shopper, product=product, variant=variant)
    cancel_unpaid_order(order.pk, reason="payment.expired")
    delete_variation(variation=ProductVariation.objects.get())
    return order


@pytest.mark.parametrize(("variant", "left", "level"), [(None, (3, None), "product"), (5, (5, 3), "variant")])
def test_a_late_payment_takes_the_units_of_a_deleted_last_format_where_they_are_by_then(
    fake_stripe, shopper, variant, left, level
):
    order = released_and_deleted(shopper, product=5, variant=variant)
    with transaction.atomic():
        take_for_order(order)
    hold = order.stock_holds.get()
    assert (hold.state, hold.level, numbers()) == (StockHoldState.TAKEN, level, left)


def test_a_late_payment_of_a_deleted_last_format_that_is_sold_out_by_then_is_refused(fake_stripe, shopper):
    order = released_and_deleted(shopper, product=5, variant=None)
    Product.objects.update(stock_quantity=1)
    with pytest.raises(OutOfStock), transaction.atomic():
        take_for_order(order)
    assert (order.stock_holds.get().state, numbers()) == (StockHoldState.RELEASED, (1, None))


@pytest.mark.usefixtures("provider")
@pytest.mark.parametrize(("variant", "left"), [(None, (4, None)), (5, (5, 4))])
def test_refunded_units_of_a_deleted_last_format_go_back_to_what_took_its_place(variant, left):
    piece = make_product(price="60.00", stock_quantity=5)
    make_variation(piece, "18 cm", stock_quantity=variant, is_default=True)
    order = pay_order(make_order((piece, 2)))
    delete_variation(variation=ProductVariation.objects.get())
    line_ = refund(order, lines=[ReturnedLine(order.items.get().pk, 1, True)]).lines.get()
    assert (line_.restocked, numbers()) == (True, left)


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
