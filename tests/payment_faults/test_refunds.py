"""Cases 27 to 29: money that goes back goes back once, whoever asks, and is seen whoever sent it."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from functools import partial
from typing import Any

import pytest
from django.db import OperationalError
from django.utils import timezone

from orders.models import (
    Attempt,
    Dispute,
    LedgerEntry,
    Order,
    OrderStatus,
    PaymentState,
    Refund,
    RefundRequest,
    RefundState,
)
from orders.selectors.refund_rules import RefundRefused, ReturnedLine, charges_left, refundable
from orders.services.fulfilment.status_changes import update_status
from orders.services.payments.settlement import settle
from orders.services.reconciliation import reconcile
from orders.services.refunds import decisions
from orders.services.refunds.decisions import request_refund
from orders.services.refunds.sending import send_refund
from orders.stripe import gateway
from orders.tests.factories import new_key
from orders.tests.fake_stripe import FakeStripe
from orders.tests.installments import bought, frozen_calendar, offer_installments
from orders.tests.refunding import ledger
from shop.core.problems import Problem
from tests.payment_faults.outcomes import left_in_stock, mails, rows, sent_event, wait_for
from tests.races.concurrency import Meeting, run_concurrently
from tests.races.conftest import Buyer

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]

CLICKS = 50
ADMINISTRATORS = 20
REFUNDS = "/v1/refunds"


@pytest.fixture
def paid(fake_stripe: FakeStripe, order: Order) -> Order:
    """The only piece, paid 60.00."""
    fake_stripe.pay(order)
    settle(Attempt.objects.get().pk)
    order.refresh_from_db()
    return order


def at_stripe(order: Order) -> list[tuple[int, str]]:
    """Cents and status of every refund of the order's charges, oldest first."""
    found = []
    for intent_id in Attempt.objects.filter(payment__order=order).values_list("intent_id", flat=True):
        found += [(facts.amount_cents, facts.status) for facts in gateway.list_refunds(intent_id)]
    return list(reversed(found))


def hear(fake_stripe: FakeStripe, kind: str = "refund", times: int = 1, *, backwards: bool = False) -> None:
    """Stripe tells what it has to tell of refunds or disputes."""
    events = [event for event in fake_stripe.events() if kind in event["type"]] * times
    for event in reversed(events) if backwards else events:
        assert Buyer().webhook(event) == 200


def give_back(order: Order, key: str = "", **demand: Any) -> RefundRequest:
    return request_refund(order_id=order.pk, key=key or new_key(), **demand)


def refunded_once(order: Order) -> None:
    order.refresh_from_db()
    assert order.status == OrderStatus.REFUNDED
    assert at_stripe(order) == [(6000, "succeeded")]
    assert ledger(order) == [("charge", Decimal("60.00")), ("refund", Decimal("-60.00"))]
    assert order.payments.get().state == PaymentState.REFUNDED
    assert mails(order) == ["order_confirmation", "order_new_workshop", "refund_done"]
    assert [document.kind for document in order.invoices.order_by("sequence")] == ["invoice", "credit_note"]
    assert RefundRequest.objects.get().settled_at is not None


def test_case_27_fifty_clicks_on_one_button_are_one_refund(fake_stripe, paid, figures):
    """Refund: two admins, two workers, double click: one refund, never more than paid."""
    lines = [ReturnedLine(paid.items.get().pk, 1, True)]
    outcomes = run_concurrently([partial(give_back, paid, "one-button", lines=lines)] * CLICKS)
    # Who waits for the order longer than the database allows is told to come back.
    assert {type(outcome.error) for outcome in outcomes} <= {type(None), OperationalError}
    decided = {outcome.value.pk for outcome in outcomes if outcome.error is None}
    assert decided == {RefundRequest.objects.get().pk}
    assert give_back(paid, "one-button", lines=lines).pk in decided
    refund = Refund.objects.get()
    workers = run_concurrently([partial(send_refund, refund.pk)] * 10)
    assert {type(worker.error) for worker in workers} <= {type(None), gateway.GatewayUnavailable}
    send_refund(refund.pk)
    hear(fake_stripe, times=2)
    refunded_once(paid)
    assert left_in_stock(paid) == 1
    figures(
        refund_clicks=CLICKS,
        refunds_decided=RefundRequest.objects.count(),
        refunds_at_stripe=len(at_stripe(paid)),
    )


