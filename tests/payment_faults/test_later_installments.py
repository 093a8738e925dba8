"""Cases 21 to 26 and 31: later installments are charged once, by the card or by the customer, and only while owed."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from functools import partial
from threading import Event

import pytest
from django.db import transaction

from orders.models import Attempt, Order, OrderStatus, Payment, Refund, StoredCard
from orders.selectors.installments import outstanding
from orders.services.installments.scheduled_payments import void_scheduled
from orders.services.payments import due_installments, off_session
from orders.services.payments.payment_links import pay_by_link
from orders.services.payments.settlement import settle
from orders.services.reconciliation import reconcile
from orders.stripe import gateway
from orders.tests.fake_stripe import FakeStripe
from orders.tests.installments import (
    SECOND,
    Clock,
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
from shop.core.problems import Problem
from tests.payment_faults.outcomes import rows
from tests.races.concurrency import Meeting, Started, run_concurrently, values, without_constraint
from tests.races.conftest import Buyer

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]

INTENTS = "/v1/payment_intents"


@pytest.fixture
def order(fake_stripe: FakeStripe, buyer: Buyer, clock: Clock) -> Order:
    """150.00 in three times, confirmed; its second installment is announced and due tomorrow at nine."""
    bought_order = bought(fake_stripe, buyer)
    clock.run_until(SECOND - timedelta(days=1))
    return bought_order


def keys(fake_stripe: FakeStripe) -> list[str]:
    return [call["idempotency_key"] for call in fake_stripe.requests(INTENTS) if call["path"] == INTENTS]


def stop(order: Order) -> None:
    with transaction.atomic():
        void_scheduled(order=Order.objects.select_for_update().get(pk=order.pk), reason="test.withdrawn")


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


def stopped_in_the_call(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> tuple[Started, Event]:
    """A round whose charge waits, on its way to the provider, until the event is set."""
    asked, go_on = Event(), Event()
    charge = gateway.charge_stored_card

    def slowly(**call):
        asked.set()
        assert go_on.wait(60)
        return charge(**call)

    monkeypatch.setattr(gateway, "charge_stored_card", slowly)
    round_ = Started(clock.run_round)
    assert asked.wait(60)
    return round_, go_on


def test_case_26_a_link_is_refused_while_the_card_is_charged(
    fake_stripe: FakeStripe, order: Order, clock: Clock, monkeypatch: pytest.MonkeyPatch
):
    """Customer pays by link while the retry runs: charged once."""
    clock.go_to(SECOND)
    round_, go_on = stopped_in_the_call(clock, monkeypatch)
    before = rows()
    with pytest.raises(Problem, match="en cours") as refused:
        pay_by_link(order_id=order.pk, everything=False)
    assert (refused.value.code, refused.value.status) == ("payment_in_progress", 409)
    assert rows() == before
    go_on.set()
    round_.value()
    assert charged(fake_stripe) == [5000, 5000]


def test_case_26_links_and_rounds_at_once_never_pay_twice(
    fake_stripe: FakeStripe, buyer: Buyer, clock: Clock, figures
):
    """Customer pays by link while the retry runs, many times over: one charge an installment."""
    orders = [bought(fake_stripe, Buyer(number)) for number in range(6)]
    clock.run_until(SECOND - timedelta(days=1))
    clock.go_to(SECOND)

    def customer(found: Order) -> str:
        try:
            pay_by_link(order_id=found.pk, everything=False)
        except Problem as problem:
            return problem.code
        opened = Attempt.objects.get(payment__order=found, kind="link")
        fake_stripe.control(f"sessions/{opened.checkout_session_id}/pay")
        settle(opened.pk)
        return "paid"

    outcomes = run_concurrently(
        [clock.run_round, clock.run_round, *[partial(customer, found) for found in orders]]
    )
    answers = [outcome.value for outcome in outcomes[2:] if outcome.error is None]
    assert len(answers) == 6
    # A link that came after the card had paid its third pays the next one: that is what its page said.
    clock.run_round()
    for found in orders:
        paid = [payment for payment in found.payments.all() if payment.state == "paid"]
        assert len(paid) == found.ledger.count()
        assert payment_of(found, 2).state == "paid"
    assert len(charged(fake_stripe)) == sum(found.ledger.count() for found in orders)
    assert not Refund.objects.exists()
    figures(links=len(answers), paid_by_link=answers.count("paid"), charges=len(charged(fake_stripe)) - 6)


def test_case_26_without_the_constraint_the_second_charge_goes_back(
    fake_stripe: FakeStripe, buyer: Buyer, order: Order, clock: Clock, monkeypatch: pytest.MonkeyPatch
):
    """Control: link and retry that nothing keeps apart both pay, and the second is refunded."""
    clock.go_to(SECOND)
    pay_by_link(order_id=order.pk, everything=False)
    page = page_of(payment_of(order, 2))
    obstacle = off_session.obstacle
    blind = lambda found, payment: obstacle(found, payment).replace("attempt_live", "")  # noqa: E731
    with without_constraint("attempt_one_live_a_payment"):
        monkeypatch.setattr(due_installments, "obstacle", blind)
        fake_stripe.control(f"sessions/{page}/pay")
        clock.run_round()
        assert payment_of(order, 2).state == "paid"
        assert buyer.verify(page).json()["payment_status"] == "paid"
        assert charged(fake_stripe) == [5000, 5000, 5000]
        refund = Refund.objects.get()
        assert (str(refund.amount), refund.reason) == ("50.00", "duplicate")


def test_case_31_a_withdrawal_before_the_call_stops_it(
    fake_stripe: FakeStripe, order: Order, clock: Clock, monkeypatch: pytest.MonkeyPatch
):
    """Withdrawal the minute the job runs, before the provider is called: nothing is charged."""
    prepared, go_on = Event(), Event()
    execute_charge = due_installments._execute

    def later(attempt):
        prepared.set()
        assert go_on.wait(60)
        return execute_charge(attempt)

    monkeypatch.setattr(due_installments, "_execute", later)
    clock.go_to(SECOND)
    round_ = Started(clock.run_round)
    assert prepared.wait(60)
    stop(order)
    go_on.set()
    round_.value()

    assert (calls(fake_stripe), charged(fake_stripe)) == (0, [5000])
    assert attempts(order)[1:] == [(2, 1, "off_session", "canceled", "")]
    assert [state for _amount, _day, state in installments(order)] == ["paid", "void", "void"]
    assert not Refund.objects.exists()


def test_case_31_a_withdrawal_during_the_call_returns_its_money(
    fake_stripe: FakeStripe, order: Order, clock: Clock, monkeypatch: pytest.MonkeyPatch
):
    """Withdrawal the minute the job runs, while the provider is called: the charge goes back by itself, once."""
    clock.go_to(SECOND)
    round_, go_on = stopped_in_the_call(clock, monkeypatch)
    stop(order)
    go_on.set()
    round_.value()

    assert charged(fake_stripe) == [5000, 5000]
    assert payment_of(order, 3).state == "void"
    refund = Refund.objects.get()
    assert (str(refund.amount), refund.reason) == ("50.00", "unavailable")
    order.refresh_from_db()
    assert order.status == OrderStatus.CONFIRMED


def test_case_31_an_answer_lost_before_a_withdrawal_is_not_asked_for_again(
    fake_stripe: FakeStripe, order: Order, clock: Clock
):
    """The call never arrived, the customer withdraws, then it is looked into: repeating the call would charge."""
    fake_stripe.control("faults", kind="error", status=429, method="POST", path=INTENTS, times=2)
    clock.go_to(SECOND)
    with pytest.raises(gateway.GatewayUnavailable):
        clock.run_round()
    stop(order)
    clock.go_to(SECOND, hour=10)
    reconcile.reconcile_attempts(clock.now())
    assert charged(fake_stripe) == [5000]
    assert attempts(order)[1:] == [(2, 1, "off_session", "canceled", "")]
