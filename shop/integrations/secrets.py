"""The secrets that calls of an endpoint are signed with."""

from __future__ import annotations

from datetime import datetime

from shop.core import encryption
from shop.integrations.models import WebhookEndpoint

PURPOSE = "shop.integrations.webhooks"


def signing_secrets(endpoint: WebhookEndpoint, now: datetime) -> list[str]:
    """The secret in force first, then the replaced one while it still counts. Empty where SECRET_KEY was replaced
    without a fallback: such an endpoint needs a new secret."""
    stored = [endpoint.secret]
    if endpoint.former_secret and endpoint.former_secret_until and now < endpoint.former_secret_until:
        stored.append(endpoint.former_secret)
    return [secret for text in stored if (secret := encryption.decrypt(text, purpose=PURPOSE))]
