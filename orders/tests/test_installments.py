"""Three times: the year of an order's installments, through the real library and the sandbox."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta

import pytest
from django.db import transaction

from conftest import QueuedTasks
from orders.models import Attempt, LedgerEntry, Order, OrderStatus, Payment, Refund, StoredCard
from orders.pricing.dunning import Refusal, classify, next_step
from orders.selectors.installments import outstanding
from orders.services.payments import settlement
from orders.services.payments.payment_links import pay_by_link
from orders.services.payments.stored_cards import store_card
from orders.stripe.facts import CardFacts
from orders.tests.fake_stripe import FakeStripe, Shopper
from orders.tests.installments import (
    SECOND,
    THIRD,
    Clock,
    attempts,
    bought,
    calls,
    card_becomes,
    charged,
    installments,
    intents,
    mails,
    page_of,
    payment_of,
    place,
)
from shop.core.problems import Problem

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]


def test_the_first_installment_is_paid_and_the_card_kept(
    fake_stripe: FakeStripe, shopper: Shopper, clock: Clock
):
    order = bought(fake_stripe, shopper, price="200.00")

    assert order.status == OrderStatus.CONFIRMED
    assert installments(order) == [
        ("66.68", "2026-11-23", "paid"),
        ("66.66", "2026-12-23", "scheduled"),
        ("66.66", "2027-01-22", "scheduled"),
    ]
    assert (order.card.brand, order.card.last4, order.card.refused_code) == ("visa", "4242", "")
    assert charged(fake_stripe) == [6668]
    [session] = fake_stripe.requests("/v1/checkout/sessions")
    asked = session["params"]
    assert asked["customer_creation"] == "always"
    assert asked["payment_intent_data"]["setup_future_usage"] == "off_session"
    assert asked["custom_text"]["submit"]["message"] == order.mandate_text
    assert list(asked["line_items"].values()) == [
        {
            "quantity": "1",
            "price_data": {
                "currency": "eur",
                "unit_amount": "6668",
                "product_data": {"name": f"Commande {order.reference}, échéance 1/3"},
            },
        }
    ]


def test_the_later_installments_are_announced_then_charged_on_their_day(
    fake_stripe: FakeStripe, shopper: Shopper, clock: Clock
):
    order = bought(fake_stripe, shopper)
    clock.run_until(SECOND - timedelta(days=4))
    assert (mails("installment_reminder"), charged(fake_stripe)) == (0, [5000])
    clock.run_until(SECOND - timedelta(days=1))
    assert (mails("installment_reminder"), charged(fake_stripe)) == (1, [5000])
    clock.run_until(SECOND)
    assert charged(fake_stripe) == [5000, 5000]
    assert installments(order)[1] == ("50.00", "2026-12-23", "paid")
    clock.run_until(THIRD)

    assert charged(fake_stripe) == [5000, 5000, 5000]
    assert [state for _amount, _day, state in installments(order)] == ["paid", "paid", "paid"]
    assert attempts(order) == [
        (1, 1, "checkout", "succeeded", ""),
        (2, 1, "off_session", "succeeded", ""),
        (3, 1, "off_session", "succeeded", ""),
    ]
    assert [str(entry.amount) for entry in LedgerEntry.objects.order_by("pk")] == ["50.00", "50.00", "50.00"]
    assert (mails("installment_reminder"), mails("installment_received"), mails("order_confirmation")) == (
        2,
        2,
        1,
    )
    assert outstanding(order) == 0
    assert StoredCard.objects.get().forgotten_at is not None


def test_no_funds_is_tried_again_after_three_seven_and_fourteen_days_then_staff_are_told(
    fake_stripe: FakeStripe, shopper: Shopper, clock: Clock
):
    order = bought(fake_stripe, shopper, later="9995")
    tried = []
    while clock.today < SECOND + timedelta(days=40):
        clock.pass_days(1)
        before = len(attempts(order))
        clock.run_round()
        if len(attempts(order)) > before:
            tried.append(((clock.today - SECOND).days, payment_of(order, 2).attempts.count()))
        if clock.today == SECOND + timedelta(days=20):
            break

    assert tried == [(0, 1), (3, 2), (7, 3), (14, 4)]
    second = payment_of(order, 2)
    assert (second.state, second.stopped_code, second.next_try_on) == ("overdue", "insufficient_funds", None)
    keys = [
        call["idempotency_key"]
        for call in fake_stripe.requests("/v1/payment_intents")
        if call["path"] == "/v1/payment_intents"
    ]
    assert len(set(keys)) == 4
    assert charged(fake_stripe) == [5000]
    assert intents(fake_stripe) == ["succeeded", "canceled", "canceled", "canceled", "canceled"]
    assert (
        mails("installment_refused"),
        mails("installment_overdue"),
        mails("installment_overdue_alert"),
    ) == (
        3,
        1,
        1,
    )
    assert order.card.refused_code == ""


def test_a_retry_that_succeeds_ends_the_calendar(fake_stripe: FakeStripe, shopper: Shopper, clock: Clock):
    order = bought(fake_stripe, shopper, later="9995")
    clock.run_until(SECOND)
    second = payment_of(order, 2)
    assert (second.state, second.next_try_on) == ("due", SECOND + timedelta(days=3))
    card_becomes(fake_stripe, order, "4242")
    clock.run_until(SECOND + timedelta(days=3))

    second.refresh_from_db()
    assert (second.state, second.next_try_on, second.stopped_code) == ("paid", None, "")
    assert attempts(order)[1:] == [
        (2, 1, "off_session", "failed", "insufficient_funds"),
        (2, 2, "off_session", "succeeded", ""),
    ]
    assert charged(fake_stripe) == [5000, 5000]


def test_a_bank_that_wants_its_customer_is_not_asked_again_and_the_link_pays(
    fake_stripe: FakeStripe, shopper: Shopper, clock: Clock
):
    order = bought(fake_stripe, shopper, later="3184")
    clock.run_until(SECOND)
    second = payment_of(order, 2)
    assert (second.state, second.stopped_code) == ("due", "authentication_required")
    assert intents(fake_stripe) == ["succeeded", "canceled"]
    assert mails("installment_refused") == 1
    clock.run_until(SECOND + timedelta(days=2))
    assert len(attempts(order)) == 2

    url = pay_by_link(order_id=order.pk, everything=False)
    assert pay_by_link(order_id=order.pk, everything=False) == url
    page = page_of(second)
    fake_stripe.control(f"sessions/{page}/pay", card="4242")
    assert shopper.verify(page).json()["payment_status"] == "paid"
    assert installments(order)[1:] == [("50.00", "2026-12-23", "paid"), ("50.00", "2027-01-22", "scheduled")]
    assert attempts(order)[2] == (2, 2, "link", "succeeded", "")
    paid = payment_of(order, 2)
    assert (paid.stopped_code, paid.next_try_on) == ("", None)
    clock.run_until(THIRD)
    assert charged(fake_stripe) == [5000, 5000, 5000]


def test_an_unpaid_link_is_recalled_three_times_then_overdue(
    fake_stripe: FakeStripe, shopper: Shopper, clock: Clock
):
    order = bought(fake_stripe, shopper, later="3184")
    clock.run_until(SECOND + timedelta(days=13))
    assert (payment_of(order, 2).state, mails("installment_refused")) == ("due", 3)
    clock.run_until(SECOND + timedelta(days=14))

    assert payment_of(order, 2).state == "overdue"
    assert (
        mails("installment_refused"),
        mails("installment_overdue"),
        mails("installment_overdue_alert"),
    ) == (
        3,
        1,
        1,
    )
    assert len(attempts(order)) == 2
    pay_by_link(order_id=order.pk, everything=False)
    page = page_of(payment_of(order, 2))
    fake_stripe.control(f"sessions/{page}/pay")
    shopper.verify(page)
    assert payment_of(order, 2).state == "paid"


def test_a_stolen_card_is_never_charged_again(fake_stripe: FakeStripe, shopper: Shopper, clock: Clock):
    order = bought(fake_stripe, shopper, later="9979")
    clock.run_until(THIRD)

    assert calls(fake_stripe) == 1
    assert attempts(order)[1:] == [(2, 1, "off_session", "failed", "stolen_card")]
    assert StoredCard.objects.get().refused_code == "stolen_card"
    assert [state for _amount, _day, state in installments(order)] == ["paid", "overdue", "due"]
    assert payment_of(order, 3).stopped_code == "stolen_card"


def test_a_card_that_the_provider_no_longer_has_is_refused_and_a_link_asked(
    fake_stripe: FakeStripe, shopper: Shopper, clock: Clock
):
    order = bought(fake_stripe, shopper)
    StoredCard.objects.update(payment_method_id="pm_deleted_elsewhere")
    clock.run_until(SECOND)

    assert attempts(order)[1:] == [(2, 1, "off_session", "failed", "resource_missing")]
    assert StoredCard.objects.get().refused_code == "resource_missing"
    assert (payment_of(order, 2).state, mails("installment_refused")) == ("due", 1)
    order.refresh_from_db()
    assert order.review_reason == ""
    assert len(charged(fake_stripe)) == 1


def test_a_charge_that_the_bank_has_not_answered_is_neither_refused_nor_repeated(
    fake_stripe: FakeStripe, shopper: Shopper, clock: Clock, monkeypatch: pytest.MonkeyPatch
):
    order = bought(fake_stripe, shopper)
    execute = settlement.execute_charge
    monkeypatch.setattr(
        settlement,
        "execute_charge",
        lambda attempt: replace(execute(attempt), status="processing", charge=None),
    )
    clock.run_until(SECOND + timedelta(days=1))
    assert attempts(order)[1:] == [(2, 1, "off_session", "processing", "")]
    assert (payment_of(order, 2).state, StoredCard.objects.get().refused_code) == ("scheduled", "")
    with pytest.raises(Problem, match="est en cours"):
        pay_by_link(order_id=order.pk, everything=True)

    monkeypatch.undo()
    settlement.settle(payment_of(order, 2).attempts.get().pk)
    assert payment_of(order, 2).state == "paid"
    assert len(charged(fake_stripe)) == 2


@pytest.mark.parametrize(
    ("state", "ended"),
    [
        ("prepared", "canceled"),  # its process died before the call
        ("sent", "expired"),  # and before the answer was stored
    ],
)
def test_a_page_that_nobody_ever_saw_is_closed_for_another_demand(
    fake_stripe: FakeStripe, shopper: Shopper, clock: Clock, state: str, ended: str
):
    order = bought(fake_stripe, shopper)
    payment = payment_of(order, 2)
    Attempt.objects.create(
        payment=payment, number=1, kind="link", state=state, amount_cents=5000,
        expires_at=clock.now() + timedelta(minutes=30),
    )  # fmt: skip
    assert pay_by_link(order_id=order.pk, everything=True) != ""
    assert attempts(order)[1:] == [(2, 1, "link", ended, ""), (2, 2, "link", "sent", "")]


def test_everything_left_is_paid_at_once_and_the_card_forgotten(
    fake_stripe: FakeStripe, shopper: Shopper, clock: Clock, queued_tasks: QueuedTasks
):
    order = bought(fake_stripe, shopper, price="200.00")
    clock.pass_days(5)
    pay_by_link(order_id=order.pk, everything=True)
    page = page_of(payment_of(order, 2))
    fake_stripe.control(f"sessions/{page}/pay")
    shopper.verify(page)

    second, third = payment_of(order, 2), payment_of(order, 3)
    assert (str(second.amount), second.state) == ("133.32", "paid")
    assert (str(third.amount), third.state, third.merged_into) == ("66.66", "void", second)
    assert [str(entry.amount) for entry in LedgerEntry.objects.order_by("pk")] == ["66.68", "133.32"]
    assert charged(fake_stripe) == [6668, 13332]
    assert outstanding(order) == 0
    clock.run_until(THIRD)
    assert charged(fake_stripe) == [6668, 13332]
    assert StoredCard.objects.get().forgotten_at is not None
    assert mails("installment_reminder") == 0


def test_another_demand_closes_the_page_before_it(fake_stripe: FakeStripe, shopper: Shopper, clock: Clock):
    order = bought(fake_stripe, shopper)
    one = pay_by_link(order_id=order.pk, everything=False)
    page = page_of(payment_of(order, 2))
    everything = pay_by_link(order_id=order.pk, everything=True)

    assert one != everything
    assert fake_stripe.control(f"sessions/{page}/pay")["result"] == "closed"
    assert attempts(order)[1:] == [(2, 1, "link", "expired", ""), (2, 2, "link", "sent", "")]


def test_a_card_used_for_the_next_installment_replaces_the_kept_one(
    fake_stripe: FakeStripe, shopper: Shopper, clock: Clock, queued_tasks: QueuedTasks
):
    order = bought(fake_stripe, shopper, later="9979")
    before = order.card.payment_method_id
    clock.pass_days(5)
    pay_by_link(order_id=order.pk, everything=False)
    page = page_of(payment_of(order, 2))
    queued_tasks.calls.clear()
    fake_stripe.control(f"sessions/{page}/pay")
    shopper.verify(page)

    card = StoredCard.objects.get()
    assert card.payment_method_id != before
    assert ("orders.tasks.detach_card", (before,)) in [
        (task.name, args) for task, args, _ in queued_tasks.calls
    ]
    queued_tasks.run()
    clock.run_until(THIRD)
    assert charged(fake_stripe) == [5000, 5000, 5000]
    assert [state for _amount, _day, state in installments(order)] == ["paid", "paid", "paid"]


def test_a_card_that_paid_for_nothing_is_not_kept(
    fake_stripe: FakeStripe, shopper: Shopper, clock: Clock, queued_tasks: QueuedTasks
):
    order = place(shopper)
    page = page_of(payment_of(order, 1))
    fake_stripe.control(f"sessions/{page}/pay")
    Order.objects.filter(pk=order.pk).update(status=OrderStatus.REFUNDED)
    shopper.verify(page)

    assert (str(Refund.objects.get().amount), Refund.objects.get().reason) == ("50.00", "unavailable")
    assert not StoredCard.objects.exists()
    assert [args for task, args, _ in queued_tasks.calls if task.name == "orders.tasks.detach_card"]


@pytest.mark.parametrize(("month", "year", "told"), [(12, 2026, 1), (1, 2027, 0)])
def test_a_card_that_ends_too_early_is_told_at_once(
    fake_stripe: FakeStripe, shopper: Shopper, clock: Clock, month: int, year: int, told: int
):
    order = bought(fake_stripe, shopper)
    facts = CardFacts("cus_1", "pm_1", "visa", "4242", month, year)
    with transaction.atomic():
        store_card(order=Order.objects.select_for_update().get(pk=order.pk), card=facts)
    assert mails("installment_card_expires") == told


@pytest.mark.parametrize(
    ("code", "advice", "expected"),
    [
        ("insufficient_funds", "try_again_later", Refusal.RETRY),
        ("processing_error", "", Refusal.RETRY),
        ("generic_decline", "", Refusal.RETRY),
        ("never heard of", "", Refusal.RETRY),
        ("generic_decline", "do_not_try_again", Refusal.CARD_IS_DEAD),
        ("expired_card", "confirm_card_data", Refusal.CARD_IS_DEAD),
        ("stolen_card", "", Refusal.CARD_IS_DEAD),
        ("lost_card", "try_again_later", Refusal.CARD_IS_DEAD),
        ("authentication_required", "try_again_later", Refusal.AUTHENTICATE),
    ],
)
def test_the_banks_words_decide(code: str, advice: str, expected: Refusal):
    assert classify(code, advice) == expected


@pytest.mark.parametrize(("elapsed", "step"), [(0, 3), (2, 3), (3, 7), (6, 7), (7, 14), (13, 14), (14, None)])
def test_the_steps_are_counted_from_the_first_refusal(elapsed: int, step: int | None):
    first = date(2026, 12, 23)
    expected = first + timedelta(days=step) if step else None
    assert next_step(first=first, today=first + timedelta(days=elapsed)) == expected


def test_payments_are_never_lost_from_the_books(fake_stripe: FakeStripe, shopper: Shopper, clock: Clock):
    order = bought(fake_stripe, shopper, price="150.01")
    clock.run_until(THIRD)
    assert [
        str(amount) for amount in Payment.objects.order_by("position").values_list("amount", flat=True)
    ] == [
        "50.01",
        "50.00",
        "50.00",
    ]
    assert sum(entry.amount for entry in LedgerEntry.objects.all()) == order.total
