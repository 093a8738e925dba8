"""Cases 1 to 6: how the shop hears of a payment. As often and in whichever order it is told, it acts once."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from django.db import IntegrityError
from django.db.models.query import QuerySet
from django.utils import timezone

from orders.models import Order, OrderStatus, StripeEvent
from orders.services.payments import settlement
from orders.services.reconciliation import reconcile
from orders.stripe.webhook_kinds import WEBHOOK_KINDS
from orders.stripe_sandbox.testing import RunningSandbox
from orders.tests.fake_stripe import SECRET_KEY, WEBHOOK_SECRET, FakeStripe, session_of
from orders.tests.refunding import ledger
from shop.core.jobs import Outcome, run_job
from shop.loopback import free_port
from tests.payment_faults.outcomes import (
    cancelled_once,
    charges,
    confirmed_once,
    new_order,
    rows,
    sent_event,
    still_waits,
)
from tests.races.concurrency import Rendezvous, run_concurrently, values
from tests.races.conftest import Buyer, served_shop

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]

COMPLETED = "checkout.session.completed"
STORY = ("charge.succeeded", "payment_intent.succeeded", COMPLETED)
NOBODY_LISTENS = "http://127.0.0.1:9"


@pytest.fixture
def reported_over_http(
    fake_stripe: FakeStripe, tmp_path: Path, settings: Any
) -> Iterator[tuple[FakeStripe, str]]:
    """A sandbox that sends its signed webhooks, and the shop before gunicorn that receives them."""
    port = free_port()
    with (
        RunningSandbox(
            0, tmp_path / "sandbox", f"http://127.0.0.1:{port}/webhooks/stripe",
            secret_key=SECRET_KEY, webhook_secret=WEBHOOK_SECRET,
        ) as sandbox,
        served_shop(port, tmp_path, api_base=sandbox.url) as address,
    ):  # fmt: skip
        settings.STRIPE_API_BASE = sandbox.url
        fake_stripe = FakeStripe(sandbox.url)
        fake_stripe.control("webhooks", on=False)
        yield fake_stripe, address


def test_case_01_five_deliveries_at_once_over_http_act_once(reported_over_http):
    """The same event 5 times at once: one confirmation, one mail, stock once."""
    fake_stripe, _address = reported_over_http
    order = new_order()
    assert fake_stripe.pay(order)["result"] == "complete"
    sent = fake_stripe.control("events/deliver", type=COMPLETED, times=5, parallel=True)["sent"]
    assert [delivery["answer"] for delivery in sent] == ["200"] * 5
    confirmed_once(order)
    event = StripeEvent.objects.get()
    assert (event.kind, event.error, event.processed_at is None) == (COMPLETED, "", False)
    # And everything else that Stripe has to tell of it, twice over and the latest first.
    sent = fake_stripe.control("events/deliver", times=2, reverse=True, parallel=True)["sent"]
    assert len(sent) >= 6
    assert {delivery["answer"] for delivery in sent} == {"200"}
    confirmed_once(order)
    assert charges(fake_stripe) == [(6000, True)]


@pytest.mark.parametrize("kind", ["checkout.session.completed", "payment_intent.succeeded"])
def test_case_01_either_event_that_the_endpoint_asks_for_confirms(fake_stripe, buyer, order, kind):
    """One of the two may be lost: the other one is enough. Further kinds are not asked for, and not missed."""
    fake_stripe.pay(order)
    told = {event["type"] for event in fake_stripe.events()}
    assert told & set(WEBHOOK_KINDS) == {"checkout.session.completed", "payment_intent.succeeded"}
    assert buyer.webhook(sent_event(fake_stripe, kind)) == 200
    confirmed_once(order)


def test_case_01_a_hundred_deliveries_with_return_pages_and_reconciliations(fake_stripe, order, figures):
    """The same event 5 times at once: one confirmation, one mail, stock once."""
    fake_stripe.pay(order)
    event, checkout_session_id = sent_event(fake_stripe, COMPLETED), session_of(order)

    def deliver(number: int) -> list[int]:
        buyer = Buyer(number)
        return [buyer.webhook(event) for _ in range(5)]

    def come_back() -> str:
        return Buyer().verify(checkout_session_id).json()["payment_status"]

    def look_after() -> int:
        return reconcile.reconcile_attempts(timezone.now() + timedelta(minutes=3))

    outcomes = values(
        run_concurrently(
            [*(partial(deliver, number) for number in range(20)), *[come_back] * 5, *[look_after] * 3]
        )
    )
    assert Counter(code for codes in outcomes[:20] for code in codes) == {200: 100}
    assert set(outcomes[20:25]) == {"paid"}
    confirmed_once(order)
    assert StripeEvent.objects.get().processed_at is not None
    figures(
        same_event_deliveries=100, in_parallel=20, return_pages=5, reconciliations=3, confirmations=1,
        confirmation_mails=1, ledger_entries=order.ledger.count(), webhook_5xx=0,
    )  # fmt: skip


@pytest.mark.parametrize("locked", [True, False], ids=["with the lock", "control without the lock"])
def test_case_01_two_settlements_of_one_payment(fake_stripe, order, monkeypatch, figures, locked):
    """The same event 5 times at once: one confirmation, one mail, stock once.

    With the lock the second one waits outside. Without it both decide to confirm, and the unique ledger entry
    stops the second: its whole transaction is undone, and the webhook comes again.
    """
    fake_stripe.pay(order)
    event = sent_event(fake_stripe, COMPLETED)
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
    codes = sorted(values(run_concurrently([partial(Buyer(number).webhook, event) for number in range(2)])))
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


def test_case_02_the_page_shows_paid_at_once_when_the_webhook_was_first(fake_stripe, buyer, order, settings):
    """Webhook before the return page: the page shows paid at once. Stripe need not be there for it."""
    fake_stripe.pay(order)
    assert buyer.webhook(sent_event(fake_stripe, COMPLETED)) == 200
    confirmed_once(order)
    before = rows()
    settings.STRIPE_API_BASE = NOBODY_LISTENS
    assert buyer.verify(session_of(order)).json() == {
        "payment_status": "paid",
        "order_reference": order.reference,
        "order_url": f"/commande/{order.pk}",
    }
    assert rows() == before


def test_case_03_the_return_page_confirms_before_the_webhook(fake_stripe, buyer, order):
    """Return page before the webhook: confirmed by asking Stripe; webhook later: nothing."""
    fake_stripe.pay(order)
    assert buyer.verify(session_of(order)).json() == {
        "payment_status": "paid",
        "order_reference": order.reference,
        "order_url": f"/commande/{order.pk}",
    }
    confirmed_once(order)
    before = rows()
    for event in fake_stripe.events():
        assert buyer.webhook(event) == 200
    assert rows() == before


def test_case_04_the_webhook_confirms_a_customer_who_never_returns(fake_stripe, order):
    """The customer never returns: confirmed by webhook."""
    fake_stripe.pay(order)
    stripe = Buyer()
    for event in fake_stripe.events():
        assert stripe.webhook(event) == 200
    confirmed_once(order)
    assert [event.data for event in order.events.filter(name="order.confirmed")] == [
        {"before": "pending", "after": "confirmed"}
    ]


def test_case_05_a_lost_webhook_is_found_within_minutes(fake_stripe, order):
    """The webhook is lost for ever: reconciliation confirms within minutes."""
    fake_stripe.pay(order)
    ordered = timezone.now()
    # Two minutes belong to the webhook and to the return page.
    assert run_job("reconcile-payments", now=ordered) == Outcome.DONE
    still_waits(order)
    assert run_job("reconcile-payments", now=ordered + timedelta(minutes=5)) == Outcome.DONE
    confirmed_once(order)
    before = rows()
    assert run_job("reconcile-payments", now=ordered + timedelta(minutes=10)) == Outcome.DONE
    assert rows() == before


def test_case_06_a_payments_events_in_every_order_lead_to_the_same_end(fake_stripe):
    """Events in reverse order: same end state."""
    for number, turn in enumerate(itertools.permutations(STORY)):
        shopper = Buyer(number)
        order = new_order(shopper)
        known = {event["id"] for event in fake_stripe.events()}
        fake_stripe.pay(order)
        events = {event["type"]: event for event in fake_stripe.events() if event["id"] not in known}
        assert [shopper.webhook(events[kind]) for kind in turn] == [200] * 3
        confirmed_once(order)
    assert Order.objects.filter(status=OrderStatus.CONFIRMED).count() == 6


@pytest.mark.parametrize("what", ["refunds", "disputes"])
def test_case_06_what_became_of_the_money_is_told_before_the_payment(fake_stripe, buyer, order, what):
    """Events in reverse order: an order whose money is gone does not go into production."""
    fake_stripe.pay(order)
    paid = sent_event(fake_stripe, COMPLETED)
    fake_stripe.control(what, payment_intent=paid["data"]["object"]["payment_intent"])
    sent_event(fake_stripe, {"refunds": "charge.refunded", "disputes": "charge.dispute.created"}[what])
    for event in reversed(fake_stripe.events()):
        assert buyer.webhook(event) == 200
    order.refresh_from_db()
    assert (order.status, order.review_reason) == {
        "refunds": (OrderStatus.REFUNDED, ""),
        "disputes": (OrderStatus.CONFIRMED, "dispute: needs_response"),
    }[what]
    assert [str(amount) for _kind, amount in ledger(order)] == ["60.00", "-60.00"]


@pytest.mark.parametrize("reverse", [False, True])
def test_case_06_a_refusal_and_a_payment_in_reverse_order(fake_stripe, buyer, order, reverse):
    """Events in reverse order: same end state. The refusal that comes last does not undo the payment."""
    fake_stripe.refuse(order)
    fake_stripe.pay(order)
    story = fake_stripe.events()
    assert [event["type"] for event in story].count("payment_intent.payment_failed") == 1
    for event in reversed(story) if reverse else story:
        assert buyer.webhook(event) == 200
    confirmed_once(order)


@pytest.mark.parametrize("reverse", [False, True])
def test_case_06_an_expiry_after_a_refusal_in_reverse_order(fake_stripe, buyer, order, reverse):
    """Events in reverse order: same end state."""
    fake_stripe.refuse(order)
    fake_stripe.expire(order)
    story = fake_stripe.events()
    for event in reversed(story) if reverse else story:
        assert buyer.webhook(event) == 200
    cancelled_once(order)
