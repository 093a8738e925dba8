"""Whoever comes to an order that somebody is changing waits, and goes by what it has become."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from django.db import transaction

from accounts.models import User
from orders.models import Attempt, AttemptState, Order, StockHold
from orders.services.checkout.placement import join_orders
from orders.services.payments import settlement
from orders.services.payments.off_session import prepare_charge
from orders.services.payments.settlement import hold_for_review, settle
from orders.services.refunds.disputes import sync_disputes
from orders.services.status.transitions import cancel_unpaid_order
from orders.stripe import gateway
from orders.stripe.facts import CheckoutSessionFacts, IntentFacts
from orders.tests.factories import make_order, make_product, pay_order
from orders.tests.memory_provider import MemoryProvider
from orders.tests.refunding import in_installments, ledger, mails, provider  # noqa: F401 - fixture
from tests.races.concurrency import Started, wait_until_blocked

pytestmark = [
    pytest.mark.postgres, pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("provider")
]  # fmt: skip


def call_while(change: Callable[[], Any], call: Callable[[], Any]) -> None:
    """`call` comes once somebody has the order, and before they make their change."""
    with transaction.atomic():
        Order.objects.select_for_update(no_key=True).get()
        started = Started(call)
        wait_until_blocked()
        change()
    started.value()


def happened(order: Order, name: str) -> int:
    return order.events.filter(name=name).count()


def test_an_order_that_two_windows_put_into_an_account_joins_it_once():
    order = make_order()
    member = User.objects.create_user(email=order.email, password="correct horse battery")
    join = transaction.atomic(partial(join_orders, member, [order.pk]))
    call_while(join, join)
    assert (Order.objects.get().user, happened(order, "order.joined_account")) == (member, 1)


def test_a_dispute_whose_end_is_told_twice_at_once_is_booked_and_told_once(provider: MemoryProvider):  # noqa: F811
    order = pay_order(make_order())
    attempt = Attempt.objects.get()
    dispute = provider.open_dispute(attempt)
    tell = partial(sync_disputes, attempt.intent_id)
    tell()
    provider.move_dispute(dispute, "won")
    call_while(tell, tell)
    assert [kind for kind, _amount in ledger(order)] == ["charge", "dispute", "dispute_won"]
    assert (happened(order, "payment.disputed"), mails(order)) == (2, ["dispute_alert"] * 2)


def test_a_payment_that_was_booked_meanwhile_is_not_held_for_review(provider: MemoryProvider):  # noqa: F811
    order = make_order()
    attempt = Attempt.objects.get()
    Attempt.objects.update(state=AttemptState.SENT)
    call_while(partial(pay_order, order), partial(hold_for_review, attempt.pk, "metadata"))
    order.refresh_from_db()
    attempt.refresh_from_db()
    assert (attempt.state, order.status, order.review_reason) == ("succeeded", "confirmed", "")
    assert happened(order, "payment.review") == 0


def test_an_order_given_up_while_its_page_is_found_expired_is_closed_once(monkeypatch: pytest.MonkeyPatch):
    piece = make_product(stock_quantity=3)
    order = make_order((piece, 1))
    Attempt.objects.update(state=AttemptState.SENT, checkout_session_id="cs_1")
    attempt = Attempt.objects.get()
    page = CheckoutSessionFacts(
        checkout_session_id="cs_1", url="", status="expired", payment_status="unpaid", mode="payment",
        livemode=False, currency="eur", amount_cents=attempt.amount_cents, client_reference_id=str(order.pk),
        metadata={"attempt": str(attempt.pk)}, intent_id=None, intent_status="", error_code="", charge=None,
    )  # fmt: skip
    monkeypatch.setattr(gateway, "fetch_checkout_session", lambda _id: page)
    give_up = partial(cancel_unpaid_order, order.pk, reason="payment.replaced")
    call_while(give_up, partial(settle, attempt.pk))
    attempt.refresh_from_db()
    piece.refresh_from_db()
    assert (attempt.state, StockHold.objects.get().state, piece.stock_quantity) == ("canceled", "released", 3)
    assert (happened(order, "payment.replaced"), happened(order, "payment.expired")) == (1, 0)


def test_a_charge_that_the_provider_refuses_to_two_at_once_waits_for_staff_once(
    monkeypatch: pytest.MonkeyPatch,
):
    order = in_installments()
    attempt = prepare_charge(order.payments.get(position=2))
    Attempt.objects.filter(pk=attempt.pk).update(state=AttemptState.SENT)

    def refuse(_attempt: Attempt) -> IntentFacts:
        raise gateway.GatewayRefused("not in your country", "account_invalid")

    monkeypatch.setattr(settlement, "execute_charge", refuse)
    charge = partial(settle, attempt.pk)
    call_while(charge, charge)
    attempt.refresh_from_db()
    assert (attempt.state, happened(order, "payment.review")) == ("review", 1)
