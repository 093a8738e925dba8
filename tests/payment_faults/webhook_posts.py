"""What tests of the webhook send: events, true and made up, with any signature."""

from __future__ import annotations

import json
from typing import Any

ADDRESS = "/webhooks/stripe"
COMPLETED = "checkout.session.completed"


def message(kind: str = COMPLETED, **subject: Any) -> bytes:
    """An event about a page that this shop never made."""
    made_up = {"id": "cs_test_foreign", "object": "checkout.session", "metadata": {}, **subject}
    return json.dumps(
        {"id": "evt_test_1", "object": "event", "type": kind, "livemode": False, "data": {"object": made_up}}
    ).encode()


def post(client, payload: bytes, header: str | None):
    headers = {} if header is None else {"stripe-signature": header}
    return client.post(ADDRESS, payload, content_type="application/json", headers=headers)
