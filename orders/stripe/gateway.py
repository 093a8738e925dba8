"""What the shop asks Stripe for; `account_activity`, which lists whole days of the account, asks it too.

Calls are made outside database transactions, through `stripe_api.calling`. Amounts are whole cents at this
border. What comes back are small frozen facts, never Stripe's objects.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any

import stripe
from django.conf import settings

from orders.models.payment import PROVIDER_ID
from orders.stripe.facts import (
    CheckoutSessionFacts,
    DisputeFacts,
    IntentFacts,
    PageLine,
    RefundFacts,
    SetupSessionFacts,
)
from orders.stripe.provider_objects import (
    checkout_session_facts,
    dispute_facts,
    intent_facts,
    refund_facts,
    setup_session_facts,
)
from orders.stripe.stripe_api import OUTAGES as OUTAGES
from orders.stripe.stripe_api import GatewayError as GatewayError
from orders.stripe.stripe_api import GatewayNotConfigured as GatewayNotConfigured
from orders.stripe.stripe_api import GatewayRefused as GatewayRefused
from orders.stripe.stripe_api import GatewayUnavailable as GatewayUnavailable
from orders.stripe.stripe_api import GatewayUnreachable as GatewayUnreachable
from orders.stripe.stripe_api import calling
from orders.stripe.stripe_api import is_configured as is_configured
from orders.stripe.stripe_api import is_live as is_live

SHORTEST_CHECKOUT_SESSION = timedelta(minutes=30)
"""A payment page stays open at least so long at the provider."""
PAYMENT_METHODS = ("card",)
"""What the payment page accepts."""
CHECKOUT_SESSION_LIFETIME = SHORTEST_CHECKOUT_SESSION + timedelta(minutes=1)
"""A minute more allows for clocks that differ."""
IDEMPOTENCY_KEY_LIFETIME = timedelta(hours=23)
"""How long the provider certainly knows an idempotency key (it says 24 h; an hour allows for clocks)."""
SHOP_MARK = "shop"
"""Metadata that distinguishes our payments from those of another site on the same Stripe account."""


def create_checkout_session(
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
    save_card: bool,
    customer_id: str,
    notice: str,
) -> CheckoutSessionFacts:
    """Open a hosted payment page. The same `key` with the same arguments gives the same page for 24 h.

    `save_card`: the card is saved for later charges without the customer, on `customer_id` or on a new customer.
    `notice` is shown beside the pay button.

    Raises GatewayUnavailable (ask again with the same key), GatewayRefused, GatewayNotConfigured.
    """
    metadata = _metadata(order_id, attempt_id)
    # Each order has a customer of its own at the provider: a card saved for one order can't be charged for another.
    options: Any = {"customer": customer_id} if customer_id else {"customer_email": email}
    # A session's metadata is not copied to its payment intent.
    intent: dict[str, Any] = {"metadata": metadata}
    if save_card:
        intent["setup_future_usage"] = "off_session"
        if not customer_id:
            # Without a customer the card of a guest would be saved for nobody.
            options["customer_creation"] = "always"
    if notice:
        options["custom_text"] = {"submit": {"message": notice}}
    asked: Any = {
        "mode": "payment",
        "allowed_payment_method_types": [*PAYMENT_METHODS],
        # Whatever the account is set to: the sum that the order names, in no other currency and at nobody's rate.
        "adaptive_pricing": {"enabled": False},
        "client_reference_id": order_id,
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
        "payment_intent_data": intent,
        **options,
    }
    with calling() as v1:
        return checkout_session_facts(v1.checkout.sessions.create(asked, {"idempotency_key": key}))


def parse_checkout_session_id(text: str) -> str:
    """Return the id of a checkout session as an address gives it, or "" for what can't be one and no column takes."""
    return text if len(text) <= PROVIDER_ID and text.isprintable() else ""


def fetch_checkout_session(checkout_session_id: str) -> CheckoutSessionFacts:
    """Return the page and its payment as they are now."""
    with calling() as v1:
        session = v1.checkout.sessions.retrieve(
            checkout_session_id, {"expand": ["payment_intent.latest_charge"]}
        )
        return checkout_session_facts(session)


def create_setup_session(
    *,
    key: str,
    order_id: str,
    change_id: str,
    customer_id: str,
    email: str,
    language: str,
    notice: str,
    success_url: str,
    cancel_url: str,
    expires_at: datetime,
) -> SetupSessionFacts:
    """Open a hosted page that only stores a card, for charges without its owner; nothing is paid on it.

    The same `key` gives the same page for 24 h; `expire_checkout_session` closes it. The card stays with
    `customer_id`, or with a new customer when that is "".

    Raises GatewayUnavailable (ask again with the same key), GatewayRefused, GatewayNotConfigured.
    """
    metadata = {SHOP_MARK: settings.SITE_URL, "order": order_id, "card_change": change_id}
    # Without a customer the card would be stored for nobody.
    whose: Any = (
        {"customer": customer_id} if customer_id else {"customer_email": email, "customer_creation": "always"}
    )
    asked: Any = {
        "mode": "setup",
        "currency": "eur",
        "allowed_payment_method_types": [*PAYMENT_METHODS],
        "client_reference_id": order_id,
        "locale": language,
        "success_url": success_url,
        "cancel_url": cancel_url,
        "expires_at": int(expires_at.timestamp()),
        "metadata": metadata,
        # A session's metadata is not copied to its setup intent.
        "setup_intent_data": {"metadata": metadata},
        "custom_text": {"submit": {"message": notice}},
        **whose,
    }
    with calling() as v1:
        return setup_session_facts(v1.checkout.sessions.create(asked, {"idempotency_key": key}))


