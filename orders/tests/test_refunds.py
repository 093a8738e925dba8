"""What is decided when money goes back, to the last row and cent."""

from __future__ import annotations

import re

import pytest
from django.utils import timezone

from orders.access import order_url
from orders.models import (
    Attempt,
    Invoice,
    Order,
    OrderStatus,
    PaymentState,
    Refund,
    RefundRequest,
    RefundState,
)
from orders.selectors import refund_rules
from orders.selectors.refund_rules import ReturnedLine, paid_amounts, propose_refund, refundable
from orders.selectors.refunds import progress, refunds_for_page
from orders.services.refunds.decisions import restock_line
from orders.services.refunds.sending import send_refund
from orders.tests.factories import make_order, make_product, pay_order
from orders.tests.refunding import (
    EUROS,
    in_installments,
    ledger,
    mails,
    paid_again,
    refund,
    refused,
    rows,
    send_all,
    states,
)
from orders.tests.withdrawing import declare
from shop.core.problems import Problem

pytestmark = [pytest.mark.both_engines, pytest.mark.django_db, pytest.mark.usefixtures("provider")]


def test_everything_goes_back_with_the_delivery(order, queued_tasks, run_on_commit):
    with run_on_commit():
        request = refund(order)
    assert (request.amount, request.voided, request.shipping) == (
        EUROS("49.99"),
        EUROS("0.00"),
        EUROS("9.99"),
    )
    assert request.reason == "Demande de remboursement"
    sent = Refund.objects.get()
    assert (sent.amount, sent.state, sent.request) == (EUROS("49.99"), RefundState.REQUESTED, request)
    assert queued_tasks.calls[-1][1] == (str(sent.pk),)
    order.refresh_from_db()
    assert order.status == OrderStatus.CONFIRMED
    assert ledger(order) == [("charge", EUROS("49.99"))]
    assert progress(request) == "pending"

    send_refund(sent.pk)
    order.refresh_from_db()
    request.refresh_from_db()
    assert order.status == OrderStatus.REFUNDED
    assert [entry.status for entry in order.tracking.order_by("pk")] == ["confirmed", "refunded"]
    assert order.payments.get().state == PaymentState.REFUNDED
    assert ledger(order) == [("charge", EUROS("49.99")), ("refund", EUROS("-49.99"))]
    assert progress(request) == "succeeded"
    assert mails(order) == ["refund_done"]
    credit_note = Invoice.objects.get(kind="credit_note")
    assert (credit_note.refund_request, credit_note.total) == (request, EUROS("-49.99"))
    assert refundable(order) == EUROS("0.00")
    # What was credited is not put on the shelf unless somebody says so.
    assert order.items.get().product.stock_quantity == 2


def test_some_units_are_worth_what_was_paid_for_them_and_the_rest_comes_with_the_last(provider):
    product = make_product(
        price="30.00", promotion_active=True, promotion_type="buy_2_get_1", stock_quantity=9
    )
    order = pay_order(make_order((product, 3), country="US"))
    item = order.items.get()
    assert (order.total, item.free_quantity) == (EUROS("109.99"), 1)
    assert paid_amounts(order) == {item.pk: EUROS("60.00")}

    first = refund(order, lines=[ReturnedLine(item.pk, 1, True)])
    assert (first.amount, first.shipping) == (EUROS("20.00"), EUROS("0.00"))
    assert list(first.lines.values_list("quantity", "amount", "restocked")) == [(1, EUROS("20.00"), True)]
    send_all()
    order.refresh_from_db()
    assert (order.status, order.payments.get().state) == (OrderStatus.CONFIRMED, PaymentState.PARTLY_REFUNDED)
    product.refresh_from_db()
    assert product.stock_quantity == 7

    second = refund(order, lines=[ReturnedLine(item.pk, 2)])
    assert (second.amount, second.shipping) == (EUROS("89.99"), EUROS("49.99"))
    send_all()
    order.refresh_from_db()
    assert order.status == OrderStatus.REFUNDED
    assert sum(amount for _kind, amount in ledger(order)) == EUROS("0.00")
    assert mails(order) == ["refund_done", "refund_done"]
    product.refresh_from_db()
    assert product.stock_quantity == 7


