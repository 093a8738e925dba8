"""What a new card changes for each later installment: charged again, announced, or left to its customer."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta

import pytest
from django.test import Client

from conftest import QueuedTasks
from orders.models import Attempt, CardChange, Order, StoredCard
from orders.services.fulfilment.status_changes import update_status
from orders.services.payments import card_change, due_installments
from orders.services.payments.card_change import settle_card_change
from orders.services.payments.off_session import claim_charge, execute_charge
from orders.services.payments.payment_links import pay_by_link
from orders.services.payments.reviews import settle_order
from orders.services.payments.settlement import hold_for_review
from orders.services.reconciliation import reconcile
from orders.tests.card_changes import address, charged_cards, journal, kept_cards, left, replaced, state_of
from orders.tests.fake_stripe import FakeStripe, Shopper
from orders.tests.installments import (
    SECOND,
    THIRD,
    Clock,
    attempts,
    card_becomes,
    charged,
    installments,
    mails,
    page_of,
    payment_of,
)
from shop.core.models import OutgoingMail
from shop.core.tests.reading import text

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]


# --- What the old card could not pay -----------------------------------------------------------------------


def test_an_installment_that_a_dead_card_stopped_is_charged_three_days_after_its_announcement(
    fake_stripe: FakeStripe, order: Order, clock: Clock
):
    card_becomes(fake_stripe, order, "9979")
    clock.run_until(SECOND + timedelta(days=1))
    assert state_of(order, 2) == ("due", "stolen_card", SECOND + timedelta(days=3))
    assert StoredCard.objects.get().refused_code == "stolen_card"

    card = replaced(fake_stripe, order)
    day = SECOND + timedelta(days=4)
    assert card.refused_code == ""
    assert state_of(order, 2) == ("due", "", day)
    assert journal(order, "installment.resumed") == [
        ("installment.resumed", {"position": 2, "day": day.isoformat()})
    ]
    assert OutgoingMail.objects.get(kind="installment_card_kept").context["rows"] == [
        {"position": 2, "count": 3, "amount": "50.00", "day": "2026-12-27", "is_late": False},
        {"position": 3, "count": 3, "amount": "50.00", "day": "2027-01-22", "is_late": False},
    ]
    clock.run_until(day - timedelta(days=1))
    assert charged(fake_stripe) == [5000]
    clock.run_until(day)
    assert charged(fake_stripe) == [5000, 5000]
    assert charged_cards(fake_stripe)[-1] == card.payment_method_id
    assert payment_of(order, 2).due_on == SECOND


def test_an_installment_that_was_given_up_on_gets_one_more_try_and_is_then_overdue_again(
    fake_stripe: FakeStripe, order: Order, clock: Clock
):
    card_becomes(fake_stripe, order, "9995")
    clock.run_until(SECOND + timedelta(days=14))
    assert state_of(order, 2) == ("overdue", "insufficient_funds", None)
    assert (mails("installment_overdue"), mails("installment_overdue_alert")) == (1, 1)

    replaced(fake_stripe, order, later="9995")
    day = SECOND + timedelta(days=17)
    assert state_of(order, 2) == ("due", "", day)
    clock.run_until(day)
    assert state_of(order, 2) == ("overdue", "insufficient_funds", None)
    assert (mails("installment_overdue"), mails("installment_overdue_alert")) == (2, 2)
    assert charged(fake_stripe) == [5000]
    clock.run_until(day + timedelta(days=10))
    assert [row[:2] for row in attempts(order)][1:] == [(2, 1), (2, 2), (2, 3), (2, 4), (2, 5)]


def test_a_bank_that_wanted_its_customer_is_forgotten_with_its_card(
    fake_stripe: FakeStripe, order: Order, clock: Clock
):
    card_becomes(fake_stripe, order, "3184")
    clock.run_until(SECOND)
    assert state_of(order, 2)[1] == "authentication_required"
    replaced(fake_stripe, order)
    clock.run_until(SECOND + timedelta(days=3))
    assert charged(fake_stripe) == [5000, 5000]


def test_an_announced_next_try_keeps_its_day(fake_stripe: FakeStripe, order: Order, clock: Clock):
    card_becomes(fake_stripe, order, "9995")
    clock.run_until(SECOND + timedelta(days=2))
    replaced(fake_stripe, order)
    assert state_of(order, 2) == ("due", "", SECOND + timedelta(days=3))
    assert journal(order, "installment.resumed") == []
    clock.run_until(SECOND + timedelta(days=3))
    assert charged(fake_stripe) == [5000, 5000]


def test_an_installment_announced_as_not_chargeable_is_announced_anew(
    fake_stripe: FakeStripe, order: Order, clock: Clock
):
    StoredCard.objects.update(refused_code="lost_card")
    clock.run_until(SECOND - timedelta(days=1))
    assert mails("installment_reminder") == 1
    replaced(fake_stripe, order)
    assert state_of(order, 2) == ("scheduled", "", SECOND + timedelta(days=2))
    clock.run_until(SECOND + timedelta(days=1))
    assert charged(fake_stripe) == [5000]
    clock.run_until(SECOND + timedelta(days=2))
    assert charged(fake_stripe) == [5000, 5000]


def test_past_fifty_days_after_dispatch_what_is_late_gets_no_new_day(
    fake_stripe: FakeStripe, order: Order, clock: Clock
):
    clock.pass_days(1)
    update_status(order_id=order.pk, status="shipped", actor=None)
    card_becomes(fake_stripe, order, "9979")
    # Day 50 after dispatch is 13 January; a charge announced on the 11th would fall on the 14th.
    clock.run_until(date(2027, 1, 11))
    late = state_of(order, 2)
    assert (late[0], late[1]) == ("overdue", "stolen_card")
    replaced(fake_stripe, order)
    assert state_of(order, 2) == late
    context = OutgoingMail.objects.get(kind="installment_card_kept").context
    assert [(row["position"], row["is_late"]) for row in context["rows"]] == [(2, True), (3, False)]
    assert context["has_late"] is True
    # What is not late keeps to its own day, however late it was announced anew.
    assert payment_of(order, 3).due_on == date(2027, 1, 13)
    clock.run_until(date(2027, 2, 1))
    assert charged(fake_stripe) == [5000, 5000]
    assert payment_of(order, 2).state == "overdue"


def test_what_the_provider_did_not_accept_waits_for_staff(
    fake_stripe: FakeStripe, order: Order, clock: Clock
):
    order.payments.filter(position=2).update(state="due", stopped_code="not_accepted")
    replaced(fake_stripe, order)
    assert state_of(order, 2) == ("due", "not_accepted", None)


def test_paying_with_another_card_has_the_other_late_installments_charged_again_too(
    fake_stripe: FakeStripe, shopper: Shopper, order: Order, clock: Clock
):
    card_becomes(fake_stripe, order, "9979")
    clock.run_until(THIRD)
    assert [state for _amount, _day, state in installments(order)] == ["paid", "overdue", "due"]
    pay_by_link(order_id=order.pk, everything=False)
    page = page_of(payment_of(order, 2))
    fake_stripe.control(f"sessions/{page}/pay")
    shopper.verify(page)
    assert state_of(order, 3) == ("due", "", THIRD + timedelta(days=3))
    assert mails("installment_card_kept") == 1
    clock.run_until(THIRD + timedelta(days=3))
    assert charged(fake_stripe) == [5000, 5000, 5000]


def test_a_card_that_ends_too_early_is_told_at_once(
    fake_stripe: FakeStripe, order: Order, monkeypatch: pytest.MonkeyPatch
):
    change = left(fake_stripe, order)
    facts = card_change.fetch_setup_session(change.checkout_session_id)
    ending = replace(facts, card=replace(facts.card, expiry_month=12, expiry_year=2026))
    monkeypatch.setattr(card_change, "fetch_setup_session", lambda page: ending)
    page = text(Client().get(address(order), {"session_id": change.checkout_session_id}))
    assert "Elle expire en 12/2026, avant la dernière échéance." in page
    assert OutgoingMail.objects.get(kind="installment_card_expires").context["last"] == "2027-01-22"


# --- A charge under way ------------------------------------------------------------------------------------


def left_during_a_charge(
    fake_stripe: FakeStripe, order: Order, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> CardChange:
    """A card left on the second part's day, while that part's charge is under way: the change has to wait."""
    clock.run_until(SECOND - timedelta(days=1))
    clock.go_to(SECOND)
    change = left(fake_stripe, order)
    with monkeypatch.context() as patch:
        patch.setattr(due_installments, "_execute", lambda attempt: attempt)
        clock.run_round()
    assert settle_card_change(change.pk) == "pending"
    return change


def test_a_change_waits_for_a_charge_of_the_old_card(
    fake_stripe: FakeStripe,
    order: Order,
    before: str,
    clock: Clock,
    queued_tasks: QueuedTasks,
    monkeypatch: pytest.MonkeyPatch,
):
    change = left_during_a_charge(fake_stripe, order, clock, monkeypatch)
    assert StoredCard.objects.get().payment_method_id == before

    reconcile.reconcile_attempts(clock.now() + timedelta(minutes=5))
    reconcile.reconcile_card_changes(clock.now() + timedelta(minutes=5))
    change.refresh_from_db()
    assert change.state == "done"
    queued_tasks.run()
    assert charged(fake_stripe) == [5000, 5000]
    assert charged_cards(fake_stripe) == [before]
    assert kept_cards(fake_stripe, order) == [StoredCard.objects.get().payment_method_id]


def test_the_old_cards_refusal_never_marks_the_new_one(
    fake_stripe: FakeStripe, order: Order, clock: Clock, monkeypatch: pytest.MonkeyPatch
):
    card_becomes(fake_stripe, order, "9979")
    change = left_during_a_charge(fake_stripe, order, clock, monkeypatch)
    reconcile.reconcile_attempts(clock.now() + timedelta(minutes=5))
    assert settle_card_change(change.pk) == "kept"
    assert StoredCard.objects.get().refused_code == ""
    assert state_of(order, 2) == ("due", "", SECOND + timedelta(days=3))


def test_a_change_waits_for_a_charge_of_the_old_card_that_is_kept_for_review(
    fake_stripe: FakeStripe, order: Order, clock: Clock, monkeypatch: pytest.MonkeyPatch
):
    """Judged later, its refusal is the old card's as well."""
    card_becomes(fake_stripe, order, "9979")
    change = left_during_a_charge(fake_stripe, order, clock, monkeypatch)
    charge = Attempt.objects.get(payment=payment_of(order, 2))
    assert claim_charge(charge)
    charge.refresh_from_db()
    execute_charge(charge)
    hold_for_review(charge.pk, "event amount: 1 instead of 5000")
    assert settle_card_change(change.pk) == "pending"

    settle_order(order_id=order.pk, actor=None)
    assert settle_card_change(change.pk) == "kept"
    assert StoredCard.objects.get().refused_code == ""


def test_an_open_payment_page_does_not_keep_a_card_waiting(
    fake_stripe: FakeStripe, shopper: Shopper, order: Order
):
    pay_by_link(order_id=order.pk, everything=False)
    card = replaced(fake_stripe, order)
    page = page_of(payment_of(order, 2))
    fake_stripe.control(f"sessions/{page}/pay")
    assert shopper.verify(page).json()["payment_status"] == "paid"
    assert StoredCard.objects.get().payment_method_id != card.payment_method_id
    assert charged(fake_stripe) == [5000, 5000]
