"""What failed to be refunded is made again: whole, in parts or by hand, and never twice."""

from __future__ import annotations

import pytest

from orders.books.audit_checks import check_ledger
from orders.models import Invoice, OrderStatus, Refund, RefundReason, RefundRequest
from orders.selectors.refund_rules import RefundRefused, ReturnedLine, refundable
from orders.selectors.refunds import progress
from orders.services.refunds.decisions import retry_refund
from orders.services.refunds.outcomes import record_refusal
from orders.services.refunds.sending import sync_refunds
from orders.tests.refunding import EUROS, in_installments, mails, paid_again, refund, rows, send_all
from shop.core.models import OutgoingMail

pytestmark = [pytest.mark.postgres, pytest.mark.django_db, pytest.mark.usefixtures("provider")]


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


@pytest.mark.parametrize(("came_back", "told"), [(True, 2), (False, 1)])
def test_the_customer_hears_again_of_money_that_came_back_and_of_no_refusal(order, provider, came_back, told):
    refund(order)
    if came_back:
        send_all()
    sent = Refund.objects.get()
    if came_back:
        provider.settle_refund(sent.provider_id, "failed")
        sync_refunds(sent.attempt.intent_id)
    else:
        Refund.objects.update(state="sent")
        record_refusal(sent.pk, "insufficient_funds")
    retry_refund(refund_id=sent.pk)
    send_all()
    sync_refunds(sent.attempt.intent_id)
    assert mails(order) == ["refund_done"] * told + ["refund_failed_alert"]
    last = OutgoingMail.objects.filter(kind="refund_done").latest("pk")
    assert (last.context["amount"], last.context["by_card"]) == ("49.99", "49.99")