def test_goods_that_come_back_later_go_on_the_shelf_once(order):
    request = refund(order, lines=[ReturnedLine(order.items.get().pk, 1)])
    line_id = request.lines.get().pk
    assert restock_line(line_id=line_id) is True
    assert restock_line(line_id=line_id) is False
    assert order.items.get().product.stock_quantity == 3


def test_a_level_counted_since_the_sale_gets_nothing_back():
    product = make_product()
    order = pay_order(make_order((product, 1)))
    product.stock_quantity = 5
    product.save()
    refund(order, lines=[ReturnedLine(order.items.get().pk, 1, True)])
    product.refresh_from_db()
    assert product.stock_quantity == 5


def test_an_amount_then_everything_gives_back_what_was_paid(order):
    assert refund(order, amount=EUROS("5.00"), reason=" Un éclat ").reason == "Un éclat"
    rest = refund(order)
    assert (rest.amount, rest.shipping) == (EUROS("44.99"), EUROS("4.99"))
    assert list(rest.lines.values_list("quantity", "amount")) == [(1, EUROS("40.00"))]
    send_all()
    assert sum(amount for _kind, amount in ledger(order)) == EUROS("0.00")


def test_less_may_be_granted_for_lines_than_they_are_worth(order):
    item = order.items.get()
    request = refund(order, lines=[ReturnedLine(item.pk, 1)], amount=EUROS("30.00"))
    # The state of the goods takes nothing off the delivery of a whole return (L221-24).
    assert (request.amount, request.shipping) == (EUROS("39.99"), EUROS("9.99"))
    assert request.lines.get().amount == EUROS("30.00")
    assert refundable(order) == EUROS("10.00")
    # The delivery went back: what is left is of the goods.
    rest = refund(order)
    assert (rest.amount, rest.shipping) == (EUROS("10.00"), EUROS("0.00"))


def test_what_was_kept_of_a_damaged_piece_does_not_come_back_with_the_next_one():
    order = pay_order(make_order((make_product(price="42.00"), 2), country="US"))
    one = [ReturnedLine(order.items.get().pk, 1)]
    assert refund(order, lines=one, amount=EUROS("20.00")).amount == EUROS("20.00")
    last = refund(order, lines=one)
    assert (last.amount, last.shipping, last.lines.get().amount) == (
        EUROS("91.99"), EUROS("49.99"), EUROS("42.00"),
    )  # fmt: skip
    assert refundable(order) == EUROS("22.00")


@pytest.mark.parametrize(
    ("demand", "code", "left", "message"),
    [
        ({"amount": EUROS("50.00")}, "refund_too_much", "49.99", "il reste 49,99\u00a0€ à rembourser."),
        ({"amount": EUROS("0.00")}, "refund_invalid", None, "le montant doit être positif, au centime près."),
        (
            {"amount": EUROS("-1.00")},
            "refund_invalid",
            None,
            "le montant doit être positif, au centime près.",
        ),
        (
            {"amount": EUROS("0.001")},
            "refund_invalid",
            None,
            "le montant doit être positif, au centime près.",
        ),
        ({"lines": []}, "refund_invalid", None, "aucune ligne n'est choisie."),
        ({"lines": [ReturnedLine(0, 1)]}, "refund_invalid", None, "une ligne ou une quantité est inconnue."),
    ],
)
def test_what_can_not_be_given_back_is_refused_with_its_reason(order, demand, code, left, message):
    problem = refused(code, order, **demand)
    assert problem.detail == f"Impossible de traiter le remboursement: {message}"
    assert problem.extra.get("refundable") == left
    assert problem.status == (400 if code == "refund_invalid" else 409)