def test_case_27_twenty_administrators_never_give_back_more_than_was_paid(fake_stripe, paid, figures):
    """Refund: two admins, two workers, double click: never more than paid; who comes too late is told so."""
    outcomes = run_concurrently(
        [partial(give_back, paid, amount=Decimal("25.00")) for _ in range(ADMINISTRATORS)]
    )
    errors = [outcome.error for outcome in outcomes if outcome.error is not None]
    assert {type(error) for error in errors} <= {RefundRefused, OperationalError}
    for _late in range(2):
        with suppress(RefundRefused):
            give_back(paid, amount=Decimal("25.00"))
    assert RefundRequest.objects.count() == 2
    refusals = [error for error in errors if isinstance(error, RefundRefused)]
    assert {refusal.extra["refundable"] for refusal in refusals} <= {"10.00"}
    run_concurrently(
        [partial(send_refund, refund.pk) for refund in Refund.objects.all() for _worker in range(3)]
    )
    for refund in Refund.objects.all():
        send_refund(refund.pk)
    assert sorted(at_stripe(paid)) == [(2500, "succeeded")] * 2
    assert refundable(paid) == Decimal("10.00")
    figures(administrators=ADMINISTRATORS, refunds_decided=2, offered_what_is_left=len(refusals))


def test_case_27_without_the_lock_two_administrators_give_back_too_much(fake_stripe, paid, monkeypatch):
    """The control: who decides on what was read before the other one wrote gives back more than was paid."""
    meeting = Meeting(2)
    real = decisions.propose_refund

    def propose_late(*args: Any, **named: Any) -> Any:
        proposal = real(*args, **named)
        meeting.wait()
        return proposal

    monkeypatch.setattr(decisions, "propose_refund", propose_late)
    monkeypatch.setattr(type(Order.objects.all()), "select_for_update", lambda rows, **named: rows)
    whole = [replace(charge, left=paid.total) for charge in charges_left(paid)]
    monkeypatch.setattr(decisions, "charges_left", lambda order: whole)
    run_concurrently([partial(give_back, paid, amount=Decimal("40.00"))] * 2)
    monkeypatch.undo()
    assert sum(Refund.objects.values_list("amount", flat=True)) == Decimal("80.00")


def test_case_27_an_answer_that_is_lost_is_one_refund(fake_stripe, paid):
    """Refund: the answer lost, asked again with the same key: one refund."""
    give_back(paid)
    refund = Refund.objects.get()
    fake_stripe.control("faults", kind="drop", method="POST", path=REFUNDS, times=2)
    with pytest.raises(gateway.GatewayUnavailable):
        send_refund(refund.pk)
    assert Refund.objects.get().state == RefundState.SENT
    assert reconcile.send_waiting_refunds(timezone.now() + timedelta(minutes=2)) == 1
    refunded_once(paid)


def test_case_27_noticed_after_a_day_what_was_done_is_looked_up_first(fake_stripe, paid):
    """Refund: the answer lost, noticed when the key is forgotten: one refund, found by its metadata."""
    give_back(paid, amount=Decimal("20.00"))
    refund = Refund.objects.get()
    fake_stripe.control("faults", kind="drop", method="POST", path=REFUNDS, times=2)
    with pytest.raises(gateway.GatewayUnavailable):
        send_refund(refund.pk)
    fake_stripe.control("clock", advance=25 * 3600)
    Refund.objects.update(created_at=timezone.now() - timedelta(hours=25))
    asked = len(fake_stripe.requests(REFUNDS))
    assert reconcile.send_waiting_refunds(timezone.now()) == 1
    assert len(fake_stripe.requests(REFUNDS)) == asked
    assert at_stripe(paid) == [(2000, "succeeded")]
    assert Refund.objects.get().state == RefundState.SUCCEEDED
    assert refundable(paid) == Decimal("40.00")


def test_case_27_the_same_key_acts_again_after_a_day(fake_stripe, paid, monkeypatch):
    """The control: without looking first, Stripe refunds a second time under the forgotten key."""
    give_back(paid, amount=Decimal("20.00"))
    refund = Refund.objects.get()
    fake_stripe.control("faults", kind="drop", method="POST", path=REFUNDS, times=2)
    with pytest.raises(gateway.GatewayUnavailable):
        send_refund(refund.pk)
    fake_stripe.control("clock", advance=25 * 3600)
    send_refund(refund.pk)
    assert at_stripe(paid) == [(2000, "succeeded")] * 2


