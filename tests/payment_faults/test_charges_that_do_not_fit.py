"""Case 10 for charges of the kept card, which have no page: what does not fit is never booked, nor made again."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from orders.models import Attempt, LedgerEntry, Order, OrderStatus, Refund, StoredCard
from orders.services.payments.due_installments import charge_now
from orders.services.payments.payment_links import pay_by_link
from orders.services.payments.settlement import settle
from orders.services.reconciliation import reconcile
from orders.stripe import gateway
from orders.stripe.facts import IntentFacts
from orders.tests.fake_stripe import FakeStripe
from orders.tests.installments import (
    SECOND,
    Clock,
    announced,
    attempts,
    calls,
    charged,
    intents,
    page_of,
    payment_of,
)
from orders.tests.installments import mails as mail_count
from orders.tests.refunding import ledger
from shop.core.problems import Problem
from tests.payment_faults.outcomes import INTENTS, mails
from tests.races.conftest import Buyer

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def order(fake_stripe: FakeStripe, buyer: Buyer, clock: Clock) -> Order:
    """150.00 in three times, confirmed; its second installment is announced and due today at nine."""
    bought_order = announced(fake_stripe, buyer, clock)
    clock.go_to(SECOND)
    return bought_order


def lie(facts: IntentFacts, **changes: Any) -> IntentFacts:
    assert facts.charge is not None
    if "charge_cents" in changes:
        return replace(facts, charge=replace(facts.charge, amount_cents=changes["charge_cents"]))
    return replace(facts, **changes)


DIFFERENCES: dict[str, tuple[dict[str, Any], str]] = {
    "amount": ({"amount_cents": 4999}, "amount: 4999 instead of 5000"),
    "currency": ({"currency": "usd"}, "currency: usd instead of eur"),
    "real money": ({"livemode": True}, "livemode: True instead of False"),
    "another attempt": ({"metadata": {"attempt": "x"}}, "attempt: x instead of {attempt}"),
    "amount charged": ({"charge_cents": 1}, "charge: 1 instead of 5000"),
}


@pytest.mark.parametrize("case", list(DIFFERENCES))
def test_case_10_a_charge_that_differs_at_stripe(fake_stripe, order, clock, monkeypatch, case):
    """Another amount or currency: not booked, `review`, alert."""
    changes, reason = DIFFERENCES[case]
    charge = gateway.charge_stored_card
    monkeypatch.setattr(gateway, "charge_stored_card", lambda **call: lie(charge(**call), **changes))
    clock.run_round()
    attempt = Attempt.objects.get(payment__order=order, kind="off_session")
    kept_for_review(order, reason.format(attempt=attempt.pk))
    # Once it was kept for review, a person decides: no later news and no job.
    monkeypatch.undo()
    settle(attempt.pk)
    reconcile.reconcile_attempts(clock.now() + timedelta(hours=1))
    assert attempts(order)[1] == (2, 1, "off_session", "review", "")
    kept_for_review(order, reason.format(attempt=attempt.pk))
    # Its money may be that of the installment: nothing else collects it.
    clock.pass_days(1)
    clock.run_round()
    assert charged(fake_stripe) == [5000, 5000]
    with pytest.raises(Problem, match="à vérifier"):
        charge_now(payment_id=payment_of(order, 2).pk, actor=None)
    with pytest.raises(Problem, match="en cours"):
        pay_by_link(order_id=order.pk, everything=False)
    assert attempts(order)[1:] == [(2, 1, "off_session", "review", "")]


def kept_for_review(order: Order, reason: str) -> None:
    order.refresh_from_db()
    assert (order.status, order.review_reason) == (OrderStatus.CONFIRMED, reason)
    assert [str(amount) for _kind, amount in ledger(order)] == ["50.00"]
    assert payment_of(order, 2).state == "scheduled"
    assert mails(order).count("payment_review_alert") == 1
    assert mail_count("installment_received") == 0


def test_case_25_a_call_that_stripe_does_not_accept_waits_for_staff(fake_stripe, order, clock):
    """Off-session refused by the provider itself: no retry, staff are told, the customer is not bothered."""
    fake_stripe.control("faults", kind="error", status=400, method="POST", path=INTENTS, times=1)
    clock.run_round()
    order.refresh_from_db()
    second = payment_of(order, 2)
    assert attempts(order)[1:] == [(2, 1, "off_session", "review", "")]
    assert (second.state, second.stopped_code, second.next_try_on) == ("due", "not_accepted", None)
    assert order.review_reason.startswith("charge not accepted: ")
    assert mails(order).count("payment_review_alert") == 1
    clock.run_until(SECOND + timedelta(days=20))
    assert (calls(fake_stripe), charged(fake_stripe)) == (1, [5000])
    assert mail_count("installment_refused") == mail_count("installment_overdue") == 0
    assert StoredCard.objects.get().refused_code == ""


def test_case_25_a_charge_paid_while_it_was_being_cancelled_is_booked(fake_stripe, order, clock, monkeypatch):
    """Off-session refused, and paid after all before it could be cancelled: what is true then is what is booked."""
    charge = gateway.charge_stored_card
    monkeypatch.setattr(
        gateway,
        "charge_stored_card",
        lambda **call: replace(charge(**call), status="requires_payment_method", charge=None),
    )
    clock.run_round()
    assert intents(fake_stripe) == ["succeeded", "succeeded"]
    assert attempts(order)[1:] == [(2, 1, "off_session", "succeeded", "")]
    assert payment_of(order, 2).state == "paid"
    assert [str(entry.amount) for entry in LedgerEntry.objects.order_by("pk")] == ["50.00", "50.00"]
    assert mail_count("installment_refused") == 0
    clock.run_until(SECOND + timedelta(days=15))
    assert charged(fake_stripe) == [5000, 5000]


@pytest.mark.parametrize("sent", [timedelta(minutes=-5), timedelta(days=365)])
def test_case_22_an_answer_that_is_not_there_yet_is_waited_for(fake_stripe, order, clock, sent):
    """Noticed at once, and not to be found at Stripe yet: it may be on its way, so nothing is given up or repeated. It
    is not for longer than a call takes, nor until the date of a clock that was ahead."""
    fake_stripe.control("faults", kind="error", status=500, method="POST", path=INTENTS, times=2)
    with pytest.raises(gateway.GatewayUnavailable):
        clock.run_round()
    # Stripe keeps that failure under the key: only looking it up can tell.
    attempt = Attempt.objects.get(payment__order=order, kind="off_session")
    assert attempt.state == "sent"
    Attempt.objects.filter(pk=attempt.pk).update(created_at=clock.now() - timedelta(minutes=5))
    assert reconcile.reconcile_attempts(clock.now()) == 0
    assert attempts(order)[1:] == [(2, 1, "off_session", "sent", "")]
    Attempt.objects.filter(pk=attempt.pk).update(sent_at=clock.now() + sent)
    assert reconcile.reconcile_attempts(clock.now()) == 1
    assert attempts(order)[1:] == [(2, 1, "off_session", "canceled", "")]
    clock.run_round()
    assert attempts(order)[2:] == [(2, 2, "off_session", "succeeded", "")]
    assert charged(fake_stripe) == [5000, 5000]


def test_case_22_a_card_replaced_meanwhile_is_not_charged_for_the_lost_answer(fake_stripe, order, clock):
    """The answer lost, the kept card replaced, then looked into: Stripe refuses the old key with other arguments, and
    the charge is found among its customer's. No second charge."""
    fake_stripe.control("faults", kind="drop", method="POST", path=INTENTS, times=2)
    with pytest.raises(gateway.GatewayUnavailable):
        clock.run_round()
    StoredCard.objects.update(payment_method_id="pm_another_card")
    assert reconcile.reconcile_attempts(clock.now() + timedelta(minutes=5)) == 1
    assert attempts(order)[1:] == [(2, 1, "off_session", "succeeded", "")]
    assert charged(fake_stripe) == [5000, 5000]
    assert payment_of(order, 2).state == "paid"