def test_more_units_than_were_bought_are_refused(order):
    item = order.items.get()
    problem = refused("refund_too_many_units", order, lines=[ReturnedLine(item.pk, 2, True)])
    assert problem.detail.endswith("il reste 1 à rembourser de «\u00a0Golem de poche\u00a0».")
    refund(order, lines=[ReturnedLine(item.pk, 1)], amount=EUROS("30.00"))
    problem = refused("refund_too_many_units", order, lines=[ReturnedLine(item.pk, 1)])
    assert problem.detail.endswith("il reste 0 à rembourser de «\u00a0Golem de poche\u00a0».")


def test_the_same_line_twice_in_a_demand_is_refused(order):
    item = order.items.get()
    refused("refund_invalid", order, lines=[ReturnedLine(item.pk, 1), ReturnedLine(item.pk, 1)])


def test_lines_of_another_order_are_refused(order):
    foreign = pay_order(make_order()).items.get()
    refused("refund_invalid", order, lines=[ReturnedLine(foreign.pk, 1)])


def test_more_for_lines_than_they_are_worth_is_refused(order):
    problem = refused(
        "refund_too_much", order, lines=[ReturnedLine(order.items.get().pk, 1)], amount=EUROS("50.00")
    )
    assert problem.extra == {"refundable": "40.00"}


def test_an_unpaid_order_and_one_given_back_have_nothing_to_refund(order):
    refused("refund_not_paid", make_order())
    refund(order)
    refused("refund_nothing_left", order)
    send_all()
    refused("refund_nothing_left", order, amount=EUROS("0.01"))


def test_two_clicks_with_one_key_make_one_refund(order):
    first = refund(order, key="click", amount=EUROS("10.00"))
    assert refund(order, key="click", amount=EUROS("10.00")) == first
    assert Refund.objects.count() == 1
    before = rows()
    with pytest.raises(Problem) as caught:
        refund(order, key="click", amount=EUROS("11.00"))
    assert (caught.value.code, caught.value.status) == ("idempotency_key_reused", 422)
    with pytest.raises(Problem):
        refund(pay_order(make_order()), key="click", amount=EUROS("10.00"))
    assert RefundRequest.objects.count() == 1
    assert rows()[3] == before[3]


def test_two_administrators_never_give_back_more_than_is_left(order):
    refund(order, amount=EUROS("30.00"))
    problem = refused("refund_too_much", order, amount=EUROS("30.00"))
    assert problem.extra == {"refundable": "19.99"}


def test_what_is_due_is_voided_first_then_charges_go_back_the_latest_first():
    order = in_installments()
    paid_again(order, "60.00")
    proposal = propose_refund(order)
    assert (proposal.amount, proposal.voided, proposal.money) == (
        EUROS("180.00"),
        EUROS("60.00"),
        EUROS("120.00"),
    )
    request = refund(order)
    assert (request.amount, request.voided) == (EUROS("180.00"), EUROS("60.00"))
    assert states(order) == [("paid", 60), ("paid", 60), ("void", 60)]
    sent = Refund.objects.order_by("-attempt__payment__position")
    assert [(row.attempt.payment.position, row.amount) for row in sent] == [(2, 60), (1, 60)]
    send_all()
    order.refresh_from_db()
    assert order.status == OrderStatus.REFUNDED
    assert states(order) == [("refunded", 60), ("refunded", 60), ("void", 60)]
    assert Invoice.objects.get(kind="credit_note").total == EUROS("-180.00")


def test_a_small_refund_lowers_the_last_payment_and_moves_no_money():
    order = in_installments()
    request = refund(order, amount=EUROS("25.00"))
    assert (request.amount, request.voided) == (EUROS("25.00"), EUROS("25.00"))
    assert not Refund.objects.exists()
    assert request.settled_at is not None
    assert states(order) == [("paid", 60), ("scheduled", 60), ("scheduled", 35)]
    assert mails(order) == ["refund_done"]
    assert refundable(order) == EUROS("155.00")


def test_a_refund_beyond_the_last_payment_lowers_the_one_before():
    order = in_installments()
    refund(order, amount=EUROS("80.00"))
    assert states(order) == [("paid", 60), ("scheduled", 40), ("void", 60)]
    assert not Refund.objects.exists()