def test_case_28_the_echo_comes_before_the_answer(fake_stripe, paid, monkeypatch):
    """Refund echo arrives before the API answer: one row."""
    give_back(paid)
    refund = Refund.objects.get()
    real = gateway.create_refund

    def answer_late(**named: Any) -> Any:
        facts = real(**named)
        run_concurrently([partial(hear, fake_stripe)] * 5)
        return facts

    monkeypatch.setattr(gateway, "create_refund", answer_late)
    send_refund(refund.pk)
    assert Refund.objects.count() == 1
    refunded_once(paid)


def test_case_28_a_dashboard_refund_told_ten_times_is_one_external_row(fake_stripe, paid):
    """A Dashboard refund: an external row, once."""
    fake_stripe.control("refunds", payment_intent=Attempt.objects.get().intent_id, amount=1500)
    sent_event(fake_stripe, "charge.refunded")
    events = [event for event in fake_stripe.events() if "refund" in event["type"]]
    codes = run_concurrently([partial(Buyer(n).webhook, event) for n in range(5) for event in events])
    assert {outcome.value for outcome in codes} == {200}
    refund = Refund.objects.get()
    assert (refund.reason, refund.state, refund.amount) == ("external", "succeeded", Decimal("15.00"))
    request = RefundRequest.objects.get()
    assert (request.external, request.amount, request.settled_at is None) == (True, Decimal("15.00"), False)
    assert ledger(paid) == [("charge", Decimal("60.00")), ("refund", Decimal("-15.00"))]
    assert refundable(paid) == Decimal("45.00")
    assert mails(paid) == ["order_confirmation", "order_new_workshop", "refund_done"]


def test_case_28_a_dashboard_refund_beside_one_of_ours_never_goes_beyond_what_was_paid(fake_stripe, paid):
    """A Dashboard refund while ours waits: Stripe refuses the second, which is a state and not a crash."""
    give_back(paid)
    fake_stripe.control("refunds", payment_intent=Attempt.objects.get().intent_id)
    refund = Refund.objects.get()
    send_refund(refund.pk)
    refund.refresh_from_db()
    assert (refund.state, refund.error) == (RefundState.FAILED, "charge_already_refunded")
    hear(fake_stripe)
    assert at_stripe(paid) == [(6000, "succeeded")]
    assert sum(LedgerEntry.objects.values_list("amount", flat=True)) == Decimal("0.00")
    paid.refresh_from_db()
    assert paid.status == OrderStatus.REFUNDED
    assert mails(paid) == ["order_confirmation", "order_new_workshop", "refund_done", "refund_failed_alert"]


@pytest.mark.parametrize("backwards", [False, True])
def test_case_28_a_refund_that_fails_later_is_given_back_with_an_alert(fake_stripe, paid, backwards):
    """Refund fails later: amount given back, alert."""
    fake_stripe.control("refunds/next", begins="succeeded", ends=None)
    give_back(paid)
    refund = Refund.objects.get()
    send_refund(refund.pk)
    refunded_once(paid)
    refund.refresh_from_db()
    fake_stripe.control(f"refunds/{refund.provider_id}/settle", status="failed")
    wait_for(lambda: [e for e in fake_stripe.events() if e["type"] == "refund.failed"], "refund.failed")
    hear(fake_stripe, times=2, backwards=backwards)
    refund.refresh_from_db()
    paid.refresh_from_db()
    assert (refund.state, refund.error) == (RefundState.FAILED, "expired_or_canceled_card")
    assert (paid.status, paid.payments.get().state) == (OrderStatus.CONFIRMED, PaymentState.PAID)
    assert [kind for kind, _amount in ledger(paid)] == ["charge", "refund", "refund_failed"]
    assert mails(paid).count("refund_failed_alert") == 1
    # Asked for again, it goes back under its first decision and the books are as if it had never failed.
    assert give_back(paid) == RefundRequest.objects.get()
    send_refund(Refund.objects.get(replaces=refund).pk)
    paid.refresh_from_db()
    assert paid.status == OrderStatus.REFUNDED
    assert sum(LedgerEntry.objects.values_list("amount", flat=True)) == Decimal("0.00")
    assert paid.invoices.filter(kind="credit_note").count() == 1


