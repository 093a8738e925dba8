"""A format is deleted while an order's units of it come back: nobody waits in a circle, no unit is lost."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from django.db import OperationalError, transaction

from catalog.models import Product, ProductVariation, Variant
from catalog.services import stock
from catalog.services.products import delete_product, delete_variation
from orders.models import Order, RefundLine, StockHold, StockHoldState
from orders.selectors.refund_rules import ReturnedLine
from orders.services.refunds import decisions
from orders.services.status import stock_holds
from orders.services.status.transitions import cancel_unpaid_order
from orders.services.withdrawals.cases import refund_case
from orders.services.withdrawals.declarations import Declaration, declare_withdrawal
from orders.tests.factories import checkout_body, line, make_order, make_product, make_variation, pay_order
from orders.tests.refunding import provider, refund  # noqa: F401 - fixture
from tests.races.concurrency import Started, deadlocks, run_concurrently, values, wait_until_blocked
from tests.races.conftest import Buyer

pytestmark = [
    pytest.mark.postgres, pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("provider")
]  # fmt: skip

ROUNDS = 10


def held() -> Order:
    """Two of five units of the product's number, in the first of two formats, without one of its own."""
    piece = make_product(price="60.00", stock_quantity=5)
    two_formats(piece)
    return make_order((piece, 2))


def two_formats(piece: Product) -> ProductVariation:
    make_variation(piece, "18 cm", is_default=True)
    make_variation(piece, "30 cm")
    return first_format()


def first_format() -> ProductVariation:
    return ProductVariation.objects.earliest("pk")


def release(order: Order) -> bool:
    return cancel_unpaid_order(order.pk, reason="payment.expired")


def restock(order: Order) -> bool:
    return refund(order, lines=[ReturnedLine(order.items.get().pk, 2, True)]).lines.get().restocked


def change_while(change: Callable[[], Any], call: Callable[[], Any]) -> Started:
    """`call` comes when the product is locked and the rows that point at its variants are not yet."""
    with transaction.atomic():
        Product.objects.select_for_update().get()
        started = Started(call)
        wait_until_blocked()
        change()
    return started


def delete_while(call: Callable[[], Any]) -> Started:
    """Delete the first format."""
    return change_while(lambda: delete_variation(variation=first_format()), call)


def units() -> int | None:
    return Product.objects.get().stock_quantity


def test_units_released_while_their_format_is_deleted_return_to_the_product():
    order = held()
    assert delete_while(partial(release, order)).value() is True
    hold = StockHold.objects.get()
    assert (hold.state, hold.variant, units()) == (StockHoldState.RELEASED, None, 5)


def test_units_refunded_while_their_format_is_deleted_return_to_the_product():
    order = pay_order(held())
    assert delete_while(partial(restock, order)).value() is True
    assert units() == 5


def test_a_unique_piece_released_while_its_last_format_is_deleted_is_on_sale_again():
    piece = make_product(price="60.00")
    make_variation(piece, "18 cm", stock_quantity=1)
    order = make_order((piece, 1))
    assert delete_while(partial(release, order)).value() is True
    assert piece.variants.values_list("variation", "stock_quantity").get() == (None, 1)


def test_a_unique_piece_bought_while_it_gets_its_first_format_is_sold_once(fake_stripe):
    piece = make_product(price="60.00")
    Variant.objects.update(stock_quantity=1)
    body = checkout_body([line(piece)], "60.00")
    add = partial(make_variation, piece, "18 cm")
    assert change_while(add, lambda: Buyer().checkout(body)).value().status_code == 201
    assert Variant.objects.values_list("variation", "stock_quantity").get() == (first_format().pk, 0)


def test_units_refunded_while_their_product_is_deleted():
    """The case's order is locked before the products of its lines, which name it."""
    order = pay_order(held())
    declaration = Declaration(
        name="Léa", email=order.email, order_text=order.reference, language="fr", order=order
    )
    case = declare_withdrawal(declaration=declaration, key="one", caller="192.0.2.1").case
    lines = [ReturnedLine(order.items.get().pk, 2, True)]
    call = partial(refund_case, case_id=case.pk, lines=lines, amount=None, reason="", actor=None)
    with transaction.atomic():
        Product.objects.select_for_update().get()
        started = Started(call)
        wait_until_blocked()
        delete_product(product=Product.objects.get())
    started.value()
    row = RefundLine.objects.get()
    assert (row.quantity, row.restocked, Product.objects.count()) == (2, False, 0)


def test_a_format_deleted_while_it_is_ordered_is_not_sold(fake_stripe):
    """Made to order: no number is counted, and its lines would name what is gone."""
    piece = make_product(price="60.00")
    body = checkout_body([line(piece, variation_id=two_formats(piece).pk)], "60.00")
    answer = delete_while(lambda: Buyer().checkout(body)).value()
    assert (answer.status_code, answer.json()["code"]) == (409, "out_of_stock")
    assert not Order.objects.exists()


def test_control_a_format_deleted_while_it_is_ordered_fails_the_commit(fake_stripe, monkeypatch):
    piece = make_product(price="60.00")
    body = checkout_body([line(piece, variation_id=two_formats(piece).pk)], "60.00")
    monkeypatch.setattr(stock, "_lock_products", lambda _levels: {piece.pk: None})
    answer = delete_while(lambda: Buyer().checkout(body)).value()
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")
    assert not Order.objects.exists()


def test_control_holds_locked_before_their_products_wait_in_a_circle(monkeypatch):
    order = held()
    monkeypatch.setattr(stock_holds, "lock_products", lambda **_: [])
    before = deadlocks()
    with pytest.raises(OperationalError):
        delete_while(partial(release, order)).value()
    assert deadlocks() == before + 1


def test_control_a_line_read_before_its_product_is_locked_loses_its_units(monkeypatch):
    order = pay_order(held())
    lock = decisions.lock_products
    read = decisions.hold_of

    def late(item: Any) -> StockHold | None:
        lock(product_ids=[item.product_id])
        return read(item)

    monkeypatch.setattr(decisions, "lock_products", lambda **_: [])
    monkeypatch.setattr(decisions, "hold_of", late)
    delete_while(partial(restock, order)).value()
    assert units() == 3


@pytest.mark.parametrize("what", ["format", "product"])
def test_many_orders_released_at_the_instant_of_a_deletion(what, figures):
    before = deadlocks()
    for number in range(ROUNDS):
        piece = make_product(f"Pièce {number}", "60.00", stock_quantity=9)
        variation = make_variation(piece, "18 cm", is_default=True)
        orders = [make_order((piece, 1)) for _ in range(5)]
        delete = (
            partial(delete_variation, variation=variation)
            if what == "format"
            else partial(delete_product, product=piece)
        )
        done = values(run_concurrently([*(partial(release, order) for order in orders), delete]))
        assert done[:-1] == [True] * 5
        left = Product.objects.filter(pk=piece.pk).values_list("stock_quantity", flat=True).first()
        assert left == (9 if what == "format" else None)
    assert deadlocks() == before
    figures(**{f"deleted_{what}_rounds": ROUNDS, "deadlocks": 0})
