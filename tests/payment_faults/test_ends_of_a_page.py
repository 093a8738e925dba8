"""Cases 13 to 17: how a payment page ends, and what comes after its end."""

from __future__ import annotations

from collections import Counter
from datetime import datetime, timedelta
from decimal import Decimal
from functools import partial
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest
from django.db import OperationalError
from django.db.models.query import QuerySet
from django.utils import timezone

from catalog.models import Product
from catalog.services.stock import StockUnit, release_stock
from orders.models import (
    Attempt,
    AttemptState,
    Order,
    OrderStatus,
    PaymentState,
    Refund,
    RefundState,
    StockHold,
    StockHoldState,
)
from orders.services.payments import settlement
from orders.services.payments.checkout_sessions import abandon_order
from orders.services.payments.settlement import settle
from orders.services.reconciliation import reconcile
from orders.services.refunds.sending import send_refund
from orders.services.status import transitions
from orders.services.status.stock_holds import level_of
from orders.services.status.transitions import cancel_unpaid_order
from orders.stripe import gateway
from orders.tests.factories import checkout_body, line
from orders.tests.fake_stripe import session_of
from orders.tests.refunding import ledger
from tests.payment_faults.outcomes import (
    cancelled_once,
    charges,
    confirmed_once,
    left_in_stock,
    mails,
    new_order,
    rows,
    sent_event,
    still_waits,
)
from tests.races.concurrency import Rendezvous, Started, run_concurrently, values, wait_until_blocked
from tests.races.conftest import Buyer

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]

COMPLETED = "checkout.session.completed"
EXPIRED = "checkout.session.expired"
ROUNDS = 8


def begin_debit(fake_stripe, buyer: Buyer, order: Order, *, succeeds: bool) -> None:
    assert (
        fake_stripe.pay(order, method="bank_debit", succeeds=succeeds, seconds=3600)["result"] == "complete"
    )
    completed = sent_event(fake_stripe, COMPLETED)
    assert completed["data"]["object"]["payment_status"] == "unpaid"
    assert buyer.webhook(completed) == 200
    waits_for_the_bank(order)
    # Neither the customer, nor the job, nor giving the order up decides before the bank.
    assert buyer.verify(session_of(order)).json()["payment_status"] == "pending"
    assert reconcile.reconcile_attempts(timezone.now() + timedelta(minutes=50)) == 1
    assert abandon_order(order.pk) is None
    waits_for_the_bank(order)


def waits_for_the_bank(order: Order) -> None:
    still_waits(order)
    assert Attempt.objects.get().state == AttemptState.PROCESSING


def test_case_13_a_bank_debit_waits_until_the_bank_has_paid(fake_stripe, buyer, order):
    """`completed` with `payment_status=unpaid` (bank debit), then success: pending until paid."""
    begin_debit(fake_stripe, buyer, order, succeeds=True)
    fake_stripe.control("clock", advance=3600)
    paid = sent_event(fake_stripe, "checkout.session.async_payment_succeeded")
    waits_for_the_bank(order)
    assert buyer.webhook(paid) == 200
    confirmed_once(order)
    assert buyer.verify(session_of(order)).json()["payment_status"] == "paid"
    assert buyer.webhook(sent_event(fake_stripe, COMPLETED)) == 200
    confirmed_once(order)


def test_case_13_a_bank_debit_that_fails_gives_the_stock_back(fake_stripe, buyer, order):
    """`completed` with `payment_status=unpaid` (bank debit), then failure: the failure releases the stock."""
    begin_debit(fake_stripe, buyer, order, succeeds=False)
    fake_stripe.control("clock", advance=3600)
    failed = sent_event(fake_stripe, "checkout.session.async_payment_failed")
    for _ in range(2):
        assert buyer.webhook(failed) == 200
    cancelled_once(order, attempt=AttemptState.FAILED)
    assert buyer.verify(session_of(order)).json()["payment_status"] == "failed"
    before = rows()
    for event in fake_stripe.events():
        assert buyer.webhook(event) == 200
    assert rows() == before


