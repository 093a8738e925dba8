"""Case 30: Stripe is down, slow or silent. Customers hear so, nothing is decided, and threads stay free."""

from __future__ import annotations

import socket
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from datetime import timedelta
from functools import partial
from time import monotonic
from typing import Any

import pytest
import stripe
from django.db import connection
from django.utils import timezone

from catalog.models import Product
from orders.models import Attempt, AttemptState, Order, OrderStatus, StockHold, StockHoldState, StripeEvent
from orders.services.reconciliation import reconcile
from orders.stripe import gateway, stripe_api
from orders.tests.factories import checkout_body, line, make_product, new_key
from orders.tests.fake_stripe import session_of
from shop.core.circuit import Circuit
from shop.core.jobs import Outcome, run_job
from shop.core.problems import CONTENT_TYPE
from tests.payment_faults.outcomes import charges, confirmed_once, rows, sent_event, still_waits, wait_for
from tests.races.concurrency import run_concurrently, values
from tests.races.conftest import Buyer

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]

LONGEST_WAIT = 12.0
SENTENCE = "Le service de paiement ne répond pas. Rien n'a été débité et votre panier est intact. Réessayez."
NOBODY_LISTENS = "http://127.0.0.1:9"
SESSIONS = "/v1/checkout/sessions"
COMPLETED = "checkout.session.completed"


class BlackHole:
    """Takes every connection and never answers."""

    def __init__(self, listener: socket.socket) -> None:
        self._listener = listener
        self._taken: list[socket.socket] = []
        self.url = f"http://127.0.0.1:{listener.getsockname()[1]}"

    def calls(self) -> int:
        """How many connections came so far."""
        while True:
            try:
                self._taken.append(self._listener.accept()[0])
            except BlockingIOError:
                return len(self._taken)

    def close(self) -> None:
        for taken in self._taken:
            taken.close()


@pytest.fixture
def black_hole() -> Iterator[BlackHole]:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(128)
        listener.setblocking(False)
        hole = BlackHole(listener)
        yield hole
        hole.calls()
        hole.close()


class Clock:
    """The machine's, and as much later as a test likes."""

    def __init__(self) -> None:
        self.ahead = 0.0

    def __call__(self) -> float:
        return monotonic() + self.ahead


def refused_for_now(answer: Any) -> None:
    assert (answer.status_code, answer["Content-Type"]) == (503, CONTENT_TYPE)
    assert (answer.json()["code"], answer.json()["detail"]) == ("payment_unavailable", SENTENCE)


def test_case_30_a_silent_stripe_is_told_within_twelve_seconds_and_everything_can_be_tried_again(
    fake_stripe, black_hole, settings, monkeypatch, figures
):
    """Stripe slow (30 s) at checkout and in the job: clear message, order stays retryable, workers not stuck,
    nothing confirmed or cancelled."""
    clock = Clock()
    monkeypatch.setattr(stripe_api, "circuit", Circuit((stripe.APIConnectionError,), places=20, clock=clock))
    first, second, third = (make_product(name, "60.00", stock_quantity=1) for name in ("Un", "Deux", "Trois"))
    # Somebody new; somebody whose earlier page is open; somebody whose earlier page was never answered; somebody
    # who comes back from the payment page; Stripe's own message about it; and the job.
    fresh, returning, unlucky = Buyer(1), Buyer(2), Buyer(3)
    assert returning.checkout(checkout_body([line(second)], "60.00")).status_code == 201
    assert unlucky.checkout(checkout_body([line(third)], "60.00")).status_code == 201
    open_order, lost_order = Order.objects.order_by("created_at")
    checkout_session_id = session_of(open_order)
    fake_stripe.pay(open_order)
    message = sent_event(fake_stripe, COMPLETED)
    Attempt.objects.filter(payment__order=lost_order).update(
        checkout_session_id=None, checkout_session_url=""
    )
    keys = [new_key() for _ in range(3)]
    bodies = [
        checkout_body([line(product)], "60.00", customer={"city": "Paris"})
        for product in (first, second, third)
    ]
    buyers = (fresh, returning, unlucky)
    calls = [
        partial(buyer.checkout, body, key) for buyer, body, key in zip(buyers, bodies, keys, strict=True)
    ]
    job = partial(reconcile.reconcile_attempts, timezone.now() + timedelta(minutes=5))

    settings.STRIPE_API_BASE = black_hole.url
    outcomes = run_concurrently(
        [*calls, partial(Buyer(4).verify, checkout_session_id), partial(Buyer(5).webhook, message), job]
    )
    *answers, verified, received, asked = values(outcomes)
    for answer in answers:
        refused_for_now(answer)
    assert verified.json() == {"payment_status": "pending"}
    assert (received, asked) == (503, 0)
    slowest = max(outcome.seconds for outcome in outcomes)
    assert slowest <= LONGEST_WAIT
    nothing_was_decided()
    tried = black_hole.calls()
    assert tried == 12  # six callers, twice each

    # Three silences in a row: for ten seconds nobody is kept waiting any more.
    before = rows()
    for call in (*calls, *calls):
        refused_for_now(call())
    assert job() == 0
    assert Buyer(5).webhook(message) == 503
    assert black_hole.calls() == tried
    assert rows() == before

    settings.STRIPE_API_BASE = fake_stripe.api_base
    clock.ahead = 10.0
    paid, *others = (call() for call in (calls[1], calls[0], calls[2]))
    assert (paid.status_code, paid.json()["code"]) == (409, "already_paid")
    assert [answer.status_code for answer in others] == [201, 201]
    assert Buyer(5).webhook(message) == 200
    confirmed_once(open_order)
    assert sorted(Order.objects.values_list("status", flat=True)) == [
        "cancelled",
        "confirmed",
        "pending",
        "pending",
    ]
    assert set(Product.objects.values_list("stock_quantity", flat=True)) == {0}
    figures(silent_stripe_callers=6, silent_stripe_slowest_seconds=round(slowest, 1))


