"""Refunds over several charges, in several goes and with goods that come back: never a cent or a unit twice."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from functools import partial

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from catalog.models import Product
from orders.models import (
    Attempt,
    Order,
    OrderItem,
    Payment,
    Refund,
    RefundLine,
    RefundReason,
    RefundRequest,
    RefundState,
)
from orders.selectors.refund_rules import ReturnedLine, charges_left, refundable
from orders.services.refunds.decisions import request_automatic_refund, restock_line, retry_refund
from orders.tests.factories import make_order, make_product, pay_order
from orders.tests.refunding import (
    EUROS,
    charged_twice,
    in_installments,
    paid_again,
    refund,
    refused,
    send_all,
    states,
)
from tests.races.concurrency import Started, wait_until_blocked

pytestmark = [pytest.mark.postgres, pytest.mark.django_db, pytest.mark.usefixtures("provider")]


def paid_in_installments() -> Order:
    """180.00, of which all three installments came in."""
    order = in_installments()
    paid_again(order, "60.00")
    paid_again(order, "60.00")
    return order


def given_back(request: RefundRequest) -> list[tuple[int, Decimal]]:
    """From which charge how much, the latest first."""
    rows = request.refunds.order_by("-attempt__payment__position")
    return [(row.attempt.payment.position, row.amount) for row in rows]


def test_a_part_comes_from_the_latest_charges_and_adds_up_to_itself():
    order = paid_in_installments()
    first = refund(order, amount=EUROS("70.00"))
    assert (first.amount, first.voided) == (EUROS("70.00"), EUROS("0.00"))
    assert given_back(first) == [(3, EUROS("60.00")), (2, EUROS("10.00"))]
    assert [charge.left for charge in charges_left(order)] == [0, EUROS("50.00"), EUROS("60.00")]
    send_all()
    assert states(order) == [("paid", 60), ("partly_refunded", 60), ("refunded", 60)]
    assert refundable(order) == EUROS("110.00")

    second = refund(order, amount=EUROS("50.01"))
    assert given_back(second) == [(2, EUROS("50.00")), (1, EUROS("0.01"))]
    assert refused("refund_too_much", order, amount=EUROS("60.00")).extra == {"refundable": "59.99"}
    assert given_back(refund(order)) == [(1, EUROS("59.99"))]


def test_a_refund_that_waits_is_money_that_is_spoken_for():
    order = paid_in_installments()
    refund(order, amount=EUROS("100.00"))
    for state in (RefundState.REQUESTED, RefundState.SENT, RefundState.PENDING, RefundState.SUCCEEDED):
        Refund.objects.update(state=state)
        assert refundable(order) == EUROS("80.00"), state
    Refund.objects.update(state=RefundState.FAILED)
    assert refundable(order) == EUROS("180.00")


def test_everything_asked_for_twice_under_one_key_is_decided_once(order):
    first = refund(order, key="all")
    assert refund(order, key="all") == first
    send_all()
    assert refund(order, key="all") == first
    assert (Refund.objects.count(), RefundRequest.objects.count()) == (1, 1)


def test_what_is_still_due_goes_first_and_only_the_rest_is_money():
    order = in_installments()
    paid_again(order, "60.00")
    request = refund(order, amount=EUROS("130.00"))
    assert (request.voided, given_back(request)) == (
        EUROS("60.00"),
        [(2, EUROS("60.00")), (1, EUROS("10.00"))],
    )
    assert states(order) == [("paid", 60), ("paid", 60), ("void", 60)]
    assert sum(Payment.objects.filter(state="void").values_list("amount", flat=True)) == EUROS("60.00")


@pytest.mark.parametrize("amount", ["120.00", "120.01"])
def test_as_much_as_is_still_due_ends_what_pays_it_too(amount, queued_tasks, run_on_commit):
    order = in_installments()
    second, third = order.payments.filter(position__gt=1).order_by("position")
    values = {
        "number": 1,
        "kind": "link",
        "amount_cents": 6000,
        "expires_at": timezone.now() + timedelta(hours=1),
    }
    prepared = Attempt.objects.create(payment=second, **values)
    Attempt.objects.create(payment=third, state="sent", checkout_session_id="cs_open", **values)
    with run_on_commit():
        assert refund(order, amount=EUROS(amount)).voided == EUROS("120.00")
    assert states(order) == [("paid", 60), ("void", 60), ("void", 60)]
    prepared.refresh_from_db()
    assert prepared.state == "canceled"
    assert "orders.tasks.close_void_attempts" in queued_tasks.names


def two_lines() -> tuple[Order, int, int]:
    order = pay_order(
        make_order(*((make_product(name=price, price=price), 1) for price in ("40.00", "30.00")))
    )
    first, second = order.items.order_by("position").values_list("pk", flat=True)
    return order, first, second


def test_a_line_brings_no_more_than_it_is_worth_whatever_is_left_of_the_order():
    order, first, second = two_lines()
    problem = refused("refund_too_much", order, lines=[ReturnedLine(first, 1)], amount=EUROS("40.01"))
    assert problem.extra == {"refundable": "40.00"}
    assert refund(order, lines=[ReturnedLine(second, 1)], amount=EUROS("30.00")).amount == EUROS("30.00")


def test_a_line_brings_what_is_left_when_that_is_less_than_it_is_worth():
    order, first, second = two_lines()
    refund(order, amount=EUROS("60.00"))
    problem = refused("refund_too_much", order, lines=[ReturnedLine(first, 1)], amount=EUROS("10.01"))
    assert problem.extra == {"refundable": "10.00"}
    request = refund(order, lines=[ReturnedLine(first, 1)])
    assert (request.amount, request.lines.get().amount) == (EUROS("10.00"), EUROS("10.00"))
    refused("refund_nothing_left", order, lines=[ReturnedLine(second, 1)])


def test_pieces_that_cost_nothing_bring_nothing_back():
    lines = [(make_product(name=price, price=price), 1) for price in ("10.00", "60.00", "5.00")]
    order = pay_order(make_order(*lines))
    nothing, piece, _other = order.items.order_by("position").values_list("pk", flat=True)
    # As an order from before prices had to be above zero.
    OrderItem.objects.filter(pk=nothing).update(unit_price=0, line_total=0)
    problem = refused("refund_nothing_left", order, lines=[ReturnedLine(nothing, 1)])
    assert problem.detail.endswith("ces unités n'ont rien coûté au client.")
    assert refund(order, lines=[ReturnedLine(nothing, 1), ReturnedLine(piece, 1)]).amount == EUROS("60.00")


def test_a_charge_that_goes_back_by_itself_is_asked_for_once(order, queued_tasks, run_on_commit):
    attempt = charged_twice(order)
    with run_on_commit():
        made = request_automatic_refund(order=order, attempt=attempt, reason=RefundReason.DUPLICATE)
        with pytest.raises(IntegrityError), transaction.atomic():
            request_automatic_refund(order=order, attempt=attempt, reason=RefundReason.DUPLICATE)
    assert made == Refund.objects.get()
    assert (made.amount, made.reason, made.request) == (EUROS("49.99"), "duplicate", None)
    assert [args for task, args, _ in queued_tasks.calls if task.name == "orders.tasks.send_refund"] == [
        (str(made.pk),)
    ]


@pytest.mark.parametrize("state", list(RefundState))
def test_a_charge_that_goes_back_by_itself_is_not_the_order_s_money(order, state):
    """Not even when the bank took it back to the shop: it is tried again as what it is, beside any refund."""
    attempt = charged_twice(order)
    own = request_automatic_refund(order=order, attempt=attempt, reason=RefundReason.DUPLICATE)
    Refund.objects.filter(pk=own.pk).update(state=state)
    assert refundable(order) == EUROS("49.99")
    if state == RefundState.FAILED:
        assert retry_refund(refund_id=own.pk).amount == EUROS("49.99")
    request = refund(order)
    assert [(row.attempt.number, row.amount) for row in request.refunds.all()] == [(1, EUROS("49.99"))]


def three_pieces() -> Order:
    return pay_order(make_order((make_product(price="30.00", stock_quantity=9), 3)))


def in_stock(order: Order) -> int | None:
    return order.items.get().product.stock_quantity


def test_one_of_three_pieces_goes_on_the_shelf_once_however_often_it_is_asked():
    order = three_pieces()
    line = refund(order, lines=[ReturnedLine(order.items.get().pk, 1)]).lines.get()
    assert in_stock(order) == 6
    assert [restock_line(line_id=line.pk) for _again in range(3)] == [True, False, False]
    assert in_stock(order) == 7
    # One that was put back with its refund is not put back by the button beside it.
    other = refund(order, lines=[ReturnedLine(order.items.get().pk, 1, True)]).lines.get()
    assert restock_line(line_id=other.pk) is False
    assert in_stock(order) == 8


@pytest.mark.django_db(transaction=True)
def test_two_decisions_about_the_same_pieces_put_them_on_the_shelf_once():
    """A decision that failed and the one in its place both name all three; both buttons are pressed at once."""
    order = three_pieces()
    item = order.items.get()
    lines = [
        RefundLine.objects.create(
            request=RefundRequest.objects.create(order=order, key=key, amount="90.00"),
            item=item, quantity=3, amount="90.00",
        )
        for key in ("failed", "in its place")
    ]  # fmt: skip
    with transaction.atomic():
        Product.objects.select_for_update(no_key=True).get()
        other = Started(partial(restock_line, line_id=lines[1].pk))
        wait_until_blocked()
        assert restock_line(line_id=lines[0].pk) is True
    assert other.value() is False
    assert in_stock(order) == 9
