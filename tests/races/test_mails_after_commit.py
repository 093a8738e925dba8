"""A mail exists when the change that it tells of does: two hundred confirmations, half of them undone."""

from __future__ import annotations

from decimal import Decimal
from functools import partial

import pytest
from django.utils import timezone

from orders.models import Attempt, AttemptState, LedgerEntry, Order, OrderStatus
from orders.selectors.quotes import RequestedLine
from orders.services.checkout.placement import CheckoutRequest, CustomerDetails, place_order
from orders.services.payments import settlement
from orders.services.payments.settlement import settle
from orders.stripe import gateway
from orders.stripe.facts import ChargeFacts, CheckoutSessionFacts
from orders.tests.factories import CUSTOMER, make_product, new_key
from shop.core.models import OutgoingMail
from tests.races.concurrency import run_concurrently

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]

ORDERS = 80
IN_PARALLEL = 20


class BrokenOff(Exception):
    """What no code expects."""


def sent_order(product_id: int) -> Attempt:
    customer = CustomerDetails(
        email=CUSTOMER["email"], first_name="Léa", last_name="Martin", address="3 rue des Carmes",
        postal_code="69003", city="Lyon", country="FR",
    )  # fmt: skip
    request = CheckoutRequest(
        idempotency_key=new_key(),
        lines=(RequestedLine(product_id, None, "", 1),),
        customer=customer,
        payment_mode="full",
        expected_total=Decimal("60.00"),
        language="fr",
    )
    order = place_order(request, find_buyer=lambda _order: None).order
    attempt = Attempt.objects.get(payment__order=order)
    attempt.state, attempt.checkout_session_id = AttemptState.SENT, f"cs_test_{order.pk.hex}"
    attempt.save()
    return attempt


def paid_page(checkout_session_id: str) -> CheckoutSessionFacts:
    """What Stripe says of a page that was paid."""
    attempt = Attempt.objects.select_related("payment").get(checkout_session_id=checkout_session_id)
    return CheckoutSessionFacts(
        checkout_session_id=checkout_session_id, url="",
        status="complete", payment_status="paid", mode="payment", livemode=False,
        currency="eur", amount_cents=6000, client_reference_id=str(attempt.payment.order_id),
        metadata={"attempt": str(attempt.pk)}, intent_id=f"pi_{attempt.pk.hex}", intent_status="succeeded",
        error_code="", charge=ChargeFacts(f"ch_{attempt.pk.hex}", 6000, "eur", 0, False, timezone.now()),
    )  # fmt: skip


def test_mails_are_as_many_as_committed_orders(settings, monkeypatch, queued_tasks, figures):
    settings.STRIPE_SECRET_KEY = "sk_test_nobody_is_asked"
    settings.UNPAID_ORDERS_LIMIT = ORDERS
    product = make_product(price="60.00", stock_quantity=ORDERS)
    attempts = [sent_order(product.pk) for _ in range(ORDERS)]
    undone = {attempt.payment.order_id for attempt in attempts[::2]}
    queued_tasks.calls.clear()
    monkeypatch.setattr(gateway, "fetch_checkout_session", paid_page)
    original = settlement.mail_new_order

    def break_off(order: Order) -> None:
        # The last step: both mails of the order are written by now.
        original(order)
        if order.pk in undone:
            raise BrokenOff

    monkeypatch.setattr(settlement, "mail_new_order", break_off)

    def settle_some(first: int) -> int:
        broken = 0
        for attempt in attempts[first::IN_PARALLEL]:
            try:
                settle(attempt.pk)
            except BrokenOff:
                broken += 1
        return broken

    outcomes = run_concurrently([partial(settle_some, first) for first in range(IN_PARALLEL)])
    assert [outcome.error for outcome in outcomes] == [None] * IN_PARALLEL
    assert sum(outcome.value for outcome in outcomes) == ORDERS // 2
    confirmed = Order.objects.filter(status=OrderStatus.CONFIRMED)
    assert confirmed.count() == ORDERS // 2
    for kind in ("order_confirmation", "order_new_workshop"):
        told = OutgoingMail.objects.filter(kind=kind).values_list("reference", flat=True)
        assert sorted(told) == sorted(confirmed.values_list("reference", flat=True))
    assert LedgerEntry.objects.count() == ORDERS // 2
    woken = sorted(
        args[0] for task, args, _ in queued_tasks.calls if task.name == "shop.core.tasks.deliver_mail"
    )
    assert woken == sorted(OutgoingMail.objects.values_list("pk", flat=True))
    figures(
        confirmations=ORDERS, undone=ORDERS // 2, committed=ORDERS // 2,
        confirmation_mails=OutgoingMail.objects.filter(kind="order_confirmation").count(),
        deliveries_woken=len(woken),
    )  # fmt: skip
