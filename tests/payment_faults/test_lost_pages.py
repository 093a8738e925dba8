"""Case 20: a page whose answer is lost, or that was never asked for, is one page of one order."""

from __future__ import annotations

import uuid
from datetime import timedelta
from functools import partial

import pytest
from django.utils import timezone

from orders.models import Attempt, AttemptState, Order
from orders.services.reconciliation import reconcile
from orders.tests.factories import checkout_body, line, make_product, new_key
from orders.tests.fake_stripe import session_of
from tests.payment_faults.outcomes import cancelled_once, charges, confirmed_once, still_waits
from tests.races.concurrency import run_concurrently, values
from tests.races.conftest import Buyer

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]

SESSIONS = "/v1/checkout/sessions"


def test_case_20_an_answer_that_is_lost_once_is_healed_within_the_request(fake_stripe, buyer):
    """Stripe creates the session, the answer is lost: same session on retry, no second order."""
    fake_stripe.control("faults", kind="drop", times=1, path=SESSIONS)
    body = checkout_body([line(make_product(price="60.00", stock_quantity=1))], "60.00")
    answer = buyer.checkout(body)
    assert answer.status_code == 201
    order = Order.objects.get()
    one_page_under_one_key(fake_stripe, order, answers=2)
    still_waits(order)


def test_case_20_answers_lost_for_good_give_the_same_page_on_the_next_click(fake_stripe, buyer):
    """Stripe creates the session, the answer is lost: same session on retry, no second order."""
    fake_stripe.control("faults", kind="drop", times=2, path=SESSIONS)
    key, body = new_key(), checkout_body([line(make_product(price="60.00", stock_quantity=1))], "60.00")
    lost = buyer.checkout(body, key)
    assert (lost.status_code, lost.json()["code"]) == (503, "payment_unavailable")
    order = Order.objects.get()
    still_waits(order)
    assert Attempt.objects.get().checkout_session_id is None
    found = buyer.checkout(body, key)
    assert found.status_code == 201
    one_page_under_one_key(fake_stripe, order, answers=3)
    assert found.json()["url"] == Attempt.objects.get().checkout_session_url
    fake_stripe.pay(order)
    assert buyer.verify(session_of(order)).json()["payment_status"] == "paid"
    confirmed_once(order)
    assert charges(fake_stripe) == [(6000, True)]


def one_page_under_one_key(fake_stripe, order: Order, *, answers: int) -> None:
    calls = fake_stripe.requests(SESSIONS)
    assert len(calls) == answers
    assert {call["idempotency_key"] for call in calls} == {f"att-{Attempt.objects.get().pk}"}
    # All but the first were answers kept under the key: one page was made.
    assert [call["replayed"] for call in calls] == [False] + [True] * (answers - 1)
    assert [made.pk for made in Order.objects.all()] == [order.pk]


def test_case_20_a_customer_who_never_comes_back_is_found_again_with_the_key(fake_stripe, order):
    """Stripe creates the session, the answer is lost: same session on retry. Here the job is the one that retries."""
    lost = session_of(order)
    Attempt.objects.update(checkout_session_id=None, checkout_session_url="")
    fake_stripe.control(f"sessions/{lost}/pay")
    assert reconcile.reconcile_attempts(timezone.now() + timedelta(minutes=5)) == 1
    assert session_of(order) == lost
    confirmed_once(order)


def test_case_20_an_order_whose_page_was_never_asked_for_is_closed_after_its_time(fake_stripe, order):
    """Stripe creates the session, the answer is lost. Here the shop died before it asked: nobody can have paid."""
    Attempt.objects.update(state=AttemptState.PREPARED, checkout_session_id=None, checkout_session_url="")
    reconcile.reconcile_attempts(timezone.now() + timedelta(minutes=10))
    still_waits(order)
    reconcile.reconcile_attempts(timezone.now() + timedelta(minutes=40))
    cancelled_once(order, attempt=AttemptState.CANCELLED)


@pytest.mark.parametrize("answered", [False, True])
def test_case_20_an_order_of_a_clock_that_was_ahead_is_closed_and_not_at_that_date(
    fake_stripe, order, answered
):
    """Stripe opens no page for a year. Here the clock said a year later, and nobody could pay."""
    now = timezone.now()
    Attempt.objects.update(
        state=AttemptState.SENT if answered else AttemptState.PREPARED,
        id=uuid.uuid4(),
        checkout_session_id=None,
        checkout_session_url="",
        created_at=now + timedelta(days=365),
        expires_at=now + timedelta(days=365, minutes=31),
    )
    reconcile.reconcile_attempts(now)
    cancelled_once(order, attempt=AttemptState.CANCELLED)


def test_case_20_retries_at_once_after_a_lost_answer_find_the_same_page(fake_stripe, buyer):
    """Stripe creates the session, the answer is lost: same session on retry, no second order."""
    fake_stripe.control("faults", kind="drop", times=2, path=SESSIONS)
    key, body = new_key(), checkout_body([line(make_product(price="60.00", stock_quantity=1))], "60.00")
    assert buyer.checkout(body, key).status_code == 503
    answers = values(run_concurrently([partial(Buyer(number).checkout, body, key) for number in range(10)]))
    assert [answer.status_code for answer in answers] == [201] * 10
    assert {answer.json()["url"] for answer in answers} == {Attempt.objects.get().checkout_session_url}
    order = Order.objects.get()
    still_waits(order)
    assert order.events.filter(name="payment.page_opened").count() == 1
