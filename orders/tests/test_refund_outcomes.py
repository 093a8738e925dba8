"""What becomes of refunds: sent once, booked, given back when they fail, recognised when made elsewhere."""

from __future__ import annotations

from contextlib import suppress
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.utils import timezone

from orders.books.audit_checks import check_ledger
from orders.models import (
    Attempt,
    Invoice,
    OrderStatus,
    PaymentState,
    Refund,
    RefundReason,
    RefundRequest,
    RefundState,
)
from orders.selectors.refund_rules import RefundRefused, ReturnedLine, refundable
from orders.selectors.refunds import progress
from orders.services.reconciliation import reconcile
from orders.services.refunds.decisions import retry_refund
from orders.services.refunds.disputes import sync_disputes
from orders.services.refunds.outcomes import apply_refund, record_refusal
from orders.services.refunds.sending import send_refund, sync_refunds
from orders.stripe import gateway
from orders.tests.factories import make_order, pay_order
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


@pytest.mark.parametrize("amount", [None, EUROS("49.99")])
def test_everything_asked_for_again_completes_what_failed(order, provider, amount):
    request = refund(order)
    send_all()
    sent = Refund.objects.get()
    provider.settle_refund(sent.provider_id, "failed")
    sync_refunds(sent.attempt.intent_id)
    for _click in range(2):
        assert refund(order, key="again", amount=amount) == request
    retried = Refund.objects.exclude(pk=sent.pk).get()
    assert (retried.replaces, retried.amount, retried.retry_key) == (sent, EUROS("49.99"), "again")
    send_all()
    order.refresh_from_db()
    assert order.status == OrderStatus.REFUNDED
    assert [note.total for note in Invoice.objects.filter(kind="credit_note")] == [EUROS("-49.99")]


def test_everything_is_what_failed_and_what_was_never_given_back(order, provider):
    first = refund(order, amount=EUROS("10.00"))
    send_all()
    sent = Refund.objects.get()
    provider.settle_refund(sent.provider_id, "failed")
    sync_refunds(sent.attempt.intent_id)
    rest = refund(order)
    assert (rest.amount, rest.shipping) == (EUROS("39.99"), EUROS("0.00"))
    assert Refund.objects.get(replaces=sent).request == first
    send_all()
    order.refresh_from_db()
    assert order.status == OrderStatus.REFUNDED
    notes = Invoice.objects.filter(kind="credit_note").order_by("sequence")
    assert [note.total for note in notes] == [EUROS("-10.00"), EUROS("-39.99")]


def test_a_failed_refund_made_again_by_hand_completes_its_decision(order, provider):
    request = refund(order)
    send_all()
    sent = Refund.objects.get()
    provider.settle_refund(sent.provider_id, "failed")
    provider.refund_elsewhere(sent.attempt, 4999)
    sync_refunds(sent.attempt.intent_id)
    by_hand = Refund.objects.get(reason=RefundReason.EXTERNAL)
    assert (by_hand.request, by_hand.replaces) == (request, sent)
    assert RefundRequest.objects.count() == 1
    assert progress(RefundRequest.objects.get()) == "succeeded"


def test_a_part_of_what_failed_made_by_hand_belongs_to_its_decision(order, provider):
    request = refund(order)
    send_all()
    sent = Refund.objects.get()
    provider.settle_refund(sent.provider_id, "failed")
    provider.refund_elsewhere(sent.attempt, 2000)
    sync_refunds(sent.attempt.intent_id)
    by_hand = Refund.objects.get(reason=RefundReason.EXTERNAL)
    assert (by_hand.request, by_hand.replaces) == (request, None)
    assert RefundRequest.objects.count() == 1
    assert list(check_ledger()) == []
    assert retry_refund(refund_id=sent.pk).amount == EUROS("29.99")
    send_all()
    order.refresh_from_db()
    assert order.status == OrderStatus.REFUNDED
    assert [note.total for note in Invoice.objects.filter(kind="credit_note")] == [EUROS("-49.99")]


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


def test_only_what_failed_is_tried_again_and_only_what_is_left(order, provider):
    provider.begins = "pending"
    item = order.items.get()
    whole = refund(order, lines=[ReturnedLine(item.pk, 1)])
    send_all()
    sent = Refund.objects.get()
    with pytest.raises(RefundRefused) as caught:
        retry_refund(refund_id=sent.pk)
    assert caught.value.code == "refund_not_failed"
    provider.settle_refund(sent.provider_id, "failed")
    sync_refunds(sent.attempt.intent_id)
    # Nothing of it took effect: the money and the units are free for another decision.
    assert (refundable(order), progress(whole)) == (EUROS("49.99"), "failed")
    # 0,01 for the piece, and the delivery of what came back whole.
    assert refund(order, lines=[ReturnedLine(item.pk, 1)], amount=EUROS("0.01")).amount == EUROS("10.00")
    with pytest.raises(RefundRefused) as caught:
        retry_refund(refund_id=sent.pk)
    assert (caught.value.code, caught.value.extra) == ("refund_too_much", {"refundable": "39.99"})
    assert Refund.objects.count() == 2


def test_a_decision_that_failed_whole_is_not_made_again_in_parts_beside_another_one(provider):
    order = in_installments()
    for _ in range(2):
        paid_again(order, "60.00")
    provider.begins = "pending"
    whole = refund(order)
    send_all()
    for sent in whole.refunds.all():
        provider.settle_refund(sent.provider_id, "failed")
        sync_refunds(sent.attempt.intent_id)
    assert [part.state for part in whole.refunds.all()] == ["failed"] * 3
    refund(order, amount=EUROS("10.00"))
    before = rows()
    for part in whole.refunds.all():
        # The ten came from the last charge: as much of each as it has left.
        left = "50.00" if part.attempt.payment.position == 3 else "60.00"
        with pytest.raises(RefundRefused) as caught:
            retry_refund(refund_id=part.pk)
        assert (caught.value.code, caught.value.extra) == ("refund_too_much", {"refundable": left})
    assert rows() == before


