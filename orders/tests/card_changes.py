"""Cards left for later installments without paying: what tests of them ask for and look at."""

from __future__ import annotations

from datetime import date
from typing import Any

import requests
from django.urls import reverse
from django.utils import translation

from orders.access import payment_token
from orders.models import CardChange, Order, StoredCard
from orders.services.payments.card_change import change_card, settle_card_change
from orders.tests.fake_stripe import SECRET_KEY, FakeStripe
from orders.tests.installments import payment_of

SESSIONS = "/v1/checkout/sessions"


def address(order: Order, language: str = "fr") -> str:
    with translation.override(language):
        return reverse("orders:pay", args=[payment_token(order)])


def asked(order: Order) -> CardChange:
    """A change that was demanded, its page open."""
    change_card(order_id=order.pk)
    return CardChange.objects.get(order=order, state="open")


def left(fake_stripe: FakeStripe, order: Order, **how: Any) -> CardChange:
    """A change whose customer left a card; the shop has not heard of it yet."""
    change = asked(order)
    assert fake_stripe.control(f"sessions/{change.checkout_session_id}/pay", **how)["result"] == "complete"
    return change


def replaced(fake_stripe: FakeStripe, order: Order, **how: Any) -> StoredCard:
    change = left(fake_stripe, order, **how)
    assert settle_card_change(change.pk) == "kept"
    return StoredCard.objects.get(order=order)


def kept_cards(fake_stripe: FakeStripe, order: Order) -> list[str]:
    """The cards that the order's customer has at the provider."""
    answer = requests.get(
        f"{fake_stripe.api_base}/v1/payment_methods",
        {"customer": order.card.customer_id},
        headers={"Authorization": f"Bearer {SECRET_KEY}"},
        timeout=30,
    )
    return [method["id"] for method in answer.json()["data"]]


def opened(fake_stripe: FakeStripe) -> list[dict[str, Any]]:
    """The demands for a page to leave a card on, as the provider got them."""
    return [
        call
        for call in fake_stripe.requests(SESSIONS)
        if call["path"] == SESSIONS and call["params"].get("mode") == "setup"
    ]


def charged_cards(fake_stripe: FakeStripe) -> list[str]:
    return [
        call["params"]["payment_method"]
        for call in fake_stripe.requests("/v1/payment_intents")
        if "payment_method" in call["params"]
    ]


def journal(order: Order, *names: str) -> list[tuple[str, dict[str, Any]]]:
    return list(order.events.filter(name__in=names).order_by("pk").values_list("name", "data"))


def state_of(order: Order, position: int) -> tuple[str, str, date | None]:
    payment = payment_of(order, position)
    return payment.state, payment.stopped_code, payment.next_try_on
