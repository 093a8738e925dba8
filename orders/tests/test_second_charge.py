"""A charge for a payment that was paid before goes back whole, whatever became of the first one."""

from __future__ import annotations

from decimal import Decimal

import pytest
from django.utils import timezone

from orders.models import Attempt, Invoice, Order, OrderStatus, PaymentState, RefundReason, RefundState
from orders.selectors.refund_rules import ReturnedLine
from orders.services.fulfilment.status_changes import change_status
from orders.services.payments.settlement import verify_payment
from orders.services.refunds.decisions import request_refund
from orders.services.refunds.sending import send_refund
from orders.services.status.transitions import cancel_unpaid_order
from orders.tests.factories import make_order, make_product, make_seller, make_zones, pay_order
from orders.tests.installments import offer_installments
from orders.tests.memory_provider import MemoryProvider
from shop.core.mail_delivery import render
from shop.core.models import OutgoingMail

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]


@pytest.fixture(autouse=True)
def provider(monkeypatch: pytest.MonkeyPatch) -> MemoryProvider:
    make_seller()
    make_zones()
    offer_installments()
    provider = MemoryProvider()
    provider.install(monkeypatch)
    return provider


def pay_again(order: Order) -> Attempt:
    """Another page of the same payment was paid: two tabs, or a page that could not be closed in time."""
    payment = order.payments.get(position=1)
    attempt = Attempt.objects.create(
        payment=payment,
        number=payment.attempts.count() + 1,
        amount_cents=payment.attempts.get(number=1).amount_cents,
        expires_at=timezone.now(),
    )
    pay_order(order)
    attempt.refresh_from_db()
    return attempt


def test_a_second_charge_does_not_revive_an_order_that_was_credited_and_closed() -> None:
    order = pay_order(
        make_order((make_product("Hibou", "79.99", stock_quantity=9), 4), payment_mode="installments")
    )
    line = order.items.get()
    request_refund(order_id=order.pk, key="three", lines=[ReturnedLine(line.pk, 3)])
    change_status(
        order_id=order.pk, status=OrderStatus.CANCELLED, refund=False, reason="Acompte.", actor=None
    )

    again = pay_again(order)

    order.refresh_from_db()
    assert order.status == OrderStatus.CANCELLED
    assert (
        list(order.payments.order_by("position").values_list("state", flat=True)[1:])
        == [PaymentState.VOID] * 2
    )
    given_back = again.refunds.get()
    assert (given_back.reason, given_back.amount, given_back.request) == (
        RefundReason.DUPLICATE,
        Decimal(again.amount_cents) / 100,
        None,
    )
    assert Invoice.objects.filter(order=order, kind="invoice").count() == 1


def test_a_second_charge_of_a_payment_that_went_back_goes_back_too(provider: MemoryProvider) -> None:
    order = pay_order(make_order((make_product("Hibou", "79.99"), 1)))
    request_refund(order_id=order.pk, key="everything")
    refund = order.refunds.get()
    send_refund(refund.pk)
    order.refresh_from_db()
    assert (order.status, order.payments.get().state) == (OrderStatus.REFUNDED, PaymentState.REFUNDED)

    again = pay_again(order)

    order.refresh_from_db()
    assert order.status == OrderStatus.REFUNDED
    assert [(row.reason, row.state) for row in again.refunds.all()] == [
        (RefundReason.DUPLICATE, RefundState.REQUESTED)
    ]


def test_who_paid_twice_is_not_told_that_the_order_is_lost() -> None:
    order = pay_order(make_order((make_product("Hibou", "79.99"), 1)))
    again = pay_again(order)
    mail = render(OutgoingMail.objects.get(kind="payment_refunded_automatically")).text
    assert "il n'était plus à faire" in mail
    assert "votre second paiement vous est rendu" in mail
    assert "honorer" not in mail
    told = verify_payment(str(again.checkout_session_id))
    assert told is not None
    assert (told.status, told.refunded) == ("paid", False)


def test_who_comes_back_to_the_page_of_an_order_that_was_refunded_is_not_asked_to_pay_again() -> None:
    order = pay_order(make_order((make_product("Hibou", "79.99"), 1)))
    request_refund(order_id=order.pk, key="everything")
    send_refund(order.refunds.get().pk)
    assert Order.objects.get().status == OrderStatus.REFUNDED
    told = verify_payment(str(Attempt.objects.get().checkout_session_id))
    assert told is not None
    assert (told.status, told.refunded) == ("paid", False)


def test_a_cancelled_order_that_is_paid_after_all_owes_its_own_installments_again() -> None:
    product = make_product("Hibou", "79.99")
    order, other = (make_order((product, 2), payment_mode="installments") for _ in range(2))
    for placed in (order, other):
        cancel_unpaid_order(placed.pk, reason="payment.expired")
    pay_order(order)
    states = [
        list(placed.payments.order_by("position").values_list("state", flat=True))
        for placed in (order, other)
    ]
    assert states == [["paid", "scheduled", "scheduled"], ["void", "void", "void"]]
