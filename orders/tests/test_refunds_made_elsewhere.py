"""Refunds that somebody made in the provider's own pages: recognised, booked once, given back when they fail."""

from __future__ import annotations

from datetime import timedelta

import pytest
import time_machine
from django.utils import timezone

from orders.books.audit_checks import check_credit_notes, check_ledger
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
from orders.selectors.money import waiting_refunds
from orders.selectors.refund_debts import debts, surplus
from orders.selectors.refund_rules import refundable
from orders.selectors.refunds import progress, refunds_for_page
from orders.services.refunds.decisions import retry_refund
from orders.services.refunds.disputes import sync_disputes
from orders.services.refunds.outcomes import apply_refund
from orders.services.refunds.sending import sync_refunds
from orders.stripe.facts import RefundFacts
from orders.tests.refunding import (
    EUROS,
    in_installments,
    ledger,
    mails,
    paid_again,
    refund,
    rows,
    send_all,
    states,
)
from shop.core.dates import shop_day
from shop.core.mail_delivery import render
from shop.core.models import OutgoingMail

pytestmark = [pytest.mark.postgres, pytest.mark.django_db, pytest.mark.usefixtures("provider")]


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


@pytest.mark.parametrize(
    ("charge", "intent", "found"),
    [("own", "own", True), ("", "own", True), ("own", "", True), ("foreign", "own", True),
     ("foreign", "foreign", False), ("", "", False)],
)  # fmt: skip
def test_the_payment_of_a_refund_made_elsewhere_is_known_by_its_charge_or_by_its_intent(
    charge, intent, found
):
    order = in_installments()
    second = paid_again(order, "60.00")
    names = {
        "own": (second.charge_id, second.intent_id),
        "foreign": ("ch_foreign", "pi_foreign"),
        "": ("", ""),
    }
    apply_refund(
        RefundFacts("re_1", 500, "succeeded", "", names[charge][0], names[intent][1], {}, timezone.now())
    )
    made = Refund.objects.values_list("attempt", "amount", "state")
    assert list(made) == ([(second.pk, EUROS("5.00"), "succeeded")] if found else [])


@pytest.mark.parametrize(("cents", "paid_back", "owed"), [(4999, "49.99", "0.00"), (2000, "20.00", "29.99")])
def test_what_was_given_back_elsewhere_meanwhile_is_told_as_money_of_the_decision(
    order, provider, cents, paid_back, owed
):
    refund(order)
    attempt = Attempt.objects.get()
    provider.refund_elsewhere(attempt, cents)
    sync_refunds(attempt.intent_id)
    assert [shown.money for shown in refunds_for_page(order)] == [EUROS("49.99")]
    send_all()
    assert [(shown.money, shown.paid_back, shown.owed) for shown in refunds_for_page(order)] == [
        (EUROS("49.99"), EUROS(paid_back), EUROS(owed))
    ]


def test_the_mail_of_a_decision_tells_what_was_given_back_elsewhere_for_it(order, provider):
    refund(order, amount=EUROS("10.00"))
    attempt = Attempt.objects.get()

    # 39.99 were promised to nobody, and are a decision of their own.
    provider.refund_elsewhere(attempt, 4999)
    sync_refunds(attempt.intent_id)

    done = OutgoingMail.objects.filter(kind="refund_done").order_by("pk")
    told = [mail.context["amount"] for mail in done]
    assert sorted(told) == ["10.00", "39.99"]
    mail = render(done[told.index("10.00")])
    assert mail.subject == f"Votre remboursement\u00a0: commande {order.reference}"
    assert f"Nous vous avons remboursé 10,00\u00a0€ pour la commande {order.reference}" in mail.text


def test_of_two_decisions_that_a_part_given_back_elsewhere_covers_one_is_owed_the_rest(order, provider):
    """It settled the first; counted for the second, too, as that is refused, it leaves the first to be completed."""
    first, second = refund(order, amount=EUROS("30.00")), refund(order)
    attempt = Attempt.objects.get()
    provider.refund_elsewhere(attempt, 4000)
    sync_refunds(attempt.intent_id)
    send_all()
    first.refresh_from_db()
    second.refresh_from_db()
    assert [progress(request) for request in (first, second)] == ["failed", "succeeded"]
    [waiting] = waiting_refunds()
    assert (waiting.request, [debt.owed for debt in debts(order)]) == (first, [EUROS("9.99")])
    assert list(check_ledger()) == []
    assert retry_refund(refund_id=waiting.pk).amount == EUROS("9.99")
    send_all()
    order.refresh_from_db()
    assert (order.status, list(waiting_refunds()), debts(order)) == (OrderStatus.REFUNDED, [], [])
    assert sum(note.total for note in Invoice.objects.filter(kind="credit_note")) == EUROS("-49.99")
    assert [*check_credit_notes(), *check_ledger()] == []


