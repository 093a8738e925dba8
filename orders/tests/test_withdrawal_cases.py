"""What staff do with declarations, in the services."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal

import pytest
import time_machine

from orders.models import (
    Invoice,
    Order,
    Refund,
    WithdrawalCase,
    WithdrawalState,
)
from orders.selectors.refund_rules import ReturnedLine
from orders.selectors.withdrawals import Urgency, urgency_of
from orders.services.fulfilment.shipments import ship_units
from orders.services.fulfilment.status_changes import update_status
from orders.services.refunds.decisions import request_refund
from orders.services.refunds.disputes import sync_disputes
from orders.services.refunds.sending import send_refund, sync_refunds
from orders.services.withdrawals import cases
from orders.tests.factories import make_order, make_product, new_key
from orders.tests.installments import offer_installments
from orders.tests.refunding import in_installments
from orders.tests.withdrawing import NOON, declare, kinds, paid_order, refund, refused
from shop.core.mail_delivery import render
from shop.core.models import OutgoingMail

pytestmark = [pytest.mark.postgres, pytest.mark.django_db, pytest.mark.usefixtures("monday_noon", "provider")]


# --- Finding the order --------------------------------------------------------------------------------


def test_a_declaration_without_order_takes_effect_when_staff_find_it():
    order = paid_order()
    case = declare(order, email="lea.martin@example.com")
    assert case.order is None

    cases.attach_order(case_id=case.pk, reference=f" {order.reference.lower()} ", actor=None)

    case.refresh_from_db()
    assert (case.order, case.in_time, case.taken_up_at) == (order, True, NOON)
    # The declaration itself never changes.
    case.withdrawal.refresh_from_db()
    assert case.withdrawal.order is None


def test_it_counts_from_its_receipt_even_when_the_order_is_found_after_the_deadline():
    order = paid_order()
    case = declare(order, email="lea.martin@example.com")
    Order.objects.filter(pk=order.pk).update(shipped_at=NOON, delivered_at=NOON)

    with time_machine.travel(NOON + timedelta(days=40), tick=False):
        cases.attach_order(case_id=case.pk, reference=order.reference, actor=None)

    case.refresh_from_db()
    assert (case.in_time, case.state) == (True, WithdrawalState.GOODS_AWAITED)
    assert case.refund_by == date(2026, 12, 7)


def test_one_that_came_late_waits_for_a_decision_when_its_order_is_found():
    order = paid_order()
    case = declare(order, email="lea.martin@example.com", late=True)

    cases.attach_order(case_id=case.pk, reference=order.reference, actor=None)

    case.refresh_from_db()
    assert (case.order, case.in_time, case.taken_up_at) == (order, False, None)


def test_what_can_not_be_attached_changes_nothing():
    order, case = paid_order(), declare(paid_order())
    unpaid = make_order()
    refused("unknown_order", cases.attach_order, case_id=case.pk, reference="ABCDEF12")
    refused("unknown_order", cases.attach_order, case_id=case.pk, reference=unpaid.reference)
    refused("case_has_order", cases.attach_order, case_id=case.pk, reference=order.reference)


def test_a_declaration_is_not_about_an_order_that_was_placed_after_it():
    case = declare(paid_order(), email="lea.martin@example.com")
    with time_machine.travel(NOON + timedelta(hours=11), tick=False):
        later_that_day = paid_order()
    with time_machine.travel(NOON + timedelta(hours=13), tick=False):
        placed_later = paid_order()
        refused("order_placed_later", cases.attach_order, case_id=case.pk, reference=placed_later.reference)
        cases.attach_order(case_id=case.pk, reference=later_that_day.reference, actor=None)
    case.refresh_from_db()
    assert (case.order, case.in_time) == (later_that_day, True)


# --- Late ones ----------------------------------------------------------------------------------------


def test_a_late_declaration_counts_when_staff_say_so_with_a_reason():
    case = declare(paid_order(), late=True)
    refused("case_not_taken_up", cases.refund_case, case_id=case.pk, lines=None, amount=None, reason="")

    cases.accept_late(case_id=case.pk, reason="Colis retenu à La Poste.", actor=None)

    case.refresh_from_db()
    assert (case.in_time, case.taken_up_at, case.decision) == (False, NOON, "Colis retenu à La Poste.")
    assert case.state == WithdrawalState.GOODS_AWAITED
    assert kinds() == ["withdrawal_received", "withdrawal_workshop", "withdrawal_return"]
    refused("case_not_late", cases.accept_late, case_id=case.pk, reason="x")


def test_a_refusal_is_explained_to_the_customer():
    order = paid_order(language="de")
    case = declare(order, late=True, language="de")

    cases.refuse_case(case_id=case.pk, reason="Die Frist ist am 17. November abgelaufen.", actor=None)

    case.refresh_from_db()
    assert (case.state, case.decision) == ("refused", "Die Frist ist am 17. November abgelaufen.")
    mail = OutgoingMail.objects.get(kind="withdrawal_refused")
    assert (mail.to, mail.language) == ("lea@example.com", "de")
    assert "Die Frist ist am 17. November abgelaufen." in render(mail).text
    refused("case_closed", cases.refuse_case, case_id=case.pk, reason="x")
    refused("case_closed", cases.accept_late, case_id=case.pk, reason="x")


# --- The return, and the money ------------------------------------------------------------------------


def test_l221_24_the_refund_may_wait_for_goods_or_proof_and_not_longer():
    case = declare(paid_order(), shipped=True)
    day = date(2026, 11, 23)
    assert urgency_of(case, day) == Urgency.WAITING
    assert urgency_of(case, day + timedelta(days=20)) == Urgency.WAITING

    cases.record_return(case_id=case.pk, goods_received=False, moment=NOON, actor=None)

    case.refresh_from_db()
    assert (case.shipping_proof_at, case.goods_received_at) == (NOON, None)
    assert urgency_of(case, day + timedelta(days=9)) == Urgency.GREEN
    assert urgency_of(case, day + timedelta(days=10)) == Urgency.AMBER
    assert urgency_of(case, day + timedelta(days=13)) == Urgency.AMBER
    assert urgency_of(case, day + timedelta(days=14)) == Urgency.RED
    # The first date of each counts.
    cases.record_return(case_id=case.pk, goods_received=False, moment=NOON + timedelta(days=1), actor=None)
    for days in (2, 3):
        cases.record_return(case_id=case.pk, goods_received=True, moment=NOON + timedelta(days), actor=None)
    case.refresh_from_db()
    assert (case.shipping_proof_at, case.goods_received_at) == (NOON, NOON + timedelta(days=2))


def test_l221_23_l221_24_a_whole_order_is_refunded_with_its_standard_delivery():
    order = paid_order()
    case = declare(order, shipped=True)
    cases.record_return(case_id=case.pk, goods_received=True, moment=NOON, actor=None)

    request = refund(case)

    assert (request.amount, request.shipping, request.withdrawal) == (
        Decimal("49.99"), Decimal("9.99"), case.withdrawal,
    )  # fmt: skip
    assert request.settled_at == NOON
    assert case.state == WithdrawalState.REFUNDED
    order.refresh_from_db()
    assert order.status == "refunded"
    assert urgency_of(case) == Urgency.CLOSED
    assert "withdrawal.refunded" in order.events.values_list("name", flat=True)
    refused("case_closed", cases.refund_case, case_id=case.pk, lines=None, amount=None, reason="")


def _at_the_provider(order, provider):
    attempt = order.payments.get().attempts.get()
    provider.refund_elsewhere(attempt, 4999)
    sync_refunds(attempt.intent_id)


def _taken_by_the_bank(order, provider):
    attempt = order.payments.get().attempts.get()
    dispute_id = provider.open_dispute(attempt)
    for waiting in Refund.objects.filter(order=order):
        send_refund(waiting.pk)
    sync_disputes(attempt.intent_id)
    case = WithdrawalCase.objects.get()
    refused("case_not_answered", cases.close_answered, case_id=case.pk)
    provider.move_dispute(dispute_id, "lost")
    sync_disputes(attempt.intent_id)


def _decided_and_taken_by_the_bank(order, provider):
    cases.refund_case(case_id=WithdrawalCase.objects.get().pk, lines=None, amount=None, reason="", actor=None)
    _taken_by_the_bank(order, provider)


def _from_the_orders_page(order, provider):
    request_refund(order_id=order.pk, key=new_key(), lines=[ReturnedLine(order.items.get().pk, 1)])
    refused("case_not_answered", cases.close_answered, case_id=WithdrawalCase.objects.get().pk)
    send_refund(Refund.objects.get().pk)


@pytest.mark.parametrize(
    "goes_back",
    [_at_the_provider, _taken_by_the_bank, _decided_and_taken_by_the_bank, _from_the_orders_page],
)
def test_a_case_is_closed_whose_money_went_back_otherwise(provider, goes_back):
    order = paid_order()
    case = declare(order)
    refused("case_not_answered", cases.close_answered, case_id=case.pk)

    goes_back(order, provider)
    cases.close_answered(case_id=case.pk, actor=None)

    case.refresh_from_db()
    assert case.state == WithdrawalState.REFUNDED
    assert order.events.filter(name="withdrawal.refunded").count() == 1
    refused("case_closed", cases.close_answered, case_id=case.pk)


def test_what_a_declaration_stopped_is_credited_before_it_is_closed():
    order = in_installments()
    case = declare(order)
    request_refund(order_id=order.pk, key=new_key())
    send_refund(Refund.objects.get().pk)

    refused("case_not_answered", cases.close_answered, case_id=case.pk)
    request = refund(case)

    assert (request.amount, request.voided, case.state) == (
        Decimal("120.00"), Decimal("120.00"), WithdrawalState.REFUNDED,
    )  # fmt: skip


def test_of_two_parts_the_one_that_was_refunded_otherwise_is_closed():
    order = paid_order((make_product(), 1), (make_product("Hibou", "20.00"), 1))
    golem, owl = order.items.order_by("unit_price").reverse()
    kept = declare(order, order=order, lines=(ReturnedLine(golem.pk, 1),))
    given_back = declare(order, order=order, lines=(ReturnedLine(owl.pk, 1),))
    request_refund(order_id=order.pk, key=new_key(), lines=[ReturnedLine(owl.pk, 1)])
    send_refund(Refund.objects.get().pk)

    refused("case_not_answered", cases.close_answered, case_id=kept.pk)
    assert cases.close_answered(case_id=given_back.pk, actor=None).state == WithdrawalState.REFUNDED


def test_one_unit_of_two_that_was_refunded_otherwise_closes_one_declaration():
    with time_machine.travel(NOON - timedelta(hours=1), tick=False):
        order = paid_order((make_product(), 3))
        one = (ReturnedLine(order.items.get().pk, 1),)
        request_refund(order_id=order.pk, key=new_key(), lines=one)
    first, second = (declare(order, order=order, lines=one, reason=reason) for reason in "ab")
    refused("case_not_answered", cases.close_answered, case_id=first.pk)
    request_refund(order_id=order.pk, key=new_key(), lines=one)
    for waiting in Refund.objects.all():
        send_refund(waiting.pk)

    assert cases.close_answered(case_id=first.pk, actor=None).state == WithdrawalState.REFUNDED
    refused("case_not_answered", cases.close_answered, case_id=second.pk)


def test_a_part_is_refunded_without_the_delivery_of_what_stays():
    order = paid_order((make_product(), 1), (make_product("Hibou", "20.00"), 1))
    owl = order.items.get(product_name="Hibou")
    case = declare(order, order=order, lines=(ReturnedLine(owl.pk, 1),))

    request = refund(case, lines=[ReturnedLine(owl.pk, 1, True)])

    assert (request.amount, request.shipping) == (Decimal("20.00"), Decimal("0.00"))
    assert case.state == WithdrawalState.REFUNDED
    order.refresh_from_db()
    assert order.status == "confirmed"


def test_l221_21_the_same_part_of_what_a_refund_left_is_declared_anew_on_the_same_day():
    order = paid_order((make_product(), 3))
    one = {"order": order, "lines": (ReturnedLine(order.items.get().pk, 1),)}
    first = declare(order, **one)
    assert declare(order, **one) == first
    refund(first, lines=one["lines"])
    second = declare(order, **one)
    assert (second == first, second.state) == (False, WithdrawalState.DECLARED)
    assert kinds().count("withdrawal_received") == 2


def test_two_clicks_decide_one_refund():
    case = declare(paid_order())
    first = cases.refund_case(case_id=case.pk, lines=None, amount=None, reason="", actor=None)
    second = cases.refund_case(case_id=case.pk, lines=None, amount=None, reason="", actor=None)

    assert first == second
    assert first.reason == f"Rétractation {case.withdrawal.reference}"
    assert Refund.objects.count() == 1
    refused("case_refunding", cases.refuse_case, case_id=case.pk, reason="x")


def test_installments_stopped_at_the_declaration_are_credited_with_the_refund():
    offer_installments()
    order = paid_order((make_product("Golem", "300.00"), 1), payment_mode="installments")
    case = declare(order)
    assert case.voided == Decimal("200.00")

    request = refund(case)

    # 100.00 were paid and go back; 200.00 were stopped; the credit note undoes the whole invoice.
    assert (request.amount, request.voided) == (Decimal("300.00"), Decimal("200.00"))
    assert sum(Refund.objects.values_list("amount", flat=True)) == Decimal("100.00")
    assert Invoice.objects.get(kind="credit_note").total == Decimal("-300.00")
    order.refresh_from_db()
    assert (order.status, case.state) == ("refunded", "refunded")


def test_a_part_stopped_at_the_declaration_moves_no_money_at_the_refund():
    offer_installments()
    order = paid_order(
        (make_product("Golem", "300.00"), 1), (make_product("Lutin", "60.00"), 1), payment_mode="installments"
    )
    small = order.items.get(product_name="Lutin")
    case = declare(order, order=order, lines=(ReturnedLine(small.pk, 1),))

    request = refund(case, lines=[ReturnedLine(small.pk, 1)])

    assert (request.amount, request.voided) == (Decimal("60.00"), Decimal("60.00"))
    assert not Refund.objects.exists()
    assert case.state == WithdrawalState.REFUNDED
    # 120 paid, 120 and 60 still due: the 300 of what is kept.
    assert list(order.payments.order_by("position").values_list("amount", flat=True)) == [120, 120, 60]


def test_l221_23_less_is_granted_for_goods_that_lost_value():
    order = paid_order()
    item = order.items.get()
    case = declare(order)

    request = refund(
        case, lines=[ReturnedLine(item.pk, 1)], amount=Decimal("30.00"), reason="Peinture commencée."
    )

    # The delivery goes back whatever the state of the goods (L221-24).
    assert (request.amount, request.shipping) == (Decimal("39.99"), Decimal("9.99"))
    assert request.reason == "Peinture commencée."


def test_what_is_kept_may_be_sent_once_staff_allow_it():
    order = paid_order((make_product(), 1), (make_product("Hibou", "20.00"), 1))
    owl = order.items.get(product_name="Hibou")
    case = declare(order, order=order, lines=(ReturnedLine(owl.pk, 1),))

    cases.allow_shipping(case_id=case.pk, actor=None)
    # By mistake, the part that comes back, too.
    ship_units(
        order_id=order.pk, units=dict.fromkeys(order.items.values_list("pk", flat=True), 1), actor=None
    )

    order.refresh_from_db()
    assert (order.status, order.shipped_at) == ("shipped", NOON)
    cases.ask_return(case_id=case.pk, actor=None)
    case.refresh_from_db()
    assert case.state == WithdrawalState.GOODS_AWAITED


def test_l221_23_what_was_asked_back_too_early_is_asked_back_with_a_mail_once_it_has_left():
    order = paid_order((make_product(), 1), (make_product("Hibou", "20.00"), 1))
    owl = order.items.get(product_name="Hibou")
    case = declare(order, shipped=True, order=order, lines=(ReturnedLine(owl.pk, 1),))
    # The parcel was on the shelf still; it leaves three weeks later, with both.
    update_status(order_id=order.pk, status="processing", reason="Resté à l'atelier.", actor=None)
    cases.allow_shipping(case_id=case.pk, actor=None)
    ship_units(
        order_id=order.pk, units=dict.fromkeys(order.items.values_list("pk", flat=True), 1), actor=None
    )
    with time_machine.travel(NOON + timedelta(days=21), tick=False):
        for _click in range(2):
            cases.ask_return(case_id=case.pk, actor=None)

    asked = OutgoingMail.objects.filter(kind="withdrawal_return").order_by("pk")
    assert [mail.context["return_by"] for mail in asked] == ["2026-12-07", "2026-12-28"]
    assert order.events.filter(name="withdrawal.return_asked").count() == 1


def test_nothing_is_asked_back_that_never_left():
    case = declare(paid_order())
    refused("case_not_shipped", cases.ask_return, case_id=case.pk)
