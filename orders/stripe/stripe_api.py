"""Calling Stripe: one client, one circuit, and the shop's own errors for all that can go wrong.

Only for the files that call Stripe (`gateway`, `account_activity`); everybody else asks those.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

import requests
import stripe
from django.conf import settings
from requests.utils import get_environ_proxies
from urllib3 import Timeout

from shop.core.circuit import CallRefused, Circuit
from shop.core.deadlines import is_over, seconds_left

# Two tries of 5 s and a short pause stay under the 12 s that a customer may wait.
TIMEOUT_SECONDS = 5
RETRIES = 1
# For each of the provider's addresses that is tried.
CONNECT_SECONDS = 1.5
# What a second try takes at most, its pause included.
_RETRY_SECONDS = TIMEOUT_SECONDS + 0.5

stripe.enable_telemetry = False

# Half of the four threads of a web process: the others serve pages whatever Stripe does.
circuit = Circuit((stripe.APIConnectionError,), places=2)


class GatewayError(Exception):
    """The provider refused or could not be asked."""


class GatewayUnavailable(GatewayError):
    """No answer, or one that says to come back: whether the call was carried out is unknown.

    `stored`: the provider has stored this failure under the idempotency key, so the same call fails for a day.
    """

    def __init__(self, message: str, *, stored: bool = False) -> None:
        super().__init__(message)
        self.stored = stored


class GatewayUnreachable(GatewayUnavailable):
    """The provider answers nobody now: every other call would end like this one."""


class GatewayRefused(GatewayError):
    """The provider understood and said no. `code` is its stable word for why."""

    def __init__(self, message: str, code: str = "") -> None:
        super().__init__(message)
        self.code = code


class GatewayNotConfigured(GatewayError):
    """No key is set: payment is switched off."""


OUTAGES = (GatewayUnreachable, GatewayNotConfigured)
"""What says nothing about the row that was asked for, and stops whoever goes through several."""


def is_configured() -> bool:
    """Return whether payments can be taken at all."""
    return bool(settings.STRIPE_SECRET_KEY)


def is_live() -> bool:
    """Return whether the key moves real money."""
    return "_live_" in str(settings.STRIPE_SECRET_KEY)


@contextmanager
def calling() -> Iterator[stripe.V1Services]:
    """Around one call, with Stripe's API to make it on. None is made while Stripe is silent.

    Raises GatewayUnavailable, GatewayRefused or GatewayNotConfigured for whatever the call ends with; only a
    CardError that the caller handles inside stays Stripe's.
    """
    if not is_configured():
        raise GatewayNotConfigured("STRIPE_SECRET_KEY is empty")
    if is_over():
        raise GatewayUnreachable("earlier calls took all the time that the request has")
    try:
        with circuit.call():
            yield stripe_client(settings.STRIPE_SECRET_KEY, settings.STRIPE_API_BASE).v1
    except (CallRefused, stripe.APIConnectionError, stripe.RateLimitError) as error:
        raise GatewayUnreachable(str(error)) from error
    except stripe.IdempotencyError as error:
        raise GatewayRefused(str(error), "idempotency_error") from error
    except stripe.AuthenticationError as error:
        raise GatewayNotConfigured(str(error)) from error
    except stripe.StripeError as error:
        status = error.http_status or 0
        # 409: another process is carrying out the call with this key right now.
        if status >= 500 or status in (0, 409):
            raise GatewayUnavailable(str(error), stored=status >= 500) from error
        raise GatewayRefused(str(error), error.code or "") from error


class BoundedClient(stripe.RequestsClient):
    """Stripe's client whose calls end before the request does, however many there are."""

    @property  # type: ignore[override]
    def _timeout(self) -> Timeout:
        left = seconds_left()
        seconds = TIMEOUT_SECONDS if left is None else min(TIMEOUT_SECONDS, left)
        return Timeout(total=seconds, connect=min(CONNECT_SECONDS, seconds / 4))

    @_timeout.setter
    def _timeout(self, value: Any) -> None:
        """Stripe's own is not used."""

    def _should_retry(self, *args: Any, **kwargs: Any) -> bool:
        left = seconds_left()
        enough = left is None or left >= _RETRY_SECONDS
        return enough and super()._should_retry(*args, **kwargs)


@lru_cache(maxsize=4)
def stripe_client(secret_key: str, api_base: str) -> stripe.StripeClient:
    """Return Stripe's client for a key, cached because it holds the open connections."""
    return stripe.StripeClient(
        secret_key,
        base_addresses={"api": api_base} if api_base else None,
        http_client=BoundedClient(session=_session(api_base or stripe.DEFAULT_API_BASE)),
        max_network_retries=RETRIES,
    )


def _session(url: str) -> requests.Session:
    """The environment's proxies are read once: with each call, that took a twenty-fifth of a checkout. A `.netrc` is
    never read: its password would replace the shop's key."""
    session = requests.Session()
    session.proxies = get_environ_proxies(url)
    session.trust_env = False
    return session
