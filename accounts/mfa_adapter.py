"""What the shop changes in allauth's second factor: names, the shop's host, and secrets that are stored encrypted."""

from __future__ import annotations

import base64
import hashlib
from typing import Any
from urllib.parse import urlsplit

from allauth.mfa.adapter import DefaultMFAAdapter
from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings
from django.utils.translation import gettext_lazy as _

from shop.core.models import ShopSettings


class ShopMFAAdapter(DefaultMFAAdapter):  # type: ignore[misc]
    """Secrets are encrypted with a key made from SECRET_KEY, so that a copy of the database alone opens no account."""

    error_messages = {
        **DefaultMFAAdapter.error_messages,
        "incorrect_code": _("Code incorrect"),
        "unverified_email": _("Votre e-mail n'est pas encore confirmé. Vérifiez votre boîte de réception."),
    }

    def get_totp_issuer(self) -> str:
        return ShopSettings.load().shop_name

    def encrypt(self, text: str) -> str:
        return _fernet().encrypt(text.encode()).decode()

    def decrypt(self, encrypted_text: str) -> str:
        """Return the secret; an empty one, which no code fits, where SECRET_KEY was replaced without a fallback."""
        try:
            return _fernet().decrypt(encrypted_text.encode()).decode()
        except InvalidToken:
            return ""

    def get_public_key_credential_rp_entity(self) -> dict[str, Any]:
        return {"id": urlsplit(settings.SITE_URL).hostname, "name": ShopSettings.load().shop_name}

    def send_notification_mail(self, *args: Any, **kwargs: Any) -> None:
        """Nothing: the shop's services write their mails."""


def _fernet() -> MultiFernet:
    keys = [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]
    return MultiFernet([Fernet(_derived(key)) for key in keys])


def _derived(key: str) -> bytes:
    return base64.urlsafe_b64encode(hashlib.sha256(f"accounts.mfa_adapter:{key}".encode()).digest())
