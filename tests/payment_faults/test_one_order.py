"""Cases 18 and 19: one demand, however often it is made, is one order paid once."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from decimal import Decimal
from functools import partial
from threading import Event

import pytest
from django.db import IntegrityError
from django.utils import timezone

from accounts.models import SignUp
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
    StockHold,
)
from orders.models.payment import LIVE_ATTEMPTS
from orders.services.checkout import checkout, placement
from orders.services.payments import checkout_sessions
from orders.services.payments.checkout_sessions import abandon_order, open_checkout_session
from orders.services.payments.settlement import settle
from orders.services.refunds.sending import send_refund
from orders.stripe import gateway
from orders.tests.factories import checkout_body, line, make_product, new_key
from orders.tests.fake_stripe import session_of
from shop.core.models import OutgoingMail
from tests.payment_faults.outcomes import (
    cancelled_once,
    charges,
    confirmed_once,
    left_in_stock,
    mails,
    new_order,
    rows,
)
from tests.races.concurrency import Meeting, Started, run_concurrently, values, without_constraint
from tests.races.conftest import Buyer

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]

SESSIONS = "/v1/checkout/sessions"
ROUNDS = 8
REPEATS = 100


def test_case_18_two_tabs_one_pays_while_the_other_starts_again(fake_stripe, monkeypatch, figures):
    """Two tabs, two sessions, both paid: second refunded or impossible.

    The second tab's checkout gives up the first order. Never is it given up and paid.
    """
    ends: Counter[str] = Counter()
    closing = Event()
    original = gateway.expire_checkout_session

    def close(checkout_session_id: str) -> bool:
        closing.set()
        return original(checkout_session_id)

    monkeypatch.setattr(gateway, "expire_checkout_session", close)
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
            result = fake_stripe.pay(order)["result"]
            # Settled before the other tab's order is looked at, the last piece would be sold: `out_of_stock`.
            assert closing.wait(30)
            tab.verify(session_of(order))
            return result

        paid, again = values(run_concurrently([pay, partial(other_tab.checkout, body)]))
        if paid == "complete":
            assert (again.status_code, again.json()["code"]) == (409, "already_paid")
            confirmed_once(order)
        else:
            assert (paid, again.status_code) == ("closed", 201)
            # Either tab closes it: the second gives it up, or the first sees its page closed before that.
            state = Attempt.objects.get(payment__order=order).state
            assert state in (AttemptState.CANCELLED, AttemptState.EXPIRED)
            cancelled_once(order, attempt=state, left=0)
            assert Order.objects.get(pk=again.json()["order_id"]).status == OrderStatus.PENDING
        ends[paid] += 1
    figures(two_tabs_rounds=ROUNDS, **{f"two_tabs_{name}": count for name, count in ends.items()})


def test_case_18_the_first_tabs_page_is_closed_when_the_second_orders(fake_stripe, buyer, order):
    """Two tabs, two sessions, both paid: second refunded or impossible. The first page takes no money any more."""
    product = order.items.get().product
    again = buyer.checkout(checkout_body([line(product)], "60.00", customer={"city": "Paris"}))
    assert again.status_code == 201
    second = Order.objects.get(pk=again.json()["order_id"])
    assert fake_stripe.pay(order)["result"] == "closed"
    assert fake_stripe.pay(second)["result"] == "complete"
    assert buyer.verify(session_of(second)).json()["payment_status"] == "paid"
    confirmed_once(second)
    cancelled_once(order, attempt=AttemptState.CANCELLED, left=0)
    assert charges(fake_stripe) == [(6000, True)]


def test_case_18_a_first_page_that_stripe_does_not_close_keeps_the_second_tab_waiting(
    fake_stripe, buyer, order, monkeypatch
):
    """Two tabs, two sessions, both paid: second refunded or impossible. No second page while the first is open."""
    monkeypatch.setattr(gateway, "expire_checkout_session", lambda checkout_session_id: False)
    key = new_key()
    body = checkout_body([line(order.items.get().product)], "60.00", customer={"city": "Paris"})
    before = rows()
    answer = buyer.checkout(body, key)
    assert (answer.status_code, answer.json()["code"]) == (503, "payment_unavailable")
    assert rows() == before
    monkeypatch.undo()
    assert buyer.checkout(body, key).status_code == 201
    assert fake_stripe.pay(order)["result"] == "closed"


def retry_at_once(payment: Payment) -> list[BaseException]:
    """Two new tries at one payment, each made by somebody who saw that there is none. What went wrong, if it did."""
    meeting = Meeting(2)

    def retry(number: int) -> Attempt:
        assert not payment.attempts.filter(state__in=LIVE_ATTEMPTS).exists()
        meeting.wait()
        return placement.prepare_attempt(payment, number=number)

    outcomes = run_concurrently([partial(retry, 2), partial(retry, 3)])
    return [outcome.error for outcome in outcomes if outcome.error is not None]


def test_case_18_one_payment_has_one_page_that_can_be_paid(fake_stripe, order):
    """Two tabs, two sessions, both paid: second refunded or impossible."""
    Attempt.objects.update(state=AttemptState.CANCELLED)
    [refused] = retry_at_once(order.payments.get())
    assert isinstance(refused, IntegrityError)
    assert "attempt_one_live_a_payment" in str(refused)
    assert Attempt.objects.filter(state=AttemptState.PREPARED).count() == 1


def test_case_18_control_without_the_constraint_two_pages_are_paid(fake_stripe, order):
    """Two tabs, two sessions, both paid: second refunded or impossible. The control takes the money twice."""
    Attempt.objects.update(state=AttemptState.CANCELLED)
    with without_constraint("attempt_one_live_a_payment"):
        assert retry_at_once(order.payments.get()) == []
        for attempt in Attempt.objects.filter(state=AttemptState.PREPARED):
            open_checkout_session(attempt)
            attempt.refresh_from_db()
            assert fake_stripe.control(f"sessions/{attempt.checkout_session_id}/pay")["result"] == "complete"
        assert charges(fake_stripe) == [(6000, True), (6000, True)]


def test_case_18_a_second_payment_of_the_same_order_goes_back(fake_stripe, buyer, order):
    """Two tabs, two sessions, both paid: second refunded or impossible."""
    fake_stripe.pay(order)
    settle(Attempt.objects.get().pk)
    payment = order.payments.get()
    second = Attempt.objects.create(
        payment=payment, number=2, amount_cents=6000, expires_at=timezone.now() + timedelta(minutes=31)
    )
    open_checkout_session(second)
    second.refresh_from_db()
    fake_stripe.control(f"sessions/{second.checkout_session_id}/pay")
    for _ in range(2):
        settle(second.pk)
    order.refresh_from_db()
    assert order.status == OrderStatus.CONFIRMED
    refund = Refund.objects.get()
    assert (refund.reason, refund.attempt, refund.amount) == ("duplicate", second, Decimal("60.00"))
    send_refund(refund.pk)
    assert sum(LedgerEntry.objects.values_list("amount", flat=True)) == Decimal("60.00")
    payment.refresh_from_db()
    assert payment.state == PaymentState.PAID
    assert left_in_stock(order) == 0
    assert mails(order) == ["order_confirmation", "order_new_workshop", "payment_refunded_automatically"]


def test_case_18_an_order_given_up_while_its_page_is_being_opened_leaves_no_page_to_pay(
    fake_stripe, order, monkeypatch
):
    """Two tabs, two sessions, both paid: second refunded or impossible.

    The page is opened between the look at the attempts and the closing of the order.
    """
    lost = session_of(order)
    Attempt.objects.update(state="prepared", checkout_session_id=None, checkout_session_url="")
    original = checkout_sessions.cancel_unpaid_order

    def opened_just_before(*args, **kwargs) -> bool:
        Started(partial(open_checkout_session, Attempt.objects.get())).value()
        return original(*args, **kwargs)

    monkeypatch.setattr(checkout_sessions, "cancel_unpaid_order", opened_just_before)
    assert abandon_order(order.pk) is None
    assert fake_stripe.control(f"sessions/{lost}/pay")["result"] == "closed"
    cancelled_once(order, attempt=AttemptState.CANCELLED)


def test_case_19_the_same_request_a_hundred_times_at_once_is_one_order(fake_stripe, figures):
    """Double click or repeated POST of checkout: one order, same answer."""
    product = make_product(price="60.00", stock_quantity=1)
    key, body = new_key(), checkout_body([line(product)], "60.00")
    answers = values(
        run_concurrently([partial(Buyer(number).checkout, body, key) for number in range(REPEATS)])
    )
    at_once = Counter(answer.status_code for answer in answers)
    assert set(at_once) <= {201, 503}
    again = [Buyer().checkout(body, key) for answer in answers if answer.status_code == 503]
    good = [answer for answer in [*answers, *again] if answer.status_code == 201]
    assert len(good) == REPEATS
    assert len({answer.content for answer in good}) == 1
    order = Order.objects.get()
    assert good[0].json()["order_id"] == str(order.pk)
    assert good[0].json()["url"] == Attempt.objects.get().checkout_session_url
    assert [hold.quantity for hold in StockHold.objects.all()] == [1]
    assert Product.objects.get().stock_quantity == 0
    calls = fake_stripe.requests("/v1/checkout/sessions")
    assert len({call["idempotency_key"] for call in calls}) == 1
    assert len([event for event in order.events.all() if event.name == "payment.page_opened"]) == 1
    figures(
        same_key_requests=REPEATS, same_key_orders=1, same_key_pages=1,
        same_key_answered_at_once=at_once[201], same_key_answered_on_retry=at_once[503],
    )  # fmt: skip


def test_case_19_signing_up_with_the_same_key_at_once_makes_one_sign_up_and_one_mail(fake_stripe):
    """Double click or repeated POST of checkout: one order, same answer."""
    product = make_product(price="60.00")
    account = {"mode": "signup", "password": "un-renard-de-bois"}
    key, body = new_key(), checkout_body([line(product)], "60.00", account=account)
    answers = values(run_concurrently([partial(Buyer(number).checkout, body, key) for number in range(20)]))
    assert {answer.status_code for answer in answers} <= {201, 503}
    order = Order.objects.get()
    assert SignUp.objects.get().orders == [{"id": str(order.pk), "reference": order.reference}]
    assert OutgoingMail.objects.count() == 1


def test_case_19_a_repeat_that_is_overtaken_gets_the_same_order_and_not_out_of_stock(
    fake_stripe, monkeypatch
):
    """Double click or repeated POST of checkout: one order, same answer.

    The repeat saw no order yet; when it looks at the stock, its own order has the last piece.
    """
    product = make_product(price="60.00", stock_quantity=1)
    key, body = new_key(), checkout_body([line(product)], "60.00")
    original = checkout.place_order
    arrived, go_on = Event(), Event()

    def place_late(*args, **kwargs):
        monkeypatch.setattr(checkout, "place_order", original)
        arrived.set()
        assert go_on.wait(30)
        return original(*args, **kwargs)

    monkeypatch.setattr(checkout, "place_order", place_late)
    repeat = Started(partial(Buyer(1).checkout, body, key))
    assert arrived.wait(30)
    first = Buyer(2).checkout(body, key)
    go_on.set()
    second = repeat.value()
    assert (first.status_code, second.status_code) == (201, 201)
    assert first.content == second.content
    assert Order.objects.count() == 1
    assert Product.objects.get().stock_quantity == 0


def test_case_19_control_without_the_unique_key_two_clicks_are_two_orders(fake_stripe, monkeypatch):
    """Double click or repeated POST of checkout: one order, same answer. The control makes two."""
    product = make_product(price="60.00", stock_quantity=5)
    body, meeting = checkout_body([line(product)], "60.00"), Meeting(2)
    original, key = checkout.place_order, new_key()

    def place_together(*args, **kwargs) -> Order:
        # Both have seen that there is no order with this key.
        meeting.wait()
        return original(*args, **kwargs)

    monkeypatch.setattr(checkout, "place_order", place_together)
    with without_constraint("orders_order_idempotency_key_key"):
        outcomes = run_concurrently([partial(Buyer(number).checkout, body, key) for number in range(2)])
        assert [outcome.error for outcome in outcomes] == [None, None]
        assert Order.objects.filter(idempotency_key=key).count() == 2
        assert Product.objects.get().stock_quantity == 3


def test_case_19_a_repeated_post_gives_the_same_answer_before_and_after_the_payment(fake_stripe, buyer):
    """Double click or repeated POST of checkout: one order, same answer."""
    key, body = new_key(), checkout_body([line(make_product(price="60.00", stock_quantity=3))], "60.00")
    first, second = buyer.checkout(body, key), buyer.checkout(body, key)
    order = Order.objects.get()
    fake_stripe.pay(order)
    buyer.verify(session_of(order))
    third = buyer.checkout(body, key)
    assert [answer.status_code for answer in (first, second, third)] == [201, 201, 201]
    assert first.content == second.content == third.content
    assert Product.objects.get().stock_quantity == 2
    assert len(fake_stripe.requests(SESSIONS)) == 1
    assert charges(fake_stripe) == [(6000, True)]


def test_case_19_the_same_key_with_another_demand_is_refused(fake_stripe, buyer):
    """Double click or repeated POST of checkout: one order. A key is not a way to change it."""
    key, product = new_key(), make_product(price="60.00", stock_quantity=3)
    assert buyer.checkout(checkout_body([line(product)], "60.00"), key).status_code == 201
    before = rows()
    answer = buyer.checkout(checkout_body([line(product, 2)], "120.00"), key)
    assert (answer.status_code, answer.json()["code"]) == (422, "idempotency_key_reused")
    assert rows() == before
