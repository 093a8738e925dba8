"""What becomes of refunds: sent once, booked, given back when they fail, followed to their end."""

from __future__ import annotations

from contextlib import suppress
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.utils import timezone

from orders.models import Attempt, Invoice, OrderStatus, PaymentState, Refund, RefundState
from orders.selectors.refund_rules import refundable
from orders.selectors.refunds import progress
from orders.services.reconciliation import reconcile
from orders.services.refunds.decisions import retry_refund
from orders.services.refunds.outcomes import apply_refund, record_refusal
from orders.services.refunds.sending import send_refund, sync_refunds
from orders.stripe import gateway
from orders.tests.factories import make_order, pay_order
from orders.tests.refunding import EUROS, ledger, mails, refund, refused, rows, send_all

pytestmark = [pytest.mark.postgres, pytest.mark.django_db, pytest.mark.usefixtures("provider")]


def test_a_pending_refund_is_not_done_until_the_bank_says_so(order, provider):
    provider.begins = "pending"
    request = refund(order)
    send_all()
    waiting = Refund.objects.get()
    assert (waiting.state, progress(request)) == (RefundState.PENDING, "pending")
    assert ledger(order) == [("charge", EUROS("49.99"))]
    # Its message comes twice, the second time late.
    provider.forget_keys()
    before = rows()
    send_refund(waiting.pk)
    assert rows() == before
    provider.settle_refund(waiting.provider_id, "succeeded")
    assert reconcile.send_waiting_refunds(timezone.now() + timedelta(minutes=2)) == 1
    order.refresh_from_db()
    assert order.status == OrderStatus.REFUNDED


def test_a_refund_that_fails_later_gives_the_amount_back_and_alerts(order, provider):
    request = refund(order)
    send_all()
    sent = Refund.objects.get()
    provider.settle_refund(sent.provider_id, "failed")
    for _again in range(2):
        sync_refunds(sent.attempt.intent_id)
    sent.refresh_from_db()
    order.refresh_from_db()
    request.refresh_from_db()
    assert (sent.state, sent.error) == (RefundState.FAILED, "expired_or_canceled_card")
    assert (order.status, order.payments.get().state) == (OrderStatus.CONFIRMED, PaymentState.PAID)
    assert ledger(order) == [
        ("charge", EUROS("49.99")),
        ("refund", EUROS("-49.99")),
        ("refund_failed", EUROS("49.99")),
    ]
    assert (request.settled_at, progress(request)) == (None, "failed")
    assert mails(order) == ["refund_done", "refund_failed_alert"]
    # Its credit note stands: the decision is completed, not made a second time.
    assert refundable(order) == EUROS("0.00")
    assert refused("refund_retry_first", order, amount=EUROS("1.00")).detail.endswith(
        "un remboursement de 49,99\u00a0€ a échoué\u00a0: réessayez-le, ou réglez-le par virement."
    )

    again = retry_refund(refund_id=sent.pk)
    assert retry_refund(refund_id=sent.pk) == again
    assert (again.replaces, again.request, again.amount) == (sent, request, EUROS("49.99"))
    assert progress(request) == "pending"
    send_all()
    order.refresh_from_db()
    assert order.status == OrderStatus.REFUNDED
    assert sum(amount for _kind, amount in ledger(order)) == EUROS("0.00")
    # The credit note was issued when the money was back for the first time, and stands.
    assert Invoice.objects.filter(kind="credit_note").count() == 1


def test_old_news_does_not_undo_a_failure(order, provider):
    refund(order)
    send_all()
    sent = Refund.objects.get()
    succeeded = provider.list_refunds(sent.attempt.intent_id)[0]
    provider.settle_refund(sent.provider_id, "failed")
    sync_refunds(sent.attempt.intent_id)
    apply_refund(succeeded)
    send_refund(sent.pk)
    sent.refresh_from_db()
    assert sent.state == RefundState.FAILED
    assert sum(amount for _kind, amount in ledger(order)) == EUROS("49.99")


