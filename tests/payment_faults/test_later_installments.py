"""Cases 21 to 25: later installments are charged once, whatever the provider and the bank answer."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

import pytest

from orders.models import Attempt, Order, Payment, StoredCard
from orders.selectors.installments import outstanding
from orders.services.payments import due_installments, off_session
from orders.services.payments.payment_links import pay_by_link
from orders.services.reconciliation import reconcile
from orders.stripe import gateway
from orders.tests.fake_stripe import FakeStripe
from orders.tests.installments import (
    SECOND,
    Clock,
    announced,
    attempts,
    bought,
    calls,
    card_becomes,
    charged,
    installments,
    intents,
    page_of,
    payment_of,
)
from orders.tests.installments import mails as mail_count
from tests.payment_faults.outcomes import INTENTS, keys
from tests.races.concurrency import Meeting, run_concurrently, values, without_constraint
from tests.races.conftest import Buyer

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def order(fake_stripe: FakeStripe, buyer: Buyer, clock: Clock) -> Order:
    """150.00 in three times, confirmed; its second installment is announced and due tomorrow at nine."""
    return announced(fake_stripe, buyer, clock)


def lose_the_answer(fake_stripe: FakeStripe, clock: Clock) -> None:
    """The charge is made, and no process of the shop hears of it: the library asks twice."""
    fake_stripe.control("faults", kind="drop", method="POST", path=INTENTS, times=2)
    clock.go_to(SECOND)
    with pytest.raises(gateway.GatewayUnavailable):
        clock.run_round()


def test_case_21_a_charge_whose_answer_was_lost_is_made_once(
    fake_stripe: FakeStripe, order: Order, clock: Clock
):
    """Shop dies between charge and commit: retry with the same key, one charge."""
    lose_the_answer(fake_stripe, clock)
    assert charged(fake_stripe) == [5000, 5000]
    assert attempts(order)[1:] == [(2, 1, "off_session", "sent", "")]
    assert payment_of(order, 2).state == "scheduled"

    reconcile.reconcile_attempts(clock.now() + timedelta(minutes=5))
    assert charged(fake_stripe) == [5000, 5000]
    assert attempts(order)[1:] == [(2, 1, "off_session", "succeeded", "")]
    assert len(set(keys(fake_stripe))) == 1
    assert len(keys(fake_stripe)) == 3
    assert outstanding(order) == Decimal("50.00")


def test_case_21_a_shop_that_dies_before_the_call_goes_on_with_the_same_attempt(
    fake_stripe: FakeStripe, order: Order, clock: Clock, monkeypatch: pytest.MonkeyPatch
):
    """Shop dies between the written attempt and the call: the attempt is carried out later, one charge."""
    clock.go_to(SECOND)
    with monkeypatch.context() as patch:
        patch.setattr(due_installments, "_execute", lambda attempt: attempt)
        clock.run_round()
    assert (attempts(order)[1:], calls(fake_stripe)) == ([(2, 1, "off_session", "prepared", "")], 0)
    clock.run_round()
    assert calls(fake_stripe) == 0
    reconcile.reconcile_attempts(clock.now() + timedelta(minutes=5))
    assert attempts(order)[1:] == [(2, 1, "off_session", "succeeded", "")]
    assert charged(fake_stripe) == [5000, 5000]


def test_case_22_after_a_day_the_charge_is_looked_up_not_repeated(
    fake_stripe: FakeStripe, order: Order, clock: Clock
):
    """The same, noticed after 24 h: look up by metadata, no second charge."""
    lose_the_answer(fake_stripe, clock)
    clock.pass_days(2)
    asked = len(keys(fake_stripe))
    reconcile.reconcile_attempts(clock.now())

    assert len(keys(fake_stripe)) == asked
    assert charged(fake_stripe) == [5000, 5000]
    assert attempts(order)[1:] == [(2, 1, "off_session", "succeeded", "")]


def test_case_22_a_charge_dated_by_a_clock_that_was_ahead_is_looked_up_not_repeated(
    fake_stripe: FakeStripe, order: Order, clock: Clock
):
    """The same, its moment written a year ahead: how old the key is nobody knows."""
    lose_the_answer(fake_stripe, clock)
    Attempt.objects.filter(kind="off_session").update(sent_at=clock.now() + timedelta(days=365))
    clock.pass_days(2)
    asked = len(keys(fake_stripe))
    reconcile.reconcile_attempts(clock.now())

    assert len(keys(fake_stripe)) == asked
    assert charged(fake_stripe) == [5000, 5000]
    assert attempts(order)[1:] == [(2, 1, "off_session", "succeeded", "")]


def test_case_22_a_forgotten_key_would_charge_again(fake_stripe: FakeStripe, order: Order, clock: Clock):
    """Control: after a day the provider has forgotten the key, and the same call charges a second time."""
    lose_the_answer(fake_stripe, clock)
    clock.pass_days(2)
    attempt = Attempt.objects.get(payment__order=order, kind="off_session")
    card = StoredCard.objects.get()
    gateway.charge_stored_card(
        key=attempt.idempotency_key,
        order_id=str(order.pk),
        attempt_id=str(attempt.pk),
        amount_cents=5000,
        customer_id=card.customer_id,
        payment_method_id=card.payment_method_id,
    )
    assert charged(fake_stripe) == [5000, 5000, 5000]


def test_case_22_a_call_that_never_arrived_is_given_up_and_made_anew(
    fake_stripe: FakeStripe, order: Order, clock: Clock
):
    """The call was turned away: nothing is found, the next day's round charges under a new key, once."""
    fake_stripe.control("faults", kind="error", status=503, method="POST", path=INTENTS, times=2)
    clock.go_to(SECOND)
    with pytest.raises(gateway.GatewayUnavailable):
        clock.run_round()
    clock.pass_days(1)
    reconcile.reconcile_attempts(clock.now())
    assert attempts(order)[1:] == [(2, 1, "off_session", "canceled", "")]
    clock.run_round()
    assert attempts(order)[2:] == [(2, 2, "off_session", "succeeded", "")]
    assert charged(fake_stripe) == [5000, 5000]