def test_case_13_a_bank_debit_whose_end_nobody_told_is_found_by_the_job(fake_stripe, buyer, order):
    """`completed` with `payment_status=unpaid` (bank debit), then success: the job asks when the webhook is lost."""
    begin_debit(fake_stripe, buyer, order, succeeds=True)
    fake_stripe.control("clock", advance=3600)
    sent_event(fake_stripe, "checkout.session.async_payment_succeeded")
    assert reconcile.reconcile_attempts(timezone.now() + timedelta(minutes=65)) == 1
    confirmed_once(order)


def test_case_14_a_refused_card_and_then_another_are_one_order_and_one_charge(fake_stripe, buyer, order):
    """Refused card, then another card, same session: one order, one charge."""
    checkout_session_id = session_of(order)
    for card in ("0002", "9995"):
        assert fake_stripe.pay(order, card=card)["result"] == "refused"
        for event in fake_stripe.events():
            assert buyer.webhook(event) == 200
        assert buyer.verify(checkout_session_id).json()["payment_status"] == "pending"
        still_waits(order)
    assert fake_stripe.pay(order)["result"] == "complete"
    assert buyer.verify(checkout_session_id).json()["payment_status"] == "paid"
    for event in fake_stripe.events():
        assert buyer.webhook(event) == 200
    confirmed_once(order)
    assert Order.objects.count() == 1
    assert [attempt.checkout_session_id for attempt in Attempt.objects.all()] == [checkout_session_id]
    assert charges(fake_stripe) == [(6000, True), (6000, False), (6000, False)]


def test_case_15_an_expired_page_cancels_its_order_and_leaves_the_cart_to_be_ordered_again(
    fake_stripe, buyer, order
):
    """The session expires: order cancelled, stock back once, cart whole."""
    fake_stripe.control("clock", advance=31 * 60 + 1)
    expired = sent_event(fake_stripe, EXPIRED)
    for _ in range(2):
        assert buyer.webhook(expired) == 200
    cancelled_once(order)
    assert buyer.verify(session_of(order)).json()["payment_status"] == "expired"
    assert reconcile.reconcile_attempts(timezone.now() + timedelta(hours=1)) == 0
    cancelled_once(order)
    fake_stripe.control("clock", reset=True)
    # The cart lives in the browser; only a payment empties it. It still buys the piece.
    product = order.items.get().product
    assert buyer.checkout(checkout_body([line(product)], "60.00")).status_code == 201
    assert left_in_stock(order) == 0


def test_case_15_an_expiry_that_nobody_told_is_found_by_the_job(fake_stripe, order):
    """The session expires: order cancelled, stock back once. On Stripe's word, not when our clock says so."""
    assert reconcile.reconcile_attempts(timezone.now() + timedelta(hours=2)) == 1
    still_waits(order)
    fake_stripe.expire(order)
    # Whoever hears of it and dies before the piece is back leaves all of it to the job.
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(transitions, "release_for_order", Mock(side_effect=OperationalError("lock timeout")))
        with pytest.raises(OperationalError):
            settle(Attempt.objects.get().pk)
    still_waits(order)
    assert reconcile.reconcile_attempts(timezone.now() + timedelta(hours=2)) == 1
    cancelled_once(order)


def release_whatever_was_held(order: Order) -> bool:
    holds = list(order.stock_holds.all())
    order.stock_holds.update(state=StockHoldState.RELEASED)
    release_stock(units=[StockUnit(hold.variant_id, hold.quantity, level_of(hold)) for hold in holds])
    return True


@pytest.mark.parametrize(
    ("locked", "guarded", "met", "stock"),
    [(True, True, 0, 1), (True, False, 0, 1), (False, True, 2, 1), (False, False, 2, 2)],
    ids=["lock and guard", "the lock alone", "the guard alone", "control without either"],
)
def test_case_15_two_who_close_an_expired_order_give_its_piece_back_once(
    fake_stripe, order, monkeypatch, locked, guarded, met, stock
):
    """The session expires: stock back once. The control gives the only piece back twice."""
    fake_stripe.expire(order)
    # Both have read that the order is pending. The lock makes the first wait in vain for the second.
    inside = Rendezvous(1.0 if locked else 30.0)

    def meet() -> datetime:
        inside.enter()
        return timezone.now()

    monkeypatch.setattr(transitions, "timezone", SimpleNamespace(now=meet))
    if not guarded:
        monkeypatch.setattr(transitions, "release_for_order", release_whatever_was_held)
    if not locked:
        monkeypatch.setattr(QuerySet, "select_for_update", lambda self, *args, **kwargs: self.all())
    close = partial(cancel_unpaid_order, order.pk, reason="payment.expired")
    closed = values(run_concurrently([close, close]))
    assert (inside.together, left_in_stock(order)) == (met, stock)
    assert sorted(closed) == ([False, True] if locked else [True, True])


