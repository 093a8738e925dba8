"""An order is made whole or not at all, wherever its making breaks off."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from django.db import connection, connections, transaction

from accounts.models import SignUp, User
from accounts.services import CheckoutSignUp
from catalog.models import Product, ProductVariation
from orders.models import (
    Attempt,
    AttemptState,
    Order,
    OrderEvent,
    OrderItem,
    OrderStatus,
    Payment,
    StockHold,
)
from orders.services.checkout import placement
from orders.services.status import stock_holds
from orders.services.status.transitions import cancel_unpaid_order
from orders.stripe import gateway
from orders.tests.factories import checkout_body, line, make_order, make_product, make_variation, new_key
from shop.core.models import OutgoingMail
from tests.races.concurrency import Started, wait_until_blocked
from tests.races.conftest import Buyer

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]

STEPS: dict[str, tuple[Any, str]] = {
    "the cart is priced": (placement, "quote_cart"),
    "the order is written": (Order.objects, "create"),
    "the sign-up is written": (CheckoutSignUp, "request"),
    "the lines are written": (OrderItem.objects, "bulk_create"),
    "the payment is written": (Payment.objects, "create"),
    "the attempt is written": (placement, "prepare_attempt"),
    "the journal is written": (placement, "record_event"),
    "the stock is taken": (stock_holds, "hold_stock"),
    "the hold is written": (placement, "hold_for_order"),
}


class BrokenOff(Exception):
    """What no code expects."""


def nothing_is_left(product: Product) -> None:
    for model in (Order, OrderItem, Payment, Attempt, StockHold, OrderEvent, OutgoingMail, SignUp, User):
        assert not model._default_manager.exists(), model
    assert units(product) == (2, 3)


def units(product: Product) -> tuple[int | None, int | None]:
    """What is counted of the product, and of the variant that is sold: the variant's own number goes first."""
    product.refresh_from_db()
    return product.stock_quantity, ProductVariation.objects.get().variants.get().stock_quantity


def whole_order(product: Product) -> None:
    order = Order.objects.get()
    assert order.status == OrderStatus.PENDING
    assert SignUp.objects.get().orders == [{"id": str(order.pk), "reference": order.reference}]
    assert (order.items.count(), order.payments.count(), order.stock_holds.count()) == (1, 1, 1)
    assert Attempt.objects.get().state == AttemptState.SENT
    assert units(product) == (2, 2)


@pytest.fixture
def product() -> Product:
    made = make_product(price="60.00", stock_quantity=2)
    make_variation(made, "18 cm", stock_quantity=3, is_default=True)
    return made


@pytest.fixture
def demand(product: Product) -> dict[str, Any]:
    account = {"mode": "signup", "password": "un-renard-de-bois"}
    variation = ProductVariation.objects.get()
    return checkout_body([line(product, variation_id=variation.pk)], "60.00", account=account)


def raise_after(original: Callable[..., Any], *args: Any, **kwargs: Any) -> None:
    original(*args, **kwargs)
    raise BrokenOff


def lose_the_database_after(original: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """As when the shop or its database dies: the transaction ends without a commit."""
    result = original(*args, **kwargs)
    end_connection(connection.connection.info.backend_pid)
    return result


def end_connection(pid: int) -> None:
    def end() -> None:
        with connections["default"].cursor() as cursor:
            cursor.execute("SELECT pg_terminate_backend(%s, 5000)", [pid])

    Started(end).value()


@pytest.mark.parametrize("step", list(STEPS))
def test_an_exception_after_any_step_leaves_nothing_and_a_retry_makes_the_order(
    fake_stripe, monkeypatch, product, demand, figures, step
):
    key, buyer = new_key(), Buyer()
    where, name = STEPS[step]
    with monkeypatch.context() as broken:
        broken.setattr(where, name, partial(raise_after, getattr(where, name)))
        answer = buyer.checkout(demand, key)
    assert (answer.status_code, answer.json()["code"]) == (500, "server_error")
    nothing_is_left(product)
    assert buyer.client.get("/api/me").json()["authenticated"] is False
    assert fake_stripe.requests("/v1/checkout/sessions") == []
    assert buyer.checkout(demand, key).status_code == 201
    whole_order(product)
    figures(**{f"broken off after “{step}”": "0 half orders, 0 holds, 0 mails, 0 sign-ups"})


@pytest.mark.filterwarnings("ignore:discarding closed connection")
def test_a_database_that_goes_away_before_the_commit_leaves_nothing(
    fake_stripe, monkeypatch, product, demand
):
    key, buyer = new_key(), Buyer()
    with monkeypatch.context() as broken:
        broken.setattr(
            placement, "hold_for_order", partial(lose_the_database_after, placement.hold_for_order)
        )
        assert buyer.checkout(demand, key).status_code == 503
    connection.close()
    nothing_is_left(product)
    assert Buyer().checkout(demand, key).status_code == 201
    whole_order(product)


def test_breaking_off_once_the_page_is_open_keeps_the_order_and_a_retry_finds_the_page(
    fake_stripe, monkeypatch, product, demand
):
    key, buyer = new_key(), Buyer()
    with monkeypatch.context() as broken:
        broken.setattr(
            gateway, "create_checkout_session", partial(raise_after, gateway.create_checkout_session)
        )
        assert buyer.checkout(demand, key).status_code == 500
    answer = buyer.checkout(demand, key)
    assert answer.status_code == 201
    whole_order(product)
    calls = fake_stripe.requests("/v1/checkout/sessions")
    assert len({call["idempotency_key"] for call in calls}) == 1
    assert answer.json()["url"] == Attempt.objects.get().checkout_session_url


def test_an_order_that_is_given_up_while_its_page_is_renewed_has_no_page_left():
    order = make_order()
    Attempt.objects.update(state=AttemptState.SENT)
    with transaction.atomic():
        renewed = placement.renew_attempt(Attempt.objects.get())
        giving_up = Started(partial(cancel_unpaid_order, order.pk, reason="payment.expired"))
        wait_until_blocked()
    assert renewed is not None
    assert giving_up.value() is True
    assert list(Attempt.objects.values_list("state", flat=True)) == [AttemptState.CANCELLED] * 2
