"""The one door by which a payment changes an order: webhook, return page and reconciliation, in any order."""

import itertools
from datetime import timedelta
from decimal import Decimal

import pytest
from django.utils import timezone

from catalog.models import Product
from orders.models import (
    Attempt,
    AttemptState,
    LedgerEntry,
    Order,
    OrderStatus,
    Payment,
    PaymentState,
    Refund,
    RefundState,
    StockHold,
    StockHoldState,
    StripeEvent,
)
from orders.payments import reconcile
from orders.payments.sessions import abandon_order
from orders.payments.settlement import settle
from orders.services.refund_sending import send_refund
from orders.tests.conftest import session_of
from orders.tests.factories import checkout_body, line, make_product
from shop.core.models import OutgoingMail

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def order(bank, shopper):
    product = make_product(price="60.00", stock_quantity=1)
    assert shopper.checkout(checkout_body([line(product)], "60.00")).status_code == 201
    return Order.objects.get()


def mails() -> list[str]:
    return sorted(OutgoingMail.objects.values_list("kind", flat=True))


def confirmed_once(order: Order) -> None:
    order.refresh_from_db()
    assert order.status == OrderStatus.CONFIRMED
    assert order.paid_at is not None
    assert mails() == ["order_confirmation", "order_new_workshop"]
    assert list(LedgerEntry.objects.values_list("kind", "amount")) == [("charge", Decimal("60.00"))]
    assert Payment.objects.get().state == PaymentState.PAID
    assert StockHold.objects.get().state == StockHoldState.TAKEN
    assert Product.objects.get().stock_quantity == 0
    assert [entry.status for entry in order.tracking.all()] == ["confirmed"]
    assert order.events.filter(name="order.confirmed").count() == 1


def cancelled_once(order: Order) -> None:
    order.refresh_from_db()
    assert order.status == OrderStatus.CANCELLED
    assert StockHold.objects.get().state == StockHoldState.RELEASED
    assert Product.objects.get().stock_quantity == 1
    assert not LedgerEntry.objects.exists()
    assert mails() == []


def test_the_return_page_confirms_before_the_webhook(bank, shopper, order):
    bank.pay(order)
    answer = shopper.verify(session_of(order)).json()
    assert answer == {
        "payment_status": "paid",
        "order_reference": order.reference,
        "order_url": f"/commande/{order.pk}",
    }
    confirmed_once(order)
    for event in bank.events():
        assert shopper.webhook(event) == 200
    confirmed_once(order)


def test_the_webhook_confirms_a_customer_who_never_returns(bank, shopper, order):
    bank.pay(order)
    for event in bank.events():
        assert shopper.webhook(event) == 200
    confirmed_once(order)
    assert shopper.verify(session_of(order)).json()["payment_status"] == "paid"
    confirmed_once(order)


def test_a_lost_webhook_is_found_by_reconciliation(bank, order):
    bank.pay(order)
    now = timezone.now()
    assert reconcile.reconcile_attempts(now) == 0
    assert reconcile.reconcile_attempts(now + timedelta(minutes=3)) == 1
    confirmed_once(order)
    assert reconcile.reconcile_attempts(now + timedelta(minutes=6)) == 0
    confirmed_once(order)


def test_events_in_every_order_lead_to_the_same_end(bank, shopper, order):
    bank.pay(order)
    told = [event for event in bank.events() if "account" not in event["type"]]
    assert len(told) >= 3
    for order_of_arrival in itertools.islice(itertools.permutations(told), 120):
        for event in order_of_arrival:
            assert shopper.webhook(event) == 200
    confirmed_once(order)
    assert StripeEvent.objects.count() == len(told)


def test_the_same_event_a_hundred_times_acts_once(bank, shopper, order):
    bank.pay(order)
    event = next(event for event in bank.events() if event["type"] == "checkout.session.completed")
    assert {shopper.webhook(event) for _ in range(100)} == {200}
    confirmed_once(order)
    assert StripeEvent.objects.count() == 1


