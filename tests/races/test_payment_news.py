"""Webhook, return page, reconciliation, expiry and another tab, all at the same moment about one payment."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from functools import partial
from threading import Event
from typing import Any

import pytest
from django.db import IntegrityError
from django.db.models.query import QuerySet
from django.utils import timezone

from catalog.models import Product
from orders.models import (
    Attempt,
    AttemptState,
    LedgerEntry,
    Order,
    OrderStatus,
    PaymentState,
    Refund,
    StockHold,
    StockHoldState,
    StripeEvent,
)
from orders.payments import gateway, reconcile, sessions, settlement
from orders.payments.sessions import abandon_order, open_session
from orders.payments.settlement import settle
from orders.services.cancellation import cancel_unpaid_order
from orders.services.refunds import send_refund
from orders.tests.conftest import session_of
from orders.tests.factories import checkout_body, line, make_product
from shop.core.models import OutgoingMail
from tests.races.conftest import Buyer
from tests.races.crowd import Rendezvous, Started, all_at_once, values, wait_until_blocked

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]

ROUNDS = 8


@pytest.fixture
def order(bank) -> Order:
    return new_order()


def new_order(buyer: Buyer | None = None) -> Order:
    product = make_product(price="60.00", stock_quantity=1)
    answer = (buyer or Buyer()).checkout(checkout_body([line(product)], "60.00"))
    assert answer.status_code == 201
    return Order.objects.get(pk=answer.json()["order_id"])


def confirmed_once(order: Order) -> None:
    order.refresh_from_db()
    assert order.status == OrderStatus.CONFIRMED
    mails = OutgoingMail.objects.filter(reference=order.reference)
    assert sorted(mails.values_list("kind", flat=True)) == ["order_confirmation", "order_new_workshop"]
    assert [(str(entry.kind), str(entry.amount)) for entry in order.ledger.all()] == [("charge", "60.00")]
    assert order.payments.get().state == PaymentState.PAID
    assert order.stock_holds.get().state == StockHoldState.TAKEN
    assert order.items.get().product.stock_quantity == 0
    assert order.events.filter(name="order.confirmed").count() == 1
    assert not order.refunds.exists()


def cancelled_once(order: Order) -> None:
    order.refresh_from_db()
    assert order.status == OrderStatus.CANCELLED
    assert not order.ledger.exists()
    assert order.stock_holds.get().state == StockHoldState.RELEASED
    assert order.items.get().product.stock_quantity == 1
    assert not OutgoingMail.objects.filter(reference=order.reference).exists()


def still_waits(order: Order) -> None:
    order.refresh_from_db()
    assert order.status == OrderStatus.PENDING
    assert order.stock_holds.get().state == StockHoldState.HELD
    assert order.items.get().product.stock_quantity == 0


def completed(bank) -> dict[str, Any]:
    return next(event for event in bank.events() if event["type"] == "checkout.session.completed")


def test_a_webhook_a_hundred_times_with_return_page_and_reconciliation(bank, order, figures):
    bank.pay(order)
    event, session_id = completed(bank), session_of(order)

    def deliver(number: int) -> list[int]:
        buyer = Buyer(number)
        return [buyer.webhook(event) for _ in range(5)]

    def come_back() -> str:
        return Buyer().verify(session_id).json()["payment_status"]

    def look_after() -> int:
        return reconcile.reconcile_attempts(timezone.now() + timedelta(minutes=3))

    outcomes = values(
        all_at_once(
            [*(partial(deliver, number) for number in range(20)), *[come_back] * 5, *[look_after] * 3]
        )
    )
    assert Counter(code for codes in outcomes[:20] for code in codes) == {200: 100}
    assert set(outcomes[20:25]) == {"paid"}
    confirmed_once(order)
    event_row = StripeEvent.objects.get()
    assert event_row.processed_at is not None
    figures(
        same_event_deliveries=100, in_parallel=20, return_pages=5, reconciliations=3, confirmations=1,
        confirmation_mails=1, ledger_entries=LedgerEntry.objects.count(), webhook_5xx=0,
    )  # fmt: skip


@pytest.mark.parametrize("locked", [True, False], ids=["with the lock", "control without the lock"])
def test_two_settlements_of_one_payment(bank, order, monkeypatch, figures, locked):
    """With the lock the second one waits outside. Without it both decide to confirm, and the unique ledger entry
    stops the second: its whole transaction is undone, and the webhook comes again."""
    bank.pay(order)
    event = completed(bank)
    # The lock makes the first wait in vain for the second: that is the proof.
    inside = Rendezvous(1.0 if locked else 30.0)
    refused: list[IntegrityError] = []
    original = settlement._apply_complete

    def meet(*args: Any) -> None:
        inside.enter()
        try:
            original(*args)
        except IntegrityError as error:
            refused.append(error)
            raise

    monkeypatch.setattr(settlement, "_apply_complete", meet)
    if not locked:
        monkeypatch.setattr(QuerySet, "select_for_update", lambda self, *args, **kwargs: self.all())
    codes = sorted(values(all_at_once([partial(Buyer(number).webhook, event) for number in range(2)])))
    confirmed_once(order)
    if locked:
        assert (codes, inside.together) == ([200, 200], 0)
    else:
        assert (codes, inside.together) == ([200, 500], 2)
        assert [type(error) for error in refused] == [IntegrityError]
        assert "ledger_once_a_movement" in str(refused[0])
        assert Buyer().webhook(event) == 200
        confirmed_once(order)
    figures(**{f"settlements_inside_at_once_{'with' if locked else 'without'}_lock": max(1, inside.together)})


def test_closing_an_order_waits_for_the_payment_that_is_being_booked(bank, order, monkeypatch):
    """Both hold the same facts in their hands; the one that books the money holds the order's row."""
    bank.pay(order)
    original = settlement.mail_confirmation
    rivals: list[Started] = []

    def rival_appears(*args: Any) -> None:
        rivals.append(Started(partial(cancel_unpaid_order, order.pk, reason="payment.expired")))
        wait_until_blocked()
        original(*args)

    monkeypatch.setattr(settlement, "mail_confirmation", rival_appears)
    settle(Attempt.objects.get().pk)
    assert rivals[0].value() is False
    confirmed_once(order)


