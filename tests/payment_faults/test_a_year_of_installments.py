"""A year of installments, day by day: every order ends as its customer, card and shop would have it, to the cent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal

import pytest
from django.db.models import Sum

from conftest import QueuedTasks
from orders.models import Attempt, LedgerEntry, Order, OrderStatus, Payment, StoredCard
from orders.selectors.installments import outstanding
from orders.services.fulfilment.status_changes import update_status
from orders.services.payments.payment_links import pay_by_link
from orders.services.reconciliation import reconcile
from orders.tests.fake_stripe import FakeStripe
from orders.tests.installments import (
    FIRST_DAY,
    Clock,
    bought,
    card_becomes,
    charged,
    installments,
    void_later,
)
from shop.core.models import OutgoingMail
from tests.races.conftest import Buyer

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]

EACH = 2
LAST_DAY = FIRST_DAY + timedelta(days=365)


def nothing(_bank: FakeStripe, _order: Order) -> None: ...


def link(*, everything: bool) -> Callable[[FakeStripe, Order], None]:
    def pay(fake_stripe: FakeStripe, order: Order) -> None:
        pay_by_link(order_id=order.pk, everything=everything)
        opened = Attempt.objects.filter(payment__order=order, kind="link").latest("created_at")
        fake_stripe.control(f"sessions/{opened.checkout_session_id}/pay")
        for _round in range(2):
            reconcile.settle(opened.pk)

    return pay


def ship(_bank: FakeStripe, order: Order) -> None:
    update_status(order_id=order.pk, status=OrderStatus.SHIPPED, actor=None)


def withdraw(_bank: FakeStripe, order: Order) -> None:
    void_later(order)


def lets_the_card_pay(fake_stripe: FakeStripe, order: Order) -> None:
    card_becomes(fake_stripe, order, "4242")


# Name: the card's later behaviour, what happens on which day, the states of the three, tries of the card.
STORIES: dict[str, tuple[str, dict[int, Callable[[FakeStripe, Order], None]], list[str], int]] = {
    "all goes well": ("", {}, ["paid", "paid", "paid"], 2),
    "dispatched early": ("", {1: ship}, ["paid", "paid", "paid"], 2),
    "dispatched late": ("", {25: ship}, ["paid", "paid", "paid"], 2),
    "no funds, then some": ("9995", {34: lets_the_card_pay}, ["paid", "paid", "paid"], 4),
    "never any funds": ("9995", {}, ["paid", "overdue", "overdue"], 8),
    "processing errors": ("0119", {38: lets_the_card_pay}, ["paid", "paid", "paid"], 5),
    "stolen card": ("9979", {}, ["paid", "overdue", "overdue"], 1),
    "stolen card, paid by link": ("9979", {31: link(everything=False)}, ["paid", "paid", "paid"], 2),
    "expired card, all paid by link": ("0069", {33: link(everything=True)}, ["paid", "paid", "void"], 1),
    "bank asks, paid by link": ("3184", {32: link(everything=False)}, ["paid", "paid", "paid"], 2),
    "bank asks in vain": ("3184", {}, ["paid", "overdue", "overdue"], 2),
    "paid off early": ("", {10: link(everything=True)}, ["paid", "paid", "void"], 0),
    "next installment paid early": ("", {5: link(everything=False)}, ["paid", "paid", "paid"], 1),
    "withdrawn at once": ("", {3: withdraw}, ["paid", "void", "void"], 0),
    "withdrawn after the second": ("", {45: withdraw}, ["paid", "paid", "void"], 1),
    "withdrawn while dunned": ("9995", {32: withdraw}, ["paid", "void", "void"], 1),
}
PRICES = ("150.00", "150.01", "199.99", "260.00", "1249.51")


def test_a_year_of_installments(fake_stripe: FakeStripe, clock: Clock, queued_tasks: QueuedTasks, figures):
    orders: list[tuple[str, Order]] = []
    for number in range(EACH):
        for name, (later, _days, _states, _tries) in STORIES.items():
            price = PRICES[len(orders) % len(PRICES)]
            orders.append((name, bought(fake_stripe, Buyer(number), later=later, price=price)))
    days = 0
    while clock.today < LAST_DAY:
        # After eighty days nothing is left to happen: the year ends with a look at each month.
        step = 1 if days < 80 else 30
        clock.pass_days(step)
        days += step
        clock.run_round()
        for name, order in orders:
            happening = STORIES[name][1].get(days)
            if happening is not None:
                happening(fake_stripe, order)
        reconcile.reconcile_attempts(clock.now() + timedelta(minutes=5))
        # Mails are delivered by other tests.
        queued_tasks.calls = [call for call in queued_tasks.calls if call[0].name.startswith("orders.")]
        queued_tasks.run()

    for name, order in orders:
        _later, _days, states, tries = STORIES[name]
        assert [state for _amount, _day, state in installments(order)] == states, name
        assert Attempt.objects.filter(payment__order=order, kind="off_session").count() == tries, name
        paid = sum((payment.amount for payment in order.payments.filter(state="paid")), Decimal(0))
        assert order.ledger.aggregate(total=Sum("amount"))["total"] == paid, name
        if "void" not in states and "overdue" not in states:
            assert paid == order.total, name
        if name == "dispatched early":
            assert order.payments.get(position=3).due_on == FIRST_DAY + timedelta(days=51)
    # The shop's books and the provider's, charge by charge.
    booked = sorted(int(entry.amount * 100) for entry in LedgerEntry.objects.all())
    assert booked == sorted(charged(fake_stripe))
    assert not Attempt.objects.filter(state__in=("prepared", "sent", "processing")).exists()
    owing = [order for _name, order in orders if outstanding(order)]
    assert len(owing) == EACH * 3
    # A card is kept while something is owed, and no longer.
    assert StoredCard.objects.filter(forgotten_at=None).count() == len(owing)
    figures(
        orders=len(orders),
        outcomes=len(STORIES),
        charges=len(booked),
        card_tries=Attempt.objects.filter(kind="off_session").count(),
        mails=dict(
            Counter(
                OutgoingMail.objects.filter(kind__startswith="installment").values_list("kind", flat=True)
            )
        ),
        overdue=Payment.objects.filter(state="overdue").count(),
    )
