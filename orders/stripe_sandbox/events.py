"""Events: stored for the API, and delivered to the shop's webhook: signed, at least once, in any order."""

from __future__ import annotations

import copy
import hashlib
import hmac
import json
import logging
import time

import requests
import stripe

from orders.stripe_sandbox import store
from orders.stripe_sandbox.configuration import Delay, configuration
from orders.stripe_sandbox.errors import Document
from orders.stripe_sandbox.models import Delivery, StoredObject

logger = logging.getLogger(__name__)
TIMEOUT_SECONDS = 20
API_VERSION = stripe.api_version or ""
KEPT_FOR_SECONDS = 30 * 24 * 3600


def webhooks_are_on() -> bool:
    """Return whether events are delivered: an address is known and the control surface has not stopped it."""
    return bool(store.read_setting("webhooks_on", configuration().webhooks_on)) and bool(
        configuration().webhook_url
    )


def webhook_delay() -> Delay:
    """Return the delay before a delivery, as the control surface has set it."""
    text = store.read_setting("webhook_delay", "")
    return Delay.parse(text) if text else configuration().webhook_delay


def emit(kind: str, subject: StoredObject, *, previous: Document | None = None) -> str:
    """Write the event and queue its delivery, if the endpoint asks for its kind; answers its id. Inside `writing()`,
    with the change it tells of."""
    asked = not configuration().webhook_kinds or kind in configuration().webhook_kinds
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
            "pending_webhooks": 1 if configuration().webhook_url and asked else 0,
            "request": {"id": request_id, "idempotency_key": key},
            "type": kind,
        },
        private={"subject": subject.id},
    )
    Delivery.objects.create(
        event=event.id,
        due=store.now() + webhook_delay().sample(),
        state="pending" if asked else "unasked",
    )
    return event.id


def sign(payload: bytes, secret: str, timestamp: int) -> str:
    """The Stripe-Signature header. The timestamp is the machine's, not the sandbox's: receivers compare clocks."""
    digest = hmac.new(secret.encode(), f"{timestamp}.".encode() + payload, hashlib.sha256).hexdigest()
    return f"t={timestamp},v1={digest}"


def send(event: StoredObject) -> tuple[bool, str]:
    """Post one event now; whether it was accepted (2xx, a redirect is a failure), and what was answered."""
    payload = json.dumps(event.body, indent=2).encode()
    headers = {
        "Content-Type": "application/json; charset=utf-8",
        "User-Agent": "Stripe/1.0 (+https://stripe.com/docs/webhooks)",
        "Stripe-Signature": sign(payload, configuration().webhook_secret, int(time.time())),
    }
    with requests.Session() as session:
        # A proxy of the developer's machine has no business between two local processes.
        session.trust_env = False
        try:
            answer = session.post(
                configuration().webhook_url,
                data=payload,
                headers=headers,
                timeout=TIMEOUT_SECONDS,
                allow_redirects=False,
            )
        except requests.RequestException as error:
            return False, type(error).__name__
    return 200 <= answer.status_code < 300, str(answer.status_code)


def deliver(event_id: str) -> str:
    """Send an event and write down how it went; answers what the receiver said. Outside any transaction."""
    event = store.require("event", event_id)
    accepted, said = send(event)
    with store.writing():
        delivery = Delivery.objects.get(event=event_id)
        delivery.tries += 1
        delivery.last_answer = said
        pauses = configuration().retry_pauses
        if accepted:
            delivery.state = "delivered"
            event.refresh_from_db()
            event.body["pending_webhooks"] = 0
            store.save(event)
        elif delivery.state == "pending":
            if delivery.tries > len(pauses):
                delivery.state = "failed"
            else:
                delivery.due = store.now() + pauses[delivery.tries - 1]
        delivery.save()
    if not accepted:
        logger.warning("Webhook %s (%s): the shop answered %s", event.body["type"], event_id, said)
    return said
