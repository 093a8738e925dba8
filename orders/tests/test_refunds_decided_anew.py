"""Refunds that failed before their decision had any effect, and whose charge others gave back since."""

from __future__ import annotations

import pytest

from orders.models import Attempt, Order, OrderStatus, Refund, RefundRequest
from orders.selectors.money import waiting_refunds, with_undecided_money
from orders.selectors.refund_debts import debts, surplus, uncredited
from orders.selectors.refund_retries import retryable_refunds
from orders.selectors.refund_rules import RefundRefused
from orders.selectors.refunds import refunds_for_page
from orders.services.refunds.decisions import retry_refund
from orders.services.refunds.outcomes import record_refusal
from orders.services.refunds.sending import send_refund, sync_refunds
from orders.tests.refunding import EUROS, in_installments, paid_again, refund, send_all

pytestmark = [pytest.mark.postgres, pytest.mark.django_db, pytest.mark.usefixtures("provider")]


def never_arrived(provider, order: Order, amount: str) -> Refund:
    """A refund whose decision credits nothing."""
    provider.begins = "pending"
    sent = refund(order, amount=EUROS(amount)).refunds.get()
    send_all()
    sent.refresh_from_db()
    provider.settle_refund(sent.provider_id, "failed")
    sync_refunds(sent.attempt.intent_id)
    provider.begins = "succeeded"
    return sent


def test_a_refund_that_failed_waits_for_nobody_once_others_gave_all_of_its_charge_back(order, provider):
    failed = never_arrived(provider, order, "10.00")
    assert list(waiting_refunds()) == [failed]
    assert [(shown.money, shown.owed) for shown in refunds_for_page(order)] == [(EUROS("10.00"),) * 2]

    everything = refund(order)
    # Not for those that are on their way, either: they may fail, and it waits again.
    assert list(waiting_refunds()) == []
    send_all()

    order.refresh_from_db()
    assert (everything.amount, order.status) == (EUROS("49.99"), OrderStatus.REFUNDED)
    assert list(waiting_refunds()) == []
    assert [(shown.money, shown.owed, shown.taken) for shown in refunds_for_page(order)] == [
        (EUROS("49.99"), 0, 0)
    ]


def test_refunds_that_failed_whole_are_owed_for_no_more_than_nobody_has_credited(provider, order):
    for amount in ("10.00", "12.00"):
        never_arrived(provider, order, amount)
    refund(order, amount=EUROS("33.00"))
    send_all()
    # 16.99 are left to be decided about: the later one, and of the earlier one the rest.
    assert [(shown.money, shown.owed) for shown in refunds_for_page(order)] == [
        (EUROS("4.99"),) * 2, (EUROS("12.00"),) * 2, (EUROS("33.00"), 0)
    ]  # fmt: skip


def test_a_refund_that_failed_waits_while_a_cent_of_its_charge_is_left(order, provider):
    failed = never_arrived(provider, order, "10.00")
    refund(order, amount=EUROS("49.98"))
    assert list(waiting_refunds()) == [failed]


def test_money_that_is_kept_is_decided_about_beside_a_refund_that_others_replaced(provider):
    order = in_installments()
    paid_again(order, "60.00")
    order.payments.filter(state="scheduled").update(state="written_off")
    never_arrived(provider, order, "60.00")
    refund(order, amount=EUROS("60.00"))
    Order.objects.filter(pk=order.pk).update(status="cancelled")
    assert list(with_undecided_money()) == [order]


def paid_by_two_charges() -> tuple[Order, Attempt, Attempt]:
    """An order of which each charge has 60.00, and nothing is owed any more."""
    order = in_installments()
    later = paid_again(order, "60.00")
    order.payments.filter(state="scheduled").update(state="written_off")
    return order, order.payments.get(position=1).attempts.get(), later


def test_a_refund_that_failed_whole_takes_nothing_of_what_is_owed_of_its_charge(provider):
    order, _first, later = paid_by_two_charges()
    failed = never_arrived(provider, order, "55.00")
    refund(order, amount=EUROS("50.00"))
    send_all()
    provider.settle_refund(provider.list_refunds(later.intent_id)[0].refund_id, "failed")
    sync_refunds(later.intent_id)
    [owed] = debts(order)

    with pytest.raises(RefundRefused) as refused:
        retry_refund(refund_id=failed.pk)

    assert (refused.value.code, refused.value.extra["refundable"]) == ("refund_too_much", "10.00")
    assert [(debt.refund, debt.owed) for debt in retryable_refunds(order)] == [(owed.refund, EUROS("50.00"))]
    retry_refund(refund_id=owed.refund.pk)
    send_all()
    assert debts(order) == []


def decided_of_two_charges(provider) -> tuple[Order, Refund, Refund]:
    """An order, and 10.00 and 60.00 of one decision: somebody gave the charge of the latter back meanwhile."""
    order, _first, later = paid_by_two_charges()
    decision = refund(order, amount=EUROS("70.00"))
    provider.refund_elsewhere(later, 6000)
    sync_refunds(later.intent_id)
    return order, *(decision.refunds.get(amount=EUROS(amount)) for amount in ("10.00", "60.00"))


