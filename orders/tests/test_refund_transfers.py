"""Refunds that a card can't take, settled by transfer: once, booked on its day, told to the customer."""

from __future__ import annotations

from datetime import date, datetime

import pytest
import time_machine
from django.utils import timezone

from orders.books.audit import audit_books
from orders.books.days import month
from orders.books.receipts import receipts
from orders.models import (
    Attempt,
    Invoice,
    LedgerEntry,
    OrderStatus,
    PaymentState,
    Refund,
    RefundMethod,
    RefundReason,
    RefundRequest,
    RefundState,
    WorkPiece,
)
from orders.selectors.refund_debts import debts
from orders.selectors.refund_rules import RefundRefused, ReturnedLine, refundable
from orders.selectors.refunds import progress
from orders.services.reconciliation.comparison import booked_between
from orders.services.refunds.decisions import request_automatic_refund, retry_refund
from orders.services.refunds.sending import sync_refunds
from orders.tests.factories import make_order, make_product, pay_order
from orders.tests.refunding import (
    EUROS,
    FAILED,
    PAID,
    PARIS,
    bounced,
    in_installments,
    ledger,
    mails,
    refund,
    rows,
    send_all,
)
from orders.tests.transfers import TODAY, refused, transfer
from shop.core.mail_delivery import deliver
from shop.core.models import MailState, OutgoingMail

pytestmark = [pytest.mark.postgres, pytest.mark.django_db, pytest.mark.usefixtures("day_of_transfers")]


def test_it_is_booked_on_its_day_and_completes_the_decision(failed):
    made = transfer(failed)
    order = failed.order
    order.refresh_from_db()
    assert (made.method, made.state, made.replaces, made.request, made.attempt, made.provider_id) == (
        RefundMethod.TRANSFER, RefundState.SUCCEEDED, failed, failed.request, failed.attempt, None
    )  # fmt: skip
    assert (made.amount, made.transfer_reference) == (EUROS("49.99"), "VIR 118")
    assert made.settled_at == datetime(2026, 12, 3, 12, tzinfo=PARIS)
    entry = LedgerEntry.objects.latest("pk")
    assert (entry.kind, entry.amount, entry.provider_id) == ("refund", EUROS("-49.99"), f"transfer-{made.pk}")
    assert (entry.occurred_at, entry.created_at) == (made.settled_at, TODAY)
    assert (order.status, order.payments.get().state) == (OrderStatus.REFUNDED, PaymentState.REFUNDED)
    request = RefundRequest.objects.get()
    assert (progress(request), request.settled_at, debts(order)) == ("succeeded", TODAY, [])
    assert refundable(order) == EUROS("0.00")
    # The credit note of the first time stands; the second one would be for the same debt.
    assert [note.total for note in Invoice.objects.filter(kind="credit_note")] == [EUROS("-49.99")]
    assert order.events.filter(name="refund.transferred").get().data == {
        "refund": str(made.pk), "failed": str(failed.pk), "amount": "49.99", "sent_on": "2026-12-03",
        "reference": "VIR 118",
    }  # fmt: skip


def test_a_piece_that_was_refunded_by_transfer_is_not_made(provider):
    provider.begins = "pending"
    with time_machine.travel(FAILED, tick=False):
        order = pay_order(make_order((make_product(), 2)))
        refund(order, lines=[ReturnedLine(order.items.get().pk, 1)])
        send_all()
        sent = Refund.objects.get(order=order)
        provider.settle_refund(str(sent.provider_id), "failed")
        sync_refunds(str(sent.attempt.intent_id))
    pieces = WorkPiece.objects.filter(item__order=order).order_by("number")
    assert [piece.is_cancelled for piece in pieces] == [False, False]
    transfer(sent)
    assert [piece.is_cancelled for piece in pieces.all()] == [False, True]


