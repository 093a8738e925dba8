"""A card is replaced once, however many presses, webhooks and charges come together."""

from __future__ import annotations

from functools import partial

import pytest
from django.db import transaction

from orders.models import CardChange, DiscardedCard, Order, StoredCard
from orders.selectors.installments import needs_card
from orders.services.payments import card_change
from orders.services.payments.card_change import change_card, settle_card_change
from orders.services.reconciliation import reconcile
from orders.tests.card_changes import asked, charged_cards, journal, left, opened
from orders.tests.installments import FIRST_DAY, Clock, attempts, bought, charged, clock, installments, mails  # noqa: F401
from shop.core.problems import Problem
from tests.races.concurrency import Meeting, run_concurrently, values, without_constraint
from tests.races.conftest import Buyer
from tests.races.rounds import stopped_in_the_call

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]

CROWD = 12


@pytest.fixture
def order(fake_stripe, clock: Clock) -> Order:  # noqa: F811
    """150.00 in three times, confirmed; its second installment is announced and due tomorrow at nine."""
    order = bought(fake_stripe, Buyer())
    clock.run_until(FIRST_DAY.replace(month=12, day=22))
    return order


def test_presses_at_once_open_one_page(fake_stripe, order, figures):
    outcomes = run_concurrently([partial(change_card, order_id=order.pk)] * CROWD)
    problems = {outcome.error.code for outcome in outcomes if isinstance(outcome.error, Problem)}
    # Told to come back while another one is being answered under the same key.
    assert problems <= {"payment_unavailable"}
    addresses = [outcome.value for outcome in outcomes if outcome.error is None]
    change = CardChange.objects.get()
    assert set(addresses) == {change.checkout_session_url}
    assert {call["idempotency_key"] for call in opened(fake_stripe)} == {f"card-{change.pk}"}
    assert change_card(order_id=order.pk) == change.checkout_session_url
    figures(presses=CROWD, answered=len(addresses), pages=1)


def test_without_lock_and_constraint_two_presses_open_two_pages(fake_stripe, order, monkeypatch):
    """Control: presses that neither wait for the order nor are kept apart by the database."""
    meeting = Meeting(2)

    def together(found: Order) -> bool:
        wanted = needs_card(found)
        meeting.wait()
        return wanted

    monkeypatch.setattr(card_change, "needs_card", together)
    monkeypatch.setattr(Order.objects, "select_for_update", lambda **_: Order.objects.all())
    with without_constraint("card_change_one_open_an_order"):
        values(run_concurrently([partial(change_card, order_id=order.pk)] * 2))
        assert CardChange.objects.filter(state="open").count() == 2


def test_news_at_once_keep_one_card(fake_stripe, order, figures):
    change = left(fake_stripe, order)
    told = [event for event in fake_stripe.events() if event["data"]["object"].get("mode") == "setup"]
    answers = values(
        run_concurrently(
            [partial(settle_card_change, change.pk)] * CROWD
            + [partial(Buyer(number).webhook, told[0]) for number in range(CROWD)]
        )
    )
    assert set(answers) == {"kept", 200}
    assert len(journal(order, "card.kept")) == 2
    assert (mails("installment_card_kept"), DiscardedCard.objects.count()) == (1, 1)
    figures(news=2 * CROWD, cards_kept=1)


def test_without_the_lock_a_card_is_kept_twice(fake_stripe, order):
    """Control: two who look before either has written."""
    change = left(fake_stripe, order)
    facts = card_change.fetch_setup_session(change.checkout_session_id)
    meeting = Meeting(2)

    def unlocked() -> None:
        with transaction.atomic():
            found, current = Order.objects.get(), CardChange.objects.get()
            assert current.state == "open"
            meeting.wait()
            card_change._apply(found, current, facts)

    values(run_concurrently([unlocked] * 2))
    assert len(journal(order, "card.kept")) == 3


def test_a_change_neither_waits_for_a_charge_nor_charges_again(fake_stripe, order, clock, monkeypatch):  # noqa: F811
    before = StoredCard.objects.get().payment_method_id
    clock.pass_days(1)
    change = left(fake_stripe, order)
    round_, go_on = stopped_in_the_call(clock, monkeypatch)
    assert settle_card_change(change.pk) == "pending"
    assert StoredCard.objects.get().payment_method_id == before
    go_on.set()
    round_.value()

    assert settle_card_change(change.pk) == "kept"
    assert (charged(fake_stripe), charged_cards(fake_stripe)) == ([5000, 5000], [before])
    assert attempts(order)[1:] == [(2, 1, "off_session", "succeeded", "")]
    assert [state for _amount, _day, state in installments(order)] == ["paid", "paid", "scheduled"]


def test_rounds_and_changes_at_once_charge_each_installment_once(fake_stripe, clock, figures):  # noqa: F811
    orders = [bought(fake_stripe, Buyer(number)) for number in range(6)]
    clock.run_until(FIRST_DAY.replace(month=12, day=22))
    clock.pass_days(1)
    changes = [left(fake_stripe, order) for order in orders]
    outcomes = run_concurrently(
        [clock.run_round] * 2 + [partial(settle_card_change, change.pk) for change in changes] * 2
    )
    values(outcomes)
    # What was passed by, because somebody else held it or a charge was under way, is found by the next run.
    clock.run_round()
    for change in changes:
        assert settle_card_change(change.pk) == "kept"
    assert charged(fake_stripe) == [5000] * 12
    assert [len(attempts(order)) for order in orders] == [2] * 6
    assert DiscardedCard.objects.count() == 6
    figures(rounds=2, changes=12, charges=len(charged(fake_stripe)) - 6)


def test_a_press_while_an_earlier_page_ends_gets_one_page(fake_stripe, order, clock):  # noqa: F811
    change = asked(order)
    clock.go_to(clock.today, hour=10)
    calls = [partial(change_card, order_id=order.pk)] * 4
    calls += [lambda: reconcile.reconcile_card_changes(clock.now())]
    outcomes = run_concurrently(calls)
    assert {outcome.error.code for outcome in outcomes[:4] if outcome.error is not None} <= {
        "payment_unavailable",
        "payment_in_progress",
    }
    change_card(order_id=order.pk)
    change.refresh_from_db()
    assert change.state == "closed"
    assert CardChange.objects.filter(state="open").count() == 1