def test_case_15_news_of_an_expiry_from_everywhere_at_once(fake_stripe, order):
    """The session expires: order cancelled, stock back once, whoever hears of it first."""
    fake_stripe.expire(order)
    event, checkout_session_id = sent_event(fake_stripe, EXPIRED), session_of(order)
    outcomes = values(
        run_concurrently(
            [
                *(partial(Buyer(number).webhook, event) for number in range(10)),
                *[lambda: Buyer().verify(checkout_session_id).json()["payment_status"]] * 5,
                *[partial(reconcile.reconcile_attempts, timezone.now() + timedelta(hours=1))] * 3,
                partial(abandon_order, order.pk),
            ]
        )
    )
    assert outcomes[:10] == [200] * 10
    assert outcomes[10:15] == ["expired"] * 5
    cancelled_once(order)


def test_case_16_a_page_paid_in_its_last_second_stays_paid(fake_stripe, order):
    """Paid in the last second, the expiry job at the same time: paid wins, stock stays taken."""
    fake_stripe.pay(order)
    Attempt.objects.update(expires_at=timezone.now() - timedelta(minutes=1))
    assert abandon_order(order.pk) == order
    confirmed_once(order)


def test_case_16_a_payment_just_before_the_closing_wins(fake_stripe, order, monkeypatch):
    """Paid in the last second, the expiry job at the same time: paid wins, stock stays taken.

    The shop is about to close the page when the customer pays it.
    """
    original = gateway.expire_checkout_session

    def paid_just_before(checkout_session_id: str) -> bool:
        assert fake_stripe.pay(order)["result"] == "complete"
        return original(checkout_session_id)

    monkeypatch.setattr(gateway, "expire_checkout_session", paid_just_before)
    assert abandon_order(order.pk) == order
    confirmed_once(order)


def test_case_16_expiry_and_payment_at_the_same_instant_end_with_what_stripe_says(fake_stripe, figures):
    """Paid in the last second, the expiry job at the same time: paid wins, stock stays taken.

    Whoever is first at Stripe: a paid order is confirmed and keeps its piece, an expired one gives it back.
    """
    ends: Counter[str] = Counter()
    for number in range(ROUNDS):
        order = new_order(Buyer(number))
        attempt = Attempt.objects.get(payment__order=order)

        def pay_and_settle(order: Order = order, attempt: Attempt = attempt) -> str:
            result = fake_stripe.pay(order)["result"]
            settle(attempt.pk)
            return result

        result, *_ = values(
            run_concurrently(
                [
                    pay_and_settle,
                    partial(abandon_order, order.pk),
                    partial(settle, attempt.pk),
                    partial(reconcile.reconcile_attempts, timezone.now() + timedelta(minutes=3)),
                ]
            )
        )
        if result == "complete":
            confirmed_once(order)
        else:
            assert result == "closed"
            attempt.refresh_from_db()
            cancelled_once(order, attempt=attempt.state)
            assert attempt.state in (AttemptState.EXPIRED, AttemptState.CANCELLED)
        ends[result] += 1
    figures(last_second_rounds=ROUNDS, **{f"last_second_{name}": count for name, count in ends.items()})


def test_case_16_closing_an_order_waits_for_the_payment_that_is_being_booked(fake_stripe, order, monkeypatch):
    """Paid in the last second, the expiry job at the same time: paid wins, stock stays taken.

    Both hold the same facts in their hands; the one that books the money holds the order's row.
    """
    fake_stripe.pay(order)
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