def test_case_26_a_charge_of_an_installment_that_was_paid_with_another_goes_back(
    fake_stripe, buyer, order, clock
):
    """Customer pays everything by link while a charge of the last installment is on its way: that one is refunded as
    paid twice, once, and said so."""
    pay_by_link(order_id=order.pk, everything=True)
    third = payment_of(order, 3)
    charge = Attempt.objects.create(
        payment=third, kind="off_session", state="sent", amount_cents=5000,
        sent_at=clock.now(), expires_at=clock.now() + timedelta(hours=23),
    )  # fmt: skip
    card = StoredCard.objects.get()
    gateway.charge_stored_card(
        key=charge.idempotency_key, order_id=str(order.pk), attempt_id=str(charge.pk), amount_cents=5000,
        customer_id=card.customer_id, payment_method_id=card.payment_method_id,
    )  # fmt: skip
    page = page_of(payment_of(order, 2))
    fake_stripe.control(f"sessions/{page}/pay")
    assert buyer.verify(page).json()["payment_status"] == "paid"
    for _again in range(2):
        settle(charge.pk)

    assert charged(fake_stripe) == [5000, 5000, 10000]
    refund = Refund.objects.get()
    assert (refund.attempt, str(refund.amount), refund.reason) == (charge, "50.00", "duplicate")
    third.refresh_from_db()
    assert (third.state, third.merged_into) == ("void", payment_of(order, 2))
    assert [str(amount) for _kind, amount in ledger(order)] == ["50.00", "100.00", "50.00"]
    assert [mail for mail in mails(order) if "refund" in mail] == ["payment_refunded_automatically"]
