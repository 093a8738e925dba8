"""News that come when everything is decided, or together with the decision: recorded, and applied once at most."""

from __future__ import annotations

import json
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models.query import QuerySet

from orders.models import Attempt, AttemptState, Order, OrderStatus
from orders.services.fulfilment.archiving import Removal, remove_order
from orders.services.fulfilment.erasing import erase_order
from orders.services.installments.scheduled_payments import void_scheduled
from orders.services.payments import settlement
from orders.services.payments.checkout_sessions import abandon_order
from orders.services.payments.payment_links import pay_by_link
from orders.services.payments.settlement import settle
from orders.stripe import gateway
from orders.tests.fake_stripe import FakeStripe, session_of
from orders.tests.installments import SECOND, Clock, attempts, bought, charged, payment_of
from orders.tests.installments import mails as mail_count
from orders.tests.refunding import ledger
from shop.core.models import OutgoingMail
from shop.core.problems import Problem
from tests.payment_faults.outcomes import confirmed_once, left_in_stock, rows, sent_event
from tests.races.concurrency import Rendezvous, run_concurrently, values
from tests.races.conftest import Buyer

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]

COMPLETED, EXPIRED = "checkout.session.completed", "checkout.session.expired"


def contradicting(event: dict[str, Any]) -> dict[str, Any]:
    """The event over one cent less."""
    other = json.loads(json.dumps(event))
    other["id"] += "_other"
    other["data"]["object"]["amount_total"] = 5999
    return other


def test_case_01_a_message_that_was_acted_on_is_answered_without_asking_stripe_again(
    fake_stripe, buyer, order
):
    """The same event many times: one confirmation. What is done needs no provider: it may even be away."""
    fake_stripe.pay(order)
    event = sent_event(fake_stripe, COMPLETED)
    assert buyer.webhook(event) == 200
    asked = len(fake_stripe.requests("/v1/checkout/sessions", "GET"))
    fake_stripe.control(
        "faults", kind="error", status=503, method="GET", path="/v1/checkout/sessions", times=9
    )
    before = rows()
    for _again in range(3):
        assert buyer.webhook(event) == 200
    assert len(fake_stripe.requests("/v1/checkout/sessions", "GET")) == asked
    assert rows() == before


def test_case_01_further_events_of_a_payment_and_the_way_back_ask_stripe_nothing(fake_stripe, buyer, order):
    """One payment is told by several events. What the first one settled is known, whatever the others are called."""
    fake_stripe.pay(order)
    assert buyer.webhook(sent_event(fake_stripe, COMPLETED)) == 200
    confirmed_once(order)
    asked, before = len(fake_stripe.requests("/v1/checkout/sessions", "GET")), rows()
    for kind in ("payment_intent.succeeded", "charge.succeeded"):
        assert buyer.webhook(sent_event(fake_stripe, kind)) == 200
    assert buyer.verify(session_of(order)).json()["payment_status"] == "paid"
    assert len(fake_stripe.requests("/v1/checkout/sessions", "GET")) == asked
    assert rows() == before


@pytest.mark.parametrize("is_erased", [False, True], ids=["archived", "erased"])
def test_case_01_whatever_is_told_again_of_an_order_that_is_over_changes_nothing(
    fake_stripe, buyer, order, is_erased
):
    """Refused, paid, refunded in two parts, then archived or its person erased: every event once more, each twice at
    once, the latest first."""
    fake_stripe.refuse(order)
    paid = fake_stripe.pay(order)["session"]["payment_intent"]
    fake_stripe.control("refunds", payment_intent=paid, amount=2500)
    fake_stripe.control("refunds", payment_intent=paid)
    events = fake_stripe.events()
    assert {"payment_intent.payment_failed", COMPLETED, "refund.created"} <= {
        event["type"] for event in events
    }
    assert {buyer.webhook(event) for event in events} == {200}
    OutgoingMail.objects.all().delete()
    assert remove_order(order_id=order.pk, actor=None) == Removal.ARCHIVED
    if is_erased:
        assert erase_order(order.pk)
    order.refresh_from_db()
    assert (order.status, order.email == "") == (OrderStatus.REFUNDED, is_erased)
    before = rows()
    for event in reversed(events):
        told = event | {"id": f"{event['id']}_again"}
        answers = values(run_concurrently([partial(Buyer(number).webhook, told) for number in range(2)]))
        assert answers == [200, 200]
    assert rows() == before


