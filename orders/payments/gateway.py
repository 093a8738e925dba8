"""The only file that talks to Stripe.

Calls are made outside database transactions, with a timeout that leaves the customer an answer within 12 s.
Amounts are whole cents at this border. What comes back are small frozen facts, never Stripe's objects.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any

import stripe
from django.conf import settings

from orders.payments.circuit import Circuit, ProviderSilent

# Two tries of 5 s and a short pause stay under the 12 s that a customer may wait.
TIMEOUT_SECONDS = 5
RETRIES = 1
SHOP_MARK = "shop"
"""Metadata that tells our payments from those of another site on the same Stripe account."""

stripe.enable_telemetry = False

_circuit = Circuit((stripe.APIConnectionError,))


class GatewayError(Exception):
    """The provider refused or could not be asked."""


class GatewayUnavailable(GatewayError):
    """No answer, or one that says to come back: whether the call was carried out is unknown.

    `kept` tells that the provider keeps this failure under the idempotency key: the same call fails for a day.
    """

    def __init__(self, message: str, *, kept: bool = False) -> None:
        super().__init__(message)
        self.kept = kept


class GatewayRefused(GatewayError):
    """The provider understood and said no. `code` is its stable word for why."""

    def __init__(self, message: str, code: str = "") -> None:
        super().__init__(message)
        self.code = code


class GatewayNotConfigured(GatewayError):
    """No key is set: payment is switched off."""


class BadSignature(Exception):
    """A webhook call that did not come from the provider."""


@dataclass(frozen=True, slots=True)
class PageLine:
    """A row of the payment page. `amount_cents` is the price of one unit; 0 for offered units."""

    name: str
    amount_cents: int
    quantity: int


@dataclass(frozen=True, slots=True)
class ChargeFacts:
    charge_id: str
    amount_cents: int
    currency: str
    refunded_cents: int
    disputed: bool


@dataclass(frozen=True, slots=True)
class SessionFacts:
    """A payment page as the provider knows it now.

    `status` is open, complete or expired; `payment_status` is paid, unpaid or no_payment_required.
    """

    session_id: str
    url: str
    status: str
    payment_status: str
    mode: str
    livemode: bool
    currency: str
    amount_cents: int
    client_reference_id: str
    metadata: dict[str, str]
    intent_id: str | None
    intent_status: str
    error_code: str
    charge: ChargeFacts | None


@dataclass(frozen=True, slots=True)
class RefundFacts:
    """`status` is pending, requires_action, succeeded, failed or canceled."""

    refund_id: str
    amount_cents: int
    status: str
    failure: str
    charge_id: str
    intent_id: str
    metadata: dict[str, str]


@dataclass(frozen=True, slots=True)
class EventFacts:
    event_id: str
    kind: str
    livemode: bool
    body: dict[str, Any]


def is_configured() -> bool:
    """Whether payments can be taken at all."""
    return bool(settings.STRIPE_SECRET_KEY)


def is_live() -> bool:
    """Whether the key moves real money."""
    return "_live_" in str(settings.STRIPE_SECRET_KEY)


def create_session(
    *,
    key: str,
    order_id: str,
    attempt_id: str,
    email: str,
    language: str,
    lines: Sequence[PageLine],
    success_url: str,
    cancel_url: str,
    expires_at: datetime,
) -> SessionFacts:
    """Open a hosted payment page. The same `key` with the same arguments gives the same page for 24 h.

    Raises GatewayUnavailable (ask again with the same key), GatewayRefused, GatewayNotConfigured.
    """
    metadata = {SHOP_MARK: settings.SITE_URL, "order": order_id, "attempt": attempt_id}
    with _translated():
        session = _client().v1.checkout.sessions.create(
            {
                "mode": "payment",
                "allowed_payment_method_types": ["card"],
                "client_reference_id": order_id,
                "customer_email": email,
                "locale": language,
                "line_items": [
                    {
                        "quantity": line.quantity,
                        "price_data": {
                            "currency": "eur",
                            "unit_amount": line.amount_cents,
                            "product_data": {"name": line.name[:250]},
                        },
                    }
                    for line in lines
                ],
                "success_url": success_url,
                "cancel_url": cancel_url,
                "expires_at": int(expires_at.timestamp()),
                "metadata": metadata,
                # A session's metadata is not copied to its payment intent.
                "payment_intent_data": {"metadata": metadata},
            },
            {"idempotency_key": key},
        )
        return _session_facts(session)


def fetch_session(session_id: str) -> SessionFacts:
    """The page and its payment as they are now."""
    with _translated():
        session = _client().v1.checkout.sessions.retrieve(
            session_id, {"expand": ["payment_intent.latest_charge"]}
        )
        return _session_facts(session)


def expire_session(session_id: str) -> bool:
    """Close a page so that it can't be paid any more. False when it was paid or closed before."""
    try:
        with _translated():
            _client().v1.checkout.sessions.expire(session_id)
    except GatewayRefused:
        return False
    return True


def find_session_of_intent(intent_id: str) -> str | None:
    """The payment page that a payment intent belongs to."""
    with _translated():
        found = _client().v1.checkout.sessions.list({"payment_intent": intent_id, "limit": 1})
        return found.data[0].id if found.data else None


