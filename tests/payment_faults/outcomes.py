"""What an order looks like, to the last row, when a case has ended."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from threading import Event
from time import monotonic
from typing import Any, TypeVar

import requests
from django.apps import apps

from catalog.models import Product, ProductVariation
from orders.models import (
    Attempt,
    AttemptState,
    Order,
    OrderStatus,
    PaymentState,
    StockHoldState,
    StripeEvent,
)
from orders.tests.factories import checkout_body, line, make_product
from orders.tests.fake_stripe import SECRET_KEY, FakeStripe
from orders.tests.refunding import ledger
from shop.core.models import OutgoingMail
from tests.races.concurrency import PATIENCE
from tests.races.conftest import Buyer

INTENTS = "/v1/payment_intents"

Found = TypeVar("Found")


def new_order(buyer: Buyer | None = None) -> Order:
    """An order over 60.00 for a piece of which there is one, its payment page open."""
    product = make_product(price="60.00", stock_quantity=1)
    answer = (buyer or Buyer()).checkout(checkout_body([line(product)], "60.00"))
    assert answer.status_code == 201, answer.content
    return Order.objects.get(pk=answer.json()["order_id"])


def mails(order: Order) -> list[str]:
    return sorted(OutgoingMail.objects.filter(reference=order.reference).values_list("kind", flat=True))


def left_in_stock(order: Order) -> int | None:
    return order.items.get().product.stock_quantity


def confirmed_once(order: Order) -> None:
    order.refresh_from_db()
    assert order.status == OrderStatus.CONFIRMED
    assert order.paid_at is not None
    assert mails(order) == ["order_confirmation", "order_new_workshop"]
    assert ledger(order) == [("charge", Decimal("60.00"))]
    assert order.payments.get().state == PaymentState.PAID
    assert order.stock_holds.get().state == StockHoldState.TAKEN
    assert left_in_stock(order) == 0
    assert [entry.status for entry in order.tracking.all()] == ["confirmed"]
    assert order.events.filter(name="order.confirmed").count() == 1
    assert not order.refunds.exists()


def cancelled_once(order: Order, *, attempt: str = AttemptState.EXPIRED, left: int = 1) -> None:
    """`left` is what the shelf holds by now: 0 when another order took the piece that this one gave back."""
    order.refresh_from_db()
    assert order.status == OrderStatus.CANCELLED
    assert not order.ledger.exists()
    assert order.payments.get().state == PaymentState.VOID
    assert Attempt.objects.get(payment__order=order).state == attempt
    assert order.stock_holds.get().state == StockHoldState.RELEASED
    assert left_in_stock(order) == left
    assert mails(order) == []


def still_waits(order: Order) -> None:
    order.refresh_from_db()
    assert (order.status, order.paid_at) == (OrderStatus.PENDING, None)
    assert not order.ledger.exists()
    assert order.payments.get().state == PaymentState.DUE
    assert order.stock_holds.get().state == StockHoldState.HELD
    assert left_in_stock(order) == 0
    assert mails(order) == []


def rows() -> dict[str, list[tuple[Any, ...]]]:
    """Every row of orders, stock and mails: equal before and after what must change nothing.

    Messages of Stripe are left out: that one came is kept whatever it leads to.
    """
    models = [*apps.get_app_config("orders").get_models(), Product, ProductVariation, OutgoingMail]
    return {
        model.__name__: sorted(model._default_manager.values_list(), key=repr)
        for model in models
        if model is not StripeEvent
    }


def charges(fake_stripe: FakeStripe) -> list[tuple[int, bool]]:
    """Cents and success of every charge at Stripe, newest first."""
    answer = requests.get(
        f"{fake_stripe.api_base}/v1/charges?limit=100",
        headers={"Authorization": f"Bearer {SECRET_KEY}"},
        timeout=30,
    )
    return [(charge["amount"], charge["paid"]) for charge in answer.json()["data"]]


def sent_event(fake_stripe: FakeStripe, kind: str) -> dict[str, Any]:
    """The first event of this type, once Stripe has it to tell."""
    return wait_for(
        lambda: next((event for event in fake_stripe.events() if event["type"] == kind), None), kind
    )


def wait_for(look: Callable[[], Found | None], what: str) -> Found:
    """Looks until there is something to see. For what another process does in its own time."""
    give_up = monotonic() + PATIENCE
    pause = Event()
    while monotonic() < give_up:
        found = look()
        if found:
            return found
        pause.wait(0.02)
    raise AssertionError(f"never seen: {what}")


def keys(fake_stripe: FakeStripe) -> list[str]:
    return [call["idempotency_key"] for call in fake_stripe.requests(INTENTS) if call["path"] == INTENTS]
