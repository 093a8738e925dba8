"""How receivers know that a call is the shop's: `Webhook-Signature: t=<seconds>,v1=<HMAC-SHA256 of "t.body">`.

As Stripe does it. While a secret is being replaced there is a `v1` for the old one as well.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable

HEADER = "Webhook-Signature"


def sign(body: bytes, *, secrets: Iterable[str], timestamp: int) -> str:
    """Return the value of the header for a body that leaves at `timestamp` (seconds since 1970)."""
    return ",".join([f"t={timestamp}", *(f"v1={_signature(body, each, timestamp)}" for each in secrets)])


def _signature(body: bytes, secret: str, timestamp: int) -> str:
    return hmac.new(secret.encode(), f"{timestamp}.".encode() + body, hashlib.sha256).hexdigest()
