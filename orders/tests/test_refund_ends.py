"""When an order counts as given back, what a refund made or failed elsewhere changes, and what must stay open."""

from __future__ import annotations

from typing import Any

import pytest
from django.utils import timezone

from orders.books.audit_checks import check_ledger
from orders.books.staff_tasks import staff_tasks
from orders.models import (
    Attempt,
    Invoice,
    Order,
    OrderStatus,
    Refund,
    RefundReason,
    RefundRequest,
    RefundState,
    WithdrawalCase,
)
from orders.selectors.refund_debts import debts
from orders.selectors.refund_retries import retryable_refunds
from orders.selectors.refund_rules import ReturnedLine, refundable
from orders.selectors.refunds import progress, refunds_for_page
from orders.services.refunds.decisions import request_automatic_refund, retry_refund
from orders.services.refunds.disputes import sync_disputes
from orders.services.refunds.sending import send_refund, sync_refunds
from orders.services.withdrawals.cases import refund_case
from orders.services.withdrawals.declarations import Declaration, declare_withdrawal
from orders.stripe import gateway
from orders.tests.refunding import (
    EUROS,
    charged_twice,
    in_installments,
    ledger,
    mails,
    paid_again,
    refund,
    refused,
    send_all,
    states,
)

pytestmark = [pytest.mark.postgres, pytest.mark.django_db, pytest.mark.usefixtures("provider")]


def status_of(order: Order) -> str:
    order.refresh_from_db()
    return order.status


def waiting_failures() -> int:
    tasks = {task.several: task.count for task in staff_tasks(timezone.localdate())}
    return tasks.get("Remboursements échoués", 0)


def bank_takes_back(provider, refund_: Refund) -> None:
    refund_.refresh_from_db()
    provider.settle_refund(refund_.provider_id, "failed")
    sync_refunds(str(refund_.attempt.intent_id))


def test_an_order_is_given_back_when_the_last_of_its_refunds_is_through(order, provider):
    provider.begins = "pending"
    first = refund(order, amount=EUROS("10.00"))
    send_all()
    provider.begins = "succeeded"
    rest = refund(order)
    send_all()
    rest.refresh_from_db()
    assert rest.settled_at is not None
    assert status_of(order) == OrderStatus.CONFIRMED
    assert [note.total for note in Invoice.objects.filter(kind="credit_note")] == [EUROS("-39.99")]

    waiting = first.refunds.get()
    provider.settle_refund(waiting.provider_id, "succeeded")
    sync_refunds(waiting.attempt.intent_id)
    assert status_of(order) == OrderStatus.REFUNDED
    assert sum(amount for _kind, amount in ledger(order)) == EUROS("0.00")


def test_an_order_whose_customer_is_owed_a_refund_that_came_back_is_not_given_back(order, provider):
    owed = refund(order, amount=EUROS("5.00"))
    send_all()
    bank_takes_back(provider, owed.refunds.get())
    # The piece is worth less than what is left: what is owed is not why.
    piece = [ReturnedLine(order.items.get().pk, 1)]
    problem = refused("refund_too_much", order, lines=piece, amount=EUROS("44.99"))
    assert problem.detail.endswith(": il reste 40,00\u00a0€ à rembourser.")
    refund(order, amount=EUROS("44.99"))
    send_all()
    assert (refundable(order), status_of(order)) == (EUROS("0.00"), OrderStatus.CONFIRMED)
    assert list(check_ledger()) == []


def test_what_a_bank_took_back_for_good_is_no_refund_of_the_shop(provider):
    order = in_installments()
    paid_again(order, "60.00")
    last = paid_again(order, "60.00")
    dispute = provider.open_dispute(last)
    provider.move_dispute(dispute, "lost")
    sync_disputes(str(last.intent_id))
    request = refund(order)
    assert request.amount == EUROS("120.00")
    send_all()
    request.refresh_from_db()
    assert request.settled_at is not None
    # Nothing is left, and yet the shop has not given everything back: staff see the dispute.
    assert (refundable(order), status_of(order)) == (EUROS("0.00"), OrderStatus.CONFIRMED)
    assert order.review_reason == "dispute: lost"