def test_case_17_a_payment_for_a_cancelled_order_revives_it_while_its_piece_is_there(
    fake_stripe, buyer, order
):
    """Paid after the order was cancelled: refunded (or revived), customer told."""
    cancel_unpaid_order(order.pk, reason="order.abandoned")
    assert left_in_stock(order) == 1
    fake_stripe.pay(order)
    assert buyer.verify(session_of(order)).json()["payment_status"] == "paid"
    confirmed_once(order)
    assert order.events.get(name="order.confirmed").data == {"before": "cancelled", "after": "confirmed"}


def test_case_17_a_payment_waits_for_the_closing_of_its_order_and_then_revives_it(
    fake_stripe, order, monkeypatch
):
    """Paid after the order was cancelled: refunded (or revived), customer told. The second news of it does nothing."""
    fake_stripe.pay(order)
    rivals: list[Started] = []
    original = transitions.release_for_order

    def rival_appears(closing: Order) -> bool:
        rivals.extend(Started(partial(settle, Attempt.objects.get().pk)) for _news in range(2))
        wait_until_blocked(2)
        return original(closing)

    monkeypatch.setattr(transitions, "release_for_order", rival_appears)
    assert cancel_unpaid_order(order.pk, reason="order.abandoned") is True
    assert [rival.value() for rival in rivals] == ["paid", "paid"]
    confirmed_once(order)
    assert order.events.get(name="order.confirmed").data == {"before": "cancelled", "after": "confirmed"}


def test_case_17_a_payment_for_a_cancelled_order_whose_piece_is_gone_goes_back(
    fake_stripe, buyer, order, queued_tasks
):
    """Paid after the order was cancelled: refunded (or revived), customer told."""
    cancel_unpaid_order(order.pk, reason="order.abandoned")
    Product.objects.update(stock_quantity=0)
    fake_stripe.pay(order)
    answer = buyer.verify(session_of(order)).json()
    assert (answer["payment_status"], answer["refunded"]) == ("failed", True)
    order.refresh_from_db()
    assert order.status == OrderStatus.CANCELLED
    assert mails(order) == ["payment_refunded_automatically"]
    refund = Refund.objects.get()
    assert (refund.amount, refund.reason, refund.state) == (
        Decimal("60.00"), "unavailable", RefundState.REQUESTED,
    )  # fmt: skip
    assert "orders.tasks.send_refund" in queued_tasks.names
    for _ in range(2):
        send_refund(refund.pk)
    refund.refresh_from_db()
    assert refund.state == RefundState.SUCCEEDED
    assert ledger(order) == [("charge", Decimal("60.00")), ("refund", Decimal("-60.00"))]
    assert len(fake_stripe.requests("/v1/refunds")) == 1
    before = rows()
    for event in fake_stripe.events():
        assert buyer.webhook(event) == 200
    assert rows() == before
    assert left_in_stock(order) == 0


def test_case_17_money_that_comes_after_the_piece_went_to_somebody_else_goes_back_once(fake_stripe, order):
    """Paid after the order was cancelled: refunded (or revived), customer told. However many hear of it at once."""
    cancel_unpaid_order(order.pk, reason="order.abandoned")
    product = order.items.get().product
    assert Buyer(1).checkout(checkout_body([line(product)], "60.00")).status_code == 201
    fake_stripe.control(f"sessions/{session_of(order)}/pay")
    values(run_concurrently([partial(settle, Attempt.objects.get(payment__order=order).pk)] * 10))
    refund = Refund.objects.get()
    send_refund(refund.pk)
    order.refresh_from_db()
    assert order.status == OrderStatus.CANCELLED
    assert sum(amount for _kind, amount in ledger(order)) == 0
    assert left_in_stock(order) == 0
    assert StockHold.objects.exclude(order=order).get().state == StockHoldState.HELD
    assert mails(order) == ["payment_refunded_automatically"]


def test_case_17_an_order_whose_money_is_looked_at_is_not_given_up(fake_stripe, order):
    """Paid after the order was cancelled: an order that waits for a person to look at its money is not cancelled."""
    fake_stripe.pay(order)
    Attempt.objects.update(amount_cents=5999)
    settle(Attempt.objects.get().pk)
    assert Attempt.objects.get().state == AttemptState.REVIEW
    before = rows()
    assert abandon_order(order.pk) is None
    assert rows() == before
    assert order.payments.get().state == PaymentState.DUE