def nothing_was_decided() -> None:
    assert set(Order.objects.values_list("status", flat=True)) == {OrderStatus.PENDING}
    assert set(StockHold.objects.values_list("state", flat=True)) == {StockHoldState.HELD}
    assert set(Product.objects.values_list("stock_quantity", flat=True)) == {0}
    assert set(Attempt.objects.values_list("state", flat=True)) == {AttemptState.SENT}


def test_case_30_a_web_process_with_four_threads_still_serves_its_pages(
    fake_stripe, black_hole, settings, monkeypatch
):
    """Stripe slow (30 s) at checkout: workers not stuck. Six customers press the button at once."""
    monkeypatch.setattr(stripe_api, "TIMEOUT_SECONDS", 2)
    settings.UNPAID_ORDERS_LIMIT = 6
    circuit = Circuit((stripe.APIConnectionError,), places=2, queue=0.1, patience=1.0)
    monkeypatch.setattr(stripe_api, "circuit", circuit)
    product = make_product(price="60.00", stock_quantity=6)
    body = checkout_body([line(product)], "60.00")
    ended: list[str] = []

    def check_out(number: int) -> None:
        refused_for_now(Buyer(number).checkout(body))
        connection.close()
        ended.append("checkout")

    def read() -> None:
        assert Buyer().client.get("/healthz").status_code == 200
        connection.close()
        ended.append("page")

    settings.STRIPE_API_BASE = black_hole.url
    with ThreadPoolExecutor(4) as threads:
        buying = [threads.submit(check_out, number) for number in range(6)]
        wait_for(lambda: black_hole.calls() == 2, "two calls of Stripe")
        reading = [threads.submit(read) for _ in range(20)]
        wait([*buying, *reading])
    for done in (*buying, *reading):
        done.result()
    # Four were refused without Stripe and everybody read, before the two who had its places were let go.
    assert Counter(ended) == {"checkout": 6, "page": 20}
    assert ended[-2:] == ["checkout", "checkout"]
    assert black_hole.calls() == 4
    assert set(Order.objects.values_list("status", flat=True)) == {OrderStatus.PENDING}
    assert Order.objects.count() == 6


@pytest.mark.parametrize("status", [500, 502, 503, 429, 409])
def test_case_30_an_error_at_checkout_keeps_the_order_for_another_try(fake_stripe, buyer, status):
    """Stripe down (500, 429) at checkout: clear message, order stays retryable, nothing confirmed or cancelled."""
    key, body = new_key(), checkout_body([line(make_product(price="60.00", stock_quantity=1))], "60.00")
    fake_stripe.control("faults", kind="error", status=status, times=2, path=SESSIONS)
    refused_for_now(buyer.checkout(body, key))
    fake_stripe.control("faults/clear")
    order = Order.objects.get()
    assert left_as_it_was(order)
    assert buyer.checkout(body, key).status_code == 201
    assert [made.pk for made in Order.objects.all()] == [order.pk]
    fake_stripe.control(
        f"sessions/{Attempt.objects.get(checkout_session_id__isnull=False).checkout_session_id}/pay"
    )
    assert run_job("reconcile-payments", now=timezone.now() + timedelta(minutes=5)) == Outcome.DONE
    confirmed_once(order)
    assert charges(fake_stripe) == [(6000, True)]