def test_the_receipts_book_says_transfer_and_names_the_credit_note(failed):
    transfer(failed)
    note = Invoice.objects.get(kind="credit_note")
    [line] = receipts(month(12, 2026))
    assert (line.day, line.nature, line.method, line.amount, line.document, line.written_on) == (
        date(2026, 12, 3), "Remboursement", "Virement", EUROS("-49.99"), note.number, None
    )  # fmt: skip
    assert [(line.method, line.amount) for line in receipts(month(11, 2026))] == [
        ("Carte bancaire (Stripe)", EUROS("49.99")),
        ("Carte bancaire (Stripe)", EUROS("-49.99")),
        ("Carte bancaire (Stripe)", EUROS("49.99")),
    ]


def test_neither_the_night_nor_the_audit_looks_for_it_at_the_provider(failed):
    transfer(failed)
    names = {entry.provider_id for entry in booked_between(PAID, TODAY)}
    assert names == {failed.attempt.charge_id, failed.provider_id}
    faults = audit_books(timezone.now(), with_provider=False).faults
    assert [fault for fault in faults if fault.check not in ("document", "contract")] == []


def test_a_double_click_and_two_administrators_make_one(failed):
    made = transfer(failed)
    assert transfer(failed) == made
    assert transfer(failed, reference="Autre", sent_on=date(2026, 12, 4)) == made
    assert Refund.objects.count() == 2
    assert sum(amount for _kind, amount in ledger(failed.order)) == EUROS("0.00")
    assert mails(failed.order) == ["refund_done", "refund_done", "refund_failed_alert"]


def test_what_was_tried_again_meanwhile_is_not_sent_twice(failed):
    retry_refund(refund_id=failed.pk)
    problem = refused("refund_retried", failed)
    assert problem.detail == (
        "Impossible de traiter le remboursement: il a été réessayé sur la carte entre-temps. "
        "Attendez de savoir s'il aboutit."
    )


def test_what_was_sent_is_not_tried_again(failed):
    transfer(failed)
    before = rows()
    with pytest.raises(RefundRefused) as caught:
        retry_refund(refund_id=failed.pk)
    assert caught.value.code == "refund_transferred"
    assert rows() == before


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"sent_on": date(2026, 12, 5)}, "la date du virement est dans l'avenir."),
        ({"sent_on": date(2026, 11, 29)}, "la date du virement est d'avant l'échec du remboursement."),
        ({"reference": "  "}, "indiquez la référence du virement, en 100 caractères au plus."),
        ({"reference": "x" * 101}, "indiquez la référence du virement, en 100 caractères au plus."),
    ],
)
def test_days_that_can_not_be_and_a_missing_reference(failed, changes, reason):
    problem = refused("refund_invalid", failed, **changes)
    assert (problem.status, problem.detail) == (400, f"Impossible de traiter le remboursement: {reason}")


@pytest.mark.parametrize("reference", ["7", "x" * 100])
def test_a_reference_has_one_to_a_hundred_characters(failed, reference):
    assert transfer(failed, reference=f" {reference} ").transfer_reference == reference


def test_sent_on_the_day_of_the_failure_it_stands_after_it(failed):
    made = transfer(failed, sent_on=date(2026, 11, 30))
    assert made.settled_at == failed.settled_at == FAILED


def test_sent_this_morning_it_is_not_booked_in_the_future(failed):
    assert transfer(failed, sent_on=TODAY.date()).settled_at == TODAY


def test_another_amount_than_the_one_that_was_shown(failed, provider):
    assert refused("refund_amount_changed", failed, amount=EUROS("49.98")).extra == {"refundable": "49.99"}
    # Somebody gave a part back by hand in the meantime.
    provider.refund_elsewhere(failed.attempt, 2000)
    sync_refunds(failed.attempt.intent_id)
    assert refused("refund_amount_changed", failed).extra == {"refundable": "29.99"}
    assert transfer(failed, amount=EUROS("29.99")).amount == EUROS("29.99")
    failed.order.refresh_from_db()
    assert failed.order.status == OrderStatus.REFUNDED


def test_all_of_it_made_by_hand_leaves_nothing_to_send(failed, provider):
    provider.refund_elsewhere(failed.attempt, 4999)
    sync_refunds(failed.attempt.intent_id)
    assert refused("refund_retried", failed)


def test_while_a_bank_looks_at_the_charge_nothing_is_sent(failed, provider):
    from orders.services.refunds.disputes import sync_disputes

    provider.open_dispute(failed.attempt)
    sync_disputes(failed.attempt.intent_id)
    refused("refund_disputed", failed)


