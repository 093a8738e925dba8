"""Idempotency keys: one key, one effect, one answer, for a day."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from orders.stripe_sandbox import store
from orders.stripe_sandbox.errors import ApiError, Document, invalid
from orders.stripe_sandbox.models import IdempotentAnswer

STORED_SECONDS = 24 * 3600
MAX_KEY = 255


def fingerprint(method: str, path: str, params: dict[str, Any]) -> str:
    """Return a hash that is the same for the same call, whatever the order of its parameters."""
    text = json.dumps([method, path, params], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def claim(key: str, call_fingerprint: str, request_id: str) -> IdempotentAnswer | None:
    """The answer stored under this key, or None when the call is new and now claimed.

    Raises ApiError: 409 while the first call is still running, 400 idempotency_error for other parameters.
    """
    if len(key) > MAX_KEY:
        raise invalid(f"Idempotency keys can be at most {MAX_KEY} characters.")
    with store.writing():
        stored = IdempotentAnswer.objects.filter(key=key).first()
        # Forgotten after a day: from then on the same key acts again.
        if stored is not None and stored.status is not None and stored.created < store.now() - STORED_SECONDS:
            stored.delete()
            stored = None
        if stored is None:
            IdempotentAnswer.objects.create(
                key=key, fingerprint=call_fingerprint, request_id=request_id, created=int(store.now())
            )
            return None
    if stored.fingerprint != call_fingerprint:
        raise ApiError(
            400,
            "idempotency_error",
            "Keys for idempotent requests can only be used with the same parameters they were first used with. "
            f"Try using a key other than '{key}' if you meant to execute a different request.",
        )
    if stored.status is None:
        raise ApiError(
            409,
            "idempotency_error",
            f"There is currently another in-progress request using this Idempotent Key ({key}). "
            "Please try again later.",
            code="idempotency_key_in_use",
        )
    return stored


def store_answer(key: str, status: int, body: Document) -> None:
    """Store the answer under its key. Inside `writing()`, best the transaction of the work itself."""
    IdempotentAnswer.objects.filter(key=key).update(status=status, body=body)


def release(key: str) -> None:
    """Forget a claim: the call never began to run. Inside `writing()`."""
    IdempotentAnswer.objects.filter(key=key, status=None).delete()


def release_abandoned() -> None:
    """At start: calls that a stop interrupted wrote nothing, so their keys are free. Inside `writing()`."""
    IdempotentAnswer.objects.filter(status=None).delete()