def test_a_refused_card_leaves_the_order_open_for_another_card(bank, shopper, order):
    bank.refuse(order)
    assert shopper.verify(session_of(order)).json()["payment_status"] == "pending"
    order.refresh_from_db()
    assert order.status == OrderStatus.PENDING
    bank.pay(order)
    assert shopper.verify(session_of(order)).json()["payment_status"] == "paid"
    confirmed_once(order)


def test_a_page_that_expired_cancels_the_order_and_gives_its_stock_back_once(bank, shopper, order):
    bank.expire(order)
    for event in bank.events() * 2:
        assert shopper.webhook(event) == 200
    assert shopper.verify(session_of(order)).json()["payment_status"] == "expired"
    assert reconcile.reconcile_attempts(timezone.now() + timedelta(hours=1)) == 0
    cancelled_once(order)
    assert Payment.objects.get().state == PaymentState.VOID
    assert Attempt.objects.get().state == AttemptState.EXPIRED


def test_a_page_paid_in_its_last_second_stays_paid(bank, order):
    bank.pay(order)
    Attempt.objects.update(expires_at=timezone.now() - timedelta(minutes=1))
    assert abandon_order(str(order.pk)) == order
    confirmed_once(order)


def test_a_payment_for_an_abandoned_order_revives_it_while_its_piece_is_there(bank, shopper, order):
    from orders.services.cancellation import cancel_unpaid_order

    cancel_unpaid_order(order.pk, reason="order.abandoned")
    assert Product.objects.get().stock_quantity == 1
    bank.pay(order)
    settle(Attempt.objects.get().pk)
    confirmed_once(order)


def test_a_payment_for_an_abandoned_order_goes_back_when_its_piece_is_gone(
    bank, shopper, order, queued_tasks
):
    from orders.services.cancellation import cancel_unpaid_order

    cancel_unpaid_order(order.pk, reason="order.abandoned")
    Product.objects.update(stock_quantity=0)
    bank.pay(order)
    answer = shopper.verify(session_of(order)).json()
    assert (answer["payment_status"], answer["refunded"]) == ("failed", True)
    order.refresh_from_db()
    assert order.status == OrderStatus.CANCELLED
    assert mails() == ["payment_refunded_automatically"]
    refund = Refund.objects.get()
    assert (refund.amount, refund.reason, refund.state) == (
        Decimal("60.00"),
        "unavailable",
        RefundState.REQUESTED,
    )
    assert "orders.tasks.send_refund" in queued_tasks.names
    for _ in range(2):
        send_refund(refund.pk)
    refund.refresh_from_db()
    assert refund.state == RefundState.SUCCEEDED
    assert sum(LedgerEntry.objects.values_list("amount", flat=True)) == Decimal("0.00")
    assert len(bank.requests("/v1/refunds")) == 1
    for event in bank.events():
        assert shopper.webhook(event) == 200
    assert Refund.objects.count() == 1
    assert LedgerEntry.objects.count() == 2
    assert Product.objects.get().stock_quantity == 0


def test_a_bank_debit_waits_until_the_bank_has_spoken(bank, shopper, order):
    bank.pay(order, method="bank_debit", succeeds=True, seconds=0)
    for event in bank.events():
        shopper.webhook(event)
    settle(Attempt.objects.get().pk)
    order.refresh_from_db()
    assert order.status in (OrderStatus.PENDING, OrderStatus.CONFIRMED)
    # The bank answers on the sandbox's own clock.
    bank.control("clock", advance=60)
    for _ in range(50):
        if settle(Attempt.objects.get().pk).status == "paid":
            break
    confirmed_once(order)


def test_another_amount_is_never_confirmed_and_staff_are_told(bank, shopper, order):
    bank.pay(order)
    Attempt.objects.update(amount_cents=5999)
    assert shopper.verify(session_of(order)).json()["payment_status"] == "pending"
    order.refresh_from_db()
    assert order.status == OrderStatus.PENDING
    assert order.review_reason == "amount: 6000 instead of 5999"
    assert Attempt.objects.get().state == AttemptState.REVIEW
    assert mails() == ["payment_review_alert"]
    assert not LedgerEntry.objects.exists()


