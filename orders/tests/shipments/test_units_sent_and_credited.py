"""Which of the units that a refund credits had been sent: the others of the line are still to be."""

from __future__ import annotations

import pytest
from django.utils import timezone

from orders.models import Order, Refund, RefundLine
from orders.selectors.shipments import units_to_send
from orders.services.fulfilment.shipments import undo_shipment
from orders.services.fulfilment.status_changes import change_status
from orders.services.refunds.decisions import RefundRefused, ReturnedLine, request_refund, retry_refund
from orders.services.refunds.outcomes import record_refusal
from orders.services.withdrawals.cases import allow_shipping, ask_return, record_return
from orders.tests.factories import make_order, make_product, pay_order
from orders.tests.shipments.parcels import WHY, send, state
from orders.tests.withdrawing import declare, refund

pytestmark = pytest.mark.django_db


@pytest.fixture
def golems(provider):
    made = pay_order(make_order((make_product("Golem"), 3)))
    [item] = made.items.all()
    return made, item


def refunded(order, key, item, units, *, was_sent=True):
    return request_refund(order_id=order.pk, key=key, lines=[ReturnedLine(item.pk, units, was_sent=was_sent)])


def rest(order) -> list[int]:
    return list(units_to_send(Order.objects.get(pk=order.pk)).values())


def sent_units() -> list[tuple[int, int]]:
    return list(RefundLine.objects.order_by("pk").values_list("quantity", "sent_quantity"))


@pytest.mark.parametrize(("sent", "units", "left"), [(0, 1, 0), (1, 2, 1), (2, 3, 2)])
def test_more_units_than_were_sent_are_not_refunded_as_sent(golems, sent, units, left):
    order, item = golems
    if sent:
        send(order, sent)
    with pytest.raises(RefundRefused) as caught:
        refunded(order, "one", item, units)
    assert (caught.value.code, caught.value.status) == ("refund_units_not_sent", 409)
    assert caught.value.detail == (
        "Impossible de traiter le remboursement: "
        f"il reste {left} à rembourser de «\u00a0Golem\u00a0» parmi ce qui a été expédié."
    )
    assert (sent_units(), rest(order)) == ([], [3 - sent])


def test_a_sent_unit_is_refunded_once(golems):
    order, item = golems
    send(order, 1)
    refunded(order, "one", item, 1)
    with pytest.raises(RefundRefused) as caught:
        refunded(order, "two", item, 1)
    assert caught.value.code == "refund_units_not_sent"
    refunded(order, "three", item, 1, was_sent=False)
    assert (sent_units(), rest(order)) == ([(1, 1), (1, 0)], [1])


def test_the_rest_leaves_and_nothing_is_left_to_send(golems):
    order, item = golems
    refunded(order, "one", item, 1, was_sent=False)
    change_status(order_id=order.pk, status="delivered", actor=None)
    assert (state(order)[1], rest(order)) == ([2], [0])


def test_a_parcel_that_had_not_left_keeps_what_was_credited_of_it(golems):
    order, item = golems
    parcel = send(order, 2)
    refunded(order, "one", item, 2)
    undo_shipment(shipment_id=parcel.pk, reason=WHY, actor=None)
    assert (sent_units(), rest(order)) == ([(2, 0)], [1])
    # The one that leaves now is none of them.
    send(order, 1)
    assert rest(order) == [0]


def test_of_two_parcels_one_that_had_not_left_takes_nothing_back_that_was_sent(golems):
    order, item = golems
    send(order, 1)
    refunded(order, "one", item, 1)
    undo_shipment(shipment_id=send(order, 1).pk, reason=WHY, actor=None)
    assert (sent_units(), rest(order)) == ([(1, 1)], [2])


def test_the_latest_decision_gives_back_first_what_had_not_left(golems):
    order, item = golems
    send(order, 1)
    parcel = send(order, 1)
    refunded(order, "one", item, 1)
    refunded(order, "two", item, 1)
    undo_shipment(shipment_id=parcel.pk, reason=WHY, actor=None)
    assert (sent_units(), rest(order)) == ([(1, 1), (1, 0)], [1])


def test_a_withdrawal_whose_return_is_awaited_credits_what_was_sent_as_sent(golems):
    order, item = golems
    send(order, 1)
    case = declare(order)
    assert case.state == "goods_awaited"
    allow_shipping(case_id=case.pk, actor=None)
    refund(case, lines=[ReturnedLine(item.pk, 2)])
    assert (sent_units(), rest(order)) == ([(2, 1)], [1])
    send(order, 1)
    assert rest(order) == [0]


def test_a_piece_that_came_back_after_its_refund_had_been_sent(golems):
    order, item = golems
    case = declare(order)
    allow_shipping(case_id=case.pk, actor=None)
    request_refund(
        order_id=order.pk, key="one", lines=[ReturnedLine(item.pk, 1)], withdrawal=case.withdrawal
    )  # the pieces had not left
    send(order, 1)
    assert (sent_units(), rest(order)) == ([(1, 0)], [1])
    record_return(case_id=case.pk, goods_received=True, moment=timezone.now(), actor=None)
    assert (sent_units(), rest(order)) == ([(1, 1)], [2])
    # What leaves later is not what came back.
    send(order, 1)
    record_return(case_id=case.pk, goods_received=False, moment=timezone.now(), actor=None)
    assert (sent_units(), rest(order)) == ([(1, 1)], [1])


def test_a_piece_that_was_asked_back_after_its_refund_had_been_sent(golems):
    order, item = golems
    case = declare(order)
    allow_shipping(case_id=case.pk, actor=None)
    request_refund(order_id=order.pk, key="one", lines=[ReturnedLine(item.pk, 1)], withdrawal=case.withdrawal)
    send(order, 1)
    ask_return(case_id=case.pk, actor=None)
    assert (sent_units(), rest(order)) == ([(1, 1)], [2])
    # What leaves later is not what was asked back.
    send(order, 1)
    record_return(case_id=case.pk, goods_received=True, moment=timezone.now(), actor=None)
    assert (sent_units(), rest(order)) == ([(1, 1)], [1])


def test_a_refused_refund_made_again_credits_no_piece_of_an_undone_parcel_as_sent(golems):
    order, item = golems
    parcel = send(order, 1)
    failed = refunded(order, "one", item, 1).refunds.get()
    Refund.objects.update(state="sent")
    record_refusal(failed.pk, "charge_pending")
    undo_shipment(shipment_id=parcel.pk, reason=WHY, actor=None)
    assert rest(order) == [3]
    retry_refund(refund_id=failed.pk)
    assert rest(order) == [2]
    send(order, 1)
    assert (sent_units(), rest(order)) == ([(1, 0)], [1])


def test_two_decisions_about_the_same_sent_piece_credit_no_other_as_sent(golems):
    order, item = golems
    send(order, 1)
    failed = refunded(order, "one", item, 1).refunds.get()
    Refund.objects.update(state="sent")
    record_refusal(failed.pk, "charge_pending")
    refunded(order, "two", item, 1)
    retry_refund(refund_id=failed.pk)
    assert rest(order) == [1]
    send(order, 1, is_last=True)
    assert (state(order), rest(order)) == (("shipped", [2], True), [0])