def test_case_06_a_contradiction_that_comes_after_the_payment_changes_nothing(fake_stripe, buyer, order):
    """Events in reverse order: what was confirmed by asking Stripe is not brought back to `review` by a message."""
    fake_stripe.pay(order)
    event = sent_event(fake_stripe, COMPLETED)
    assert buyer.webhook(event) == 200
    before = rows()
    assert buyer.webhook(contradicting(event)) == 200
    assert rows() == before
    confirmed_once(order)
    order.refresh_from_db()
    assert order.review_reason == ""


def test_case_10_an_order_kept_for_review_is_not_cancelled_when_its_page_expires(fake_stripe, buyer, order):
    """A signed event with another amount: `review` until a person has decided, though its page expires meanwhile."""
    fake_stripe.expire(order)
    event = sent_event(fake_stripe, EXPIRED)
    assert buyer.webhook(contradicting(event)) == 200
    before = rows()
    assert buyer.webhook(event) == 200
    assert rows() == before
    order.refresh_from_db()
    assert (order.status, order.review_reason) == (
        OrderStatus.PENDING,
        "event amount: 5999 instead of 6000",
    )
    assert Attempt.objects.get().state == AttemptState.REVIEW
    assert left_in_stock(order) == 0


def test_case_15_an_expiry_told_after_the_order_was_given_up_changes_nothing(fake_stripe, buyer, order):
    """The session expires: order cancelled, stock back once. Who gave the order up first is who closed it."""
    abandon_order(order.pk)
    event = sent_event(fake_stripe, EXPIRED)
    before = rows()
    assert Attempt.objects.get().state == AttemptState.CANCELLED
    assert left_in_stock(order) == 1
    for _again in range(2):
        assert buyer.webhook(event) == 200
    assert rows() == before


@pytest.fixture
def charge(fake_stripe: FakeStripe, buyer: Buyer, clock: Clock) -> Attempt:
    """150.00 in three times; the second installment was charged, and nobody in the shop knows how it ended."""
    order = bought(fake_stripe, buyer)
    clock.run_until(SECOND - timedelta(days=1))
    clock.go_to(SECOND)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(settlement, "_apply_charge", lambda *facts: None)
        clock.run_round()
    assert attempts(order)[1:] == [(2, 1, "off_session", "sent", "")]
    return Attempt.objects.get(kind="off_session")


@pytest.mark.parametrize("locked", [True, False], ids=["with the lock", "control without the lock"])
def test_case_23_two_who_settle_one_charge_book_it_once(fake_stripe, charge, monkeypatch, locked):
    """Job and webhook at once: an installment is booked once. Without the lock the unique entry undoes the second."""
    order = charge.payment.order
    inside = Rendezvous(1.0 if locked else 30.0)
    original = settlement._apply_charge

    def meet(*facts: Any) -> None:
        inside.enter()
        original(*facts)

    monkeypatch.setattr(settlement, "_apply_charge", meet)
    if not locked:
        monkeypatch.setattr(QuerySet, "select_for_update", lambda self, *args, **kwargs: self.all())
    outcomes = run_concurrently([partial(settle, charge.pk)] * 2)

    errors = [outcome.error for outcome in outcomes if outcome.error is not None]
    if locked:
        assert (errors, inside.together) == ([], 0)
    else:
        assert [type(error) for error in errors] == [IntegrityError]
        assert "ledger_once_a_movement" in str(errors[0])
        assert inside.together == 2
    assert charged(fake_stripe) == [5000, 5000]
    assert [str(amount) for _kind, amount in ledger(order)] == ["50.00", "50.00"]
    assert payment_of(order, 2).state == "paid"
    assert mail_count("installment_received") == 1
    assert order.events.filter(name="installment.paid").count() == 1


def test_case_24_news_of_a_refused_charge_are_acted_on_once(fake_stripe, buyer, charge, clock):
    """Off-session refused, and told again and again: one refusal in the journal, one mail, the first calendar."""
    order = charge.payment.order
    fake_stripe.control(f"payment_methods/{order.card.payment_method_id}", later="9995")
    settle(charge.pk)
    clock.go_to(payment_of(order, 3).due_on - timedelta(days=1))
    clock.run_round()
    clock.pass_days(3)
    clock.run_round()
    third = payment_of(order, 3)
    assert (third.state, mail_count("installment_refused")) == ("due", 1)
    before = rows()
    events = [event for event in fake_stripe.events() if event["type"].startswith("payment_intent.")]
    assert {"payment_intent.payment_failed", "payment_intent.canceled"} <= {event["type"] for event in events}
    for event in reversed(events):
        assert buyer.webhook(event) == 200
    assert rows() == before
    assert order.events.filter(name="installment.refused").count() == 1


