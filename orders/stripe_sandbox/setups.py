"""Setup intents: a card is stored for later charges, and nothing is paid.

Every function writes; call them inside `store.writing()`.
"""

from __future__ import annotations

import copy
from typing import Any

from orders.stripe_sandbox import documents, store
from orders.stripe_sandbox.cards import Decline
from orders.stripe_sandbox.events import emit
from orders.stripe_sandbox.models import StoredObject
from orders.stripe_sandbox.payments import attach


def create_setup(session_id: str, customer: str | None, asked: dict[str, Any]) -> StoredObject:
    """The setup intent of a session, made together with it. `asked`: description and metadata."""
    params = {
        "customer": customer,
        "description": asked.get("description"),
        "metadata": asked.get("metadata") or {},
    }
    return store.create(documents.setup_intent(params), private={"session": session_id})


def succeed(setup: StoredObject, method: StoredObject) -> None:
    """The bank agrees: the card belongs to the customer from now on."""
    setup.body |= {
        "status": "succeeded",
        "payment_method": method.id,
        "last_setup_error": None,
        "next_action": None,
    }
    store.save(setup)
    if setup.body["customer"]:
        attach(method, setup.body["customer"])
    emit("setup_intent.succeeded", setup)


def fail(setup: StoredObject, method: StoredObject, decline: Decline) -> None:
    """The bank, or the cardholder before it, says no. The intent waits for another card."""
    setup.body |= {
        "status": "requires_payment_method",
        "payment_method": None,
        "last_setup_error": decline.as_error() | {"payment_method": copy.deepcopy(method.body)},
        "next_action": None,
    }
    store.save(setup)
    emit("setup_intent.setup_failed", setup)


def cancel(setup: StoredObject) -> None:
    """Its session is closed. Stripe gives no reason then."""
    setup.body |= {"status": "canceled", "next_action": None}
    store.save(setup)
    emit("setup_intent.canceled", setup)
