"""A payment that a bank takes back and a refund of the same order: each cent goes back once."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from orders.access import access_token
from orders.books.audit_checks import check_credit_notes, check_ledger
from orders.invoices.page_texts import page_texts
from orders.models import Attempt, Dispute, Invoice, Order, OrderStatus
from orders.selectors.money import waiting_refunds
from orders.selectors.refund_debts import debts, surplus, taken_instead
from orders.selectors.refund_retries import retryable_refunds
from orders.selectors.refund_rules import RefundRefused, ReturnedLine
from orders.selectors.refunds import progress, refunds_for_page
from orders.services.fulfilment.archiving import archiving_obstacles
from orders.services.fulfilment.delivery_promises import report_overdue_orders
from orders.services.refunds.decisions import retry_refund
from orders.services.refunds.disputes import sync_disputes
from orders.services.refunds.sending import sync_refunds
from orders.services.refunds.transfers import settle_by_transfer
from orders.services.withdrawals.cases import refund_case
from orders.tests.disputes import dispute
from orders.tests.factories import make_order, make_product, pay_order
from orders.tests.refunding import (
    EUROS,
    bounced,
    in_installments,
    ledger,
    mails,
    owe,
    paid_again,
    refund,
    send_all,
    states,
)
from orders.tests.withdrawing import declare
from shop.core.models import OutgoingMail

pytestmark = [pytest.mark.postgres, pytest.mark.django_db, pytest.mark.usefixtures("provider")]


def test_an_order_whose_refund_came_through_during_the_dispute_ends_when_that_is_won(order, provider):
    provider.begins = "pending"
    request = refund(order)
    send_all()
    dispute_id = dispute(provider)
    provider.settle_refund(str(request.refunds.get().provider_id), "succeeded")
    intent_id = str(Attempt.objects.get().intent_id)
    sync_refunds(intent_id)
    order.refresh_from_db()
    assert (order.status, order.payments.get().state) == (OrderStatus.CONFIRMED, "refunded")
    provider.move_dispute(dispute_id, "won")
    sync_disputes(intent_id)
    order.refresh_from_db()
    assert (order.status, order.review_reason) == (OrderStatus.REFUNDED, "")
    assert sum(amount for _kind, amount in ledger(order)) == 0


def test_what_failed_is_owed_whole_while_its_charge_has_it_beside_what_a_bank_took(order, provider):
    refund(order, amount=EUROS("20.00"))
    failed = refund(order, amount=EUROS("10.00")).refunds.get()
    send_all()
    failed.refresh_from_db()
    provider.settle_refund(failed.provider_id, "failed")
    sync_refunds(failed.attempt.intent_id)
    dispute(provider, "lost", 1500)
    assert [(debt.refund, debt.owed) for debt in debts(order)] == [(failed, EUROS("10.00"))]


def test_what_a_bank_took_of_two_refunds_that_failed_is_no_more_than_the_charge_lacks(order, provider):
    """49.99 were charged, 5.00 stay refunded and the bank took 30.00: 14.99 are left for 44.99 that failed."""
    refund(order, amount=EUROS("5.00"))
    first, second = (refund(order, amount=EUROS(amount)).refunds.get() for amount in ("24.99", "20.00"))
    send_all()
    for failed in (first, second):
        failed.refresh_from_db()
        provider.settle_refund(failed.provider_id, "failed")
    sync_refunds(first.attempt.intent_id)
    dispute(provider, "lost", 3000)
    assert [(debt.refund, debt.owed) for debt in debts(order)] == [(first, EUROS("14.99"))]

    settle_by_transfer(
        refund_id=first.pk, sent_on=timezone.localdate(), reference="VIR 1", amount=EUROS("14.99")
    )

    assert (debts(order), list(waiting_refunds())) == ([], [])
    assert not order.refund_requests.filter(settled_at=None).exists()
    assert [*check_credit_notes(), *check_ledger()] == []


def test_what_was_refunded_elsewhere_leaves_a_bank_less_to_take_of_two_refunds(order, provider):
    """20.00 came back, and 35.00 were refunded elsewhere, 5.01 of it in their place: the bank took the rest."""
    failed = [refund(order, amount=EUROS("10.00")).refunds.get() for _ in range(2)]
    send_all()
    for one in failed:
        one.refresh_from_db()
        provider.settle_refund(str(one.provider_id), "failed")
    provider.refund_elsewhere(failed[0].attempt, 3500)
    sync_refunds(str(failed[0].attempt.intent_id))
    dispute(provider, "lost", 1499)
    taken = taken_instead(order)
    assert [taken[one.request_id] for one in failed] == [EUROS("10.00"), EUROS("4.99")]
    assert (debts(order), surplus(order)) == ([], {})
    assert [*check_credit_notes(), *check_ledger()] == []


def test_a_refund_refused_for_a_dispute_tells_the_shop_of_it(order, provider):
    request = refund(order)
    dispute_id = provider.open_dispute(Attempt.objects.get())
    send_all()
    assert request.refunds.get().error == "charge_disputed"
    assert Dispute.objects.get().state == "needs_response"
    assert progress(request) == "failed"
    with pytest.raises(RefundRefused) as caught:
        retry_refund(refund_id=request.refunds.get().pk)
    assert caught.value.code == "refund_disputed"
    assert sorted(mails(order)) == ["dispute_alert", "refund_failed_alert"]
    assert list(waiting_refunds()) == [request.refunds.get()]
    assert [(shown.owed, shown.taken) for shown in refunds_for_page(order)] == [(EUROS("49.99"), 0)]
    provider.move_dispute(dispute_id, "lost")
    sync_disputes(Attempt.objects.get().intent_id)
    # The bank gave it back: nobody tries again, and nobody waits for the order.
    assert not waiting_refunds()
    assert [(shown.owed, shown.taken) for shown in refunds_for_page(order)] == [(0, EUROS("49.99"))]
    assert progress(request) == "failed"
    assert report_overdue_orders(timezone.now() + timedelta(days=100)) == 0
    assert not {"delivery_overdue", "delivery_overdue_workshop"} & set(mails(order))


def refund_words(client, order: Order) -> str:
    page = client.get(f"{reverse('orders:order', args=[order.pk])}?acces={access_token(order)}")
    refunds = page.content.decode().partition('id="remboursements"')[2]
    return refunds.partition('class="timeline__when">')[2].partition("</p>")[0]


def test_a_refund_half_made_is_completed_by_the_dispute_that_was_lost(provider, client):
    order = make_order((make_product(price="100.00"), 1))
    owe(order, "20.00")
    order.payments.filter(position=1).update(amount=EUROS("80.00"))
    Attempt.objects.update(amount_cents=8000)
    pay_order(order)
    paid_again(order, "20.00")
    first = Attempt.objects.get(payment__position=1)
    request = refund(order)
    assert (request.amount, order.total) == (EUROS("100.00"), EUROS("100.00"))
    dispute_id = provider.open_dispute(first)
    send_all()
    request.refresh_from_db()
    assert (request.settled_at, [debt.owed for debt in debts(order)]) == (None, [EUROS("80.00")])
    assert refund_words(client, order) == (
        "20,00\u00a0€ vous ont été rendus. 80,00\u00a0€ vous sont dus\u00a0: le remboursement n'a pas abouti, "
        "nous nous en occupons."
    )

    provider.move_dispute(dispute_id, "lost")
    sync_disputes(first.intent_id)

    request.refresh_from_db()
    assert (request.credit_note.total, debts(order), list(waiting_refunds())) == (EUROS("-100.00"), [], [])
    assert refund_mail_amounts(order) == ["20.00"]
    assert OutgoingMail.objects.get(kind="refund_done").context["taken_back"] == "80.00"
    told = request.credit_note.data
    assert told["refund"] == {
        "refunded": "20.00", "refunded_on": told["issued_on"], "voided": "0.00", "taken_back": "80.00",
    }  # fmt: skip
    printed = page_texts(told)
    assert printed["panel"][1] == "20,00\u00a0€"
    assert ["Repris par votre banque", "80,00\u00a0€"] in printed["remarks"]
    assert refund_words(client, order) == (
        "20,00\u00a0€ vous ont été rendus. Votre banque a repris 80,00\u00a0€ à votre demande."
    )
    assert "un remboursement a échoué et reste dû au client" not in archiving_obstacles(order)
    assert [*check_credit_notes(), *check_ledger()] == []


def test_a_credited_refund_that_came_back_is_made_good_by_the_dispute_that_was_lost(provider):
    failed = bounced(provider)
    assert [fault.detail for fault in check_credit_notes()] == ["son remboursement a échoué après l'émission"]
    dispute_id = provider.open_dispute(failed.attempt)
    provider.move_dispute(dispute_id, "lost")
    sync_disputes(failed.attempt.intent_id)
    assert failed.request.credit_note.total == EUROS("-49.99")
    assert (debts(failed.order), list(waiting_refunds())) == ([], [])
    assert "un remboursement a échoué et reste dû au client" not in archiving_obstacles(failed.order)
    assert [*check_credit_notes(), *check_ledger()] == []
    assert refund_mail_amounts(failed.order) == ["49.99"]


def refund_mail_amounts(order: Order) -> list[str]:
    sent = OutgoingMail.objects.filter(reference=order.reference, kind="refund_done")
    return [mail.context["amount"] for mail in sent]


def test_what_a_bank_took_counts_for_the_decision_that_took_effect_not_for_one_refused_before(
    order, provider
):
    """The first was refused whole and decided anew; the second was credited, and came back."""
    sent = []
    for begins in ("pending", "succeeded"):
        provider.begins = begins
        sent.append(refund(order).refunds.get())
        send_all()
        sent[-1].refresh_from_db()
        provider.settle_refund(str(sent[-1].provider_id), "failed")
        sync_refunds(str(sent[-1].attempt.intent_id))
    assert [(debt.refund, debt.owed) for debt in debts(order)] == [(sent[1], EUROS("49.99"))]

    dispute(provider, "lost")

    assert (debts(order), taken_instead(order)[sent[1].request_id]) == ([], EUROS("49.99"))
    decided = sent[1].request
    decided.refresh_from_db()
    assert decided.settled_at is not None
    assert [*check_credit_notes(), *check_ledger()] == []


@pytest.mark.parametrize(
    ("end", "second", "credited"), [("won", "scheduled", [-60]), ("lost", "void", [-60, -60])]
)
def test_l221_27_a_part_withdrawn_while_a_dispute_is_open_is_never_charged(provider, end, second, credited):
    order = in_installments()
    order.items.update(quantity=3, unit_price=EUROS("60.00"))
    dispute_id = dispute(provider)
    one = (ReturnedLine(order.items.get().pk, 1),)
    case = declare(order, order=order, lines=one)
    assert case.voided == EUROS("60.00")
    assert states(order) == [("paid", 60), ("scheduled", 60), ("void", 60)]
    provider.move_dispute(dispute_id, end)
    sync_disputes(Attempt.objects.get().intent_id)
    assert states(order) == [("paid", 60), (second, 60), ("void", 60)]
    request = refund_case(case_id=case.pk, lines=one, amount=None, reason="", actor=None)
    assert (request.amount, request.voided, request.refunds.count()) == (EUROS("60.00"), EUROS("60.00"), 0)
    notes = Invoice.objects.filter(kind="credit_note").order_by("pk")
    assert list(notes.values_list("total", flat=True)) == credited


@pytest.mark.parametrize("card_first", [False, True])
@pytest.mark.parametrize("goes_through", [EUROS("0.00"), EUROS("20.00")])
def test_a_refund_is_made_again_for_what_a_lost_dispute_left_of_its_charge(
    provider, goes_through, card_first
):
    order = make_order((make_product(price="100.00"), 1))
    if goes_through:
        owe(order, "20.00")
        order.payments.filter(position=1).update(amount=EUROS("80.00"))
        Attempt.objects.update(amount_cents=8000)
    pay_order(order)
    if goes_through:
        paid_again(order, "20.00")
    first = Attempt.objects.get(payment__position=1)
    request = refund(order)
    dispute_id = provider.open_dispute(first, 5000)
    send_all()
    provider.move_dispute(dispute_id, "lost")
    sync_disputes(first.intent_id)
    failed = request.refunds.get(state="failed")
    left = EUROS("50.00") - goes_through
    assert (failed.amount, list(waiting_refunds())) == (EUROS("100.00") - goes_through, [failed])
    assert [debt.owed for debt in retryable_refunds(order)] == [left]

    if card_first:
        # Stripe refuses a charge that was disputed, whatever is left of it.
        failed = retry_refund(refund_id=failed.pk)
        send_all()
    settle_by_transfer(refund_id=failed.pk, sent_on=timezone.localdate(), reference="V1", amount=left)

    request.refresh_from_db()
    assert request.credit_note.total == EUROS("-100.00")
    assert (progress(request), debts(order), list(waiting_refunds())) == ("succeeded", [], [])
    assert refund_mail_amounts(order) == ["50.00"]
    assert [*check_credit_notes(), *check_ledger()] == []