@pytest.mark.parametrize("session_id", ["", "cs_test_invented", "x" * 300, "\x00", "' OR 1=1"])
def test_an_unknown_session_confirms_nothing_and_leaks_nothing(bank, shopper, order, session_id):
    answer = shopper.verify(session_id)
    assert (answer.status_code, answer.json()["code"], answer.json()["detail"]) == (
        404, "unknown_session", "Aucun paiement à vérifier.",
    )  # fmt: skip
    order.refresh_from_db()
    assert order.status == OrderStatus.PENDING


def test_somebody_elses_session_tells_no_reference(bank, shopper, order):
    bank.pay(order)
    from orders.tests.conftest import Shopper

    assert Shopper().verify(session_of(order)).json() == {"payment_status": "paid"}


def test_stripe_away_on_the_return_page_says_pending_and_changes_nothing(bank, shopper, order, settings):
    bank.pay(order)
    settings.STRIPE_API_BASE = "http://127.0.0.1:9"
    assert shopper.verify(session_of(order)).json()["payment_status"] == "pending"
    order.refresh_from_db()
    assert order.status == OrderStatus.PENDING
    assert reconcile.reconcile_attempts(timezone.now() + timedelta(minutes=5)) == 0
    order.refresh_from_db()
    assert order.status == OrderStatus.PENDING


def test_a_payment_that_lands_on_an_order_already_paid_goes_back(bank, shopper, order):
    bank.pay(order)
    settle(Attempt.objects.get().pk)
    payment = Payment.objects.get()
    second = Attempt.objects.create(
        payment=payment, number=2, amount_cents=6000, expires_at=timezone.now() + timedelta(minutes=31)
    )
    from orders.payments.sessions import open_session

    open_session(second)
    second.refresh_from_db()
    bank.control(f"sessions/{second.session_id}/pay")
    settle(second.pk)
    settle(second.pk)
    order.refresh_from_db()
    assert order.status == OrderStatus.CONFIRMED
    refund = Refund.objects.get()
    assert (refund.reason, refund.attempt, refund.amount) == ("duplicate", second, Decimal("60.00"))
    send_refund(refund.pk)
    assert sum(LedgerEntry.objects.values_list("amount", flat=True)) == Decimal("60.00")
    assert Payment.objects.get().state == PaymentState.PAID
    assert mails() == ["order_confirmation", "order_new_workshop", "payment_refunded_automatically"]


def test_an_order_whose_page_was_never_asked_for_is_closed_after_its_time(bank, order):
    Attempt.objects.update(state=AttemptState.PREPARED, session_id=None, session_url="")
    reconcile.reconcile_attempts(timezone.now() + timedelta(minutes=10))
    order.refresh_from_db()
    assert order.status == OrderStatus.PENDING
    reconcile.reconcile_attempts(timezone.now() + timedelta(minutes=40))
    cancelled_once(order)


def test_a_page_whose_answer_was_lost_is_found_again_with_its_key(bank, order):
    lost = session_of(order)
    Attempt.objects.update(session_id=None, session_url="")
    bank.control(f"sessions/{lost}/pay")
    reconcile.reconcile_attempts(timezone.now() + timedelta(minutes=5))
    assert session_of(order) == lost
    confirmed_once(order)


def test_a_dispute_marks_the_order_and_alerts_once(bank, shopper, order):
    bank.pay(order)
    settle(Attempt.objects.get().pk)
    bank.control("disputes", payment_intent=Attempt.objects.get().intent_id)
    for event in [event for event in bank.events() if "dispute" in event["type"]] * 2:
        assert shopper.webhook(event) == 200
    order.refresh_from_db()
    assert order.review_reason.startswith("dispute: ")
    assert mails().count("dispute_alert") == 1