def test_a_decision_that_failed_whole_is_not_made_again_from_what_others_owe(provider):
    """The charge has its money back, and all but ten of it are owed by a decision that was credited since."""
    order = in_installments()
    for _ in range(2):
        paid_again(order, "60.00")
    provider.begins = "pending"
    first = refund(order, amount=EUROS("60.00")).refunds.get()
    send_all()
    first.refresh_from_db()
    provider.settle_refund(first.provider_id, "failed")
    sync_refunds(first.attempt.intent_id)
    provider.begins = "succeeded"
    since = refund(order, amount=EUROS("170.00"))
    send_all()
    back = since.refunds.get(attempt=first.attempt)
    provider.settle_refund(back.provider_id, "failed")
    sync_refunds(back.attempt.intent_id)
    before = rows()
    with pytest.raises(RefundRefused) as caught:
        retry_refund(refund_id=first.pk)
    assert (caught.value.code, caught.value.extra) == ("refund_too_much", {"refundable": "10.00"})
    assert rows() == before


def test_units_credited_by_another_decision_since_are_not_credited_again(order, provider):
    provider.begins = "pending"
    item = order.items.get()
    refund(order, lines=[ReturnedLine(item.pk, 1, True)], amount=EUROS("20.00"))
    send_all()
    sent = Refund.objects.get()
    provider.settle_refund(sent.provider_id, "failed")
    sync_refunds(sent.attempt.intent_id)
    refund(order, lines=[ReturnedLine(item.pk, 1, True)], amount=EUROS("5.00"))
    # The piece came back once, whatever was decided about it.
    assert item.product.__class__.objects.get().stock_quantity == 3
    before = rows()
    with pytest.raises(RefundRefused) as caught:
        retry_refund(refund_id=sent.pk)
    assert caught.value.code == "refund_too_many_units"
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


def test_a_charge_given_back_elsewhere_is_a_state_and_not_a_crash(order, provider):
    request = refund(order)
    provider.refund_elsewhere(Attempt.objects.get(), 4999)
    send_all()
    ours = request.refunds.get()
    assert (ours.state, ours.error) == (RefundState.FAILED, "charge_already_refunded")
    assert ledger(order) == [("charge", EUROS("49.99")), ("refund", EUROS("-49.99"))]
    external = Refund.objects.get(reason=RefundReason.EXTERNAL)
    assert (external.amount, external.request.external) == (EUROS("49.99"), True)
    order.refresh_from_db()
    assert order.status == OrderStatus.REFUNDED
    assert mails(order) == ["refund_done", "refund_failed_alert"]


def test_a_refund_made_elsewhere_is_recognised_once(order, provider):
    attempt = Attempt.objects.get()
    made = provider.refund_elsewhere(attempt, 1000)
    for _again in range(3):
        sync_refunds(attempt.intent_id)
    row = Refund.objects.get()
    assert (row.reason, row.state, row.amount, row.provider_id) == (
        "external",
        "succeeded",
        10,
        made.refund_id,
    )
    request = RefundRequest.objects.get()
    assert (request.external, request.amount, request.actor) == (True, EUROS("10.00"), None)
    assert progress(request) == "succeeded"
    assert refundable(order) == EUROS("39.99")
    order.refresh_from_db()
    assert (order.status, order.payments.get().state) == (OrderStatus.CONFIRMED, PaymentState.PARTLY_REFUNDED)


def test_everything_given_back_elsewhere_ends_the_charges_to_come(provider):
    order = in_installments()
    attempt = Attempt.objects.get()
    provider.refund_elsewhere(attempt, 6000)
    sync_refunds(attempt.intent_id)
    request = RefundRequest.objects.get()
    assert (request.amount, request.voided) == (EUROS("180.00"), EUROS("120.00"))
    assert states(order) == [("refunded", 60), ("void", 60), ("void", 60)]
    order.refresh_from_db()
    assert order.status == OrderStatus.REFUNDED
    # The bank could not deliver it, and it is made once more there: the same decision, credited once.
    provider.settle_refund(Refund.objects.get().provider_id, "failed")
    sync_refunds(attempt.intent_id)
    provider.refund_elsewhere(attempt, 6000)
    sync_refunds(attempt.intent_id)
    request.refresh_from_db()
    assert (request.amount, request.voided) == (EUROS("180.00"), EUROS("120.00"))
    assert Invoice.objects.get(kind="credit_note").total == EUROS("-180.00")


def test_a_refund_made_elsewhere_that_fails_is_given_back(order, provider):
    attempt = Attempt.objects.get()
    made = provider.refund_elsewhere(attempt, 1000)
    sync_refunds(attempt.intent_id)
    provider.settle_refund(made.refund_id, "failed")
    sync_refunds(attempt.intent_id)
    assert sum(amount for _kind, amount in ledger(order)) == EUROS("49.99")
    assert refundable(order) == EUROS("39.99")
    assert mails(order) == ["refund_done", "refund_failed_alert"]


def test_refunds_of_other_sites_on_the_account_are_left_alone(order):
    before = rows()
    sync_refunds("pi_of_somebody_else")
    sync_disputes("pi_of_somebody_else")
    assert rows() == before