def test_a_refund_that_did_not_fail_is_left_alone(provider):
    other = refund(pay_order(make_order()))
    refused("refund_not_failed", other.refunds.get())


def test_one_that_failed_before_anything_was_credited_gets_its_credit_note_and_one_mail(provider):
    with time_machine.travel(PAID, tick=False):
        order = pay_order(make_order())
    with time_machine.travel(FAILED, tick=False):
        provider.begins = "pending"
        refund(order, amount=EUROS("10.00"))
        send_all()
        sent = Refund.objects.get(order=order)
        provider.settle_refund(str(sent.provider_id), "failed")
        sync_refunds(str(sent.attempt.intent_id))
    sent.refresh_from_db()
    transfer(sent)
    note = Invoice.objects.get(order=order, kind="credit_note")
    assert (note.total, note.data["refund"]["refunded_on"]) == (EUROS("-10.00"), "2026-12-03")
    assert mails(order) == ["refund_done", "refund_failed_alert"]


def test_a_charge_that_went_back_by_itself_is_settled_without_a_decision(provider):
    with time_machine.travel(PAID, tick=False):
        order = pay_order(make_order())
        attempt = Attempt.objects.get(payment__order=order)
        automatic = request_automatic_refund(order=order, attempt=attempt, reason=RefundReason.UNAVAILABLE)
    provider.begins = "pending"
    with time_machine.travel(FAILED, tick=False):
        send_all()
        automatic.refresh_from_db()
        provider.settle_refund(str(automatic.provider_id), "failed")
        sync_refunds(str(attempt.intent_id))
    automatic.refresh_from_db()
    made = transfer(automatic)
    assert (made.request, made.note, made.amount) == (None, "unavailable", EUROS("49.99"))
    assert "refund_transferred" in mails(order)
    assert order.payments.get().state == PaymentState.REFUNDED


def test_the_last_part_of_a_decision_is_told_with_all_of_it(provider):
    """Two charges go back for one decision: one on the card, one by transfer."""
    from orders.tests.refunding import paid_again

    with time_machine.travel(PAID, tick=False):
        order = in_installments()
        paid_again(order, "60.00")
    with time_machine.travel(FAILED, tick=False):
        provider.begins = "pending"
        request = refund(order)
        send_all()
        first, second = request.refunds.order_by("created_at")
        provider.settle_refund(str(first.provider_id), "failed")
        provider.settle_refund(str(second.provider_id), "failed")
        sync_refunds(str(first.attempt.intent_id))
        sync_refunds(str(second.attempt.intent_id))
    for sent in (first, second):
        sent.refresh_from_db()
        transfer(sent)
    assert mails(order) == ["refund_done", "refund_failed_alert", "refund_failed_alert", "refund_transferred"]
    told = OutgoingMail.objects.get(kind="refund_done", reference=order.reference).context
    assert (told["amount"], told["by_card"], [part["amount"] for part in told["transfers"]]) == (
        "120.00", "", ["60.00", "60.00"]
    )  # fmt: skip


@pytest.mark.parametrize(
    ("language", "subject", "sentence"),
    [
        ("fr", "Votre remboursement", "49,99\u00a0€ par virement le 3 décembre 2026, référence VIR 118"),
        ("en", "Your refund", "€49.99 by bank transfer on 3 December 2026, reference VIR 118"),
        (
            "es",
            "Su reembolso",
            "49,99\u00a0€ por transferencia el 3 de diciembre de 2026, referencia VIR 118",
        ),
        ("de", "Ihre Erstattung", "49,99\u00a0€ per Überweisung am 3. Dezember 2026, Referenz VIR 118"),
    ],
)
def test_the_customer_reads_how_and_when_in_their_language(provider, mailoutbox, language, subject, sentence):
    transfer(bounced(provider, language=language))
    mail = OutgoingMail.objects.filter(kind="refund_done").latest("pk")
    assert deliver(mail.pk) == MailState.SENT
    assert mailoutbox[-1].subject.startswith(subject)
    assert sentence in mailoutbox[-1].body