@pytest.mark.parametrize("end", ["succeeded", "failed"])
def test_what_was_read_before_the_end_and_is_stored_after_it_changes_nothing(order, provider, end):
    """Two workers ask the provider, and the one that asked first stores its answer last."""
    provider.begins = "pending"
    refund(order)
    send_all()
    sent = Refund.objects.get()
    [read_first] = provider.list_refunds(sent.attempt.intent_id)
    provider.settle_refund(sent.provider_id, end)
    sync_refunds(sent.attempt.intent_id)
    before = rows()
    apply_refund(read_first)
    assert (read_first.status, rows()) == ("pending", before)


def test_a_refund_that_was_refused_and_is_on_its_way_all_the_same_is_followed_to_its_end(order, provider):
    provider.begins = "pending"
    refund(order)
    sent = Refund.objects.get()
    provider.create_refund(
        key=sent.idempotency_key, intent_id=sent.attempt.intent_id, amount_cents=4999, refund_id=str(sent.pk)
    )
    Refund.objects.update(state=RefundState.SENT)
    record_refusal(sent.pk, "charge_disputed")
    sync_refunds(sent.attempt.intent_id)
    sent.refresh_from_db()
    assert (sent.state, sent.error) == (RefundState.PENDING, "")
    provider.settle_refund(sent.provider_id, "succeeded")
    sync_refunds(sent.attempt.intent_id)
    sent.refresh_from_db()
    assert sent.state == RefundState.SUCCEEDED
    assert ledger(order) == [("charge", EUROS("49.99")), ("refund", EUROS("-49.99"))]
    assert mails(order) == ["refund_done", "refund_failed_alert"]
    # Its bank sends it back after all: that is news.
    provider.settle_refund(sent.provider_id, "failed")
    for _again in range(2):
        sync_refunds(sent.attempt.intent_id)
    assert mails(order) == ["refund_done", "refund_failed_alert", "refund_failed_alert"]


def test_a_refusal_that_the_provider_confirms_later_is_told_once(order, provider):
    provider.begins = "pending"
    refund(order)
    sent = Refund.objects.get()
    made = provider.create_refund(
        key=sent.idempotency_key, intent_id=sent.attempt.intent_id, amount_cents=4999, refund_id=str(sent.pk)
    )
    Refund.objects.update(state=RefundState.SENT)
    record_refusal(sent.pk, "charge_disputed")
    provider.settle_refund(made.refund_id, "failed")
    for _again in range(2):
        sync_refunds(sent.attempt.intent_id)
    sent.refresh_from_db()
    assert (sent.state, sent.error, sent.provider_id) == (
        RefundState.FAILED,
        "charge_disputed",
        made.refund_id,
    )
    assert (mails(order), ledger(order)) == (["refund_failed_alert"], [("charge", EUROS("49.99"))])


def test_a_refusal_that_comes_after_the_money_moved_changes_nothing(order):
    refund(order)
    send_all()
    before = rows()
    send_refund(Refund.objects.get().pk)
    record_refusal(Refund.objects.get().pk, "charge_already_refunded")
    assert rows() == before


def test_an_answer_that_was_lost_is_asked_for_again_with_the_same_key(order, provider):
    refund(order)
    provider.lost = True
    with pytest.raises(gateway.GatewayUnavailable):
        send_all()
    assert Refund.objects.get().state == RefundState.SENT
    assert reconcile.send_waiting_refunds(timezone.now() + timedelta(minutes=2)) == 1
    assert len(provider.charges[Attempt.objects.get().intent_id].refunds) == 1
    assert Refund.objects.get().state == RefundState.SUCCEEDED


@pytest.mark.parametrize(("ahead", "sent"), [(timedelta(minutes=9), 0), (timedelta(days=365), 1)])
def test_a_refund_decided_while_the_clock_was_ahead_does_not_wait_for_that_date(order, provider, ahead, sent):
    refund(order)
    now = timezone.now()
    Refund.objects.update(created_at=now + ahead)
    assert reconcile.send_waiting_refunds(now) == sent
    state = RefundState.SUCCEEDED if sent else RefundState.REQUESTED
    assert Refund.objects.get().state == state