def test_a_payment_is_never_lowered_below_what_a_card_can_pay():
    order = in_installments()
    request = refund(order, amount=EUROS("59.80"))
    assert states(order) == [("paid", 60), ("scheduled", EUROS("59.70")), ("scheduled", EUROS("0.50"))]
    assert request.voided == EUROS("59.80")


def test_a_payment_that_is_being_collected_is_left_alone_by_a_small_refund():
    order = in_installments()
    last = order.payments.get(position=3)
    Attempt.objects.create(payment=last, state="sent", amount_cents=6000, expires_at=timezone.now())
    refund(order, amount=EUROS("25.00"))
    assert states(order) == [("paid", 60), ("scheduled", 35), ("scheduled", 60)]

    order.payments.filter(position=3).update(amount=EUROS("90.00"))
    Order.objects.update(**dict.fromkeys(("total", "subtotal", "original_total"), EUROS("210.00")))
    # 60.00 can go back and 35.00 need not be paid: 90.00 more is on its way in.
    problem = refused("refund_busy", order, amount=EUROS("100.00"))
    assert problem.extra == {"refundable": "185.00"}
    # All that was paid is back, and what is on its way in stays owed.
    assert refund(order, amount=EUROS("95.00")).voided == EUROS("35.00")
    send_all()
    assert states(order) == [("refunded", 60), ("void", 35), ("scheduled", 90)]


def test_a_refund_as_large_as_what_is_due_ends_every_charge_to_come():
    order = in_installments()
    request = refund(order, amount=EUROS("130.00"))
    assert (request.voided, request.settled_at) == (EUROS("120.00"), None)
    assert states(order) == [("paid", 60), ("void", 60), ("void", 60)]
    assert Refund.objects.get().amount == EUROS("10.00")


def test_the_order_page_tells_each_refund_with_its_state(order, provider, django_assert_num_queries):
    refund(order, amount=EUROS("5.00"), reason="Un éclat")
    send_all()
    provider.begins = "pending"
    refund(order, amount=EUROS("6.00"))
    send_all()
    with django_assert_num_queries(3):
        shown = refunds_for_page(order)
    assert [(row.money, row.reason, row.progress) for row in shown] == [
        (EUROS("5.00"), "Un éclat", "succeeded"),
        (EUROS("6.00"), "Demande de remboursement", "pending"),
    ]


def test_wcag_3_1_2_the_shop_s_own_reasons_are_in_the_reader_s_language_and_staff_s_in_theirs(order, client):
    refund(order, amount=EUROS("5.00"), reason="Un éclat")
    refund(order, amount=EUROS("6.00"))
    withdrawal = declare(order).withdrawal
    reference = withdrawal.reference
    for reason, of in ((f"Rétractation {reference}", withdrawal), ("Commande annulée", None)):
        RefundRequest.objects.create(order=order, key=reason, amount=1, reason=reason, withdrawal=of)
    section = client.get(order_url(order, "de")).content.decode().partition('id="remboursements"')[2]
    assert re.findall(r'<p lang="(\w+)">([^<]+)</p>', section.partition("</section>")[0]) == [
        ("fr", "Un éclat"),
        ("de", "Erstattungsanfrage"),
        ("de", f"Widerruf {reference}"),
        ("de", "Bestellung storniert"),
    ]


@pytest.mark.parametrize("failed", [1, 4])
def test_the_order_page_costs_the_same_however_many_refunds_failed(
    order, provider, django_assert_num_queries, failed
):
    requests = [refund(order, amount=EUROS("10.00")) for _refund in range(failed)]
    provider.refund_elsewhere(Attempt.objects.get(), 4999)
    send_all()
    assert set(Refund.objects.filter(request__in=requests).values_list("state", flat=True)) == {"failed"}
    with django_assert_num_queries(8):
        refunds_for_page(order)


def test_proposing_asks_a_known_number_of_queries(order, django_assert_num_queries):
    # Charges 7, credited 1, due 1, dispute 1, lines 1, returned units and delivery 2, payments to void 1.
    with django_assert_num_queries(14):
        propose_refund(order)
    assert refund_rules.open_dispute(order) is None
