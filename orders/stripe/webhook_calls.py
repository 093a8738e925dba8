"""Calls of the webhook: whether Stripe made them, and now. Nothing is asked of it."""

from __future__ import annotations

import json
import math
import re
import time

import stripe
from django.conf import settings

from orders.models.payment import EVENT_KIND, PROVIDER_ID
from orders.stripe.facts import EventFacts


class BadSignature(Exception):
    """A webhook call that did not come from the provider."""


class OutOfTime(BadSignature):
    """A webhook call that the provider signed at another time than now: a repeated one, or a clock that is wrong.

    `seconds` is how much later than the provider's moment it is here; negative when that lies ahead.
    """

    def __init__(self, seconds: int) -> None:
        super().__init__(f"signed {seconds} s ago")
        self.seconds = seconds


SIGNATURE = re.compile(r"t=([0-9]{1,12})(?:,[a-z0-9_]{1,20}=[!-+\--~]*)+")
"""`t=<seconds>`, then signatures by scheme. Stricter than Stripe's library, which fails on letters beyond ASCII."""


def read_event(payload: bytes, signature: str) -> EventFacts:
    """Return a webhook call, if it is the provider's own and of now. Old and new secret are tried.

    Raises BadSignature; OutOfTime when only its moment is wrong.
    """
    found = SIGNATURE.fullmatch(signature)
    if found is None or not any(_is_signed(payload, signature, secret) for secret in _secrets()):
        raise BadSignature
    age = int(time.time()) - int(found[1])
    if abs(age) > stripe.Webhook.DEFAULT_TOLERANCE:
        raise OutOfTime(age)
    try:
        body = json.loads(payload, parse_float=_finite, parse_constant=_finite)
    except (ValueError, OverflowError, RecursionError) as error:
        raise BadSignature from error
    if not isinstance(body, dict):
        raise BadSignature
    event_id, kind = body.get("id"), body.get("type")
    if not isinstance(event_id, str) or not isinstance(kind, str):
        raise BadSignature
    if len(event_id) > PROVIDER_ID or len(kind) > EVENT_KIND:
        raise BadSignature
    return EventFacts(event_id=event_id, kind=kind, livemode=bool(body.get("livemode")), body=body)


def _secrets() -> list[str]:
    return [
        secret for secret in (settings.STRIPE_WEBHOOK_SECRET, settings.STRIPE_WEBHOOK_SECRET_OLD) if secret
    ]


def _is_signed(payload: bytes, signature: str, secret: str) -> bool:
    """Whether the provider signed it, whenever that was."""
    try:
        stripe.WebhookSignature.verify_header(payload.decode("utf-8"), signature, secret)
    except (ValueError, stripe.SignatureVerificationError):
        return False
    return True


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        # Python reads it, JSON does not know it, and PostgreSQL does not store it.
        raise ValueError(text)
    return number