def test_a_part_given_back_elsewhere_leaves_the_charges_to_come(provider):
    order = in_installments()
    attempt = Attempt.objects.get()
    provider.refund_elsewhere(attempt, 1000)
    sync_refunds(attempt.intent_id)
    request = RefundRequest.objects.get()
    assert (request.amount, request.voided, request.external) == (EUROS("10.00"), EUROS("0.00"), True)
    assert states(order) == [("partly_refunded", 60), ("scheduled", 60), ("scheduled", 60)]
    assert status_of(order) == OrderStatus.CONFIRMED
    # The rest of that charge, given back elsewhere too, ends them.
    provider.refund_elsewhere(attempt, 5000)
    sync_refunds(attempt.intent_id)
    assert states(order) == [("refunded", 60), ("void", 60), ("void", 60)]
    assert status_of(order) == OrderStatus.REFUNDED
    notes = Invoice.objects.filter(kind="credit_note").order_by("sequence")
    assert [note.total for note in notes] == [EUROS("-10.00"), EUROS("-170.00")]


def test_a_charge_given_back_elsewhere_makes_good_what_was_to_go_back_of_it(provider):
    """The worker is slower than somebody at the provider: what was decided is credited once, and nothing waits."""
    order = in_installments()
    paid_again(order, "60.00")
    last = paid_again(order, "60.00")
    decided = refund(order, amount=EUROS("10.00"))
    assert decided.refunds.get().attempt == last
    provider.refund_elsewhere(last, 6000)
    sync_refunds(last.intent_id)
    external = RefundRequest.objects.get(external=True)
    decided.refresh_from_db()
    assert (external.amount, progress(external), progress(decided)) == (
        EUROS("50.00"),
        "succeeded",
        "succeeded",
    )
    notes = Invoice.objects.filter(kind="credit_note")
    assert sorted(note.total for note in notes) == [EUROS("-50.00"), EUROS("-10.00")]
    # What the worker was to send is refused, and owed by nobody.
    send_all()
    assert decided.refunds.get().error == "charge_already_refunded"
    assert (debts(order), refundable(order)) == ([], EUROS("120.00"))
    rest = refund(order)
    send_all()
    rest.refresh_from_db()
    assert (rest.amount, progress(rest), status_of(order)) == (
        EUROS("120.00"),
        "succeeded",
        OrderStatus.REFUNDED,
    )


def test_a_refund_elsewhere_of_another_charge_is_not_the_one_that_failed(provider):
    order = in_installments()
    second, third = paid_again(order, "60.00"), paid_again(order, "60.00")
    failed = refund(order, amount=EUROS("10.00")).refunds.get()
    send_all()
    failed.refresh_from_db()
    assert failed.attempt == third
    bank_takes_back(provider, failed)
    provider.refund_elsewhere(second, 1000)
    sync_refunds(second.intent_id)
    assert RefundRequest.objects.get(external=True).amount == EUROS("10.00")
    assert [(debt.refund, debt.owed) for debt in debts(order)] == [(failed, EUROS("10.00"))]


def test_a_part_made_by_hand_is_owed_once_less_where_two_refunds_of_a_decision_failed(provider):
    order = in_installments()
    last = paid_again(order, "60.00")
    whole = refund(order)
    send_all()
    for sent in whole.refunds.all():
        bank_takes_back(provider, sent)
    assert [debt.owed for debt in debts(order)] == [EUROS("60.00"), EUROS("60.00")]
    provider.refund_elsewhere(last, 3000)
    sync_refunds(last.intent_id)
    # Each charge owes what it still has: more could not be tried again.
    owed = [(debt.refund.attempt, debt.owed) for debt in debts(order)]
    assert owed == [(last, EUROS("30.00")), (Attempt.objects.earliest("created_at"), EUROS("60.00"))]
    assert [debt.owed for debt in retryable_refunds(order)] == [EUROS("30.00"), EUROS("60.00")]


def test_the_last_cents_due_are_credited_no_further_than_the_invoice(provider):
    """A card is never charged less than 0.50, so that much stays due while a few cents are on their way back: all of
    the charge goes back elsewhere meanwhile."""
    order = in_installments()
    decided = refund(order, amount=EUROS("119.90"))
    assert (decided.voided, decided.refunds.get().amount) == (EUROS("119.50"), EUROS("0.40"))
    first = Attempt.objects.get()
    provider.refund_elsewhere(first, 6000)
    sync_refunds(first.intent_id)
    external = RefundRequest.objects.get(external=True)
    assert (external.amount, external.voided) == (EUROS("60.10"), EUROS("0.50"))
    send_all()
    assert states(order) == [("refunded", 60), ("void", EUROS("0.50")), ("void", 60)]
    notes = Invoice.objects.filter(kind="credit_note")
    assert sorted(note.total for note in notes) == [EUROS("-119.90"), EUROS("-60.10")]
    assert (debts(order), refundable(order), status_of(order)) == ([], EUROS("0.00"), OrderStatus.REFUNDED)


