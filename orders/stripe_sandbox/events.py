"""Events: what happened, kept for the API and queued for the shop's webhook."""

from __future__ import annotations

import copy

import stripe

from orders.stripe_sandbox import store
from orders.stripe_sandbox.configuration import Delay, configuration
from orders.stripe_sandbox.errors import Document
from orders.stripe_sandbox.models import Delivery, StoredObject

API_VERSION = stripe.api_version or ""
KEPT_FOR_SECONDS = 30 * 24 * 3600


def webhooks_are_on() -> bool:
    return bool(store.read_setting("webhooks_on", configuration().webhooks_on)) and bool(
        configuration().webhook_url
    )


def webhook_delay() -> Delay:
    text = store.read_setting("webhook_delay", "")
    return Delay.parse(text) if text else configuration().webhook_delay


def emit(kind: str, subject: StoredObject, *, previous: Document | None = None) -> str:
    """Write the event and queue its delivery; answers its id. Inside `writing()`, with the change it tells of."""
    request_id, key = store.current_request.get()
    data: Document = {"object": copy.deepcopy(subject.body)}
    if previous is not None:
        data["previous_attributes"] = previous
    event = store.create(
        {
            "id": store.new_id("evt"),
            "object": "event",
            "account": None,
            "api_version": API_VERSION,
            "context": None,
            "data": data,
            "livemode": False,
            "pending_webhooks": 1 if configuration().webhook_url else 0,
            "request": {"id": request_id, "idempotency_key": key},
            "type": kind,
        },
        private={"subject": subject.id},
    )
    Delivery.objects.create(event=event.id, due=store.now() + webhook_delay().draw())
    return event.id