def test_what_went_back_elsewhere_for_one_charge_is_credited_whole_where_the_other_is_refused_last(provider):
    order, first, last = decided_of_two_charges(provider)
    for refused in (last, first):
        Refund.objects.filter(pk=refused.pk).update(state="sent")
        record_refusal(refused.pk, "insufficient_funds")
    assert [(row.amount, row.external) for row in RefundRequest.objects.exclude(credit_note=None)] == [
        (EUROS("60.00"), True)
    ]
    assert (uncredited(order), surplus(order)) == (EUROS("120.00"), {})
    # Should that money come back, it is owed of the charge that it came from.
    owed = Refund.objects.get(request__external=True)
    assert (owed.attempt, owed.amount, owed.error) == (
        last.attempt,
        EUROS("60.00"),
        "charge_already_refunded",
    )


def test_what_is_owed_waits_for_the_charge_that_still_has_it(provider):
    order, first, last = decided_of_two_charges(provider)
    for refused in (first, last):
        Refund.objects.filter(pk=refused.pk).update(state="sent")
        record_refusal(refused.pk, "insufficient_funds")
    assert [(debt.refund.pk, debt.owed) for debt in debts(order)] == [(first.pk, EUROS("10.00"))]
    assert [(debt.refund.pk, debt.owed) for debt in retryable_refunds(order)] == [(first.pk, EUROS("10.00"))]
    assert list(waiting_refunds()) == [first]


def test_what_went_back_elsewhere_is_owed_of_its_own_charge_though_another_was_given_back_since(provider):
    order, first, later = paid_by_two_charges()
    refund(order, amount=EUROS("55.00"))
    # 5.00 of the first are a decision of their own, 50.00 a part of those that are refused.
    for attempt, cents in ((later, 5500), (first, 6000)):
        provider.refund_elsewhere(attempt, cents)
        sync_refunds(attempt.intent_id)
    send_all()
    assert (uncredited(order), debts(order)) == (EUROS("65.00"), [])

    [made] = provider.list_refunds(later.intent_id)
    provider.settle_refund(made.refund_id, "failed")
    sync_refunds(later.intent_id)

    owed = [(debt.refund.attempt, debt.owed) for debt in debts(order)]
    assert owed == [(later, EUROS("5.00")), (later, EUROS("50.00"))]
    # The one that was refused first would take what these are owed.
    assert [debt.owed for debt in retryable_refunds(order)] == [EUROS("5.00"), EUROS("50.00")]


def test_what_went_back_elsewhere_of_two_charges_for_one_refused_decision_is_owed_of_each(provider):
    order, first, later = paid_by_two_charges()
    decision = refund(order, amount=EUROS("110.00"))
    # 10.00 of the first are a decision of their own.
    for attempt, cents in ((later, 5000), (first, 4000)):
        provider.refund_elsewhere(attempt, cents)
        sync_refunds(attempt.intent_id)
    for waiting in decision.refunds.order_by("created_at"):
        Refund.objects.filter(pk=waiting.pk).update(state="sent")
        record_refusal(waiting.pk, "insufficient_funds")
    assert (uncredited(order), surplus(order), debts(order)) == (EUROS("90.00"), {}, [])

    for attempt in (later, first):
        provider.settle_refund(provider.list_refunds(attempt.intent_id)[0].refund_id, "failed")
        sync_refunds(attempt.intent_id)

    owed = {(debt.refund.attempt, debt.owed) for debt in retryable_refunds(order)}
    assert owed == {(first, EUROS("10.00")), (first, EUROS("30.00")), (later, EUROS("50.00"))}


def test_a_part_given_back_elsewhere_leaves_the_rest_owed_of_its_charge_whatever_others_gave(provider):
    order, first, later = paid_by_two_charges()
    decision = refund(order, amount=EUROS("120.00"))
    for attempt in (later, first):
        provider.refund_elsewhere(attempt, 3000)
    # It counts for the decision while that of the first is heard of as the shop's own refund is refused.
    sync_refunds(later.intent_id)
    for attempt in (first, later):
        send_refund(decision.refunds.get(attempt=attempt, reason="requested").pk)

    assert {(debt.refund.attempt, debt.owed) for debt in retryable_refunds(order)} == {
        (first, EUROS("30.00")), (later, EUROS("30.00"))
    }  # fmt: skip
    refund(order)
    send_all()
    order.refresh_from_db()
    assert (order.status, debts(order)) == (OrderStatus.REFUNDED, [])


def test_what_is_on_its_way_from_elsewhere_is_not_told_as_given_back(provider):
    order = in_installments()
    paid_again(order, "60.00")
    first = order.payments.get(position=1).attempts.get()
    order.payments.filter(state="scheduled").update(state="written_off")
    refund(order, amount=EUROS("110.00"))
    provider.begins = "pending"
    # 10.00 are a decision of their own.
    provider.refund_elsewhere(first, 2000)
    provider.begins = "succeeded"
    sync_refunds(first.intent_id)
    send_all()
    shown = refunds_for_page(order)[0]
    assert (shown.paid_back, shown.under_way, shown.owed) == (EUROS("60.00"), EUROS("10.00"), EUROS("40.00"))