def test_a_payment_waits_for_the_closing_of_its_order_and_then_revives_it(bank, order, monkeypatch):
    bank.pay(order)
    rivals: list[Started] = []
    from orders.services import cancellation

    original = cancellation.release_for_order

    def rival_appears(closing: Order) -> bool:
        rivals.append(Started(partial(settle, Attempt.objects.get().pk)))
        wait_until_blocked()
        return original(closing)

    monkeypatch.setattr(cancellation, "release_for_order", rival_appears)
    assert cancel_unpaid_order(order.pk, reason="order.abandoned") is True
    assert rivals[0].value().status == "paid"
    confirmed_once(order)
    assert order.events.get(name="order.confirmed").data == {"revived": True}


def test_a_payment_in_the_last_second_wins_over_the_expiry(bank, order, monkeypatch):
    """The shop is about to close the page when the customer pays it."""
    original = gateway.expire_session

    def paid_just_before(session_id: str) -> bool:
        assert bank.pay(order)["result"] == "complete"
        return original(session_id)

    monkeypatch.setattr(gateway, "expire_session", paid_just_before)
    assert abandon_order(str(order.pk)) == order
    confirmed_once(order)


def test_expiry_and_payment_at_the_same_instant_end_with_what_stripe_says(bank, figures):
    """Whoever is first at Stripe: a paid order is confirmed and keeps its piece, an expired one gives it back."""
    ends: Counter[str] = Counter()
    for number in range(ROUNDS):
        order = new_order(Buyer(number))
        attempt = Attempt.objects.get(payment__order=order)

        def pay_and_settle(order: Order = order, attempt: Attempt = attempt) -> str:
            result = bank.pay(order)["result"]
            settle(attempt.pk)
            return result

        result, *_ = values(
            all_at_once(
                [
                    pay_and_settle,
                    partial(abandon_order, str(order.pk)),
                    partial(settle, attempt.pk),
                    partial(reconcile.reconcile_attempts, timezone.now() + timedelta(minutes=3)),
                ]
            )
        )
        if result == "complete":
            confirmed_once(order)
        else:
            assert result == "closed"
            cancelled_once(order)
        ends[result] += 1
    figures(last_second_rounds=ROUNDS, **{f"last_second_{name}": count for name, count in ends.items()})