def test_of_a_refund_that_was_tried_again_the_rest_is_owed_once_a_part_was_given_back_elsewhere(
    order, provider
):
    """What was given back before the second try is no part of it: 20.00 and 10.00 were taken for all of its 29.99."""
    refund(order)
    attempt = Attempt.objects.get()
    provider.refund_elsewhere(attempt, 2000)
    sync_refunds(attempt.intent_id)
    send_all()
    tried = retry_refund(refund_id=debts(order)[0].refund.pk)
    assert tried.amount == EUROS("29.99")
    provider.refund_elsewhere(attempt, 1000)
    send_all()
    sync_refunds(attempt.intent_id)
    [debt] = debts(order)
    assert (debt.refund, debt.owed, list(waiting_refunds())) == (tried, EUROS("19.99"), [tried])
    retry_refund(refund_id=tried.pk)
    send_all()
    order.refresh_from_db()
    assert (order.status, list(waiting_refunds()), debts(order)) == (OrderStatus.REFUNDED, [], [])
    assert sum(amount for _kind, amount in ledger(order)) == 0
    assert [*check_credit_notes(), *check_ledger()] == []


def test_what_was_given_back_elsewhere_for_a_decision_that_is_refused_whole_is_credited(order, provider):
    decided = refund(order, amount=EUROS("30.00"))
    attempt = Attempt.objects.get()
    # 19.99 were promised to nobody, 20.01 are a part of the 30.00, which the charge has no more.
    provider.refund_elsewhere(attempt, 4000)
    sync_refunds(attempt.intent_id)
    send_all()

    decided.refresh_from_db()
    assert (progress(decided), [debt.owed for debt in debts(order)]) == ("failed", [])
    notes = Invoice.objects.filter(kind="credit_note").order_by("pk")
    assert [note.total for note in notes] == [EUROS("-19.99"), EUROS("-20.01")]
    assert [*check_credit_notes(), *check_ledger()] == []
    assert refundable(order) == EUROS("9.99")
    # What is credited beside it is not owed once more.
    shown = [(shown.money, shown.owed) for shown in refunds_for_page(order)]
    assert shown == [(EUROS("9.99"),) * 2, (EUROS("19.99"), 0), (EUROS("20.01"), 0)]

    # The money comes back to the shop: all of it is owed again.
    provider.settle_refund(Refund.objects.get(provider_id__isnull=False).provider_id, "failed")
    sync_refunds(attempt.intent_id)
    assert sorted(debt.owed for debt in debts(order)) == [EUROS("19.99"), EUROS("20.01")]
    refund(order)
    send_all()
    order.refresh_from_db()
    assert (order.status, sum(amount for _kind, amount in ledger(order))) == (OrderStatus.REFUNDED, 0)
    assert sum(note.total for note in notes.all()) == EUROS("-49.99")
    assert [*check_credit_notes(), *check_ledger()] == []


def test_a_credit_note_of_what_went_back_elsewhere_says_the_day_on_which_it_did(order, provider):
    refund(order, amount=EUROS("30.00"))
    attempt = Attempt.objects.get()
    provider.refund_elsewhere(attempt, 4000)
    sync_refunds(attempt.intent_id)
    with time_machine.travel(timezone.now() + timedelta(days=5), tick=False):
        send_all()
    notes = Invoice.objects.filter(kind="credit_note")
    given_back = Refund.objects.get(state=RefundState.SUCCEEDED).settled_at
    assert {note.data["refund"]["refunded_on"] for note in notes} == {shop_day(given_back).isoformat()}
    assert notes.count() == 2


def test_what_is_on_its_way_from_elsewhere_for_a_decision_that_is_refused_is_credited_as_it_arrives(
    order, provider
):
    refund(order, amount=EUROS("30.00"))
    attempt = Attempt.objects.get()
    provider.begins = "pending"
    made = provider.refund_elsewhere(attempt, 4000)
    sync_refunds(attempt.intent_id)
    send_all()
    notes = Invoice.objects.filter(kind="credit_note").order_by("pk")
    assert not notes

    provider.settle_refund(made.refund_id, "succeeded")
    sync_refunds(attempt.intent_id)

    assert [note.total for note in notes.all()] == [EUROS("-19.99"), EUROS("-20.01")]
    assert [*check_credit_notes(), *check_ledger()] == []


def test_what_is_given_back_elsewhere_counts_first_for_what_is_owed_of_the_same_charge(provider):
    """The charge has that money no more; another one has still what its own decision owes."""
    order = in_installments()
    second, third = paid_again(order, "60.00"), paid_again(order, "60.00")
    older, newer = refund(order, amount=EUROS("60.00")), refund(order, amount=EUROS("40.00"))
    send_all()
    for request, attempt in ((older, third), (newer, second)):
        sent = request.refunds.get()
        assert sent.attempt == attempt
        provider.settle_refund(sent.provider_id, "failed")
        sync_refunds(attempt.intent_id)
    assert [(debt.refund.request, debt.owed) for debt in debts(order)] == [(older, 60), (newer, 40)]

    # 20.00 of it were promised to nobody, and are a decision of their own.
    provider.refund_elsewhere(second, 6000)
    sync_refunds(second.intent_id)

    assert [(debt.refund.request, debt.owed) for debt in debts(order)] == [(older, 60)]
    newer.refresh_from_db()
    assert progress(newer) == "succeeded"
    # What is owed can be refunded.
    retry_refund(refund_id=older.refunds.get().pk)
    send_all()
    assert (debts(order), surplus(order), refundable(order)) == ([], {}, EUROS("60.00"))
    decided = RefundRequest.objects.exclude(settled_at=None).order_by("created_at")
    assert list(decided.values_list("amount", flat=True)) == [60, 40, 20]


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