def left_as_it_was(order: Order) -> bool:
    still_waits(order)
    return not Attempt.objects.filter(checkout_session_id__isnull=False).exists()


def test_case_30_refused_connections_keep_the_order_for_another_try(fake_stripe, buyer, settings):
    """Stripe down at checkout: clear message, order stays retryable, nothing confirmed or cancelled."""
    key, body = new_key(), checkout_body([line(make_product(price="60.00", stock_quantity=1))], "60.00")
    settings.STRIPE_API_BASE = NOBODY_LISTENS
    for _ in range(4):
        # However often: refused connections hold no thread, so each one is tried.
        refused_for_now(buyer.checkout(body, key))
    order = Order.objects.get()
    assert left_as_it_was(order)
    settings.STRIPE_API_BASE = fake_stripe.api_base
    assert buyer.checkout(body, key).status_code == 201
    assert Order.objects.count() == 1
    still_waits(order)


@pytest.mark.parametrize(
    ("end", "fault"),
    [
        ("paid", {"kind": "error", "status": 500}),
        ("expired", {"kind": "error", "status": 429}),
        ("paid", {"kind": "drop"}),
    ],
)
def test_case_30_errors_on_the_return_page_at_the_webhook_and_in_the_job_decide_nothing(
    fake_stripe, buyer, order, fault, end
):
    """Stripe down (500, 429, answers lost) in the job: nothing confirmed or cancelled, whatever is true at Stripe."""
    if end == "paid":
        fake_stripe.pay(order)
    else:
        fake_stripe.expire(order)
    message = sent_event(fake_stripe, COMPLETED if end == "paid" else "checkout.session.expired")
    before = rows()
    fake_stripe.control("faults", **fault, times=100, method="GET", path=SESSIONS)
    assert buyer.verify(session_of(order)).json()["payment_status"] == "pending"
    assert buyer.webhook(message) == 503
    later = timezone.now() + timedelta(minutes=5)
    assert reconcile.reconcile_attempts(later) == 0
    assert reconcile.reprocess_events(later) == 0
    assert rows() == before
    assert StripeEvent.objects.get(event_id=message["id"]).processed_at is None
    fake_stripe.control("faults/clear")
    # The job that comes next finds both the payment and the message.
    assert run_job("reconcile-payments", now=timezone.now() + timedelta(minutes=10)) == Outcome.DONE
    order.refresh_from_db()
    assert order.status == (OrderStatus.CONFIRMED if end == "paid" else OrderStatus.CANCELLED)
    assert StripeEvent.objects.get(event_id=message["id"]).processed_at is not None


def test_case_30_reconciliation_goes_on_behind_a_page_that_stripe_keeps_refusing(fake_stripe):
    """Stripe answers 500 in the job. A failure that it keeps under its key comes back for a day: the payments behind
    it must not wait."""
    product = make_product(price="60.00", stock_quantity=2)
    for number in range(2):
        assert Buyer(number).checkout(checkout_body([line(product)], "60.00")).status_code == 201
    stuck, paid = Order.objects.order_by("created_at")
    fake_stripe.pay(paid)
    attempt = Attempt.objects.get(payment__order=stuck)
    Attempt.objects.filter(pk=attempt.pk).update(checkout_session_id=None, checkout_session_url="")
    original = gateway.create_checkout_session

    def keep_failing(**call: object):
        if call["attempt_id"] == str(attempt.pk):
            raise gateway.GatewayUnavailable("An unknown error occurred", stored=True)
        return original(**call)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gateway, "create_checkout_session", keep_failing)
        reconcile.reconcile_attempts(timezone.now() + timedelta(minutes=5))
        paid.refresh_from_db()
        stuck.refresh_from_db()
        assert (stuck.status, paid.status) == (OrderStatus.PENDING, OrderStatus.CONFIRMED)
        reconcile.reconcile_attempts(timezone.now() + timedelta(minutes=40))
    stuck.refresh_from_db()
    assert stuck.status == OrderStatus.CANCELLED
    assert Attempt.objects.get(pk=attempt.pk).state == AttemptState.CANCELLED
    assert Product.objects.get().stock_quantity == 1