@pytest.mark.parametrize(
    "passed", [timedelta(hours=25), timedelta(days=-365)], ids=["a day", "a clock set back"]
)
def test_after_a_day_what_was_done_is_looked_up_before_anything_is_done_again(order, provider, passed):
    refund(order, amount=EUROS("10.00"))
    provider.lost = True
    with pytest.raises(gateway.GatewayUnavailable):
        send_all()
    provider.forget_keys()
    with time_machine.travel(timezone.now() + passed):
        send_all()
    assert len(provider.charges[Attempt.objects.get().intent_id].refunds) == 1
    assert ledger(order) == [("charge", EUROS("49.99")), ("refund", EUROS("-10.00"))]


@pytest.mark.parametrize(
    ("passed", "is_known"),
    [
        (timedelta(hours=22, minutes=59, seconds=59), True),
        (timedelta(hours=23), False),
        (timedelta(minutes=-10), True),
        (timedelta(minutes=-10, seconds=-1), False),
    ],
)
def test_nothing_is_looked_up_while_the_key_is_known(order, monkeypatch, passed, is_known):
    refund(order)
    asked = Refund.objects.get()
    lists = []
    monkeypatch.setattr(gateway, "list_refunds", lambda intent_id: lists.append(intent_id) or [])
    with time_machine.travel(asked.created_at + passed, tick=False):
        send_refund(asked.pk)
    assert lists == ([] if is_known else [asked.attempt.intent_id])
    assert ledger(order) == [("charge", EUROS("49.99")), ("refund", EUROS("-49.99"))]


@pytest.mark.parametrize(
    ("failure", "goes_on"),
    [
        (gateway.GatewayUnavailable("500", stored=True), True),
        (RuntimeError("unforeseen"), True),
        (gateway.GatewayUnreachable("silence"), False),
        (gateway.GatewayNotConfigured("revoked"), False),
    ],
    ids=["kept", "unforeseen", "silence", "no key"],
)
def test_what_fails_holds_nobody_up_and_silence_does(order, provider, monkeypatch, failure, goes_on):
    monkeypatch.setattr(reconcile, "BATCH", 1)
    other = pay_order(make_order())
    stuck = refund(order)
    refund(other)
    stuck_refund = stuck.refunds.get()

    def fails(*, key: str, **rest: Any) -> Any:
        if key == stuck_refund.idempotency_key:
            raise failure
        return provider.create_refund(key=key, **rest)

    monkeypatch.setattr(gateway, "create_refund", fails)
    with suppress(RuntimeError):
        reconcile.send_waiting_refunds(timezone.now() + timedelta(minutes=2))
    stuck_refund.refresh_from_db()
    assert stuck_refund.state == RefundState.SENT
    assert other.refunds.get().state == (RefundState.SUCCEEDED if goes_on else RefundState.REQUESTED)


def test_refunds_that_the_bank_keeps_waiting_hold_up_none_that_is_to_be_sent(order, provider, monkeypatch):
    monkeypatch.setattr(reconcile, "BATCH", 1)
    provider.begins = "pending"
    refund(order)
    send_all()
    other = pay_order(make_order())
    refund(other)
    assert reconcile.send_waiting_refunds(timezone.now() + timedelta(minutes=2)) == 2
    assert [row.state for row in Refund.objects.order_by("created_at")] == [RefundState.PENDING] * 2


def test_a_refund_of_a_payment_that_the_provider_never_had_waits_for_staff(order):
    Attempt.objects.update(intent_id=None)
    refund(order)
    send_all()
    assert Refund.objects.values_list("state", "error").get() == (RefundState.FAILED, "no_payment")
    assert mails(order) == ["refund_failed_alert"]


def test_an_order_of_the_demonstration_is_refunded_without_a_provider(order, monkeypatch):
    Attempt.objects.update(intent_id="demo-intent-1")
    monkeypatch.setattr(gateway, "create_refund", lambda **call: pytest.fail("the provider was asked"))
    refund(order)
    send_all()
    assert Refund.objects.get().provider_id.startswith("demo-refund-")
    order.refresh_from_db()
    assert order.status == OrderStatus.REFUNDED
