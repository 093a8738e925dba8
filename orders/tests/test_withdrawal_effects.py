"""What a declaration does to its order: what is stopped, asked back and owed no more, for all of it or for a part."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from orders.models import (
    Order,
    OrderStatus,
    Payment,
    PaymentState,
    ShippingZone,
    WithdrawalLine,
    WithdrawalState,
)
from orders.selectors.refund_rules import ReturnedLine
from orders.services.fulfilment.status_changes import update_status
from orders.services.withdrawals.declarations import choose_lines
from orders.tests.declarations import declare, words
from orders.tests.factories import make_order, make_product, make_seller, make_zones, pay_order
from orders.tests.installments import offer_installments
from orders.tests.withdrawing import NOON, paid_order
from shop.core.models import OutgoingMail
from shop.core.problems import Problem

pytestmark = [pytest.mark.postgres, pytest.mark.django_db, pytest.mark.usefixtures("monday_noon")]


def installments_order(price="300.00", *more):
    make_seller()
    offer_installments()
    lines = [(make_product("Golem", price), 1), *more]
    return pay_order(make_order(*lines, payment_mode="installments"))


def states(order):
    return list(Payment.objects.filter(order=order).order_by("position").values_list("state", "amount"))


def test_an_unpaid_order_is_no_contract_to_withdraw_from():
    order = make_order()

    assert declare(words(order)).order is None


def test_l221_18_withdrawing_before_delivery_is_allowed_and_asks_for_nothing_back():
    order = paid_order()

    case = declare(words(order)).case

    assert (case.in_time, case.state) == (True, WithdrawalState.DECLARED)
    assert not OutgoingMail.objects.filter(kind="withdrawal_return").exists()


@pytest.mark.parametrize(("shipped", "writes"), [(False, 1), (True, 2)])
def test_a_declaration_that_asks_nothing_back_is_written_once(shipped, writes):
    order = paid_order()
    if shipped:
        update_status(order_id=order.pk, status="shipped", actor=None)
    with CaptureQueriesContext(connection) as asked:
        declare(words(order))
    updates = [row for row in asked if row["sql"].startswith('UPDATE "orders_withdrawalcase"')]
    assert len(updates) == writes


def test_l221_23_goods_that_have_left_are_asked_back():
    order = paid_order()
    update_status(order_id=order.pk, status="shipped", actor=None)

    case = declare(words(order)).case

    assert (case.state, case.in_time) == (WithdrawalState.GOODS_AWAITED, True)
    mail = OutgoingMail.objects.get(kind="withdrawal_return")
    assert (mail.to, mail.context["return_by"]) == ("lea@example.com", "2026-12-07")


def test_a_late_declaration_is_filed_and_flagged_and_stops_nothing():
    order = installments_order()
    Order.objects.filter(pk=order.pk).update(
        shipped_at=NOON - timedelta(days=30), delivered_at=NOON - timedelta(days=28), status="delivered"
    )
    before = states(order)

    case = declare(words(order)).case

    assert (case.order, case.in_time, case.taken_up_at) == (order, False, None)
    assert case.state == WithdrawalState.DECLARED
    assert states(order) == before
    assert not OutgoingMail.objects.filter(kind="withdrawal_return").exists()
    assert OutgoingMail.objects.filter(kind="withdrawal_received").count() == 1


def test_l312_4_withdrawing_from_everything_voids_every_installment_still_due():
    order = installments_order()
    assert states(order) == [
        ("paid", Decimal("100.00")), ("scheduled", Decimal("100.00")), ("scheduled", Decimal("100.00")),
    ]  # fmt: skip

    case = declare(words(order)).case

    assert [state for state, _amount in states(order)] == ["paid", "void", "void"]
    assert case.voided == Decimal("200.00")


def test_withdrawing_from_a_part_takes_its_worth_off_the_last_installments_and_no_more():
    # 300 + 60 = 360 in installments of 120; giving back the 60 leaves 300, of which 120 are paid: 180 are still owed.
    order = installments_order("300.00", (make_product("Lutin", "60.00"), 1))
    small = order.items.get(product_name="Lutin")

    case = declare(words(order, order=order, lines=(ReturnedLine(small.pk, 1),))).case

    assert states(order) == [
        ("paid", Decimal("120.00")), ("scheduled", Decimal("120.00")), ("scheduled", Decimal("60.00")),
    ]  # fmt: skip
    assert case.voided == Decimal("60.00")
    assert list(WithdrawalLine.objects.values_list("item", "quantity")) == [(small.pk, 1)]


def test_withdrawing_from_a_part_worth_more_than_is_due_voids_all_that_is_due():
    order = installments_order("300.00", (make_product("Lutin", "60.00"), 1))
    big = order.items.get(product_name="Golem")

    case = declare(words(order, order=order, lines=(ReturnedLine(big.pk, 1),))).case

    assert [state for state, _amount in states(order)] == ["paid", "void", "void"]
    assert case.voided == Decimal("240.00")


@pytest.mark.parametrize("delivery", ["130.00", "5.00"])
def test_l221_24_two_parts_that_are_all_of_it_stop_the_delivery_too(delivery):
    """Nothing is kept, so nothing is owed any more; of one part the delivery stays due."""
    make_zones()
    ShippingZone.objects.update(rate=Decimal(delivery), free_from=None)
    order = installments_order("100.00", (make_product("Hibou", "100.00"), 1))
    golem, owl = order.items.order_by("pk")
    due = Payment.objects.filter(order=order, state=PaymentState.SCHEDULED)

    first = declare(words(order, order=order, lines=(ReturnedLine(golem.pk, 1),)))
    assert (first.case.voided, due.exists()) == (Decimal("100.00"), True)
    second = declare(words(order, order=order, lines=(ReturnedLine(owl.pk, 1),)))

    whole = order.total - order.payments.get(position=1).amount
    assert (second.case.voided, due.exists()) == (whole - 100, False)


def test_a_part_described_in_words_stops_nothing_until_staff_read_it():
    order = installments_order()
    before = states(order)

    withdrawal = declare(words(order, goods="le petit golem"))

    assert states(order) == before
    assert (withdrawal.case.goods, withdrawal.case.voided) == ("le petit golem", Decimal("0.00"))
    assert "Articles rendus\u00a0:\nle petit golem" in withdrawal.statement


def test_an_order_not_yet_sent_is_stopped():
    order = paid_order()
    declare(words(order))

    for status in ("shipped", "delivered"):
        with pytest.raises(Problem) as refusal:
            update_status(order_id=order.pk, status=status, actor=None)
        assert (refusal.value.code, refusal.value.status) == ("withdrawal_open", 409)
    order.refresh_from_db()
    assert (order.status, order.shipped_at) == (OrderStatus.CONFIRMED, None)
    assert not OutgoingMail.objects.filter(kind="order_status").exists()
    # Its way through the workshop may still be written down.
    update_status(order_id=order.pk, status="processing", actor=None)


def test_l221_28_no_line_of_the_catalogue_is_excluded():
    order = paid_order()
    item = order.items.get()
    item.finish = "painted"
    item.variation_name = "18 cm"
    item.save()

    assert choose_lines(order, {item.pk: 1}) == ()
    assert declare(words(order, order=order)).case.in_time is True


def test_a_void_payment_is_never_collected_again():
    order = installments_order()
    declare(words(order))

    assert not Payment.objects.filter(
        order=order, state__in=(PaymentState.SCHEDULED, PaymentState.DUE, PaymentState.OVERDUE)
    ).exists()
