"""A running payment sandbox, so that every test of payments goes through the real library over HTTP."""

from __future__ import annotations

import hashlib
import hmac
import json
import time
from collections.abc import Iterator
from typing import Any

import pytest
import requests
import stripe
from django.test import Client

from orders.models import Attempt, Order
from orders.payments import stripe_api
from orders.payments.circuit import Circuit
from orders.stripe_sandbox.testing import RunningSandbox
from orders.tests.factories import make_seller, make_zones, new_key
from orders.tests.giving_back import paid_piece, provider  # noqa: F401 - fixtures

SECRET_KEY = "sk_test_shop_tests"
WEBHOOK_SECRET = "whsec_shop_tests"


class Bank:
    """The customer and their bank on the payment page, and what the provider sends afterwards."""

    def __init__(self, api_base: str) -> None:
        self.api_base = api_base

    def control(self, action: str, **body: Any) -> dict[str, Any]:
        answer = requests.post(f"{self.api_base}/_control/{action}", json=body, timeout=30)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def pay(self, order: Order, **how: Any) -> dict[str, Any]:
        return self.control(f"sessions/{session_of(order)}/pay", **how)

    def refuse(self, order: Order, **how: Any) -> dict[str, Any]:
        return self.control(f"sessions/{session_of(order)}/refuse", **how)

    def expire(self, order: Order) -> dict[str, Any]:
        return self.control(f"sessions/{session_of(order)}/expire")

    def events(self) -> list[dict[str, Any]]:
        """Everything the provider has to tell, oldest first, as it would send it."""
        answer = requests.get(
            f"{self.api_base}/v1/events?limit=100",
            headers={"Authorization": f"Bearer {SECRET_KEY}"},
            timeout=30,
        )
        assert answer.status_code == 200, answer.text
        return list(reversed(answer.json()["data"]))

    def requests(self, path: str, method: str = "POST") -> list[dict[str, Any]]:
        answer = requests.get(
            f"{self.api_base}/_control/requests", params={"path": path, "method": method}, timeout=30
        )
        return answer.json()["requests"]


def session_of(order: Order) -> str:
    session_id = Attempt.objects.get(payment__order=order, session_id__isnull=False).session_id
    assert session_id is not None
    return session_id


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

    def verify(self, session_id: str) -> Any:
        return self.client.get("/api/checkout/verify", {"session_id": session_id})

    def webhook(self, event: dict[str, Any]) -> int:
        payload = json.dumps(event).encode()
        return self.client.post(
            "/webhooks/stripe",
            payload,
            content_type="application/json",
            headers={"stripe-signature": signature(payload)},
        ).status_code


@pytest.fixture(scope="session")
def sandbox_process(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningSandbox]:
    """One process a run. It sends no webhooks: tests deliver them when they want to."""
    sandbox = RunningSandbox(
        0, tmp_path_factory.mktemp("sandbox"), secret_key=SECRET_KEY, webhook_secret=WEBHOOK_SECRET
    )
    sandbox.start()
    yield sandbox
    sandbox.stop()


@pytest.fixture
def bank(
    sandbox_process: RunningSandbox, settings: Any, monkeypatch: pytest.MonkeyPatch, _zones: None
) -> Bank:
    make_seller()
    settings.STRIPE_SECRET_KEY = SECRET_KEY
    settings.STRIPE_WEBHOOK_SECRET = WEBHOOK_SECRET
    settings.STRIPE_API_BASE = sandbox_process.url
    stripe_api.made_client.cache_clear()
    # Crowds of a test call from one process, which in production has four threads, and a slow machine is not a silent
    # Stripe: the circuit has tests of its own.
    monkeypatch.setattr(stripe_api, "circuit", Circuit((stripe.APIConnectionError,), places=1000, limit=1000))
    desk = Bank(sandbox_process.url)
    desk.control("reset")
    return desk


@pytest.fixture
def shopper() -> Shopper:
    return Shopper()


@pytest.fixture(autouse=True)
def _zones(request: pytest.FixtureRequest) -> None:
    mark = request.node.get_closest_marker("django_db")
    if mark is not None:
        request.getfixturevalue("transactional_db" if mark.kwargs.get("transaction") else "db")
        make_zones()