def test_two_tabs_one_pays_while_the_other_starts_again(bank, monkeypatch, figures):
    """The second tab's checkout gives up the first order. Never is it given up and paid."""
    ends: Counter[str] = Counter()
    closing = Event()
    original = gateway.expire_session

    def close(session_id: str) -> bool:
        closing.set()
        return original(session_id)

    monkeypatch.setattr(gateway, "expire_session", close)
    for number in range(ROUNDS):
        tab = Buyer(number)
        order = new_order(tab)
        other_tab = Buyer(number)
        other_tab.client.cookies = tab.client.cookies
        body = checkout_body([line(order.items.get().product)], "60.00", customer={"city": "Paris"})

        closing.clear()

        def pay(order: Order = order, tab: Buyer = tab, late: bool = number % 2 == 1) -> str:
            if late:
                assert closing.wait(30)
            result = bank.pay(order)["result"]
            tab.verify(session_of(order))
            return result

        paid, again = values(all_at_once([pay, partial(other_tab.checkout, body)]))
        if paid == "complete":
            assert (again.status_code, again.json()["code"]) == (409, "already_paid")
            confirmed_once(order)
        else:
            assert (paid, again.status_code) == ("closed", 201)
            order.refresh_from_db()
            assert order.status == OrderStatus.CANCELLED
            assert not order.ledger.exists()
            assert Order.objects.get(pk=again.json()["order_id"]).status == OrderStatus.PENDING
            assert order.items.get().product.stock_quantity == 0
        ends[paid] += 1
    figures(two_tabs_rounds=ROUNDS, **{f"two_tabs_{name}": count for name, count in ends.items()})


def test_an_order_given_up_while_its_page_is_being_opened_leaves_no_page_to_pay(bank, order, monkeypatch):
    """The page is opened between the look at the attempts and the closing of the order."""
    attempt = Attempt.objects.get()
    lost = attempt.session_id
    Attempt.objects.update(state="prepared", session_id=None, session_url="")
    original = sessions.cancel_unpaid_order

    def opened_just_before(*args: Any, **kwargs: Any) -> bool:
        Started(partial(open_session, Attempt.objects.get())).value()
        return original(*args, **kwargs)

    monkeypatch.setattr(sessions, "cancel_unpaid_order", opened_just_before)
    assert abandon_order(str(order.pk)) is None
    assert bank.control(f"sessions/{lost}/pay")["result"] == "closed"
    cancelled_once(order)


def test_money_that_comes_after_the_piece_went_to_somebody_else_goes_back_once(bank, order):
    cancel_unpaid_order(order.pk, reason="order.abandoned")
    product = order.items.get().product
    assert Buyer(1).checkout(checkout_body([line(product)], "60.00")).status_code == 201
    bank.control(f"sessions/{session_of(order)}/pay")
    values(all_at_once([partial(settle, Attempt.objects.get(payment__order=order).pk)] * 10))
    refund = Refund.objects.get()
    send_refund(refund.pk)
    order.refresh_from_db()
    assert order.status == OrderStatus.CANCELLED
    assert sum(entry.amount for entry in order.ledger.all()) == 0
    assert Product.objects.get().stock_quantity == 0
    assert StockHold.objects.exclude(order=order).get().state == StockHoldState.HELD
    assert OutgoingMail.objects.get().kind == "payment_refunded_automatically"


def test_an_order_whose_money_is_looked_at_is_not_given_up(bank, order):
    bank.pay(order)
    Attempt.objects.update(amount_cents=5999)
    settle(Attempt.objects.get().pk)
    assert Attempt.objects.get().state == AttemptState.REVIEW
    assert abandon_order(str(order.pk)) is None
    still_waits(order)


def test_an_order_whose_bank_debit_is_on_its_way_is_not_given_up(bank, order):
    bank.pay(order, method="bank_debit", seconds=3600)
    assert abandon_order(str(order.pk)) is None
    assert Attempt.objects.get().state == AttemptState.PROCESSING
    still_waits(order)
    bank.control("clock", advance=3601)
