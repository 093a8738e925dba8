"""The payment sandbox as Stripe: what customers do on its pages, what it sends, and their browser at the shop."""

from __future__ import annotations

import hashlib
import hmac
import json
import time
from typing import Any

import requests
from django.test import Client

from orders.models import Attempt, Order
from orders.tests.factories import new_key

SECRET_KEY = "sk_test_shop_tests"
WEBHOOK_SECRET = "whsec_shop_tests"


class FakeStripe:
    """The customer and their bank on the payment page, and what the provider sends afterwards."""

    def __init__(self, api_base: str) -> None:
        self.api_base = api_base
        # One connection: the sandbox makes a thread for each, and a connection to its database.
        self._session = requests.Session()

    def control(self, action: str, **body: Any) -> dict[str, Any]:
        answer = self._session.post(f"{self.api_base}/_control/{action}", json=body, timeout=30)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def pay(self, order: Order, **how: Any) -> dict[str, Any]:
        return self.control(f"sessions/{session_of(order)}/pay", **how)

    def refuse(self, order: Order, **how: Any) -> dict[str, Any]:
        return self.control(f"sessions/{session_of(order)}/refuse", **how)

    def expire(self, order: Order) -> dict[str, Any]:
        return self.control(f"sessions/{session_of(order)}/expire")

    def events(self) -> list[dict[str, Any]]:
        """Everything the provider has to tell by now, oldest first, as it would send it."""
        self.control("clock")
        answer = self._session.get(
            f"{self.api_base}/v1/events?limit=100",
            headers={"Authorization": f"Bearer {SECRET_KEY}"},
            timeout=30,
        )
        assert answer.status_code == 200, answer.text
        return list(reversed(answer.json()["data"]))

    def requests(self, path: str, method: str = "POST") -> list[dict[str, Any]]:
        answer = self._session.get(
            f"{self.api_base}/_control/requests", params={"path": path, "method": method}, timeout=30
        )
        return answer.json()["requests"]


def session_of(order: Order) -> str:
    checkout_session_id = Attempt.objects.get(
        payment__order=order, checkout_session_id__isnull=False
    ).checkout_session_id
    assert checkout_session_id is not None
    return checkout_session_id


def signature(payload: bytes, secret: str = WEBHOOK_SECRET, at: float | None = None) -> str:
    moment = int(time.time() if at is None else at)
    mac = hmac.new(secret.encode(), f"{moment}.".encode() + payload, hashlib.sha256).hexdigest()
    return f"t={moment},v1={mac}"


class Shopper:
    """A browser without a screen: posts what the islands post."""

    def __init__(self) -> None:
        self.client = Client()

    def checkout(self, body: dict[str, Any], key: str | None = None, language: str = "fr") -> Any:
        return self.client.post(
            "/api/checkout",
            json.dumps(body),
            content_type="application/json",
            headers={"idempotency-key": key or new_key(), "accept-language": language},
        )

    def verify(self, checkout_session_id: str) -> Any:
        return self.client.get("/api/checkout/verify", {"session_id": checkout_session_id})

    def webhook(self, event: dict[str, Any]) -> int:
        payload = json.dumps(event).encode()
        return self.client.post(
            "/webhooks/stripe",
            payload,
            content_type="application/json",
            headers={"stripe-signature": signature(payload)},
        ).status_code