def fetch_setup_session(checkout_session_id: str) -> SetupSessionFacts:
    """Return the page and the card that was left on it, as they are now."""
    with calling() as v1:
        session = v1.checkout.sessions.retrieve(
            checkout_session_id, {"expand": ["setup_intent.payment_method"]}
        )
        return setup_session_facts(session)


def expire_checkout_session(checkout_session_id: str) -> bool:
    """Close a page so that it can't be paid any more. False when it was paid or closed before."""
    try:
        with calling() as v1:
            v1.checkout.sessions.expire(checkout_session_id)
    except GatewayRefused:
        return False
    return True


def charge_stored_card(
    *,
    key: str,
    order_id: str,
    attempt_id: str,
    amount_cents: int,
    customer_id: str,
    payment_method_id: str,
) -> IntentFacts:
    """Charge a saved card while its owner is away. The same `key` with the same arguments charges once, for 24 h.

    A refusal by the bank is an answer, not an error. Raises GatewayUnavailable (whether it was charged is unknown),
    GatewayRefused, GatewayNotConfigured.
    """
    with calling() as v1:
        try:
            intent = v1.payment_intents.create(
                {
                    "amount": amount_cents,
                    "currency": "eur",
                    "customer": customer_id,
                    "payment_method": payment_method_id,
                    # Only cards: nothing that would redirect somebody who is not there.
                    "allowed_payment_method_types": [*PAYMENT_METHODS],
                    "off_session": True,
                    "confirm": True,
                    "metadata": _metadata(order_id, attempt_id),
                    "expand": ["latest_charge"],
                },
                {"idempotency_key": key},
            )
        except stripe.CardError as error:
            if error.error is None or error.error.payment_intent is None:
                raise
            return intent_facts(error.error.payment_intent)
        return intent_facts(intent)


def fetch_intent(intent_id: str) -> IntentFacts:
    """Return the charge as it is now."""
    with calling() as v1:
        return intent_facts(v1.payment_intents.retrieve(intent_id, {"expand": ["latest_charge"]}))


def find_intent(*, customer_id: str, attempt_id: str) -> IntentFacts | None:
    """Return the charge that was made for an attempt, found by its metadata; None when there is none.

    Lists a customer's charges: unlike the provider's search, that list knows a charge from its first moment.
    """
    with calling() as v1:
        found = v1.payment_intents.list(
            {"customer": customer_id, "limit": 100, "expand": ["data.latest_charge"]}
        )
        for intent in found.auto_paging_iter():
            if intent.metadata and intent.metadata.to_dict().get("attempt") == attempt_id:
                return intent_facts(intent)
    return None


def count_refused_charges(intent_id: str) -> int:
    """Return how many cards were refused for a payment. A card whose owner did not confirm reached no bank."""
    with calling() as v1:
        found = v1.charges.list({"payment_intent": intent_id, "limit": 100})
        return sum(charge.status == "failed" for charge in found.data)


def count_refused_setups(checkout_session_id: str) -> int:
    """Return how many cards were refused on a page that only stores a card, those not confirmed by their owner too."""
    with calling() as v1:
        setup = v1.checkout.sessions.retrieve(checkout_session_id).setup_intent
        found = v1.setup_attempts.list({"setup_intent": str(setup), "limit": 100})
        return sum(attempt.status == "failed" for attempt in found.data)


def cancel_intent(intent_id: str) -> bool:
    """Cancel a refused charge, so that it can't be paid any more. False when it was paid or cancelled before."""
    try:
        with calling() as v1:
            v1.payment_intents.cancel(intent_id)
    except GatewayRefused:
        return False
    return True


def detach_payment_method(payment_method_id: str) -> None:
    """Have a stored card deleted. One that is gone already counts as deleted."""
    with suppress(GatewayRefused), calling() as v1:
        v1.payment_methods.detach(payment_method_id)


def has_card(payment_method_id: str) -> bool:
    """Return whether a stored card can be charged still: not once it was detached, as with its customer's deletion."""
    try:
        with calling() as v1:
            return v1.payment_methods.retrieve(payment_method_id).customer is not None
    except GatewayRefused as error:
        return error.code != "resource_missing"


def delete_customer(customer_id: str) -> None:
    """Have a customer deleted with their cards; charges stay. One that is gone already counts as deleted."""
    with suppress(GatewayRefused), calling() as v1:
        v1.customers.delete(customer_id)


def create_refund(*, key: str, intent_id: str, amount_cents: int, refund_id: str) -> RefundFacts:
    """Refund a part of a payment. Repeating the same key repeats nothing."""
    with calling() as v1:
        refund = v1.refunds.create(
            {
                "payment_intent": intent_id,
                "amount": amount_cents,
                "metadata": {SHOP_MARK: settings.SITE_URL, "refund": refund_id},
            },
            {"idempotency_key": key},
        )
        return refund_facts(refund)


def list_refunds(intent_id: str) -> list[RefundFacts]:
    """Return every refund of a payment, whoever made it."""
    with calling() as v1:
        found = v1.refunds.list(
            {
                "payment_intent": intent_id,
                "limit": 100,
                # When the money moved, both ways.
                "expand": ["data.balance_transaction", "data.failure_balance_transaction"],
            }
        )
        return [refund_facts(refund) for refund in found.auto_paging_iter()]


def list_disputes(intent_id: str) -> list[DisputeFacts]:
    """Return every dispute of a payment, as it is now."""
    with calling() as v1:
        found = v1.disputes.list({"payment_intent": intent_id, "limit": 100})
        return [dispute_facts(dispute) for dispute in found.auto_paging_iter()]


def _metadata(order_id: str, attempt_id: str) -> dict[str, str]:
    return {SHOP_MARK: settings.SITE_URL, "order": order_id, "attempt": attempt_id}
