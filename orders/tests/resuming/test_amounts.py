"""Refusing one of several declarations, or one of a part: how much is due again, and what stays void."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

import pytest
from django.db import transaction
from django.utils import timezone

from orders.models import Attempt, Order
from orders.selectors.refund_rules import ReturnedLine
from orders.services.installments.scheduled_payments import receive_installment
from orders.services.payments.settlement import _apply_charge
from orders.services.refunds.decisions import request_refund
from orders.services.refunds.sending import send_refund
from orders.services.withdrawals import cases
from orders.stripe.facts import ChargeFacts, IntentFacts
from orders.tests.factories import make_order, make_product, new_key, pay_order
from orders.tests.installments import installments
from orders.tests.resuming.declarations import NOON, PAID, declare, in_order, refuse, resumed_mail, rows
from shop.core.models import OutgoingMail
from shop.core.problems import Problem

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]


@pytest.mark.parametrize(
    ("resume", "last", "stopped", "mailed"),
    [
        (True, ("70.00", "2027-01-22", "scheduled"), Decimal("30.00"), 1),
        (False, ("100.00", "2027-01-22", "void"), Decimal("100.00"), 0),
    ],
)
def test_l221_23_what_a_damaged_piece_is_refunded_less_than_was_stopped_is_decided(
    order, resume, last, stopped, mailed
):
    case = declare(order, units=1)
    less = {
        "case_id": case.pk, "lines": [ReturnedLine(order.items.get().pk, 1)], "amount": Decimal("30.00"),
        "reason": "Rayée.", "actor": None,
    }  # fmt: skip
    before = rows()
    with pytest.raises(Problem) as undecided:
        cases.refund_case(**less)
    assert (undecided.value.code, rows()) == ("resume_undecided", before)

    decided = cases.refund_case(**less, resume=resume)

    case.refresh_from_db()
    assert (decided.amount, decided.voided, case.state) == (Decimal("30.00"), Decimal("30.00"), "refunded")
    assert (installments(order), case.voided) == (
        [PAID, ("100.00", "2026-12-23", "scheduled"), last],
        stopped,
    )
    assert OutgoingMail.objects.filter(kind="installment_resumed").count() == mailed
    assert in_order()
    if resume:
        assert "la différence reste due" in resumed_mail()


def test_what_stays_stopped_is_a_loss_in_the_books(order):
    case = declare(order)

    refuse(case, resume=False)

    assert installments(order)[1:] == [("100.00", "2026-12-23", "void"), ("100.00", "2027-01-22", "void")]
    assert (case.state, case.voided) == ("refused", Decimal("200.00"))
    assert not OutgoingMail.objects.filter(kind="installment_resumed").exists()
    assert in_order()


def test_what_another_declaration_stops_stays_stopped(order):
    first, second = declare(order), declare(order, reason="Encore.")
    assert (first.voided, second.voided) == (Decimal("200.00"), Decimal("0.00"))

    refuse(first)

    second.refresh_from_db()
    assert (first.voided, second.voided) == (Decimal("0.00"), Decimal("200.00"))
    assert [state for _amount, _day, state in installments(order)] == ["paid", "void", "void"]
    assert not OutgoingMail.objects.filter(kind="installment_resumed").exists()
    refuse(second)
    assert [state for _amount, _day, state in installments(order)] == ["paid", "scheduled", "scheduled"]
    assert in_order()


def test_a_part_comes_back_to_the_third_that_it_was_taken_off(order):
    case = declare(order, units=1)
    assert installments(order)[1:] == [
        ("100.00", "2026-12-23", "scheduled"),
        ("100.00", "2027-01-22", "void"),
    ]

    refuse(case)

    assert installments(order)[1:] == [
        ("100.00", "2026-12-23", "scheduled"),
        ("100.00", "2027-01-22", "scheduled"),
    ]


def test_the_part_of_another_declaration_is_not_taken_off_twice(order):
    part, whole = declare(order, units=1), declare(order)
    assert (part.voided, whole.voided) == (Decimal("100.00"), Decimal("100.00"))

    refuse(whole)

    part.refresh_from_db()
    assert part.voided == Decimal("100.00")
    assert installments(order)[1:] == [
        ("100.00", "2026-12-23", "scheduled"),
        ("100.00", "2027-01-22", "void"),
    ]
    assert in_order()


def test_the_same_part_declared_again_stops_nothing_more(provider):
    golem, fairy = make_product("Golem", "100.00"), make_product("Fée", "100.00")
    order = pay_order(make_order((golem, 1), (fairy, 2), payment_mode="installments"))
    line = order.items.get(product_name="Golem")
    first, again = (declare(order, units=1, line=line, reason=why) for why in ("", "Encore."))
    one_stopped = [("100.00", "2026-12-23", "scheduled"), ("100.00", "2027-01-22", "void")]

    assert (first.voided, again.voided) == (Decimal("100.00"), Decimal("0.00"))
    assert installments(order)[1:] == one_stopped
    refuse(first)
    again.refresh_from_db()
    assert (first.voided, again.voided) == (Decimal("0.00"), Decimal("100.00"))
    assert installments(order)[1:] == one_stopped
    assert in_order()


def test_units_of_which_the_refund_is_under_way_are_not_subtracted_a_second_time(provider):
    order = pay_order(make_order((make_product("Lutin", "50.00"), 6), payment_mode="installments"))
    charge = Attempt.objects.create(
        payment=order.payments.get(position=2), kind="off_session", state="sent", amount_cents=10000,
        expires_at=NOON + timedelta(hours=1),
    )  # fmt: skip
    first = declare(order, units=3)
    decided = cases.refund_case(
        case_id=first.pk, lines=[ReturnedLine(order.items.get().pk, 3)], amount=None, reason="", actor=None
    )
    # What is being charged at this moment is left alone: the rest goes back in money.
    assert (decided.amount, decided.voided) == (Decimal("150.00"), Decimal("100.00"))
    Attempt.objects.filter(pk=charge.pk).update(state="failed")

    assert declare(order, units=2).voided == Decimal("100.00")


def test_a_late_one_that_nobody_accepted_stops_nothing_in_place_of_another(order):
    Order.objects.filter(pk=order.pk).update(delivered_at=NOON - timedelta(days=20))
    waiting, accepted = declare(order, units=2), declare(order, units=2, reason="Encore.")

    cases.accept_late(case_id=accepted.pk, reason="Colis retenu.", actor=None)

    accepted.refresh_from_db()
    assert (waiting.voided, accepted.voided) == (Decimal("0.00"), Decimal("200.00"))


def test_a_late_one_that_nobody_accepted_does_not_take_the_place_of_one_that_is_refused(order):
    case = declare(order, units=1)
    Order.objects.filter(pk=order.pk).update(delivered_at=NOON - timedelta(days=20))
    waiting = declare(order, units=1, reason="Encore.")

    refuse(case)

    waiting.refresh_from_db()
    assert (case.voided, waiting.voided) == (Decimal("0.00"), Decimal("0.00"))


def test_each_unit_of_a_line_may_be_declared_by_itself(order):
    first, second = declare(order, units=1), declare(order, units=1, reason="L'autre aussi.")
    assert (first.voided, second.voided) == (Decimal("100.00"), Decimal("100.00"))


def test_an_installment_that_was_lowered_grows_to_what_was_agreed(order):
    case = declare(order, units=1)
    request_refund(order_id=order.pk, key=new_key(), amount=Decimal("40.00"))
    assert installments(order)[1:] == [("60.00", "2026-12-23", "scheduled"), ("100.00", "2027-01-22", "void")]

    # Announced when it was lower.
    order.payments.filter(position=2).update(announced_at=timezone.now())
    refuse(case)
    assert order.payments.get(position=2).announced_at is None

    # 40.00 were credited by another decision: they stay off, from the latest third.
    assert installments(order)[1:] == [
        ("100.00", "2026-12-23", "scheduled"),
        ("60.00", "2027-01-22", "scheduled"),
    ]
    assert in_order()


def test_an_overdue_installment_grows_and_is_not_charged_again(order):
    case = declare(order, units=1)
    request_refund(order_id=order.pk, key=new_key(), amount=Decimal("40.00"))
    order.payments.filter(position=2).update(state="overdue", stopped_code="stolen_card")
    refuse(case)
    assert installments(order)[1] == ("100.00", "2026-12-23", "overdue")
    assert order.payments.get(position=2).stopped_code == "stolen_card"


def test_an_installment_that_is_being_paid_keeps_its_amount(order):
    case = declare(order, units=1)
    request_refund(order_id=order.pk, key=new_key(), amount=Decimal("40.00"))
    payment = order.payments.get(position=2)
    Attempt.objects.create(
        payment=payment, kind="off_session", state="sent", amount_cents=6000, expires_at=NOON + timedelta(hours=1)
    )  # fmt: skip

    refuse(case)

    assert installments(order)[1:] == [
        ("60.00", "2026-12-23", "scheduled"),
        ("100.00", "2027-01-22", "scheduled"),
    ]
    assert in_order()


def test_a_page_that_pays_everything_off_keeps_what_it_asks_for(provider):
    golem, fairy = make_product("Golem", "135.00"), make_product("Fée", "30.00")
    order = pay_order(make_order((golem, 2), (fairy, 1), payment_mode="installments"))
    case = declare(order, units=1, line=order.items.get(product_name="Fée"))
    attempt = Attempt.objects.create(
        payment=order.payments.get(position=2), kind="link", pays_off=True, state="sent", amount_cents=17000,
        expires_at=NOON + timedelta(hours=1),
    )  # fmt: skip

    refuse(case)

    assert installments(order)[1:] == [
        ("100.00", "2026-12-23", "scheduled"),
        ("70.00", "2027-01-22", "scheduled"),
    ]
    assert (case.voided, in_order()) == (Decimal("30.00"), True)
    with transaction.atomic():
        order = Order.objects.select_for_update().get(pk=order.pk)
        payment = attempt.payment
        assert receive_installment(order=order, payment=payment, attempt=attempt, paid_at=timezone.now())
    assert [row[::2] for row in installments(order)[1:]] == [("170.00", "paid"), ("70.00", "void")]


def test_one_that_was_stopped_is_owed_again_though_its_page_is_not_closed_yet(order):
    case = declare(order)
    Attempt.objects.create(
        payment=order.payments.get(position=2), kind="link", state="sent", amount_cents=10000,
        expires_at=NOON + timedelta(hours=1),
    )  # fmt: skip
    refuse(case)
    assert installments(order)[1:] == [
        ("100.00", "2026-12-23", "scheduled"),
        ("100.00", "2027-01-22", "scheduled"),
    ]


def test_one_whose_late_charge_went_back_by_itself_is_owed_again(order, provider):
    """The bank was asked before the declaration stopped it, and answered after."""
    case = declare(order)
    money_comes_late(order, provider)
    assert installments(order)[1:] == [("100.00", "2026-12-23", "void"), ("100.00", "2027-01-22", "void")]

    refuse(case)

    assert installments(order)[1:] == [
        ("100.00", "2026-12-23", "scheduled"),
        ("100.00", "2027-01-22", "scheduled"),
    ]
    assert (case.voided, in_order()) == (Decimal("0.00"), True)


def money_comes_late(order, provider):
    """A charge of the second installment that was under way lands, and its automatic refund goes through."""
    payment = order.payments.get(position=2)
    attempt = Attempt.objects.create(
        payment=payment, kind="off_session", state="sent", amount_cents=10000, expires_at=NOON + timedelta(hours=1)
    )  # fmt: skip
    facts = IntentFacts(
        "pi_late", "succeeded", False, "eur", 10000, {"attempt": str(attempt.pk)}, "", "",
        ChargeFacts("ch_late", 10000, "eur", 0, False, timezone.now()),
    )  # fmt: skip
    with transaction.atomic():
        _apply_charge(Order.objects.select_for_update().get(pk=order.pk), payment, attempt, facts)
    attempt.refresh_from_db()
    provider.charge(attempt)
    [refund] = attempt.refunds.all()
    send_refund(refund.pk)
    refund.refresh_from_db()
    assert (refund.reason, refund.state) == ("unavailable", "succeeded")