def test_case_26_an_order_closed_for_good_is_not_asked_to_pay_by_link(fake_stripe, buyer, clock):
    """Customer pays by link: not for an order that was cancelled while installments were still open in its rows."""
    order = bought(fake_stripe, buyer)
    Order.objects.filter(pk=order.pk).update(status=OrderStatus.CANCELLED)
    before = rows()
    with pytest.raises(Problem) as refused:
        pay_by_link(order_id=order.pk, everything=False)
    assert (refused.value.code, refused.value.status) == ("nothing_due", 409)
    assert rows() == before


@pytest.mark.parametrize("kind", ["payment_intent.succeeded", "charge.succeeded"])
@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"amount": 5999}, "event amount: 5999 instead of 6000"),
        ({"currency": "usd"}, "event currency: usd instead of eur"),
    ],
    ids=["amount", "currency"],
)
def test_case_10_whatever_speaks_of_another_amount_or_currency_keeps_the_order(
    fake_stripe, buyer, order, kind, changes, reason
):
    """A signed event with another amount or currency: not confirmed, `review`, alert. Each object has its own words."""
    fake_stripe.pay(order)
    event = sent_event(fake_stripe, kind)
    event["data"]["object"] |= changes
    assert buyer.webhook(event) == 200
    order.refresh_from_db()
    assert (order.status, order.review_reason) == (OrderStatus.PENDING, reason)
    assert Attempt.objects.get().state == AttemptState.REVIEW
    assert ledger(order) == []
    assert order.events.filter(name="payment.review").count() == 1


def test_case_11_the_end_of_a_page_whose_order_was_deleted_is_acknowledged(fake_stripe, buyer):
    """A signed event for an unknown order of ours: 200 when it says that nobody can pay any more, nothing created."""
    ours = {"shop": settings.SITE_URL, "attempt": "6f0cbb3a-1c41-4df1-9a7e-7a7d1d3e5a10"}
    page = {"id": "cs_test_gone", "object": "checkout.session", "metadata": ours}
    before = rows()
    for kind, status in ((EXPIRED, 200), (COMPLETED, 503)):
        event = {"id": f"evt_{status}", "object": "event", "type": kind, "data": {"object": page}}
        assert buyer.webhook(event) == status
    assert rows() == before


def test_case_31_a_page_opened_while_the_order_was_given_back_can_not_be_paid(
    fake_stripe, buyer, clock, monkeypatch
):
    """Withdrawal the minute somebody asks for the link: the page that was being made is closed at Stripe."""
    order = bought(fake_stripe, buyer)
    create = gateway.create_checkout_session

    def given_back_meanwhile(**page: Any) -> Any:
        facts = create(**page)
        with transaction.atomic():
            void_scheduled(order=Order.objects.select_for_update().get(pk=order.pk), reason="test.withdrawn")
        return facts

    monkeypatch.setattr(gateway, "create_checkout_session", given_back_meanwhile)
    with pytest.raises(Problem) as refused:
        pay_by_link(order_id=order.pk, everything=False)
    assert (refused.value.code, refused.value.status) == ("order_closed", 409)
    page = Attempt.objects.get(kind="link").checkout_session_id
    assert fake_stripe.control(f"sessions/{page}/pay")["result"] == "closed"
    assert charged(fake_stripe) == [5000]


def test_case_26_an_old_page_is_closed_before_another_is_given(fake_stripe, buyer, clock):
    """Customer pays by link: a page whose time is over is not given again, and can't be paid beside the new one."""
    order = bought(fake_stripe, buyer)
    first = pay_by_link(order_id=order.pk, everything=False)
    old = Attempt.objects.get(kind="link")
    Attempt.objects.filter(pk=old.pk).update(expires_at=clock.now() - timedelta(seconds=1))
    second = pay_by_link(order_id=order.pk, everything=False)
    assert first != second
    assert attempts(order)[1:] == [(2, 1, "link", "expired", ""), (2, 2, "link", "sent", "")]
    assert fake_stripe.control(f"sessions/{old.checkout_session_id}/pay")["result"] == "closed"