def test_case_23_rounds_at_once_charge_each_installment_once(
    fake_stripe: FakeStripe, buyer: Buyer, clock: Clock, figures
):
    """Job runs twice at once / on two machines: each installment charged once."""
    orders = [bought(fake_stripe, Buyer(number)) for number in range(8)]
    clock.run_until(SECOND - timedelta(days=1))
    clock.go_to(SECOND)
    outcomes = run_concurrently([clock.run_round] * 5)

    values(outcomes)
    # A round passes by an order that another one holds; what all passed by is found by the next.
    clock.run_round()
    assert charged(fake_stripe) == [5000] * 16
    assert len(keys(fake_stripe)) == 8
    assert [len(attempts(order)) for order in orders] == [2] * 8
    assert mail_count("installment_received") == 8
    figures(rounds_at_once=5, orders=8, charges=len(charged(fake_stripe)) - 8, calls=len(keys(fake_stripe)))


def test_case_23_without_lock_and_constraint_an_installment_is_charged_twice(
    fake_stripe: FakeStripe, order: Order, clock: Clock, monkeypatch: pytest.MonkeyPatch
):
    """Control: two rounds that neither lock nor are kept apart by the database charge one installment twice."""
    meeting = Meeting(2)

    def unlocked(payment, act):
        current = Payment.objects.get(pk=payment.pk)
        return act(Order.objects.get(pk=payment.order_id), current)

    def together(found, payment):
        reason = off_session.obstacle(found, payment)
        meeting.wait()
        return reason

    numbers = iter((1, 2))

    def numbered(payment):
        return Attempt.objects.create(
            payment=payment,
            number=next(numbers),
            kind="off_session",
            amount_cents=5000,
            expires_at=clock.now(),
        )

    with without_constraint("attempt_one_live_a_payment"):
        monkeypatch.setattr(due_installments, "_with_locks", unlocked)
        monkeypatch.setattr(due_installments, "obstacle", together)
        monkeypatch.setattr(due_installments, "prepare_charge", numbered)
        clock.go_to(SECOND)
        run_concurrently([clock.run_round] * 2)
        assert charged(fake_stripe) == [5000, 5000, 5000]


def test_case_24_a_bank_that_wants_its_customer_gets_a_link(
    fake_stripe: FakeStripe, buyer: Buyer, order: Order, clock: Clock
):
    """Off-session `authentication_required`: no retry, one mail, link pays, old intent cancelled."""
    card_becomes(fake_stripe, order, "3184")
    clock.go_to(SECOND)
    clock.run_round()
    refused = Attempt.objects.get(payment__order=order, kind="off_session")
    assert (refused.state, refused.error_code) == ("failed", "authentication_required")
    assert intents(fake_stripe) == ["succeeded", "canceled"]
    for event in fake_stripe.events():
        assert buyer.webhook(event) == 200
    clock.run_round()
    clock.pass_days(1)
    clock.run_round()
    assert (calls(fake_stripe), mail_count("installment_refused")) == (1, 1)

    pay_by_link(order_id=order.pk, everything=False)
    page = page_of(payment_of(order, 2))
    fake_stripe.control(f"sessions/{page}/pay", card="3184", confirmed=True)
    assert buyer.verify(page).json()["payment_status"] == "paid"
    assert charged(fake_stripe) == [5000, 5000]
    assert payment_of(order, 2).state == "paid"


def test_case_25_no_funds_is_tried_again_under_a_new_key(fake_stripe: FakeStripe, order: Order, clock: Clock):
    """Off-session refused, insufficient funds: scheduled retry with a new key."""
    card_becomes(fake_stripe, order, "9995")
    clock.run_until(SECOND + timedelta(days=2))
    assert len(keys(fake_stripe)) == 1
    card_becomes(fake_stripe, order, "4242")
    clock.run_until(SECOND + timedelta(days=3))
    assert len(set(keys(fake_stripe))) == 2
    assert charged(fake_stripe) == [5000, 5000]
    assert intents(fake_stripe) == ["succeeded", "canceled", "succeeded"]


def test_case_25_a_stolen_card_is_not_tried_again(fake_stripe: FakeStripe, order: Order, clock: Clock):
    """Off-session refused, stolen card: no retry."""
    card_becomes(fake_stripe, order, "9979")
    clock.go_to(SECOND)
    clock.run_round()
    card_becomes(fake_stripe, order, "4242")
    clock.run_until(SECOND + timedelta(days=40))
    assert len(keys(fake_stripe)) == 1
    assert charged(fake_stripe) == [5000]
    assert [state for _amount, _day, state in installments(order)] == ["paid", "overdue", "due"]