def test_case_28_a_pending_refund_is_followed_to_its_end(fake_stripe, paid):
    """A refund that the bank takes days for: pending, then done, by webhook or by the sweep."""
    fake_stripe.control("refunds/next", begins="pending", ends=None)
    give_back(paid)
    refund = Refund.objects.get()
    send_refund(refund.pk)
    refund.refresh_from_db()
    assert refund.state == RefundState.PENDING
    assert ledger(paid) == [("charge", Decimal("60.00"))]
    fake_stripe.control(f"refunds/{refund.provider_id}/settle", status="succeeded")
    assert reconcile.send_waiting_refunds(timezone.now() + timedelta(minutes=2)) == 1
    refunded_once(paid)


def test_case_29_a_dispute_blocks_the_refund_with_its_reason(fake_stripe, paid):
    """Dispute opened, then refund clicked, third due next day: refund blocked with reason, staff told."""
    fake_stripe.control("disputes", payment_intent=Attempt.objects.get().intent_id)
    hear(fake_stripe, "dispute", times=3)
    assert Dispute.objects.get().state == "needs_response"
    assert mails(paid) == ["dispute_alert", "order_confirmation", "order_new_workshop"]
    assert [kind for kind, _amount in ledger(paid)] == ["charge", "dispute"]
    before = rows()
    with pytest.raises(RefundRefused) as refused:
        give_back(paid)
    assert refused.value.code == "refund_disputed"
    assert refused.value.detail.endswith(
        "la banque du client conteste ce paiement. Répondez d'abord au litige."
    )
    with pytest.raises(Problem) as frozen:
        update_status(order_id=paid.pk, status="shipped", actor=None)
    assert frozen.value.code == "order_disputed"
    assert rows() == before


def test_case_29_a_refund_clicked_before_the_news_of_the_dispute_is_a_state(fake_stripe, paid):
    """Dispute opened, and nobody told the shop yet: Stripe refuses, the shop learns why, nothing is retried blindly."""
    fake_stripe.control("disputes", payment_intent=Attempt.objects.get().intent_id)
    request = give_back(paid)
    send_refund(request.refunds.get().pk)
    assert (request.refunds.get().state, request.refunds.get().error) == (
        RefundState.FAILED,
        "charge_disputed",
    )
    assert Dispute.objects.get().state == "needs_response"
    assert reconcile.send_waiting_refunds(timezone.now() + timedelta(hours=1)) == 0
    assert mails(paid) == ["dispute_alert", "order_confirmation", "order_new_workshop", "refund_failed_alert"]


@pytest.mark.parametrize(
    ("ends", "kinds"), [("won", ["charge", "dispute", "dispute_won"]), ("lost", ["charge", "dispute"])]
)
def test_case_29_a_dispute_ends(fake_stripe, paid, ends, kinds):
    """A dispute won gives the money back and lifts the freeze; one lost leaves nothing to refund."""
    dispute = fake_stripe.control("disputes", payment_intent=Attempt.objects.get().intent_id)["dispute"]
    hear(fake_stripe, "dispute")
    fake_stripe.control(f"disputes/{dispute['id']}/close", status=ends)
    hear(fake_stripe, "dispute", times=2, backwards=True)
    assert Dispute.objects.get().state == ends
    assert [kind for kind, _amount in ledger(paid)] == kinds
    if ends == "won":
        assert give_back(paid).amount == Decimal("60.00")
    else:
        with pytest.raises(RefundRefused) as refused:
            give_back(paid)
        assert refused.value.code == "refund_nothing_left"


def test_case_29_installments_stop_while_a_dispute_is_open(fake_stripe, shopper):
    """Dispute opened, third due next day: it is not charged; after the dispute is won it is."""
    offer_installments()
    with frozen_calendar(fake_stripe) as clock:
        order = bought(fake_stripe, shopper)
        first = order.payments.get(position=1)
        dispute = fake_stripe.control("disputes", payment_intent=first.attempts.get().intent_id)["dispute"]
        hear(fake_stripe, "dispute")
        second = order.payments.get(position=2)
        clock.run_until(second.due_on + timedelta(days=1))
        second.refresh_from_db()
        assert second.state in (PaymentState.SCHEDULED, PaymentState.DUE)
        assert not second.attempts.exists()
        fake_stripe.control(f"disputes/{dispute['id']}/close", status="won")
        hear(fake_stripe, "dispute")
        # The customer is reminded first, as before every charge.
        clock.run_until(clock.today + timedelta(days=8))
        second.refresh_from_db()
        assert second.state == PaymentState.PAID
