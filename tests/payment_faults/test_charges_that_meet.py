"""Cases 26 and 31: a charge of the card meets a payment by link, or a withdrawal: money is taken once, and only while
owed."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from functools import partial
from threading import Event
from typing import Any

import pytest

from orders.models import Attempt, Dispute, Order, OrderStatus, PausedBy, PauseEnd, Refund
from orders.services.installments.dates import pause_installments, resume_installments
from orders.services.payments import due_installments, off_session
from orders.services.payments.payment_links import pay_by_link
from orders.services.payments.settlement import settle
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
    charged,
    installments,
    page_of,
    payment_of,
    void_later,
)
from shop.core.problems import Problem
from tests.payment_faults.outcomes import INTENTS, rows
from tests.races.concurrency import Started, run_concurrently, without_constraint
from tests.races.conftest import Buyer
from tests.races.rounds import stopped_in_the_call

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def order(fake_stripe: FakeStripe, buyer: Buyer, clock: Clock) -> Order:
    """150.00 in three times, confirmed; its second installment is announced and due tomorrow at nine."""
    return announced(fake_stripe, buyer, clock)


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
    void_later(order)
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
    void_later(order)
    go_on.set()
    round_.value()

    assert charged(fake_stripe) == [5000, 5000]
    assert payment_of(order, 3).state == "void"
    refund = Refund.objects.get()
    assert (str(refund.amount), refund.reason) == ("50.00", "unavailable")
    order.refresh_from_db()
    assert order.status == OrderStatus.CONFIRMED


NEVER_ARRIVED = {"kind": "error", "status": 429}


def charge_in_vain(fake_stripe: FakeStripe, clock: Clock, **fault: Any) -> None:
    """The second installment is due, and Stripe does not answer."""
    fake_stripe.control("faults", method="POST", path=INTENTS, times=2, **fault)
    clock.go_to(SECOND)
    with pytest.raises(gateway.GatewayUnavailable):
        clock.run_round()


def look_into_it(clock: Clock) -> None:
    clock.go_to(SECOND, hour=10)
    reconcile.reconcile_attempts(clock.now())


def test_case_31_an_answer_lost_before_a_withdrawal_is_not_asked_for_again(
    fake_stripe: FakeStripe, order: Order, clock: Clock
):
    """The call never arrived, the customer withdraws, then it is looked into: repeating the call would charge."""
    charge_in_vain(fake_stripe, clock, **NEVER_ARRIVED)
    void_later(order)
    look_into_it(clock)
    assert charged(fake_stripe) == [5000]
    assert attempts(order)[1:] == [(2, 1, "off_session", "canceled", "")]


def suspend(order: Order) -> None:
    pause_installments(order_id=order.pk, by=PausedBy.STAFF, reason="Retard de l'atelier.")


def dispute(order: Order) -> None:
    first = Attempt.objects.get(payment__order=order, payment__position=1)
    Dispute.objects.create(order=order, attempt=first, provider_id="du_1", amount=Decimal("50.00"))


@pytest.mark.parametrize("stop", [suspend, dispute])
@pytest.mark.parametrize(
    ("fault", "taken", "state"),
    [(NEVER_ARRIVED, [5000], "canceled"), ({"kind": "drop"}, [5000, 5000], "succeeded")],
    ids=["never arrived", "answer lost"],
)
def test_a_charge_in_doubt_is_not_made_once_nothing_may_be_charged(
    fake_stripe: FakeStripe, order: Order, clock: Clock, stop, fault, taken, state
):
    """Stripe does not answer, the payments are suspended or disputed, then it is looked into: what was charged is
    found, and nothing is charged now."""
    charge_in_vain(fake_stripe, clock, **fault)
    stop(order)
    look_into_it(clock)
    assert charged(fake_stripe) == taken
    assert attempts(order)[1:] == [(2, 1, "off_session", state, "")]


def test_what_was_not_charged_before_a_pause_is_charged_once_after_it(
    fake_stripe: FakeStripe, order: Order, clock: Clock
):
    charge_in_vain(fake_stripe, clock, **NEVER_ARRIVED)
    suspend(order)
    look_into_it(clock)
    clock.pass_days(4)
    resume_installments(order_id=order.pk, by=PauseEnd.STAFF)
    clock.run_until(SECOND + timedelta(days=10))
    assert charged(fake_stripe) == [5000, 5000]
    assert attempts(order)[1:] == [
        (2, 1, "off_session", "canceled", ""),
        (2, 2, "off_session", "succeeded", ""),
    ]


def test_a_charge_in_doubt_is_not_made_before_the_day_that_the_end_of_a_pause_named(
    fake_stripe: FakeStripe, order: Order, clock: Clock
):
    """Stripe is away while the payments are suspended and resumed: the mail says which day, three days on."""
    charge_in_vain(fake_stripe, clock, **NEVER_ARRIVED)
    suspend(order)
    resume_installments(order_id=order.pk, by=PauseEnd.STAFF)
    assert payment_of(order, 2).next_try_on == SECOND + timedelta(days=3)
    look_into_it(clock)
    assert charged(fake_stripe) == [5000]
    clock.run_until(SECOND + timedelta(days=2))
    assert charged(fake_stripe) == [5000]
    clock.run_until(SECOND + timedelta(days=3))
    assert charged(fake_stripe) == [5000, 5000]