def create_refund(*, key: str, intent_id: str, amount_cents: int, refund_id: str) -> RefundFacts:
    """Give money back. Repeating the same key repeats nothing."""
    with _translated():
        refund = _client().v1.refunds.create(
            {
                "payment_intent": intent_id,
                "amount": amount_cents,
                "metadata": {SHOP_MARK: settings.SITE_URL, "refund": refund_id},
            },
            {"idempotency_key": key},
        )
        return _refund_facts(refund)


def list_refunds(intent_id: str) -> list[RefundFacts]:
    """Every refund of a payment, whoever made it."""
    with _translated():
        found = _client().v1.refunds.list({"payment_intent": intent_id, "limit": 100})
        return [_refund_facts(refund) for refund in found.auto_paging_iter()]


def read_event(payload: bytes, signature: str) -> EventFacts:
    """A webhook call, if it is the provider's own. Raises BadSignature, with old and new secret tried."""
    secrets = [
        secret for secret in (settings.STRIPE_WEBHOOK_SECRET, settings.STRIPE_WEBHOOK_SECRET_OLD) if secret
    ]
    for secret in secrets:
        try:
            stripe.WebhookSignature.verify_header(
                payload.decode("utf-8"), signature, secret, stripe.Webhook.DEFAULT_TOLERANCE
            )
            body = json.loads(payload)
        except (ValueError, OverflowError, stripe.SignatureVerificationError):
            continue
        if (
            not isinstance(body, dict)
            or not isinstance(body.get("id"), str)
            or not isinstance(body.get("type"), str)
        ):
            raise BadSignature
        return EventFacts(
            event_id=body["id"], kind=body["type"], livemode=bool(body.get("livemode")), body=body
        )
    raise BadSignature


@contextmanager
def _translated() -> Iterator[None]:
    """Around every call: none is made while Stripe is silent, and its exceptions are told as ours."""
    try:
        with _circuit.call():
            yield
    except ProviderSilent as error:
        raise GatewayUnavailable(str(error)) from error
    except (stripe.APIConnectionError, stripe.RateLimitError) as error:
        raise GatewayUnavailable(str(error)) from error
    except stripe.IdempotencyError as error:
        raise GatewayRefused(str(error), "idempotency_error") from error
    except stripe.AuthenticationError as error:
        raise GatewayNotConfigured(str(error)) from error
    except stripe.StripeError as error:
        status = error.http_status or 0
        # 409: another process is carrying out the call with this key right now.
        if status >= 500 or status in (0, 409):
            raise GatewayUnavailable(str(error), kept=status >= 500) from error
        raise GatewayRefused(str(error), error.code or "") from error


def _client() -> stripe.StripeClient:
    if not is_configured():
        raise GatewayNotConfigured("STRIPE_SECRET_KEY is empty")
    return _made_client(settings.STRIPE_SECRET_KEY, settings.STRIPE_API_BASE)


@lru_cache(maxsize=4)
def _made_client(secret_key: str, api_base: str) -> stripe.StripeClient:
    return stripe.StripeClient(
        secret_key,
        base_addresses={"api": api_base} if api_base else None,
        http_client=stripe.RequestsClient(timeout=TIMEOUT_SECONDS),
        max_network_retries=RETRIES,
    )


def _session_facts(session: stripe.checkout.Session) -> SessionFacts:
    intent = session.payment_intent
    charge = None
    intent_status = error_code = ""
    if isinstance(intent, stripe.PaymentIntent):
        intent_status = intent.status
        if intent.last_payment_error:
            failure = intent.last_payment_error
            error_code = failure.decline_code or failure.code or ""
        if isinstance(intent.latest_charge, stripe.Charge) and intent.latest_charge.paid:
            charge = ChargeFacts(
                charge_id=intent.latest_charge.id,
                amount_cents=intent.latest_charge.amount_captured,
                currency=intent.latest_charge.currency,
                refunded_cents=intent.latest_charge.amount_refunded,
                disputed=bool(intent.latest_charge.disputed),
            )
    intent_id = intent.id if isinstance(intent, stripe.PaymentIntent) else intent
    return SessionFacts(
        session_id=session.id,
        url=session.url or "",
        status=session.status or "",
        payment_status=session.payment_status,
        mode=session.mode,
        livemode=bool(session.livemode),
        currency=session.currency or "",
        amount_cents=session.amount_total or 0,
        client_reference_id=session.client_reference_id or "",
        metadata=dict(session.metadata.to_dict()) if session.metadata else {},
        intent_id=intent_id,
        intent_status=intent_status,
        error_code=error_code,
        charge=charge,
    )


def _refund_facts(refund: stripe.Refund) -> RefundFacts:
    charge = refund.charge
    intent = refund.payment_intent
    return RefundFacts(
        refund_id=refund.id,
        amount_cents=refund.amount,
        status=refund.status or "pending",
        failure=getattr(refund, "failure_reason", None) or "",
        charge_id=charge if isinstance(charge, str) else (charge.id if charge else ""),
        intent_id=intent if isinstance(intent, str) else (intent.id if intent else ""),
        metadata=dict(refund.metadata.to_dict()) if refund.metadata else {},
    )
