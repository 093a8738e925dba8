"""What keeps the kept card from being charged, decided under the lock and again as the last thing before the call."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
import time_machine
from django.db import transaction
from django.urls import reverse
from django.utils import timezone

from orders.journal import record_event
from orders.models import Attempt, Dispute, InstallmentPause, Order, Payment, StoredCard
from orders.services.installments.scheduled_payments import void_scheduled
from orders.services.payments import checkout_sessions, due_installments, settlement
from orders.services.payments.off_session import claim_charge, is_on_its_way, obstacle, prepare_charge
from orders.services.payments.refused_cards import CARDS_REFUSED, refuse_new_page
from orders.services.payments.stored_cards import store_card
from orders.stripe import gateway
from orders.stripe.facts import CardFacts
from orders.tests.installments import mails
from orders.tests.refunding import charged_today, rows
from shop.core.problems import Problem
from tests.races.concurrency import Started, wait_until_blocked

pytestmark = [pytest.mark.postgres, pytest.mark.django_db, pytest.mark.usefixtures("provider")]


@pytest.fixture
def order() -> Order:
    """180.00 in installments, the first paid by a card that was kept; the second is announced and due today."""
    return charged_today()


def second_of(order: Order) -> Payment:
    return order.payments.get(position=2)


def payment(**changes: Any) -> Callable[[Order], Any]:
    return lambda order: order.payments.filter(position=2).update(**changes)


def status(value: str) -> Callable[[Order], Any]:
    return lambda order: Order.objects.filter(pk=order.pk).update(status=value)


def dispute(state: str) -> Callable[[Order], Any]:
    return lambda order: Dispute.objects.create(
        order=order,
        attempt=Attempt.objects.get(payment__order=order, payment__position=1),
        provider_id="du_1",
        amount="60.00",
        state=state,
    )


def card(**changes: Any) -> Callable[[Order], Any]:
    return lambda order: StoredCard.objects.filter(order=order).update(**changes)


def attempt(state: str, position: int = 3) -> Callable[[Order], Any]:
    return lambda order: Attempt.objects.create(
        payment=order.payments.get(position=position), number=9, kind="link", state=state,
        amount_cents=6000, expires_at=timezone.now(),
    )  # fmt: skip


OBSTACLES: dict[str, tuple[Callable[[Order], Any], str]] = {
    "paid": (payment(state="paid"), "not_owed"),
    "void": (payment(state="void"), "not_owed"),
    "written off": (payment(state="written_off"), "not_owed"),
    "paused": (lambda order: InstallmentPause.objects.create(order=order, started_by="staff"), "paused"),
    "cancelled": (status("cancelled"), "order_closed"),
    "given back": (status("refunded"), "order_closed"),
    "dispute open": (dispute("needs_response"), "disputed"),
    "dispute examined": (dispute("under_review"), "disputed"),
    "dispute lost": (dispute("lost"), "disputed"),
    "no card": (lambda order: StoredCard.objects.all().delete(), "no_card"),
    "card forgotten": (card(forgotten_at=timezone.now()), "no_card"),
    "card refused": (card(refused_code="stolen_card"), "card_refused"),
    "bank wants its customer": (payment(stopped_code="authentication_required"), "needs_customer"),
    "money in doubt": (attempt("review"), "in_review"),
}
LIVE = ("prepared", "sent", "processing")
NO_OBSTACLES = {
    "nothing": lambda order: None,
    "overdue": payment(state="overdue"),
    "sent to the customer": status("shipped"),
    "dispute won": dispute("won"),
    "no funds the last time": payment(stopped_code="insufficient_funds", state="overdue"),
    **{f"a {state} try": attempt(state) for state in ("succeeded", "failed", "expired", "canceled")},
}


@pytest.mark.parametrize("case", list(OBSTACLES))
def test_each_obstacle_is_named_and_nothing_is_begun(order, case):
    stale = second_of(order)
    set_up, reason = OBSTACLES[case]
    set_up(order)
    order.refresh_from_db()
    assert obstacle(order, second_of(order)) == reason
    # The round read its list before: what it decides is what it reads under the lock.
    assert due_installments.charge_payment(stale, today=timezone.localdate()) is None
    with pytest.raises(Problem) as refused:
        due_installments.charge_now(payment_id=stale.pk, actor=None)
    assert (refused.value.code, refused.value.status) == ("charge_refused", 409)
    assert refused.value.detail == due_installments.charge_obstacle_text(reason)
    assert not Attempt.objects.filter(kind="off_session").exists()


@pytest.mark.parametrize("case", list(OBSTACLES))
def test_what_came_between_the_written_charge_and_its_call_drops_it(order, case):
    prepared = prepare_charge(second_of(order))
    set_up, _reason = OBSTACLES[case]
    set_up(order)
    before = rows()
    assert claim_charge(prepared) is False
    prepared.refresh_from_db()
    assert (prepared.state, prepared.sent_at, prepared.settled_at is None) == ("canceled", None, False)
    assert rows() == before


@pytest.mark.parametrize("case", list(NO_OBSTACLES))
def test_what_is_no_obstacle(order, monkeypatch, case):
    NO_OBSTACLES[case](order)
    order.refresh_from_db()
    assert obstacle(order, second_of(order)) == ""
    # Nor is its own day too early for staff.
    monkeypatch.setattr(due_installments, "_execute", lambda prepared: prepared)
    prepared = due_installments.charge_now(payment_id=second_of(order).pk, actor=None)
    assert (prepared.payment, prepared.kind, prepared.state) == (second_of(order), "off_session", "prepared")


@pytest.mark.parametrize("position", [1, 2, 3])
@pytest.mark.parametrize("state", LIVE)
def test_one_try_at_a_time_for_the_whole_order(order, state, position):
    attempt(state, position)(order)
    assert obstacle(order, second_of(order)) == "attempt_live"


def test_a_charge_is_claimed_once(order):
    prepared = prepare_charge(second_of(order))
    assert claim_charge(prepared) is True
    prepared.refresh_from_db()
    assert prepared.state == "sent"
    sent_at = prepared.sent_at
    assert claim_charge(prepared) is False
    prepared.refresh_from_db()
    assert (prepared.state, prepared.sent_at) == ("sent", sent_at)


@pytest.mark.parametrize(
    "changes",
    [
        {"stopped_code": "insufficient_funds", "state": "due"},
        {"announced_at": None},
        {"due_on": timezone.localdate() + timedelta(days=1)},
        {"next_try_on": timezone.localdate() + timedelta(days=1)},
    ],
    ids=["stopped", "not announced", "not its day", "not the day of its next try"],
)
def test_the_round_looks_at_the_calendar_again_under_the_lock(order, changes):
    stale = second_of(order)
    payment(**changes)(order)
    assert due_installments.charge_payment(stale, today=timezone.localdate()) is None
    assert not Attempt.objects.filter(kind="off_session").exists()


def test_the_first_payment_is_never_charged_to_the_kept_card(order):
    first = order.payments.get(position=1)
    Payment.objects.filter(pk=first.pk).update(state="due")
    before = rows()
    with pytest.raises(Problem) as refused:
        due_installments.charge_now(payment_id=first.pk, actor=None)
    assert refused.value.detail == due_installments.charge_obstacle_text("too_early")
    assert rows() == before


def test_staff_do_not_charge_before_the_day_that_the_customer_was_told(order, staff_client):
    """Announced late, on its own day: the mail says in three days."""
    panel = reverse("staff-order-installments", args=[order.pk])
    step = reverse("staff-order-installment", args=[order.pk, second_of(order).pk, "debiter"])
    assert step in staff_client.get(panel).content.decode()
    payment(next_try_on=timezone.localdate() + timedelta(days=3))(order)
    assert step not in staff_client.get(panel).content.decode()
    before = rows()
    with pytest.raises(Problem) as refused:
        due_installments.charge_now(payment_id=second_of(order).pk, actor=None)
    assert refused.value.detail == due_installments.charge_obstacle_text("too_early")
    assert rows() == before
    # After a refusal its next try is the shop's own calendar, not the day that was agreed.
    payment(state="due")(order)
    assert step in staff_client.get(panel).content.decode()


@pytest.mark.django_db(transaction=True)
def test_a_claim_waits_for_who_is_ending_the_charges():
    """The order is given back in a transaction that has not ended when the charge is about to be made."""
    order = charged_today()
    prepared = prepare_charge(second_of(order))
    with transaction.atomic():
        void_scheduled(order=Order.objects.select_for_update().get(pk=order.pk), reason="test.withdrawn")
        claim = Started(partial(claim_charge, prepared))
        wait_until_blocked()
    assert claim.value() is False
    prepared.refresh_from_db()
    assert (prepared.state, prepared.sent_at) == ("canceled", None)


@pytest.mark.django_db(transaction=True)
def test_the_round_passes_by_an_order_that_somebody_holds(monkeypatch):
    """A page that pays all that is left is being written while the round comes to the last installment."""
    order = charged_today()
    third = order.payments.get(position=3)
    Payment.objects.filter(pk=third.pk).update(due_on=timezone.localdate(), announced_at=timezone.now())
    monkeypatch.setattr(due_installments, "_execute", lambda charge: charge)
    with transaction.atomic():
        Order.objects.select_for_update().get(pk=order.pk)
        attempt("prepared", position=2)(order)
        round_ = Started(partial(due_installments.charge_payment, third, today=timezone.localdate()))
        assert round_.value() is None
    assert not Attempt.objects.filter(kind="off_session").exists()


def run_round_on(monkeypatch: pytest.MonkeyPatch, **lists: list[Payment]) -> None:
    """A round whose lists were read before another round did its work."""
    with monkeypatch.context() as patch:
        for name, stale in lists.items():
            patch.setattr(due_installments.due, name, lambda day, stale=stale: stale)
        due_installments.run_round(timezone.now())


def test_two_rounds_announce_a_charge_once(order, monkeypatch):
    order.payments.filter(position=2).update(announced_at=None)
    stale = [second_of(order)]
    run_round_on(monkeypatch, to_announce=stale)
    announced = second_of(order)
    assert (announced.announced_at is None, mails("installment_reminder")) == (False, 1)
    run_round_on(monkeypatch, to_announce=stale)
    assert second_of(order).announced_at == announced.announced_at
    payment(state="paid", announced_at=None)(order)
    run_round_on(monkeypatch, to_announce=stale)
    assert (second_of(order).announced_at, mails("installment_reminder")) == (None, 1)


@pytest.mark.parametrize(("ahead", "told"), [(timedelta(minutes=9), 0), (timedelta(days=365), 1)])
def test_an_installment_announced_while_the_clock_was_ahead_is_announced_again(order, ahead, told):
    """Its customer read of a day that may be years away, on which it would be charged."""
    today = timezone.localdate()
    wrong = timezone.localdate(timezone.now() + ahead) + timedelta(days=3)
    payment(announced_at=timezone.now() + ahead, next_try_on=wrong)(order)
    for _round in range(2):
        due_installments.run_round(timezone.now())
    announced = second_of(order)
    assert mails("installment_reminder") == told
    assert announced.next_try_on == (today + timedelta(days=3) if told else wrong)
    assert announced.announced_at is not None
    assert (announced.announced_at <= timezone.now()) == bool(told)


def test_two_rounds_remind_of_a_link_once(order, monkeypatch):
    today = timezone.localdate()
    payment(state="due", stopped_code="stolen_card", link_sent_at=timezone.now(), next_try_on=today)(order)
    card(refused_code="stolen_card")(order)
    stale = [second_of(order)]
    run_round_on(monkeypatch, to_remind=stale)
    assert (second_of(order).next_try_on, mails("installment_refused")) == (today + timedelta(days=3), 1)
    before = rows()
    run_round_on(monkeypatch, to_remind=stale)
    assert rows() == before
    payment(state="paid", next_try_on=today)(order)
    before = rows()
    run_round_on(monkeypatch, to_remind=stale)
    assert rows() == before


@pytest.mark.parametrize(
    ("ago", "state", "expected"),
    [
        (timedelta(minutes=2), "sent", False),
        (timedelta(minutes=1, seconds=59), "sent", True),
        (timedelta(minutes=-10), "sent", True),
        (timedelta(minutes=-10, seconds=-1), "sent", False),
        (timedelta(0), "failed", False),
    ],
)
def test_a_charge_is_on_its_way_for_two_minutes(ago, state, expected):
    with time_machine.travel(timezone.now(), tick=False):
        assert is_on_its_way(Attempt(state=state, sent_at=timezone.now() - ago)) is expected


@pytest.mark.parametrize("case", ["dispute open", "cancelled"])
def test_an_order_that_stands_still_is_neither_announced_nor_reminded(order, monkeypatch, case):
    payment(announced_at=None)(order)
    OBSTACLES[case][0](order)
    run_round_on(monkeypatch, to_announce=[second_of(order)])
    payment(state="due", stopped_code="stolen_card", next_try_on=timezone.localdate())(order)
    before = rows()
    run_round_on(monkeypatch, to_remind=[second_of(order)])
    assert rows() == before
    assert mails("installment_reminder") == mails("installment_refused") == 0


def test_the_workshop_is_told_of_each_installment_that_is_not_accepted(order, monkeypatch):
    """The same refusal of the call a month later: nobody collects that one either."""

    def refuse(charge: Attempt) -> None:
        raise gateway.GatewayRefused("no such parameter", "parameter_unknown")

    monkeypatch.setattr(settlement, "execute_charge", refuse)
    order.payments.filter(position=3).update(due_on=timezone.localdate(), announced_at=timezone.now())
    for position in (2, 3):
        charge = prepare_charge(order.payments.get(position=position))
        assert claim_charge(charge)
        for _again in range(2):
            settlement.settle(charge.pk)
        assert mails("payment_review_alert") == position - 1
        # Staff have looked: it was paid otherwise.
        Attempt.objects.filter(pk=charge.pk).update(state="canceled")
        payment(state="paid")(order)


def test_a_card_that_is_left_again_is_told_with_the_new_days(order):
    """What it could not pay is charged again three days after the mail: the second time as the first."""
    left = CardFacts("cus_1", "pm_2", "visa", "4242", 12, 2030)
    for number in (1, 2):
        payment(state="overdue", stopped_code="insufficient_funds")(order)
        with transaction.atomic():
            store_card(order=Order.objects.select_for_update().get(pk=order.pk), card=left)
        assert (second_of(order).stopped_code, mails("installment_card_kept")) == ("", number)


def test_a_page_that_can_not_be_closed_keeps_no_other_open(order, monkeypatch, fail_first):
    for position in (2, 3):
        page = attempt("sent", position)(order)
        Attempt.objects.filter(pk=page.pk).update(checkout_session_id=f"cs_{position}")
    order.payments.filter(position__gt=1).update(state="void")
    closed: list[str] = []
    monkeypatch.setattr(checkout_sessions, "close_page", lambda page: closed.append(page.checkout_session_id))
    monkeypatch.setattr(checkout_sessions, "settle", lambda _attempt_id: None)
    fail_first(checkout_sessions, "close_page")
    with pytest.raises(RuntimeError, match="unforeseen"):
        checkout_sessions.close_void_attempts(order.pk)
    assert len(closed) == 1
    assert checkout_sessions.close_void_attempts(order.pk) == 2


@pytest.mark.parametrize(
    ("moment", "refused"),
    [(timedelta(hours=-23), True), (timedelta(hours=-25), False), (timedelta(minutes=9), True),
     (timedelta(days=365), False)],
)  # fmt: skip
def test_a_page_closed_for_refused_cards_keeps_others_closed_for_a_day(order, moment, refused):
    with time_machine.travel(timezone.now() + moment):
        record_event(order, CARDS_REFUSED, attempt="1", count=5)
    with pytest.raises(Problem, match="Réessayez demain") if refused else nullcontext():
        refuse_new_page(order)


def test_cards_are_deleted_when_nothing_is_owed_any_more_and_not_before(order, monkeypatch, settings):
    settings.STRIPE_SECRET_KEY = "sk_test_1"
    asked: list[str] = []
    monkeypatch.setattr(due_installments.gateway, "detach_payment_method", asked.append)
    assert (due_installments.detach_unused_cards(), asked) == (0, [])
    order.payments.filter(position=2).update(state="paid")
    assert (due_installments.detach_unused_cards(), asked) == (0, [])
    order.payments.filter(position=3).update(state="void")
    assert (due_installments.detach_unused_cards(), asked) == (1, ["pm_1"])
    assert StoredCard.objects.get(order=order).forgotten_at is not None
    assert (due_installments.detach_unused_cards(), asked) == (0, ["pm_1"])


def test_a_payment_that_fails_keeps_no_other_waiting(order, monkeypatch, fail_first, settings):
    settings.STRIPE_SECRET_KEY = "sk_test_1"
    other = charged_today()
    charged: list[int] = []
    monkeypatch.setattr(due_installments, "_execute", lambda charge: charged.append(charge.payment_id))
    Payment.objects.filter(position=3).update(due_on=timezone.localdate() + timedelta(days=2))
    for name in ("_announce", "_prepare"):
        fail_first(due_installments, name)
    with pytest.raises(RuntimeError, match="unforeseen"):
        due_installments.run_round(timezone.now())
    announced = Payment.objects.filter(position=3, announced_at__isnull=False)
    assert announced.get().order_id == other.pk
    assert charged == [second_of(other).pk]
    due_installments.run_round(timezone.now())
    assert (announced.count(), charged) == (2, [second_of(other).pk, second_of(order).pk])
