"""Stripe's pages that only store a card: nothing is paid on them.

Calls are made outside database transactions, through `stripe_api.calling`. Pages are closed by
`gateway.expire_checkout_session`, like those that take a payment.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.conf import settings

from orders.stripe.facts import CardPageFacts
from orders.stripe.gateway import SHOP_MARK
from orders.stripe.provider_objects import card_page_facts
from orders.stripe.stripe_api import calling


def create_card_page(
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
) -> CardPageFacts:
    """Open a page on which a card is left for charges without its owner. The same `key` gives the same page for 24 h.

    It stays with `customer_id`, or with a new customer when that is "". Raises GatewayUnavailable (ask again with the
    same key), GatewayRefused, GatewayNotConfigured.
    """
    metadata = {SHOP_MARK: settings.SITE_URL, "order": order_id, "card_change": change_id}
    # Without a customer the card would be stored for nobody.
    whose: Any = (
        {"customer": customer_id} if customer_id else {"customer_email": email, "customer_creation": "always"}
    )
    asked: Any = {
        "mode": "setup",
        "currency": "eur",
        "allowed_payment_method_types": ["card"],
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
        return card_page_facts(v1.checkout.sessions.create(asked, {"idempotency_key": key}))


def fetch_card_page(checkout_session_id: str) -> CardPageFacts:
    """The page and the card that was left on it, as they are now."""
    with calling() as v1:
        session = v1.checkout.sessions.retrieve(
            checkout_session_id, {"expand": ["setup_intent.payment_method"]}
        )
        return card_page_facts(session)