@pytest.mark.parametrize("news_first", [False, True])
def test_a_second_charge_given_back_elsewhere_is_not_credited_on_the_order(order, provider, news_first):
    """Paid twice: staff were quicker in the provider's own interface than our automatic refund."""
    attempt = charged_twice(order)
    own = request_automatic_refund(order=order, attempt=attempt, reason=RefundReason.DUPLICATE)
    provider.refund_elsewhere(attempt, 4999)
    if news_first:
        sync_refunds(attempt.intent_id)
    send_refund(own.pk)
    own.refresh_from_db()
    by_hand = Refund.objects.get(reason=RefundReason.EXTERNAL)
    assert (own.state, own.error) == (RefundState.FAILED, "charge_already_refunded")
    assert (by_hand.state, by_hand.request, by_hand.amount) == (RefundState.SUCCEEDED, None, EUROS("49.99"))
    assert not RefundRequest.objects.exists()
    assert not Invoice.objects.filter(kind="credit_note").exists()
    assert (status_of(order), refundable(order)) == (OrderStatus.CONFIRMED, EUROS("49.99"))
    assert order.payments.get().state == "paid"
    # Nobody owes it any more, so that it waits for nobody.
    assert (by_hand.replaces, waiting_failures()) == (own, 0)
    assert [(shown.reason, shown.money) for shown in refunds_for_page(order)] == [
        ("Remboursé hors de la boutique", EUROS("49.99"))
    ]
    # Nor does it make good what the order owes.
    owed = refund(order, amount=EUROS("5.00"))
    send_all()
    bank_takes_back(provider, owed.refunds.get())
    assert list(check_ledger()) == []


def test_the_rest_of_a_second_charge_that_was_given_back_in_part_elsewhere_is_tried_again(order, provider):
    attempt = charged_twice(order)
    own = request_automatic_refund(order=order, attempt=attempt, reason=RefundReason.DUPLICATE)
    provider.refund_elsewhere(attempt, 2000)
    send_refund(own.pk)
    assert waiting_failures() == 1
    assert retry_refund(refund_id=own.pk).amount == EUROS("29.99")
    assert list(check_ledger()) == []
    send_all()
    assert (waiting_failures(), provider.charge(attempt).kept) == (0, 0)
    assert [shown.money for shown in refunds_for_page(order)] == [EUROS("20.00"), EUROS("29.99")]
    assert list(check_ledger()) == []


def test_a_failed_refund_whose_payments_were_voided_is_completed_and_not_replaced(provider):
    """Nothing of its money went through, and yet it took effect: the customer is not charged for it any more."""
    order = in_installments()
    provider.begins = "pending"
    request = refund(order, amount=EUROS("130.00"))
    assert (request.voided, request.refunds.get().amount) == (EUROS("120.00"), EUROS("10.00"))
    send_all()
    bank_takes_back(provider, request.refunds.get())
    assert Invoice.objects.filter(kind="credit_note").count() == 0
    # 60.00 were paid; the 10.00 of the decision are kept for it.
    assert refundable(order) == EUROS("50.00")
    assert refused("refund_too_much", order, amount=EUROS("50.01")).extra == {"refundable": "50.00"}
    provider.begins = "succeeded"
    assert retry_refund(refund_id=request.refunds.get().pk).amount == EUROS("10.00")
    send_all()
    assert [note.total for note in Invoice.objects.filter(kind="credit_note")] == [EUROS("-130.00")]
    assert refundable(order) == EUROS("50.00")


def test_a_failure_that_the_provider_keeps_after_it_gave_the_money_back_is_seen_at_once(
    order, provider, monkeypatch
):
    request = refund(order)

    def given_back_then_broken(**call: Any) -> Any:
        provider.create_refund(**call)
        raise gateway.GatewayUnavailable("500", stored=True)

    monkeypatch.setattr(gateway, "create_refund", given_back_then_broken)
    send_refund(request.refunds.get().pk)
    assert request.refunds.get().state == RefundState.SUCCEEDED
    assert ledger(order) == [("charge", EUROS("49.99")), ("refund", EUROS("-49.99"))]
    assert status_of(order) == OrderStatus.REFUNDED


