"""A running payment sandbox, so that every test of payments goes through the real library over HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import stripe
from django.test import Client

from accounts.models import User
from accounts.tests.people import make_admin
from orders.stripe import stripe_api
from orders.stripe_sandbox.testing import RunningSandbox
from orders.tests.factories import make_seller, make_zones
from orders.tests.fake_stripe import SECRET_KEY, WEBHOOK_SECRET, FakeStripe, Shopper
from orders.tests.installments import clock  # noqa: F401 - fixture
from orders.tests.refunding import module_provider, paid_piece, provider  # noqa: F401 - fixtures
from orders.tests.transfers import day_of_transfers, failed, returned  # noqa: F401 - fixtures
from orders.tests.withdrawing import monday_noon  # noqa: F401 - fixture
from shop.core.circuit import Circuit


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
def fake_stripe(
    sandbox_process: RunningSandbox, settings: Any, monkeypatch: pytest.MonkeyPatch, _zones: None
) -> FakeStripe:
    make_seller()
    settings.STRIPE_SECRET_KEY = SECRET_KEY
    settings.STRIPE_WEBHOOK_SECRET = WEBHOOK_SECRET
    settings.STRIPE_API_BASE = sandbox_process.url
    stripe_api.stripe_client.cache_clear()
    # Many callers of a test are threads of one process, which has four in production, and a slow machine is not a
    # silent Stripe: the circuit has tests of its own.
    monkeypatch.setattr(stripe_api, "circuit", Circuit((stripe.APIConnectionError,), places=1000, limit=1000))
    fake_stripe = FakeStripe(sandbox_process.url)
    fake_stripe.control("reset")
    return fake_stripe


@pytest.fixture
def shopper() -> Shopper:
    return Shopper()


@pytest.fixture
def admin() -> User:
    """Somebody who may do everything in the shop."""
    return make_admin()


@pytest.fixture
def staff_client(admin: User) -> Client:
    """The browser in which `admin` is signed in."""
    browser = Client()
    browser.force_login(admin)
    return browser


@pytest.fixture(autouse=True)
def _zones(request: pytest.FixtureRequest) -> None:
    mark = request.node.get_closest_marker("django_db")
    if mark is not None:
        request.getfixturevalue("transactional_db" if mark.kwargs.get("transaction") else "db")
        make_zones()
