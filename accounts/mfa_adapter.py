"""What the shop changes in allauth's second factor: names, the shop's host, and secrets that are stored encrypted."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from allauth.mfa.adapter import DefaultMFAAdapter
from django.conf import settings

from shop.core import encryption
from shop.core.models import ShopSettings

_PURPOSE = "accounts.mfa_adapter"


class ShopMFAAdapter(DefaultMFAAdapter):  # type: ignore[misc]
    """Secrets are encrypted with a key made from SECRET_KEY, so that a copy of the database alone opens no account."""

    def get_totp_issuer(self) -> str:
        return ShopSettings.load().shop_name

    def encrypt(self, text: str) -> str:
        return encryption.encrypt(text, purpose=_PURPOSE)

    def decrypt(self, encrypted_text: str) -> str:
        """Return the secret; an empty one, which no code fits, where SECRET_KEY was replaced without a fallback."""
        return encryption.decrypt(encrypted_text, purpose=_PURPOSE)

    def get_public_key_credential_rp_entity(self) -> dict[str, Any]:
        return {"id": urlsplit(settings.SITE_URL).hostname, "name": ShopSettings.load().shop_name}

    def send_notification_mail(self, *args: Any, **kwargs: Any) -> None:
        """Nothing: the shop's services write their mails."""