@pytest.mark.parametrize(
    ("left", "state"),
    [
        (None, "declared"),
        ("first_sent_at", "goods_awaited"),
        ("shipped_at", "goods_awaited"),
        ("delivered_at", "goods_awaited"),
    ],
)
def test_l221_24_a_withdrawal_whose_money_came_back_is_owed_again(order, provider, left, state):
    """Its goods are awaited as before: those of a first parcel, of all, and what was handed over without one."""
    if left:
        Order.objects.update(**{left: order.paid_at})
        order.refresh_from_db()
    declaration = Declaration(
        name="Léa Martin", email=order.email, order_text=order.reference, language="fr", order=order
    )
    declare_withdrawal(declaration=declaration, key="declared", caller="192.0.2.1")
    case = WithdrawalCase.objects.get()
    request = refund_case(case_id=case.pk, lines=None, amount=None, reason="", actor=None)
    send_all()
    case.refresh_from_db()
    assert case.state == "refunded"
    bank_takes_back(provider, request.refunds.get())
    case.refresh_from_db()
    assert (case.state, status_of(order)) == (state, OrderStatus.CONFIRMED)
    assert mails(order).count("refund_failed_alert") == 1
    retry_refund(refund_id=request.refunds.get().pk)
    send_all()
    case.refresh_from_db()
    assert (case.state, status_of(order)) == ("refunded", OrderStatus.REFUNDED)


def test_a_payment_of_which_a_part_went_back_is_partly_refunded_while_a_second_charge_is_on_its_way_back(
    order, provider
):
    attempt = charged_twice(order)
    own = request_automatic_refund(order=order, attempt=attempt, reason=RefundReason.DUPLICATE)
    part = refund(order, amount=EUROS("0.21")).refunds.get()
    send_refund(part.pk)
    assert (states(order), list(check_ledger())) == ([("partly_refunded", EUROS("49.99"))], [])
    send_refund(own.pk)
    assert (states(order), list(check_ledger())) == ([("partly_refunded", EUROS("49.99"))], [])


# --- Made elsewhere while the shop's own was on its way -------------------------------------------------


def test_a_part_given_back_elsewhere_meanwhile_counts_for_the_decision_whose_refund_is_refused(
    order, provider
):
    """Without it the decision has no effect: the rest would be a new one, and nothing credit the part."""
    request = refund(order)
    own = request.refunds.get()
    provider.refund_elsewhere(own.attempt, 2000)
    sync_refunds(own.attempt.intent_id)
    by_hand = Refund.objects.get(reason=RefundReason.EXTERNAL)
    # What is on its way has no credit note yet, and neither has what took its money.
    assert (by_hand.request, list(check_ledger())) == (None, [])
    send_all()
    by_hand.refresh_from_db()
    own.refresh_from_db()
    assert (own.state, by_hand.request, RefundRequest.objects.get()) == (RefundState.FAILED, request, request)
    assert ([debt.owed for debt in debts(order)], refundable(order)) == ([EUROS("29.99")], EUROS("0.00"))
    assert list(check_ledger()) == []
    assert retry_refund(refund_id=own.pk).amount == EUROS("29.99")
    send_all()
    assert [note.total for note in Invoice.objects.filter(kind="credit_note")] == [EUROS("-49.99")]
    assert (status_of(order), provider.charge(own.attempt).kept) == (OrderStatus.REFUNDED, 0)
    assert list(check_ledger()) == []


def test_of_two_decisions_the_one_whose_refund_is_refused_has_what_was_given_back_elsewhere(order, provider):
    first, second = refund(order, amount=EUROS("30.00")), refund(order, amount=EUROS("19.99"))
    attempt = Attempt.objects.get()
    provider.refund_elsewhere(attempt, 1000)
    sync_refunds(attempt.intent_id)
    send_refund(first.refunds.get().pk)
    # The first is credited whole, the second lacks its money; neither differs from the books.
    assert list(check_ledger()) == []
    send_refund(second.refunds.get(reason=RefundReason.REQUESTED).pk)
    assert Refund.objects.get(reason=RefundReason.EXTERNAL).request == second
    assert [debt.owed for debt in debts(order)] == [EUROS("9.99")]
    assert list(check_ledger()) == []


def test_what_a_bank_sends_back_of_an_order_that_was_given_back_whole_all_the_same_leaves_it_closed(
    order, provider
):
    """The bank refused what was made elsewhere, so that the shop's own refunds went through before that was heard."""
    request = refund(order)
    own = request.refunds.get()
    elsewhere = provider.refund_elsewhere(own.attempt, 2000)
    sync_refunds(own.attempt.intent_id)
    provider.settle_refund(elsewhere.refund_id, "failed")
    send_all()
    assert status_of(order) == OrderStatus.REFUNDED
    sync_refunds(own.attempt.intent_id)
    assert set(Refund.objects.values_list("reason", "state")) == {
        ("requested", "succeeded"),
        ("external", "failed"),
    }
    assert (status_of(order), debts(order), refundable(order)) == (OrderStatus.REFUNDED, [], EUROS("0.00"))
    assert [amount for _kind, amount in ledger(order)] == [
        EUROS("49.99"), EUROS("-20.00"), EUROS("-49.99"), EUROS("20.00"),
    ]  # fmt: skip
    assert list(check_ledger()) == []
